"""blackjacky play: a game in the terminal, from scripted input."""

import io
import json
import re
from unittest.mock import Mock

import numpy as np
import pytest

from blackjacky_agents import cli
from blackjacky_agents.cli import play, terminal
from blackjacky_agents.cli.arguments import read_arguments
from blackjacky_agents.registry import display_names
from blackjacky_agents.search import hints
from blackjacky_agents.storage.files import only_writer
from blackjacky_env import black_jacky_v0
from blackjacky_env.draw.text import WIDTH, columns_of
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT, GAMES, get_game
from blackjacky_env.play.states import sample_state
from tests.agents.solving.tables import with_examples
from tests.envs.playing import play_randomly
from tests.every_game import TINY

EVERY = [pytest.param(name, marks=[] if name == DEFAULT else pytest.mark.prove) for name in GAMES]


@pytest.fixture
def run(monkeypatch, capsys):
    """Play with these lines as input; what was printed."""

    def run(*args, lines=()):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        status = cli.run("play", args)
        printed = capsys.readouterr()
        assert (status, printed.err) == (0, "")
        return printed.out

    return run


def test_a_game_is_played_to_its_end_and_kept(run, tmp_path):
    kept = tmp_path / "game.json"
    args = ["--opponents", "random*2", "--seat", "1", "--seed", "4", "--as", "Anna", "--save", str(kept)]
    told = run(*args, lines=["1"] * 200)
    assert "Black Jacky: random 2, Anna (you), random 1; seed 4." in told
    assert "seen by Anna" in told
    assert "player_" not in told
    assert "\x1b" not in told
    assert re.search(r"  Anna draws an? [1-8]\.", told)
    assert re.search(r"  random \d draws a card", told)
    assert not re.search(r"random \d (draws an?|gives an?) \d", told)
    winner = re.search(r"\n(Nobody|Anna|random \d)[^\n]* won the game\.\nGame saved to", told)[1]
    game = json.loads(kept.read_text(encoding="utf-8"))
    env = black_jacky_v0.env(num_players=3)
    env.unwrapped.replay(game["record"])
    winners = [game["names"][f"player_{seat}"] for seat in env.snapshot()["winners"]]
    assert winners[:1] == ([winner] if winner != "Nobody" else [])
    assert game["names"] == {"player_0": "random 2", "player_1": "Anna", "player_2": "random 1"}
    assert list(tmp_path.iterdir()) == [kept]


def test_mistakes_get_an_answer_and_the_end_of_input_ends_politely(run):
    lines = ["", "help", "77", "shuffle", "? sw", "? lay 4", "lay 4", "no", "swap", "sw 7 dis"]
    told = run("--opponents", "random*3", "--seed", "8", lines=lines)
    assert max(map(columns_of, told.splitlines())) <= WIDTH + len("> ")  # also where there is no terminal
    for answer in (
        "Type a number or a name",
        "lay 4: the next active player draws a card. Not now: ",
        "There is no choice 77; the numbers are 1 .. 2.",
        "No choice is called 'shuffle'. Type a number, or words such as 'no trick' or ",
        "choices like this is allowed now.",
        "'lay 4' is illegal: there is no 4 in the hand",
        "Ambiguous; it could be: swap 7 with the draw pile; swap 7 with the discard pile.",
        "Game abandoned. Goodbye!",
    ):
        assert answer in " ".join(told.split())


@pytest.mark.prove
@pytest.mark.parametrize("game", ["black_jacky", "schwarze_katze"])
def test_a_hint_says_who_would_choose_what_and_what_may_come_of_it(monkeypatch, game):
    monkeypatch.setattr(hints, "_POSITIONS", 8)
    sitting = terminal.Sitting(game, ["random"] * 3, seed=3)
    while sitting.env.agent_selection != sitting.me:
        sitting.env.step(sitting.act_for_agent())
    before, choices = sitting.env.get_state(), list(sitting.choices.values())
    told = terminal.hint(sitting, sitting.choices)
    assert sitting.env.get_state() == before
    advised = re.findall(r"would choose: (.*?)\.", told)
    rows = re.findall(r"\n  (.+?) +\d+ % \(\d+ % \.\. \d+ %\) +", told)
    assert len(set(rows)) == min(len(choices), 4)
    assert set(advised) <= set(rows) <= set(choices)
    observation = sitting.env.observe(sitting.me)["observation"]
    sitting.env.set_state(sample_state(sitting.env.game, observation, np.random.default_rng(1)))
    assert terminal.hint(sitting, sitting.choices) == told, "nothing hidden has a part in it"


@pytest.mark.prove
def test_a_hint_speaks_of_a_score_only_where_there_is_one_and_cards_have_their_names():
    with with_examples():
        sitting = terminal.Sitting("kuhn_poker", ["random"], seed=0)
        assert re.search(r"\n +wins the game\n +(pass|bet) .* %\)\n", terminal.hint(sitting, sitting.choices))
        assert re.search(rf"{sitting.me} .*[JQK]\n", sitting.env.draw_text(sitting.me))


def test_a_trained_agent_has_the_name_of_its_run():
    assert display_names(["ppo:runs/v1.2", "ppo:a/b/weights.safetensors", "ppo:c.safetensors"]) == ["v1.2", "b", "c"]


@pytest.mark.parametrize("game", EVERY)
def test_tables_fit_the_terminal(game):
    players = get_game(game).max_players
    env = TableEnv(game, players)
    env.reset(seed=1)
    called = display_names(["Maximiliane Schmidt", *["\u732b" * 5] * (players - 1)])
    for move in range(10):
        play_randomly(env, move, 6)
        for width in (40, 200):
            drawn = env.draw_text("player_0", names=called, width=min(width, WIDTH)).split("\n")
            assert max(map(columns_of, drawn)) <= min(width, WIDTH)


def test_ctrl_c_ends_the_game_with_status_130_and_keeps_it(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("builtins.input", Mock(side_effect=KeyboardInterrupt))
    kept = tmp_path / "game.json"
    assert cli.run("play", ["--opponents", "random", "--seed", "2", "--hearts", "1", "--save", str(kept)]) == 130
    assert "Interrupted." in capsys.readouterr().err
    record = json.loads(kept.read_text(encoding="utf-8"))["record"]
    assert (record["actions"], record["options"]["hearts"]) == ([], 1)


def test_a_second_server_on_the_same_tables_is_refused(tmp_path, capsys):
    """Two would add diverging moves to one file."""
    with only_writer(tmp_path):
        assert cli.run("play", ["--web", "--folder", str(tmp_path), "--port", "0"]) == 2
    assert f"error: {tmp_path} is being written by another process" in capsys.readouterr().err


@pytest.mark.parametrize(("options", "is_table"), [(["--as", "Ann"], True), (["--people", "2"], True), ([], False)])
def test_in_the_browser_a_name_opens_a_table_as_other_options_do(options, is_table):
    assert play.describes_table(read_arguments(play.Args, ["--web", *options], "play")) == is_table


@pytest.mark.usefixtures("tiny", "empty_folder")
def test_a_person_plays_a_game_that_the_command_does_not_know(typed, monkeypatch):
    answers = iter(["help", "? 1", "hint", *["1"] * 20])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    told = typed(f"play --game {TINY} --seed 3").out
    assert told.startswith("Tiny: Guest (you), random 1, random 2; seed 3.")
    assert "Your turn: bid." in told
    odds = r"\d+ % \(\d+ % \.\. \d+ %\)"
    assert re.search(r"\nrandom would choose: bid \d\..*\n +wins the game +in this round\n", told)
    assert re.search(rf"\n +bid \d +{odds} +[+-]\d+\.\d points", told)
    assert "random 1: bid " in told
    assert "won the game" in told
