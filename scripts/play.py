"""Play a game against named agents, in the terminal or in the browser.

    python scripts/play.py --opponents counter,threshold,random
    python scripts/play.py --game schwarze_katze --opponents counter*3
    python scripts/play.py --web --people 2 --opponents counter*2

In the terminal you choose an action by its number or by the beginnings of its words ("sw 5 dis"); `help` explains,
`quit` ends. With `--web` a server runs until Ctrl-C and prints an address for each person; a game that was interrupted
goes on when the server runs again.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import tyro

from blackjacky_agents import make_agent
from blackjacky_agents.games import default_opponents, get_kit
from blackjacky_agents.narration import Move, View, fill, is_settled, with_seats
from blackjacky_agents.registry import parse_agents
from blackjacky_env import IllegalActionError
from blackjacky_env.engine.game import check_integer
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game

if TYPE_CHECKING:
    from blackjacky_agents.web.table import Table


@dataclass(frozen=True)
class Args:
    """Play a game against named agents, in the terminal or in the browser."""

    game: str = "black_jacky"
    """The game."""
    opponents: str | None = None
    """Agents clockwise from your left, at the game's usual table by default; `random*2` is two of them, `ppo:PATH` one
    that you have trained."""
    seat: int = 0
    """Your seat."""
    variant: str | None = None
    """The variant, the game's first by default; in Black Jacky classic (the whole game) or schnell_duell."""
    seed: int | None = None
    """The same seed deals the same cards; without one it is drawn and printed."""
    name: str = "you"
    """What the story of the game calls you."""
    delay: float = 0.8
    """Seconds after each move of an opponent, in a terminal."""
    save: Path | None = None
    """Write the record of the game to this file (JSON); `env.unwrapped.replay` plays its "record" again."""
    web: bool = False
    """Serve a table for browsers; `--seat` and `--save` are for the terminal."""
    people: int = 1
    """With `--web`: people at the table, each with an address of their own."""
    host: str = "127.0.0.1"
    """With `--web`: the address to listen on; any other than this lets other machines connect."""
    port: int = 8021
    """With `--web`: the port; 0 is any that is free."""
    language: str | None = None
    """With `--web`: en or de; by default what the browser asks for."""
    tables: Path = Path("runs/tables")
    """With `--web`: the folder that tables are kept in."""


class Sitting:
    """One game: the environment, the agents at its seats, and the person."""

    def __init__(self, args: Args) -> None:
        game = get_game(args.game)
        self.narrator = get_kit(game.name).narrator
        opponents = parse_agents(
            default_opponents(game.name) if args.opponents is None else args.opponents, "--opponents"
        )
        players = len(opponents) + 1
        if not 0 <= args.seat < players:
            raise ValueError(f"--seat {args.seat} is not at the table; with these opponents it is 0 .. {players - 1}")
        self.me = f"player_{args.seat}"
        self.seat = args.seat
        self.env = TableEnv(game.name, players, args.variant, render_mode="ansi", render_as=self.me)
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
        """The table as the person sees it."""
        return self.env.view(self.me)

    def label(self, seat: int) -> str:
        """Seat and name."""
        return f"player_{seat} ({self.names[f'player_{seat}']})"


# ---------------------------------------------------------------- the course of the game


def main(args: Args) -> None:
    """Play one game to its end, or until the person leaves; or serve tables."""
    sys.stdout.reconfigure(errors="replace")  # a console without hearts shows question marks
    if args.web:
        serve(args)
        return
    try:
        sitting = Sitting(args)
    except ValueError as error:
        sys.exit(f"error: {error}")
    print(
        f"{sitting.env.game.title}, seed {sitting.seed}: "
        + ", ".join(map(sitting.label, range(sitting.env.num_players)))
    )
    print("`help` explains, `quit` ends.")
    try:
        play(sitting, args.delay if sys.stdin.isatty() else 0)
    except (EOFError, KeyboardInterrupt):
        print("\nThe game ends here. Goodbye!")
    if args.save is not None:
        save(sitting, args.save)


def play(sitting: Sitting, delay: float) -> None:
    """Ask, tell and settle until the game is over."""
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
        told = story(sitting, before, env.action_name(action))
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
    """Time to look at a settlement, in a terminal; `EOFError` if the person leaves."""
    if sys.stdin.isatty() and input("Enter goes on ").strip().lower() == "quit":
        raise EOFError


def save(sitting: Sitting, path: Path) -> None:
    """Write names and record aside and put them in place at once."""
    aside = path.with_name(path.name + ".part")
    aside.write_text(json.dumps({"names": sitting.names, "record": sitting.env.record()}), encoding="utf-8")
    aside.replace(path)
    print(f"The game is kept in {path}.")


# ---------------------------------------------------------------- choosing an action


def ask(sitting: Sitting) -> int:
    """A legal action of the person, asked for until there is one; `EOFError` if they leave."""
    env = sitting.env
    legal = np.flatnonzero(env.observe(sitting.me)["action_mask"]).tolist()
    seats = {seat: f"player_{seat}" for seat in range(env.num_players)}
    names = {action: with_seats(env.action_name(action), sitting.seat, env.num_players) for action in legal}
    choices = {action: fill(name, seats) for action, name in names.items()}
    show_choices(list(choices.values()))
    while True:
        text = input(f"{sitting.view['phase']}> ").strip()
        if text.lower() in ("quit", "exit"):
            raise EOFError
        if text.lower() in ("help", "?"):
            print(sitting.manner.help.replace("GAME", env.game.name))
            show_choices(list(choices.values()))
            continue
        try:
            return find(text, choices, sitting)
        except ValueError as error:
            print(error)


def show_choices(words: Sequence[str]) -> None:
    """The choices with their numbers, in as many columns as fit."""
    cells = [f"{number:3} {word}" for number, word in enumerate(words, 1)]
    width = max(map(len, cells)) + 2
    lines = -(-len(cells) // max(1, 78 // width))
    for line in range(lines):
        print("".join(f"{cell:{width}}" for cell in cells[line::lines]).rstrip())


def find(text: str, choices: dict[int, str], sitting: Sitting) -> int:
    """The one choice that is meant by a number or by the beginnings of its words; `ValueError` says what is wrong."""
    if not text:
        raise ValueError("Type a number or a name; `help` explains.")
    if text.isdigit():
        if not 1 <= int(text) <= len(choices):
            raise ValueError(f"There is no choice {text}; the numbers are 1 .. {len(choices)}.")
        return list(choices)[int(text) - 1]
    meant = [action for action, words in choices.items() if is_short_for(text, words)]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise ValueError("That could be: " + "; ".join(choices[action] for action in meant) + ".")
    return find_by_full_name(text, sitting)


def is_short_for(text: str, words: str) -> bool:
    """Each word typed is the beginning of a word, in the same order, the first of the first."""
    typed, full = (part.lower().replace(":", " ").split() for part in (text, words))
    if not typed or not full[0].startswith(typed[0]):
        return False
    rest = iter(full[1:])
    return all(any(word.startswith(begun) for word in rest) for begun in typed[1:])


def find_by_full_name(text: str, sitting: Sitting) -> int:
    """The action of that name as the environment writes it, if it is legal; else a `ValueError` says why not."""
    action = sitting.env.parse_action(text)
    if sitting.env.observe(sitting.me)["action_mask"][action]:
        return action
    try:
        sitting.env.step(action)
    except IllegalActionError as error:
        raise ValueError(str(error).partition(" Legal for")[0]) from None
    raise AssertionError("an action outside the mask was accepted")


# ---------------------------------------------------------------- telling what happened


def story(sitting: Sitting, before: View, name: str) -> list[str]:
    """What the move called ``name`` did, as the person may know it; nothing for "no trick"."""
    move = Move(before, sitting.view, name, sitting.seat, sitting.env.num_players)
    labels = {seat: sitting.label(seat) for seat in range(sitting.env.num_players)}
    return [fill(sentence, labels) for sentence in sitting.manner.story(move)]


# ---------------------------------------------------------------- in the browser


def serve(args: Args) -> None:
    """Serve the tables that were kept and a new one, until somebody stops it."""
    try:
        from blackjacky_agents.web import serve as web
    except ModuleNotFoundError as error:
        sys.exit(f"error: --web needs {error.name}: python -m pip install -c constraints.txt -e '.[web]'")
    if not web.is_local(args.host):
        print(f"Warning: whoever can reach {args.host} and has an address of a seat can play there, and nothing is")
        print("encrypted. Use it among people you trust, or behind a server that speaks HTTPS.")
    try:
        table = new_table(args)
        listening = web.listen(args.host, args.port)
        server = web.Server(args.tables, args.delay, web.allowed_hosts(args.host))
    except (TypeError, ValueError) as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        sys.exit(f"error: {error} (--host {args.host}, --port {args.port}; port 0 is any that is free)")
    server.add(table)
    for table in server.tables():
        print(f"{table.env.game.title}, {', '.join(seat.name for seat in table.seats)}{': over' if table.over else ''}")
        for name, address in web.addresses(table, args.host, listening.getsockname()[1], args.language):
            print(f"  {name}: {address}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        web.uvicorn_server(server).run(sockets=[listening])


def new_table(args: Args) -> Table:
    """The table that the arguments ask for; `ValueError` says what is wrong with them."""
    from blackjacky_agents.web.table import Table, seats_for

    game = get_game(args.game)
    check_integer("--people", args.people, 1, game.max_players)
    agents = parse_agents(args.opponents or default_opponents(game.name), "--opponents")
    if args.opponents is None:
        agents = agents[: max(game.default_players - args.people, 0)]
    first = "Person 1" if args.name == "you" else args.name
    people = [first, *(f"Person {i}" for i in range(2, args.people + 1))]
    return Table(game.name, seats_for(people, agents), args.variant, seed=args.seed)


if __name__ == "__main__":
    main(tyro.cli(Args))
