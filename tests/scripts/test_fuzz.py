"""scripts/proofs/fuzz.py: a planted bug is found."""

import json

import pytest

from blackjacky_env.envs.aec import TableEnv
from scripts.proofs import fuzz
from tests.games.black_jacky.reference.rules import Player
from tests.games.schwarze_katze.reference.rules import Card
from tests.reference.side_by_side import Difference

pytestmark = pytest.mark.prove
IMPORT = "from tests.reference.side_by_side import SideBySide"


@pytest.fixture
def run(tmp_path):
    """Run the script in this process, with chunks of 100 actions; returns the exit status."""

    def main(actions, *more, at_least=0):
        given = f"--actions {actions} --chunk 100 --workers 1 --at-least {at_least}".split()
        return fuzz.main([*given, "--output", str(tmp_path / "fuzz.json"), *more])

    return main


@pytest.fixture
def results(tmp_path):
    return lambda: json.loads((tmp_path / "fuzz.json").read_text(encoding="utf-8"))


def play_code(text):
    exec(IMPORT + text.rpartition(IMPORT)[2], {})


def laid_out_8_like_any_other(player, plus_one):
    """T8 forgotten."""
    laid = sum(10 * value for value in player.display if value != 5)
    return 10 * sum(player.hand) + laid + (10 if plus_one else 0)


def queen_like_other_hearts(card, heart_ace, penalty=Card.penalty):
    """K6 forgotten: the queen of spades costs what other cards may cost."""
    return min(penalty(card, heart_ace), 11)


def exchange_without_the_giver(env, agent, observe=TableEnv.observe):
    """T3: whoever is not in an exchange would see that somebody has given a card, but not who."""
    seen, exchange_given = observe(env, agent), 119
    if seen["observation"][exchange_given] and int(agent[-1]) not in env.snapshot()["exchange"]["pair"]:
        seen["observation"][exchange_given] = 0
    return seen


@pytest.mark.parametrize(
    ("game", "owner", "name", "bug", "said"),
    [
        # A laid-out 8, and knocks until settlement; the trick with the queen of spades; an exchange, seen off turn.
        ("black_jacky", Player, "tenths", laid_out_8_like_any_other, "last_settlement"),
        ("schwarze_katze", Card, "penalty", queen_like_other_hearts, "penalties"),
        ("black_jacky", TableEnv, "observe", exchange_without_the_giver, "exchange_given"),
    ],
)
def test_a_bug_in_the_rules_is_found_in_a_game_that_can_be_pasted(
    run, results, monkeypatch, capsys, game, owner, name, bug, said
):
    with monkeypatch.context() as planted:
        planted.setattr(owner, name, bug)
        assert run(100_000, "--game", game, at_least=1) == 1
        text, first = capsys.readouterr().out, results()
        with pytest.raises(Difference, match=said):
            play_code(text)
        assert run(100_000, "--game", game, at_least=1) == 1  # finds it again
        assert results() == first
    play_code(text)
