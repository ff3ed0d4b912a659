"""What the tables of trick-taking games have in common, as text and as pictures.

Their views have the keys ``phase``, ``player``, ``dealer``, ``leader``, ``hands``, ``table`` (the [seat, card] pairs of
the trick), ``last_deal`` (points by seat, or None) and ``totals``; points are bad.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from blackjacky_env.engine.text import FACE_DOWN, FAINT, RED, STRONG, TITLE, YOURS, View, count_of, paint, table, viewer


def roles(view: View, seat: int) -> list[str]:
    """What the seat is in this deal and trick."""
    if view["phase"] == "over":
        return []
    return ["dealer"] * (seat == view["dealer"]) + ["leads"] * (seat == view["leader"])


def tricks_of(view: View) -> int:
    """The number of tricks in this deal: those taken, and one for each card that seat 0 holds or has in the trick."""
    tricks: int = view["trick"] + count_of(view["hands"][0]) + sum(seat == 0 for seat, _ in view["table"])
    return tricks


def costly(points: int) -> str:
    """Points in a terminal, red if there are any."""
    return paint(str(points), RED) if points > 0 else str(points)


def seats(
    view: View,
    columns: Mapping[str, int],
    card: Callable[[str], str],
    marks: Callable[[int], str],
    taken: Callable[[int], list[str]],
    known: Callable[[int], Sequence[Sequence[str]]] = lambda seat: (),
) -> list[str]:
    """A line for each seat, and a heading.

    Args:
        view: what is shown.
        columns: width by heading: whose turn it is, the seat, its card of the trick, the number of its cards, what it
            has ``taken``, the points of the last deal, the total, and what is ``known`` of it.
        card: a card in a terminal.
        marks: behind the name of a seat.
        taken: cells of a seat.
        known: further cells of a seat, each a list of lines.
    """
    rows = []
    for seat, total in enumerate(view["totals"]):
        played, count, last = dict(view["table"]).get(seat), count_of(view["hands"][seat]), view["last_deal"]
        name = f"player_{seat}"
        cells = [
            paint("►", YOURS) if seat == view["player"] else "",
            (paint(name, YOURS) if seat == viewer(view) else name) + paint(marks(seat), FAINT),
            card(played) if played else "",
            f"{paint('[?]', FACE_DOWN)}{count:2}" if count else "",
            *taken(seat),
            "" if last is None else costly(last[seat]),
            paint(str(total), TITLE if seat in view["winners"] else STRONG),
        ]
        rows.append([*([cell] for cell in cells), *known(seat)])
    return table(columns, rows)
