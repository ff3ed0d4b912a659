"""Reading pictures of tables, so that a test can say what they show."""

import re
from itertools import combinations
from xml.etree import ElementTree as ET

from blackjacky_env.draw.picture import HEIGHT, WIDTH

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg):
    """The root of a picture; an error if it is not XML or uses a shape or a class that it does not have."""
    root = ET.fromstring(svg)
    shapes = {element.get("id") for element in root.findall(f"{SVG}defs/*")}
    used = {element.attrib["href"].removeprefix("#") for element in root.iter(f"{SVG}use")}
    assert used == shapes
    return root


def told(svg):
    root = parsed(svg) if isinstance(svg, str) else svg
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def cards(svg):
    """Cards that can be clicked, each with its seat."""
    found = [group for group in parsed(svg).iter(f"{SVG}g") if group.get("class") == "card"]
    return [(group.attrib["data-card"], group.attrib["data-seat"]) for group in found]


def boxes(svg):
    """Left, top, right and bottom of every seat."""
    found = []
    for group in parsed(svg).iterfind(f".//{SVG}g[@class='seat']"):
        x, y = map(float, re.findall(r"[\d.]+", group.attrib["transform"]))
        ground = group.find(f"{SVG}rect")
        found.append((x, y, x + float(ground.attrib["width"]), y + float(ground.attrib["height"])))
    return found


def assert_apart(seats, picture=(0, 0, WIDTH, HEIGHT)):
    """Assert that no seat overlaps another, and that all lie in the picture."""
    left, top, right, bottom = picture
    assert all(x0 >= left and y0 >= top and x1 <= right and y1 <= bottom for x0, y0, x1, y1 in seats)
    for one, other in combinations(seats, 2):
        beside = one[2] <= other[0] or other[2] <= one[0]
        assert beside or one[3] <= other[1] or other[3] <= one[1], f"{one} overlaps {other}"
