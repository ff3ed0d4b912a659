"""What is played when the reference implementation of Black Jacky is compared with the environment."""

from tests.reference.declaration import Setting
from tests.reference.parts import uniform

from .rules import KNOCK, NO_TRICK

TABLES = range(2, 7)
TRICK_1 = 1
LONG = 600  # actions in a game without turn limit, enough for more turns than a byte can count


def hoard(legal):
    return legal - {TRICK_1, KNOCK} or legal


def trickster(legal):
    return legal - {NO_TRICK} or legal


def knocker(legal):
    return legal & {NO_TRICK, KNOCK} or legal


POLICIES = {"uniform": uniform, "hoard": hoard, "trickster": trickster, "knocker": knocker}


def hurry(game, actions):
    """A long game without turn limit may have no end unless everybody knocks."""
    return "knocker" if game.max_turns is None and actions >= LONG else None


def any_options(rng, num_players):
    max_card, hand_size = rng.randint(2, 8), rng.randint(1, 8)
    if num_players * hand_size >= max_card * (max_card + 1) // 2:
        return any_options(rng, num_players)
    return {
        "num_players": num_players,
        "variant": rng.choice(["classic", "schnell_duell"]),
        "max_card": max_card,
        "hand_size": hand_size,
        "bust_at": rng.choice([2, 5, 8, 12, 15, 21, 30, 60, 99]),
        "hearts": rng.choice([None, 1, 2, 3]),
        "tricks": [value for value in range(1, 9) if rng.random() < 0.8],
        "max_turns_per_round": rng.choice([1, 2, 3, 7, 20, 100, 127, None]),
    }


SCHNELL = {"variant": "schnell_duell"}
TINY = {"max_card": 3, "hand_size": 1, "hearts": 1}
TRICKS_MEET = ("empty_hand", "last_turns_cut_off", "knock_cancelled", "first_knock_after_a_2", "exchange_of_others")
TIPS_MEET = ("several_eliminated", "returning_tipper", "returning_tipper_starts", "black_heart_lost", "two_tippers")
EMPTY_PILE_MEETS = ("reshuffle", "nothing_to_draw", "trick_4_without_card", "trick_7_without_card")
SETTINGS = (
    *(Setting(policy, n) for n in TABLES for policy in ("uniform", "mixed", "knocker")),
    *(Setting(policy, n, SCHNELL) for n in TABLES for policy in ("mixed", "trickster")),
    Setting("trickster", 6, games=10, meets=(*TRICKS_MEET, *TIPS_MEET, "plus_one_stuck")),
    Setting("trickster", 3, games=15, meets=("trick_3_without_effect", "trick_4_on_oneself")),
    Setting("knocker", 6, games=8, meets=("everybody_knocked", "wanted_sent_home")),
    Setting("knocker", 4, TINY, games=120, meets=("returning_tipper_wins", "both_lose_the_last_heart")),
    Setting("knocker", 3, {"bust_at": 8}, games=20, meets=("more_than_two_lose_the_last_heart",)),
    Setting("hoard", 2),
    Setting("hoard", 5, games=6, meets=EMPTY_PILE_MEETS),
    Setting("hoard", 4, {"tricks": (), "max_turns_per_round": 9}, meets=("turn_limit",)),
    Setting("knocker", 3, SCHNELL, games=30, meets=("tie_decided_by_sums",)),
    Setting("mixed", 2, {**SCHNELL, "bust_at": 6}, games=8, meets=("several_winners",)),
    Setting("mixed", 6, {"hearts": 9, "max_turns_per_round": None}, games=1),
    Setting("mixed", 2, {"hand_size": 8, "bust_at": 60}),
    Setting("trickster", 4, {"max_card": 7, "hand_size": 6}),
)
