"""Cats, mice, captains, spies, suits and card backs as SVG shapes, and the colours of the light and the dark theme.

A shape has fixed colours, the same in both themes, or takes the ``fill`` of the element that uses it; everything else
is coloured by classes. All artwork was drawn for this package.
"""

from __future__ import annotations

INK, RED, CREAM, BACK = "#22252c", "#c4161f", "#fffdf6", "#2f4a76"
FURS = ("#e08a3c", "#7d8794", "#53566a", "#e9cf9f", "#8a5a3b", "#a9b8c9", "#b9643a", "#5c6470", "#cbb9a8", "#6e5a7e")
"""Fur colours by seat; every other cat is striped."""

_HEAD = "M6 22 5 5q1-3 4-1l10 7q5-1 10 0l10-7q3-2 4 1l-1 17q4 10-4 18-14 8-28 0-8-8-4-18z"
_EYES = '<g fill="#f4e04d"><ellipse cx="16" cy="25" rx="4.5" ry="5"/><ellipse cx="32" cy="25" rx="4.5" ry="5"/></g>'
_PUPILS = f'<path d="M16 21q3 4 0 8-3-4 0-8zM32 21q3 4 0 8-3-4 0-8z" fill="{INK}"/>'
_MARKS = {
    "circle": '<circle cx="4" cy="4" r="3.8"/>',
    "triangle": '<path d="M4 .2 8 7.6H0z"/>',
    "square": '<path d="M.5.5h7v7h-7z"/>',
    "diamond": '<path d="M4-.5 8.5 4 4 8.5-.5 4z"/>',
    "keyhole": '<path d="M2.7 4.7a2.7 2.7 0 1 1 2.6 0L6.6 8.3H1.4z"/>',
}


def _mice(count: int) -> str:
    """So many mice in two columns; an odd one comes last, in the middle."""
    places = [(18 * (i % 2) if count - i > count % 2 else 9, 36 - 12 * (i // 2)) for i in range(count)]
    return "".join(f'<use href="#mouse" transform="translate({x} {y}) scale(.7)"/>' for x, y in places)


_BY_SIZE: dict[tuple[int, int], dict[str, str]] = {
    (48, 48): {
        "cat": (
            f'<path d="{_HEAD}"/>'
            '<path d="M9 9l7 5-6 6zM39 9l-7 5 6 6z" fill="#f3a9a0"/>'
            '<path d="M15 36q9-9 18 0-2 7-9 7t-9-7z" fill="#fff" fill-opacity=".75"/>'
            '<path d="M21 31h6l-3 4z" fill="#d9616b"/>'
            f'<path d="M24 35v3m0 0q-3 3-6 0m6 0q3 3 6 0M2 30l10 2M1 37l11-2M46 30l-10 2M47 37l-11-2" fill="none" '
            f'stroke="{INK}" stroke-width="1.2"/>'
        ),
        "awake": f'<g stroke="{INK}">{_EYES}</g>{_PUPILS}',
        "asleep": (
            '<path d="M11 25q5 5 10 0M27 25q5 5 10 0" fill="none" stroke="#fff" stroke-width="4"/>'
            f'<path d="M11 25q5 5 10 0M27 25q5 5 10 0" fill="none" stroke="{INK}" stroke-width="2"/>'
        ),
        "stripes": (
            '<path d="M18 12l1 6M24 11v8M30 12l-1 6M5 27l5 1M43 27l-5 1" '
            'stroke="#fff" stroke-width="2.4" stroke-opacity=".7"/>'
        ),
        "poster": (
            '<path d="M-3-3h54v54h-54z" fill="#f1dcab" stroke="#8a5a22" stroke-width="2"/>'
            '<path d="M1 1h0M47 1h0M1 47h0M47 47h0" stroke="#8a5a22" stroke-width="4" stroke-linecap="round"/>'
        ),
        "black_cat": f'<path fill="{INK}" d="{_HEAD}"/>{_EYES}{_PUPILS}<path d="M21 33h6l-3 4z" fill="#d9616b"/>',
    },
    (24, 12): {
        "mouse": (
            '<path d="M19 9q4 1 4-3t-3-3" fill="none" stroke="#6d5f66" stroke-width="1.3"/>'
            '<path d="M0 9q4-7 11-7 8 0 9 9H3q-3 0-3-2z" fill="#6d5f66"/>'
            '<circle cx="8" cy="3.5" r="3" fill="#6d5f66"/><circle cx="8" cy="3.5" r="1.7" fill="#f0b7b4"/>'
            '<circle cx="4" cy="7" r="1" fill="#fff"/>'
        ),
    },
    (18, 17): {
        "heart": '<path d="M9 16Q0 9 1 5q1-4 4-4 3 0 4 3 1-3 4-3t4 4q1 4-8 11z"/>',
    },
    (20, 20): {
        "C": (
            '<circle cx="10" cy="6" r="4.6"/><circle cx="5" cy="12.5" r="4.6"/><circle cx="15" cy="12.5" r="4.6"/>'
            '<path d="M9 10h2q0 7 3 10H6q3-3 3-10z"/>'
        ),
        "D": '<path d="M10 0q3 6 7 10-4 4-7 10-3-6-7-10 4-4 7-10z"/>',
        "H": '<path d="M10 19Q-1 11 1 5q1-4 4-4 4 0 5 4 1-4 5-4 3 0 4 4 2 6-9 14z"/>',
        "S": '<path d="M10 0q10 7 9 12-1 4-4 4-3 0-4-3 0 4 3 7H6q3-3 3-7-1 3-4 3t-4-4Q0 7 10 0z"/>',
        "star": '<path d="M10 0l3 7 7 .6-5.3 4.9 1.7 7.5-6.4-4-6.4 4 1.7-7.5L0 7.6 7 7z"/>',
    },
    (34, 34): {
        "paw": (
            '<ellipse cx="17" cy="24" rx="11" ry="9"/><circle cx="3.5" cy="13" r="4.6"/>'
            '<circle cx="12.5" cy="5.5" r="4.6"/>'
            '<circle cx="21.5" cy="5.5" r="4.6"/><circle cx="30.5" cy="13" r="4.6"/>'
        ),
    },
    (30, 40): {
        "captain": (
            '<path d="M15 16C8 16 5 27 4 37q11 4 22 0C25 27 22 16 15 16z"/>'
            '<circle cx="15" cy="13" r="6" fill="#f0c9a4"/>'
            '<path d="M1 11Q3 4 8 6q2-5 7-5t7 5q5-2 7 5-7-3-14-3T1 11z"/>'
        ),
        "eye_patch": '<path d="M9.5 10.5 21 14" fill="none"/><circle cx="18" cy="13.5" r="1.6"/>',
        **{f"on_{name}": f'<g transform="translate(11 24)">{path}</g>' for name, path in _MARKS.items()},
    },
    (40, 44): {
        "spy": (
            '<path d="M4 44q0-11 10-14l6 5 6-5q10 3 10 14z"/>'
            '<ellipse cx="20" cy="22" rx="10.5" ry="11.5" fill="#f0c9a4" stroke="none"/>'
            f'<path d="M12 19h16l-.5 3q-1 3-3.5 3-3 0-4-4-1 4-4 4-2.5 0-3.5-3z" fill="{INK}" stroke="none"/>'
            '<path d="M2 16Q9 13 10 11q1-9 5-9 5 3 10 0 4 0 5 9 1 2 8 5-18 6-36 0z"/>'
            '<path d="M10 12q10 4 20 0" fill="none" stroke-width="1.6"/>'
        ),
    },
    (16, 25): {
        "bottle": '<path d="M6 0h4v6q4 2 4 6v11q0 2-2 2H4q-2 0-2-2V12q0-4 4-6z"/>',
    },
    (8, 8): _MARKS,
    (35, 46): {f"mice_{count}": _mice(count) for count in range(1, 9)},
}
SHAPES = {name: (size, markup) for size, shapes in _BY_SIZE.items() for name, markup in shapes.items()}
"""Size and markup by id."""

_FONTS = "FreeSans,Helvetica,Arial,Liberation Sans,DejaVu Sans Condensed,sans-serif"  # all of about the same width

# Class: property, light colour, dark colour. Text has a contrast of at least 4.5 in both themes.
_COLOURS = {
    "bg": ("fill", "#f4efe4", "#15181e"),
    "rim": ("fill", "#8a5a32", "#4a3323"),
    "felt": ("fill", "#cfe0c8", "#23382f"),
    "panel": ("fill", "#fffdf8", "#242933"),
    "edge": ("stroke", "#9a948a", "#5d6675"),
    "now": ("stroke", "#a43d00", "#ffb454"),
    "sign": ("fill", "#a43d00", "#ffb454"),
    "ink": ("fill", "#22252c", "#f1f2f4"),
    "faint": ("fill", "#595d66", "#b4bac4"),
    "bad": ("fill", "#b3121b", "#ff9a93"),
    "lost": ("stroke", "#6f6a62", "#98a1af"),
}


def style(theme: str) -> str:
    """The style sheet for elements inside class ``theme``; ``table-auto`` follows the system's light or dark mode."""
    light, dark = (
        "".join(f".{theme} .{name}{{{rule[0]}:{rule[column]}}}" for name, rule in _COLOURS.items()) for column in (1, 2)
    )
    shared = (
        f".{theme}{{font-family:{_FONTS};font-weight:bold}}"
        f".{theme} .edge{{stroke-width:1.5}}.{theme} .now{{stroke-width:5}}"
        f".{theme} .lost{{fill:none;stroke-width:1.5;stroke-dasharray:3 2}}"
    )
    if theme == "table-auto":
        return f"{shared}{light}@media(prefers-color-scheme:dark){{{dark}}}"
    return shared + (dark if theme == "table-dark" else light)
