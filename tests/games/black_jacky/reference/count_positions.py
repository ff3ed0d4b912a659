"""Count all lines of play of small games of Black Jacky, and the exact chances of fixed policies, in two ways.

    python tests/games/black_jacky/reference/count_positions.py           count, and write the tables of README.md
    python tests/games/black_jacky/reference/count_positions.py --check   write nothing; fail if tables say otherwise

Chess programs prove their rules in this way (perft). The engine goes through a tree breadth first and merges equal
positions, the reference implementation depth first, line by line; they share no code, and have to agree.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import tyro
from tqdm import tqdm

from blackjacky_agents.files import write_file
from blackjacky_agents.reports import markdown_table, replace_part
from blackjacky_env.engine.compiling import copied, zeros
from blackjacky_env.engine.table import table_functions
from blackjacky_env.games.black_jacky import GAME
from blackjacky_env.games.black_jacky.state import full_deck
from tests.games.black_jacky.reference import counting

README = Path(__file__).parent / "README.md"
NO_TRICK, LAY_4, LAY_7, DRAW, LAST_DRAW, KNOCK = 0, 4, 7, 30, 38, 47
OVER = 4
NOT_THE_POSITION = ("key", "reshuffles", "known")  # the random key, and what players remember

Counts = tuple[int, int, int]
Chances = dict[tuple[int, ...], Fraction]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Args:
    """Count all lines of play of small games, with the engine and without it, and write the figures down."""

    check: bool = False
    """Write nothing; fail if the tables say otherwise."""


def main(args: Args) -> None:
    """Count everything twice; write or check the tables."""
    old = README.read_text(encoding="utf-8")
    new = replace_part(replace_part(old, "lines", table_of_lines()), "chances", table_of_chances())
    if new == old:
        return
    if args.check:
        sys.exit(f"{README.name} is out of date; run: python tests/games/black_jacky/reference/count_positions.py")
    write_file(README, new)
    print(f"{README.name} written")


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
SIX_LONGER = {**SIX, "max_turns_per_round": 5}
SIX_TWO_EACH = {**SIX, "hand_size": 2, "bust_at": 6, "max_turns_per_round": 4}
TEN_FOR_TWO = {**SIX, "max_card": 4, "max_turns_per_round": 2}
TEN_FOR_THREE = {**SIX, "num_players": 3, "max_card": 4, "hand_size": 2, "bust_at": 8}
FIVE_TIP = {"num_players": 5, "hearts": 1, "max_turns_per_round": 1}
TREES = [
    Tree("six cards, one each, three turns", SIX),
    Tree("six cards, one each, five turns", SIX_LONGER),
    Tree("six cards, two each, four turns", SIX_TWO_EACH),
    Tree("ten cards, one each, two turns", TEN_FOR_TWO),
    Tree("ten cards, three players, three turns", TEN_FOR_THREE, deck=(3, 4, 2, 2, 1, 4, 3, 4, 3, 4), depth=11),
    Tree("all cards, two players", {"num_players": 2}, deck=rigged(3, 7, 6, 8, 1, 4, 5, 2), depth=9),
    Tree("all cards, four players", {"num_players": 4}, deck=rigged(3, 6, 2, 4, 7, 6, 1, 5, 8, 3, 2), depth=8),
    Tree("all cards, five players, one turn a round", FIVE_TIP, deck=rigged(8, 5, 6, 7, 1, 2, 3, 4, 4, 6), depth=9),
]


def anything(legal: list[int]) -> list[int]:
    """Every legal action with equal chance."""
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
PLAYED = [
    TREES[0],
    Tree("the same as Schnell-Duell", {**SIX, "variant": "schnell_duell"}),
    TREES[2],
    TREES[3],
]


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
        """A game from every deck."""
        begun = []
        for deck in self.decks:
            states = copied(self.blank)
            self.functions.begin(states, np.uint64(0), 0)
            self.functions.redeal["deck"](states, deck)
            begun.append(kept(states))
        return begun

    def legal(self, position: bytes) -> list[int]:
        """The legal actions of the player to act, in ascending order; none when the game is over."""
        states = record(position)
        self.functions.look(states, max(0, int(states["player"][0])), self.observation, self.mask)
        legal: list[int] = np.flatnonzero(self.mask).tolist()
        return legal

    def outcomes(self, position: bytes, action: int) -> list[bytes]:
        """The positions after this action: one, or one for every distinct order of a reshuffle (R14)."""
        states = record(position)
        return [
            self.stepped(one, action) for one in (reshuffled(states) if needs_reshuffle(states, action) else [states])
        ]

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


def needs_reshuffle(states: Any, action: int) -> bool:
    """The action needs a card, the draw pile is empty, and a new one can be made (R14)."""
    draws = DRAW <= action <= LAST_DRAW or action in (LAY_4, LAY_7)
    return bool(draws and states["draw_count"][0] == 0 and states["discard_count"][0] > 1)


def reshuffled(states: Any) -> Iterator[Any]:
    """The position with every distinct order of a new draw pile, top first: all discards but their top (R14)."""
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
    """The game has ended."""
    return bool(record(position)["phase"][0] == OVER)


def count_lines(tree: Tree) -> list[Counts]:
    """By depth: lines of play, distinct positions, and lines that have ended; breadth first, equal positions merged."""
    engine, found = Engine(tree), []
    level = Counter(engine.started())
    while level:
        found.append((level.total(), len(level), sum(lines for position, lines in level.items() if is_over(position))))
        if len(found) - 1 == tree.depth:
            break
        deeper: Counter[bytes] = Counter()
        for position, lines in level.items():
            for action in engine.legal(position):
                for after in engine.outcomes(position, action):
                    deeper[after] += lines
        level = deeper
    return found


def chances(tree: Tree, choosers: Sequence[counting.Chooser]) -> Chances:
    """The chance of every set of winners when these policies play and all decks are equally likely."""
    engine = Engine(tree)
    level = {position: Fraction(number, len(engine.decks)) for position, number in Counter(engine.started()).items()}
    ended: Counter[tuple[int, ...]] = Counter()
    while level:
        deeper: Counter[bytes] = Counter()
        for position, chance in level.items():
            states = record(position)
            if is_over(position):
                ended[tuple(np.flatnonzero(states["winners"][0]).tolist())] += chance
                continue
            chosen = choosers[int(states["player"][0])](engine.legal(position))
            for action in chosen:
                after = engine.outcomes(position, action)
                for one in after:
                    deeper[one] += chance / len(chosen) / len(after)
        level = deeper
    return dict(ended)


# ---------------------------------------------------------------- tables


def table_of_lines() -> str:
    """All trees, counted twice."""
    rows = [row for tree in tqdm(TREES, "trees") for row in rows_of_lines(tree)]
    return markdown_table(["game", "depth", "lines", "ended", "positions"], rows)


def rows_of_lines(tree: Tree) -> list[list[object]]:
    """A row for each depth."""
    counts = agreed(count_lines(tree), counting.count_lines(tree.options, tree.decks(), tree.depth), tree.name)
    return [
        [tree.name, depth, f"{lines:,}", f"{ended:,}", f"{positions:,}"]
        for depth, (lines, positions, ended) in enumerate(counts)
    ]


def table_of_chances() -> str:
    """All pairings in all small games, worked out twice."""
    cases = [(tree, pairing) for tree in PLAYED for pairing in PAIRINGS]
    rows = [row_of_chances(*case) for case in tqdm(cases, "chances")]
    return markdown_table(["game", "player 0", "player 1", "0 wins", "1 wins", "both win", "nobody wins"], rows)


def row_of_chances(tree: Tree, pairing: Sequence[counting.Chooser]) -> list[object]:
    """Who wins how often."""
    exact = agreed(chances(tree, pairing), counting.chances(tree.options, tree.decks(), pairing), tree.name)
    shares = [exact.get(winners, Fraction(0)) for winners in ((0,), (1,), (0, 1), ())]
    names = [chooser.__name__.replace("_", " ") for chooser in pairing]
    return [tree.name, *names, *(f"{share} = {float(share):.4f}" if share else "0" for share in shares)]


def agreed(engine: Result, reference: Result, name: str) -> Result:
    """What both found; ends the program if they differ."""
    if engine != reference:
        sys.exit(f"{name}: the engine finds {engine}, the reference implementation {reference}")
    return engine


if __name__ == "__main__":
    main(tyro.cli(Args))
