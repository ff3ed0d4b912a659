"""Agents by game and name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.bots import random_bot
from blackjacky_agents.external.python_agent import is_place, load_python_agent
from blackjacky_agents.external.subprocess_agent import SubprocessAgent
from blackjacky_agents.games import agent_names, bot_names, default_opponents, get_kit
from blackjacky_agents.kit.kit import HELD_OUT
from blackjacky_agents.networks.agent_file import AGENT_FILE, load_agent
from blackjacky_agents.search.searchers import SEARCHERS, make_searcher
from blackjacky_agents.solving.solution import load_solution
from blackjacky_env.compiled import Policy
from blackjacky_env.games import DEFAULT, get_game

__all__ = ["agent_names", "bot_names", "make_agent", "make_compiled_agent", "parse_agents"]

KINDS: Mapping[str, Callable[[str, str], Agent]] = {
    "ppo": load_agent,
    "solved": load_solution,
    "cmd": SubprocessAgent,
}
"""What makes an agent from what follows ``KIND:`` and the game, besides searches."""


def make_agent(name: str, game: str = DEFAULT) -> Agent:
    """The agent called ``name`` for a game.

    ``"ppo:PATH"`` loads a trained agent from a run folder or weights file. ``"search:400"`` is search with 400
    simulations per move that the game's champion guides, ``"search:0.1s"`` with 0.1 seconds per move,
    ``"search:400+ppo:PATH"`` with another network. ``"ismcts:1000"`` and ``"ismcts:0.1s"`` are tree search with a bot,
    ``"rollout:256"`` is flat Monte Carlo with 256 playouts per legal action. ``"solved:PATH"`` is the solution of a
    small table by ``blackjacky solve``. ``"package.module:Class"`` calls a class of yours, with ``game`` if it has a
    parameter of that name; ``"package.module:function"`` is a function (observation) -> action; the module may be in
    the current folder. ``"cmd:node agent.js"`` is a program in any
    language (`SubprocessAgent`). The last two run code: take them from this machine's user, never from the network.

    Raises `ValueError` for an unknown name (listing the known ones), a damaged or mismatched trained agent, or an
    invalid budget.
    """
    kit = get_kit(game)
    if name == "random":
        return CompiledAgent(name, game, random_bot.choose)
    if name in kit.bots:
        bot = CompiledAgent(name, game, *kit.bots[name])
        bot.origin = (_bot, (name, game))
        return bot
    if path := kit.network(name):
        return load_agent(path, game, name)
    kind, colon, rest = name.partition(":")
    if kind in SEARCHERS:
        return make_searcher(name, game, make_compiled_agent)
    if colon and kind in KINDS:
        return KINDS[kind](rest, game)
    if is_place(name):
        return load_python_agent(name, game)
    names = [*agent_names(game), *([HELD_OUT] if kit.held_out else [])]
    names += [f"{kind}:{end}" for kind, ends in SEARCHERS.items() for end in ends]
    near = difflib.get_close_matches(name, names, n=2)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ";"
    raise ValueError(
        f"unknown agent {name!r} for {game}{hint} agents are {', '.join(map(repr, names))}, "
        "a trained one, 'ppo:PATH', a solution, 'solved:PATH', "
        "a class or function, 'package.module:NAME', and a program, 'cmd:COMMAND'"
    )


def _bot(name: str, game: str) -> Policy:
    return get_kit(game).bots[name][0]


def is_python(name: str) -> bool:
    """Whether `make_agent` would import and call the user's Python code for this name."""
    return is_place(name) and name.partition(":")[0] not in (*KINDS, *SEARCHERS)


def make_compiled_agent(name: str, game: str = DEFAULT) -> CompiledAgent:
    """As `make_agent`; also raises `ValueError` for an agent that is not compiled, such as a time-limited search."""
    agent = make_agent(name, game)
    if not isinstance(agent, CompiledAgent):
        raise ValueError(
            f"agent {name!r} is not compiled; allowed are bots, networks and searches limited by simulations"
        )
    return agent


def parse_agents(text: str, option: str = "agents") -> list[str]:
    """Parse ``"counter,random*2"`` into a list of names; the `ValueError` names ``option`` and the invalid part."""
    names = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*([^\s*][^*]*?)\s*(?:\*\s*([1-9][0-9]?)\s*)?", part)
        if found is None:
            raise ValueError(f"{option}: {part.strip()!r} is not NAME or NAME*NUMBER with a number of 1 .. 99")
        names += [found[1]] * int(found[2] or 1)
    return names


def usual_opponents(game: str, people: int = 1, variant: str | None = None, size: int | None = None) -> list[str]:
    """The agents with which so many people fill a table, by default the variant's usual one."""
    size, _ = get_game(game).choose_table(size, variant)
    usual = parse_agents(default_opponents(game))
    return [*usual, *["random"] * size][: max(size - people, 0)]


def display_names(names: Sequence[str]) -> list[str]:
    """Short names for people: a trained agent has that of its run, and agents of the same name are numbered."""
    short = [_run_name(PurePath(name.removeprefix("ppo:"))) if name.startswith("ppo:") else name for name in names]
    return [f"{name} {short[: i + 1].count(name)}" if short.count(name) > 1 else name for i, name in enumerate(short)]


def _run_name(path: PurePath) -> str:
    return path.parent.name if path.name == AGENT_FILE else path.name.removesuffix(".safetensors")


def opponent_names(game: str) -> list[str]:
    """Names for environments, which find this module by its entry point; what follows a colon is a placeholder."""
    return [*agent_names(game), "ppo:PATH", *(f"{kind}:{ends[0]}" for kind, ends in SEARCHERS.items())]
