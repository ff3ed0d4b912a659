"""Replays: the file stands alone and shows exactly what each viewer may see, and records that are none are named."""

import base64
import hashlib
import html
import json
import re

import numpy as np
import pytest

from blackjacky_env import replay_html
from blackjacky_env.draw.picture import draw_svg, names_of
from blackjacky_env.draw.scene import EVERYTHING
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.replay import Thoughts, WinCurve, chance_to_win
from tests.games.black_jacky import moves as do
from tests.games.black_jacky.rigging import one_round
from tests.replay.reading import REAL, film_in, pictures_in, random_game

NAMES = ["Ada", "Bob", "<b>Cem & Co</b>", "Dora"]
MOST_BYTES = 400_000


def expected(env, names, theme):
    told = env.last_action(everything=True, names=names_of(env.num_players, names))
    scene = env.game.scene(env.snapshot(), env.config_dict(), EVERYTHING)
    everything = draw_svg(scene, names=names, last_action=told, theme=theme)
    agents = [*env.possible_agents, None]
    return [*(env.draw(agent, names=names, theme=theme) for agent in agents), everything]


@pytest.mark.parametrize("game", REAL)
def test_every_view_of_every_position_is_the_picture_of_the_environment(game):
    record, theme = random_game(game, most=120).record(), "dark"
    views = pictures_in(replay_html(record, names=NAMES, theme=theme))
    env = TableEnv(game)
    env.replay({**record, "actions": []})
    for step in range(len(record["actions"]) + 1):
        assert [view[step] for view in views] == expected(env, NAMES, theme)
        if step < len(record["actions"]):
            env.step(record["actions"][step])


def test_a_card_given_in_secret_is_named_to_nobody_else():
    env = one_round([[3, 1], [6, 7], [8, 8]]).play(do.exchange(0, 1), do.give(1)).env
    page = replay_html(env.record(), names=["Ada", "Bob", "Cem"])
    assert film_in(page)["moves"] == [[0, "lay 3: Ada and Bob exchange", None], [0, "give 1", "give a card"]]
    told = [re.findall(r">Ada: ([^<]*)<", view[-1]) for view in pictures_in(page)]
    assert told == [["give 1"], ["give a card"], ["give a card"], ["give a card"], ["give 1"]]


def test_only_the_pages_own_script_may_run():
    names = ["Ada", "Bob", "Cem", "</title><script>alert(1)</script>"]
    page = replay_html(random_game("black_jacky", most=3).record(), names=names)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{allowed}'; style-src 'unsafe-inline'" in page
    assert "alert(1)" not in script
    assert html.escape("</title><script>alert(1)</script>") in page


@pytest.mark.parametrize("game", REAL)
def test_the_file_of_a_whole_game_stands_alone_and_is_small_and_always_the_same(game):
    record = random_game(game, seed=5).record()
    page = replay_html(record)
    everything = page + json.dumps(film_in(page))
    assert set(re.findall(r"https?://[^\s\"'\\<]*", everything)) == {"http://www.w3.org/2000/svg"}
    elsewhere = r"\bsrc\s*=|\burl\(|@import|<link|<img|<iframe|\bfetch\(|XMLHttpRequest|\bimport\b"
    assert not re.search(elsewhere, everything)
    assert set(re.findall(r'href=\\?"(.)', everything)) == {"#"}
    assert len(page.encode()) < MOST_BYTES
    assert page == replay_html(json.loads(json.dumps(record)))


@pytest.mark.parametrize("game", REAL)
def test_rounds_begin_where_the_position_says_so(game):
    env = random_game(game, seed=1)
    record, unit = env.record(), env.game.words.round_key
    film = film_in(replay_html(record))
    env.replay({**record, "actions": []})
    rounds = [env.snapshot()[unit]]
    for action in record["actions"]:
        env.step(action)
        rounds.append(env.snapshot()[unit])
    assert film["starts"] == [0, *(i for i in range(1, len(rounds)) if rounds[i] > rounds[i - 1])]
    assert film["unit"] == unit
    assert set(film["starts"][1:]) < set(film["settled"])
    assert film["settled"][-1] == len(record["actions"])


def test_thoughts_are_the_likeliest_moves_and_the_one_that_was_made():
    record, chances = random_game("black_jacky", most=30).record(), np.zeros(61)
    chances[:20] = np.arange(20, 0, -1) / 210
    thoughts = [Thoughts(chances, 0.25) if move % 3 == 0 else None for move in range(30)]
    told = film_in(replay_html(record, names=NAMES, thoughts=thoughts))["thoughts"]
    assert told[1] is None
    for move in range(0, 30, 3):
        chances = told[move]["chances"]
        assert told[move]["win"] == 0.25
        assert [chance for _, chance, _ in chances[:8]] == [round((20 - i) / 210, 4) for i in range(8)]
        assert sum(made for *_, made in chances) == 1
        assert len(chances) <= 9
        assert not any("left+" in name or "player_" in name for name, *_ in chances)


NO_RECORDS = [
    (lambda record: "{", "a record: expected is a mapping, as from record.., not str"),
    (lambda record: {"names": {}, "record": record}, "this record lacks 'game'"),
    (lambda record: {**record, "options": 5}, "options of a record: expected is a mapping"),
    (lambda record: {**record, "game": "chess"}, "unknown game 'chess'"),
    (lambda record: {**record, "version": 7}, "version=7"),
    (lambda record: {**record, "key": -1}, "key=-1"),
    (lambda record: {**record, "actions": "draw"}, "this record cannot be played: action"),
    (lambda record: {**record, "actions": [*record["actions"], 60]}, "action number 5: 'tip left"),
    (lambda record: {**record, "actions": [None]}, "action number 0: action=None is not an integer"),
    (lambda record: {**record, "actions": [10**6]}, "action number 0: action=1000000 is out of range"),
]


@pytest.mark.parametrize(("change", "message"), NO_RECORDS)
def test_records_that_are_none_are_named(change, message):
    record = random_game("black_jacky", most=5).record()
    with pytest.raises(ValueError, match=message):
        replay_html(change(record))


def test_moves_after_the_end_and_thoughts_and_curves_of_another_game_are_refused():
    record = random_game("black_jacky", num_players=2).record()
    with pytest.raises(ValueError, match="the game is over"):
        replay_html({**record, "actions": [*record["actions"], 47]})
    five = random_game("black_jacky", most=5).record()
    with pytest.raises(ValueError, match="thoughts=4 entries; this record has 5 moves"):
        replay_html(five, thoughts=[Thoughts(np.full(61, 1 / 61), 0.25)] * 4)
    with pytest.raises(ValueError, match=r"curve has wins of shape \(5, 4\); needed is \(6, 4\)"):
        replay_html(five, curve=WinCurve(np.zeros((5, 4))))


@pytest.mark.parametrize("players", [2, 3, 6])
def test_a_sole_winner_has_everything_and_nobody_or_everybody_the_same(players):
    rewards = [1, -1 / (players - 1), 0]  # of a sole winner, who has lost to one, and who wins or loses with all
    assert [chance_to_win(each, players) for each in rewards] == pytest.approx([1, 0, 1 / players])
