"""The observation of one seat: its layout, and `encode`, which writes it from a position.

Seats are relative to the observer: 0 is the observer, 1 the left neighbour and so on; entries of seats that do not
exist are 0. Arrays by card have one entry for each kind of card: blue, yellow, green, red, black, each from 1 to 11.
"""

from __future__ import annotations

from blackjacky_env.engine.compiling import inlined
from blackjacky_env.engine.layout import Layout, Part
from blackjacky_env.engine.trick_taking import PLAYED, places_from
from blackjacky_env.games.black_spy.rules import (
    BLACK_7,
    BLACK_CARDS,
    CARDS,
    COLOURS,
    KINDS,
    NOBODY,
    PICKS,
    PILE,
    RANKS,
    SEATS,
    TAKE,
    has_pile,
    pass_places,
    place_of_seat,
)

LAYOUT = Layout(
    [
        Part("num_players", (), 3, SEATS, "players of the game"),
        Part("no_good_spies", (), 0, 1, "option: coloured 7s count nothing (V1)"),
        Part("moon_choice", (), 0, 1, "option: who takes all black cards chooses (V2)"),
        Part("moon_choice_spies", (), 0, 1, "option: 0 = moon_deal_only, 1 = never_scored (V2)"),
        Part("mole", (), 0, 1, "option: the mole's pile (V3)"),
        Part("mole_replaces_pass", (), 0, 1, "option: no passing in deals with a pile (V3)"),
        Part("call_colour", (), 0, 1, "option: the dealer calls the first colour (V4)"),
        Part("call_timing", (), 0, 1, "option: 0 = after_pass, 1 = before_pass (V4)"),
        Part("rank_follow", (), 0, 1, "option: the rank of the last card may be followed (V5)"),
        Part("rank_follow_strict", (), 0, 1, "option: it must be followed before any card is free (V5)"),
        Part("exact_limit", (), 0, 1, "option: a total exactly at the limit is halved (V6)"),
        Part("pass_cycle", (), 0, 2, "option: 0 = left_right_across, 1 = left_across_right, 2 = left (B3)"),
        Part("opener", (), 0, 1, "option: 0 = red_star, 1 = left_of_dealer (B4)"),
        Part("max_deals", (), 1, 127, "option: deals of the game at most (B9)"),
        Part("phase", (6,), 0, 1, "one-hot: take, call, pass, play, choose, over"),
        Part("deal", (), 0, 126, "deals scored before this one"),
        Part("trick", (), 0, 20, "tricks taken in this deal"),
        Part("picks", (), 0, PICKS - 1, "cards taken or chosen so far by the player to act, in take and pass"),
        Part("pass_to", (), 0, SEATS - 1, "seat to which I pass in this deal, 0 = nothing is passed"),
        Part("called", (), 0, COLOURS - 1, "1 + the colour called in this deal, 0 = none"),
        Part("to_act", (SEATS,), 0, 1, "one-hot seat to act; none when the game is over"),
        Part("dealer", (SEATS,), 0, 1, "one-hot seat of the dealer"),
        Part("leader", (SEATS,), 0, 1, "one-hot seat that leads the trick; none before the first"),
        Part("red_star", (SEATS,), 0, 1, "one-hot seat that is known to hold the red 1, until it is played (B4)"),
        Part("my_hand", (KINDS,), 0, 6, "number of these cards in my hand, without those I have chosen to pass"),
        Part(
            "passed",
            (KINDS,),
            0,
            PICKS,
            "number of these that I have chosen to pass, or that pass_to must still have",
        ),
        Part("received", (KINDS,), 0, PICKS, "number of these that I was passed in this deal"),
        Part("pile", (KINDS,), 0, 6, "number of these that I see, or have left, in the mole's pile (V3)"),
        Part("table", (SEATS,), 0, KINDS, "by seat: 1 + the card played to this trick, 0 = none"),
        Part(
            "played", (KINDS,), 0, SEATS, "by card but the black 7: 1 + the seat that played it in this deal, 0 = none"
        ),
        Part("black_7s_played", (SEATS,), 0, 6, "by seat: number of black 7s played in this deal"),
        Part("colour_voids", (SEATS, COLOURS), 0, 1, "1: known to have no blue, yellow, green, red, black card"),
        Part("rank_voids", (SEATS, RANKS), 0, 1, "1: known to have no 1, 2, ..., 11"),
        Part("black_taken", (SEATS,), 0, BLACK_CARDS, "by seat: black cards in the tricks taken in this deal"),
        Part("good_spies_taken", (SEATS,), 0, 4, "by seat: coloured 7s in the tricks taken in this deal"),
        Part("points", (SEATS,), -20, 80, "by seat: points of the cards taken in this deal"),
        Part("totals", (SEATS,), -7620, 279, "by seat: points of the deals scored before"),
        Part("winners", (SEATS,), 0, 1, "1: has won the game"),
    ]
)
SIZE = LAYOUT.size

# Offsets as constants, for compiled code; the options are the first 14 entries.
AT_PHASE = LAYOUT.offset("phase")
AT_DEAL = LAYOUT.offset("deal")
AT_TRICK = LAYOUT.offset("trick")
AT_PICKS = LAYOUT.offset("picks")
AT_PASS_TO = LAYOUT.offset("pass_to")
AT_CALLED = LAYOUT.offset("called")
AT_TO_ACT = LAYOUT.offset("to_act")
AT_DEALER = LAYOUT.offset("dealer")
AT_LEADER = LAYOUT.offset("leader")
AT_RED_STAR = LAYOUT.offset("red_star")
AT_MY_HAND = LAYOUT.offset("my_hand")
AT_PASSED = LAYOUT.offset("passed")
AT_RECEIVED = LAYOUT.offset("received")
AT_PILE_SEEN = LAYOUT.offset("pile")
AT_TABLE = LAYOUT.offset("table")
AT_PLAYED_BY = LAYOUT.offset("played")
AT_SPIES_PLAYED = LAYOUT.offset("black_7s_played")
AT_COLOUR_VOIDS = LAYOUT.offset("colour_voids")
AT_RANK_VOIDS = LAYOUT.offset("rank_voids")
AT_BLACK_TAKEN = LAYOUT.offset("black_taken")
AT_SPIES_TAKEN = LAYOUT.offset("good_spies_taken")
AT_POINTS = LAYOUT.offset("points")
AT_TOTALS = LAYOUT.offset("totals")
AT_WINNERS = LAYOUT.offset("winners")


@inlined
def encode(s, observer, out):
    """Write the observation of seat ``observer`` into ``out`` (int16, shape (SIZE,))."""
    for place in range(SIZE):  # a constant length compiles to a few stores
        out[place] = 0
    observer, n = int(observer), int(s.num_players)
    encode_options(s, out)
    out[AT_PHASE + s.phase] = 1
    out[AT_DEAL] = s.deal_number
    out[AT_TRICK] = s.trick
    out[AT_PICKS] = s.picks
    out[AT_PASS_TO] = pass_places(s)
    out[AT_CALLED] = s.called + 1
    if s.player != NOBODY:
        out[AT_TO_ACT + places_from(observer, int(s.player), n)] = 1
    out[AT_DEALER + places_from(observer, int(s.dealer), n)] = 1
    if s.leader != NOBODY:
        out[AT_LEADER + places_from(observer, int(s.leader), n)] = 1
    if s.star != NOBODY:
        out[AT_RED_STAR + places_from(observer, int(s.star), n)] = 1
    encode_cards(s, observer, n, out)
    if pass_places(s):
        encode_passing(s, observer, n, out)
    if has_pile(s):
        encode_pile(s, observer, out)
    q = observer
    for seat in range(n):
        encode_seat(s, q, seat, out)
        q = q + 1 if q + 1 < n else 0


@inlined
def encode_options(s, out):
    """The options in force, which are the first entries."""
    out[0] = s.num_players
    out[1] = s.no_good_spies
    out[2] = s.moon_choice
    out[3] = s.moon_never_scored
    out[4] = s.mole
    out[5] = s.mole_replaces_pass
    out[6] = s.call_colour
    out[7] = s.call_before_pass
    out[8] = s.rank_follow
    out[9] = s.rank_follow_strict
    out[10] = s.exact_limit
    out[11] = s.pass_cycle
    out[12] = s.left_opens
    out[13] = s.max_deals


@inlined
def encode_cards(s, observer, n, out):
    """My hand, and who has played which card."""
    for card in range(KINDS):
        where = int(s.where[card])
        seat = where - PLAYED - observer
        seat += n * (seat < 0)
        out[AT_MY_HAND + card] = (where == observer) & (s.passed_by[card] != observer)
        out[AT_PLAYED_BY + card] = (1 + seat) * (where >= PLAYED)
    out[AT_PLAYED_BY + BLACK_7] = 0
    encode_black_7(s, BLACK_7, observer, n, out)
    for card in range(KINDS, CARDS):
        out[AT_MY_HAND + BLACK_7] += (s.where[card] == observer) & (s.passed_by[card] != observer)
        encode_black_7(s, card, observer, n, out)


@inlined
def encode_black_7(s, card, observer, n, out):
    """Who has played a black 7."""
    where = int(s.where[card])
    if where >= PLAYED:
        out[AT_SPIES_PLAYED + places_from(observer, where - PLAYED, n)] += 1


@inlined
def encode_passing(s, observer, n, out):
    """O3: what I have chosen or passed until its receiver has played it, and what I was passed."""
    places = pass_places(s)
    receiver = observer + places - n * (observer + places >= n)
    giver = observer - places + n * (observer < places)
    for card in range(KINDS):
        out[AT_PASSED + card] = (s.passed_by[card] == observer) & (s.where[card] < PLAYED)
        out[AT_RECEIVED + card] = (s.passed_by[card] == giver) & (holder_of(s, card) == observer)
    passed, received, played = 0, 0, 0
    for i in range(1 + CARDS - KINDS):
        card = BLACK_7 if i == 0 else KINDS + i - 1
        passed += s.passed_by[card] == observer
        received += (s.passed_by[card] == giver) & (holder_of(s, card) == observer)
        played += s.where[card] == PLAYED + receiver
    out[AT_PASSED + BLACK_7] = max(0, passed - played)
    out[AT_RECEIVED + BLACK_7] = received


@inlined
def holder_of(s, card):
    """The seat that has the card in its hand, or has played it."""
    return s.where[card] & (PLAYED - 1)


@inlined
def encode_pile(s, observer, out):
    """V3: the pile as the player sees it who chooses, and what each has left there, until cards are passed (O3)."""
    place = place_of_seat(s, observer)
    if s.phase == TAKE and place_of_seat(s, int(s.player)) < place:
        return
    for card in range(KINDS):
        out[AT_PILE_SEEN + card] = (s.where[card] == PILE) | (s.taken_at[card] > 1 + place)
    for card in range(KINDS, CARDS):
        out[AT_PILE_SEEN + BLACK_7] += (s.where[card] == PILE) | (s.taken_at[card] > 1 + place)


@inlined
def encode_seat(s, q, seat, out):
    """What everybody knows about player q, ``seat`` places clockwise of the observer."""
    out[AT_TABLE + seat] = int(s.table[q]) + 1
    for colour in range(COLOURS):
        out[AT_COLOUR_VOIDS + COLOURS * seat + colour] = s.colour_voids[q, colour]
    for rank in range(RANKS):
        out[AT_RANK_VOIDS + RANKS * seat + rank] = s.rank_voids[q, rank]
    out[AT_BLACK_TAKEN + seat] = s.black_taken[q]
    out[AT_SPIES_TAKEN + seat] = s.spies_taken[q]
    out[AT_POINTS + seat] = s.points[q]
    out[AT_TOTALS + seat] = s.totals[q]
    out[AT_WINNERS + seat] = s.winners[q]
