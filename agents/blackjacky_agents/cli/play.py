"""``blackjacky play``: play against agents in the terminal or in the browser."""

from __future__ import annotations

import signal
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from blackjacky_agents.cli.arguments import (
    GameArgs,
    R,
    allow_any_character,
    check_delay,
    check_writable,
    read_arguments,
)
from blackjacky_agents.cli.errors import WrongInputError, checking_input
from blackjacky_agents.cli.terminal import Sitting, play
from blackjacky_agents.registry import parse_agents, usual_opponents
from blackjacky_agents.reports import install
from blackjacky_agents.starting import SIGNALS
from blackjacky_agents.storage.files import only_writer
from blackjacky_env.checks import check_integer
from blackjacky_env.games import DEFAULT, get_game

if TYPE_CHECKING:
    from blackjacky_agents.web.table import Table


@dataclass(frozen=True, kw_only=True)
class Args(GameArgs[R]):
    """Play against agents in the terminal or in the browser.

    In the terminal, choose an action by its number or by abbreviated words ("sw 5 dis"); `? sw 5` explains an action,
    `hint` shows what strong agents would do, `help` the rules, and `quit` ends the game.

    With --web, a server prints the URL of a lobby, where tables are opened, and runs until Ctrl-C; unfinished games
    continue when it is started again. With a game, opponents, people, a name or rule options as well, it opens that
    table at once and prints a URL for each person.

    $ blackjacky play --opponents 'counter*3'
    $ blackjacky play --web
    $ blackjacky play --web --people 2 --opponents 'counter*2'
    """

    opponents: str | None = None
    """Agents clockwise from your left; `random*2` takes two seats, `ppo:PATH` is a trained agent."""
    seat: int = 0
    """In the terminal: your seat."""
    seed: int | None = None
    """Random seed of deals and agents; by default drawn at random and printed."""
    person: Annotated[str | None, tyro.conf.arg(name="as")] = None
    """Your name; by default Guest, in the browser Person 1."""
    delay: float = 0.8
    """Pause after each move of an opponent, in seconds; with --web, 0 also skips those for tricks and settlements."""
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
    address: str | None = None
    """With --web: URL at which a reverse proxy on this machine serves the tables, such as https://play.example."""
    language: str | None = None
    """With --web: en or de; by default the browser's preference."""
    mcp: bool = False
    """With --web: let assistants (language models) play, too, by the Model Context Protocol; needs the extra `mcp`."""
    folder: Path = Path("runs/tables")
    """With --web: folder in which tables are saved."""

    def unused(self) -> dict[str, str]:
        """As `GameArgs.unused`."""
        if self.web:
            return {"with --web": "seat save"}
        return {"without --web": "people host port address language mcp folder"}


def opponents_of(args: Args[Any], people: int) -> list[str]:
    """The agents at the table, clockwise; by default the game's, filling up the usual table size.

    Raises `ValueError` for unknown ones, and if a named table is for another number of players.
    """
    if args.opponents is None:
        opponents = usual_opponents(args.game, people, args.variant, args.table_players)
    else:
        opponents = parse_agents(args.opponents, "--opponents")
        if args.table_players not in (None, people + len(opponents)):
            needed = (args.table_players or 0) - people
            raise ValueError(f"--opponents has {len(opponents)}; {args.table} needs {needed} beside {people} of you")
    args.check_players(people + len(opponents))
    return opponents


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    allow_any_character()
    with checking_input():
        check_delay(args.delay)
    if args.web:
        serve(args, program)
        return 0
    with checking_input():
        check_writable("--save", args.save)
        opponents = opponents_of(args, people=1)
        sitting = Sitting(args.game, opponents, args.variant, args.rule_options, args.seat, args.seed, args.person)
    play(sitting, args.delay, args.save)
    return 0


# ---------------------------------------------------------------- in the browser


def serve(args: Args[Any], program: str) -> None:
    """Serve the lobby, the saved tables and the one described by the arguments, if any, until Ctrl-C."""
    needs = dict.fromkeys(("segno", "starlette", "uvicorn", "websockets"), "web") | ({"mcp": "mcp"} if args.mcp else {})
    for module, extra in needs.items():
        if find_spec(module) is None:
            raise WrongInputError(f"{program} --web needs {module}: {install(extra)}")
    from blackjacky_agents.web import serve as web
    from blackjacky_agents.web.origin import is_local
    from blackjacky_agents.web.server import Server

    with checking_input(), ExitStack() as opened:
        table = new_table(args) if describes_table(args) else None
        address = None if args.address is None else web.check_address(args.address)
        listening = opened.enter_context(listen(args))
        opened.enter_context(only_writer(args.folder))  # makes the folder, which wrong arguments leave unmade
        server = Server(args.folder, args.delay, web.names_of(args.host, address))
        if args.mcp:
            from blackjacky_agents.language import mcp_server

            usual = mcp_server.Usual(args.game, args.table_players, args.variant, args.rule_options)
            mcp_server.attach(server, usual)
        held = opened.pop_all()
    port = listening.getsockname()[1]
    web.open_to_others(server, args.host, port, address)
    if not is_local(args.host):
        print(f"Warning: anyone who can reach {args.host} and knows the URL of a seat or of the lobby can play there,")
        print("without encryption. Use it among people you trust, or behind a reverse proxy with HTTPS.")
    running = web.uvicorn_server(server)
    for number in SIGNALS:  # which end it even before it has begun: asyncio could not be interrupted there
        signal.signal(number, running.handle_exit)
    if table is not None:
        server.add(table)
    base = server.address or web.base_address(args.host, port)
    for each in server.tables():
        names, state = ", ".join(seat.name for seat in each.seats), "over" if each.over else f"move {each.move + 1}"
        print(f"{each.env.game.title}, {names}: {state}")
        for name, place in web.addresses(each, base, args.language):
            print(f"  {name}: {place}", flush=True)
    if args.mcp:
        print(f"Assistants connect to {base}{mcp_server.PLACE.format(token=server.lobby)}", flush=True)
    if server.lobby_address is not None:
        print(f"Others open tables at {server.lobby_address}")
    print(f"Open tables at {web.owner_address(server, args.host, port)}", flush=True)
    with held:
        running.run(sockets=[listening])


def describes_table(args: Args[Any]) -> bool:
    """Whether the arguments ask for a table, not only for the lobby."""
    chosen = (args.opponents, args.table, args.variant, args.seed, args.person)
    return bool(
        args.game != DEFAULT or args.people != 1 or any(each is not None for each in chosen) or args.rule_options
    )


def listen(args: Args[Any]) -> socket.socket:
    """A listening socket on host and port; `ValueError` if that is impossible, with what to do."""
    from blackjacky_agents.web import serve as web

    check_integer("--port", args.port, 0, 2**16 - 1)
    try:
        return web.listen(args.host, args.port)
    except OSError as error:
        where, advice = f"--host {args.host} --port {args.port}", "; --port 0 stands for any free port"
        raise ValueError(f"nothing can listen on {where}: {error.strerror}{advice}") from None


def new_table(args: Args[Any]) -> Table:
    """A new table for the arguments; `ValueError` if they are invalid."""
    from blackjacky_agents.web.seats import seats_for
    from blackjacky_agents.web.table import Table

    game = get_game(args.game)
    check_integer("--people", args.people, 1, game.max_players)
    agents = opponents_of(args, args.people)
    first = "Person 1" if args.person is None else args.person
    people = [first, *(f"Person {i}" for i in range(2, args.people + 1))]
    return Table(game.name, seats_for(game.name, people, agents), args.variant, args.rule_options, seed=args.seed)
