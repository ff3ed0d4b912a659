"""Pictures drawn by the games: each table, the animation of a whole game, and who gets which reward when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np

from blackjacky_agents import bot_names, make_agent
from blackjacky_env import make_batch
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT, get_game
from scripts.pages.part import DOCS, Part
from scripts.results import ROOMS


def parts() -> Iterator[Part]:
    """All pictures."""
    for game, room in ROOMS.items():
        yield Part(room / "table.svg", "", table(game))
    players = ["champion", *reversed(bot_names(DEFAULT)[1:])]
    yield Part(DOCS / "game.svg", "", animation(list(scenes(players))))
    yield Part(DOCS / "rewards.svg", "", rewards(play()))


def table(game: str) -> str:
    """The game's example position, after random moves, seen by player_0; follows the reader's light or dark mode."""
    env = TableEnv(game)
    position = env.game.examples.picture
    env.reset(seed=position.seed)
    rng = np.random.default_rng(position.seed)
    for _ in range(position.moves):
        env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    return env.draw("player_0")


# ---------------------------------------------------------------- the animation, docs/game.svg

SVG = "http://www.w3.org/2000/svg"
SECONDS, LAST = 1.3, 4
"""How long a picture is shown, and how many times as long the last one."""
SCALE = 0.8
ANIMATED_SEED = 5
ANIMATED_OPTIONS: Mapping[str, Any] = {"hearts": 1}
"""Rule options with which a game has few moves."""


def scenes(players: list[str]) -> Iterator[str]:
    """The game's table before each move that changed more of it than its phase, and at the end."""
    env = TableEnv(DEFAULT, num_players=len(players), **ANIMATED_OPTIONS)
    env.reset(seed=ANIMATED_SEED)
    agents = dict(zip(env.possible_agents, (make_agent(name, DEFAULT) for name in players), strict=True))
    for number, agent in enumerate(agents.values()):
        agent.reset(number)
    before = None
    while True:
        now = {key: value for key, value in env.snapshot().items() if key != "phase"}
        if now != before:
            yield scene(env, players)
        if env.terminations[env.agent_selection]:
            return
        before = now
        env.step(agents[env.agent_selection].act(env.observe(env.agent_selection)))


def scene(env: TableEnv, players: list[str]) -> str:
    """The table with all cards face up."""
    draw = env.game.words.draw_svg
    assert draw is not None
    told = env.last_action(everything=True, names=players)
    return draw(env.snapshot(), env.config_dict(), names=players, last_action=told, theme="auto")


def animation(frames: list[str]) -> str:
    """One SVG that shows the pictures in turn, again and again; the last one alone where motion is unwanted."""
    ElementTree.register_namespace("", SVG)
    film = ElementTree.fromstring(frames[-1])
    style, shapes = film[0], film[1]
    known = {shape.get("id") for shape in shapes}
    for element in film[2:]:
        film.remove(element)
    for number, frame in enumerate(frames):
        _, own, *drawn = ElementTree.fromstring(frame)
        shapes.extend(shape for shape in own if shape.get("id") not in known)
        known |= {shape.get("id") for shape in own}
        group = ElementTree.SubElement(film, "g", {"class": "frame", "style": f"animation-delay:{number * SECONDS:g}s"})
        group.extend(drawn)
    group.set("class", "frame last")
    style.text = f"{style.text}{timing(len(frames))}"
    film.set("aria-label", "A game, move by move")
    for name in ("width", "height"):
        film.set(name, f"{SCALE * float(film.get(name, 0)):g}")
    return ElementTree.tostring(film, encoding="unicode") + "\n"


def timing(frames: int) -> str:
    """CSS that shows one frame after the other."""
    slots = frames - 1 + LAST
    rules = [f".frame{{visibility:hidden;animation:frame {slots * SECONDS:g}s step-end infinite}}"]
    rules.append(".last{animation-name:last}")
    for name, shown in (("frame", 1), ("last", LAST)):
        rules.append(f"@keyframes {name}{{0%{{visibility:visible}}{100 * shown / slots:.4f}%,to{{visibility:hidden}}}}")
    rules.append("@media(prefers-reduced-motion:reduce){.frame{animation:none}.last{visibility:visible}}")
    return "".join(rules)


# ---------------------------------------------------------------- the rewards, docs/rewards.svg

PLAYERS, STEPS, SEED = 3, 15, 5
SHORT: Mapping[str, Any] = {"hearts": 1, "max_turns_per_round": 4}
"""Rule options with which a game has few moves."""
LEFT, TOP, COLUMN, ROW = 64, 56, 48, 62
STYLE = """text{font:13px sans-serif;fill:#333}.small{font-size:11px;fill:#777}.sum{font-weight:bold}
.span{fill:#9ecae1}.open{fill:none;stroke:#6baed6;stroke-dasharray:4 3}.dot{fill:#08519c}.paid{fill:#cb181d}
.end{stroke:#777;stroke-dasharray:3 3}text.paid{font-weight:bold}
@media(prefers-color-scheme:dark){text{fill:#ddd}.small{fill:#aaa}.span{fill:#2a5a7d}.dot{fill:#9ecae1}.paid{fill:#fc7a6b}}"""


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


def rewards(steps: list[Step]) -> str:
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
