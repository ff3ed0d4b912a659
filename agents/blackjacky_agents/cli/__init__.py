"""The command ``blackjacky``: train, evaluate and exploit agents, play, watch and store games.

Each subcommand is a module of this package that is imported only when called, so that ``blackjacky play`` runs without
torch; this one imports nothing slow, so that Ctrl-C is handled from the first moment. If a required package is missing,
the error names the extra that installs it.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import NamedTuple

from blackjacky_agents.cli.errors import FULL, WrongInputError, raising_interrupts, reason
from blackjacky_agents.starting import INTERRUPTED

WRONG_INPUT, NOT_READ = 2, 141  # exit statuses; the last as shells have it
_MOST_SAID = 4000  # characters of an error, which may quote an input file


class Subcommand(NamedTuple):
    """Summary and requirements of a subcommand, available without importing it."""

    summary: str
    extra: str = "cli"
    """The extra of this distribution that installs `needs`."""
    needs: tuple[str, ...] = ()
    """Required modules beyond the distribution's own dependencies, tyro and tqdm."""


_TRAINING = ("torch", "sb3_contrib", "matplotlib")
SUBCOMMANDS = {
    "train": Subcommand("Train an agent by self-play and against bots.", "train", _TRAINING),
    "evaluate": Subcommand("Evaluate agents at one table: win rates with confidence intervals."),
    "score": Subcommand("Score an agent at fixed tables: 0 is random, 100 the strongest bot.", "cli", ("pydantic",)),
    "tournament": Subcommand("Run a tournament: win rates, ratings, pairwise results."),
    "dataset": Subcommand("Write games between agents as a dataset for offline learning.", "data", ("pyarrow",)),
    "exploit": Subcommand("Train a best response to an agent: how exploitable it is at least.", "train", _TRAINING),
    "solve": Subcommand("Solve a small table: exact values, and an equilibrium that plays as an agent."),
    "benchmark": Subcommand("Measure exactly what an algorithm learns at a small table, by decisions."),
    "forecast": Subcommand("Score an agent's forecasts of who wins."),
    "play": Subcommand("Play against agents, in the terminal or in the browser."),
    "mcp": Subcommand("Seat assistants (language models) at tables, by the Model Context Protocol.", "mcp", ("mcp",)),
    "watch": Subcommand("Watch a game between agents, as an HTML page or in the terminal."),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``blackjacky ARGUMENTS``, by default those of this process; returns the exit status as `run`."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in SUBCOMMANDS:
        return run(name, rest)
    return ended(lambda: tell(name))


def tell(name: str) -> int:
    """Print what ``blackjacky --help`` or ``--version`` say; returns 0, or raises `WrongInputError`."""
    if name in ("-h", "--help"):
        print(usage())
    elif name == "--version":
        from importlib.metadata import version

        print(f"blackjacky {version('blackjacky')}")
    else:
        import difflib

        near = difflib.get_close_matches(name, SUBCOMMANDS, n=2)
        known = f"; subcommands are {', '.join(SUBCOMMANDS)}"
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else known
        raise WrongInputError(f"unknown subcommand {name!r}{hint}")
    return 0


def run(name: str, arguments: Sequence[str], program: str = "") -> int:
    """Run one subcommand.

    Returns the exit status: 0 done, 2 wrong input or a full disk, 130 interrupted, 141 if nobody reads its output.

    Args:
        name: name of the subcommand.
        arguments: command line after the name.
        program: program name shown in the help and stored with results; by default ``blackjacky NAME``.
    """
    return ended(lambda: _run(name, list(arguments), program or f"blackjacky {name}"))


def _run(name: str, arguments: list[str], program: str) -> int:
    for module in ("tyro", "tqdm", *SUBCOMMANDS[name].needs):
        if find_spec(module) is None:
            from blackjacky_agents.reports import install

            raise WrongInputError(f"{program} needs {module}: {install(SUBCOMMANDS[name].extra)}")
    if name in ("mcp", "play") or (name == "watch" and not any(each.startswith("--output") for each in arguments)):
        from blackjacky_agents.aside import play_in_plain_python

        play_in_plain_python()
    subcommand = importlib.import_module(f"blackjacky_agents.cli.{name}")
    from blackjacky_agents.cli.arguments import compiling_shown

    with raising_interrupts(), compiling_shown():
        status: int = subcommand.main(arguments, program)
    return status


def ended(command: Callable[[], int]) -> int:
    """The exit status of a command; what ends it early is told in a line, wherever that is possible."""
    try:
        try:
            return command()
        finally:
            sys.stdout.flush()  # here, where an error can be reported
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return NOT_READ
    except ModuleNotFoundError as error:
        return refuse(_missing(error))
    except OSError as error:
        if error.errno not in FULL and error.filename is None:
            raise
        kept = "; what has been written is kept: free some space and repeat the command"
        return refuse(f"{reason(error)}{kept if error.errno in FULL else ''}")
    except _input_errors() as error:
        return refuse("; ".join([str(error), *getattr(error, "__notes__", [])]))
    finally:
        drop_unwritten()


def _input_errors() -> tuple[type[Exception], ...]:
    """Errors that users can mend, imported when there is one, since that takes long."""
    from blackjacky_agents.agent import AgentError
    from blackjacky_agents.arena.cluster import ClusterError
    from blackjacky_agents.storage.files import FolderInUseError
    from blackjacky_env.declare import IllegalActionError

    return WrongInputError, FolderInUseError, ClusterError, IllegalActionError, AgentError


def _missing(error: ModuleNotFoundError) -> str:
    """Which file imports a module that is not installed; another error is raised as it is."""
    module = (error.name or "").partition(".")[0]
    if not module or module in ("blackjacky_env", "blackjacky_agents") or find_spec(module) is not None:
        raise error
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__) if frame.filename[:1] != "<"]
    return f"{files[-1]} needs {module}, which is not installed"


def usage() -> str:
    """The text of ``blackjacky --help``."""
    width = max(map(len, SUBCOMMANDS))
    lines = "\n".join(f"  {name:{width}}  {subcommand.summary}" for name, subcommand in SUBCOMMANDS.items())
    return (
        "usage: blackjacky SUBCOMMAND [OPTIONS]\n\n"
        f"Card games as environments for reinforcement learning: train agents, rate them, play against them.\n\n{lines}"
        "\n\n`blackjacky SUBCOMMAND --help` lists the options of a subcommand, `blackjacky --version` the version."
    )


def drop_unwritten() -> None:
    """Print what is waiting to be printed; what cannot be must not raise another error when Python ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def refuse(message: str) -> int:
    """Print an input error, without control characters that an input file may hold; returns the exit status."""
    from blackjacky_env.draw import printable

    shown = message if len(message) <= _MOST_SAID else f"{message[:_MOST_SAID]} ..."
    print("error: " + "\n".join(map(printable, shown.split("\n"))), file=sys.stderr)
    return WRONG_INPUT
