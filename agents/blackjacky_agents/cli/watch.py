"""``blackjacky watch``: a game between agents, as an HTML page or in the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from blackjacky_agents import make_agent
from blackjacky_agents.agent import FAILURES, secret_seed
from blackjacky_agents.arena.results_file import read_head
from blackjacky_agents.arena.tournaments import Tournament
from blackjacky_agents.cli.arguments import (
    GameArgs,
    R,
    allow_any_character,
    check_delay,
    check_writable,
    read_arguments,
)
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.cli.terminal import picture_of, result, tell
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.registry import display_names, is_python, parse_agents
from blackjacky_agents.search.analysis import MOST_PLAYOUTS, analyse
from blackjacky_agents.search.explaining import Thoughts, champion_of, replay
from blackjacky_agents.search.explaining import play as play_on
from blackjacky_agents.storage.files import write_file
from blackjacky_agents.wording import is_settled, terminal_texts
from blackjacky_env import replay_html
from blackjacky_env.checks import check_integer
from blackjacky_env.draw import printable
from blackjacky_env.envs import MAX_SEED, TableEnv
from blackjacky_env.reading import parse_json, read_file
from blackjacky_env.replay import new_table


@dataclass(frozen=True, kw_only=True)
class Args(GameArgs[R]):
    """Watch a game between agents: a new one, a saved one, or one of a tournament.

    $ blackjacky watch --agents 'champion,counter*3' --output game.html
    $ blackjacky watch --record game.json
    $ blackjacky watch --tournament runs/tournament/4_players.jsonl --number 17 --output game.html
    """

    agents: str | None = None
    """Agents clockwise from player_0: `random*2` takes two seats, `ppo:PATH` is a trained agent."""
    seed: int | None = None
    """Random seed of deals and agents; by default drawn at random and printed."""
    playouts: int = 200
    """On a page: sampled positions for each win estimate and for the cost of each move; 0: no estimates."""
    record: Path | None = None
    """Show the game in this file (JSON), made by `env.record()` or `blackjacky play --save`."""
    tournament: Path | None = None
    """Show a game of a tournament: its file N_players.jsonl, or a folder with one such file."""
    number: int = 0
    """Number of the game in the tournament, from 0."""
    output: Path | None = None
    """Write an HTML page to this file instead of showing the game in the terminal."""
    seat: int | None = None
    """In the terminal: show this seat's view; by default a spectator's. A page has all views."""
    delay: float = 0.8
    """In the terminal: pause after each move, in seconds."""

    def unused(self) -> dict[str, str]:
        """As `GameArgs.unused`."""
        found = {"without --output": "playouts"} if self.output is None else {"with --output": "seat delay"}
        if self.tournament is None:
            found["without --tournament"] = "number"
        if self.agents is None:
            found["without --agents"] = self.all_but("record tournament number output playouts seat delay")
        return found


class Show(NamedTuple):
    """A game to be shown."""

    env: TableEnv
    names: list[str]
    moves: Iterator[Thoughts | None]
    """Each item makes the next move in ``env``."""
    headline: str
    length: int | None = None
    """Number of moves, if known."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    with checking_input():
        show = prepare(args)
        if args.output is not None:
            save(show, args.output, args.playouts)
            return 0
    show_moves(show, args.seat, args.delay if sys.stdout.isatty() else 0.0)
    return 0


# ---------------------------------------------------------------- choice of the game


def prepare(args: Args[Any]) -> Show:
    """The game selected by the options, at its beginning; `ValueError` for an invalid option."""
    sources = {"--agents": args.agents, "--record": args.record, "--tournament": args.tournament}
    given = [name for name, value in sources.items() if value is not None]
    if len(given) != 1:
        raise ValueError(f"exactly one of {', '.join(sources)} is required, not {' and '.join(given) or 'none'}")
    check_delay(args.delay)
    check_integer("--playouts", args.playouts, 0, MOST_PLAYOUTS)
    check_writable("--output", args.output)
    if args.agents is not None:
        show = new_game(args, parse_agents(args.agents, "--agents"))
    elif args.record is not None:
        show = kept_game(args, *read_record(args.record))
    else:
        assert args.tournament is not None
        show = kept_game(args, *from_tournament(args.tournament, args.number))
    if args.seat is not None:
        check_integer("--seat", args.seat, 0, show.env.num_players - 1)
    return show


def new_game(args: Args[Any], names: Sequence[str]) -> Show:
    """A game between the named agents."""
    seed = args.seed if args.seed is not None else int(np.random.default_rng().integers(2**31))
    check_integer("--seed", seed, 0, MAX_SEED - len(names))
    args.check_players(len(names))
    env = TableEnv(args.game, len(names), args.variant, **args.rule_options)
    agents = {agent: make_agent(name, args.game) for agent, name in zip(env.possible_agents, names, strict=True)}
    for number, agent in enumerate(agents.values(), 1):
        agent.reset(secret_seed(seed, number))
    env.reset(seed=seed)
    moves = play_on(env, agents, instead=champion_of(args.game)) if args.output else play_on(env, agents)
    return Show(env, display_names(names), moves, f"{env.game.title}, seed {seed}")


def kept_game(args: Args[Any], record: Mapping[str, Any], names: Mapping[str, Any]) -> Show:
    """A recorded game; `ValueError` if it cannot be replayed."""
    env = new_table(record)
    new_table(record).replay(record)  # shows whether all actions can be taken
    labels = [printable(str(names.get(agent, agent))) for agent in env.possible_agents]
    champion = champion_of(env.game.name) if args.output else None
    moves = replay(env, record["actions"], champion)
    return Show(env, labels, moves, env.game.title, len(record["actions"]))


def read_record(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Record and names in a file; `ValueError` if it is invalid."""
    try:
        content = dict(parse_json(read_file(path)))
    except (ValueError, TypeError) as error:
        raise ValueError(f"--record {path} is not the result of env.record() as JSON: {error}") from None
    names = content.get("names")
    return content.get("record", content), names if isinstance(names, dict) else {}


def from_tournament(path: Path, number: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Record and names of a tournament's game; `ValueError` if there is none."""
    found = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if len(found) != 1:
        raise ValueError(f"--tournament {path} has {len(found)} files NAME.jsonl; pass one results file")
    setup = read_head(found[0])
    try:
        agents = [agent["name"] for agent in setup["agents"]]
        same = {name: setup[name] for name in ("num_players", "lineups", "seed", "duplicate", "variant", "game")}
        options = dict(setup["options"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{found[0]} is not the results file of a tournament, or is damaged: {error!r}") from None
    sources = [agent.get("source") for agent in setup["agents"]]
    players = [
        _Recorded(name, same["game"], source) if is_python(name) else name
        for name, source in zip(agents, sources, strict=True)
    ]
    tournament = Tournament(players, results=found[0], **same, **options)
    record, (_, seats) = tournament.replay(number), tournament.fixture.schedule(number, 1)
    told = ["", *(f" (failed: {kind})" for kind in FAILURES)]
    names = zip(display_names([agents[agent] for agent in seats[0]]), tournament.failures[number], strict=True)
    return record, {f"player_{seat}": name + told[failure] for seat, (name, failure) in enumerate(names)}


class _Recorded(PythonAgent):
    """An agent whose actions are in the file; it is not loaded, since a stranger's file may name any code."""

    def __init__(self, name: str, game: str, source: str | None) -> None:
        super().__init__(id, name, game)  # never asked
        self._source = source

    def source(self) -> str | None:
        return self._source


# ---------------------------------------------------------------- output


def save(show: Show, path: Path, playouts: int) -> None:
    """Play the game and analyse it, with progress bars, and write the page."""
    print(show.headline)
    thoughts = list(tqdm(show.moves, total=show.length, unit=" moves"))
    record, champion, curve = show.env.record(), champion_of(show.env.game.name), None
    if champion is not None and playouts:
        bar = partial(tqdm, desc="estimates", unit=" parts")
        thoughts, curve = analyse(record, champion, thoughts, max(playouts, 2), track=bar)
    page = replay_html(record, names=show.names, thoughts=thoughts, curve=curve)
    write_file(path, page)
    print(f"Page written to {path} ({len(page.encode()) / 1000:.0f} kB).")


def show_moves(show: Show, seat: int | None, delay: float) -> None:
    """Print the game move by move, as `blackjacky play` does; ``seat``: whose view is shown, None: a spectator's."""
    allow_any_character()
    env, names, viewer = show.env, show.names, None if seat is None else f"player_{seat}"
    texts, before = terminal_texts(env.game.name), env.view(viewer)
    print(f"{show.headline}: {', '.join(names)}\n\n{picture_of(env, viewer, names)}")
    for _ in show.moves:
        told, after = tell(env, before, seat, texts, names), env.view(viewer)
        if is_settled(env.game.name, before, after):
            print(f"\n{picture_of(env, viewer, names)}", flush=True)
        if told:
            time.sleep(delay)
        before = after
    if before["phase"] == "over":
        print(f"\n{result(before, names)}")
