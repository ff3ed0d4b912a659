"""Figures of the short pages, taken from the generated parts of the long ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from make_results import rate, shipped_cards
from parts import DOCS, RESULTS, ROOMS, ROOT, Part

from blackjacky_agents import bot_names
from blackjacky_agents.reports import markdown_table
from blackjacky_env.games import DEFAULT, get_game

TESTS = ROOT / "tests" / "games"
LOOP = "loop: `black_jacky_v0.env()`"
RANDOM_PLAY = "`run_random`: 4,096 games, 4 players, 1 thread"
RANDOM_TRICKS = "`run_random` of `black_spy`: 4,096 games, 4 players, 1 thread"
SMALLEST = {
    "Pgx, compiled play of 4,096 games": "Pgx `leduc_holdem`, 4,096 games, one core",
    "OpenSpiel, C++ called from Python": "OpenSpiel `leduc_poker`, one core",
    "RLCard, Python": "RLCard `leduc-holdem`, one core",
    "PettingZoo, Python": "PettingZoo `leduc_holdem-v4`, one core",
}
SIMILAR = {
    "Pgx, sparrow mahjong": "Pgx `sparrow_mahjong`, 4,096 games, one core",
    "OpenSpiel, Hearts": "OpenSpiel `hearts`, one core",
    "RLCard, UNO": "RLCard `uno`, one core",
    "PettingZoo, Texas hold'em": "PettingZoo `texas_holdem-v4`, one core",
}
"""Lines of docs/speed.md by what the README calls them: Leduc poker, and each library's game that is most like ours."""
LOOPS = {
    "Connect Four": "loop: `classic/connect_four-v3`",
    "Leduc poker": "loop: `classic/leduc_holdem-v4`",
}
"""PettingZoo's own games in the same loop as ours."""


def parts() -> Iterator[Part]:
    """The README's reasons and results, how long the first compile takes, and the last results of all proofs."""
    yield Part(ROOT / "README.md", "begin", first_commands())
    yield Part(ROOT / "README.md", "reasons", reasons())
    yield Part(ROOT / "README.md", "results", champions())
    yield Part(ROOT / "README.md", "compile", compile_time())
    yield Part(DOCS / "install.md", "compile", compile_times())
    yield Part(DOCS / "proof.md", "proofs", proofs())


def part_of(page: Path, name: str) -> str:
    """The generated part of a page; `ValueError` if there is none."""
    text = page.read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name}:begin -->\n(.*?)<!-- {name}:end -->", text, re.DOTALL)
    if found is None:
        raise ValueError(f"{page}: the document lacks the part {name}")
    return found[1]


def speeds() -> dict[str, float]:
    """The medians of docs/speed.md, by name of the line."""
    rows = re.findall(r"^\| ([^|]+) \| ([\d.,]+) \|", part_of(DOCS / "speed.md", "benchmark"), re.MULTILINE)
    return {name: float(median.replace(",", "")) for name, median in rows}


# ---------------------------------------------------------------- the README


def first_commands() -> str:
    """The two commands that do everything, with how long they take."""
    trained = first_minutes()["end of `make train`"]
    tested = found_in(r"`make test` takes ([\w ]+) once", part_of(DOCS / "install.md", "minutes"))[1]
    lines = [
        f"make train   # installs what it needs, trains a network for five minutes and tests it: {trained} in all",
        f"make test    # installs what the tests need and runs all of them in {tested}",
    ]
    return "```\n" + "\n".join(lines) + "\n```"


def reasons() -> str:
    """Speed beside that of other libraries, each with how it was called, and what the proofs found."""
    speed = speeds()
    smallest, similar, loops = (
        ", ".join(f"{rounded(speed[line])} ({name})" for name, line in peers.items())
        for peers in (SMALLEST, SIMILAR, LOOPS)
    )
    actions = sum(proof(game).actions for game in ROOMS)
    positions = sum(proof(game).positions for game in ROOMS)
    rows = [
        [
            "Random steps per second, one core, the fastest way that each offers",
            f"{rounded(speed[RANDOM_PLAY])} (Black Jacky: compiled play of 4,096 games)",
            f"Leduc poker: {smallest}",
        ],
        ["The same in similar games, each played as above", f"{rounded(speed[RANDOM_TRICKS])} (Black Spy)", similar],
        ["Moves per second in PettingZoo's loop in Python", f"{rounded(speed[LOOP])} (Black Jacky)", loops],
    ]
    found = (
        f"In {rounded(actions)} random actions the games never differed from an independent version of their rules, "
        f"and in {rounded(positions)} positions no observation gave away a hidden card ([proof](docs/proof.md))."
    )
    return f"{markdown_table(['', 'Blackjacky', 'others'], rows)}\n\n{found}"


def rounded(value: float) -> str:
    """About two or three digits, such as ``"16.1 million"`` or ``"58,000"``."""
    if value >= 1e6:
        return f"{value / 1e6:.1f} million"
    return f"{round(value, -3 if value >= 1e4 else -2):,.0f}"


def champions() -> str:
    """The shipped champion of each game against `random` and the strongest bot, at the game's usual table size."""
    rows, better = [], []
    for game, cards in shipped_cards().items():
        card = {path.stem: card for path, card in cards.items()}.get("champion")
        if card is None:
            continue
        size, strongest = get_game(game).default_players, bot_names(game)[-1]
        cells = {row["opponents"]: row for row in card["results"] if row["players"] == size}
        bots = [rate(cells["random"]), f"{rate(cells[strongest])} `{strongest}`"]
        alone = bot_among_champions(game, strongest, size)
        rows.append([get_game(game).title, f"{100 / size:.0f} %", *bots, rate(alone)])
        if alone["low"] > 1 / size:
            better.append(f"In {get_game(game).title} a single `{strongest}` among champions wins above par.")
    heading = ["game", "par", "against `random`", "against the strongest bot", "that bot alone among champions"]
    return "\n\n".join([markdown_table(heading, rows), *better])


def bot_among_champions(game: str, bot: str, size: int) -> dict[str, float]:
    """The win rate of one bot at a table of champions, from the ladder."""
    ladder = json.loads((RESULTS / game / "ladder.json").read_text(encoding="utf-8"))
    (table,) = (table for table in ladder["tables"] if table["num_players"] == size)
    lineup = sorted([bot, *["champion"] * (size - 1)])
    (found,) = (each["win_rates"][bot] for each in table["lineups"] if sorted(each["agents"]) == lineup)
    return {"win_rate": found["mean"], "low": found["low"], "high": found["high"]}


def compile_time() -> str:
    """How long a user waits for the compiler before the first move of a game with bots, after installing."""
    took = first_minutes()
    waits = seconds_of(took["first move in the browser (`blackjacky play --web`)"])
    installed = seconds_of(took["packages installed (`make install`)"])
    return (
        "Games and bots are compiled on first use: after installation, the first move of a game in the browser takes "
        f"{waits - installed} seconds ([details](docs/install.md#the-first-compile))."
    )


def first_minutes() -> dict[str, str]:
    """The table of a newcomer's first minutes in docs/install.md."""
    return dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", part_of(DOCS / "install.md", "minutes"), re.MULTILINE))


def seconds_of(text: str) -> int:
    """The seconds of a time span such as ``"3 min 05 s"``."""
    minutes, seconds = re.fullmatch(r"(?:(\d+) min )?(\d+) s", text).groups("0")  # type: ignore[union-attr]  # as written
    return 60 * int(minutes) + int(seconds)


# ---------------------------------------------------------------- other pages


def compile_times() -> str:
    """Seconds from `import` to the first events of each game, before and after compiling."""
    events = [(event, cache) for event in ("observation", "move made") for cache in ("an empty", "a warm")]
    rows = [[get_game(game).title, *(f"{start(game, *event):.1f} s" for event in events)] for game in ROOMS]
    compiled = "the same, compiled"
    heading = ["from `import` to", "first observation", compiled, "first move", compiled]
    return markdown_table(heading, rows)


def start(game: str, event: str, cache: str) -> float:
    """Seconds from `import` to the first ``event`` of the game with such a compile cache."""
    of_game = "" if game == DEFAULT else f" of `{game}`"
    return speeds()[f"start{of_game} with {cache} compile cache: `import` to first {event}"]


class Proof(NamedTuple):
    """The last results of a game's proofs."""

    actions: int
    """Actions compared with the reference implementation, without a difference."""
    mutants: int
    """Small changes of the rules."""
    noticed: int
    """Mutants that a test has detected."""
    positions: int
    """Positions in which everything hidden was changed, without a leak."""


def proof(game: str) -> Proof:
    """The last results of a game's proofs; `ValueError` if one of its pages reports no success."""
    page = TESTS / game / "README.md"
    [actions] = numbers(r"No difference in ([\d,]+) actions", part_of(TESTS / game / "reference" / "README.md", "fuzz"))
    mutants, survivors = numbers(
        r"([\d,]+)(?: of [\d,]+)? mutants; of ([\d,]+) survivors 0 are unexplained", part_of(page, "mutants")
    )
    [positions] = numbers(r"^0 leaks in ([\d,]+) positions", part_of(page, "leaks"))
    return Proof(actions, mutants, mutants - survivors, positions)


def numbers(pattern: str, text: str) -> list[int]:
    """The numbers in the text that the groups of the pattern match; `ValueError` if it is not found."""
    return [int(number.replace(",", "")) for number in found_in(pattern, text).groups()]


def found_in(pattern: str, text: str) -> re.Match[str]:
    """Where the pattern matches; `ValueError` if it does not."""
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise ValueError(f"{pattern!r} is not found in:\n{text}")
    return found


def proofs() -> str:
    """A table of the last results of all proofs."""
    rows = []
    for game in ROOMS:
        found, tests = proof(game), f"../tests/games/{game}"
        rows.append(
            [
                get_game(game).title,
                f"[{found.actions:,}]({tests}/reference/README.md#the-long-run)",
                f"[{found.noticed:,} of {found.mutants:,}]({tests}/README.md#mutation-testing)",
                f"[{found.positions:,}]({tests}/README.md#nothing-hidden-is-shown)",
            ]
        )
    heading = ["game", "actions without a difference", "small changes noticed", "positions without a leak"]
    return markdown_table(heading, rows)
