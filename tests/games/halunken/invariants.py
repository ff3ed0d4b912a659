"""What is true of every position of Halunken & Spelunken that a game or a sample can reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blackjacky_env.games.halunken.state import (
    BASIC,
    BID,
    CARDS,
    CHOOSE,
    CHOOSE_FOR_JACK,
    COLOURS,
    DUEL,
    FIELDS,
    GIVE,
    HAPPENED,
    HARBOUR,
    JACK,
    JACK_MOVES,
    LEVELS,
    MOVES,
    NAME,
    NO_CARD,
    NOBODY,
    NUM_COLOURS,
    OVER,
    PLACE_CAPTAIN,
    PLACE_JACK,
    ROB,
    ROUNDS,
    RUM,
    SEATS,
    SETTLEMENT,
    STANDARD,
    TAKE,
    TAKE_OR_ROB,
    TAVERN,
    VALUES,
)

Fact = tuple[bool, str]
_MEETING = (TAKE, TAKE_OR_ROB, ROB, GIVE)  # decisions in which two figures have met


def facts(s: Any, settled: bool) -> Iterator[Fact]:
    """What must be true of a record; ``settled``: of the copy made just before a settlement."""
    yield (s.decision == SETTLEMENT) == settled, "a game is being scored in the second record only"
    yield (s.player == NOBODY) == (s.decision == OVER), "nobody is to act when, and only when, the game is over"
    yield s.deals == s.game_number + 1, "every game is dealt"
    yield s.three_games == 1 or s.game_number == 0, "one game is played, or three"
    yield s.decision not in {SETTLEMENT, OVER} or s.round_number == ROUNDS - 1, "the last round ends the game (J6)"
    empty = slice(s.num_players, SEATS)
    yield not any(s.counts[empty]), "nobody sits at an empty seat"
    yield from _facts_of_cards(s)
    yield from _facts_of_figures(s)
    yield from _facts_of_jacks_cards(s)
    if s.decision in {PLACE_CAPTAIN, PLACE_JACK}:
        yield s.opener == s.buyer == s.bidder == NOBODY, "nobody has bought anything before the first round"
        yield s.round_number == 0, "figures are placed once (H2)"
    else:
        yield s.opener != NOBODY, "somebody opens the round (J2)"
    yield from _facts_of_auction(s)
    yield from _facts_of_choices(s, s.num_players)
    yield from _facts_of_numbers(s)
    yield from _facts_of_meeting(s)


def _facts_of_cards(s: Any) -> Iterator[Fact]:
    yield all(row[0] in HAPPENED for row in s.happened[: s.happenings]), "what has happened has a name"
    yield sorted(s.deck) == [*range(CARDS)], "the deck has every rogue card once (H1)"
    for i, card in enumerate(s.deck):
        level, field = divmod(i, FIELDS)
        yield (s.where[card] == TAVERN) == (level >= LEVELS - s.heights[field]), "the top cards are taken first (H6)"
    counts = [s.where.count(place) for place in range(SEATS + 1)]
    yield counts == s.counts, "everybody has as many cards as are counted"
    for p in range(SEATS):
        own = [card for card in range(CARDS) if s.where[card] == p]
        colours, values = [0] * NUM_COLOURS, [0] * NUM_COLOURS
        for card in own:
            colours[COLOURS[card]] += 1
            values[COLOURS[card]] += int(VALUES[card])
        yield colours == s.colours[p] and values == s.values[p], "the colours and values of cards are added up (C1)"


def _facts_of_figures(s: Any) -> Iterator[Fact]:
    n, captains = s.num_players, s.captains[: s.num_players]
    asked = (s.player - s.start_player) % n if s.decision == PLACE_CAPTAIN else n
    placed = [captains[(s.start_player + i) % n] != NOBODY for i in range(n)]
    yield placed == [i < asked for i in range(n)], "captains are placed one after the other (H2)"
    without = s.variant == BASIC or s.decision in {PLACE_CAPTAIN, PLACE_JACK}
    yield (s.jack == NOBODY) == without, "Black Jack is placed after the captains (J1)"
    yield s.decision != PLACE_JACK or s.variant != BASIC, "the basic game has no Black Jack"
    fields = [field for field in (*captains, s.jack) if field != NOBODY]
    landed = s.decision in _MEETING and s.to_rob[0] == NOBODY
    yield len(set(fields)) == len(fields) - landed, "two figures share a field only when one has landed there (H8)"


def _facts_of_jacks_cards(s: Any) -> Iterator[Fact]:
    """J4, D3, D6: Black Jack's movement cards."""
    count = {STANDARD: JACK_MOVES, BASIC: 0, DUEL: MOVES}[s.variant]
    yield (
        sorted(s.jack_deck[:count]) == [*range(1, count + 1)] and not any(s.jack_deck[count:]),
        ("Black Jack's deck has every movement card once (J1)"),
    )
    revealed = _revealed(s)
    spent = [i + 1 for i in range(JACK_MOVES) if s.jack_spent[i]]
    if s.variant == STANDARD:
        rounds = [s.round_number + 1] if s.decision in {SETTLEMENT, OVER} else [s.round_number]
        if s.decision in {ROB, GIVE}:
            rounds = [s.round_number + (s.to_rob[0] != NOBODY)]
        yield any(spent == sorted(s.jack_deck[:each]) for each in rounds), "Black Jack's cards are spent in order (J4)"
    else:
        in_all = s.round_number + revealed if s.variant == DUEL else 0
        yield len(spent) == in_all and max(spent, default=0) <= count, "Black Jack spends a card in each round (D3)"
    yield s.variant == DUEL or s.jack_choice == 0, "Black Jack's card is chosen in a duel only (D3)"


def _revealed(s: Any) -> bool:
    return s.decision not in {PLACE_CAPTAIN, PLACE_JACK, BID, CHOOSE_FOR_JACK, CHOOSE}


def _facts_of_auction(s: Any) -> Iterator[Fact]:
    offers = [p for p in range(s.num_players) if s.offers[p] != NO_CARD]
    yield (s.bidder in offers) if offers else s.bidder == NOBODY, "the last bidder has offered a card (J2)"
    yield not offers or s.variant != BASIC, "the basic game has no auction"
    if s.decision == BID:
        yield s.variant != BASIC and s.buyer == NOBODY, "there is no buyer before the auction ends (J2)"
        yield all(s.where[s.offers[p]] == p for p in offers), "players offer their own cards (J2)"
    elif s.decision not in {PLACE_CAPTAIN, PLACE_JACK}:
        yield s.buyer == s.bidder, "the last bidder buys (J2)"


def _facts_of_choices(s: Any, n: int) -> Iterator[Fact]:
    """H3, H4, H9: movement cards."""
    for p in range(n):
        yield sum(s.spent[p]) == s.round_number + _revealed(s), "everybody spends a card in each round (H3)"
        yield s.laid[p] == 0 or s.spent[p][s.laid[p] - 1] == 1, "cards that lie open are spent (H4)"
        yield s.laid[p] > 0 or not _revealed(s), "everybody reveals a card (H4)"
        yield s.choices[p] == 0 or not s.spent[p][s.choices[p] - 1], "players choose cards that they have (H3)"
    choosing = s.decision in {CHOOSE, CHOOSE_FOR_JACK}
    asked = (s.player - s.opener) % n if choosing else 0
    chosen = [s.choices[(s.opener + i) % n] > 0 for i in range(n)]
    yield chosen == [i < asked for i in range(n)], "players choose in order (H9)"
    yield (
        s.decision != CHOOSE_FOR_JACK or (s.variant == DUEL and s.player == s.buyer),
        ("the buyer chooses for Black Jack (D3)"),
    )
    if s.variant == DUEL:
        places = (s.buyer - s.opener) % n
        done = choosing and s.buyer != NOBODY and (places < asked or (places == asked and s.decision == CHOOSE))
        yield (s.jack_choice > 0) == done, "the buyer chooses for Black Jack (D3)"
        yield not s.jack_choice or not s.jack_spent[s.jack_choice - 1], "Black Jack has the card (D3)"


def _facts_of_numbers(s: Any) -> Iterator[Fact]:
    """H4, H5: how far figures move."""
    yield s.numbers[JACK] == 0 or s.variant == DUEL, "Black Jack has a number in a duel only (D3)"
    if s.decision != NAME:
        yield RUM not in s.numbers, "Rum is named first (H5)"
        yield s.decision in _MEETING or not any(s.numbers), "figures move after the cards are revealed (H4)"
        return
    yield s.numbers.count(RUM) == 1, "one Rum is to be named (H5)"
    figure = s.numbers.index(RUM)
    owner = (s.opener if s.buyer == NOBODY else s.buyer) if figure == JACK else figure
    yield s.player == owner, "whoever has laid Rum names its number (H5)"


def _facts_of_meeting(s: Any) -> Iterator[Fact]:
    """H7, J3, J4, D5, D6: who takes, robs or gives."""
    queue = [p for p in s.to_rob if p != NOBODY]
    yield (
        s.to_rob == [*queue, *[NOBODY] * (SEATS - len(queue))] and len(set(queue)) == len(queue),
        ("Black Jack deals with players one by one (J4)"),
    )
    yield (s.mover != NOBODY) == (s.decision in _MEETING), "a figure is moving when cards are taken"
    yield (s.victim != NOBODY) == (s.decision == ROB), "somebody is robbed when a card is robbed"
    if s.decision not in _MEETING:
        yield not queue, "nobody waits to be robbed"
        return
    yield not queue or s.mover == JACK, "Black Jack overtakes (J4)"
    yield not queue or s.buyer not in queue, "the buyer is not robbed by himself (J4)"
    owner = s.buyer if s.mover == JACK else s.mover
    yield s.mover != JACK or s.variant != BASIC, "the basic game has no Black Jack"
    if s.decision == GIVE:
        yield s.mover == JACK and s.buyer == NOBODY, "cards are given to Black Jack without a buyer (J5)"
        yield s.player == queue[0] if queue else True, "players give in order (J5)"
        yield s.counts[s.player] > 0, "whoever gives has a card (J5)"
        yield bool(queue) or s.captains[s.player] == s.jack, "the player who was met gives (D6)"
        return
    yield s.player == owner, "whoever moves the figure acts (H7)"
    if s.decision == ROB:
        yield s.victim != s.player and s.counts[s.victim] > 0, "the player who is robbed has a card (H7)"
        yield s.victim == queue[0] if queue else True, "players are robbed in order (J4)"
        return
    yield not queue and s.mover != JACK and s.captains[s.mover] == s.jack, "a captain has met Black Jack (J3)"
    yield s.counts[HARBOUR] > 0, "the harbour has a card (J3)"
    buyer_can_be_robbed = s.variant == DUEL and s.buyer not in {NOBODY, s.mover} and s.counts[s.buyer] > 0
    yield s.decision != TAKE_OR_ROB or buyer_can_be_robbed, "the buyer can be robbed (D5)"
