"""Black Spy, version 0: ``env``, ``raw_env`` (the same), and helpers for actions and observations."""

from blackjacky_env.envs.module import GameModule

_module = GameModule("black_spy")
env, raw_env = _module.env, _module.raw_env
describe_action, describe_observation = _module.describe_action, _module.describe_observation
describe_options = _module.describe_options
decode, reseed_state, sample_state = _module.decode, _module.reseed_state, _module.sample_state
