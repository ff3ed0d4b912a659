"""Count all lines of play of small games of Black Jacky in two ways.

    python tests/games/black_jacky/reference/count_positions.py       count all, and print the table of README.md

Chess programs prove their rules in this way (perft). The engine goes through a tree breadth first and merges equal
positions, the reference implementation depth first, line by line; they share no code, and have to agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, permutations
from typing import Any

import numpy as np

from blackjacky_agents.reports import markdown_table
from blackjacky_env.compiled.compiling import copied, zeros
from blackjacky_env.games.black_jacky import GAME
from blackjacky_env.games.black_jacky.state import full_deck
from blackjacky_env.play.one_game import game_functions
from tests.games.black_jacky.reference import counting

LAY_4, LAY_7, DRAW, LAST_DRAW = 4, 7, 30, 38
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


class Engine:
    """The engine's rules over single positions: records as bytes, without the random key and what players remember."""

    def __init__(self, tree: Tree) -> None:
        rules = dict(tree.options)
        players = rules.pop("num_players")
        self.blank = GAME.new_state(players, "classic", GAME.check_options(players, "classic", rules))
        self.decks = [np.array(deck, np.int8) for deck in tree.decks()]
        self.functions = game_functions(GAME)
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


def levels(tree: Tree) -> Iterator[Counter[bytes]]:
    """By depth: lines to every position, equal ones merged."""
    engine = Engine(tree)
    level = Counter(engine.started())
    while level:
        yield level
        deeper: Counter[bytes] = Counter()
        for position, lines in level.items():
            for action in engine.legal(position):
                for after in engine.outcomes(position, action):
                    deeper[after] += lines
        level = deeper


def rows_of_lines(tree: Tree) -> list[list[object]]:
    """By depth: lines of play, those that have ended and distinct positions, counted twice."""
    counts = [
        (level.total(), len(level), sum(lines for position, lines in level.items() if is_over(position)))
        for level in islice(levels(tree), None if tree.depth is None else tree.depth + 1)
    ]
    assert counts == counting.count_lines(tree.options, tree.decks(), tree.depth), tree.name
    return [
        [tree.name, depth, f"{lines:,}", f"{ended:,}", f"{found:,}"]
        for depth, (lines, found, ended) in enumerate(counts)
    ]


if __name__ == "__main__":
    lines = [row for tree in TREES for row in rows_of_lines(tree)]
    print(markdown_table(["game", "depth", "lines", "ended", "positions"], lines))
