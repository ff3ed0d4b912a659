"""Rare cases: what happened between two snapshots of a game. The rules they concern stand beside their list below."""

NO_PAIR, TRICK_2, TRICK_4, NO_PLACE, TRICK_7, DRAW, KNOCK = 3, 2, 4, 6, 7, 30, 47
SWAPS_WITH_DRAW_PILE = range(31, 39)


def settled(before, after):
    return after["phase"] == "over" or after["round"] > before["round"]


def moved(before, after, old, new):
    pairs = zip(before["status"], after["status"], strict=True)
    return [seat for seat, statuses in enumerate(pairs) if statuses == (old, new)]


def nobody_wins(before, after):
    """How many players lose the last heart at once."""
    return before["status"].count("saloon") if after["phase"] == "over" and not after["winners"] else 0


CASES = {
    # R11, R14
    "empty_hand": lambda before, _action, _after: (
        before["phase"] in ("trick", "zock") and not before["hands"][before["player"]]
    ),
    "reshuffle": lambda before, action, _after: (
        action in (TRICK_4, TRICK_7, DRAW, *SWAPS_WITH_DRAW_PILE)
        and not before["draw_pile"]
        and len(before["discards"]) > 1
    ),
    "nothing_to_draw": lambda before, _action, _after: (
        before["phase"] == "zock" and not before["draw_pile"] and len(before["discards"]) == 1
    ),
    # R12, R15, T1
    "everybody_knocked": lambda before, action, _after: (
        action == KNOCK
        and [s for s, hearts in enumerate(before["hearts"]) if hearts and not before["knocked"][s]]
        == [before["player"]]
    ),
    "turn_limit": lambda before, _action, after: (
        settled(before, after) and not before["ends_after_turn"] and before["last_turns"] != [before["player"]]
    ),
    "last_turns_cut_off": lambda before, _action, after: (
        settled(before, after) and len(before["last_turns"] or []) > 1 and before["ends_after_turn"]
    ),
    # T2
    "knock_cancelled": lambda before, action, _after: action == TRICK_2 and any(before["knocked"]),
    "first_knock_after_a_2": lambda before, action, _after: (
        action == KNOCK and 2 in before["displays"][before["player"]] and before["first_knocker"] is None
    ),
    # T3
    "exchange_of_others": lambda before, _action, after: (
        bool(exchange := before["exchange"])
        and after["phase"] == "zock"
        and exchange["trickster"] not in exchange["pair"]
    ),
    "trick_3_without_effect": lambda _before, action, _after: action == NO_PAIR,
    # T4
    "trick_4_without_card": lambda before, action, after: (
        action == TRICK_4 and sum(map(len, after["hands"])) < sum(map(len, before["hands"]))
    ),
    "trick_4_on_oneself": lambda before, action, after: (
        action == TRICK_4 and len(after["hands"][(me := before["player"])]) == len(before["hands"][me])
    ),
    # T6, T7
    "plus_one_stuck": lambda _before, action, _after: action == NO_PLACE,
    "trick_7_without_card": lambda before, action, after: (
        action == TRICK_7 and before["discards"] == after["discards"] and not after["draw_pile"]
    ),
    # S3, P1 .. P3
    "several_eliminated": lambda before, _action, after: (
        len(moved(before, after, "saloon", "wanted") + moved(before, after, "saloon", "out")) > 1
    ),
    "returning_tipper": lambda before, _action, after: bool(moved(before, after, "wanted", "saloon")),
    "returning_tipper_starts": lambda before, _action, after: (
        after["phase"] != "over" and after["start_player"] in moved(before, after, "wanted", "saloon")
    ),
    "black_heart_lost": lambda before, _action, after: any(
        before["black_hearts"][seat] for seat in moved(before, after, "saloon", "out")
    ),
    "two_tippers": lambda before, _action, _after: before["phase"] == "trick" and before["status"].count("wanted") > 1,
    # P4, E1
    "wanted_sent_home": lambda before, _action, after: (
        after["phase"] != "over" and bool(moved(before, after, "wanted", "out"))
    ),
    "returning_tipper_wins": lambda before, _action, after: (
        bool(after["winners"]) and after["winners"] == moved(before, after, "wanted", "saloon")
    ),
    # E2
    "both_lose_the_last_heart": lambda before, _action, after: nobody_wins(before, after) == 2,
    "more_than_two_lose_the_last_heart": lambda before, _action, after: nobody_wins(before, after) > 2,
    # Q2
    "tie_decided_by_sums": lambda _before, _action, after: (
        after["phase"] == "over" and after["hearts"].count(max(after["hearts"])) > len(after["winners"]) > 0
    ),
    "several_winners": lambda _before, _action, after: len(after["winners"]) > 1,
}
