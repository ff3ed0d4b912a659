"""The tables of the games' READMEs, of docs/games.md, docs/your_game.md and docs/positions.md, with its pictures."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import fill
from typing import Any

from blackjacky_agents.reports import markdown_table, percent
from blackjacky_env import extending, make_batch
from blackjacky_env.declare import Game, describe_options
from blackjacky_env.declare.options import field_docs
from blackjacky_env.envs import GameModule, TableEnv
from blackjacky_env.games import DEFAULT, GAMES, get_game, module_name, seat_id
from blackjacky_env.replay import new_table
from scripts.pages.part import DOCS, Part, Row, code
from scripts.results import ROOMS, Result, load, made_by

DECLARED: dict[str, tuple[str, ...] | type[Any]] = {
    "fields": ("role", "number", "flag", "by_seat", "own", "choice", "hidden"),
    "chance": ("stream", "draw", "start_seat", "below", "shuffle"),
    "action": extending.ActionInfo,
    "rules": extending.Rules,
    "game": extending.Game,
}
"""What docs/your_game.md lists, by part: functions of `blackjacky_env.extending`, or a class, for its fields."""
WIDTH = 128  # of a block of text


def parts() -> Iterator[Part]:
    """All tables of all games, and of what declares one."""
    for kind, listed in DECLARED.items():
        yield Part(DOCS / "your_game.md", kind, declaration(listed))
    yield Part(DOCS / "games.md", "games", games())
    yield Part(DOCS / "train.md", "rewards", rewards())
    for name, room in ROOMS.items():
        for kind, show in TABLES.items():
            if text := show(get_game(name)):
                yield Part(room / "README.md", kind, text)
        if found := load("positions", name):
            yield from positions(name, found)


def games() -> str:
    """All games in one table."""
    rows = []
    for name in ROOMS:
        game, room, version = get_game(name), f"../blackjacky_env/games/{name}", GAMES[name].version
        title = f"[![{game.title}]({room}/table.svg)]({room}/README.md)<br>[{game.title}]({room}/README.md)"
        sizes, seen = f"{game.min_players} .. {game.max_players}", f"{game.layout.size} {game.layout.dtype}"
        ids = f"`{module_name(name)}`<br>`blackjacky/{name}-v{version}`<br>`{seat_id(name)}`"
        rows.append([title, sizes, f"`Discrete({game.num_actions})`", seen, ids])
    heading = ["game", "players", "actions", "observation", "module, ids for PettingZoo and Gymnasium"]
    return markdown_table(heading, rows)


def rewards() -> str:
    """Random moves of a short game: who decides, what is paid, what has been earned."""
    options: dict[str, Any] = {"hearts": 1, "max_turns_per_round": 4}
    reward, seats = get_game(DEFAULT).score_reward, 3
    batch = make_batch(DEFAULT, 1, seats, 5, reward=reward, per_seat=True, **options)
    rows, decided = [], set()
    for step in range(1, 13):
        seat = int(batch.current_player[0])
        decided.add(seat)
        batch.step(batch.random_actions())
        ended, following = bool(batch.terminated[0]), int(batch.current_player[0])
        earned = sorted(decided) if ended else [following] if following in decided else []
        paid, total = (array[0, :seats].astype(int).tolist() for array in (batch.rewards, batch.cumulative_rewards))
        told = ", ".join(f"seat {each}: {total[each]:+d}".replace("+0", "0") for each in earned)
        rows.append([step, seat, ", ".join(map(str, paid)), told, "yes" if ended else ""])
    return markdown_table(["step", "decides", "`rewards`", "`cumulative_rewards` of who is next", "terminated"], rows)


def declaration(listed: tuple[str, ...] | type[Any]) -> str:
    """What each function or field, of `Game` each optional one, is, in the first sentence of its docstring."""
    if isinstance(listed, tuple):
        docs = {}
        for name in listed:
            function = getattr(extending, name)
            plain = getattr(function, "py_func", function)
            accepted = inspect.signature(plain).parameters.values()
            named = ", ".join(each.name for each in accepted if each.kind not in (each.KEYWORD_ONLY, each.VAR_KEYWORD))
            docs[f"{name}({named})"] = inspect.getdoc(plain) or ""
    else:
        docs, given = field_docs(listed), inspect.signature(listed).parameters
        if listed is extending.Game:
            docs = {name: docs[name] for name in docs if given[name].default is not inspect.Parameter.empty}
    return "\n".join(f"- `{name}`: {first_sentence(docs[name])}" for name in docs)


def first_sentence(text: str) -> str:
    """The first sentence of a docstring, as Markdown for a table."""
    sentence = re.split(r"(?<=[^.]\.)\s", text.partition("\n\n")[0].replace("\n", " "))[0]
    return sentence.replace("``", "`").replace("|", r"\|")


def entries(first: int, shape: Sequence[int]) -> str:
    """The place of a part of a vector, as a slice, and its shape if it has more than one dimension."""
    place = f"{first}:{first + math.prod(shape)}" if shape else str(first)
    return f"{place} ({' x '.join(map(str, shape))})" if len(shape) > 1 else place


def actions(game: Game) -> str:
    """All actions, with consecutive actions of one kind in one row."""
    module = GameModule(game.name)
    rows: list[tuple[object, list[int]]] = []
    for action in range(game.num_actions):
        told = module.describe_action(action)
        kind = told["kind"], told["pile"], told["card"] is None, len(told["seats"] or ()), told["number"] is None
        if rows and rows[-1][0] == kind:
            rows[-1][1].append(action)
        else:
            rows.append((kind, [action]))
    names = game.words.actions.name
    return aligned([to(map(str, ids)), to(map(names, ids))] for _, ids in rows)


def aligned(rows: Iterable[Sequence[str]]) -> str:
    """Rows as a block of text, with columns below each other; the last is wrapped."""
    *columns, _ = zip(*(listed := list(rows)), strict=True)
    widths = [2 + max(map(len, column)) for column in columns]
    lines = [
        fill("".join(map(str.ljust, row, widths)) + row[-1], WIDTH, subsequent_indent=" " * sum(widths))
        for row in listed
    ]
    return "\n".join(["```text", *lines, "```"])


def to(names: Iterable[str]) -> str:
    """The first and the last, or the only one."""
    first, *others = names
    return " .. ".join([first, *others[-1:]])


def observation(game: Game) -> str:
    """The parts of the observation vector; options, of which a table tells more, in one row."""
    rows = []
    for is_option, group in groupby(game.layout.describe(), lambda part: part["meaning"].startswith("option:")):
        parts = list(group)
        if is_option:
            place = entries(parts[0]["offset"], [sum(part["length"] for part in parts)])
            rows.append([place, "options", ", ".join(part["name"] for part in parts)])
        else:
            rows += [[entries(part["offset"], part["shape"]), part["name"], part["meaning"]] for part in parts]
    return aligned(rows)


def state(game: Game) -> str:
    """The fields of the vector returned by `state()`, and where each is."""
    told, offset = [], 0
    for name in game.fields.on_table:
        shape = game.state_dtype[name].shape
        told.append(f"{code(name)} {entries(offset, shape)}")
        offset += math.prod(shape)
    return f"{', '.join(told)}."


def options(game: Game) -> str:
    """The options of `env` that depend on the game."""
    sizes, variants = game.sizes_in_words().replace("'", "`"), game.variant_names
    rows = [
        ["`num_players`", str(game.default_players), sizes, "Players at the table."],
        *([["`variant`", f'`"{variants[0]}"`', quoted(variants), "The variant."]] if len(variants) > 1 else []),
        ["`reward`", '`"win"`', quoted(("win", game.score_reward)), "What `rewards` pays, see below."],
        *([code(each["name"]), *allowed(each), each["help"]] for each in describe_options(game.options)),
    ]
    return markdown_table(["option", "default", "allowed", "meaning"], rows)


def tables(game: Game) -> str:
    """The tables that have a name; empty if none has."""
    rows = []
    for name, each in game.tables.items():
        given = {"num_players": each.num_players, **each.options}
        rows.append(f"- {code(name)}: {', '.join(code(f'{option}={given[option]!r}') for option in given)}")
    return "\n".join(rows)


def allowed(option: dict[str, Any]) -> tuple[str, str]:
    """Default and allowed values of a rule option."""
    if option["kind"] == "choice":
        return code(json.dumps(option["default"])), quoted(option["choices"])
    return code(option["default"]), "" if option["kind"] == "flag" else option["allowed"]


def quoted(values: Sequence[str]) -> str:
    """The values as Python literals."""
    return ", ".join(f'`"{value}"`' for value in values)


TABLES: dict[str, Callable[[Game], str]] = {
    "options": options,
    "tables": tables,
    "actions": actions,
    "observation": observation,
    "state": state,
}


def positions(name: str, found: Result) -> Iterator[Part]:
    """The positions of a game with their pictures, and how their costs were measured."""
    shown = []
    for number, each in enumerate(found["rows"], 1):
        env = new_table(each["record"])
        env.replay(each["record"])
        picture = DOCS / "positions" / f"{name}-{number}.svg"
        yield Part(picture, "", env.draw(env.agent_selection))
        link = f"![Position {number}, seen by {env.agent_selection}](positions/{picture.name})"
        shown.append(f"**{number}.**\n\n{link}\n\n{choices(env, each)}")
    shown.append(f"{found['settings']['samples']:,} sampled positions each: {made_by(found)}")
    yield Part(DOCS / "positions.md", f"positions-{name}", "\n\n".join(shown))


def choices(env: TableEnv, each: Row) -> str:
    """The best action in a position, what the others cost, and who chooses them."""
    answers: list[str] = []
    for action, cost in zip(each["actions"], each["costs"], strict=True):
        by = ", ".join(code(name) for name, choice in each["chosen"].items() if choice == action)
        costs = f"costs {percent(cost['mean'])} ({100 * cost['low']:.1f} .. {100 * cost['high']:.1f})"
        answers.append(f"{code(env.action_name(action))}{f' ({by})' if by else ''} {costs if answers else 'is best'}")
    return f"{'; '.join(answers)}."
