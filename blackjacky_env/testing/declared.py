"""What a declared game promises: results, limits, and that `Rules.sample` deals what play can lead to."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np

from blackjacky_env.compiled.compiling import copied, with_attributes, zeros
from blackjacky_env.compiled.tiers import in_plain_python
from blackjacky_env.declare.fields import NOBODY, counted
from blackjacky_env.declare.game import Game, NamedTable
from blackjacky_env.declare.options import declared_options
from blackjacky_env.play import states
from blackjacky_env.play.one_game import game_functions, has_reshuffled
from blackjacky_env.play.shuffling import Shuffles, make_deck, step_with
from blackjacky_env.play.states import rotated, sample_record
from blackjacky_env.play.step import OVER, make_begin, make_look, make_shared_step
from blackjacky_env.testing.dealing import Table, compare_chance, play
from blackjacky_env.testing.trial import Skipped, Trial, find

MOST_BYTES = 700  # of a record
_MOST_ORDERS, _MOST_WAYS = 5_000, 200_000  # of a deal, and of ways to positions, where everything is tried
_ENOUGH = 50_000  # ways to positions of smaller tables, after which no larger one is tried
_BOT_SECONDS = 1.0  # in plain Python
_FEWEST, _FOR_EACH = 10, 50  # draws for an observation, for each position that may show it
_SURE = 6.0  # standard deviations

Deals = dict[Any, float]
"""Orders of the cards, as their numbers in each shuffle, with their probabilities."""


def _at(trial: Trial) -> Table:
    raw: Any = trial.make().unwrapped
    if not isinstance(getattr(raw, "game", None), Game):
        raise Skipped("it is about the games of this package and those declared like them")
    return Table(raw.game, raw.num_players, raw.variant, raw.options)


def check_plain(trial: Trial) -> None:
    """One game in plain Python, before anything is compiled: an error names the line of the rules at once."""
    at, rng = _at(trial), np.random.default_rng(trial.seed)
    rules = at.game.rules
    called = make_begin(at.game), make_look(at.game), make_shared_step(at.game), rules.sample, rules.returns
    begin, look, step, sample, returns = map(in_plain_python, called)
    s = with_attributes(at.game.new_state(*at[1:]))[0]
    other, (seen, mask) = with_attributes(np.zeros(1, at.game.state_dtype))[0], at.game.new_arrays()
    begin(s, np.uint64(trial.seed), 0)
    for number in range(trial.max_steps):
        trial.where = {"step": number}
        if s.player == NOBODY:
            returns(s, np.zeros(at.game.max_players))
            break
        look(s, s.player, seen, mask)
        sample(seen, rng.integers(2**64, dtype=np.uint64), other)
        if not mask.any():
            trial.fail(f"player_{s.player} is to act, and no action is legal")
        step(s, int(rng.choice(np.flatnonzero(mask))))


def check_declaration(trial: Trial) -> None:
    """Chance is as declared, results sum to 0, and no record, value, game or card is more than declared."""
    at, rng = _at(trial), np.random.default_rng(trial.seed)
    if (size := at.game.state_dtype.itemsize) > MOST_BYTES:
        trial.fail(f"a record has {size} bytes; allowed are {MOST_BYTES}")
    compare_chance(trial, at)
    left, game, deck = trial.draws, 0, Counter(at.game.whole_deck(at.num_players, at.options))
    while left > 0:
        for records, _, paid, number, action in play(at, rng, min(left, trial.max_steps)):
            trial.where = {"game": game, "step": number}
            _check_position(trial, at, deck, records, "")
            if action is None:
                _check_end(trial, at, paid, number)
                break
            seat = int(rng.integers(at.num_players))
            if game < trial.games:
                game_functions(at.game).look(records, seat, *(seen := at.game.new_arrays()))
                sampled, _ = sample_record(at.game, seen[0], rng, seat)
                _check_position(trial, at, deck, sampled, f"as sampled for player_{seat}, ")
        left, game = left - number - 1, game + 1


def _check_end(trial: Trial, at: Table, paid: Any, count: int) -> None:
    if abs(paid.sum()) > 1e-9 or abs(paid).max() > 1:
        trial.fail(f"the results are {paid.tolist()}; required are results in -1 .. 1 that sum to 0")
    most = None if at.game.most_actions is None else at.game.most_actions(*at[1:])
    if most is not None and count > most:
        trial.fail(f"a game has {count} actions, and most_actions says {most}")


def _check_position(trial: Trial, at: Table, deck: Counter[int], records: Any, where: str) -> None:
    record = with_attributes(records)[0]
    try:
        states.check_ranges(at.game, records[0])
    except ValueError as error:
        trial.fail(f"{where}{error}")
    if at.game.invariant is not None and (wrong := at.game.invariant(record)):
        trial.fail(f"{where}the invariant is broken: {wrong}")
    held = Counter[int]()
    for field in at.game.fields.fields.values():
        values = record[field.name]
        if field.cards == "each":
            held.update(values.ravel().tolist())
        elif field.cards == "count":
            held.update(dict(enumerate(values.reshape(-1, values.shape[-1]).sum(axis=0).tolist())))
    for card in deck:
        if held[card] > deck[card]:
            name, fields = f"{where}{at.game.card_names[card]!r}", at.game.fields.fields.values()
            told = [f"{each.name}={_named(at.game, each.name, record[each.name])}" for each in fields if each.cards]
            trial.fail(f"{name} is there {held[card]} times, and the deck has {deck[card]}: {', '.join(told)}")


def check_bots(trial: Trial) -> None:
    """The bots of the game, as the package of agents knows them, take legal actions, in a few games each."""
    at, rng = _at(trial), np.random.default_rng(trial.seed)
    try:
        bots = find("blackjacky_agents.games:get_kit")(at.game.name).bots
    except ImportError:
        raise Skipped("the agents are not installed") from None
    for name, (policy, *own) in bots.items():
        bot, end = (
            (in_plain_python(policy), np.array(own[0] if own else [], np.float32)),
            time.monotonic() + _BOT_SECONDS,
        )
        for _ in range(trial.moments):
            for records, mask, _, number, action in play(at, rng, trial.max_steps, *bot):
                trial.where = {"bot": name, "step": number}
                if action is not None and not (0 <= action < len(mask) and mask[action]):
                    trial.fail(str(at.game.refusal(records[0], mask, action)))
                if time.monotonic() > end:
                    break
    trial.note = ", ".join(bots)


# ---------------------------------------------------------------- sampled positions


def check_sample(trial: Trial) -> None:
    """At small tables `sample` deals all that play can lead to, nothing else, and each as often as the cards do.

    Every order of the cards and every line of play is tried. Positions are the same if every seat observes the same,
    now and whatever happens. Each is as likely as the orders that can lead to it, or as `Game.sample_weight` says.
    """
    tried, left = list[str](), _ENOUGH
    tables, out = _small(_at(trial))
    for name, at in tables.items():
        limit = f"beyond the {_ENOUGH:,}" if tried else f"more than {_MOST_WAYS:,}"
        try:
            lines = _Lines(at, left if tried else _MOST_WAYS)
        except Skipped:
            out[name], left = f"{limit} deals and lines of play", 0 if tried else left
            continue
        _check_sample(trial, name, at, lines)
        tried.append(name)
        left -= lines.size
    told = {why: ", ".join(name for name in out if out[name] == why and name != "this table") for why in out.values()}
    left_out = "; ".join(f"table {names}: {why}" for why, names in told.items() if names)
    if not tried:
        raise Skipped(f"no table is small enough to try everything ({left_out}): name one in `tables`")
    trial.note = f"at {', '.join(tried)}" + f"; left out are {left_out}" * bool(left_out)


def _check_sample(trial: Trial, name: str, at: Table, lines: _Lines) -> None:
    rng, left, square, freedom, worst = np.random.default_rng(trial.seed), trial.draws, 0.0, 0, (0.0, "")
    for paid in lines.results:
        _check_end(trial, at, np.array(paid), lines.longest)
    classes = list(lines.by_observation().items())
    for number in rng.permutation(len(classes)):
        (seat, seen), real = classes[number]
        trial.where = {"table": name, "agent": f"player_{seat}"}
        left -= (draws := _FEWEST if len(real) == 1 else _FOR_EACH * len(real))
        if left < 0:
            break
        expected, found = lines.expected(seat, real), lines.sampled(seat, seen, draws, rng)
        for future in found.keys() - expected.keys():
            one, other = _contrast(at, found[future][1], real)
            _fail_sample(trial, at, f"sample deals {one}, where all play that shows the same leads to {other}")
        for future, (chance, position) in expected.items():
            if future not in found:
                one, other = _contrast(at, position, [each for _, each in found.values()])
                what = f"sample never deals {one} in {draws} draws, but {other}; play that shows the same does"
                _fail_sample(trial, at, what)
            often, about = found[future][0], draws * chance
            off = (often - about) ** 2 / about
            square, freedom = square + off, freedom + 1
            if off > worst[0]:
                one = _contrast(at, position, real.keys() - {position})[0]
                worst = off, f"sample deals {one} {often} times in {draws} draws; by the cards it is about {about:.0f}"
        freedom -= 1
    if square > freedom + _SURE * (2 * freedom) ** 0.5 + _SURE**2:
        _fail_sample(trial, at, worst[1])


def _fail_sample(trial: Trial, at: Table, what: str) -> NoReturn:
    """Fail, for another reason if chance is not as declared, so that what was tried is not what happens."""
    compare_chance(trial, at)
    trial.fail(what)


def _small(at: Table) -> tuple[dict[str, Table], dict[str, str]]:
    """Tables of which all deals can be tried, by name, the fewest first, and why others are left out.

    They are the named ones, or the smallest one; and this one. If this one is among those named, no other one.
    """
    if at.game.rules.redeal is None or at.game.extra_decks:
        raise Skipped("a deal of this game is not one deck, nor draws")
    low = {option.name: option.low for option in declared_options(at.game.options) if option.kind == "integer"}
    smallest = Table(at.game, *at.game.choose_table(at.game.min_players), low)
    named: dict[str, Table | NamedTable] = {**at.game.tables} or {"the smallest table": smallest}
    tables = {}
    for name, table in {**named, "this table": at}.items():
        with suppress(ValueError):  # options that do not go together
            options = at.game.check_options(table.num_players, table.variant, table.options)
            tables[name] = Table(at.game, table.num_players, table.variant, options)
    tables = {name: table for name, table in tables.items() if name in named and table == at} or tables
    decks = {name: make_deck(at.game, table.num_players, table.options) for name, table in tables.items()}
    ways = {name: deck.ways(len(deck.laid))[0] for name, deck in decks.items()}
    few = sorted((name for name in tables if ways[name] <= _MOST_ORDERS), key=ways.__getitem__)
    out = {name: f"more than {_MOST_ORDERS:,} deals" for name in tables if name not in few}
    return {name: tables[name] for name in few}, out


def _contrast(at: Table, position: bytes, others: Iterable[bytes]) -> tuple[str, str]:
    """The first field in which a position differs from the one of the others that is nearest, in both."""
    record, *records = (np.frombuffer(each, at.game.state_dtype)[0] for each in (position, *others))
    differences = [[name for name in record.dtype.names if (record[name] != each[name]).any()] for each in records]
    names = min(filter(None, differences), key=len, default=["key"])
    other = records[differences.index(names)] if names in differences else record
    one, another = (f"{names[0]}={_named(at.game, names[0], each[names[0]])}" for each in (record, other))
    field = at.game.fields.fields.get(names[0])
    is_shown = field is not None and field.part is not None and not field.own
    return one, another + " (and everybody is shown that)" * is_shown


def _named(game: Game, name: str, values: Any) -> Any:
    """The values of a field for people: cards that are counted, by name."""
    field = game.fields.fields.get(name)
    is_counted = field is not None and field.cards == "count"
    return counted(values.tolist(), game.card_names) if is_counted else values.tolist()


class _Lines:
    """All that can happen at a table, from every order of its cards, when seat 0 starts.

    A position is a record without its key, as bytes. `deals`: by position, the orders that can lead to it; `longest`:
    the number of actions of the longest game; `results`: of all games; `size`: of `deals`, at most ``most``.

    Raises `Skipped` if they are more.
    """

    def __init__(self, at: Table, most: int) -> None:
        self.size, self._most = 0, most
        self._at, self._functions, self._arrays = at, game_functions(at.game), at.game.new_arrays()
        blank = zeros(2, at.game.state_dtype)
        blank[:1] = at.game.new_state(*at[1:])
        self._shuffles = Shuffles(at.game, blank, make_deck(at.game, at.num_players, at.options))
        self._ways, self._futures = dict[bytes, list[Any]](), dict[bytes, int]()
        self.deals, self.results, self.longest = defaultdict[bytes, Deals](dict), set[tuple[float, ...]](), -1
        level = defaultdict[bytes, Deals](dict)
        for number, ((deck, start), chance) in enumerate(self._shuffles.openings([0])):
            records = copied(blank)
            self._functions.begin(records, np.uint64(0), start)
            game_functions(at.game).redeal[at.game.dealt](records, deck)
            level[_position(records)][number,] = chance
        while level:
            level, self.longest = self._below(level), self.longest + 1

    def _below(self, level: dict[bytes, Deals]) -> defaultdict[bytes, Deals]:
        below, coming = defaultdict[bytes, Deals](dict), 0
        for position, deals in level.items():
            self.size += len(deals)
            self.deals[position].update(deals)
            for ways in self._ways_on(position):
                for number, (after, chance, _) in enumerate(ways):
                    more = (number,) if len(ways) > 1 else ()
                    below[after].update({(*deal, *more): before * chance for deal, before in deals.items()})
                    coming += len(deals)
                if max(self.size, coming) > self._most:
                    raise Skipped("the table has too many positions")
        return below

    def _ways_on(self, position: bytes) -> list[Any]:
        """By legal action: the positions after it, with their probability and what is paid."""
        if position not in self._ways:
            records, found = self._records(position), []
            for action in self._legal(records):
                after = copied(records)
                flags, paid = step_with(self._at.game, after, action)
                ways = [(_position(after), 1.0, tuple(paid))]
                if after["deals"][0] > records["deals"][0] or has_reshuffled(self._at.game, records, after, flags):
                    ways = [
                        self._way(records, action, *order) for order in self._shuffles.after(records, action)
                    ] or ways
                if flags & OVER:
                    self.results.add(tuple(paid))
                found.append(ways)
            self._ways[position] = found
        return self._ways[position]

    def _way(self, records: Any, action: int, order: Any, chance: float) -> tuple[bytes, float, tuple[float, ...]]:
        after = copied(records)
        paid = step_with(self._at.game, after, action, order)[1]
        return _position(after), chance, tuple(paid)

    def _records(self, position: bytes) -> Any:
        records = zeros(2, self._at.game.state_dtype)
        records[:1] = np.frombuffer(position, self._at.game.state_dtype)
        return records

    def _table(self, position: bytes) -> Any:
        """The records without what is not on the table, such as memories."""
        records = self._records(position)
        for name, field in self._at.game.fields.fields.items():
            records[name] *= field.on_table
        return records

    def _told(self, position: bytes) -> str:
        """The position in words, in which equal cards have no numbers."""
        return str(self._at.game.words.snapshot(self._table(position)[0], None))

    def _legal(self, records: Any) -> list[int]:
        if records["player"][0] == NOBODY:
            return []
        self._functions.look(records, int(records["player"][0]), *self._arrays)
        return [*np.flatnonzero(self._arrays[1])]

    def _seen(self, records: Any) -> list[bytes]:
        """What each seat observes."""
        seen = []
        for seat in range(self._at.num_players):
            self._functions.look(records, seat, *self._arrays)
            seen.append(self._arrays[0].tobytes())
        return seen

    def _future(self, position: bytes) -> int:
        """A hash of all that can be observed from here on."""
        if position not in self._futures:
            ways = [[(self._future(after), paid) for after, _, paid in each] for each in self._ways_on(position)]
            records = self._table(position)
            self._futures[position] = hash((str(ways), *self._legal(records), *self._seen(records)))
        return self._futures[position]

    def by_observation(self) -> dict[tuple[int, bytes], dict[bytes, Deals]]:
        """By seat and observation: the positions that show it, before the end."""
        found = defaultdict[tuple[int, bytes], dict[bytes, Deals]](dict)
        for position, deals in self.deals.items():
            records = self._records(position)
            if records["player"][0] != NOBODY:
                for shown in enumerate(self._seen(records)):
                    found[shown][position] = deals
        return found

    def expected(self, seat: int, real: dict[bytes, Deals]) -> dict[int, tuple[float, bytes]]:
        """By the future of positions: their probability and one of them."""
        weight = self._at.game.sample_weight
        merged, one = defaultdict[int, Deals](dict), dict[int, bytes]()
        for position, deals in real.items():
            future = self._future(position)
            by_weight = weight and {self._told(position): weight(self._records(position)[0], seat)}
            merged[future].update(by_weight or deals)
            one[future] = position
        total = sum(sum(deals.values()) for deals in merged.values())
        return {future: (sum(deals.values()) / total, one[future]) for future, deals in merged.items()}

    def sampled(self, seat: int, seen: bytes, draws: int, rng: np.random.Generator) -> dict[int, tuple[int, bytes]]:
        """By the future of sampled positions: how often they were drawn, and one of them."""
        observation, found = np.frombuffer(seen, self._at.game.layout.dtype), dict[int, tuple[int, bytes]]()
        drawn, counts = zeros(1, self._at.game.state_dtype), Counter[bytes]()
        for _ in range(draws):
            drawn[:] = np.zeros(1, drawn.dtype)
            self._functions.sample(observation, rng.integers(2**64, dtype=np.uint64), drawn)
            counts[_position(drawn)] += 1
        for dealt, often in counts.items():
            position = _position(rotated(self._at.game, self._records(dealt)[:1], seat))
            future = self._future(position)
            found[future] = found.get(future, (0,))[0] + often, position
        return found


def _position(records: Any) -> bytes:
    records["key"] = 0
    return bytes(records[:1])
