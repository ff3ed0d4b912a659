"""What the table tells of every game: its card in the lobby, its levels, its moments; and that games are compiled."""

import json

import numpy as np
import pytest

from blackjacky_agents.web.lobby import describe_games, levels, read_order
from blackjacky_env.games import GAMES, get_game
from scripts.results import load
from tests.agents.web.tables import new_table, play_on
from tests.agents.web.test_pace import anyio_backend, at_a_table, move_until, until  # noqa: F401  # a fixture
from tests.every_game import NAMES

pytestmark = [pytest.mark.prove, pytest.mark.usefixtures("tiny")]


@pytest.mark.parametrize("name", NAMES)
def test_the_lobby_describes_every_game_which_can_be_ordered_as_the_form_offers_it(name):
    (game,) = (each for each in describe_games() if each["name"] == name)
    if name in GAMES and name != "tiny":
        assert game["has_picture"]
    assert set(game["levels"]) == {"easy", "medium", "hard"}
    assert game["help"]["en"]
    assert game["playing"]["en"]["random"]
    for variant in game["variants"]:
        agents = [game["levels"]["medium"]] * (variant["default"] - 1)
        options = {option["name"]: option["default"] for option in game["options"]}
        order = {"game": name, "variant": variant["name"], "people": ["A"], "agents": agents, "rules": options}
        env = read_order(json.dumps(order).encode()).table().env
        assert (env.game.name, env.variant, env.num_players) == (name, variant["name"], variant["default"])


@pytest.mark.parametrize("game", GAMES)
def test_levels_of_opponents_are_in_the_order_of_the_ladder(game):
    (table,) = (each for each in load("ladder", game)["rows"] if each["num_players"] == get_game(game).default_players)
    ratings = {agent["agent"]: agent["rating"]["mean"] for agent in table["agents"]}
    found = [ratings[agent] for agent in levels(game).values()]
    assert found == sorted(set(found))


@pytest.mark.anyio
@pytest.mark.parametrize("game", GAMES)
async def test_a_settlement_waits_for_one_who_continues(game):
    rules = {"rules": {"three_games": True}} if game == "halunken" else {}
    async with at_a_table(game=game, people=3, **rules) as (host, first, *others):
        move_until(host, "settlement")
        host.wake()
        if host.moments[0] == "pause":
            first.do("continue", move=host.table.move)
        await until(lambda: host.moments == ["settlement"] and host._playing.done())
        for page in (first, *others):
            scores = page.state["scores"]
            assert {len(row["cells"]) for row in scores["rows"]} == {len(scores["columns"])}
            assert [row["seat"] for row in scores["rows"]] == list(range(len(host.table.seats)))
            assert page.state["may_continue"]
        first.refused("gone on already", "continue", move=host.table.move - 1)
        others[0].do("continue", move=host.table.move)
        assert first.state["moment"] is None
        first.refused("gone on already", "continue", move=host.table.move)


@pytest.mark.parametrize("game", NAMES)
def test_moments_are_made_from_the_views_of_a_seat(game):
    """Others' hands stay hidden in a pause, unless the settlement lays them open."""
    table = new_table(game, people=2, players=3)

    def watch(table):
        if "pause" in table.moments:
            for seat, pause in [(each, table._last_pause(each)) for each in table._paused]:
                hands = pause.view.get("hands", [])
                opened = [q for q, hand in enumerate(hands) if isinstance(hand, list) and q != seat]
                assert not opened or table._views[seat]["last_settlement"]["hands"] == hands

    play_on(table, np.random.default_rng(2), watch=watch)
    assert table.scores(0)["columns"]
    first = sorted(row["seat"] for row in table.scores(0)["rows"] if row["place"] == 1)
    assert first == (table.state(0)["winners"] or first)  # if nobody wins, those who have lost last


@pytest.mark.parametrize("game", GAMES)
def test_the_final_place_is_by_points_or_by_who_has_kept_a_heart_for_longer_and_ties_share_it(game):
    tables = [(variant.name, size) for variant in get_game(game).variants for size in variant.sizes]
    for seed, (variant, players) in enumerate(tables * 2):
        table, views = new_table(game, players=players, seed=seed, variant=variant), []
        play_on(table, np.random.default_rng(seed), watch=lambda table: views.append(table.env.view(None)))  # noqa: B023
        last, rows = views[-1], table.scores(0)["rows"]
        values = [total if game == "halunken" else -total for total in last.get("totals", [])] or [
            (q in last["winners"], last["hearts"][q], max(move for move, view in enumerate(views) if view["hearts"][q]))
            for q in range(players)
        ]
        assert [row["place"] for row in rows] == [1 + sum(x > values[row["seat"]] for x in values) for row in rows]
        assert [values[row["seat"]] for row in rows] == sorted(values, reverse=True)
        assert sorted(row["seat"] for row in rows if row["mark"] == "good") == last["winners"]
