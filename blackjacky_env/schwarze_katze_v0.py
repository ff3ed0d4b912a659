"""Schwarze Katze, version 0: ``env``, ``raw_env`` (the same), and helpers for its actions, observations and options."""

from blackjacky_env.envs.module import GameModule

_module = GameModule("schwarze_katze")
env, raw_env = _module.env, _module.raw_env
describe_action, describe_observation = _module.describe_action, _module.describe_observation
describe_options = _module.describe_options
decode, reseed_state, sample_state = _module.decode, _module.reseed_state, _module.sample_state
