"""The state of Halunken & Spelunken: cards, options, the fields of the record, and facts about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from blackjacky_env.engine.fields import Fields, Stored, by_seat, choice, flag, hidden, number, own, role
from blackjacky_env.engine.game import Fact
from blackjacky_env.engine.layout import Part
from blackjacky_env.engine.options import Variant

SEATS = 4  # largest table
FIELDS, LEVELS, CARDS, NUM_COLOURS = 14, 3, 42, 4
ROUNDS, GAMES = 8, 3
MOVES = 8  # movement cards of a captain: 1 .. 7, and
RUM = 8  # also Black Jack's in a duel; otherwise he has
JACK_MOVES = 12  # cards, all of them numbers
NOBODY = -1
NO_CARD = -1
JACK = SEATS  # Black Jack as a figure
HARBOUR, TAVERN = SEATS, SEATS + 1  # places of cards beside the seats

VALUES = np.array([*range(4, 12), 15, *range(3, 12), 14, *range(2, 12), 13, *range(1, 13)], np.int8)  # H1
COLOURS = np.repeat(np.arange(NUM_COLOURS, dtype=np.int8), (9, 10, 11, 12))

STANDARD, BASIC, DUEL = range(3)

# What is asked. SETTLEMENT is only passed through between `apply` and `settle`, RESOLVING within `apply`.
(
    PLACE_CAPTAIN,
    PLACE_JACK,
    BID,
    CHOOSE_FOR_JACK,
    CHOOSE,
    NAME,
    TAKE,
    TAKE_OR_ROB,
    ROB,
    GIVE,
    OVER,
    SETTLEMENT,
    RESOLVING,
) = range(13)

_MEETING = (TAKE, TAKE_OR_ROB, ROB, GIVE)  # decisions in which two figures have met
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
_MAX_SCORE = 616  # all cards doubled


# Actions.
CARD, PASS, MOVE, NUMBER = FIELDS, FIELDS + CARDS, FIELDS + CARDS + 1, FIELDS + CARDS + 1 + MOVES
TAKE_FROM_HARBOUR = NUMBER + MOVES - 1
ROB_BUYER = TAKE_FROM_HARBOUR + 1
NUM_ACTIONS = ROB_BUYER + 1

VARIANTS = (
    Variant("standard", 3, 4, default_players=4),
    Variant("basic", 3, 4, default_players=4),
    Variant("duel", 2, 2, default_players=2),
)
VARIANT_NAMES = tuple(variant.name for variant in VARIANTS)
COLOUR_LETTERS = "RVGY"
CARD_NAMES = tuple(f"{COLOUR_LETTERS[COLOURS[card]]}{VALUES[card]}" for card in range(CARDS))
"""Card names by card number: ``R4`` .. ``R15``, ``V3`` .., ``G2`` .., ``Y1`` .. ``Y12``."""
_RUM = "Rum"


@dataclass(frozen=True)
class Options:
    """Rule options of Halunken & Spelunken; the defaults are those of the rule sheet."""

    rob_count: Annotated[Literal["after_pick", "before_pick"], Stored("rob_before_pick")] = "after_pick"
    """When the mover's cards are counted for robbing (H7): after taking the tavern card or before."""
    three_games: bool = False
    """Three games are played and their scores added up (C1)."""
    duel_black_jack: Annotated[Literal["captain", "standard"], Stored("duel_overtakes")] = "captain"
    """In a duel Black Jack moves as a second captain or, after the captains, as in the standard game (D4)."""


RECORD = Fields(
    VARIANTS,
    options=Options,
    variant=choice("variant", VARIANT_NAMES),
    fields=(
        # the games
        choice("decision", DECISIONS, ", what is asked", more=1),
        role("player", "to act; none when the game is over", part="to_act"),
        hidden("deals", 1, GAMES),  # games begun
        number("game_number", 0, GAMES - 1, "games finished before this one", part="game"),
        role("start_player", "that placed first", always=True),
        by_seat("totals", 0, GAMES * _MAX_SCORE, "by seat: scores of finished games"),
        by_seat("winners", 0, 1, "1: has won"),
        # the game
        number("round_number", 0, ROUNDS - 1, "rounds finished in this game", part="round"),
        by_seat("captains", NOBODY, FIELDS - 1, "by seat: 1 + the captain's field, 0 = not placed", plus=1),
        number("jack", NOBODY, FIELDS - 1, "1 + Black Jack's field, 0 = not placed", part="black_jack", plus=1),
        by_seat("spent", 0, 1, "1: the seat's movement card 1 .. 7, Rum has been revealed", (MOVES,)),
        flag(
            *("jack_spent", "1: his card 1 .. 12 (duel: 1 .. 7, Rum) has been revealed", (JACK_MOVES,)),
            part="black_jack_spent",
        ),
        hidden("jack_deck", 0, JACK_MOVES, (JACK_MOVES,)),  # top first; in a duel as D6 draws, spent ones skipped
        # the round
        role("opener", "that opened this round; none before the first"),
        role("buyer", "that controls Black Jack in this round"),
        by_seat("offers", NO_CARD, CARDS - 1, "by seat: 1 + the card last offered in this round, 0 = none", plus=1),
        role("bidder", "of the highest offer in this round"),
        own("choices", 0, MOVES, "my card chosen in secret, Rum = 8, 0 = none", part="my_choice"),
        hidden("jack_choice", 0, MOVES),
        by_seat("laid", 0, MOVES, "by seat: the movement card last revealed, Rum = 8, 0 = none"),
        number(*("jack_laid", 0, JACK_MOVES, "that of Black Jack (duel: Rum = 8), 0 = none"), part="black_jack_laid"),
        by_seat(*("numbers", 0, RUM, "by seat: fields still to move, 8 = Rum to be named, 0 = nothing"), extra=1),
        role("mover", "or Black Jack: the figure whose move is being resolved", extra=1),
        role("victim", "that is being robbed"),
        role(*("to_rob", "1 + seats that Black Jack overtakes, in order, 0 = no more (J4, J5)", (SEATS,)), plus=1),
        # the rogue cards
        hidden("deck", 0, CARDS - 1, (CARDS,)),  # tops of fields 0 .., then the second cards, then the third
        hidden("heights", 0, LEVELS, (FIELDS,)),  # cards left in each tavern
        hidden("where", 0, 0, (CARDS,), kind="seat", extra=2),  # seat, HARBOUR or TAVERN
        hidden("counts", 0, CARDS, axes=1, extra=1),  # cards of each seat and in the harbour
        hidden("colours", 0, CARDS, (NUM_COLOURS,), axes=1),  # cards by colour
        hidden("values", 0, 1000, (NUM_COLOURS,), axes=1),  # and their value
    ),
    observed=(
        "game round decision to_act start_player opener buyer bidder offers captains black_jack mover victim to_rob",
        "spent black_jack_spent",
        Part("chosen", (SEATS,), 0, 1, "1: has chosen a card in secret"),
        Part("black_jack_chosen", (), 0, 1, "1: a card has been chosen for Black Jack in secret"),
        "my_choice",
        Part("my_black_jack_choice", (), 0, MOVES, "the card I have chosen for Black Jack, Rum = 8, 0 = none"),
        "laid black_jack_laid numbers",
        Part("black_jack_number", (), 0, MOVES, "duel: fields that Black Jack has still to move, as above"),
        Part("tops", (FIELDS,), 0, CARDS, "by field: 1 + the card turned up, 0 = none"),
        Part("hidden", (FIELDS,), 0, LEVELS, "by field: number of face-down cards"),
        Part("owners", (CARDS,), 0, SEATS + 1, "by card: 1 + the seat that has it, 5 = harbour, 0 = in a tavern"),
        Part("scores", (SEATS,), 0, _MAX_SCORE, "by seat: score of this game as it would be counted now"),
        "totals winners",
    ),
)
STATE = RECORD.dtype


def movement_card(number: int) -> int | str:
    """A movement card 1 .. 8 of a captain, or of Black Jack in a duel, as snapshots write it: 1 .. 7 or ``"Rum"``."""
    return _RUM if number == RUM else number


def jack_card(number: int, variant: str) -> int | str:
    """A movement card of Black Jack as snapshots write it: 1 .. 12, in a duel 1 .. 7 or ``"Rum"``."""
    return movement_card(number) if variant == "duel" else number


def read_jack_deck(cards: Iterable[Any], num_players: int, options: Mapping[str, Any]) -> list[int]:
    """Black Jack's movement cards of a rigged game, top first; `ValueError` unless each occurs once (J1, D1)."""
    names: list[int | str] = [*range(1, MOVES), _RUM] if num_players == 2 else [*range(1, JACK_MOVES + 1)]
    deck = list(cards)
    booleans = any(isinstance(card, bool) for card in deck)  # True equals 1
    if booleans or len(deck) != len(names) or any(deck.count(card) != 1 for card in names):
        raise ValueError(f"black_jack_deck={deck} is not the whole deck; allowed are {names} in any order, top first")
    return [names.index(card) + 1 for card in deck]


def write_jack_deck(deck: Sequence[int], num_players: int) -> list[int | str]:
    """Black Jack's movement cards as `read_jack_deck` reads them."""
    variant = "duel" if num_players == 2 else "standard"
    return [jack_card(int(move), variant) for move in deck]


def most_actions(num_players: int, variant: str, options: Mapping[str, Any]) -> int:
    """No game has more actions.

    After placing (H2, J1) every round (J6) has bids (J2, D2), choices (H4, D3), a number named (H5), and meetings
    (H7, H8, J3 to J5).
    """
    bids = {"basic": 0, "standard": num_players, "duel": int(VALUES.max()) + 2}[variant]  # offers rise (D2)
    figures = num_players + 1
    of_round = bids + figures + 1 + 2 * figures + num_players
    return (GAMES if options["three_games"] else 1) * (figures + ROUNDS * of_round)


# ---------------------------------------------------------------- facts


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
