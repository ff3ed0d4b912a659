"""Score cards of others: honest ones are accepted, forged ones refused, and on the page their texts are plain text."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blackjacky_agents import cli, make_agent
from blackjacky_agents.arena import card_check
from blackjacky_agents.arena.card_check import check_games, read_score_card
from blackjacky_agents.arena.protocol import Protocol, read_protocol
from blackjacky_agents.arena.score_card import describe_entry, make_card, sampled_games
from blackjacky_agents.arena.scoring import jobs, play_protocol, score, shares_of_deals
from blackjacky_agents.arena.table import decode_actions, encode_actions
from blackjacky_agents.games import get_kit
from blackjacky_agents.reports import ready_for_json
from blackjacky_env.games import GAMES, get_game
from scripts.pages import agents
from tests.scripts.protocols import GAME, small_protocol

ROOT = Path(__file__).parents[2]
SIZE = get_game(GAME).num_actions
RUN = {"date": "2026-01-31", "move_microseconds": {"median": 4.5}}
IN_FORCE = {read_protocol(path).name for game in GAMES if (path := get_kit(game).score)}
OURS = [
    path
    for path in sorted((ROOT / "results").glob("*/scores/*.json"))
    if json.loads(path.read_text("utf-8"))["protocol"]["name"] in IN_FORCE
]
"""Cards of the protocols in force; the others have not changed since theirs was."""
Card = dict[str, Any]

pytestmark = pytest.mark.usefixtures("empty_folder")


@pytest.fixture
def small(publish: Any) -> Protocol:
    """A published protocol of two small tables; its quick length has more games than a card has moves of."""
    made = replace(small_protocol(), games={"trial": 12, "quick": 60, "full": 600})
    publish(made)
    return made


def card_of(protocol: Protocol, name: str = "threshold", length: str = "quick") -> Card:
    agent = make_agent(name)
    results = dict(play_protocol(protocol, agent, jobs(protocol, length, agent), 1))
    made: Card = json.loads(json.dumps(make_card(protocol, length, agent, describe_entry(agent), results, RUN)))
    return made


def with_its_numbers(card: Card, protocol: Protocol) -> Card:
    """The card with the numbers that follow from its results, as a careful forger writes them."""
    deals = [
        shares_of_deals(table["wins"], place.num_players)
        for table, place in zip(card["tables"], protocol.tables, strict=True)
    ]
    numbers = ready_for_json(asdict(score(protocol, deals)))
    tables = [{**table, **new} for table, new in zip(card["tables"], numbers.pop("tables"), strict=True)]
    return {**card, **numbers, "tables": tables}


def written(card: Any, name: str = "card.json") -> Path:
    path = Path(name)
    path.write_text(card if isinstance(card, str) else json.dumps(card), "utf-8")
    return path


def refusal(card: Any) -> str:
    """Why a card is refused."""
    try:
        check_games(read_score_card(written(card)))
    except ValueError as error:
        return str(error)
    pytest.fail("the card is accepted")


@pytest.mark.prove
@pytest.mark.parametrize("path", OURS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_cards_of_this_repository_can_be_played_again(path: Path) -> None:
    card = read_score_card(path)
    checked = check_games(card, fresh=1)
    assert checked.games == sum(map(len, card.moves))
    assert checked.decisions > 0 or checked.notes  # search is too slow to be asked again


def test_cards_are_checked_by_the_command(small: Protocol, typed: Any) -> None:
    typed("score trickster --threads 1 --out out --by Ada --link https://example.org/a")
    told = typed("score --check out/score.json").out
    assert "The numbers follow from 120 games. Played again: 24 from their moves, 34 by the agent." in told
    entry = json.loads(Path("out/score.json").read_text("utf-8"))["entry"]
    assert (entry["by"], entry["link"]) == ("Ada", "https://example.org/a")
    for text in ("", "[]", "null", '{"format": NaN}', "[" * 10_000, '{"format": "\\ud800"}'):
        refused = typed(f"score --check {written(text)}", status=cli.WRONG_INPUT).err
        assert refused.startswith("error: the card 'card.json' is refused: ")


def test_an_agent_that_is_not_shipped_is_compared_if_it_is_named(small: Protocol) -> None:
    source = "class Last:\n    def act(self, seen): return seen['action_mask'].nonzero()[0][{}]\n"
    Path("twelfth_agents.py").write_text(source.format(-1), "utf-8")
    card = read_score_card(written(card_of(small, "twelfth_agents:Last")))
    alone = check_games(card)
    assert (alone.games, alone.decisions) == (24, 0)
    assert alone.notes == ("the agent's own decisions: it is not a shipped one; name it to compare them",)
    assert check_games(card, make_agent("twelfth_agents:Last"), fresh=0).decisions == 24
    Path("thirteenth_agents.py").write_text(source.format(0), "utf-8")
    said = r"source of 'thirteenth_agents:Last': the hash is .*; name the agent that the card"
    with pytest.raises(ValueError, match=said):
        check_games(card, make_agent("thirteenth_agents:Last"))


@pytest.mark.parametrize("name", ["cmd:touch loaded", "evil_agents:Agent", "ppo:/dev/zero", "ismcts:1000000"])
def test_nothing_that_a_card_names_is_loaded(name: str, small: Protocol) -> None:
    Path("evil_agents.py").write_text("open('loaded', 'w')\n", "utf-8")
    card = card_of(small)
    card["agent"] = {"name": name}
    assert check_games(read_score_card(written(card))).decisions == 0
    assert not Path("loaded").exists()


def test_the_sample_depends_on_every_result(small: Protocol) -> None:
    wins = [table["wins"] for table in card_of(small)["tables"]]
    sample = sampled_games(small, "quick", wins)
    assert [len(games) for games in sample] == [12, 12]
    assert sampled_games(small, "quick", wins) == sample
    last = wins[1][:-1] + ("0" if wins[1][-1] != "0" else "1")
    changed = sampled_games(small, "quick", [wins[0], last])
    assert all(new != old for new, old in zip(changed, sample, strict=True))


def test_forged_results_games_of_other_deals_and_of_another_agent_are_refused(small: Protocol) -> None:
    card, trial = card_of(small), card_of(small, length="trial")
    boasting = {**card, "entry": {**card["entry"], "network": "381,000,052 weights"}}
    assert "entry.network='381,000,052 weights' is not what 'threshold' has, ''" in refusal(boasting)
    for table in card["tables"]:
        table["wins"] = table["wins"].replace("0", "1", 3)
    why = refusal(with_its_numbers(card, small))
    assert re.search(r"move \d+ is \d+, where an opponent chooses|is not legal|it is (not )?over after", why)
    wins = trial["tables"][0]["wins"]
    trial["tables"][0]["wins"] = ("1" if wins[0] == "0" else "0") + wins[1:]
    why = refusal(with_its_numbers(trial, small))
    assert re.search(r"game 0: the result is \d in the card, and \d after its moves", why)
    others, lent = card_of(replace(small, seed=99), length="trial"), card_of(small, "trickster")
    others["protocol"]["sha256"] = small.sha256
    assert "the table of 2 against threshold: " in refusal(others)
    lent["agent"]["name"] = "threshold"
    assert "'threshold' plays it differently" in refusal(lent)


def test_results_of_games_that_nobody_can_know_in_advance_are_compared(
    small: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forger who changes other games than those in the card would have to know which the agent plays again."""
    card = read_score_card(written(card_of(small)))
    kept = sampled_games(small, "quick", card.wins)
    others = [won if game in kept[0] else str(int(won == "0")) for game, won in enumerate(card.wins[0])]
    forged = replace(card, wins=("".join(others), card.wins[1]))
    monkeypatch.setattr(card_check, "sampled_games", lambda *_: kept)  # as if the forger had found such results
    assert check_games(forged, fresh=0).decisions == 24
    with pytest.raises(ValueError, match="'threshold' plays it differently"):
        check_games(forged, fresh=30)


def with_moves(card: Card, moves: list[int]) -> Card:
    """The card with other moves of its first game."""
    changed = copy.deepcopy(card)
    changed["tables"][0]["moves"][0] = encode_actions(np.array(moves), SIZE)
    return changed


def moves_of(card: Card) -> list[int]:
    return decode_actions(card["tables"][0]["moves"][0], SIZE)


def changes_of_moves(card: Card) -> Iterator[Card]:
    """Cards in which one of the first moves is another action, of which most are illegal."""
    moves = moves_of(card)
    for number in range(6):
        others = [action for action in range(number, SIZE, 3) if action != moves[number]]
        yield from (with_moves(card, [*moves[:number], other, *moves[number + 1 :]]) for other in others)


def test_changed_illegal_missing_and_additional_moves_are_refused(small: Protocol) -> None:
    card = card_of(small)
    said = "\n".join(refusal(changed) for changed in changes_of_moves(card))
    assert re.search(r"move \d is \d+, where an opponent chooses \d+", said)
    assert re.search(r"chose action \d+, which is not legal", said)
    moves = moves_of(card)
    assert f"it is not over after its {len(moves) - 1} moves" in refusal(with_moves(card, moves[:-1]))
    assert f"it is over after {len(moves)} of its {len(moves) + 1} moves" in refusal(with_moves(card, [*moves, 0]))
    assert "must be actions of black_jacky in base64" in refusal(with_moves(card, [*moves[:-1], 255]))
    assert "must be actions of black_jacky in base64" in refusal(with_moves(card, []))
    card["tables"][0]["moves"].pop()
    assert "tables[0].moves are 11 games; these results need the moves of 12" in refusal(card)


def put(*path: str | int, to: Any) -> Callable[[Card], object]:
    def change(card: Card) -> None:
        place: Any = card
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (put("format", to=1), "format=1 is not 2, the format of cards with games; score the agent again"),
        (put("protocol", "sha256", to="0" * 64), "is not published; published are black_jacky/7 ("),
        (put("protocol", "name", to=f"{GAME}/8"), "protocol.name='black_jacky/8' has the hash of black_jacky/7"),
        (put("protocol", "length", to="endless"), "protocol.length='endless' is unknown; allowed are 'trial', 'quick'"),
        (put("protocol", "length", to="full"), "tables[0].wins must be 600 characters"),
        (put("game", to="no_game"), "game='no_game' is unknown; allowed are"),
        (put("options", to={"max_card": 3}), "are not those of black_jacky/7"),
        (put("tables", to=[]), "it has 0 tables; black_jacky/7 has 2"),
        (put("tables", 0, "opponents", to="random"), "tables[0].opponents='random' is not 'threshold'"),
        (put("tables", 0, "wins", to="3" * 60), "0, or the number of winners, up to 2"),
        (put("tables", 0, "moves", to="no list"), "tables[0].moves='no list' is not a list"),
        (put("tables", 0, "moves", 0, to=5), "must be actions of black_jacky in base64"),
        (put("score", "mean", to=99), "score.mean=99 does not follow from the games"),
        (put("tables", 1, "win_rate", "low", to=0.9), "tables[1].win_rate.low=0.9 does not follow"),
        (put("agent", "name", to="x" * 121), "allowed are up to 120 printable characters"),
        (put("agent", "name", to="\u202egnorw"), "agent.name='\\u202egnorw' is not allowed"),
        (put("entry", "by", to="a\nb"), "entry.by='a\\nb' is not allowed; allowed are up to 60 printable characters"),
        (put("entry", "link", to="https://a.org/)](x"), "is not an address; allowed are https://HOST/PATH"),
        (put("run", "date", to="yesterday"), "run.date='yesterday' is not a date such as 2026-01-31"),
        (put("run", "move_microseconds", "median", to="1"), "run.move_microseconds.median='1' is not a number"),
        (put("more", to=1), "the card has 'more', which no card has"),
        (lambda card: card.pop("run"), "the card lacks run"),
        (lambda card: card["tables"].reverse(), "tables[0].players=3 is not 2"),
    ],
)
def test_cards_that_are_not_what_they_should_be_are_refused(
    change: Callable[[Card], object], why: str, small: Protocol
) -> None:
    card = card_of(small)
    change(card)
    said = refusal(card)
    assert said.startswith("the card 'card.json' is refused: ")
    assert why in said


def test_cards_of_an_older_protocol_stay_valid(small: Protocol, publish: Any) -> None:
    path = written(card_of(small))
    publish(replace(small, name=f"{GAME}/8"), small)
    assert check_games(card := read_score_card(path)).decisions > 0
    assert card.protocol == small


def test_moves_are_checked_by_the_rules_where_an_opponent_is_not_installed_any_more(
    small: Protocol, publish: Any
) -> None:
    gone = replace(small, agents={**small.agents, "threshold": "0" * 64})
    card = card_of(gone)
    publish(gone)
    assert "this installation has other agents than the protocol black_jacky/7" in refusal(card)
    publish(replace(small, name=f"{GAME}/8"), gone)
    checked = check_games(read_score_card(written(card)))
    assert (checked.games, checked.decisions) == (24, 0)
    assert checked.notes == ("decisions at tables with threshold: they are not installed",)
    illegal = next(changed for changed in changes_of_moves(card) if moves_of(changed)[0] != moves_of(card)[0])
    assert re.search(r"move 0 \(\d+\) cannot be played", refusal(illegal))


NASTY = "<b>|`x`|[a](javascript:b) ![i](//h) &lt; www.x.org @y #1"


def test_strange_texts_are_plain_text_on_the_page(small: Protocol) -> None:
    card = card_of(small)
    card["agent"]["name"] = NASTY
    card["entry"] |= {"by": NASTY, "training": NASTY, "link": "https://example.org/a_b?c=d#e"}
    folder = Path(GAME)
    folder.mkdir()
    written(card, f"{GAME}/nasty.json")
    *_, line = agents.standings(agents.read_cards(folder, GAME)).splitlines()
    assert line.count("|") == 14
    links = re.findall(r"\]\([^)]*\)", line)
    assert links == [f"](../results/{GAME}/scores/nasty.json)", "](https://example.org/a_b?c=d#e)"]
    said = re.sub(r"&#\d+;", "", line)
    for sign in ("<", "javascript:", "![", "www.", "@", "&"):
        assert sign not in said
    shown = agents.plain(NASTY)
    assert re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), shown) == NASTY
