"""The tables of the games' READMEs, of docs/games.md, docs/your_game.md and docs/positions.md."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from blackjacky_agents.kit.narration import in_scene
from blackjacky_agents.reports import markdown_table, percent
from blackjacky_agents.wording import in_words, terminal_texts
from blackjacky_env import extending, make_batch
from blackjacky_env.declare import Game, describe_options
from blackjacky_env.declare.options import field_docs
from blackjacky_env.envs import GameModule
from blackjacky_env.games import DEFAULT, GAMES, get_game, module_name, seat_id
from blackjacky_env.replay import new_table
from scripts.pages.part import DOCS, Part, Row, code, table
from scripts.results import ROOMS, Result, load, made_by

MODES = ("ansi", "rgb_array", "human")
DECLARED: dict[str, tuple[str, ...] | type[Any]] = {
    "fields": ("role", "number", "flag", "by_seat", "own", "choice", "hidden"),
    "chance": ("stream", "draw", "start_seat", "below", "shuffle"),
    "action": extending.ActionInfo,
    "rules": extending.Rules,
    "game": extending.Game,
}
"""What docs/your_game.md lists, by part: functions of `blackjacky_env.extending`, or a class, for its fields."""


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
            yield Part(DOCS / "positions.md", f"positions-{name}", positions(found))


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
    """Random moves of a short game, and the beginning of the next: who decides, what is paid, what has been earned."""
    options: dict[str, Any] = {"hearts": 1, "max_turns_per_round": 4}
    reward, seats = get_game(DEFAULT).score_reward, 3
    batch = make_batch(DEFAULT, 1, seats, 5, reward=reward, per_seat=True, **options)
    rows, decided = [], set()
    for step in range(1, 16):
        seat = int(batch.current_player[0])
        decided.add(seat)
        batch.step(batch.random_actions())
        ended, following = bool(batch.terminated[0]), int(batch.current_player[0])
        earned = sorted(decided) if ended else [following] if following in decided else []
        paid, total = (array[0, :seats].astype(int).tolist() for array in (batch.rewards, batch.cumulative_rewards))
        told = ", ".join(f"seat {each}: {total[each]:+d}".replace("+0", "0") for each in earned)
        rows.append([step, seat, ", ".join(map(str, paid)), told, "yes" if ended else ""])
        decided = set() if ended else decided
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


def span(first: int, length: int) -> str:
    """The index range of a part of a vector."""
    return str(first) if length == 1 else f"{first} .. {first + length - 1}"


def shape(dimensions: Sequence[int]) -> str:
    """A shape as text, such as ``"3 x 8"``; empty for a scalar."""
    return " x ".join(map(str, dimensions))


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
    shown = ([span(ids[0], len(ids)), in_short([*map(names, ids)])] for _, ids in rows)
    return markdown_table(["action", "name"], shown)


def in_short(names: Sequence[str]) -> str:
    """All of up to three names; the first two and the last of more."""
    shown = names if len(names) <= 3 else [*names[:2], "...", names[-1]]
    return ", ".join(name if name == "..." else f"`{name}`" for name in shown)


def observation(game: Game) -> str:
    """The parts of the observation vector."""
    columns: dict[str, Callable[[Row], object]] = {
        "entries": lambda part: span(part["offset"], part["length"]),
        "name": lambda part: code(part["name"]),
        "shape": lambda part: shape(part["shape"]),
        "range": lambda part: f"{part['low']} .. {part['high']}",
        "meaning": lambda part: part["meaning"],
    }
    return table(game.layout.describe(), columns)


def state(game: Game) -> str:
    """The fields of the vector returned by `state()`."""
    rows, offset = [], 0
    for name in game.fields.on_table:
        dimensions = game.state_dtype[name].shape
        length = int(np.prod(dimensions))
        rows.append([span(offset, length), f"`{name}`", shape(dimensions)])
        offset += length
    return markdown_table(["entries", "field", "shape"], rows)


def options(game: Game) -> str:
    """The options of `env`, including the game's rule options."""
    sizes = game.sizes_in_words().replace("'", "`")
    rows = [
        ["`num_players`", str(game.default_players), sizes, "Players at the table."],
        ["`variant`", f'`"{game.variant_names[0]}"`', quoted(game.variant_names), "The variant."],
        ["`reward`", '`"win"`', quoted(("win", game.score_reward)), "What `rewards` pays, see below."],
        *([code(each["name"]), *allowed(each), each["help"]] for each in describe_options(game.options)),
        ["`render_mode`", "`None`", quoted(MODES), "Text, pixels or a window."],
        ["`render_as`", "`None`", "an agent, `None`", "Whose view is drawn; `None`: a spectator's."],
    ]
    return markdown_table(["option", "default", "allowed", "meaning"], rows)


def tables(game: Game) -> str:
    """The tables that have a name; empty if none has."""
    rows = []
    for name, each in game.tables.items():
        given = {"num_players": each.num_players, **each.options}
        rows.append([code(name), f"{each.about}.", ", ".join(f"`{option}={given[option]!r}`" for option in given)])
    return markdown_table(["name", "table", "stands for"], rows) if rows else ""


def allowed(option: dict[str, Any]) -> tuple[str, str]:
    """Default and allowed values of a rule option."""
    if option["kind"] == "choice":
        return code(json.dumps(option["default"])), quoted(option["choices"])
    return code(option["default"]), option["allowed"]


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


def positions(found: Result) -> str:
    """The positions of a game, and how their costs were measured."""
    shown = [position(number, each) for number, each in enumerate(found["rows"], 1)]
    return "\n\n".join([*shown, f"{found['settings']['samples']:,} sampled positions each: {made_by(found)}"])


def position(number: int, each: Row) -> str:
    """One position: the table in words, the best action, and what the others cost."""
    env = new_table(each["record"])
    env.replay(each["record"])
    texts = terminal_texts(env.game.name)
    player = env.possible_agents.index(env.agent_selection)
    names = ["you" if seat == player else f"player {seat}" for seat in range(env.num_players)]
    told = [in_words(word, texts, names) for word in in_scene(env.scene(env.agent_selection))]
    described = "\n".join(f"- {in_suits(line)}" for line in told if not line.endswith(": empty."))
    answers: list[str] = []
    for action, cost in zip(each["actions"], each["costs"], strict=True):
        by = ", ".join(code(name) for name, choice in each["chosen"].items() if choice == action)
        costs = f"costs {percent(cost['mean'])} ({100 * cost['low']:.1f} .. {100 * cost['high']:.1f})"
        answers.append(f"{code(env.action_name(action))} ({by}) {costs if answers else 'is best'}")
    return f"**{number}.**\n\n{described}\n\n{'; '.join(answers)}."


def in_suits(line: str) -> str:
    """A line that names the suit of consecutive cards once: ``"red 3, red 8"`` is ``"red 3, 8"``."""
    while (short := re.sub(r"\b([a-z]+) (\d+(?:, \d+)*), \1 (?=\d)", r"\1 \2, ", line)) != line:
        line = short
    return line
