"""scripts/speed/peers.py: other libraries play by the protocol; the table says how to install what is missing."""

import itertools
import subprocess
import sys
import types
from pathlib import Path

import peers
import pettingzoo
import pytest

from blackjacky_env import black_jacky_v0

SCRIPT = Path(peers.__file__)
FEW = 16
STEPS = {  # the fewest and the most of one game, or those of one compiled call
    "leduc_holdem-v4": (1, 8),
    "texas_holdem-v4": (1, 32),
    "connect_four-v3": (7, 42),
    "leduc-holdem": (1, 8),
    "uno": (7, 10**6),
    "hearts": (52, 64),
    "leduc_poker": (2, 8),
    "hanabi": (3, 90),
    "leduc_holdem": (2**16, 2**16),
    "sparrow_mahjong": (2**16, 2**16),
}
GAMES = [(name, game) for name, library in peers.LIBRARIES.items() for game in library.games]


def python(*args, **kwargs):
    done = subprocess.run(
        [sys.executable, *args], capture_output=True, text=True, cwd=SCRIPT.parent, check=False, **kwargs
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def skip_if_missing(name):
    if not peers.installed(peers.LIBRARIES[name]):
        pytest.skip(f"{name} is not installed")


@pytest.mark.parametrize(("name", "game"), GAMES)
def test_a_game_counts_the_actions_of_its_players_and_nothing_else(name, game):
    skip_if_missing(name)
    code = "import peers, sys; print(next(peers.LIBRARIES[sys.argv[1]].play(sys.argv[2], 0, int(sys.argv[3]))))"
    fewest, most = STEPS[game]
    assert fewest <= int(python("-c", code, name, game, str(FEW)).split()[-1]) <= most


@pytest.mark.parametrize("name", peers.LIBRARIES)
def test_a_process_answers_each_request_with_one_number(name):
    skip_if_missing(name)
    requests = [f'[{seconds}, "{name}", "{peers.LIBRARIES[name].games[0]}", 0, {FEW}]\n' for seconds in (0.0, 0.01)]
    prepared, speed = map(float, python(SCRIPT, str(peers.cores()[0]), input="".join(requests)).split())
    assert prepared == 0
    assert speed > 0


def test_what_is_missing_has_a_line_that_says_what_to_install(monkeypatch):
    monkeypatch.setattr(peers, "find_spec", lambda _module: None)
    lines = peers.peers(seed=0, seconds=1.0)
    assert len(lines) == len(GAMES)
    for (label, measure), (name, game) in zip(lines, GAMES, strict=True):
        assert label == f"{name} `{game}`, not installed: `pip install -e '.[peers]'`"
        assert measure is None
    assert peers.versions() == []


def test_what_is_installed_is_measured_on_one_core_and_batches_on_every_core_too(monkeypatch):
    monkeypatch.setattr(peers, "find_spec", lambda _module: True)
    labels = [label for label, measure in peers.peers(seed=0, seconds=1.0) if measure]
    assert labels[0] == "PettingZoo `leduc_holdem-v4`, one core"
    assert len([label for label in labels if label.endswith("one core")]) == 9 + 2 * len(peers.BATCHES)
    assert "Pgx `leduc_holdem`, 4,096 games on every core" in labels
    assert len(labels) == len(set(labels)) == 9 + 2 * (len(peers.BATCHES) + 1)


def test_the_speed_is_steps_by_seconds(monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr(peers.time, "process_time", lambda: next(clock))
    assert peers.rate(itertools.repeat(40), 3) == 2 * 40 / 4  # it looked at the clock five times


def test_steps_with_none_do_not_count_in_pettingzoo(monkeypatch):
    env, actions = black_jacky_v0.env(num_players=3), []
    monkeypatch.setattr(pettingzoo, "make", lambda *_names: env)
    step = env.step
    monkeypatch.setattr(env, "step", lambda action: (actions.append(action), step(action)))
    steps = next(peers.pettingzoo_games("any", 0, 1))
    assert steps == len([action for action in actions if action is not None])
    assert actions.count(None) == 3


def test_rlcard_plays_legal_actions_until_the_game_is_over(monkeypatch):
    env = OneSuit()
    monkeypatch.setitem(sys.modules, "rlcard", types.SimpleNamespace(make=lambda _game, _config: env))
    playing = peers.rlcard_games("any", 0, 1)
    assert [next(playing), next(playing)] == [5, 5]


class OneSuit:
    """Five cards to be played in any order."""

    def reset(self):
        self.left = {3, 5, 7, 8, 9}
        return self.state(), 0

    def step(self, action):
        self.left.remove(action)
        return self.state(), 0

    def state(self):
        return {"obs": None, "legal_actions": dict.fromkeys(self.left)}

    def is_over(self):
        return not self.left
