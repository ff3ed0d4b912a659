"""The Game declaration: everything that environments, batches and agents need to know about a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import check_choice, few, read_integer
from blackjacky_env.declare.actions import Actions
from blackjacky_env.declare.fields import Fields, State, counted
from blackjacky_env.declare.layout import Layout, Vector
from blackjacky_env.declare.options import Variant, declared_options, plain, read_options
from blackjacky_env.draw.plain import plain_scene
from blackjacky_env.draw.scene import Face, Say, Scene, in_words
from blackjacky_env.draw.views import Options, View, Viewer

STATE_FIELDS = ("key", "num_players", "player", "deals", "winners")
"""Fields that every game's state record must have."""


class IllegalActionError(ValueError):
    """The action is not legal now; the message says why. The game is unchanged.

    Args:
        message: for people.
        reason: what `Words.why_illegal` says; None if it is not the game that says why.
        legal: the legal actions by number, with their names.
    """

    def __init__(self, message: str, reason: str | Say | None = None, legal: Mapping[int, str] | None = None) -> None:
        super().__init__(message)
        self.reason, self.legal = reason, dict(legal or {})


@dataclass(frozen=True)
class Rules:
    """The compiled functions of a game; each takes one state record ``s``, which it may modify."""

    begin: Callable[..., None]
    """(s, key uint64, start_player; -1: drawn): start a game with the options in ``s``."""
    redeal: Callable[..., None] | None
    """(s, deck int8 array, top first, or outcomes of `Game.draws` int64 array): repeat the last deal with these.

    None: nothing is dealt."""
    legal: Callable[..., None]
    """(s, mask int8 (num_actions,)): 1 for the legal actions of the player to act."""
    apply: Callable[..., None]
    """(s, action): apply a legal action."""
    is_settled: Callable[..., bool]
    """(s) -> bool: whether a round has ended, so that `settle` is due."""
    settle: Callable[..., None]
    """(s): score the round, then start the next one or end the game."""
    returns: Callable[..., None]
    """(s, rewards float64 (max_players,) of zeros): write the zero-sum result of a finished game."""
    encode: Callable[..., None]
    """(s, seat, out layout.dtype (layout.size,)): write the seat's observation."""
    sample: Callable[..., None]
    """(observation layout.dtype (layout.size,), bits uint64, s): write a full position consistent with the observation.

    The observer gets seat 0; hidden cards and a new key are drawn from ``bits``. An observation with entries in their
    ranges that no position shows may lead to any position, but not out of the arrays, and not on for ever.
    """
    score: Callable[..., int] | None = None
    """(s, seat) -> int: the seat's score; `Game.score_reward` pays its changes. None: nobody ever scores."""
    deal: Callable[..., None] | None = None
    """(s): deal, where `begin`, `apply` or `settle` has set ``player`` to `CHANCE`; scores stay. None: they deal.

    Dealing at one place makes less code, and threads of a GPU do it together."""


@dataclass(frozen=True)
class Words:
    """A game in words, for people, logs and language models: its actions as data, and Python functions."""

    snapshot: Callable[[State, State | None], dict[str, Any]]
    """(state, state at the last settlement or None) -> everything on the table, as a dict.

    Every game has the keys ``phase`` (``"over"`` at the end), ``player`` (the seat to act), ``round`` (from 0, raised
    when a round is settled), ``last_settlement`` (None or a dict) and ``winners`` (seats).
    """
    view: Callable[[dict[str, Any], int | None], dict[str, Any]]
    """(snapshot, seat or None for a spectator) -> the same keys, limited to what that seat may know."""
    actions: Actions
    """The ``num_actions`` actions as data, with their English names."""
    why_illegal: Callable[[State, int], str | Say]
    """(state, action) -> why the action is not legal now, without its name, such as "it is not in the hand"."""
    round_key: str
    """Key of the snapshot's round or deal counter."""
    settlement_key: str
    """Key of the snapshot's last settlement, whose value is None before the first."""
    phases: tuple[str, ...]
    """The values of the snapshot's ``phase``, in the order of play."""
    phase_field: str = ""
    """The record field that numbers `phases`; needed by a game with `ActionInfo.secret_phases`."""
    beyond_observation: tuple[str, ...] = ()
    """Keys of a view that do not follow from the observation, besides the settlement: what a player has to remember."""
    scene: Callable[[View, Options, Viewer], Scene] | None = None
    """(view, options, whose view it is) -> what lies on the table; None: it is made from the fields."""
    face: Callable[[str], Face] | None = None
    """(name of a card) -> how it is drawn, for rules that show it; None: they name it."""
    cards: frozenset[str] = frozenset()
    """Keys of the snapshot whose values are cards, for a scene that is made from the fields."""
    counts: frozenset[str] = frozenset()
    """Keys of the snapshot whose values count cards; in a `Game` they become the names of these cards."""

    def phase_of(self, states: npt.NDArray[Any]) -> int:
        """The number of the first record's phase, if `phase_field` says it; else 0."""
        return int(states[self.phase_field][0]) if self.phase_field else 0


@dataclass(frozen=True)
class ExtraDeck:
    """A second deck of a game, which `reset` can rig beside the main one."""

    cards: Callable[[int], Sequence[tuple[int, int | str]]]
    """(num_players) -> all its cards: their integers, and their names in snapshots."""
    redeal: Callable[..., None]
    """Compiled (s, deck int8 array, top first): repeat the last deal with this deck."""


@dataclass(frozen=True)
class Reshuffle:
    """Shuffling in the course of a deal, which solvers try in every order."""

    count: str
    """Record field that counts the reshuffles since the last deal."""
    stack: Callable[..., None]
    """Compiled (s, deck int8 array, top first): put what the next action would shuffle in this order instead; cards of
    the deck that are elsewhere are skipped."""


@dataclass(frozen=True)
class SmallDeck:
    """How the state record notes which cards the option ``deck`` leaves out."""

    leave_out: Callable[[State, Sequence[int]], None]
    """(record with the other options written, cards as integers): note that these are not in the deck. `Rules.begin`
    and all that follows keep the note."""
    left_out: Callable[[State], Sequence[int]]
    """(record) -> these cards."""


@dataclass(frozen=True)
class Pile:
    """Cards that lie face down in an order that nobody knows, and are drawn from the top alone.

    Any order of them is then equally likely whatever has happened, so that chance may decide what lies on top when it
    is drawn: solvers need not try all orders of the whole deck.
    """

    cards: str
    """Record field of the cards, (C,); the top is the entry before ``count``. Entries from there on are not read."""
    count: str
    """Record field that counts them."""


@dataclass(frozen=True)
class NamedTable:
    """A named table of a game: table size, variant and rule options."""

    about: str
    """What it is, in a sentence without a full stop."""
    num_players: int
    variant: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The rule options that differ from their defaults."""


@dataclass(frozen=True)
class Game:
    """One game: facts as data, rules as compiled functions, words as Python functions.

    This is all that a new game declares: environments, batches, replays, checks, documents and command lines are made
    from it. Fields with a default are optional; without them a game has no rule options, say.

    After `Rules.begin` the protocol is `Rules.apply`, then `Rules.settle` if `Rules.is_settled`, until nobody is to
    act. The rules serve one table, thousands on threads, a GPU and plain Python, so they keep to integers and fixed
    arrays: no allocation, no exceptions, no Python objects. They are only called with legal actions and checked
    options, but also in positions from elsewhere, which may be impossible though all values are in their ranges: loops
    and indices are bounded by the shape of the record, so that a wrong position leads to a wrong game. In games from
    `Rules.begin` on, no computed index is negative. All randomness comes from the record's ``key`` through
    `blackjacky_env.compiled.random`.

    Raises `ValueError` if the declaration contradicts itself.
    """

    name: str
    """Lower case with underscores, as in the registry; environment ids and modules are named after it."""
    title: str
    """Name shown to people."""
    version: int
    """Version, raised by every change in behaviour."""
    num_actions: int
    """A: actions are 0 .. A - 1, the same for every seat, table size, variant and option."""
    fields: Fields
    """The state record: its fields, rule options, variants, and the observation that shows it. Environments and agents
    read the fields ``key`` (uint64), ``num_players``, ``player`` (the seat to act; -1: the game is over), ``deals``
    (made so far) and ``winners`` ((max_players,), 1 for winners)."""
    rules: Rules
    words: Words
    card_names: tuple[int | str, ...] = ()
    """Cards as written in snapshots, indexed by the integers that represent them."""
    score_reward: str = "score"
    """Name of the reward that pays changes of `Rules.score`."""
    score_shaping: float = 0.0
    """How much of a win a point of the score is worth to a learner; 0: nothing. Self-play's presets use it."""
    deck: Callable[[int, Mapping[str, Any]], Sequence[int]] | None = None
    """(num_players, options in force) -> the integers of all cards in the game; None: all of ``card_names``."""
    draws: Callable[[int, Mapping[str, Any]], Sequence[Sequence[int | str]]] | None = None
    """(num_players, options in force) -> for each of the independent draws of a deal, such as dice, its outcomes, which
    are equally likely, and numbered from 0 in the rules. None: a deck is dealt, if anything."""
    small_deck: SmallDeck | None = None
    """A `SmallDeck`, for an option ``deck`` (`Cards`)."""
    complete_options: Callable[[int, str, Any], Any] = lambda num_players, variant, options: options
    """(num_players, variant, options) -> those in force, with None replaced by what it means at the table.
    `ValueError` for combinations that cannot be played."""
    most_actions: Callable[[int, str, Mapping[str, Any]], int | None] | None = None
    """(num_players, variant, options in force) -> a number of actions that no game exceeds, or None."""
    extra_decks: Mapping[str, ExtraDeck] = field(default_factory=dict, hash=False)
    """Further decks (`ExtraDeck`) by the name of the option of `reset` that rigs them."""
    reshuffle: Reshuffle | None = None
    """A `Reshuffle` in the course of a deal. None: only whole decks are shuffled."""
    pile: Pile | None = None
    """A `Pile` of cards whose order nobody knows. Without it solvers try every order of the deck."""
    invariant: Callable[[State], str | None] | None = None
    """(record) -> what is wrong with a position, such as a suit that its player has not followed, or None."""
    sample_weight: Callable[[State, int], float] | None = None
    """(record, seat) -> how often `Rules.sample` deals it, relative to what looks the same to the seat. None: as often
    as orders of the cards lead to it."""
    tables: Mapping[str, NamedTable] = field(default_factory=dict, hash=False)
    """By name, for ``--table``, `NamedTable` (about, num_players, variant, options): small ones, the smallest first."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "card_names", tuple(self.card_names))
        if self.words.counts and self.card_names:
            object.__setattr__(self, "words", _with_names(self.words, self.card_names))
        if missing := [name for name in STATE_FIELDS if name not in (self.state_dtype.names or ())]:
            raise ValueError(f"the record of {self.name} lacks the fields {', '.join(missing)}")
        if self.state_dtype["winners"].shape != (self.max_players,):
            raise ValueError(f"winners in the record of {self.name} need the shape ({self.max_players},)")
        if len(self.words.actions) != self.num_actions:
            raise ValueError(f"{self.name} has {self.num_actions} actions and describes {len(self.words.actions)}")
        chance = ("draws", "deck", "small_deck", "extra_decks", "reshuffle", "pile")
        declared = [name for name in chance if getattr(self, name)]
        if self.draws is not None and declared[1:]:
            raise ValueError(f"{self.name} declares draws and {declared[1]}; a deal is either draws or a deck")
        if self.rules.redeal is None and declared:
            raise ValueError(f"{self.name} declares {declared[0]}, but no `Rules.redeal` that repeats a deal")
        for table in self.tables.values():
            self.check_options(*self.choose_table(table.num_players, table.variant), table.options)

    @property
    def dealt(self) -> str:
        """What `Rules.redeal` takes, and the option of `reset` that rigs it: "deck", "draws", or "" for nothing."""
        return "" if self.rules.redeal is None else "deck" if self.draws is None else "draws"

    @property
    def variants(self) -> tuple[Variant, ...]:
        """All variants; the first one that allows the table size is the default."""
        return self.fields.variants

    @property
    def options(self) -> type[Any]:
        """The dataclass of rule options, as described in `blackjacky_env.declare.options`."""
        return self.fields.options

    @property
    def state_dtype(self) -> np.dtype[Any]:
        """Dtype of the state record, aligned."""
        return self.fields.dtype

    @property
    def layout(self) -> Layout:
        """Layout of the observation: all that a player may know about the position, seats relative to the observer."""
        return self.fields.layout

    @property
    def min_players(self) -> int:
        """Smallest table size of any variant."""
        return min(variant.min_players for variant in self.variants)

    @property
    def max_players(self) -> int:
        """Largest table size of any variant: P, the number of seats in arrays."""
        return self.fields.seats

    @property
    def default_players(self) -> int:
        """Default table size of the first variant."""
        return self.variants[0].default_players

    @property
    def variant_names(self) -> tuple[str, ...]:
        """The names of all variants, the default first."""
        return tuple(variant.name for variant in self.variants)

    def whole_deck(self, num_players: int, options: Mapping[str, Any]) -> Sequence[int]:
        """The integers of all cards in the deck at this table; none in a game that deals no cards."""
        if self.dealt != "deck":
            return ()
        full = range(len(self.card_names)) if self.deck is None else self.deck(num_players, options)
        if options.get("deck") is None:
            return full
        left, found = Counter(options["deck"]), []
        for card in full:
            if left[self.card_names[card]] > 0:
                left[self.card_names[card]] -= 1
                found.append(card)
        return found

    def choose_table(
        self, num_players: object = None, variant: str | None = None, label: str = "num_players"
    ) -> tuple[int, str]:
        """Table size and variant: those given, or the defaults for None; ``label``: of the size in error messages.

        Raises `TypeError` or `ValueError` if the combination is not allowed; the message says what is.
        """
        if num_players is None:
            chosen = self.choose_variant((), variant)
            return chosen.default_players, chosen.name
        size = read_integer(label, num_players, self.sizes_in_words())
        return size, self.choose_variant((size,), variant, label).name

    def choose_variant(self, sizes: Sequence[int], variant: str | None = None, label: str = "num_players") -> Variant:
        """The variant for tables of all these sizes: the given one, or the first that allows them.

        Raises `ValueError` if there is none; the message says what is allowed.
        """
        if variant is not None:
            check_choice("variant", variant, self.variant_names)
        asked = [each for each in self.variants if variant in (None, each.name)]
        for each in asked:
            if set(sizes) <= set(each.sizes):
                return each
        allowed, at = self.sizes_in_words(), "" if variant is None else f" for variant={variant!r}"
        for size in sizes:
            if not any(size in each.sizes for each in asked):
                raise ValueError(f"{label}={size} is out of range{at}; allowed are {allowed}")
        mixed = ", ".join(map(str, sorted(set(sizes))))
        raise ValueError(f"no variant allows all of the table sizes {mixed}; allowed are {allowed}")

    def sizes_in_words(self) -> str:
        """The allowed table sizes, by variant if they differ."""
        variants: dict[str, list[str]] = {}
        for each in self.variants:
            low, high = each.min_players, each.max_players
            variants.setdefault(f"{low} .. {high}" if low < high else str(low), []).append(repr(each.name))
        if len(variants) == 1:
            return next(iter(variants))
        return ", ".join(f"{sizes} ({', '.join(names)})" for sizes, names in variants.items())

    def refusal(self, state: State, mask: npt.NDArray[np.int8], action: int, where: str = "") -> IllegalActionError:
        """The error for an action that the player to act may not take; ``where`` begins its message."""
        if not 0 <= action < self.num_actions:
            return IllegalActionError(
                f"{where}action {action} is out of range; allowed are 0 .. {self.num_actions - 1}"
            )
        name, reason = self.words.actions.name, self.words.why_illegal(state, action)
        legal = {each: name(each) for each in np.flatnonzero(mask).tolist()}
        refused = f"{where}'{name(action)}' (action {action}) is illegal: {in_words(reason, ())}"
        there_are = ", ".join(f"{each} '{called}'" for each, called in legal.items())
        return IllegalActionError(f"{refused}. Legal for player_{state['player']} are {there_are}", reason, legal)

    def find_table(
        self,
        name: str | None,
        num_players: object,
        variant: str | None,
        given: Mapping[str, Any],
    ) -> tuple[Any, str | None, dict[str, Any]]:
        """Table size, variant and rule options of a named table, or those ``given`` if ``name`` is None.

        Raises `TypeError` or `ValueError` for an unknown table, and for a size, variant or option that is given beside
        the table and differs from the table's.
        """
        if name is None:
            return num_players, variant, dict(given)
        if not self.tables:
            raise ValueError(f"table={name!r} is unknown: {self.name} has no named tables")
        table = self.tables[check_choice("table", name, self.tables)]
        fixed: dict[str, Any] = {"num_players": table.num_players, "variant": table.variant}
        fixed |= self.check_options(table.num_players, table.variant, table.options)
        beside: dict[str, Any] = {"num_players": num_players, "variant": variant}
        beside = {option: value for option, value in beside.items() if value is not None}
        read = read_options(self.options, given, self.name)
        beside |= {option: plain(getattr(read, option)) for option in given}
        for option, value in beside.items():
            there: Any = fixed.get(option)
            if not np.array_equal(value, there):
                raise ValueError(
                    f"{option}={value!r} contradicts table={name!r}, which has {option}={there!r}; "
                    "leave one of them out"
                )
        return table.num_players, table.variant, dict(table.options)

    def check_options(self, num_players: int, variant: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """All rule options in force, by name and as plain values: those ``given``, and defaults for the others.

        Raises `TypeError` or `ValueError`, naming option, value and what is allowed, for unknown options, values out
        of range and games that cannot be played.
        """
        options = self.complete_options(num_players, variant, read_options(self.options, given, self.name))
        in_force = {field.name: plain(getattr(options, field.name)) for field in fields(options)}
        if not in_force.get("deck"):
            in_force.pop("deck", None)
            return in_force
        full, kept = self.whole_deck(num_players, {**in_force, "deck": None}), self.whole_deck(num_players, in_force)
        if missing := Counter(in_force["deck"]) - Counter(self.card_names[card] for card in kept):
            there_are = few(self.card_names[card] for card in full)
            raise ValueError(
                f"deck has {next(iter(missing))!r}, which is not in the game at this table; allowed are {there_are}"
            )
        if len(kept) == len(full):
            del in_force["deck"]
        return in_force

    def read_options(self, s: State) -> tuple[int, str, dict[str, Any]]:
        """The number of players, variant and rule options of a record, as `new_state` has written them."""
        size, variant, options = self.fields.read_options(s)
        if self.small_deck is not None and (out := self.small_deck.left_out(s)):
            kept = Counter(self.whole_deck(size, options)) - Counter(out)
            options["deck"] = sorted((self.card_names[card] for card in kept.elements()), key=self.card_names.index)
        return size, variant, options

    def scene(self, view: View, options: Options, viewer: Viewer) -> Scene:
        """What lies on the table that a view shows; ``viewer``: whose view it is.

        ``options``: those in force, with ``num_players`` and ``variant``; those that differ from the rule sheet are
        told in words, such as ``bust at 18``.
        """
        draw = self.words.scene
        drawn = plain_scene(self, view, viewer, options["num_players"]) if draw is None else draw(view, options, viewer)
        usual = self.check_options(options["num_players"], options["variant"], {})
        declared = [option.name for option in declared_options(self.options)]
        unusual = [_in_words(name, options[name]) for name in declared if options.get(name) != usual.get(name)]
        return drawn._replace(options=unusual)

    def new_arrays(self) -> tuple[Vector, npt.NDArray[np.int8]]:
        """Uninitialised arrays for an observation and a mask."""
        return np.empty(self.layout.size, self.layout.dtype), np.empty(self.num_actions, np.int8)

    def new_state(self, num_players: int, variant: str, options: Mapping[str, Any]) -> Any:
        """An array of one record, with checked options written and no game started."""
        states = np.zeros(1, self.state_dtype)
        self.fields.write_options(states[0], num_players, variant, options)
        if self.small_deck is not None and options.get("deck") is not None:
            full = Counter(self.whole_deck(num_players, {**options, "deck": None}))
            self.small_deck.leave_out(states[0], [*(full - Counter(self.whole_deck(num_players, options))).elements()])
        return states


def _with_names(words: Words, card_names: Sequence[int | str]) -> Words:
    def snapshot(s: State, settled: State | None) -> dict[str, Any]:
        told = words.snapshot(s, settled)
        return told | {key: counted(told[key], card_names) for key in words.counts}

    return replace(words, snapshot=snapshot, cards=words.cards | words.counts, counts=frozenset())


def _in_words(name: str, value: Any) -> str:
    words = name.replace("_", " ")
    if value is None or isinstance(value, bool):
        return words if value else f"no {words}"
    values = [str(each).replace("_", " ") for each in (value if isinstance(value, list) else [value])]
    return f"{words} {' '.join(values) or 'none'}"
