"""Pictures drawn by the games: each table, and the animation of a whole game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np

from blackjacky_agents import bot_names, make_agent
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import DEFAULT
from scripts.pages.part import DOCS, Part
from scripts.results import ROOMS
from tests.games.fixtures import examples_of


def parts() -> Iterator[Part]:
    """All pictures."""
    for game, room in ROOMS.items():
        yield Part(room / "table.svg", "", table(game))
    players = ["champion", *reversed(bot_names(DEFAULT)[1:])]
    yield Part(DOCS / "game.svg", "", animation(list(scenes(players))))


def table(game: str) -> str:
    """The game's example position, after random moves, seen by player_0; follows the reader's light or dark mode."""
    env = TableEnv(game)
    position = examples_of(env.game.name).picture
    env.reset(seed=position.seed)
    rng = np.random.default_rng(position.seed)
    for _ in range(position.moves):
        env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    return env.draw("player_0")


SVG = "http://www.w3.org/2000/svg"
SECONDS, LAST = 1.3, 4
"""How long a picture is shown, and how many times as long the last one."""
SCALE = 0.8
ANIMATED_SEED = 5
ANIMATED_OPTIONS: Mapping[str, Any] = {"hearts": 1}  # Rule options with which a game has few moves.


def scenes(players: list[str]) -> Iterator[str]:
    """What the first player sees before each move that changed more of it than its phase, and at the end."""
    env = TableEnv(DEFAULT, num_players=len(players), **ANIMATED_OPTIONS)
    env.reset(seed=ANIMATED_SEED)
    agents = dict(zip(env.possible_agents, (make_agent(name, DEFAULT) for name in players), strict=True))
    for number, agent in enumerate(agents.values()):
        agent.reset(number)
    before = None
    while True:
        now = {key: value for key, value in env.view("player_0").items() if key != "phase"}
        if now != before:
            yield env.draw("player_0", names=players)
        if env.terminations[env.agent_selection]:
            return
        before = now
        env.step(agents[env.agent_selection].act(env.observe(env.agent_selection)))


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
