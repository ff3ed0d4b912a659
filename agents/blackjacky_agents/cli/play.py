"""``blackjacky play``: play against agents in the terminal or in the browser."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from blackjacky_agents import make_agent
from blackjacky_agents.cli.errors import WrongInputError, checking_input
from blackjacky_agents.cli.options import GameArgs, R, allow_any_character, check_writable, read_arguments
from blackjacky_agents.files import write_file
from blackjacky_agents.games import default_opponents
from blackjacky_agents.narration import View, help_in_words, in_words, is_settled, tell_move, terminal_texts
from blackjacky_agents.registry import parse_agents
from blackjacky_env import IllegalActionError
from blackjacky_env.engine.actions import names_from
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT, get_game

if TYPE_CHECKING:
    from blackjacky_agents.web.table import Table


@dataclass(frozen=True, kw_only=True)
class Args(GameArgs[R]):
    """Play against agents in the terminal or in the browser.

    In the terminal, choose an action by its number or by abbreviated words ("sw 5 dis"); `help` shows help, `quit` ends
    the game. With --web, a server prints the URL of a lobby, where tables are opened, and runs until Ctrl-C; unfinished
    games continue when it is started again. With a game, opponents, people or rule options as well, it opens that table
    at once and prints a URL for each person.

    $ blackjacky play --opponents counter*3
    $ blackjacky play --web
    $ blackjacky play --web --people 2 --opponents counter*2
    """

    opponents: str | None = None
    """Agents clockwise from your left; `random*2` takes two seats, `ppo:PATH` is a trained agent."""
    seat: int = 0
    """In the terminal: your seat."""
    seed: int | None = None
    """Random seed of deals and agents; by default drawn at random and printed."""
    name: str = "you"
    """Your name."""
    delay: float = 0.8
    """Pause after each move of an opponent, in seconds."""
    save: Path | None = None
    """In the terminal: write the record of the game to this file (JSON), for `blackjacky watch --record`."""
    web: bool = False
    """Serve tables for browsers; needs the extra `web`."""
    people: int = 1
    """With --web: number of people at the table, each with their own URL."""
    host: str = "127.0.0.1"
    """With --web: address to listen on; any but the loopback address lets other machines connect."""
    port: int = 8021
    """With --web: port to listen on; 0: any free port."""
    language: str | None = None
    """With --web: en or de; by default the browser's preference."""
    tables: Path = Path("runs/tables")
    """With --web: folder in which tables are saved."""


def opponents_of(args: Args[Any], people: int) -> list[str]:
    """The agents at the table, clockwise; by default the game's, filling up the variant's usual table size."""
    if args.opponents is not None:
        return parse_agents(args.opponents, "--opponents")
    size, _ = get_game(args.game).choose_table(None, args.variant)
    usual = parse_agents(default_opponents(args.game))
    return [*usual, *["random"] * size][: max(size - people, 0)]


class Sitting:
    """A game in the terminal: the environment, the agents and the person."""

    def __init__(self, args: Args[Any]) -> None:
        game = get_game(args.game)
        self.texts = terminal_texts(game.name)
        opponents = opponents_of(args, people=1)
        players = len(opponents) + 1
        if not 0 <= args.seat < players:
            raise ValueError(f"--seat {args.seat} is out of range; allowed with these opponents are 0 .. {players - 1}")
        self.me = f"player_{args.seat}"
        self.seat = args.seat
        self.env = TableEnv(
            game.name, players, args.variant, render_mode="ansi", render_as=self.me, **args.rule_options
        )
        self.seed = int(np.random.default_rng().integers(2**31)) if args.seed is None else args.seed
        self.env.reset(seed=self.seed)
        self.names = {self.me: args.name}
        self.agents = {}
        for i, name in enumerate(opponents, 1):
            agent = f"player_{(args.seat + i) % players}"
            self.agents[agent] = make_agent(name, game.name)
            self.agents[agent].reset(self.seed + i)
            self.names[agent] = name

    @property
    def view(self) -> View:
        """The person's view of the table."""
        return self.env.view(self.me)

    def label(self, seat: int) -> str:
        """Seat and name of a player."""
        return f"player_{seat} ({self.names[f'player_{seat}']})"


# ---------------------------------------------------------------- the course of the game


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    allow_any_character()
    if args.web:
        serve(args, program)
        return 0
    with checking_input():
        check_writable("--save", args.save)
        sitting = Sitting(args)
    table = ", ".join(map(sitting.label, range(sitting.env.num_players)))
    print(f"{sitting.env.game.title}, seed {sitting.seed}: {table}\nType `help` for help, `quit` to end the game.")
    try:
        play(sitting, args.delay if sys.stdin.isatty() else 0)
    except EOFError:
        print("\nGame abandoned. Goodbye!")
    finally:
        if args.save is not None:
            save(sitting, args.save)
    return 0


def play(sitting: Sitting, delay: float) -> None:
    """Ask for the person's actions and print all moves until the game is over."""
    env = sitting.env
    table_is_new = True
    while sitting.view["phase"] != "over":
        agent, before = env.agent_selection, sitting.view
        if agent == sitting.me:
            if table_is_new:
                print(f"\n{env.render()}")
            action = ask(sitting)
        else:
            action = int(sitting.agents[agent].act(env.observe(agent)))
        env.step(action)
        told = story(sitting, before, action)
        for sentence in told:
            print(f"  {sentence}.")
        table_is_new = bool(told)
        if is_settled(env.game.name, before, sitting.view):
            print(f"\n{env.render()}")
            table_is_new = False
            wait()
        elif told and agent != sitting.me:
            time.sleep(delay)
    winners = sitting.view["winners"]
    print("\n" + (", ".join(map(sitting.label, winners)) if winners else "Nobody") + " won the game.")


def wait() -> None:
    """Wait for Enter after a settlement, if stdin is a terminal; `EOFError` if the person quits."""
    if sys.stdin.isatty() and input("Press Enter to continue ").strip().lower() == "quit":
        raise EOFError


def save(sitting: Sitting, path: Path) -> None:
    """Write names and record of the game."""
    write_file(path, json.dumps({"names": sitting.names, "record": sitting.env.record()}))
    print(f"Game saved to {path}.")


# ---------------------------------------------------------------- choosing an action


def ask(sitting: Sitting) -> int:
    """Prompt until the person chooses a legal action; `EOFError` if they quit."""
    env = sitting.env
    legal = np.flatnonzero(env.observe(sitting.me)["action_mask"]).tolist()
    actions, seat_name = env.game.words.actions, names_from(sitting.seat, env.possible_agents)
    choices = {action: actions.tell(actions[action], seat_name) for action in legal}
    show_choices(list(choices.values()))
    while True:
        text = input(f"{sitting.view['phase']}> ").strip()
        if text.lower() in ("quit", "exit"):
            raise EOFError
        if text.lower() in ("help", "?"):
            print(help_in_words(env.game.name))
            show_choices(list(choices.values()))
            continue
        try:
            return find(text, choices, sitting)
        except ValueError as error:
            print(error)


def show_choices(words: Sequence[str]) -> None:
    """Print the numbered choices in as many columns as fit."""
    cells = [f"{number:3} {word}" for number, word in enumerate(words, 1)]
    width = max(map(len, cells)) + 2
    lines = -(-len(cells) // max(1, 78 // width))
    for line in range(lines):
        print("".join(f"{cell:{width}}" for cell in cells[line::lines]).rstrip())


def find(text: str, choices: dict[int, str], sitting: Sitting) -> int:
    """The choice given by its number or abbreviated words; `ValueError` if there is none or more than one."""
    if not text:
        raise ValueError("Type a number or a name, or `help`.")
    if text.isdigit():
        if not 1 <= int(text) <= len(choices):
            raise ValueError(f"There is no choice {text}; the numbers are 1 .. {len(choices)}.")
        return list(choices)[int(text) - 1]
    meant = [action for action, words in choices.items() if is_short_for(text, words)]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise ValueError("Ambiguous; it could be: " + "; ".join(choices[action] for action in meant) + ".")
    return find_by_full_name(text, sitting)


def is_short_for(text: str, words: str) -> bool:
    """Whether each typed word begins a word of ``words``, in the same order, the first one the first."""
    typed, full = (part.lower().replace(":", " ").split() for part in (text, words))
    if not typed or not full[0].startswith(typed[0]):
        return False
    rest = iter(full[1:])
    return all(any(word.startswith(begun) for word in rest) for begun in typed[1:])


def find_by_full_name(text: str, sitting: Sitting) -> int:
    """The legal action with that name; the `ValueError` for an illegal one gives the reason."""
    action = sitting.env.parse_action(text)
    if sitting.env.observe(sitting.me)["action_mask"][action]:
        return action
    try:
        sitting.env.step(action)
    except IllegalActionError as error:
        raise ValueError(str(error).partition(" Legal for")[0]) from None
    raise AssertionError("an action outside the mask was accepted")


# ---------------------------------------------------------------- describing moves


def story(sitting: Sitting, before: View, action: int) -> list[str]:
    """Sentences on the last move, ``action``, as far as the person may know it; may be empty."""
    labels = [sitting.label(seat) for seat in range(sitting.env.num_players)]
    told = tell_move(sitting.env, before, sitting.view, action, sitting.seat)
    return [in_words(phrase, sitting.texts, labels) for phrase in told]


# ---------------------------------------------------------------- in the browser


def serve(args: Args[Any], program: str) -> None:
    """Serve the lobby, the saved tables and the one described by the arguments, if any, until Ctrl-C."""
    for module in ("segno", "starlette", "uvicorn", "websockets"):
        if find_spec(module) is None:
            raise WrongInputError(f"{program} --web needs {module}: pip install 'blackjacky[web]'")
    from blackjacky_agents.web import serve as web
    from blackjacky_agents.web.server import Server

    with checking_input():
        table = new_table(args) if describes_table(args) else None
        listening = listen(args)
        server = Server(args.tables, args.delay, web.allowed_hosts(args.host))
    port = listening.getsockname()[1]
    web.open_to_others(server, args.host, port)
    if not web.is_local(args.host):
        print(f"Warning: anyone who can reach {args.host} and knows the URL of a seat can play there, without")
        print("encryption. Use it among people you trust, or behind a reverse proxy with HTTPS.")
    if table is not None:
        server.add(table)
    for each in server.tables():
        print(f"{each.env.game.title}, {', '.join(seat.name for seat in each.seats)}: {each.progress}")
        for name, address in web.addresses(each, args.host, port, args.language):
            print(f"  {name}: {address}", flush=True)
    print(f"Open tables at {server.lobby_address or web.base_address(args.host, port) + '/'}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        web.uvicorn_server(server).run(sockets=[listening])


def describes_table(args: Args[Any]) -> bool:
    """Whether the arguments ask for a table, not only for the lobby."""
    chosen = (args.opponents, args.variant, args.seed)
    return bool(
        args.game != DEFAULT or args.people != 1 or any(each is not None for each in chosen) or args.rule_options
    )


def listen(args: Args[Any]) -> socket.socket:
    """A listening socket on host and port; the `OSError` names both."""
    from blackjacky_agents.web import serve as web

    try:
        return web.listen(args.host, args.port)
    except OSError as error:
        raise OSError(f"{error} (--host {args.host}, --port {args.port}; --port 0 selects a free port)") from None


def new_table(args: Args[Any]) -> Table:
    """A new table for the arguments; `ValueError` if they are invalid."""
    from blackjacky_agents.web.table import Table, seats_for

    game = get_game(args.game)
    check_integer("--people", args.people, 1, game.max_players)
    agents = opponents_of(args, args.people)
    first = "Person 1" if args.name == "you" else args.name
    people = [first, *(f"Person {i}" for i in range(2, args.people + 1))]
    return Table(game.name, seats_for(people, agents), args.variant, args.rule_options, seed=args.seed)
