"""Agents by game and name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.bots import black_jacky, random, schwarze_katze
from blackjacky_agents.checkpoint import load_agent
from blackjacky_agents.searchers import SEARCHERS, make_searcher
from blackjacky_env.envs.opponents import register_opponent
from blackjacky_env.games import GAMES, get_game

_BOTS = {"black_jacky": black_jacky.BOTS, "schwarze_katze": schwarze_katze.BOTS}
BOTS: dict[tuple[str, str], Callable[[], CompiledAgent]] = {
    (game, name): partial(CompiledAgent, name, game, *bot)
    for game in GAMES
    for name, bot in {"random": (random.choose,), **_BOTS.get(game, {})}.items()
}
"""Bots by game and name, those of a game from the weakest to the strongest."""

_TRAINED = Path(__file__).parent / "trained"
SHIPPED = {
    ("black_jacky", "champion"): _TRAINED / "champion.safetensors",
    ("schwarze_katze", "champion"): _TRAINED / "schwarze_katze_champion.safetensors",
}
"""Weights of trained agents that have a name; their cards lie beside them."""


def bot_names(game: str) -> list[str]:
    """The bots for a game that follow rules of thumb or reckon, weakest first."""
    return [name for of, name in BOTS if of == game]


def agent_names(game: str) -> list[str]:
    """The names that `make_agent` knows for a game, weakest first."""
    return [*bot_names(game), *(name for of, name in SHIPPED if of == game)]


def make_agent(name: str, game: str = "black_jacky") -> Agent:
    """The agent called ``name`` for a game.

    ``"ppo:PATH"`` loads a trained one from a run folder or weights file. ``"ismcts:1000"`` searches with so many
    simulations for each move, ``"ismcts:0.1s"`` for so many seconds, ``"rollout:256"`` with so many play-outs for each
    legal action.

    Raises `ValueError` naming the agents there are, or what is wrong with the trained agent or the budget.
    """
    if (game, name) in BOTS:
        return BOTS[game, name]()
    if (game, name) in SHIPPED:
        return load_agent(SHIPPED[game, name], game, name)
    get_game(game)  # refuses a game that does not exist
    kind, colon, rest = name.partition(":")
    if kind == "ppo" and colon:
        return load_agent(rest, game)
    if kind in SEARCHERS:
        return make_searcher(name, game)
    names = [*agent_names(game), *(f"{kind}:{end}" for kind, ends in SEARCHERS.items() for end in ends)]
    near = difflib.get_close_matches(name, names, n=2)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ";"
    raise ValueError(
        f"unknown agent {name!r} for {game}{hint} there are {', '.join(map(repr, names))} and a trained one, 'ppo:PATH'"
    )


def parse_agents(text: str, option: str = "agents") -> list[str]:
    """``"counter,random*2"`` as a list of names; `ValueError` names ``option``, the wrong part and what is allowed."""
    names = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*([^\s*][^*]*?)\s*(?:\*\s*([1-9][0-9]?)\s*)?", part)
        if found is None:
            raise ValueError(f"{option}: {part.strip()!r} is not NAME or NAME*NUMBER with a number of 1 .. 99")
        names += [found[1]] * int(found[2] or 1)
    return names


for _game, _name in (*BOTS, *SHIPPED, *((game, "ppo:") for game in GAMES)):
    register_opponent(_game, _name, partial(make_agent, game=_game))
for _game, _name in product(GAMES, SEARCHERS):
    register_opponent(_game, f"{_name}:", partial(make_agent, game=_game), SEARCHERS[_name][0])
