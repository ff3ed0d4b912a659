"""The observation of one seat: `encode` from a position, and `sample` back to a full position."""

from __future__ import annotations

import numpy as np

from blackjacky_env.compiled import below, draw, inlined, make_encode, make_sample, scratch, shuffle
from blackjacky_env.declare import NOBODY
from blackjacky_env.games.halunken import rules, state

AT = state.RECORD.at
_CARDS = state.CARDS  # a name of its own, as `scratch` asks for
_encode_shown, _sample_shown = make_encode(state.RECORD), make_sample(state.RECORD)


@inlined
def encode(s, observer, out):
    _encode_shown(s, observer, out)
    observer, n = int(observer), int(s.num_players)
    turned_up = s.decision != state.PLACE_CAPTAIN  # H2
    for field in range(state.FIELDS):
        height = int(s.heights[field])
        shown = turned_up and height > 0
        out[AT.hidden + field] = height - shown
        if shown:
            out[AT.tops + field] = 1 + rules.top_of(s, field)
    for card in range(state.CARDS):
        place = int(s.where[card])
        seat = place - observer
        seat += n * (seat < 0)
        out[AT.owners + card] = (1 + seat) * (place < state.SEATS) + (1 + state.HARBOUR) * (place == state.HARBOUR)
    q = observer
    for seat in range(n):
        out[AT.chosen + seat] = s.choices[q] != 0
        out[AT.scores + seat] = rules.present_score(s, q)
        q = q + 1 if q + 1 < n else 0
    out[AT.black_jack_chosen] = s.jack_choice != 0
    out[AT.my_black_jack_choice] = int(s.jack_choice) * (s.buyer == observer)
    out[AT.black_jack_number] = s.numbers[state.JACK]


@inlined
def sample(observation, bits, s):
    """As `Rules.sample` says; everything is uniform: the order of the unseen cards, and what is chosen in secret."""
    s.key = draw(bits, 0)
    rules.clear_table(s)
    _sample_shown(observation, s)
    s.deals = int(s.game_number) + 1
    rules.forget_what_happened(s)
    s.numbers[state.JACK] = observation[AT.black_jack_number]
    imagine_rogues(observation, draw(bits, 1), s)
    imagine_jack_deck(draw(bits, 2), s)
    imagine_choices(observation, bits, s)


@inlined
def imagine_rogues(observation, bits, s):
    """Place the cards that have been seen, and the others in the hidden places, shuffled.

    Cards that have left a tavern are laid above the others in ``deck``, in any order: it does not matter any more.
    """
    cards, is_top, unseen = scratch(_CARDS, np.int8), scratch(_CARDS, np.bool_), 0
    cards[:] = 0
    is_top[:] = False
    for field in range(state.FIELDS):
        if observation[AT.tops + field]:
            is_top[observation[AT.tops + field] - 1] = True
    for card in range(state.CARDS):
        if not observation[AT.owners + card] and not is_top[card]:
            cards[unseen] = card
            unseen += 1
    shuffle(cards, unseen, bits)
    for field in range(state.FIELDS):
        top, hidden = int(observation[AT.tops + field]), int(observation[AT.hidden + field])
        s.heights[field] = hidden + (top > 0)
        for level in range(state.LEVELS):
            place = state.FIELDS * level + field
            s.deck[place] = state.NO_CARD
            if top and level == state.LEVELS - 1 - hidden:
                s.deck[place] = top - 1
            elif level >= state.LEVELS - hidden:
                unseen = max(unseen - 1, 0)  # none are left in no game, but in observations of none
                s.deck[place] = cards[unseen]
    imagine_owners(observation, s)


@inlined
def imagine_owners(observation, s):
    """Where each card lies, what everybody has, and the places in ``deck`` of cards that have left their tavern."""
    s.where[:] = state.TAVERN
    place = 0
    for card in range(state.CARDS):
        owner = int(observation[AT.owners + card]) - 1
        if owner != NOBODY:
            while place + 1 < state.CARDS and s.deck[place] != state.NO_CARD:
                place += 1
            s.deck[place] = card
            rules.move_card(s, card, owner)


@inlined
def imagine_jack_deck(bits, s):
    """Black Jack's movement cards: those not revealed in uniform order, in a standard game below the revealed ones."""
    count = rules.jack_moves(s)
    spent, unseen = 0, count
    s.jack_deck[:] = 0
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
    """The observer's choices as they are; others' are uniform among the cards that they still have."""
    for p in range(1, state.SEATS):
        if observation[AT.chosen + p]:
            s.choices[p] = random_move(s.spent[p], draw(bits, 3 + p))
    if observation[AT.black_jack_chosen]:
        s.jack_choice = random_move(s.jack_spent, draw(bits, 3 + state.SEATS))
    if observation[AT.my_black_jack_choice]:
        s.jack_choice = observation[AT.my_black_jack_choice]


@inlined
def random_move(spent, bits):
    left = 0
    for i in range(state.MOVES):
        left += spent[i] == 0
    skip, move = np.int64(below(bits, left)), 1
    while move < state.MOVES and (skip or spent[move - 1]):
        skip -= spent[move - 1] == 0
        move += 1
    return move
