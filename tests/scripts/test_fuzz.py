"""scripts/proofs/fuzz.py: long runs go on where they stopped, and a planted bug is found and shrunk."""

import importlib
import json
import random
import subprocess
import sys
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path

import pytest

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game
from tests.games.black_jacky.reference.rules import Player, ReferenceGame
from tests.games.schwarze_katze.reference.rules import Card
from tests.reference.declaration import Kind
from tests.reference.registry import REFERENCES
from tests.reference.shrinking import pinned
from tests.reference.side_by_side import Deal, Difference, Story

SCRIPTS = Path(__file__).parents[2] / "scripts"
DRAWN = 50  # games of each kind
IMPORT = "from tests.reference.side_by_side import SideBySide"


@pytest.fixture
def fuzz(monkeypatch):
    """Return the script as a module."""
    monkeypatch.syspath_prepend(SCRIPTS)
    return importlib.import_module("fuzz")


@pytest.fixture
def run(fuzz, tmp_path):
    """Run the script in this process, with chunks of 100 actions; returns the exit status."""

    def main(actions, *more, at_least=0):
        given = f"--actions {actions} --chunk 100 --workers 1 --at-least {at_least}".split()
        return fuzz.main([*given, "--output", str(tmp_path / "fuzz.json"), *more])

    return main


@pytest.fixture
def results(tmp_path):
    """Return what the script has kept, but the time that it took."""

    def read():
        kept = json.loads((tmp_path / "fuzz.json").read_text(encoding="utf-8"))
        del kept["seconds"]
        return kept

    return read


def play_code(text):
    """Play the last program in a text."""
    exec(IMPORT + text.rpartition(IMPORT)[2], {})


# -- runs -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", REFERENCES)
def test_a_run_without_difference_reports_what_was_played(game, fuzz, run, results, capsys):
    assert run(600, "--game", game) == 0
    counts, text = results()["counts"], capsys.readouterr().out
    played = counts["total"]["actions"]
    assert played >= 600
    for group in ("table size", "variant", "rule options", "policy"):
        assert sum(counts[group].values()) == played
        for name, actions in counts[group].items():
            assert f"| {group} | {name} | {actions:,} | {actions / played:.1%} |" in text
    usual = {option.name for option in fields(get_game(game).options)}
    assert counts["changed option"].keys() == {*usual, fuzz.ALL}
    for name, games in counts["changed option"].items():
        shown = name if name == fuzz.ALL else f"`{name}`"
        assert f"| {shown} | {games:,} | {games / counts['total']['games']:.1%} |" in text
    assert [*counts["event"]] == [*REFERENCES[game].events]
    for name, times in counts["event"].items():
        assert f"| `{name}` | {times:,} |" in text


def options_of_whole_decks(game):
    """The rule options but that of small decks, which the reference implementations do not have."""
    return [option.name for option in fields(game.options) if option.name != "deck"]


def test_options_that_are_not_at_their_defaults_are_counted(fuzz):
    reference = REFERENCES["black_spy"]
    usual, everything = Kind(3, "uniform", {"mole": False, "max_deals": 1}), reference.kinds[0]
    assert fuzz.changed_options("black_spy", fuzz.draw(reference, usual, random.Random(0))[1]) == ["max_deals"]
    changed = fuzz.changed_options("black_spy", fuzz.draw(reference, everything, random.Random(0))[1])
    assert changed == [*options_of_whole_decks(get_game("black_spy")), fuzz.ALL]


def test_a_run_that_has_met_an_event_too_seldom_fails_and_names_it(run, results, capsys):
    assert run(300, at_least=1) == 1
    never = [name for name, times in results()["counts"]["event"].items() if times == 0]
    said = capsys.readouterr().err
    assert never
    for name in never:
        assert f"too rare: {name} occurred 0 times, but 1 are required" in said


def test_a_run_that_was_stopped_goes_on_and_ends_like_one_that_was_not(fuzz, run, results, tmp_path, monkeypatch):
    assert run(900) == 0
    expected = results()
    (tmp_path / "fuzz.json").unlink()
    played, play_chunk = [], fuzz.play_chunk

    def interrupted(game, seed, number, actions):
        played.append(number)
        if len(played) == 4:
            raise KeyboardInterrupt
        return play_chunk(game, seed, number, actions)

    monkeypatch.setattr(fuzz, "play_chunk", interrupted)
    assert run(900) == 130
    assert results()["chunks"] == 3
    assert run(900) == 0
    assert results() == expected
    assert played == [0, 1, 2, 3, *range(3, expected["chunks"])]


def test_a_finished_run_plays_nothing_more_unless_more_actions_are_asked_for(run, results):
    assert run(200) == 0
    first = results()
    assert run(200) == 0
    assert results() == first
    assert run(first["counts"]["total"]["actions"] + 1) == 0
    assert results()["chunks"] == first["chunks"] + 1


def test_what_is_kept_of_another_run_is_not_touched(fuzz, run, results, monkeypatch, capsys):
    assert run(100) == 0
    kept = results()
    assert run(100, "--seed", "1") == 2
    assert "contains a run with seed 0, not 1: delete it, or name another --output" in capsys.readouterr().err
    monkeypatch.setattr(fuzz, "code", lambda game: "other")
    assert run(100) == 2
    assert "not 'other'" in capsys.readouterr().err
    assert results() == kept


@pytest.mark.parametrize(
    "wrong", [("--seed", "-1"), ("--at-least", "-1"), ("--workers", "0"), ("--chunk", "0"), ("--game", "x")]
)
def test_impossible_arguments_are_named(run, capsys, wrong):
    assert run(100, *wrong) == 2
    assert wrong[0] in capsys.readouterr().err


def test_workers_change_nothing_in_the_results(run, results, tmp_path):
    assert run(500) == 0
    output = tmp_path / "by_two.json"
    given = ["--actions", "500", "--chunk", "100", "--at-least", "0", "--output"]
    command = [sys.executable, str(SCRIPTS / "proofs" / "fuzz.py"), *given, str(output)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    by_two = json.loads(output.read_text(encoding="utf-8"))
    assert {name: by_two[name] for name in results()} == results()


@pytest.mark.parametrize("reference", REFERENCES.values(), ids=list(REFERENCES))
def test_the_schedule_gives_a_tenth_or_more_to_every_table_size_and_policy_with_and_without_options(fuzz, reference):
    kinds = fuzz.kinds(reference)
    for num_players in reference.sizes():
        here = [kind for kind in kinds if kind.num_players == num_players]
        assert len(here) >= len(kinds) / 10
        assert {kind.policy for kind in here} >= {None, *reference.all_policies}
        options = [kind.options for kind in here]
        for variant in reference.variants:
            if num_players in variant.sizes:
                assert ({} if variant is reference.variants[0] else {"variant": variant.name}) in options
        assert None in options


@pytest.mark.parametrize("reference", REFERENCES.values(), ids=list(REFERENCES))
def test_the_schedule_changes_every_rule_option_in_a_tenth_of_the_actions(fuzz, reference):
    """Each kind gets as many actions as every other, whatever the length of its games."""
    game, rng, kinds = get_game(reference.name), random.Random(0), fuzz.kinds(reference)
    changed = Counter()
    for kind in kinds:
        for _ in range(DRAWN):
            _, options = fuzz.draw(reference, kind, rng)
            changed.update(fuzz.changed_options(game.name, options))
    for option in options_of_whole_decks(game):
        assert changed[option] >= len(kinds) * DRAWN / 10, option


def test_steered_games_come_on_top_and_are_reported_apart(fuzz, run, results, monkeypatch, capsys):
    """One random chunk, one of each steered kind, and another random one; what one of both meets has been met."""
    kinds = fuzz.kinds
    monkeypatch.setattr(fuzz, "kinds", lambda reference: kinds(reference)[:1])
    assert run(150, "--game", "halunken") == 0
    steered = [str(kind) for kind in REFERENCES["halunken"].steered]
    counts, text = results()["counts"], capsys.readouterr().out
    assert results()["chunks"] == len(steered) + 2
    assert sum(counts["policy"].values()) == counts["total"]["actions"] < 400
    for name in steered:
        assert counts["steered"][name] >= 100
        assert f"| {name} | {counts['steered'][name]:,} |" in text
    assert counts["event"]["buyer_must_be_robbed"] == 0 < counts["steered event"]["buyer_must_be_robbed"]
    run(150, "--game", "halunken", at_least=1)
    assert "too rare: buyer_must_be_robbed" not in capsys.readouterr().err


# -- planted bugs -----------------------------------------------------------------------------------------------------


def laid_out_8_like_any_other(player, plus_one):
    """T8 forgotten."""
    laid = sum(10 * value for value in player.display if value != 5)
    return 10 * sum(player.hand) + laid + (10 if plus_one else 0)


def queen_like_other_hearts(card, heart_ace, penalty=Card.penalty):
    """K6 forgotten: the queen of spades costs what other cards may cost."""
    return min(penalty(card, heart_ace), 11)


@pytest.mark.parametrize(
    ("game", "owner", "name", "bug", "options", "action", "length", "said"),
    [
        # Two players, a laid-out 8, and knocks until settlement.
        ("black_jacky", Player, "tenths", laid_out_8_like_any_other, {"num_players": 2}, 8, 4, "last_settlement"),
        # Three players, one deal, and the trick with the queen of spades.
        (
            *("schwarze_katze", Card, "penalty", queen_like_other_hearts, {"num_players": 3, "deals": 1}),
            *(Card.called("QS").number, 3, "penalties"),
        ),
    ],
)
def test_a_bug_in_the_rules_is_found_and_shrunk_to_a_game_that_can_be_pasted(
    run, results, monkeypatch, capsys, game, owner, name, bug, options, action, length, said
):
    with monkeypatch.context() as planted:
        planted.setattr(owner, name, bug)
        assert run(100_000, "--game", game, at_least=1) == 1
        text = capsys.readouterr().out
        short = results()["difference"]["short"]
        assert short["options"] == options
        assert action in short["actions"]
        assert len(short["actions"]) == length
        with pytest.raises(Difference, match=said):
            play_code(text)
    play_code(text)


def test_a_difference_in_one_entry_for_a_player_off_turn_is_found(run, results, monkeypatch, capsys):
    """T3: whoever is not in an exchange would see that somebody has given a card, but not who."""
    observe = TableEnv.observe

    def wrong(env, agent):
        seen, exchange_given = observe(env, agent), 119
        if seen["observation"][exchange_given] and int(agent[-1]) not in env.snapshot()["exchange"]["pair"]:
            seen["observation"][exchange_given] = 0
        return seen

    monkeypatch.setattr(TableEnv, "observe", wrong)
    assert run(100_000) == 1
    assert "exchange_given" in results()["difference"]["what"]
    assert results()["difference"]["short"]["options"]["num_players"] == 3
    with pytest.raises(Difference, match="observation of player_"):
        play_code(capsys.readouterr().out)


def test_a_breakdown_is_a_difference_too(run, monkeypatch, capsys):
    def broken(_game, _winners):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(ReferenceGame, "_losers", broken)
    assert run(100_000) == 1
    assert "environment and reference implementation differ: ZeroDivisionError: planted" in capsys.readouterr().out


def test_a_run_that_found_a_difference_finds_it_again(run, results, monkeypatch, capsys):
    monkeypatch.setattr(Player, "tenths", laid_out_8_like_any_other)
    assert run(100_000) == 1
    first = results()
    assert run(100_000) == 1
    assert results() == first
    assert capsys.readouterr().out.count("shrunk to ") == 2


def test_a_round_that_ends_before_the_deal_is_pinned_without_a_deck():
    """P1: the wanted tip before the deal."""
    story = Story("black_jacky", 0, {"num_players": 4}, deals=[Deal(1, 0, {"deck": [3, 1, 2]}), Deal(2, 8)])
    assert pinned(story).rigged == {"start_player": 1, "deck": [[3, 1, 2]]}
    assert pinned(replace(story, deals=story.deals[1:])).rigged == {"start_player": 2}
