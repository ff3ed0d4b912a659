"""Learning from the batch: the picture of who gets which reward when, docs/rewards.svg, and how the example learns."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean

from parts import DOCS, ROOT, Part

from blackjacky_agents.reports import markdown_table
from blackjacky_env import make_batch
from blackjacky_env.games import DEFAULT, get_game

PLAYERS, STEPS, SEED = 3, 15, 5
SHORT = {"hearts": 1, "max_turns_per_round": 4}
"""Rule options with which a game has few moves."""
LEFT, TOP, COLUMN, ROW = 64, 56, 48, 62
STYLE = """text{font:13px sans-serif;fill:#333}.small{font-size:11px;fill:#777}.sum{font-weight:bold}
.span{fill:#9ecae1}.open{fill:none;stroke:#6baed6;stroke-dasharray:4 3}.dot{fill:#08519c}.paid{fill:#cb181d}
.end{stroke:#777;stroke-dasharray:3 3}text.paid{font-weight:bold}
@media(prefers-color-scheme:dark){text{fill:#ddd}.small{fill:#aaa}.span{fill:#2a5a7d}.dot{fill:#9ecae1}.paid{fill:#fc7a6b}}"""


CURVE = ROOT / "examples" / "ppo_batch.csv"
"""The learning_curve.csv of examples/ppo_batch.py, with the rows of all seeds."""
EVERY = 2
"""Of so many tests the table shows one, and the last."""


def parts() -> Iterator[Part]:
    """The picture, and the table."""
    yield Part(DOCS / "rewards.svg", "", picture(play()))
    yield Part(DOCS / "train.md", "ppo_batch", curve())


# ---------------------------------------------------------------- the example


def curve() -> str:
    """Win rates of the example over the course of the training, all seeds together."""
    tests: dict[int, list[dict[str, str]]] = {}
    with CURVE.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            tests.setdefault(int(row["steps"]), []).append(row)
    shown = [steps for i, steps in enumerate(tests, 1) if i % EVERY == 0 or i == len(tests)]
    table = markdown_table(["decisions", "win rate", "CPU time"], [line(steps, tests[steps]) for steps in shown])
    seeds = [row["seed"] for row in tests[shown[-1]]]
    [processor] = {row["processor"] for row in tests[shown[-1]]}
    return (
        f"`python examples/ppo_batch.py --seed SEED` with the seeds {', '.join(seeds)}, on one core of a busy machine "
        f"({processor}): mean, lowest and highest win rate of a seed.\n\n{table}"
    )


def line(steps: int, rows: list[dict[str, str]]) -> list[str]:
    """A line of the table: the tests of all seeds after so many decisions."""
    rates, seconds = [100 * float(row["win_rate"]) for row in rows], mean(float(row["cpu_seconds"]) for row in rows)
    spread = f"**{mean(rates):.1f} %** ({min(rates):.1f} .. {max(rates):.1f})"
    return [f"{steps:,}", spread, f"{seconds:.0f} s"]


# ---------------------------------------------------------------- the picture


@dataclass(frozen=True)
class Step:
    """What the arrays of a batch said about one step of its only game."""

    seat: int
    """The seat that decided."""
    following: int
    """The seat to act after the step."""
    rewards: list[int]
    cumulative: list[int]
    terminated: bool


def play() -> list[Step]:
    """Random moves of a game, and the beginning of the next."""
    reward = get_game(DEFAULT).score_reward
    batch = make_batch(DEFAULT, 1, PLAYERS, SEED, reward=reward, per_seat=True, **SHORT)
    steps = []
    for _ in range(STEPS):
        seat = int(batch.current_player[0])
        batch.step(batch.random_actions())
        paid, total = (array[0, :PLAYERS].astype(int).tolist() for array in (batch.rewards, batch.cumulative_rewards))
        steps.append(Step(seat, int(batch.current_player[0]), paid, total, bool(batch.terminated[0])))
    return steps


def picture(steps: list[Step]) -> str:
    """The SVG: a row for each seat, a column for each step."""
    width, height = LEFT + COLUMN * len(steps) + 20, TOP + ROW * PLAYERS + 12
    shapes = [f'<text x="4" y="{TOP - 22}" class="small">step</text>']
    shapes += [text(x(t), TOP - 22, str(t + 1), "small") for t in range(len(steps))]
    for t, step in enumerate(steps):
        if step.terminated:
            edge = x(t) + COLUMN / 2
            shapes.append(f'<line x1="{edge:g}" y1="{TOP - 14}" x2="{edge:g}" y2="{height - 4}" class="end"/>')
            shapes.append(text(edge, 16, "terminated", "small"))
    for seat in range(PLAYERS):
        shapes += row(steps, seat)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    return f"{head}<style>{STYLE}</style>{''.join(shapes)}</svg>\n"


def row(steps: list[Step], seat: int) -> Iterator[str]:
    """A seat's decisions, what each has earned until the next, and the rewards when they are paid."""
    middle = TOP + ROW * seat + 18
    yield f'<text x="4" y="{middle + 4}">seat {seat}</text>'
    for t in (t for t, step in enumerate(steps) if step.seat == seat):
        last = next((u for u in range(t, len(steps)) if steps[u].following == seat or steps[u].terminated), None)
        until = len(steps) - 1 if last is None else last
        kind, total = (
            ("open", "?") if last is None else ("span", f"{steps[until].cumulative[seat]:+d}".replace("+0", "0"))
        )
        box = f'x="{x(t) - 21}" y="{middle - 12}" width="{x(until) - x(t) + COLUMN - 6}" height="24" rx="12"'
        yield f'<rect {box} class="{kind}"/><circle cx="{x(t) - 10}" cy="{middle}" r="6" class="dot"/>'
        yield text(x(until) + 10, middle + 5, total, "sum")
    for t, step in enumerate(steps):
        if step.rewards[seat]:
            yield text(x(t), middle + 28, f"{step.rewards[seat]:+d}", "paid")


def x(t: int) -> int:
    """The middle of a step's column."""
    return LEFT + COLUMN * t + COLUMN // 2


def text(at: float, y: float, content: str, kind: str) -> str:
    """Centred text."""
    return f'<text x="{at:g}" y="{y:g}" text-anchor="middle" class="{kind}">{content.replace("-", "&#8722;")}</text>'
