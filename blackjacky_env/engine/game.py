"""The Game declaration: all that environments, batches and agents need to know of a game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from blackjacky_env.engine.actions import Actions
from blackjacky_env.engine.checks import check_choice, read_integer
from blackjacky_env.engine.compiling import zeros
from blackjacky_env.engine.layout import Layout
from blackjacky_env.engine.options import NoOptions, describe_options, plain, read_options

State = Any
"""One state record: in compiled code a Numba record, in Python an element of an array of the game's ``state_dtype``."""


STATE_FIELDS = ("key", "num_players", "player", "deals", "winners")
"""Fields that the record of every game has."""


class IllegalActionError(ValueError):
    """The action is not legal now; the message says why in the game's words. The game is unchanged."""


@dataclass(frozen=True)
class Rules:
    """The compiled functions of a game, each over one state record ``s`` that it may change."""

    begin: Callable[..., None]
    """(s, key uint64, start_player; -1: drawn): start a game with the options in s."""
    redeal: Callable[..., None]
    """(s, deck int8 array, top first): make the deal that was just made once more, from this deck."""
    legal: Callable[..., None]
    """(s, mask int8 (num_actions,)): 1 for the legal actions of the player to act."""
    apply: Callable[..., None]
    """(s, action): make a legal action."""
    is_settled: Callable[..., bool]
    """(s): a round has ended and `settle` is due before anybody acts."""
    settle: Callable[..., None]
    """(s): account for the round; start the next or end the game."""
    is_over: Callable[..., bool]
    """(s): the game has ended."""
    returns: Callable[..., None]
    """(s, rewards float64 (max_players,) of zeros): the zero-sum result of a finished game."""
    score: Callable[..., int]
    """(s, seat): what `score_reward` pays the changes of."""
    encode: Callable[..., None]
    """(s, seat, out layout.dtype (layout.size,)): what the seat sees."""
    sample: Callable[..., None]
    """(observation layout.dtype (layout.size,), bits uint64, s): a full position that shows this observation to seat 0.

    What is hidden, and a new key, is drawn from ``bits``. The observation must be one that a game has shown.
    """


@dataclass(frozen=True)
class Words:
    """What people, logs and language models read of a game: its actions as data, and Python functions."""

    snapshot: Callable[[State, State | None], dict[str, Any]]
    """(state, state as it was last settled or None): everything on the table.

    In every game there are ``phase`` (``"over"`` at the end), ``player`` (the seat to act), ``round`` (from 0; it rises
    when a round is settled), ``last_settlement`` (None or a dict) and ``winners`` (seats).
    """
    view: Callable[[dict[str, Any], int | None], dict[str, Any]]
    """(snapshot, seat or None for a spectator): the same keys as that seat may know them."""
    actions: Actions
    """What each of the ``num_actions`` actions is, and its English name."""
    why_illegal: Callable[[State, int], str]
    """(state, action): why the action is not legal now."""
    draw_text: Callable[[dict[str, Any], dict[str, Any], bool], str]
    """(view, options, colour): the table as text."""
    round_key: str
    """The entry of the snapshot that counts the rounds or deals."""
    settlement_key: str
    """The entry of the snapshot that tells how the last of them was settled; None before."""
    phases: tuple[str, ...]
    """The values of the snapshot's ``phase``, in the order of the game."""
    draw_svg: Callable[..., str] | None = None
    """(view, options, *, names, last_action, theme): the table as a picture, 640 x 600 units; None: there is none.

    ``names`` by seat or None, ``last_action`` in words with these names, ``theme`` ``"auto"``, ``"light"`` or
    ``"dark"``.
    """


@dataclass(frozen=True)
class Variant:
    """A way to play a game, and the table sizes it is for.

    Args:
        name: as users write it.
        min_players, max_players: the fewest and the most players.
        default_players: how many play if nobody says.
    """

    name: str
    min_players: int
    max_players: int
    default_players: int

    def __post_init__(self) -> None:
        if not 2 <= self.min_players <= self.default_players <= self.max_players:
            raise ValueError(f"{self} is impossible; needed is 2 <= min_players <= default_players <= max_players")

    @property
    def sizes(self) -> range:
        """All table sizes."""
        return range(self.min_players, self.max_players + 1)


@dataclass(frozen=True)
class Hidden:
    """What a seat cannot know and what it can see, varied in the state record: for the proof that nothing leaks.

    Neither function may ask what is to be proved: `Rules.encode` and `Rules.sample`.
    """

    vary_hidden: Callable[[State, State | None, int | None, np.random.Generator], None]
    """(state, state as it was last settled or None, seat or None for a spectator, generator): in place, everything
    that the seat cannot know becomes something else that it must hold for possible, the key included."""
    public_variations: Callable[[State, int, np.random.Generator], Iterable[tuple[str, tuple[int, ...], int]]]
    """(state, seat, generator): field, index in it (empty: the field itself) and another value, for each kind of
    thing that the seat can see now."""


@dataclass(frozen=True)
class Position:
    """A position of a game of random moves."""

    seed: int
    """Of the game, and of its moves."""
    moves: int


@dataclass(frozen=True, eq=False)
class Examples:
    """Games and tables of a game that proofs and documents show. Every part has a default that works with any game."""

    seeds: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """By variant and table size: a game of random moves in which much happens, to be written down; else it is 0."""
    short: Mapping[str, Any] = field(default_factory=dict)
    """Rule options with which games are short enough to be written down."""
    tables: Sequence[Mapping[str, Any]] = ()
    """Constructor options of tables that are to be proved beside those of every variant and size."""
    counted: Mapping[str, Callable[[dict[str, Any]], bool]] = field(default_factory=dict)
    """By name: situations, seen in the view of a spectator, that a proof should have met; they are counted."""
    picture: Position = Position(seed=0, moves=20)
    """What the room's table.svg shows, at the usual table."""


def keep_options(num_players: int, variant: str, options: Any) -> Any:
    """The options as they are, for a game in which all combinations can be played."""
    return options


@dataclass(frozen=True)
class Game:
    """One game: facts as data, rules as compiled functions, words as Python functions.

    This is all that a new game declares: environments, batches, replays, checks, documents and command lines are made
    from it. What has a default may be left out, and so may `Words.draw_svg`: then there are no rule options, no proof
    that nothing leaks, no pictures.

    After `Rules.begin` the protocol is `Rules.apply`, then `Rules.settle` if `Rules.is_settled`, until `Rules.is_over`.
    The rules serve one table, thousands on threads, a GPU and plain Python, so they keep to integers and fixed arrays:
    no allocation, no exceptions, no Python objects. They are called with legal actions and checked options alone. All
    chance is drawn from the record's ``key`` by `blackjacky_env.engine.random`.

    Raises `ValueError` if the declaration contradicts itself.
    """

    name: str
    """In lower case with underscores, as in the registry; ids and modules are named after it."""
    title: str
    """For people."""
    version: int
    """A change in behaviour makes the next one."""
    variants: tuple[Variant, ...]
    """The first is the default where it allows the table size. No other names and sizes are allowed."""
    num_actions: int
    """A: actions are 0 .. A - 1, the same for every seat, table size, variant and option."""
    state_dtype: np.dtype[Any]
    """Of a record, aligned. Every game has these fields, which environments and agents read: ``key`` (uint64),
    ``num_players``, ``player`` (the seat to act; -1: the game is over), ``deals`` (made so far) and ``winners``
    ((max_players,), 1 for who has won)."""
    table_fields: tuple[str, ...]
    """The fields of the record that `state()` shows: the whole table, hidden cards included, random key left out."""
    layout: Layout
    """Of the observation: all that a player may know of the position, seats relative to the observer."""
    score_reward: str
    """Name of the reward that pays changes of `Rules.score`."""
    write_options: Callable[[State, int, str, Mapping[str, Any]], None]
    """(state, num_players, variant, options in force): set them in a zeroed record."""
    read_options: Callable[[State], tuple[int, str, dict[str, Any]]]
    """(state): the number of players, variant and options that were written."""
    card_names: tuple[int | str, ...]
    """By the integer that stands for a card: how the snapshot writes it."""
    read_deck: Callable[[Iterable[Any], int, Mapping[str, Any]], list[int]]
    """(cards as the snapshot writes them, num_players, options): the whole deck as integers, top first.

    Raises `TypeError` or `ValueError` if it is not.
    """
    sample_state: Callable[[Any, np.random.Generator], Any]
    """(observation vector, generator): a record array, shape (1,), of a position that shows this observation."""
    rules: Rules
    words: Words
    table_low: int = -1
    """The least value that the fields of `table_fields` can have; the greatest is that of int16."""
    options: type[Any] = NoOptions
    """A frozen dataclass of the rule options; `blackjacky_env.engine.options` says how it is written."""
    complete_options: Callable[[int, str, Any], Any] = keep_options
    """(num_players, variant, instance of ``options``): the options in force; None is replaced where it stands for a
    value that depends on the table. `ValueError` says why a combination cannot be played."""
    hidden: Hidden | None = None
    """None: that nothing leaks cannot be proved."""
    examples: Examples = Examples()

    def __post_init__(self) -> None:
        if not self.variants or len(set(self.variant_names)) < len(self.variants):
            raise ValueError(f"variants={self.variants} of {self.name}: needed is one or more, each of another name")
        if missing := [name for name in STATE_FIELDS if name not in (self.state_dtype.names or ())]:
            raise ValueError(f"state_dtype of {self.name} lacks the fields {', '.join(missing)}")
        if self.state_dtype["winners"].shape != (self.max_players,):
            raise ValueError(f"winners in state_dtype of {self.name} need the shape ({self.max_players},)")
        if len(self.words.actions) != self.num_actions:
            raise ValueError(f"{self.name} has {self.num_actions} actions and describes {len(self.words.actions)}")

    @property
    def min_players(self) -> int:
        """The fewest players of any variant."""
        return min(variant.min_players for variant in self.variants)

    @property
    def max_players(self) -> int:
        """The most players of any variant: P, the number of seats in arrays."""
        return max(variant.max_players for variant in self.variants)

    @property
    def default_players(self) -> int:
        """The usual table size of the first variant."""
        return self.variants[0].default_players

    @property
    def variant_names(self) -> tuple[str, ...]:
        """The names of all variants, the default first."""
        return tuple(variant.name for variant in self.variants)

    def choose_table(
        self, num_players: object = None, variant: str | None = None, label: str = "num_players"
    ) -> tuple[int, str]:
        """Table size and variant: those asked for, or what is usual where None is given.

        Args:
            num_players: None: the usual table size of the variant.
            variant: None: the first one that allows the table size.
            label: what messages call ``num_players``.

        Raises:
            TypeError, ValueError: this cannot be played; the message says what can.
        """
        if num_players is None:
            chosen = self.choose_variant((), variant)
            return chosen.default_players, chosen.name
        size = read_integer(label, num_players, self._sizes_in_words())
        return size, self.choose_variant((size,), variant, label).name

    def choose_variant(self, sizes: Sequence[int], variant: str | None = None, label: str = "num_players") -> Variant:
        """The variant for tables of all these sizes: the one asked for, or the first that allows them.

        Raises `ValueError` if there is none; the message says what can be played.
        """
        if variant is not None:
            check_choice("variant", variant, self.variant_names)
        asked = [each for each in self.variants if variant in (None, each.name)]
        for each in asked:
            if all(size in each.sizes for size in sizes):
                return each
        allowed = self._sizes_in_words()
        for size in sizes:
            if not any(size in each.sizes for each in self.variants):
                raise ValueError(f"{label}={size} is out of range; allowed are {allowed}")
            if not any(size in each.sizes for each in asked):
                raise ValueError(f"{label}={size} is out of range for variant={variant!r}; allowed are {allowed}")
        mixed = ", ".join(map(str, sorted(set(sizes))))
        raise ValueError(f"no variant is for tables of all the sizes {mixed}; allowed are {allowed}")

    def _sizes_in_words(self) -> str:
        """The table sizes, and of which variant they are where that makes a difference."""
        variants: dict[str, list[str]] = {}
        for each in self.variants:
            few, many = each.min_players, each.max_players
            variants.setdefault(f"{few} .. {many}" if few < many else str(few), []).append(repr(each.name))
        if len(variants) == 1:
            return next(iter(variants))
        return ", ".join(f"{sizes} ({', '.join(names)})" for sizes, names in variants.items())

    def check_options(self, num_players: int, variant: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """All rule options in force by name, plain values, where some are ``given``.

        Raises `TypeError` or `ValueError`, naming option, value and what is allowed, for unknown options, values out
        of range and games that cannot be played.
        """
        options = self.complete_options(num_players, variant, read_options(self.options, given, self.name))
        return {field.name: plain(getattr(options, field.name)) for field in fields(options)}

    def describe_options(self) -> list[dict[str, Any]]:
        """The rule options as JSON-ready data, in order; `blackjacky_env.engine.options.describe_options` says what."""
        return describe_options(self.options)

    def new_state(self, num_players: int, variant: str, options: Mapping[str, Any]) -> Any:
        """A record array, shape (1,), with checked options written and no game begun."""
        states = zeros(1, self.state_dtype)
        self.write_options(states[0], num_players, variant, options)
        return states
