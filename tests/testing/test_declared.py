"""What a game declares is proved for ours, and each fault that is planted in an example is found and named."""

import functools
import inspect
from pathlib import Path
from types import SimpleNamespace

import pytest

from blackjacky_env.compiled import tiers
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games.schwarze_katze import imagined
from blackjacky_env.testing import ConformanceError, Skipped, check, check_all
from blackjacky_env.testing import declared as kit
from tests.testing.test_leaks import GOOFSPIEL, declared

KUHN = (Path(__file__).parents[1] / "kuhn_poker.py").read_text("utf-8")
THREE_PRIZES = GOOFSPIEL.replace("CARDS, NONE = 4", "CARDS, NONE = 3").replace("(1, 2, 3, 4)", "(1, 2, 3)")
LIARS_DICE = (Path(__file__).parents[2] / "examples" / "liars_dice" / "liars_dice.py").read_text("utf-8")
OTHER_CARD = "(s.cards[0] + 1 + below(draw(bits, 1), 2)) % 3"
TINY = (Path(__file__).parents[1] / "tiny_game.py").read_text("utf-8")
FAULTS = {
    "what was played is dealt": (
        *(THREE_PRIZES, "if not s.turned[prize]", "if prize >= 0"),
        *("sample", r"sample deals prizes=\[.*\], where all play that shows the same leads to prizes=\[.*\]"),
    ),
    "what a seat is known to lack is dealt to it": (
        *(THREE_PRIZES, "if s.hands[1, card]", "if card >= 0"),
        *("sample", r"sample deals bid=\[.*\], where all play that shows the same leads to bid=\[.*\]"),
    ),
    "the observer's card is dealt": (
        *(KUHN, OTHER_CARD, "below(draw(bits, 1), 3)"),
        *("sample", r"sample deals cards=\[(\d), \1\], where all play that shows the same leads to cards=\[\d, \d\]"),
    ),
    "the observer's card is dealt at a large table": (
        *(KUHN, OTHER_CARD, "s.cards[0]"),
        *("declaration", r"as sampled for player_\d, '(.)' is there 2 times, and the deck has 1: cards=\[(\d), \2\]"),
    ),
    "always the same order": (
        *(KUHN, OTHER_CARD, "(s.cards[0] + 1) % 3"),
        *("sample", r"sample never deals cards=\[\d, \d\] in 100 draws, but cards=\[\d, \d\]"),
    ),
    "one order is dealt more often": (
        *(KUHN, "below(draw(bits, 1), 2)", "(below(draw(bits, 1), 3) > 0)"),
        *("sample", r"sample deals cards=\[\d, \d\] \d+ times in 100 draws; by the cards it is about 50"),
    ),
    "results that do not sum to 0": (
        *(KUHN, "rewards[1] = -rewards[0]", "rewards[1] = rewards[0]"),
        *("declaration", r"the results are \[-?\d.*\]; required are results in -1 .. 1 that sum to 0"),
    ),
    "more actions than declared": (
        *(THREE_PRIZES, "2 * CARDS,", "2 * CARDS - 1,"),
        *("declaration", "a game has 6 actions, and most_actions says 5"),
    ),
    "a large record": (
        *(KUHN, '"deals", 0, 1', '"deals", 0, 1), hidden("more", 0, 1, (700,)'),
        *("declaration", r"a record has \d+ bytes; allowed are 700"),
    ),
    "an invariant": (
        *(KUHN, "rules=", 'invariant=lambda s: f"last={s.last}" if s.last == BET else None, rules='),
        *("declaration", "the invariant is broken: last=1"),
    ),
    "chance in a deal that is not declared": (
        *(
            LIARS_DICE,
            "= draws[seat * s.dice + die]",
            "= draws[seat * s.dice + die]\n    s.player = below(draw(s.key, 0), 2)",
        ),
        *("declaration", r"something beside .* is drawn from the key; the field player is \d with one key, \d with"),
    ),
    "chance in an action": (
        *(
            KUHN,
            "s.before, s.last, s.player = ",
            "s.winners[0] = below(draw(s.key, 0), 2)\n    s.before, s.last, s.player = ",
        ),
        *("declaration", r"something beside .* is drawn from the key; the field winners is .* with one key, .* with"),
    ),
    "all players have the same dice": (
        *(LIARS_DICE, "draw(chance, seat * DICE + die)", "draw(chance, die)"),
        *("declaration", r"cup\[\d, (\d)\]=(\d) and cup\[\d, \1\]=\2 is in .* of the declared draws"),
    ),
    "cards that are not shuffled": (
        *(GOOFSPIEL, "    shuffle(s.prizes, CARDS, stream(key, 1, 0, 0))\n", ""),
        *("declaration", r"prizes\[\d\]=\d is in 10,000 of 10,000 deals from keys, .* of the declared deck"),
    ),
    "every deal is the same": (
        *(TINY, "stream(s.key, FOR_DEALS, s.round, 0)", "stream(s.key, FOR_DEALS, 0, 0)"),
        *("declaration", r"deal \d cards\[\d\]=(\d) and deal \d cards\[\d\]=\1 is in .* of the declared deck"),
    ),
    "more actions than declared, in rare games": (
        *(LIARS_DICE, "rules=", "most_actions=lambda *table: 20, rules="),
        *("declaration", r"a game has \d+ actions, and most_actions says 20"),
    ),
    "a value out of its range": (
        *(GOOFSPIEL, '"points", 0, 10', '"points", 0, 8'),
        *("declaration", r".*points of this state is .*; allowed are 0 .. 8"),
    ),
    "an error in the rules": (
        *(KUHN, "1 - s.player", "1 - s.players"),
        *(
            "plain",
            r"the environment raised .*players.*, in apply, line \d+ of .*\.py: s.before, s.last, s.player = ",
        ),
    ),
}


IGNORANT = """
from dataclasses import replace
from blackjacky_env.games.schwarze_katze import GAME as RIGHT
GAME = replace(RIGHT, name="ignorant", rules=replace(RIGHT.rules, sample=sample))
"""


@pytest.mark.parametrize(("source", "right", "wrong", "name", "said"), FAULTS.values(), ids=FAULTS)
def test_a_planted_fault_is_found_and_named(source, right, wrong, name, said, tmp_path, monkeypatch):
    assert right in source
    monkeypatch.setattr(tiers, "PATIENCE", 1e9)  # nothing is compiled
    game = declared(source.replace(right, wrong), tmp_path, monkeypatch)
    with pytest.raises(ConformanceError, match=rf"^{name}.*: {said}"):
        check(name, functools.partial(TableEnv, game))


def test_after_an_error_in_plain_python_nothing_is_compiled(tmp_path, monkeypatch):
    game = declared(KUHN.replace("1 - s.player", "1 - s.players"), tmp_path, monkeypatch)
    assert list(check_all(functools.partial(TableEnv, game))) == ["plain"]


def test_a_table_that_is_asked_for_is_left_out_aloud(tmp_path, monkeypatch):
    tables = 'tables={"big": NamedTable("big", 4, "classic", {"dice": 2})}, rules='
    game = declared(LIARS_DICE.replace("rules=", tables, 1), tmp_path, monkeypatch)
    with pytest.raises(Skipped, match="table big: more than 5,000 deals"):
        check("sample", functools.partial(TableEnv, game, table="big"))


def test_a_bot_that_acts_illegally_is_named(tmp_path, monkeypatch):
    game = declared(KUHN, tmp_path, monkeypatch)
    bots = {"bold": (lambda observation, mask, bits, parameters: 2,)}
    monkeypatch.setattr(kit, "find", lambda name: lambda game: SimpleNamespace(bots=bots))
    with pytest.raises(ConformanceError, match=r"bots \(bot bold, step 0\): action 2 is out of range"):
        check("bots", functools.partial(TableEnv, game))


@pytest.mark.prove
def test_known_voids_that_are_ignored_are_found(tmp_path, monkeypatch):
    right, wrong = "not s.voids[p, suit_of(card)]", "True"
    source = inspect.getsource(imagined)
    assert right in source
    game = declared(source.replace(right, wrong) + IGNORANT, tmp_path, monkeypatch)
    with pytest.raises(
        ConformanceError, match=r"^sample .*: sample deals where=\[.*, where all play .* leads to where=\["
    ):
        check("sample", functools.partial(TableEnv, game))


@pytest.mark.prove
@pytest.mark.parametrize(
    ("name", "table", "positions", "draws"),
    [
        ("black_jacky", "mini-2", 3884, 40_000),
        ("schwarze_katze", "mini-1", 1686, 170_000),
        ("black_spy", "mini-1", 4557, 10_000),  # all: `--set draws=250000`
    ],
)
def test_sampled_positions_are_those_of_every_line_of_play(monkeypatch, name, table, positions, draws):
    met, lines = [], kit._Lines
    monkeypatch.setattr(kit, "_Lines", lambda at, most: met.append(lines(at, most)) or met[0])
    check("sample", functools.partial(TableEnv, name, table=table), draws=draws)
    running = (each for each in met[0].deals if met[0]._records(each)["player"][0] >= 0)
    assert len({*map(met[0]._future, running)}) == positions  # those that somebody may tell apart


def test_where_no_table_is_small_enough_the_check_says_so_soon(monkeypatch):
    monkeypatch.setattr(kit, "_MOST_WAYS", 10)
    with pytest.raises(Skipped, match=r"table mini-4: more than 5,000 deals; table mini-1, .*: more than 10 deals"):
        check("sample", functools.partial(TableEnv, "black_jacky"))
