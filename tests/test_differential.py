"""Two readings of the rules, one game: environment and `reference.black_jacky` must agree after every action."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from blackjacky_env import black_jacky_v0

from .reference.black_jacky import ReferenceGame, deck_with

Snapshot = dict[str, Any]
NO_TRICK, TRICK_1, TRICK_2, NO_PAIR, TRICK_4, NO_PLACE, TRICK_7, DRAW, KNOCK = 0, 1, 2, 3, 4, 6, 7, 30, 47
SWAPS_WITH_DRAW_PILE = range(31, 39)

# -- policies: from the legal actions to those the policy likes -------------------------------------------------------


def uniform(legal: set[int]) -> set[int]:
    return legal


def hoard(legal: set[int]) -> set[int]:
    return legal - {TRICK_1, KNOCK} or legal


def trickster(legal: set[int]) -> set[int]:
    return legal - {NO_TRICK} or legal


def knocker(legal: set[int]) -> set[int]:
    return legal & {NO_TRICK, KNOCK} or legal


PURE = {"uniform": uniform, "hoard": hoard, "trickster": trickster, "knocker": knocker}


def choose(policy: str, legal: set[int], rng: random.Random) -> int:
    name = rng.choice(list(PURE)) if policy == "mixed" else policy
    return rng.choice(sorted(PURE[name](legal)))


# -- rare events: what happened between two snapshots -----------------------------------------------------------------


def settled(before: Snapshot, after: Snapshot) -> bool:
    return after["phase"] == "over" or after["round"] > before["round"]


def moved(before: Snapshot, after: Snapshot, old: str, new: str) -> list[int]:
    pairs = zip(before["status"], after["status"], strict=True)
    return [seat for seat, statuses in enumerate(pairs) if statuses == (old, new)]


def empty_hand(before: Snapshot, _action: int, _after: Snapshot) -> bool:
    return before["phase"] in ("trick", "zock") and not before["hands"][before["player"]]


def reshuffle(before: Snapshot, action: int, _after: Snapshot) -> bool:
    needs_a_card = action in (TRICK_4, TRICK_7, DRAW, *SWAPS_WITH_DRAW_PILE)
    return needs_a_card and not before["draw_pile"] and len(before["discards"]) > 1


def nothing_to_draw(before: Snapshot, _action: int, _after: Snapshot) -> bool:
    return before["phase"] == "zock" and not before["draw_pile"] and len(before["discards"]) == 1


def everybody_knocked(before: Snapshot, action: int, _after: Snapshot) -> bool:
    silent = [s for s, hearts in enumerate(before["hearts"]) if hearts and not before["knocked"][s]]
    return action == KNOCK and silent == [before["player"]]


def knock_cancelled(before: Snapshot, action: int, _after: Snapshot) -> bool:
    return action == TRICK_2 and any(before["knocked"])


def first_knock_after_a_2(before: Snapshot, action: int, _after: Snapshot) -> bool:
    return action == KNOCK and 2 in before["displays"][before["player"]] and before["first_knocker"] is None


def last_turns_cut_off(before: Snapshot, _action: int, after: Snapshot) -> bool:
    return settled(before, after) and len(before["last_turns"] or []) > 1 and before["ends_after_turn"]


def turn_limit(before: Snapshot, _action: int, after: Snapshot) -> bool:
    all_had_their_last_turn = before["last_turns"] == [before["player"]]
    return settled(before, after) and not before["ends_after_turn"] and not all_had_their_last_turn


def exchange_of_others(before: Snapshot, _action: int, after: Snapshot) -> bool:
    exchange = before["exchange"]
    return bool(exchange) and after["phase"] == "zock" and exchange["trickster"] not in exchange["pair"]


def trick_3_without_effect(_before: Snapshot, action: int, _after: Snapshot) -> bool:
    return action == NO_PAIR


def plus_one_stuck(_before: Snapshot, action: int, _after: Snapshot) -> bool:
    return action == NO_PLACE


def trick_4_without_card(before: Snapshot, action: int, after: Snapshot) -> bool:
    return action == TRICK_4 and sum(map(len, after["hands"])) < sum(map(len, before["hands"]))


def trick_4_on_oneself(before: Snapshot, action: int, after: Snapshot) -> bool:
    me = before["player"]
    return action == TRICK_4 and len(after["hands"][me]) == len(before["hands"][me])


def trick_7_without_card(before: Snapshot, action: int, after: Snapshot) -> bool:
    return action == TRICK_7 and before["discards"] == after["discards"] and not after["draw_pile"]


def several_eliminated(before: Snapshot, _action: int, after: Snapshot) -> bool:
    return len(moved(before, after, "saloon", "wanted") + moved(before, after, "saloon", "out")) > 1


def returning_tipper(before: Snapshot, _action: int, after: Snapshot) -> bool:
    return bool(moved(before, after, "wanted", "saloon"))


def returning_tipper_starts(before: Snapshot, _action: int, after: Snapshot) -> bool:
    return after["phase"] != "over" and after["start_player"] in moved(before, after, "wanted", "saloon")


def returning_tipper_wins(before: Snapshot, _action: int, after: Snapshot) -> bool:
    return bool(after["winners"]) and after["winners"] == moved(before, after, "wanted", "saloon")


def black_heart_lost(before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(before["black_hearts"][seat] for seat in moved(before, after, "saloon", "out"))


def two_tippers(before: Snapshot, _action: int, _after: Snapshot) -> bool:
    return before["phase"] == "trick" and before["status"].count("wanted") > 1


def wanted_sent_home(before: Snapshot, _action: int, after: Snapshot) -> bool:
    return after["phase"] != "over" and bool(moved(before, after, "wanted", "out"))


def both_lose_the_last_heart(before: Snapshot, _action: int, after: Snapshot) -> bool:
    in_saloon = before["status"].count("saloon")
    return after["phase"] == "over" and in_saloon == 2 and not after["winners"]


def more_than_two_lose_the_last_heart(before: Snapshot, _action: int, after: Snapshot) -> bool:
    in_saloon = before["status"].count("saloon")
    return after["phase"] == "over" and in_saloon > 2 and not after["winners"]


def tie_decided_by_sums(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    tied = after["hearts"].count(max(after["hearts"]))
    return after["phase"] == "over" and tied > len(after["winners"]) > 0


def several_winners(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return len(after["winners"]) > 1


Event = Callable[[Snapshot, int, Snapshot], bool]
EVENTS: tuple[Event, ...] = (
    *(empty_hand, reshuffle, nothing_to_draw),  # R11, R14
    *(everybody_knocked, turn_limit, last_turns_cut_off),  # R12, R15, T1
    *(knock_cancelled, first_knock_after_a_2),  # T2
    *(exchange_of_others, trick_3_without_effect),  # T3
    *(trick_4_without_card, trick_4_on_oneself),  # T4
    *(plus_one_stuck, trick_7_without_card),  # T6, T7
    *(several_eliminated, returning_tipper, returning_tipper_starts, black_heart_lost, two_tippers),  # S3, P1 .. P3
    *(wanted_sent_home, returning_tipper_wins),  # P4, E1
    *(both_lose_the_last_heart, more_than_two_lose_the_last_heart),  # E2
    *(tie_decided_by_sums, several_winners),  # Q2
)


# -- both at one table ------------------------------------------------------------------------------------------------


class SideBySide:
    """One game played through the environment and through the second reading at once."""

    def __init__(self, seed: int, options: dict[str, Any], rigged: dict[str, Any] | None = None) -> None:
        self.env = black_jacky_v0.env(reward="win", **options)
        self.hearts_env = black_jacky_v0.env(reward="hearts", **options)
        self.env.reset(seed=seed, options=rigged)
        self.hearts_env.reset(seed=seed, options=rigged)
        self.rigged: list[list[int]] = (rigged or {}).get("deck", [])
        self.story = (seed, options, rigged)
        self.actions: list[int] = []
        self.events: Counter[Event] = Counter()
        self.before = self.now = self.env.unwrapped.snapshot()
        self.second = ReferenceGame(**options)
        self.second.reshuffle = self._reshuffled
        self.second.start(self.now["start_player"], self._dealt)
        self.compare()

    def step(self, action: int) -> None:
        self.actions.append(action)
        self.before = self.now
        self.env.step(action)
        self.hearts_env.step(action)
        self.now = self.env.unwrapped.snapshot()
        self.second.step(action)
        self.events.update(event for event in EVENTS if event(self.before, action, self.now))
        self.compare()

    def _dealt(self, round_: int) -> list[int]:
        """The rigged deck, else that which the environment has just dealt (R4)."""
        if round_ < len(self.rigged):
            return self.rigged[round_]
        assert (self.now["phase"], self.now["round"], self.now["turn"]) == ("trick", round_, 0), self.story
        start, hands = self.now["start_player"], self.now["hands"]
        dealt_in = [hand for hand in hands[start:] + hands[:start] if hand]
        one_at_a_time = [card for cards in zip(*dealt_in, strict=True) for card in cards]
        return [*one_at_a_time, self.now["discard_top"], *self.now["draw_pile"]]

    def _reshuffled(self, cards: list[int]) -> list[int]:
        """The new draw pile (R14): the card drawn from it at once, then what is left of it."""
        drawn, action = Counter(cards), self.actions[-1]
        if self.now["round"] == self.before["round"]:
            drawn.subtract(self.now["draw_pile"])
            return [*drawn.elements(), *self.now["draw_pile"]]
        player = self.before["player"]  # the pile is gone, but not the hand that drew
        drawn = Counter(self.now["last_settlement"]["hands"][player]) - Counter(self.before["hands"][player])
        top = list(drawn.elements()) or [action - DRAW]  # a swap for the same value
        rest = Counter(cards) - Counter(top)
        return [*top, *rest.elements()]

    # -- comparing ----------------------------------------------------------------------------------------------------

    def agree(self, what: str, ours: Any, theirs: Any) -> None:
        if ours == theirs:
            return
        if isinstance(ours, dict) and ours.keys() == theirs.keys():
            ours, theirs = ({k: d[k] for k in d if ours[k] != theirs[k]} for d in (ours, theirs))
        pytest.fail(f"{what}\nenvironment:    {ours}\nsecond reading: {theirs}\n{self.story}, actions {self.actions}")

    def compare(self) -> None:
        self.agree("snapshot", self.now, self.second.snapshot())
        self.agree("spectator's view", self.env.unwrapped.view(None), self.second.view(None))
        for seat, agent in enumerate(self.env.possible_agents):
            self.agree(f"view of {agent}", self.env.unwrapped.view(agent), self.second.view(seat))
            self._compare_observation(seat, agent)
        self._compare_end()

    def _compare_observation(self, seat: int, agent: str) -> None:
        seen = self.env.observe(agent)
        legal = self.second.legal_actions() if seat == self.second.player else set()
        self.agree(f"mask of {agent}", set(np.flatnonzero(seen["action_mask"]).tolist()), legal)
        parts = black_jacky_v0.decode(seen["observation"])
        self.agree(f"cards known to {agent}", parts["known"], self._known(seat, seat)[1:])
        self.agree(f"cards known to all, seen by {agent}", parts["public"], self._known(None, seat))

    def _known(self, observer: int | None, first_seat: int) -> list[list[int]]:
        """Known cards by relative seat and value, filled up to six seats."""
        by_seat = [counts[1:] for counts in self.second.known[observer]]
        clockwise = by_seat[first_seat:] + by_seat[:first_seat]
        return clockwise + [[0] * 8 for _ in range(6 - len(by_seat))]

    def _compare_end(self) -> None:
        agents = self.env.possible_agents
        for kind, env in (("win", self.env), ("hearts", self.hearts_env)):
            rewards = [round(env.rewards[agent], 9) for agent in agents]
            self.agree(f"rewards, {kind}", rewards, [round(reward, 9) for reward in self.second.rewards(kind)])
            self.agree("terminations", [env.terminations[agent] for agent in agents], [self.second.over] * len(agents))
        if not self.second.over:
            self.agree("agent to act", self.env.agent_selection, agents[self.second.player])


def play(game: SideBySide, policy: str, seed: int) -> SideBySide:
    rng = random.Random(seed)
    while not game.second.over:
        game.step(choose(policy, game.second.legal_actions(), rng))
    return game


# -- what is played ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """Some games of one kind, and the rare events that they must meet."""

    policy: str
    num_players: int
    options: dict[str, Any] = field(default_factory=dict)
    games: int = 4
    meets: tuple[Event, ...] = ()

    def __str__(self) -> str:
        return "-".join([f"{self.num_players}p", self.policy, *(f"{k}={v}" for k, v in self.options.items())])


SCHNELL = {"variant": "schnell_duell"}
TINY = {"max_card": 3, "hand_size": 1, "hearts": 1}
TRICKS_MEET = (empty_hand, last_turns_cut_off, knock_cancelled, first_knock_after_a_2, exchange_of_others)
TIPS_MEET = (several_eliminated, returning_tipper, returning_tipper_starts, black_heart_lost, two_tippers)
EMPTY_PILE_MEETS = (reshuffle, nothing_to_draw, trick_4_without_card, trick_7_without_card)
SETTINGS = [
    *(Setting(policy, n) for n in range(2, 7) for policy in ("uniform", "mixed", "knocker")),
    *(Setting(policy, n, SCHNELL) for n in range(2, 7) for policy in ("mixed", "trickster")),
    Setting("trickster", 6, games=10, meets=(*TRICKS_MEET, *TIPS_MEET, plus_one_stuck)),
    Setting("trickster", 3, games=15, meets=(trick_3_without_effect, trick_4_on_oneself)),
    Setting("knocker", 6, games=8, meets=(everybody_knocked, wanted_sent_home)),
    Setting("knocker", 4, TINY, games=120, meets=(returning_tipper_wins, both_lose_the_last_heart)),
    Setting("knocker", 3, {"bust_at": 8}, games=20, meets=(more_than_two_lose_the_last_heart,)),
    Setting("hoard", 2),
    Setting("hoard", 5, games=6, meets=EMPTY_PILE_MEETS),
    Setting("hoard", 4, {"tricks": (), "max_turns_per_round": 9}, meets=(turn_limit,)),
    Setting("knocker", 3, SCHNELL, games=30, meets=(tie_decided_by_sums,)),
    Setting("mixed", 2, {**SCHNELL, "bust_at": 6}, games=8, meets=(several_winners,)),
    Setting("mixed", 6, {"hearts": 9, "max_turns_per_round": None}, games=1),
    Setting("mixed", 2, {"hand_size": 8, "bust_at": 60}),
    Setting("trickster", 4, {"max_card": 7, "hand_size": 6}),
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_both_readings_agree_after_every_action(setting: Setting) -> None:
    met: Counter[Event] = Counter()
    for seed in range(setting.games):
        game = SideBySide(seed, {"num_players": setting.num_players, **setting.options})
        met += play(game, setting.policy, seed).events
    assert [event.__name__ for event in setting.meets if not met[event]] == []


def test_every_rare_event_is_asked_of_some_setting() -> None:
    asked = {event for setting in SETTINGS for event in setting.meets}
    assert asked == set(EVENTS)


@pytest.mark.parametrize("seed", range(30))
def test_both_readings_agree_on_any_game_of_the_family(seed: int) -> None:
    rng = random.Random(seed)
    game = SideBySide(seed, any_options(rng))
    play(game, rng.choice([*PURE, "mixed"]), seed)


def any_options(rng: random.Random) -> dict[str, Any]:
    """Options of a game that can be dealt."""
    num_players, max_card, hand_size = rng.randint(2, 6), rng.randint(2, 8), rng.randint(1, 8)
    if num_players * hand_size >= max_card * (max_card + 1) // 2:
        return any_options(rng)
    return {
        "num_players": num_players,
        "variant": rng.choice(["classic", "schnell_duell"]),
        "max_card": max_card,
        "hand_size": hand_size,
        "bust_at": rng.choice([2, 5, 8, 12, 15, 21, 30, 60, 99]),
        "hearts": rng.choice([None, 1, 2, 3]),
        "tricks": [value for value in range(1, 9) if rng.random() < 0.8],
        "max_turns_per_round": rng.choice([1, 2, 3, 7, 20, 100, 127]),
    }


@pytest.mark.parametrize("seed", range(6))
def test_rigged_decks_are_dealt_alike(seed: int) -> None:
    """R4: one card at a time clockwise from the start player, then one is turned up."""
    rng = random.Random(seed)
    cards = [value for value in range(1, 9) for _ in range(value)]
    rigged = [rng.sample(cards, len(cards)) for _ in range(3)]
    num_players = rng.randint(2, 6)
    start = rng.randrange(num_players)
    game = SideBySide(seed, {"num_players": num_players}, {"start_player": start, "deck": rigged})
    assert game.second.start_player == start
    play(game, "mixed", seed)


def test_a_round_without_limit_may_have_more_turns_than_a_byte_can_count() -> None:
    """R15: nobody knocks for 300 turns."""
    game = SideBySide(0, {"num_players": 2, "max_turns_per_round": None})
    for _ in range(300):
        game.step(NO_TRICK)
        game.step(min(game.second.legal_actions() & set(SWAPS_WITH_DRAW_PILE)))
    assert game.second.turn == 300
    play(game, "knocker", 0)


def test_in_the_schnell_duell_a_sum_of_nothing_ranks_above_a_bust_one() -> None:
    """Q2: players 0 and 1 are tied at one heart, player 0 with nothing but a laid-out 5."""
    decks = [deck_with(8, 1, 8), deck_with(8, 8, 5)]
    options = {"num_players": 3, "variant": "schnell_duell", "hand_size": 1, "bust_at": 8, "hearts": 2}
    game = SideBySide(0, options, {"start_player": 0, "deck": decks})
    lay_the_5 = 5
    for action in [NO_TRICK, KNOCK] * 5 + [lay_the_5, KNOCK]:
        game.step(action)
    assert game.now["last_settlement"]["sums"] == [0, 80, 80]
    assert game.now["winners"] == [0]
