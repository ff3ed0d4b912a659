"""Rare events: what happened between two snapshots of a game. The rules they concern stand beside their list below."""

from __future__ import annotations

from tests.reference.declaration import Event, Snapshot

NO_PAIR, TRICK_2, TRICK_4, NO_PLACE, TRICK_7, DRAW, KNOCK = 3, 2, 4, 6, 7, 30, 47
SWAPS_WITH_DRAW_PILE = range(31, 39)


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
