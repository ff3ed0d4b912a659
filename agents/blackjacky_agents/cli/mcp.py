"""``blackjacky mcp``: an MCP server with which assistants (language models) play."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from blackjacky_agents.cli.arguments import GameArgs, R, read_arguments
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.language.mcp_server import Usual, serve_on_pipes
from blackjacky_agents.storage.files import only_writer
from blackjacky_agents.web.server import Server
from blackjacky_env.games import get_game


@dataclass(frozen=True, kw_only=True)
class Args(GameArgs[R]):
    """Serve an assistant that starts this command, on standard input and output (Model Context Protocol).

    The assistant's program needs no more than this command; it asks for tools and gets those that start a table against
    agents, show a seat what it may know, and act. Game, table, variant and rule options are those of tables for
    which the assistant asks for no others. Several assistants, and people in the browser, share the tables of
    `blackjacky play --web --mcp`.

    $ blackjacky mcp
    $ blackjacky mcp --folder runs/assistants
    """

    folder: Path | None = None
    """Folder in which tables are saved and found again; by default they end with the command."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    with ExitStack() as held:
        with checking_input():
            game = get_game(args.game)
            game.check_options(*game.choose_table(args.table_players, args.variant), args.rule_options)
            if args.folder is not None:
                held.enter_context(only_writer(args.folder))
            server = Server(args.folder, delay=0)
        usual = Usual(game.name, args.table_players, args.variant, args.rule_options)
        asyncio.run(serve_on_pipes(server, usual))
    return 0
