"""`counter`: counts cards and takes the action with the lowest estimated chance of losing a heart.

What the others hold and do is estimated in `odds`; here my own sum after each zock and trick is settled with it.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.games.black_jacky.bots import odds, seen
from blackjacky_env.compiled import compiled, inlined, scratch
from blackjacky_env.games.black_jacky import state

AT = seen.AT
PARAMETERS = odds.PARAMETERS
# A GPU takes names of constants as sizes.
SEATS, NUM_ACTIONS = seen.SEATS, state.NUM_ACTIONS
CHANCES, MAX_SUMS, PATH, TAILS = odds.CHANCES, odds.MAX_SUMS, odds.PATH, odds.TAILS


@compiled
def choose(observation, mask, random_state, parameters):
    """The action with the lowest estimated chance of losing a heart."""
    values = scratch(NUM_ACTIONS, np.float32)
    estimate(observation, mask, values, parameters)
    return np.argmin(values)


@compiled
def estimate(observation, mask, values, parameters):
    """Fill ``values`` (float32, (61,)) with the estimated chance of losing a heart after each legal action.

    Illegal actions get `ILLEGAL` or more. While tipping: the chance that the named player does not lose one.
    """
    values[:] = odds.ILLEGAL
    if observation[seen.TIPPING]:
        estimate_tips(observation, mask, values)
        return
    bust_at = int(observation[AT.bust_at])
    size = bust_at + odds.ABOVE_BUST
    unseen, draws = scratch(9, np.float64), scratch(9, np.float64)
    odds.count_unseen(observation, unseen)
    odds.chance_of_draws(observation, unseen, draws)
    sums, tails = scratch((SEATS, MAX_SUMS), np.float64), scratch(TAILS, np.float64)
    odds.add_hidden_sums(observation, unseen, size, sums)
    path, swaps = scratch(PATH, np.float64), scratch(9, np.float64)
    path[:, : odds.PAD] = 0.0
    odds.chance_of_swaps(draws, parameters, swaps)
    hand, zocks = scratch(9, np.int64), scratch((9, 10), np.float32)
    hand[0] = 0
    for v in range(1, 9):
        hand[v] = observation[seen.HAND + v]
    drawable, knocked = draws.sum() > 0.0, seen.somebody_knocked(observation)
    context = odds.Context(
        observation, unseen, draws, sums, tails, path, swaps, hand, zocks, bust_at, size, drawable, knocked, parameters
    )
    if observation[seen.ZOCKING]:
        estimate_zocks(context, values)
    elif observation[seen.EXCHANGING]:
        estimate_gifts(context, mask, values)
    else:
        estimate_tricks(context, mask, values)


# ---------------------------------------------------------------- zocks


@inlined
def settle(context, x, turns, chances, values):
    """values[v]: the chance of losing when my turn ends with a card v (0: none) more than my hand, whose sum is x.

    My sum is settled like that, or after another turn of mine.
    """
    x = max(min(x, context.size - 1), 0)
    if turns != odds.MAX_TURNS:
        for v in range(9):
            values[v] = chances[odds.NOW, x + v]
        return
    for v in range(9):
        values[v] = min(chances[odds.LATER, x + v], chances[odds.LATER_DRAWN, x + v], chances[odds.LATER_DRAWN, x])
    for given in range(1, 9):
        if context.hand[given]:
            start, rest = max(given - x, 0), max(x - given, 0)
            for v in range(9 - start):
                values[start + v] = min(values[start + v], chances[odds.LATER_DRAWN, rest + v])
    cut_off = context.parameters[odds.CUT_OFF]
    for v in range(9):
        values[v] = cut_off * chances[odds.NOW, x + v] + (1.0 - cut_off) * values[v]


@compiled
def weigh_zocks(context, x, turns, chances):
    """Fill the rows of ``zocks`` for the cards of my hand, if my whole sum is x.

    A player who does not knock can still be hit by a trick, which costs a little.
    """
    exposed, zocks, values = context.parameters[odds.EXPOSED], context.zocks, scratch(9, np.float64)
    for given in range(9):
        if given > 0 and context.hand[given] == 0:
            continue
        context.hand[given] -= 1
        settle(context, x - given, turns, chances, values)
        context.hand[given] += 1
        drawn = 0.0
        for v in range(1, 9):
            drawn += context.draws[v] * values[v]
        for v in range(9):
            zocks[given, v] = values[v] + exposed * (1.0 - values[v])
        zocks[given, odds.DRAWN] = drawn + exposed * (1.0 - drawn) if context.drawable else odds.ILLEGAL


@inlined
def chance_if_knocked(context, x, chances):
    """The chance of losing when I knock."""
    return chances[odds.IF_KNOCKED, min(x, context.size - 1)]


@compiled
def best_zock(context, x, top, chances):
    """The lowest chance of losing after `weigh_zocks`, with this top of the discard pile."""
    best = min(chance_if_knocked(context, x, chances), context.zocks[0, odds.DRAWN])
    for given in range(1, 9):
        if context.hand[given]:
            best = min(best, context.zocks[given, odds.DRAWN], context.zocks[given, top])
    return best


@compiled
def find_best_zock(context, x, top, turns, chances):
    """`weigh_zocks` and the lowest chance of losing."""
    weigh_zocks(context, x, turns, chances)
    return best_zock(context, x, top, chances)


@inlined
def usual_turns(context):
    """The turns of the others if no trick changes them."""
    return odds.LAST_TURNS if context.knocked else odds.MAX_TURNS


@compiled
def estimate_zocks(context, values):
    """My zock, whatever card I have laid."""
    total = seen.my_sum(context.observation)
    turns = odds.NO_TURNS if context.observation[AT.ends_after_turn] > 0 else usual_turns(context)
    chances = scratch(CHANCES, np.float64)
    odds.predict_all(context, turns)
    odds.fill_chances(context, context.tails, turns, total % 10, chances)
    weigh_zocks(context, total // 10, turns, chances)
    top = seen.top_of_discards(context.observation)
    values[state.KNOCK] = chance_if_knocked(context, total // 10, chances)
    values[state.DRAW] = context.zocks[0, odds.DRAWN]
    for given in range(1, 9):
        if context.hand[given]:
            values[state.SWAP_DRAW + given] = context.zocks[given, odds.DRAWN]
            values[state.SWAP_DISCARD + given] = context.zocks[given, top]


# ---------------------------------------------------------------- tricks


@compiled
def estimate_tricks(context, mask, values):
    """Every card that I may lay, with the best zock after it."""
    total = seen.my_sum(context.observation)
    x, top, turns = total // 10, seen.top_of_discards(context.observation), usual_turns(context)
    chances, changed = scratch(CHANCES, np.float64), scratch(CHANCES, np.float64)
    odds.predict_all(context, odds.MAX_TURNS if mask[2] else turns)
    odds.fill_chances(context, context.tails, turns, total % 10, chances)
    values[state.NO_TRICK] = find_best_zock(context, x, top, turns, chances)
    for v in range(1, 9):
        if context.hand[v] == 0:
            continue
        context.hand[v] -= 1
        if v == 3:
            estimate_threes(context, x, top, mask, chances, values)
        elif v == 6:
            estimate_sixes(context, x, top, mask, changed, values)
        elif mask[v]:
            values[v] = value_of_trick(context, v, x, top, chances, changed)
        context.hand[v] += 1
    for action in range(1, state.LAY_6 + SEATS):
        values[action] += context.parameters[odds.TRICK_COST]  # the card can no longer be swapped, and all can see it


@compiled
def value_of_trick(context, v, x, top, chances, changed):
    """The best zock after laying a 1, 2, 4, 5, 7 or 8; ``chances`` are those without a trick."""
    my_tenths, turns = seen.my_sum(context.observation) % 10, usual_turns(context)
    if v == 5:
        return find_best_zock(context, x - 5, top, turns, chances)
    if v == 7:
        return value_of_seven(context, x, top, turns, chances)
    if v == 4:
        return value_of_four(context, x, top, my_tenths, chances, changed)
    if v == 1:
        turns = odds.NO_TURNS
    elif v == 2:
        turns = odds.MAX_TURNS
    else:
        my_tenths += 1
    odds.fill_chances(context, context.tails, turns, my_tenths, changed)
    return find_best_zock(context, x, top, turns, changed)


@compiled
def value_of_seven(context, x, top, turns, chances):
    """T7: a new top of the discard pile, then the best zock."""
    weigh_zocks(context, x, turns, chances)
    if not context.drawable:
        return best_zock(context, x, top, chances)
    value = 0.0
    for v in range(1, 9):
        value += context.draws[v] * best_zock(context, x, v, chances)
    return value


@compiled
def value_of_four(context, x, top, my_tenths, chances, changed):
    """T4: the next active player draws a card."""
    target, turns = next_active(context.observation), usual_turns(context)
    if not context.drawable:
        return find_best_zock(context, x, top, turns, chances)
    if target > 0:
        sums, tails = scratch(MAX_SUMS, np.float64), scratch(TAILS, np.float64)
        add_a_card(context.sums[target], context.draws, context.size, sums)
        odds.copy_rows(context.tails, tails)
        odds.predict(context, target, sums, turns, tails)
        odds.fill_chances(context, tails, turns, my_tenths, changed)
        return find_best_zock(context, x, top, turns, changed)
    value = 0.0
    for v in range(1, 9):
        if context.draws[v] > 0.0:
            context.hand[v] += 1
            value += context.draws[v] * find_best_zock(context, x + v, top, turns, chances)
            context.hand[v] -= 1
    return value


@compiled
def next_active(observation):
    """The next active player clockwise of me, 0: I am the only one (T4)."""
    for seat in range(1, SEATS):
        if observation[AT.hearts + seat] > 0 and not observation[AT.knocked + seat]:
            return seat
    return 0


@compiled
def add_a_card(before, draws, size, after):
    """The distribution of a sum after one more card."""
    after[:] = 0.0
    for x in range(size):
        for v in range(1, 9):
            after[min(x + v, size - 1)] += before[x] * draws[v]


@compiled
def estimate_sixes(context, x, top, mask, chances, values):
    """T6: "+1" before each active player, or nowhere."""
    observation, turns = context.observation, usual_turns(context)
    my_tenths = seen.my_sum(observation) % 10
    if mask[6]:
        odds.fill_chances(context, context.tails, turns, my_tenths, chances)
        values[6] = find_best_zock(context, x, top, turns, chances)
    tails = scratch(TAILS, np.float64)
    for seat in range(SEATS):
        if mask[state.LAY_6 + seat]:
            odds.copy_rows(context.tails, tails)
            for other in range(1, SEATS):
                by = int(other == seat) - int(observation[AT.plus_one + other])
                if by != 0 and observation[AT.hearts + other] > 0:
                    predict_shifted(context, other, by, turns, tails)
            mine = x + int(seat == 0) - int(observation[AT.plus_one])
            odds.fill_chances(context, tails, turns, my_tenths, chances)
            values[state.LAY_6 + seat] = find_best_zock(context, mine, top, turns, chances)


@compiled
def predict_shifted(context, seat, by, turns, tails):
    """Predict the turns of a player whose sum changes by -1 or 1 now."""
    size, before, sums = context.size, context.sums[seat], scratch(MAX_SUMS, np.float64)
    sums[:] = 0.0
    if by > 0:
        odds.add_points(before, size, 1.0, 1, size, sums)
    else:
        odds.add_part(before, 1, size - 1, 1.0, sums, 0)
    odds.predict(context, seat, sums, turns, tails)


# ---------------------------------------------------------------- exchanges


@compiled
def estimate_threes(context, x, top, mask, chances, values):
    """T3: I exchange with another player, giving my best card for any of his.

    Exchanges of others change nothing that I could take into account.
    """
    unchanged, with_me = find_best_zock(context, x, top, usual_turns(context), chances), False
    for action in range(state.LAY_3, state.LAY_6):
        if mask[action]:
            values[action] = unchanged
            with_me = with_me or action < state.LAY_3 + SEATS - 1
    if mask[3]:
        values[3] = unchanged
    if not with_me:
        return
    swaps, cards = scratch((9, 9), np.float64), scratch(9, np.float64)
    value_swaps(context, x, top, False, chances, swaps)
    for seat in range(1, SEATS):
        if mask[state.LAY_3 + seat - 1]:
            chance_of_cards(context, seat, cards)
            best = odds.ILLEGAL
            for given in range(1, 9):
                if context.hand[given]:
                    best = min(best, value_of_gift(cards, swaps[given]))
            values[state.LAY_3 + seat - 1] = best


@compiled
def value_swaps(context, x, top, done, chances, swaps):
    """swaps[given, v]: the chance of losing if I give one card and get a v; ``done``: I have no zock after it."""
    hand = context.hand
    for given in range(1, 9):
        if hand[given] == 0:
            continue
        hand[given] -= 1
        for v in range(1, 9):
            hand[v] += 1
            after = min(x - given + v, context.size - 1)
            if done:
                swaps[given, v] = chances[odds.NOW, after]
            else:
                swaps[given, v] = find_best_zock(context, after, top, usual_turns(context), chances)
            hand[v] -= 1
        hand[given] += 1


@compiled
def value_of_gift(cards, swapped):
    """The chance of losing if a player gives me any card of his; ``swapped`` by the card that I get."""
    value = 0.0
    for v in range(1, 9):
        value += cards[v] * swapped[v]
    return value


@compiled
def chance_of_cards(context, seat, cards):
    """The chance of each value if a card is drawn from a player's hand."""
    observation = context.observation
    hidden, unseen = odds.hidden_cards(observation, seat), max(context.unseen.sum(), 1.0)
    for v in range(1, 9):
        known = int(observation[seen.KNOWN + 8 * seat + v])
        cards[v] = (known + hidden * context.unseen[v] / unseen) / max(int(observation[AT.hand_counts + seat]), 1)


@compiled
def estimate_gifts(context, mask, values):
    """An exchange is pending: the chance of losing for each card that I may give."""
    observation, turns = context.observation, usual_turns(context)
    total = seen.my_sum(observation)
    chances = scratch(CHANCES, np.float64)
    odds.predict_all(context, turns)
    odds.fill_chances(context, context.tails, turns, total % 10, chances)
    partner = 0
    for seat in range(1, SEATS):
        if observation[AT.exchange_pair + seat] or observation[AT.exchange_pair + SEATS + seat]:
            partner = seat
    done = context.knocked and not observation[AT.last_turns]
    swaps, cards = scratch((9, 9), np.float64), scratch(9, np.float64)
    value_swaps(context, total // 10, seen.top_of_discards(observation), done, chances, swaps)
    chance_of_cards(context, partner, cards)
    for given in range(1, 9):
        if mask[state.GIVE + given]:
            values[state.GIVE + given] = value_of_gift(cards, swaps[given])


# ---------------------------------------------------------------- tips


@compiled
def estimate_tips(observation, mask, values):
    """Before the deal all hands are alike: a player who acts late, with fewer turns to come, is likelier to lose.

    The notebook 02_agents.ipynb says how much likelier; only the order matters here.
    """
    start = 0
    for seat in range(SEATS):
        if observation[AT.start_player + seat]:
            start = seat
    for seat in range(1, SEATS):
        if mask[state.NAME + seat]:
            values[state.NAME + seat] = 0.7 - 0.05 * ((seat - start) % observation[AT.num_players])
