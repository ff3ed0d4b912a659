"""The page "Your own game in your own package": it quotes the example, which has all that our games have."""

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from blackjacky_agents.kit.narration import SeenMove
from blackjacky_agents.wording import score_table
from blackjacky_env.draw.picture import draw_svg
from blackjacky_env.draw.scene import described, in_words
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, Registration
from blackjacky_env.testing import check_all
from blackjacky_env.testing.tables import PROMISES
from tests.drawings import cards, told

pytestmark = pytest.mark.prove

ROOT = Path(__file__).parents[1]
LEDUC, GOOFSPIEL, _ = EXAMPLES = [ROOT / "examples" / name for name in ("leduc_poker", "goofspiel", "liars_dice")]
PAGE = (ROOT / "docs" / "your_game.md").read_text("utf-8")

CHECKED = """
from blackjacky_env import goofspiel_v0, leduc_poker_v0, liars_dice_v0
from blackjacky_env.testing import check_all
from blackjacky_env.testing.tables import PROMISES
for module in (goofspiel_v0, leduc_poker_v0, liars_dice_v0):
    report = check_all(module.env, games=3, positions=60, **PROMISES)
    assert not report.failed and "skipped" not in str(report), report
"""

ENVIRONMENTS = """
import gymnasium, numpy, pettingzoo
from blackjacky_env import leduc_poker_v0, make_batch

make = getattr(pettingzoo, "make", lambda _, name, **options: leduc_poker_v0.env(**options))  # before 1.27
env = make("aec", "blackjacky/leduc_poker-v0", reward="chips")
env.reset(seed=1)
seen = env.observe(env.agent_selection)["observation"]
assert leduc_poker_v0.decode(seen)["open_card"] == 0

seats = gymnasium.make_vec("blackjacky/LeducPokerSeat-v0", num_envs=4, opponents=["bluffer"])
_, infos = seats.reset(seed=1)
assert infos["action_mask"].shape == (4, 3)
seats.step(infos["action_mask"].argmax(axis=1))

batch = make_batch("leduc_poker", num_games=5, seed=0)
batch.step(numpy.full(5, 1))
assert batch.observations.shape == (5, len(seen))
"""

AGENTS = """
import pathlib
from blackjacky_agents import bot_names, cli

assert bot_names("leduc_poker") == ["random", "cautious", "bluffer"]
for command in (
    "evaluate --agents cautious,ismcts:50 --games 20 --threads 1",
    "train --name leduc --steps 256 --num-envs 8 --n-steps 8 --batch-size 32 --hidden-sizes 8 --threads 1"
    " --bots cautious --snapshot-every 256 --eval-games 5 --final-eval-games 20",
    "tournament --agents cautious,random,ppo:runs/leduc --games 60 --threads 1",
    "watch --agents cautious,ppo:runs/leduc --seed 1 --delay 0",
):
    assert cli.main([*command.split(), "--game", "leduc_poker"]) == 0, command
assert pathlib.Path("runs/tournament/report.md").exists()
assert cli.main("evaluate --game liars_dice --agents counter,random*2 --games 20 --threads 1".split()) == 0
"""

SYMMETRIC = r"""
import contextlib, io, re
from blackjacky_agents import cli

with contextlib.redirect_stdout(io.StringIO()) as told:
    assert cli.main("solve --game goofspiel --exploitability 0.002 --threads 1".split()) == 0
assert abs(float(re.search(r"player_0 \| (\S+)", told.getvalue())[1])) < 0.002, told.getvalue()
"""

SOLVED = """
import json, sys
from blackjacky_env.openspiel import load_game
from open_spiel.python.algorithms import cfr, expected_game_score

name, options, unit, iterations, value = sys.argv[1:]
game = load_game(name, cards="all", start_player=0, **json.loads(options))
solver = cfr.CFRPlusSolver(game)
for _ in range(int(iterations)):
    solver.evaluate_and_update_policy()
found = float(unit) * expected_game_score.policy_value(game.new_initial_state(), [solver.average_policy()] * 2)[0]
assert abs(found - float(value)) < 1e-3, found
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The variables of a process in whose environment the examples are installed."""
    site = tmp_path_factory.mktemp("site")
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    install = [sys.executable, "-m", "pip", "install", "--quiet", *offline]
    subprocess.run([*install, "--target", str(site), *map(str, EXAMPLES)], check=True)
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def run(program, installed, folder, *arguments):
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    done = subprocess.run(command, cwd=folder, env=installed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_quotes_the_example_as_it_is():
    blocks = re.findall(r"```(?:py|toml)\n(.*?)```", PAGE, re.DOTALL)
    files = "".join(path.read_text("utf-8") for folder in EXAMPLES for path in folder.iterdir() if path.is_file())
    assert [block for block in blocks if block not in files and "load_game" not in block] == []
    assert len(blocks) > 6
    assert sum(len(path.read_text("utf-8").splitlines()) for path in LEDUC.glob("*.py")) <= 250


@pytest.mark.parametrize(
    "program",
    [CHECKED, ENVIRONMENTS, AGENTS, SYMMETRIC],
    ids=["all checks", "all environments", "commands", "where bids are secret nobody loses"],
)
def test_an_example_is_a_game_like_any_other(program, installed, tmp_path):
    run(program, installed, tmp_path)


@pytest.mark.parametrize(
    ("name", "options", "unit", "iterations", "value"),
    [
        ("leduc_poker", "{}", "13", "60", "-0.0856"),
        ("liars_dice", '{"num_players": 2, "dice": 1, "faces": 2}', "1", "100", "0.4996"),
    ],
)
def test_cfr_in_openspiel_finds_what_the_first_player_wins(name, options, unit, iterations, value, installed, tmp_path):
    """As in OpenSpiel's own `leduc_poker` and `liars_dice`."""
    pytest.importorskip("pyspiel")
    run(SOLVED, installed, tmp_path, name, options, unit, iterations, value)


def test_the_checks_find_a_secret_that_is_forgotten_as_the_page_says(tmp_path, monkeypatch):
    secret, source = ', secret=("card",), secret_phases=("down",)', (GOOFSPIEL / "goofspiel.py").read_text("utf-8")
    assert secret in source
    (tmp_path / "forgetful.py").write_text(source.replace(secret, "").replace('name="goof', 'name="forgetful_goof'))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(GAMES, "forgetful_goofspiel", Registration("forgetful:GAME"))
    report = check_all(partial(TableEnv, "forgetful_goofspiel"), ["no_leaks"], **PROMISES)
    quoted = " ".join(PAGE.split()).partition("--only no_leaks ")[2].partition(" ... ```")[0]
    assert quoted
    assert quoted in " ".join(str(report).split())


def test_a_game_that_draws_nothing_has_a_card_table_whose_cards_can_be_clicked(monkeypatch):
    monkeypatch.syspath_prepend(GOOFSPIEL)
    monkeypatch.delitem(sys.modules, "goofspiel", raising=False)  # what another test may have left
    monkeypatch.setitem(GAMES, "goofspiel", Registration("goofspiel:GAME"))
    env = TableEnv("goofspiel")
    env.reset(seed=1, options={"start_player": 0})
    env.step(1)
    drawn = {agent: draw_svg(env.scene(agent), names=["Ada", "Bob"]) for agent in ("player_0", "player_1", None)}
    assert [card for card, seat in cards(drawn["player_1"]) if seat == "1"] == ["1", "2", "3", "4"]
    assert ["bid" in told(picture) for picture in drawn.values()] == [True, False, False]
    for agent, picture in drawn.items():
        assert {"Ada", "Bob", "prize", "turned"} <= set(told(picture))
        assert "prize" in env.draw_text(agent)
        words = " ".join(in_words(each, ["Ada", "Bob"]) for each in described(env.scene(agent)))
        assert ("bid 2" in words) == (agent == "player_0")
    env.step(1)
    end = {**env.view(None), "winners": [0, 1]}
    assert score_table("goofspiel", SeenMove(end, end, env.game.words.actions[0], 0, 2, {})).columns == ["points"]
