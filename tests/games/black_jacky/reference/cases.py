"""Rare cases, by the snapshot before an action (b), the action (a) and the snapshot now (n), each under its rules."""

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
    "empty_hand": lambda b, a, n: b["phase"] in ("trick", "zock") and not b["hands"][b["player"]],
    "reshuffle": lambda b, a, n: (
        a in (TRICK_4, TRICK_7, DRAW, *SWAPS_WITH_DRAW_PILE) and not b["draw_pile"] and len(b["discards"]) > 1
    ),
    "nothing_to_draw": lambda b, a, n: b["phase"] == "zock" and not b["draw_pile"] and len(b["discards"]) == 1,
    # R12, R15, T1
    "everybody_knocked": lambda b, a, n: (
        a == KNOCK and [s for s, hearts in enumerate(b["hearts"]) if hearts and not b["knocked"][s]] == [b["player"]]
    ),
    "turn_limit": lambda b, a, n: settled(b, n) and not b["ends_after_turn"] and b["last_turns"] != [b["player"]],
    "last_turns_cut_off": lambda b, a, n: settled(b, n) and len(b["last_turns"] or []) > 1 and b["ends_after_turn"],
    # T2
    "knock_cancelled": lambda b, a, n: a == TRICK_2 and any(b["knocked"]),
    "first_knock_after_a_2": lambda b, a, n: (
        a == KNOCK and 2 in b["displays"][b["player"]] and b["first_knocker"] is None
    ),
    # T3
    "exchange_of_others": lambda b, a, n: (
        bool(exchange := b["exchange"]) and n["phase"] == "zock" and exchange["trickster"] not in exchange["pair"]
    ),
    "trick_3_without_effect": lambda b, a, n: a == NO_PAIR,
    # T4
    "trick_4_without_card": lambda b, a, n: a == TRICK_4 and sum(map(len, n["hands"])) < sum(map(len, b["hands"])),
    "trick_4_on_oneself": lambda b, a, n: a == TRICK_4 and len(n["hands"][(me := b["player"])]) == len(b["hands"][me]),
    # T6, T7
    "plus_one_stuck": lambda b, a, n: a == NO_PLACE,
    "trick_7_without_card": lambda b, a, n: a == TRICK_7 and b["discards"] == n["discards"] and not n["draw_pile"],
    # S3, P1 .. P3
    "several_eliminated": lambda b, a, n: len(moved(b, n, "saloon", "wanted") + moved(b, n, "saloon", "out")) > 1,
    "returning_tipper": lambda b, a, n: bool(moved(b, n, "wanted", "saloon")),
    "returning_tipper_starts": lambda b, a, n: (
        n["phase"] != "over" and n["start_player"] in moved(b, n, "wanted", "saloon")
    ),
    "black_heart_lost": lambda b, a, n: any(b["black_hearts"][seat] for seat in moved(b, n, "saloon", "out")),
    "two_tippers": lambda b, a, n: b["phase"] == "trick" and b["status"].count("wanted") > 1,
    # P4, E1
    "wanted_sent_home": lambda b, a, n: n["phase"] != "over" and bool(moved(b, n, "wanted", "out")),
    "returning_tipper_wins": lambda b, a, n: bool(n["winners"]) and n["winners"] == moved(b, n, "wanted", "saloon"),
    # E2
    "both_lose_the_last_heart": lambda b, a, n: nobody_wins(b, n) == 2,
    "more_than_two_lose_the_last_heart": lambda b, a, n: nobody_wins(b, n) > 2,
    # Q2
    "tie_decided_by_sums": lambda b, a, n: (
        n["phase"] == "over" and n["hearts"].count(max(n["hearts"])) > len(n["winners"]) > 0
    ),
    "several_winners": lambda b, a, n: len(n["winners"]) > 1,
}
