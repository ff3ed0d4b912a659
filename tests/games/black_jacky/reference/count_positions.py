"""Count all lines of play of small games of Black Jacky, and the exact chances of fixed policies, in two ways.

    python tests/games/black_jacky/reference/count_positions.py       count all, and print the tables of README.md

Chess programs prove their rules in this way (perft). The engine goes through a tree breadth first and merges equal
positions, the reference implementation depth first, line by line; they share no code, and have to agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, permutations
from typing import Any

import numpy as np

from blackjacky_agents.reports import markdown_table
from blackjacky_env.engine.compiling import copied, zeros
from blackjacky_env.engine.table import table_functions
from blackjacky_env.games.black_jacky import GAME
from blackjacky_env.games.black_jacky.state import full_deck
from tests.games.black_jacky.reference import counting

NO_TRICK, LAY_4, LAY_7, DRAW, LAST_DRAW, KNOCK = 0, 4, 7, 30, 38, 47
OVER = 4
NOT_THE_POSITION = ("key", "reshuffles", "known")  # the random key, and what players remember


@dataclass(frozen=True)
class Tree:
    """A game to be gone through: from one deck, or from all distinct decks once each."""

    name: str
    options: dict[str, Any]
    deck: tuple[int, ...] | None = None
    depth: int | None = None
    """Actions; None: to the end of all games."""

    def decks(self) -> list[list[int]]:
        """Cards top first; player 0 starts and every round is dealt from the same deck."""
        if self.deck is not None:
            return [list(self.deck)]
        return [list(deck) for deck in sorted(set(permutations(full_deck(self.options["max_card"]))))]


def rigged(*top: int) -> tuple[int, ...]:
    """All 36 cards, these on top."""
    rest = Counter(full_deck(8)) - Counter(top)
    return (*top, *rest.elements())


SIX = {"num_players": 2, "max_card": 3, "hand_size": 1, "hearts": 1, "bust_at": 5, "max_turns_per_round": 3}
TEN_FOR_THREE = {**SIX, "num_players": 3, "max_card": 4, "hand_size": 2, "bust_at": 8}
FIVE_TIP = {"num_players": 5, "hearts": 1, "max_turns_per_round": 1}
TREES = [
    Tree("six cards, one each, three turns", SIX),
    Tree("six cards, one each, five turns", {**SIX, "max_turns_per_round": 5}),
    Tree("six cards, two each, four turns", {**SIX, "hand_size": 2, "bust_at": 6, "max_turns_per_round": 4}),
    Tree("ten cards, one each, two turns", {**SIX, "max_card": 4, "max_turns_per_round": 2}),
    Tree("ten cards, three players, three turns", TEN_FOR_THREE, deck=(3, 4, 2, 2, 1, 4, 3, 4, 3, 4), depth=11),
    Tree("all cards, two players", {"num_players": 2}, deck=rigged(3, 7, 6, 8, 1, 4, 5, 2), depth=9),
    Tree("all cards, four players", {"num_players": 4}, deck=rigged(3, 6, 2, 4, 7, 6, 1, 5, 8, 3, 2), depth=8),
    Tree("all cards, five players, one turn a round", FIVE_TIP, deck=rigged(8, 5, 6, 7, 1, 2, 3, 4, 4, 6), depth=9),
]


def anything(legal: list[int]) -> list[int]:
    return legal


def knock_at_once(legal: list[int]) -> list[int]:
    """No trick, then a knock; in an exchange the lowest card."""
    return [next((action for action in (NO_TRICK, KNOCK) if action in legal), legal[0])]


def trick_and_draw(legal: list[int]) -> list[int]:
    """The trick with the highest number, then a card from the draw pile if there is one; else as `knock_at_once`."""
    if NO_TRICK in legal:
        return legal[-1:]
    return [DRAW] if DRAW in legal else knock_at_once(legal)


PAIRINGS = [(anything, anything), (knock_at_once, knock_at_once), (anything, knock_at_once), (trick_and_draw, anything)]
PLAYED = [TREES[0], Tree("the same as Schnell-Duell", {**SIX, "variant": "schnell_duell"}), TREES[2], TREES[3]]


class Engine:
    """The engine's rules over single positions: records as bytes, without the random key and what players remember."""

    def __init__(self, tree: Tree) -> None:
        rules = {name: value for name, value in tree.options.items() if name not in ("num_players", "variant")}
        players, variant = tree.options["num_players"], tree.options.get("variant", "classic")
        self.blank = GAME.new_state(players, variant, GAME.check_options(players, variant, rules))
        self.decks = [np.array(deck, np.int8) for deck in tree.decks()]
        self.functions = table_functions(GAME)
        self.not_asked = np.zeros((2, GAME.max_players))
        self.observation, self.mask = np.empty(GAME.layout.size, np.int8), np.empty(GAME.num_actions, np.int8)

    def started(self) -> list[bytes]:
        begun = []
        for deck in self.decks:
            states = copied(self.blank)
            self.functions.begin(states, np.uint64(0), 0)
            self.functions.redeal["deck"](states, deck)
            begun.append(kept(states))
        return begun

    def legal(self, position: bytes) -> list[int]:
        states = record(position)
        self.functions.look(states, max(0, int(states["player"][0])), self.observation, self.mask)
        legal: list[int] = np.flatnonzero(self.mask).tolist()
        return legal

    def outcomes(self, position: bytes, action: int) -> list[bytes]:
        return [self.stepped(states, action) for states in reshuffled(record(position), action)]

    def stepped(self, states: Any, action: int) -> bytes:
        """The position after this action; a new round is dealt from the deck, if there is only one."""
        deals = int(states["deals"][0])
        tables = zeros(2, GAME.state_dtype)  # the second is for the last settlement
        tables[:1] = states
        self.functions.step(tables, action, self.not_asked, self.observation, self.mask)
        if tables["deals"][0] > deals:
            (deck,) = self.decks
            self.functions.redeal["deck"](tables, deck)
        return kept(tables[:1])


def kept(states: Any) -> bytes:
    """A record array, shape (1,), as bytes; equal positions have equal bytes because padding stays zero."""
    for name in NOT_THE_POSITION:
        states[name] = 0
    position: bytes = states.tobytes()
    return position


def record(position: bytes) -> Any:
    """A position as a record array, shape (1,)."""
    states = zeros(1, GAME.state_dtype)
    states.view(np.uint8)[:] = np.frombuffer(position, np.uint8)
    return states


def reshuffled(states: Any, action: int) -> Iterator[Any]:
    """The position; or, if a new draw pile is needed, one for each distinct order of it (R14)."""
    draws = DRAW <= action <= LAST_DRAW or action in (LAY_4, LAY_7)
    if not draws or states["draw_count"][0] or states["discard_count"][0] == 1:
        yield states
        return
    top = states["discard_top"][0]
    discards = states["discards"][0].copy()
    discards[top] -= 1
    for order in sorted(set(permutations(np.repeat(np.arange(len(discards)), discards).tolist()))):
        one = copied(states)
        one["discards"][0] = 0
        one["discards"][0, top] = one["discard_count"][0] = 1
        one["draw_count"][0] = len(order)
        one["draw_pile"][0, : len(order)] = order[::-1]
        yield one


def is_over(position: bytes) -> bool:
    return bool(record(position)["phase"][0] == OVER)


def levels(tree: Tree, choosers: Sequence[counting.Chooser] | None = None) -> Iterator[Counter[Any]]:
    """By depth: lines to every position, equal ones merged; or, of these choosers, their chance times the decks."""
    engine = Engine(tree)
    level: Counter[Any] = Counter(engine.started())
    while level:
        yield level
        deeper: Counter[Any] = Counter()
        for position, weight in level.items():
            legal = engine.legal(position)
            chosen = choosers[int(record(position)["player"][0])](legal) if legal and choosers else legal
            for action in chosen:
                after = engine.outcomes(position, action)
                for one in after:
                    deeper[one] += Fraction(weight, len(chosen) * len(after)) if choosers else weight
        level = deeper


def count_lines(tree: Tree) -> list[tuple[int, int, int]]:
    """By depth: lines of play, distinct positions, and lines that have ended."""
    stop = None if tree.depth is None else tree.depth + 1
    return [
        (level.total(), len(level), sum(lines for position, lines in level.items() if is_over(position)))
        for level in islice(levels(tree), stop)
    ]


def chances(tree: Tree, choosers: Sequence[counting.Chooser]) -> dict[tuple[int, ...], Fraction]:
    """The chance of every set of winners when these policies play and all decks are equally likely."""
    ended: dict[tuple[int, ...], Fraction] = {}
    for level in levels(tree, choosers):
        for position in filter(is_over, level):
            winners = tuple(np.flatnonzero(record(position)["winners"][0]).tolist())
            ended[winners] = ended.get(winners, Fraction(0)) + Fraction(level[position]) / len(tree.decks())
    return ended


def rows_of_lines(tree: Tree) -> list[list[object]]:
    """A row for each depth, counted twice."""
    counts = count_lines(tree)
    assert counts == counting.count_lines(tree.options, tree.decks(), tree.depth), tree.name
    return [
        [tree.name, depth, f"{lines:,}", f"{ended:,}", f"{found:,}"]
        for depth, (lines, found, ended) in enumerate(counts)
    ]


def row_of_chances(tree: Tree, pairing: Sequence[counting.Chooser]) -> list[object]:
    """Who wins how often, worked out twice."""
    exact = chances(tree, pairing)
    assert exact == counting.chances(tree.options, tree.decks(), pairing), tree.name
    shares = [exact.get(winners, Fraction(0)) for winners in ((0,), (1,), (0, 1), ())]
    names = [chooser.__name__.replace("_", " ") for chooser in pairing]
    return [tree.name, *names, *(f"{share} = {float(share):.4f}" if share else "0" for share in shares)]


if __name__ == "__main__":
    lines = [row for tree in TREES for row in rows_of_lines(tree)]
    won = [row_of_chances(tree, pairing) for tree in PLAYED for pairing in PAIRINGS]
    print(markdown_table(["game", "depth", "lines", "ended", "positions"], lines))
    print(markdown_table(["game", "player 0", "player 1", "0 wins", "1 wins", "both win", "nobody wins"], won))
