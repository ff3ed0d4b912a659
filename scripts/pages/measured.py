"""Results that are shown as they are, and the figures of the short pages."""

from __future__ import annotations

import ast
import os
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

from blackjacky_agents.reports import duration, markdown_table, percent
from blackjacky_env.games import DEFAULT, get_game
from scripts.pages.part import DOCS, MISSING, Part, Row, plain_tables, shown
from scripts.results import LIST, RESULTS, ROOMS, ROOT, Result, aged, load, made_by, minutes_of, path_of

PARTS = {
    "attacks": ("docs/proof.md", "torture"),
    "coverage": ("docs/tournaments.md", "coverage"),
    "offline_rl": ("docs/datasets.md", "offline-rl"),
    "first_table": ("docs/install.md", "table"),
}
"""Page and part of each result that is shown as it is."""
OF_GAMES = {
    "fuzz": ("tests/games/{game}/reference/README.md", "fuzz"),
    "mutants": ("tests/games/{game}/README.md", "mutants"),
    "leaks": ("tests/games/{game}/README.md", "leaks"),
}
"""Page and part of each proof of every game."""
COUNTED = {"fuzz": "Rare cases", "mutants": "Noticed by", "leaks": "Positions by phase, and rare ones"}
"""What the rows of proofs count."""

FRAMEWORKS = {
    "sb3": ("sb3-contrib", "sb3_maskable_ppo.py"),
    "sb3_selfplay": ("sb3-contrib, self-play", "sb3_selfplay.py"),
    "rllib": ("RLlib", "rllib_selfplay.py"),
    "torchrl": ("TorchRL", "torchrl_ppo.py"),
    "tianshou": ("Tianshou", "tianshou_dqn.py"),
    "supersuit": ("SuperSuit", "supersuit_sb3.py"),
    "agilerl": ("AgileRL", "agilerl_ppo.py"),
    "openspiel": ("OpenSpiel", "openspiel_dqn.py"),
}
"""Title and example of each framework, by name of its learning curve."""

LOOP = "loop: `black_jacky_v0.env()`"
RANDOM_TRICKS = "`run_random` of `black_spy`: 4,096 games, 4 players, 1 thread"
OUR_LEDUC = "Blackjacky `leduc_poker`, 1,024 games, one core"
LEDUC = {
    "Pgx, compiled play of 1,024 games with its `auto_reset`": "Pgx `leduc_holdem`, 1,024 games, one core",
    "OpenSpiel, C++ called from Python": "OpenSpiel `leduc_poker`, one core",
    "RLCard, Python": "RLCard `leduc-holdem`, one core",
    "PettingZoo, Python": "PettingZoo `leduc_holdem-v4`, one core",
}
SIMILAR = {
    "Pgx, sparrow mahjong": "Pgx `sparrow_mahjong`, 1,024 games, one core",
    "OpenSpiel, Hearts": "OpenSpiel `hearts`, one core",
    "RLCard, UNO": "RLCard `uno`, one core",
    "PettingZoo, Texas hold'em": "PettingZoo `texas_holdem-v4`, one core",
}
"""Lines of results/speed.json by what the README calls them: Leduc poker, and each library's game most like ours."""
LOOPS = {"Connect Four": "loop: `classic/connect_four-v3`", "Leduc poker": "loop: `classic/leduc_holdem-v4`"}
"""PettingZoo's own games in the same loop as ours."""
SHOWN = (
    LOOP,
    *(f"loop: `{game}_v0.env()`" for game in ROOMS if game != DEFAULT),
    *LOOPS.values(),
    "`run_random`: 1 game, 4 players, 1 thread",
    "`run_random`: 4,096 games, 4 players, 1 thread",
    "`run_random`: 4,096 games, 4 players, 2 threads",
    *(f"`run_random` of `{game}`: 4,096 games, 4 players, 1 thread" for game in ROOMS if game != DEFAULT),
    "`step` from Python: 4,096 games, 4 players, 2 threads",
    "one seat through Gymnasium",
    "one seat in 1,024 games through Gymnasium, 1 thread",
    "playouts of 4 `counter`",
    "one decision of `counter` through `act`",
    "memory of a game in a batch",
    OUR_LEDUC,
    *LEDUC.values(),
    *SIMILAR.values(),
)
"""The lines that docs/speed.md shows."""


def parts() -> Iterator[Part]:
    """Everything that is shown as it is, and the figures of README, installation, proof and others."""
    yield from (Part(ROOT / page, name, as_it_is(kind)) for kind, (page, name) in PARTS.items())
    for game in ROOMS:
        for kind, (page, name) in OF_GAMES.items():
            path = ROOT / page.format(game=game)
            yield Part(path, name, counted(kind, game, path))
    yield Part(DOCS / "speed.md", "benchmark", benchmark())
    yield Part(ROOT / "tests" / "README.md", "times", times())
    yield Part(ROOT / "README.md", "reasons", reasons())
    yield Part(ROOT / "README.md", "compile", first_move())
    yield Part(DOCS / "install.md", "compile", starts())
    yield Part(DOCS / "proof.md", "proofs", proofs())
    yield Part(DOCS / "train.md", "ppo_batch", ppo_batch())
    yield Part(DOCS / "frameworks.md", "frameworks", frameworks())
    yield Part(ROOT / "CONTRIBUTING.md", "matrix", matrix())
    yield Part(RESULTS / "README.md", "minutes", minutes())


def minutes() -> str:
    """How long each result took last, all games together."""
    told = []
    for kind, entry in tomllib.loads(LIST.read_text("utf-8")).items():
        took = [minutes_of(kind, game) for game in entry.get("games", [None])]
        known = [each for each in took if each is not None]
        told.append(f"`{kind}` {duration(60 * sum(known)) if len(known) == len(took) else 'not known yet'}")
    return f"{', '.join(told)}."


def needed(kind: str, game: str | None = None) -> Result:
    """A result that a page cannot do without; `ValueError` if there is none."""
    result = load(kind, game)
    if result is None:
        raise ValueError(f"results lack {kind}{f' of {game}' if game else ''}")
    return result


def as_it_is(kind: str) -> str:
    """The tables of a result, its facts, and how it was made."""
    result = load(kind)
    if result is None:
        return MISSING
    return f"{plain_tables(result['rows'])}\n\n{what(result)}\n\n{made_by(result)}"


def what(result: Result) -> str:
    """What the rows are, and the facts that all have in common."""
    facts = ", ".join(f"{name} {shown(name, value)}" for name, value in result.get("settings", {}).items())
    return f"{result['what']} In all: {facts}." if facts else result["what"]


def counted(kind: str, game: str, page: Path) -> str:
    """What a proof has met, added up, and where all its counts are."""
    result, counts = load(kind, game), Counter[str]()
    if result is None:
        return MISSING
    for row in result["rows"]:
        if kind == "leaks":
            counts.update({name: row[name] for name in row if name not in {"table", *result["settings"]}})
        elif next(iter(row)).startswith(("rare case", "killed by")):
            name, number = row.values()
            counts[name] += number
    told = ", ".join(f"{name} {number:,}" for name, number in counts.items())
    path = os.path.relpath(path_of(kind, game), page.parent)
    return f"{what(result)} {COUNTED[kind]}: {told}. [All counts]({path}).\n\n{made_by(result)}"


def benchmark() -> str:
    """The lines of the benchmark that are shown."""
    result = needed("speed")
    found = {row["what"]: row for row in result["rows"]}
    rows = []
    for row in (found[line] for line in SHOWN if line in found):
        median, lowest, highest = (f"{row[each]:,.10g}" for each in ("median", "lowest", "highest"))
        rows.append([row["what"], f"**{median}** ({lowest} .. {highest})", row["unit"]])
    table = markdown_table(["what", "median (lowest .. highest)", "unit"], rows)
    return f"{table}\n\n{result['what']} {made_by(result)}"


def speeds() -> dict[str, float]:
    """The medians of the benchmark, by name of the line."""
    return {row["what"]: row["median"] for row in needed("speed")["rows"]}


def reasons() -> str:
    """Speed beside that of other libraries, each with how it was called, and what the proofs found."""
    speed = speeds()
    smallest, similar, loops = (
        ", ".join(f"{rounded(speed[line])} ({name})" for name, line in peers.items() if line in speed)
        for peers in (LEDUC, SIMILAR, LOOPS)
    )
    rows = [
        [
            "Random steps per second in similar games, each called as in Leduc poker, one core",
            f"{rounded(speed[RANDOM_TRICKS])} (Black Spy, compiled play of 4,096 games)",
            similar,
        ],
        ["Moves per second in PettingZoo's loop in Python", f"{rounded(speed[LOOP])} (Black Jacky)", loops],
    ]
    if OUR_LEDUC in speed:
        fastest = "Random steps per second in Leduc poker, called as in brackets, one core"
        rows.insert(0, [fastest, f"{rounded(speed[OUR_LEDUC])} (compiled play of 1,024 games)", smallest])
    actions, positions = (sum(proof(game)[each] for game in ROOMS) for each in ("actions", "positions"))
    found = (
        f"In {rounded(actions)} actions, random or steered to rare cases, the games never differed from an independent "
        "version of their rules, "
        f"and in {rounded(positions)} positions no observation gave away a hidden card ([proof](docs/proof.md))."
    )
    old = [bool(aged(needed(kind, game))) for game in ROOMS for kind in ("fuzz", "leaks")]
    if any(old):
        found += f" {'All' if all(old) else 'A part'} of that is of earlier rules or samples."
    return f"{markdown_table(['', 'Blackjacky', 'others'], rows)}\n\n{found}"


def rounded(value: float) -> str:
    """About two or three digits, such as ``"16.1 million"`` or ``"58,000"``."""
    if value >= 1e6:
        return f"{value / 1e6:.1f} million"
    return f"{round(value, -3 if value >= 1e4 else -2):,.0f}"


def times() -> str:
    """How long the tests take."""
    told = []
    for row in (result := needed("tests"))["rows"]:
        outcome = f"{row['tests']:,} tests, {row['skipped']} skipped, {row['failures']} failed"
        told.append(f"{row['run']} {row['minutes']:g} minutes ({outcome})")
    return f"On two processes: {'; '.join(told)}.\n\n{made_by(result)}"


def first_move() -> str:
    """How long people wait for a table in the browser."""
    waited = {float(row["first picture"].partition(" s")[0]) for row in needed("first_table")["rows"]}
    seconds = " to ".join(map(str, sorted({min(waited), max(waited)})))
    return (
        "Games and bots are compiled when they are used much. A table in the browser needs none of it: its first "
        f"picture is there {seconds} seconds after the command ([details](docs/install.md#the-first-compile))."
    )


def starts() -> str:
    """Seconds from `import` to the first events of each game, before and after compiling."""
    speed, rows = speeds(), []
    for game in ROOMS:
        start = "start" if game == DEFAULT else f"start of `{game}`"
        cells = [
            f"{speed[f'{start} with {cache} compile cache: `import` to first {event}']:.1f} s"
            for event in ("observation", "move made")
            for cache in ("an empty", "a warm")
        ]
        rows.append([get_game(game).title, *cells])
    compiled = "the same, compiled"
    return markdown_table(["from `import` to", "first observation", compiled, "first move", compiled], rows)


def proof(game: str) -> dict[str, int]:
    """The last results of a game's proofs; `ValueError` if one of them did not succeed."""
    fuzz, mutants, leaks = (needed(kind, game)["settings"] for kind in OF_GAMES)
    if fuzz["differences"] or mutants["unexplained"] or leaks["leaks"]:
        raise ValueError(f"a proof of {game} has failed: {fuzz}, {mutants}, {leaks}")
    noticed = mutants["mutants"] - mutants["survivors"]
    counts = {"mutants": mutants["mutants"], "of": mutants["all"], "noticed": noticed}
    return {**counts, "actions": fuzz["actions"], "positions": leaks["positions"]}


def proofs() -> str:
    """A table of the last results of all proofs."""
    rows = []
    for game in ROOMS:
        found, tests = proof(game), f"../tests/games/{game}"
        of = {kind: aged(needed(kind, game)) for kind in OF_GAMES}
        actions = f"[{found['actions']:,}]({tests}/reference/README.md#the-long-run){of['fuzz']}"
        noticed = f"[{found['noticed']:,} of {found['mutants']:,}]({tests}/README.md#mutation-testing)"
        noticed += f", sampled from {found['of']:,}" * (found["of"] > found["mutants"]) + of["mutants"]
        positions = f"[{found['positions']:,}]({tests}/README.md#nothing-hidden-is-shown){of['leaks']}"
        rows.append([get_game(game).title, actions, noticed, positions])
    heading = ["game", "actions without a difference", "small changes noticed", "positions without a leak"]
    return markdown_table(heading, rows)


def ppo_batch() -> str:
    """Win rates of the example over the course of the training, all seeds together."""
    result = needed("ppo_batch")
    tests: dict[int, list[Row]] = {}
    for row in result["rows"]:
        tests.setdefault(row["steps"], []).append(row)
    rows = []
    for number, (steps, own) in enumerate(tests.items(), 1):
        if number % 4 == 0 or number == len(tests):
            rates, seconds = [row["win_rate"] for row in own], mean(row["cpu_seconds"] for row in own)
            spread = f"**{percent(mean(rates))}** ({percent(min(rates))} .. {percent(max(rates))})"
            rows.append([f"{steps:,}", spread, f"{seconds:.0f} s"])
    seeds = ", ".join(str(row["seed"]) for row in next(iter(tests.values())))
    told = f"{result['what']} Mean, lowest and highest win rate of the seeds {seeds}."
    return f"{markdown_table(['moves, forced ones too', 'win rate', 'CPU time'], rows)}\n\n{told}\n\n{made_by(result)}"


def frameworks() -> str:
    """A row for each framework with results; its speed is that of all training, in decisions per CPU second."""
    result = needed("frameworks")
    found = {row["framework"]: row for row in result["rows"]}
    rows = []
    for name, (title, example) in FRAMEWORKS.items():
        if name in found:
            code, last = (ROOT / "examples" / example).read_text("utf-8"), found[name]["curve"][-1]
            shows = (ast.get_docstring(ast.parse(code)) or "").splitlines()[0].partition(": ")[2]
            facts = {"version": found[name]["version"], "example": f"[{example}](../examples/{example})"}
            facts |= {"what it shows": shows, "steps/s": round(last["decisions"] / last["cpu_seconds"])}
            rows.append({"framework": title, **facts, "win rate": last["win_rate"], "after": int(last["decisions"])})
    return f"{plain_tables(rows)}\n\n{made_by(result)}"


def matrix() -> str:
    """With which versions, and on which Pythons, the tests of each extra and framework passed or failed."""
    result, same = needed("versions"), dict[str, list[str]]()
    found = dict[tuple[str, str], dict[str, list[str]]]()
    groups = ("base", "train", "extra", "framework")

    def place(row: dict[str, Any]) -> tuple[int, str, bool, list[int]]:
        version = [int(part) for part in row["versions"]["python"].split(".")]
        return groups.index(row["group"]), row["of"], row["level"] == "newest", version

    for row in sorted(result["rows"], key=place):
        python = row["versions"]["python"].rpartition(".")[0]
        told = python if row["outcome"] == "passed" else f"{python} **failed**"
        found.setdefault((row["group"], row["of"]), {}).setdefault(row["level"], []).append(told)
    for (group, of), levels in found.items():
        told = "; ".join(f"{level} ({', '.join(pythons)})" for level, pythons in levels.items())
        same.setdefault(told, []).append({"base": "the package", "train": "`train`"}.get(group, f"`{of}`"))
    lines = (f"- {told}: {', '.join(names)}" for told, names in same.items())
    return "\n".join([*lines, "", made_by(result)])
