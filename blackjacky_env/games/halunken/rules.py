"""The rules of Halunken & Spelunken on one state record: placing, auction, movement cards, robbing, result.

Rule numbers (H1 .. H9, J1 .. J6, C1, D1 .. D6) are those of this folder's README. Every function takes a state record
``s`` and changes it in place; ``p`` and ``q`` are seats. A figure is a seat, for its captain, or `JACK`. Rogue cards
are numbered 0 .. 41 colour by colour, red, violet, grey, yellow, each by value; movement cards are 1 .. 12, and `RUM`.
Plain Python mode has NumPy scalars in the fields, so fields are widened by ``int`` before arithmetic.
"""

from __future__ import annotations

from blackjacky_env.compiled import inlined, make_clear, set_zero, shuffle, start_seat, stream
from blackjacky_env.declare import CHANCE, NOBODY
from blackjacky_env.games.halunken import state

FOR_DECK, FOR_JACK_DECK = 1, 2  # what random numbers are drawn for, after `start_seat`

clear_games = make_clear(state.RECORD, "game_number deals totals winners")
clear_table = make_clear(
    state.RECORD,
    "round_number captains jack spent jack_spent opener laid jack_laid choices jack_choice numbers mover victim to_rob "
    "buyer bidder offers counts colours values",
)
clear_auction = make_clear(state.RECORD, "buyer bidder offers")


# ---------------------------------------------------------------- start


@inlined
def begin(s, key, start_player):
    """Start with the options in ``s``; start_player, who places first, NOBODY: drawn (H2)."""
    forget_what_happened(s)
    clear_games(s)
    s.key = key
    s.start_player = start_seat(key, start_player, s.num_players)
    s.player = CHANCE


@inlined
def deal(s):
    """H1, J1, D1: shuffle the rogue cards and Black Jack's by (key, game); the start player places first."""
    s.deals += 1
    for card in range(state.CARDS):
        s.deck[card] = card
    shuffle(s.deck, state.CARDS, stream(s.key, FOR_DECK, int(s.game_number), 0))
    count = jack_moves(s)
    for i in range(state.JACK_MOVES):
        s.jack_deck[i] = i + 1 if i < count else 0
    shuffle(s.jack_deck, count, stream(s.key, FOR_JACK_DECK, int(s.game_number), 0))
    clear_table(s)
    s.heights[:] = state.LEVELS
    s.where[:] = state.TAVERN
    ask(s, state.PLACE_CAPTAIN, s.start_player)


@inlined
def redeal(s, deck):
    """Begin the game again with these rogue cards: the tops of fields 0 .., then the second cards, then the third."""
    for i in range(state.CARDS):
        s.deck[i] = deck[i]


@inlined
def redeal_jack(s, deck):
    for i in range(len(deck)):
        s.jack_deck[i] = deck[i]


@inlined
def jack_moves(s):
    """J1, D1: number of Black Jack's movement cards."""
    if s.variant == state.BASIC:
        return 0
    return state.MOVES if s.variant == state.DUEL else state.JACK_MOVES


@inlined
def forget_what_happened(s):
    s.happened[:] = state.NOTHING
    s.happenings = 0


@inlined
def log(s, what, figure, number, field, card):
    if s.happenings < state.MOST_HAPPENED:
        row = s.happened[s.happenings]
        row[0], row[1], row[2], row[3], row[4] = what, figure, number, field, card
        s.happenings += 1


# ---------------------------------------------------------------- cards and figures


@inlined
def next_seat(s, p):
    return p + 1 if p + 1 < s.num_players else 0


@inlined
def top_of(s, field):
    """The top card of a tavern that is not empty."""
    return int(s.deck[state.FIELDS * (state.LEVELS - int(s.heights[field])) + field])


@inlined
def move_card(s, card, to):
    """Put a card before the seat ``to``, or into the HARBOUR."""
    place, colour, value = int(s.where[card]), state.COLOURS[card], state.VALUES[card]
    if place != state.TAVERN:
        s.counts[place] -= 1
    if place < state.SEATS:
        s.colours[place, colour] -= 1
        s.values[place, colour] -= value
    s.counts[to] += 1
    if to < state.SEATS:
        s.colours[to, colour] += 1
        s.values[to, colour] += value
    s.where[card] = to


@inlined
def take_top(s, field, to):
    """H6: the top card of the tavern goes to ``to``; the next one is then turned up. Returns it, NO_CARD: none."""
    if s.heights[field] == 0:
        return state.NO_CARD
    card = top_of(s, field)
    s.heights[field] -= 1
    move_card(s, card, to)
    return card


@inlined
def captain_on(s, field):
    for p in range(s.num_players):
        if s.captains[p] == field:
            return p
    return NOBODY


@inlined
def is_free(s, field):
    """H1: whether no figure stands on the field."""
    return s.jack != field and captain_on(s, field) == NOBODY


@inlined
def ahead(field, steps):
    """H1: the field so many steps clockwise, up to 14."""
    return field + steps - state.FIELDS * (field + steps >= state.FIELDS)


@inlined
def present_score(s, p):
    """C1: the sum of p's cards, those of the colour p has most of doubled; among equally many the best."""
    total, most, best = 0, 0, 0
    for colour in range(state.NUM_COLOURS):
        value, count = int(s.values[p, colour]), int(s.colours[p, colour])
        total += value
        if count > most or (count == most and value > best):
            most, best = count, value
    return total + best


# ---------------------------------------------------------------- legal actions


@inlined
def legal(s, mask):
    set_zero(mask, state.NUM_ACTIONS)
    decision, p = int(s.decision), int(s.player)
    if decision <= state.PLACE_JACK:
        for field in range(state.FIELDS):
            mask[field] = is_free(s, field)
    elif decision == state.BID:
        mark_offers(s, p, mask)
    elif decision == state.CHOOSE_FOR_JACK:
        mark_moves(s.jack_spent, mask)
    elif decision == state.CHOOSE:
        mark_moves(s.spent[p], mask)
    elif decision == state.NAME:
        for number in range(1, state.MOVES):
            mask[state.NUMBER + number - 1] = may_name(s, number)
    elif decision == state.TAKE_OR_ROB:
        mask[state.TAKE_FROM_HARBOUR] = 1
        mask[state.ROB_BUYER] = 1
    elif decision < state.OVER:
        place = source_of_cards(s)
        for card in range(state.CARDS):
            mask[state.CARD + card] = s.where[card] == place


@inlined
def mark_offers(s, p, mask):
    """J2: pass, or offer a card of one's own with a higher value than the last offer."""
    mask[state.PASS] = 1
    highest = highest_offer(s)
    for card in range(state.CARDS):
        mask[state.CARD + card] = (s.where[card] == p) & (state.VALUES[card] > highest)


@inlined
def mark_moves(spent, mask):
    """H3, D1: the movement cards that are not spent."""
    for i in range(state.MOVES):
        mask[state.MOVE + i] = not spent[i]


@inlined
def highest_offer(s):
    return 0 if s.bidder == NOBODY else int(state.VALUES[s.offers[s.bidder]])


@inlined
def may_name(s, number):
    """H5, D3: whether nobody has laid the number."""
    barred = is_duel(s) and s.jack_laid == number
    for p in range(s.num_players):
        barred |= s.laid[p] == number
    return not barred


@inlined
def source_of_cards(s):
    """Where the card lies that is taken, robbed or given."""
    if s.decision == state.TAKE:
        return state.HARBOUR
    return int(s.victim) if s.decision == state.ROB else int(s.player)


# ---------------------------------------------------------------- moves


@inlined
def apply(s, action):
    forget_what_happened(s)
    decision = int(s.decision)
    if decision == state.PLACE_CAPTAIN:
        place_captain(s, action)
    elif decision == state.PLACE_JACK:
        s.jack = action
        begin_round(s)
    elif decision == state.BID:
        bid(s, action)
    elif decision == state.CHOOSE_FOR_JACK:
        s.jack_choice = action - state.MOVE + 1
        s.decision = state.CHOOSE
    elif decision == state.CHOOSE:
        choose(s, action - state.MOVE + 1)
    elif decision == state.NAME:
        name(s, action - state.NUMBER + 1)
    elif decision == state.TAKE_OR_ROB:  # D5
        s.decision = state.TAKE if action == state.TAKE_FROM_HARBOUR else state.ROB
        if s.decision == state.ROB:
            s.victim = s.buyer
    else:
        settle_card(s, decision, action - state.CARD)
    resolve(s)


@inlined
def place_captain(s, field):
    """H2: the captain takes the top card; after the last one J1 follows, or the first round."""
    p = int(s.player)
    s.captains[p] = field
    log(s, state.TAKES, p, state.NOTHING, field, take_top(s, field, p))
    s.player = next_seat(s, p)
    if s.player != s.start_player:
        return
    if s.variant == state.BASIC:
        begin_round(s)
    else:
        ask(s, state.PLACE_JACK, extreme_holder(s, -1))


@inlined
def extreme_holder(s, sign):
    """J1: the seat with the highest start card (sign 1) or the lowest (-1); ties: yellow, grey, violet, red."""
    best, holder = -1000, NOBODY
    for card in range(state.CARDS):
        rank = state.NUM_COLOURS * sign * int(state.VALUES[card]) + int(state.COLOURS[card])
        if s.where[card] < state.SEATS and rank > best:
            best, holder = rank, int(s.where[card])
    return holder


# ---------------------------------------------------------------- auction


@inlined
def begin_round(s):
    """J2: whoever bought last opens the auction; at first the holder of the highest start card (J1)."""
    if s.variant == state.BASIC:
        s.opener = s.start_player
        ask_for_choice(s, int(s.opener))
        return
    if s.opener == NOBODY:
        s.opener = extreme_holder(s, 1)
    elif s.buyer != NOBODY:
        s.opener = s.buyer
    clear_auction(s)
    ask(s, state.BID, s.opener)


@inlined
def bid(s, action):
    """J2: offer a card or pass, in one lap; D2: until a pass after an offer, or an offer after the opener's pass."""
    p = int(s.player)
    following = next_seat(s, p)
    opener_passed = p != s.opener and s.bidder == NOBODY
    if action != state.PASS:
        s.offers[p] = action - state.CARD
        s.bidder = p
    ends = s.opener == following or s.opener == NOBODY  # noqa: PLR1714 - a tuple compiles to a loop
    if is_duel(s):
        ends = opener_passed or (action == state.PASS and s.bidder != NOBODY)
    if not ends:
        s.player = following
        return
    if s.bidder != NOBODY:
        s.buyer = s.bidder
        move_card(s, int(s.offers[s.bidder]), state.HARBOUR)
    ask_for_choice(s, int(s.opener))


@inlined
def is_duel(s):
    return s.variant == state.DUEL


# ---------------------------------------------------------------- movement cards


@inlined
def ask_for_choice(s, p):
    """H9: the seats choose clockwise from the opener; D3: a duel's buyer chooses Black Jack's card first."""
    ask(s, state.CHOOSE_FOR_JACK if is_duel(s) and p == s.buyer else state.CHOOSE, p)


@inlined
def choose(s, move):
    """H4: choose in secret; all reveal together."""
    p = int(s.player)
    s.choices[p] = move
    following = next_seat(s, p)
    if s.choices[following]:
        reveal(s)
    else:
        ask_for_choice(s, following)


@inlined
def reveal(s):
    """H4, D3: lay the cards open; equal ones cancel; the owner of a single Rum names a number (H5)."""
    for p in range(s.num_players):
        s.laid[p] = s.choices[p]
        s.choices[p] = 0
        s.spent[p, int(s.laid[p]) - 1] = 1
        log(s, state.REVEALS, p, int(s.laid[p]), state.NOTHING, state.NOTHING)
    if is_duel(s):
        reveal_for_jack(s)
    for figure in range(s.num_players):
        s.numbers[figure] = number_of(s, figure, int(s.laid[figure]))
    s.numbers[state.JACK] = number_of(s, state.JACK, int(s.jack_laid)) if is_duel(s) else 0
    s.decision = state.RESOLVING
    for p in range(s.num_players):
        if s.numbers[p] == state.RUM:
            ask(s, state.NAME, p)
    if s.numbers[state.JACK] == state.RUM:
        ask(s, state.NAME, int(s.opener) if s.buyer == NOBODY else int(s.buyer))  # D3, D6
    if s.decision == state.RESOLVING:
        let_the_standing_take(s)


@inlined
def reveal_for_jack(s):
    """D3: the card that the buyer has chosen; D6: without a buyer the next one in his deck."""
    move = int(s.jack_choice)
    if s.buyer == NOBODY:
        i = 0
        while i + 1 < state.JACK_MOVES and s.jack_spent[int(s.jack_deck[i]) - 1]:
            i += 1
        move = int(s.jack_deck[i])
    s.jack_laid = move
    s.jack_choice = 0
    s.jack_spent[move - 1] = 1
    log(s, state.REVEALS, state.JACK, move, state.NOTHING, state.NOTHING)


@inlined
def number_of(s, figure, move):
    """H4: the number that the card moves the figure, or 0 if another figure's equal card cancels it."""
    cancelled = is_duel(s) and figure != state.JACK and s.jack_laid == move
    for p in range(s.num_players):
        cancelled |= p != figure and s.laid[p] == move
    return 0 if cancelled else move


@inlined
def name(s, number):
    """H5: the figure that has laid Rum moves this number."""
    for figure in range(state.JACK + 1):
        if s.numbers[figure] == state.RUM:
            s.numbers[figure] = number
    s.decision = state.RESOLVING
    let_the_standing_take(s)


@inlined
def let_the_standing_take(s):
    """H6: captains who stand take the top card of their tavern; in a duel Black Jack too (D4, D6)."""
    for p in range(s.num_players):
        if s.numbers[p] == 0:
            log(s, state.TAKES, p, state.NOTHING, int(s.captains[p]), take_top(s, int(s.captains[p]), p))
    if is_duel(s) and s.numbers[state.JACK] == 0:
        log(s, state.TAKES, state.JACK, state.NOTHING, int(s.jack), take_top(s, int(s.jack), jacks_owner(s)))


@inlined
def jacks_owner(s):
    """D4, D6: who gets what Black Jack takes in a duel: the buyer, or without one the HARBOUR."""
    return state.HARBOUR if s.buyer == NOBODY else int(s.buyer)


# ---------------------------------------------------------------- resolving a round


@inlined
def ask(s, decision, p):
    s.decision = decision
    s.player = p


@inlined
def resolve(s):
    """Move the figures, and Black Jack last (J4), until somebody is asked or the round is over."""
    while s.decision == state.RESOLVING:
        if s.to_rob[0] != NOBODY:
            meet_overtaken(s)
            continue
        figure = lowest_figure(s)
        if figure != NOBODY:
            land(s, figure)
        elif steps_of_jack(s) > 0:
            overtake(s)
        elif s.round_number == state.ROUNDS - 1:  # J6
            s.decision = state.SETTLEMENT
        else:
            s.round_number += 1
            begin_round(s)


@inlined
def lowest_figure(s):
    """H6: the figure with the lowest number of those that still have to move one after the other, or NOBODY."""
    lowest, figure = state.MOVES, NOBODY
    for each in range(state.JACK + 1):
        number = int(s.numbers[each])
        if 0 < number < lowest and not (each == state.JACK and s.duel_overtakes):
            lowest, figure = number, each
    return figure


@inlined
def land(s, figure):
    """H6: the figure moves and takes a card; then it robs and pushes whoever stands there (H7, H8)."""
    at = int(s.jack) if figure == state.JACK else int(s.captains[figure])
    number = int(s.numbers[figure])
    field = ahead(at, number)
    s.numbers[figure] = 0
    met = state.JACK if s.jack == field else captain_on(s, field)
    owner = jacks_owner(s) if figure == state.JACK else figure
    before = int(s.counts[owner])
    log(s, state.MOVES_TO, figure, number, field, take_top(s, field, owner))
    if figure == state.JACK:
        s.jack = field
    else:
        s.captains[figure] = field
    if met == NOBODY:
        return
    log(s, state.LANDS_ON, met, state.NOTHING, state.NOTHING, state.NOTHING)
    s.mover = figure
    strength = before if s.rob_before_pick else int(s.counts[owner])
    if met == state.JACK:
        meet_jack(s, figure, strength)
    else:
        meet_captain(s, owner, met, strength)
    if s.decision == state.RESOLVING:
        push(s)


@inlined
def meet_captain(s, owner, q, strength):
    """H7: the mover's owner robs q; D6: without a buyer q gives Black Jack a card."""
    if owner == state.HARBOUR:
        if s.counts[q] > 0:
            ask(s, state.GIVE, q)
    elif owner != q and may_rob(s, strength, q):
        s.victim = q
        ask(s, state.ROB, owner)
    elif owner != q:
        log(s, state.SPARED, q, state.NOTHING, state.NOTHING, state.NOTHING)


@inlined
def may_rob(s, strength, q):
    """H7: whether q has a card, and as many as the robber counts, or more."""
    return s.counts[q] > 0 and strength <= s.counts[q]


@inlined
def meet_jack(s, p, strength):
    """J3: p takes a card from the harbour; D5: a duel's opponent may rob the buyer instead."""
    harbour = s.counts[state.HARBOUR] > 0
    rob = is_duel(s) and NOBODY != s.buyer != p
    if rob:
        rob = may_rob(s, strength, int(s.buyer))
    if rob and harbour:
        ask(s, state.TAKE_OR_ROB, p)
    elif rob:
        s.victim = s.buyer
        ask(s, state.ROB, p)
    elif harbour:
        ask(s, state.TAKE, p)


@inlined
def settle_card(s, decision, card):
    """The card is taken from the harbour, robbed or given; then the landing or overtaking is finished."""
    overtaken = s.to_rob[0] != NOBODY
    move_card(s, card, state.HARBOUR if decision == state.GIVE else int(s.player))
    s.victim = NOBODY
    s.decision = state.RESOLVING
    if overtaken:
        forget_overtaken(s)
    else:
        push(s)


@inlined
def push(s):
    """H8: the figure on which the mover has landed goes to the next free field."""
    field = int(s.jack) if s.mover == state.JACK else int(s.captains[s.mover])
    target = ahead(field, 1)
    while not is_free(s, target):
        target = ahead(target, 1)
    for p in range(s.num_players):
        if p != s.mover and s.captains[p] == field:
            s.captains[p] = target
            log(s, state.MOVES_ON, p, state.NOTHING, target, state.NOTHING)
    if s.mover != state.JACK and s.jack == field:
        s.jack = target
        log(s, state.MOVES_ON, state.JACK, state.NOTHING, target, state.NOTHING)
    s.mover = NOBODY


@inlined
def steps_of_jack(s):
    """J4: how far Black Jack has still to move after the captains; 0: he has moved or moves as a captain."""
    if is_duel(s):
        return int(s.numbers[state.JACK])
    if s.variant == state.BASIC:
        return 0
    top = int(s.jack_deck[s.round_number])
    return 0 if s.jack_spent[top - 1] else top


@inlined
def overtake(s):
    """J4, J5: Black Jack moves to a free field; whom he passes or is moved on from is dealt with in order."""
    steps, old = steps_of_jack(s), int(s.jack)
    if not is_duel(s):
        s.jack_laid = steps
        s.jack_spent[steps - 1] = 1
    s.numbers[state.JACK] = 0
    step, count, p = 0, 0, NOBODY
    while step < steps or (p != NOBODY and step < state.FIELDS):
        step += 1
        p = captain_on(s, ahead(old, step))
        if p != NOBODY:
            log(s, state.PASSED, p, state.NOTHING, state.NOTHING, state.NOTHING)
        if NOBODY != p != s.buyer:
            s.to_rob[count] = p
            count += 1
    s.jack = ahead(old, step)
    log(s, state.OVERTAKES, state.JACK, steps, int(s.jack), state.NOTHING)


@inlined
def meet_overtaken(s):
    """J4: the controller robs whoever has as many cards or more; J5: without one the player gives a card."""
    owner = jacks_owner(s)
    s.mover = state.JACK
    meet_captain(s, owner, int(s.to_rob[0]), int(s.counts[owner]))
    if s.decision == state.RESOLVING:
        forget_overtaken(s)


@inlined
def forget_overtaken(s):
    for i in range(state.SEATS - 1):
        s.to_rob[i] = s.to_rob[i + 1]
    s.to_rob[state.SEATS - 1] = NOBODY
    s.mover = NOBODY


# ---------------------------------------------------------------- end and result


@inlined
def settle(s):
    """C1: add the scores; with `three_games` the next game follows, otherwise the highest total wins."""
    n = int(s.num_players)
    highest = 0
    for p in range(n):
        s.totals[p] += present_score(s, p)
        highest = max(highest, int(s.totals[p]))
    if s.three_games and s.game_number < state.GAMES - 1:
        s.game_number += 1
        s.start_player = next_seat(s, int(s.start_player))
        s.player = CHANCE
        return
    for p in range(n):
        s.winners[p] = s.totals[p] == highest
    s.decision = state.OVER
    s.player = NOBODY


@inlined
def score(s, p):
    """p's score as it would be counted now, finished games included; ``reward="points"`` pays its changes."""
    return int(s.totals[p]) + (0 if s.decision >= state.OVER else present_score(s, p))
