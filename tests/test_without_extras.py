"""What an installation without extras can do: play a whole game between bots in the environment."""

from blackjacky_agents import bot_names, make_agent
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT


def test_the_bots_play_a_whole_game_without_any_extra():
    env = TableEnv(DEFAULT)
    env.reset(seed=0)
    agents = {agent: make_agent(bot, DEFAULT) for agent, bot in zip(env.agents, bot_names(DEFAULT)[::-1], strict=False)}
    for agent in env.agents:
        agents.setdefault(agent, make_agent("random", DEFAULT)).reset(seed=1)
    while not any(env.terminations.values()):
        env.step(agents[env.agent_selection].act(env.observe(env.agent_selection)))
    assert any(env.rewards.values())
