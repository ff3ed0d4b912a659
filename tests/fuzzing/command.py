"""Targets of the command line and of what people type."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from functools import cache

from blackjacky_agents.cli import evaluate, play, score, tournament, watch
from blackjacky_agents.cli.errors import WrongInputError
from blackjacky_agents.cli.options import read_arguments
from blackjacky_agents.cli.terminal import Sitting, explain, find
from blackjacky_env.engine.options import Option, declared_options
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT, GAMES, get_game
from tests.fuzzing.target import INPUT_ERRORS, Target

_KINDS = {"evaluate": evaluate, "play": play, "score": score, "tournament": tournament, "watch": watch}


def _read(data: bytes) -> None:
    """A subcommand and its arguments, one a line, and the table that they ask for."""
    name, *arguments = data.decode(errors="surrogateescape").split("\n")
    kind = _KINDS.get(name, watch)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        args = read_arguments(kind.Args, [each for each in arguments if "\0" not in each], "blackjacky")
    TableEnv(args.game, None, args.variant, **args.rule_options)


def _argument(option: Option) -> str:
    """An option with its default."""
    name = option.name.replace("_", "-")
    if option.kind == "flag":
        return f"--{name}" if option.default else f"--no-{name}"
    values = option.default if option.kind == "subset" else [option.default]
    return "\n".join([f"--{name}", *map(str, values)])


def _command_lines() -> list[bytes]:
    made = []
    for game in GAMES:
        rules = [_argument(option) for option in declared_options(get_game(game).options)]
        made += ["\n".join(["play", "--game", game, *rules]), f"watch\n--game\n{game}\n--players\nrandom*3\n--seed\n5"]
    return [each.encode() for each in made]


@cache
def _sitting() -> Sitting:
    return Sitting(DEFAULT, ["random", "random"], seed=1)


def _type(data: bytes) -> None:
    sitting, text = _sitting(), data.decode(errors="replace").strip()
    explain(sitting, text, sitting.choices)
    find(text, sitting.choices, sitting)


def _typed() -> list[bytes]:
    return [text.encode() for text in [*map(str, range(1, 4)), *_sitting().choices.values()]]


TARGETS = (
    Target("command_line", "command lines", _read, (WrongInputError, SystemExit, *INPUT_ERRORS), _command_lines, 0.02),
    Target("typed", "what people type", _type, (ValueError,), _typed, 0.5),
)
