"""The observation of one seat: its layout, `encode` from a position, and `sample` back to a full position.

Seats are relative to the observer: 0 is the observer, 1 the left neighbour and so on; entries of seats that do not
exist are 0. Arrays by card have one entry for each card: red, violet, grey, yellow, each by value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine.compiling import entry, inlined, zeros
from blackjacky_env.engine.layout import Layout, Part
from blackjacky_env.engine.random import below, draw, shuffle
from blackjacky_env.games.halunken.rules import (
    CARDS,
    COLOURS,
    FIELDS,
    GAMES,
    HARBOUR,
    JACK,
    JACK_MOVES,
    LEVELS,
    MOVES,
    NO_CARD,
    NOBODY,
    NUM_COLOURS,
    OVER,
    PLACE_CAPTAIN,
    ROUNDS,
    SEATS,
    STATE,
    TAVERN,
    VALUES,
    jack_moves,
    present_score,
    top_of,
)

DECISIONS = (
    "place_captain",
    "place_black_jack",
    "bid",
    "choose_for_black_jack",
    "choose",
    "name",
    "take",
    "take_or_rob",
    "rob",
    "give",
    "over",
)
_MOST = 616  # all cards doubled

LAYOUT = Layout(
    [
        Part("num_players", (), 2, SEATS, "players of the game"),
        Part("variant", (3,), 0, 1, "one-hot: standard, basic, duel"),
        Part("rob_before_pick", (), 0, 1, "option: 1 if rob_count is 'before_pick' (H7)"),
        Part("three_games", (), 0, 1, "option: three games are played"),
        Part("duel_overtakes", (), 0, 1, "option: 1 if duel_black_jack is 'standard' (D4)"),
        Part("game", (), 0, GAMES - 1, "games finished before this one"),
        Part("round", (), 0, ROUNDS - 1, "rounds finished in this game"),
        Part("decision", (len(DECISIONS),), 0, 1, f"one-hot, what is asked: {', '.join(DECISIONS)}"),
        Part("to_act", (SEATS,), 0, 1, "one-hot seat to act; none when the game is over"),
        Part("start_player", (SEATS,), 0, 1, "one-hot seat that placed first"),
        Part("opener", (SEATS,), 0, 1, "one-hot seat that opened this round; none before the first"),
        Part("buyer", (SEATS,), 0, 1, "one-hot seat that controls Black Jack in this round"),
        Part("bidder", (SEATS,), 0, 1, "one-hot seat of the highest offer in this round"),
        Part("offers", (SEATS,), 0, CARDS, "by seat: 1 + the card last offered in this round, 0 = none"),
        Part("captains", (SEATS,), 0, FIELDS, "by seat: 1 + the captain's field, 0 = not placed"),
        Part("black_jack", (), 0, FIELDS, "1 + Black Jack's field, 0 = not placed"),
        Part("mover", (SEATS + 1,), 0, 1, "one-hot: seats, Black Jack; the figure whose move is being resolved"),
        Part("victim", (SEATS,), 0, 1, "one-hot seat that is being robbed"),
        Part("to_rob", (SEATS,), 0, SEATS, "1 + seats that Black Jack overtakes, in order, 0 = no more (J4, J5)"),
        Part("spent", (SEATS, MOVES), 0, 1, "1: the seat's movement card 1 .. 7, Rum has been revealed"),
        Part("black_jack_spent", (JACK_MOVES,), 0, 1, "1: his card 1 .. 12 (duel: 1 .. 7, Rum) has been revealed"),
        Part("chosen", (SEATS,), 0, 1, "1: has chosen a card in secret"),
        Part("black_jack_chosen", (), 0, 1, "1: a card has been chosen for Black Jack in secret"),
        Part("my_choice", (), 0, MOVES, "my card chosen in secret, Rum = 8, 0 = none"),
        Part("my_black_jack_choice", (), 0, MOVES, "the card I have chosen for Black Jack, Rum = 8, 0 = none"),
        Part("laid", (SEATS,), 0, MOVES, "by seat: the movement card last revealed, Rum = 8, 0 = none"),
        Part("black_jack_laid", (), 0, JACK_MOVES, "that of Black Jack (duel: Rum = 8), 0 = none"),
        Part("numbers", (SEATS,), 0, MOVES, "by seat: fields still to move, 8 = Rum to be named, 0 = nothing"),
        Part("black_jack_number", (), 0, MOVES, "duel: fields that Black Jack has still to move, as above"),
        Part("tops", (FIELDS,), 0, CARDS, "by field: 1 + the card turned up, 0 = none"),
        Part("hidden", (FIELDS,), 0, LEVELS, "by field: number of face-down cards"),
        Part("owners", (CARDS,), 0, SEATS + 1, "by card: 1 + the seat that has it, 5 = harbour, 0 = in a tavern"),
        Part("scores", (SEATS,), 0, _MOST, "by seat: score of this game as it would be counted now"),
        Part("totals", (SEATS,), 0, GAMES * _MOST, "by seat: scores of finished games"),
        Part("winners", (SEATS,), 0, 1, "1: has won"),
    ]
)
SIZE = LAYOUT.size

# Offsets as constants, for compiled code.
_OPTIONS = LAYOUT.offset("num_players")
_VARIANT = LAYOUT.offset("variant")
_FLAGS = LAYOUT.offset("rob_before_pick")
_GAME = LAYOUT.offset("game")
_ROUND = LAYOUT.offset("round")
_DECISION = LAYOUT.offset("decision")
_TO_ACT = LAYOUT.offset("to_act")
_START_PLAYER = LAYOUT.offset("start_player")
_OPENER = LAYOUT.offset("opener")
_BUYER = LAYOUT.offset("buyer")
_BIDDER = LAYOUT.offset("bidder")
_OFFERS = LAYOUT.offset("offers")
_CAPTAINS = LAYOUT.offset("captains")
_JACK = LAYOUT.offset("black_jack")
_MOVER = LAYOUT.offset("mover")
_VICTIM = LAYOUT.offset("victim")
_TO_ROB = LAYOUT.offset("to_rob")
_SPENT = LAYOUT.offset("spent")
_JACK_SPENT = LAYOUT.offset("black_jack_spent")
_CHOSEN = LAYOUT.offset("chosen")
_JACK_CHOSEN = LAYOUT.offset("black_jack_chosen")
_MY_CHOICE = LAYOUT.offset("my_choice")
_MY_JACK_CHOICE = LAYOUT.offset("my_black_jack_choice")
_LAID = LAYOUT.offset("laid")
_JACK_LAID = LAYOUT.offset("black_jack_laid")
_NUMBERS = LAYOUT.offset("numbers")
_JACK_NUMBER = LAYOUT.offset("black_jack_number")
_TOPS = LAYOUT.offset("tops")
_HIDDEN = LAYOUT.offset("hidden")
_OWNERS = LAYOUT.offset("owners")
_SCORES = LAYOUT.offset("scores")
_TOTALS = LAYOUT.offset("totals")
_WINNERS = LAYOUT.offset("winners")


@inlined
def encode(s, observer, out):
    """Write the observation of seat ``observer`` into ``out`` (int16, shape (SIZE,))."""
    for place in range(SIZE):  # a constant length compiles to a few stores
        out[place] = 0
    observer, n = int(observer), int(s.num_players)
    out[_OPTIONS] = n
    out[_VARIANT + s.variant] = 1
    out[_FLAGS] = s.rob_before_pick
    out[_FLAGS + 1] = s.three_games
    out[_FLAGS + 2] = s.duel_overtakes
    out[_GAME] = s.game_number
    out[_ROUND] = s.round_number
    out[_DECISION + s.decision] = 1
    encode_roles(s, observer, n, out)
    encode_black_jack(s, observer, n, out)
    encode_cards(s, observer, n, out)
    q = observer
    for seat in range(n):
        encode_seat(s, q, seat, out)
        q = q + 1 if q + 1 < n else 0
    out[_MY_CHOICE] = s.choices[observer]


@inlined
def seen_from(observer, p, n):
    """How many places seat p sits clockwise of the observer."""
    return p - observer if p >= observer else p - observer + n


@inlined
def mark(out, place, observer, p, n):
    """Mark seat p, unless it is NOBODY, in the part that begins at ``place``."""
    if p != NOBODY:
        out[place + seen_from(observer, p, n)] = 1


@inlined
def encode_roles(s, observer, n, out):
    """Who does what in this round."""
    mark(out, _TO_ACT, observer, int(s.player), n)
    mark(out, _START_PLAYER, observer, int(s.start_player), n)
    mark(out, _OPENER, observer, int(s.opener), n)
    mark(out, _BUYER, observer, int(s.buyer), n)
    mark(out, _BIDDER, observer, int(s.bidder), n)
    mark(out, _VICTIM, observer, int(s.victim), n)
    if s.mover == JACK:
        out[_MOVER + JACK] = 1
    else:
        mark(out, _MOVER, observer, int(s.mover), n)
    for i in range(SEATS):
        if s.to_rob[i] != NOBODY:
            out[_TO_ROB + i] = 1 + seen_from(observer, int(s.to_rob[i]), n)


@inlined
def encode_black_jack(s, observer, n, out):
    """Black Jack's figure and movement cards; what was chosen for him in secret only for who has chosen."""
    out[_JACK] = int(s.jack) + 1
    for i in range(JACK_MOVES):
        out[_JACK_SPENT + i] = s.jack_spent[i]
    out[_JACK_CHOSEN] = s.jack_choice != 0
    out[_MY_JACK_CHOICE] = int(s.jack_choice) * (s.buyer == observer)
    out[_JACK_LAID] = s.jack_laid
    out[_JACK_NUMBER] = s.numbers[JACK]


@inlined
def encode_cards(s, observer, n, out):
    """Where the rogue cards lie that have been seen."""
    turned_up = s.decision != PLACE_CAPTAIN  # H2
    for field in range(FIELDS):
        height = int(s.heights[field])
        shown = turned_up and height > 0
        out[_HIDDEN + field] = height - shown
        if shown:
            out[_TOPS + field] = 1 + top_of(s, field)
    for card in range(CARDS):
        place = int(s.where[card])
        seat = place - observer
        seat += n * (seat < 0)
        out[_OWNERS + card] = (1 + seat) * (place < SEATS) + (1 + HARBOUR) * (place == HARBOUR)


@inlined
def encode_seat(s, q, seat, out):
    """What everybody knows about player q, ``seat`` places clockwise of the observer."""
    out[_OFFERS + seat] = int(s.offers[q]) + 1
    out[_CAPTAINS + seat] = int(s.captains[q]) + 1
    for i in range(MOVES):
        out[_SPENT + MOVES * seat + i] = s.spent[q, i]
    out[_CHOSEN + seat] = s.choices[q] != 0
    out[_LAID + seat] = s.laid[q]
    out[_NUMBERS + seat] = s.numbers[q]
    out[_SCORES + seat] = present_score(s, q)
    out[_TOTALS + seat] = s.totals[q]
    out[_WINNERS + seat] = s.winners[q]


# ---------------------------------------------------------------- back from an observation to a position


@inlined
def sample(observation, bits, s):
    """Write into ``s`` a random full legal position consistent with ``observation``.

    ``observation``: integers, (SIZE,), as written by `encode`; ``bits`` (uint64) determine everything that is drawn.
    The observer gets seat 0, the game a new key. The unseen rogue cards lie in uniform order in the hidden places, so
    do Black Jack's unseen movement cards, and each card that its owner still has is chosen in secret with equal chance.
    """
    s.key = draw(bits, 0)
    imagine_table(observation, s)
    imagine_roles(observation, s)
    for p in range(SEATS):
        imagine_seat(observation, p, s)
    imagine_rogues(observation, draw(bits, 1), s)
    imagine_jack_deck(draw(bits, 2), s)
    imagine_choices(observation, bits, s)


@inlined
def marked(observation, place, count):
    """The position of the 1 among ``count`` entries from ``place`` on, or NOBODY."""
    for i in range(count):
        if observation[place + i]:
            return i
    return NOBODY


@inlined
def imagine_table(observation, s):
    """The options, the decision and Black Jack's figure."""
    s.num_players = observation[_OPTIONS]
    s.variant = marked(observation, _VARIANT, 3)
    s.rob_before_pick = observation[_FLAGS]
    s.three_games = observation[_FLAGS + 1]
    s.duel_overtakes = observation[_FLAGS + 2]
    s.game_number = observation[_GAME]
    s.deals = int(observation[_GAME]) + 1
    s.round_number = observation[_ROUND]
    s.decision = marked(observation, _DECISION, OVER + 1)
    s.jack = int(observation[_JACK]) - 1
    s.jack_laid = observation[_JACK_LAID]
    s.numbers[JACK] = observation[_JACK_NUMBER]
    for i in range(JACK_MOVES):
        s.jack_spent[i] = observation[_JACK_SPENT + i]


@inlined
def imagine_roles(observation, s):
    """Who does what in this round."""
    s.player = marked(observation, _TO_ACT, SEATS)
    s.start_player = marked(observation, _START_PLAYER, SEATS)
    s.opener = marked(observation, _OPENER, SEATS)
    s.buyer = marked(observation, _BUYER, SEATS)
    s.bidder = marked(observation, _BIDDER, SEATS)
    s.mover = marked(observation, _MOVER, SEATS + 1)
    s.victim = marked(observation, _VICTIM, SEATS)
    for i in range(SEATS):
        s.to_rob[i] = int(observation[_TO_ROB + i]) - 1


@inlined
def imagine_seat(observation, p, s):
    """What everybody knows about player p; for a seat that does not exist, what `clear_table` writes."""
    s.offers[p] = int(observation[_OFFERS + p]) - 1
    s.captains[p] = int(observation[_CAPTAINS + p]) - 1
    for i in range(MOVES):
        s.spent[p, i] = observation[_SPENT + MOVES * p + i]
    s.laid[p] = observation[_LAID + p]
    s.numbers[p] = observation[_NUMBERS + p]
    s.totals[p] = observation[_TOTALS + p]
    s.winners[p] = observation[_WINNERS + p]
    for colour in range(NUM_COLOURS):
        s.colours[p, colour] = 0
        s.values[p, colour] = 0
    s.counts[p] = 0


@inlined
def imagine_rogues(observation, bits, s):
    """Place the cards that have been seen, and the others in the hidden places, shuffled.

    ``s.where`` serves as the list of the unseen cards first. Cards that have left a tavern are laid above the others in
    ``deck``, in any order: it does not matter any more.
    """
    unseen = 0
    for card in range(CARDS):
        if not observation[_OWNERS + card] and not is_top(observation, card):
            s.where[unseen] = card
            unseen += 1
    shuffle(s.where, unseen, bits)
    for field in range(FIELDS):
        top, hidden = int(observation[_TOPS + field]), int(observation[_HIDDEN + field])
        s.heights[field] = hidden + (top > 0)
        for level in range(LEVELS):
            place = FIELDS * level + field
            s.deck[place] = NO_CARD
            if top and level == LEVELS - 1 - hidden:
                s.deck[place] = top - 1
            elif level >= LEVELS - hidden:
                unseen -= 1
                s.deck[place] = s.where[unseen]
    imagine_owners(observation, s)


@inlined
def is_top(observation, card):
    """Whether the card lies turned up before a tavern."""
    for field in range(FIELDS):
        if observation[_TOPS + field] == card + 1:
            return True
    return False


@inlined
def imagine_owners(observation, s):
    """Where each card lies, what everybody has, and the places in ``deck`` of cards that have left their tavern."""
    s.counts[HARBOUR] = 0
    place = 0
    for card in range(CARDS):
        owner = int(observation[_OWNERS + card]) - 1
        s.where[card] = TAVERN if owner == NOBODY else owner
        if owner != NOBODY:
            while s.deck[place] != NO_CARD:
                place += 1
            s.deck[place] = card
            s.counts[owner] += 1
        if 0 <= owner < SEATS:
            s.colours[owner, COLOURS[card]] += 1
            s.values[owner, COLOURS[card]] += VALUES[card]


@inlined
def imagine_jack_deck(bits, s):
    """Black Jack's movement cards: those not revealed in uniform order, in a standard game below the revealed ones."""
    count = jack_moves(s)
    spent, unseen = 0, count
    for i in range(JACK_MOVES):
        s.jack_deck[i] = 0
    for move in range(1, count + 1):
        if s.jack_spent[move - 1]:
            s.jack_deck[spent] = move
            spent += 1
    for move in range(count, 0, -1):
        if not s.jack_spent[move - 1]:
            unseen -= 1
            s.jack_deck[unseen] = move
    for last in range(count - 1, spent, -1):
        other = spent + below(draw(bits, last), last + 1 - spent)
        move = s.jack_deck[last]
        s.jack_deck[last] = s.jack_deck[other]
        s.jack_deck[other] = move


@inlined
def imagine_choices(observation, bits, s):
    """Own choices as they are; others' are uniform among the cards that they still have."""
    for p in range(SEATS):
        s.choices[p] = 0
        if observation[_CHOSEN + p]:
            s.choices[p] = random_move(s.spent[p], draw(bits, 3 + p))
    s.jack_choice = 0
    if observation[_JACK_CHOSEN]:
        s.jack_choice = random_move(s.jack_spent, draw(bits, 3 + SEATS))
    if observation[_MY_CHOICE]:
        s.choices[0] = observation[_MY_CHOICE]
    if observation[_MY_JACK_CHOICE]:
        s.jack_choice = observation[_MY_JACK_CHOICE]


@inlined
def random_move(spent, bits):
    """One of the eight movement cards that are not spent."""
    left = 0
    for i in range(MOVES):
        left += spent[i] == 0
    skip, move = np.int64(below(bits, left)), 1
    while skip or spent[move - 1]:
        skip -= spent[move - 1] == 0
        move += 1
    return move


def _sample_one(observation, bits, states):
    sample(observation, bits, states[0])


_sample_entry = entry(_sample_one)


def sample_state(observation: npt.ArrayLike, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """One `STATE` record, shape (1,), drawn by `sample` for ``observation`` (integers, shape (SIZE,)).

    The caller refuses contradictions before, and checks after that the position shows this very observation
    (`engine.observations`).
    """
    states = zeros(1, STATE)
    _sample_entry(LAYOUT.checked(observation), rng.integers(2**64, dtype=np.uint64), states)
    return states
