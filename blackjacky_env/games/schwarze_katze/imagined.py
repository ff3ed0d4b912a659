"""Imagined positions: `sample_state` leads from an observation back to a random full position that shows it.

All deals of the unseen cards that fit the hand sizes and known voids are equally likely (K4, K9).
"""

from __future__ import annotations

import numpy as np

from blackjacky_env.compiled import draw, inlined, make_sample, scratch
from blackjacky_env.games import trick_taking as tricks
from blackjacky_env.games.schwarze_katze.rules import is_taken_out, suit_of
from blackjacky_env.games.schwarze_katze.state import CARDS, RECORD, SEATS, SUITS
from blackjacky_env.games.unseen import NOWHERE, add, clear, deal_unseen, pick, total_of, unseen_cards

AT = RECORD.at
_sample_shown = make_sample(RECORD)
_FOR_GROUPS, _FOR_HANDS = 1, 2  # draws
HANDS = unseen_cards(CARDS, SEATS)


@inlined
def sample(observation, bits, s):
    s.key = draw(bits, 0)
    _sample_shown(observation, s)
    s.deals = int(s.deal_number) + 1
    place_seen(observation, s)
    deal_others(s, bits)


@inlined
def place_seen(observation, s):
    """Cards in the observer's hand, played ones, and those that are not in the game; all others are `NOWHERE`."""
    n = int(s.num_players)
    s.left_out = 0
    for card in range(CARDS):
        played = int(observation[AT.played + card])
        if observation[AT.my_hand + card]:
            s.where[card] = 0
        elif played > n:
            s.where[card] = tricks.NOT_IN_DECK
            s.left_out += 1
        elif played:
            s.where[card] = tricks.PLAYED + played - 1
        else:
            s.where[card] = tricks.ASIDE if is_taken_out(card, n) else NOWHERE


@inlined
def deal_others(s, bits):
    """Deal all other cards to the hands: first to groups of players with the same voids, then within each group."""
    records, groups, members = scratch(1, HANDS), scratch(SEATS, np.int64), scratch(SEATS, np.int64)
    hands = records[0]
    clear(hands)
    members[:] = 0
    for p in range(1, s.num_players):
        groups[p] = group_of(s, p)
        members[groups[p]] |= 1 << p
        hands.room[groups[p]] += cards_held(s, p)
    for card in range(CARDS):
        if s.where[card] == NOWHERE:
            allowed = 0
            for p in range(1, s.num_players):
                allowed |= int(not s.voids[p, suit_of(card)]) << groups[p]
            add(hands, card, allowed)
    deal_unseen(hands, draw(bits, _FOR_GROUPS))
    for p in range(1, s.num_players):
        hands.room[p] = cards_held(s, p)
    for i in range(hands.count):
        if hands.place[i] != NOWHERE:
            group = int(members[hands.place[i]])
            p = pick(hands.room, group, draw(draw(bits, _FOR_HANDS), i), total_of(hands.room, group))
            s.where[hands.card[i]] = p
            hands.room[p] -= 1


@inlined
def cards_held(s, p):
    return max(0, tricks.hand_size(s) - int(s.trick) - int(s.table[p] != tricks.NO_CARD))


@inlined
def group_of(s, p):
    """The first of the other players with p's known voids."""
    for q in range(1, p):
        same = True
        for suit in range(SUITS):
            same &= s.voids[q, suit] == s.voids[p, suit]
        if same:
            return q
    return p
