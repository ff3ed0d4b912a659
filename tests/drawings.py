"""Reading pictures of tables, so that a test can say what they show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from blackjacky_env.engine.svg import HEIGHT, WIDTH
from blackjacky_env.envs.aec import TableEnv

SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]


def parsed(svg: str) -> ET.Element:
    """The root of a picture; an error if it is not XML or uses a shape or a class that it does not have."""
    root = ET.fromstring(svg)
    shapes = {element.get("id") for element in root.find(f"{SVG}defs") or ()}
    used = {element.attrib["href"].removeprefix("#") for element in root.iter(f"{SVG}use")}
    assert used == shapes
    return root


def told(svg: str | ET.Element) -> list[str]:
    """All words in a picture or a part of it, text by text."""
    root = parsed(svg) if isinstance(svg, str) else svg
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def seat(svg: str, number: int) -> ET.Element:
    """The part of a picture that shows a seat."""
    (found,) = (
        group for group in parsed(svg).iter(f"{SVG}g") if group.get("data-seat") == str(number) and is_seat(group)
    )
    return found


def is_seat(group: ET.Element) -> bool:
    """Whether a group is a seat."""
    return group.get("class") == "seat"


def shapes(part: ET.Element) -> list[str]:
    """The shapes in a part, one for each use."""
    return [element.attrib["href"].removeprefix("#") for element in part.iter(f"{SVG}use")]


def cards(svg: str) -> list[tuple[str, str]]:
    """Cards that can be clicked, each with its seat."""
    found = [group for group in parsed(svg).iter(f"{SVG}g") if group.get("class") == "card"]
    return [(group.attrib["data-card"], group.attrib["data-seat"]) for group in found]


def boxes(svg: str) -> list[Box]:
    """Left, top, right and bottom of every seat."""
    found = []
    for group in filter(is_seat, parsed(svg).iter(f"{SVG}g")):
        x, y = map(float, re.findall(r"[\d.]+", group.attrib["transform"]))
        ground = group.find(f"{SVG}rect")
        assert ground is not None
        found.append((x, y, x + float(ground.attrib["width"]), y + float(ground.attrib["height"])))
    return found


def assert_apart(seats: list[Box]) -> None:
    """Assert that no seat overlaps another, and that all lie in the picture."""
    assert all(left >= 0 and top >= 0 and right <= WIDTH and bottom <= HEIGHT for left, top, right, bottom in seats)
    for one, other in combinations(seats, 2):
        beside = one[2] <= other[0] or other[2] <= one[0]
        assert beside or one[3] <= other[1] or other[3] <= one[1], f"{one} overlaps {other}"


def positions(env: TableEnv, seed: int, every: int = 1) -> Iterator[TableEnv]:
    """The environment at every so many positions of a random game, the last included."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for turn in range(10**6):
        mask = env.infos[env.agent_selection]["action_mask"]
        if turn % every == 0 or not mask.any():
            yield env
        if not mask.any():
            return
        env.step(int(rng.choice(np.flatnonzero(mask))))


def views(env: TableEnv) -> list[dict[str, Any]]:
    """What every agent sees, what a spectator sees, and everything."""
    return [*map(env.view, [*env.possible_agents, None]), env.snapshot()]
