"""What is played when the reference implementation of Black Spy is compared with the environment."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import partial

from tests.reference.declaration import Options, Policy, Rigged, Setting
from tests.reference.parts import uniform

from . import rules

CARDS = set(range(rules.CALL))


def duck(legal: set[int]) -> set[int]:
    return {action for action in legal if action % 11 == min(action % 11 for action in legal)}


def dump(legal: set[int]) -> set[int]:
    """What costs most, in a lead too."""
    if not legal <= CARDS:
        return legal
    most = max(rules.value(rules.KINDS[action]) for action in legal)
    return {action for action in legal if rules.value(rules.KINDS[action]) == most}


POLICIES: dict[str, Policy] = {"uniform": uniform, "duck": duck, "dump": dump}

SWITCHES = (
    *("no_good_spies", "moon_choice", "mole", "mole_replaces_pass", "call_colour"),
    *("rank_follow", "rank_follow_strict", "exact_limit"),
)


def any_options(rng: random.Random, num_players: int) -> Options:
    return {
        "num_players": num_players,
        **{switch: rng.random() < 0.5 for switch in SWITCHES},
        "moon_choice_spies": rng.choice(["moon_deal_only", "never_scored"]),
        "call_timing": rng.choice(["after_pass", "before_pass"]),
        "pass_cycle": rng.choice(["left_right_across", "left_across_right", "left"]),
        "opener": rng.choice(["red_star", "left_of_dealer"]),
        "max_deals": rng.choice([1, 1, 1, 2, 2, 3, 4, 50, rng.randint(1, 127)]),
    }


EVERYTHING: Options = {
    **dict.fromkeys(SWITCHES, True),
    "moon_choice_spies": "never_scored",
    "call_timing": "before_pass",
    "pass_cycle": "left_across_right",
    "opener": "left_of_dealer",
    "max_deals": 4,
}

Director = Callable[[rules.ReferenceGame, list[int], random.Random], int]
"""From (game, legal actions, random numbers) to the action that is taken."""
Stack = Callable[[rules.ReferenceGame, random.Random], rules.Deck]
"""The deck of the deal that the game is about to begin."""
REHEARSED = 10  # deals at most


def rehearse(rng: random.Random, options: Options, stack: Stack, direct: Director) -> Rigged:
    """The decks and actions of a game that the reference implementation has played alone."""
    game = rules.ReferenceGame(**{name: given for name, given in options.items() if name != "reward"})
    start, decks, opening = rng.randrange(len(game.players)), list[rules.Deck](), list[int]()

    def deal(_number: int) -> rules.Deck:
        decks.append(stack(game, rng))
        return decks[-1]

    game.start(start, deal)
    while not game.over and game.deal < REHEARSED:
        opening.append(direct(game, sorted(game.legal_actions()), rng))
        game.step(opening[-1])
    return Rigged({"start_player": start, "deck": decks}, opening)


def deck_with(game: rules.ReferenceGame, hands: dict[rules.Player, list[rules.Card]], rng: random.Random) -> rules.Deck:
    """These cards are dealt to these players, all others anywhere; what is laid aside is not among them."""
    left = Counter(rules.ALL_CARDS) - Counter(card for hand in hands.values() for card in hand)
    others = rng.sample(list(left.elements()), left.total())
    size = hand_size(game)
    full = [list(hands.get(player, [])) for player in game.from_left_of_dealer]
    for hand in full:
        hand += [others.pop() for _ in range(size - len(hand))]
    return [*others, *(card for layer in zip(*full, strict=True) for card in layer)]


def hand_size(game: rules.ReferenceGame) -> int:
    """B2, V3: as the cards are dealt."""
    return len(rules.ALL_CARDS) // len(game.players) - 3 * game.with_pile


Who = Callable[[rules.ReferenceGame], rules.Player]
HIGHEST_BLACK = sorted(
    (card for card in rules.ALL_CARDS if rules.COLOUR[card] == rules.BLACK), key=rules.NUMBER.__getitem__, reverse=True
)
TO_LEAD = [rules.RED_STAR, "red 11"]


def moons(rng: random.Random, options: Options) -> Rigged:
    """In every deal the same player gets the highest black cards, and the red 1 and 11 for the first trick."""
    seat = rng.randrange(options["num_players"])

    def shooter(game: rules.ReferenceGame) -> rules.Player:
        return game.players[seat]

    def stack(game: rules.ReferenceGame, rng: random.Random) -> rules.Deck:
        most = hand_size(game) - len(TO_LEAD) - (0 if game.with_pile else 3)
        return deck_with(game, {shooter(game): [*TO_LEAD, *HIGHEST_BLACK[:most]]}, rng)

    return rehearse(rng, options, stack, partial(shoot, shooter))


def black_hands(rng: random.Random, options: Options) -> Rigged:
    """O4: the player left of the dealer has nothing but black cards once three of them have been passed."""

    def shooter(game: rules.ReferenceGame) -> rules.Player:
        return game.from_left_of_dealer[0]

    def stack(game: rules.ReferenceGame, rng: random.Random) -> rules.Deck:
        most = hand_size(game)
        giver = next(player for player in game.players if game.receiver(player) is shooter(game))
        hands = {shooter(game): HIGHEST_BLACK[: most - 3], giver: HIGHEST_BLACK[most - 3 : most]}
        return deck_with(game, hands, rng)

    return rehearse(rng, options, stack, partial(shoot, shooter))


def shoot(who: Who, game: rules.ReferenceGame, legal: list[int], rng: random.Random) -> int:
    """All want the shooter to take the black cards."""
    if not CARDS.issuperset(legal):
        return rules.CALL + rules.COLOURS.index("red") if game.phase == "call" else rng.choice(legal)
    shooter = who(game)
    wish = shooters_wish if game.player == shooter.seat else others_wish
    return min(legal, key=lambda action: wish(game, shooter, rules.KINDS[action]))


def shooters_wish(game: rules.ReferenceGame, _shooter: rules.Player, card: rules.Card) -> tuple[int, ...]:
    """Lower for better cards: keep and lead the black ones, highest first; let another take the first trick."""
    black, number = rules.COLOUR[card] == rules.BLACK, rules.NUMBER[card]
    if game.phase != "play":
        return card in TO_LEAD, black, number
    if not game.table:
        return not black, card not in TO_LEAD, -number if black else number
    follows = rules.COLOUR[card] == rules.COLOUR[game.table[0][1]]
    return not follows, black, -number if follows else number


def others_wish(game: rules.ReferenceGame, shooter: rules.Player, card: rules.Card) -> tuple[int, ...]:
    """Lower for better cards: give the black ones to the shooter and nobody else; lead red; take coloured 7s."""
    black, number = rules.COLOUR[card] == rules.BLACK, rules.NUMBER[card]
    if gives(game, shooter):
        return not black, number == 7, -number
    leads = game.phase == "play" and not game.table
    return black, rules.COLOUR[card] != "red" if leads else number != 7, number


def gives(game: rules.ReferenceGame, shooter: rules.Player) -> bool:
    """Whether the shooter gets what the player to act gives."""
    if game.phase == "pass":
        return game.receiver(game.players[game.player]) is shooter
    if not game.table:
        return game.phase == "take"
    leader, led = game.table[0]
    return leader is shooter and led != rules.RED_STAR


def skips(rng: random.Random, options: Options) -> Rigged:
    """In every deal some players from the dealer's left on are dealt nothing of one colour."""
    return rehearse(rng, options, one_sided_deck, call_what_is_lacking)


def one_sided_deck(game: rules.ReferenceGame, rng: random.Random) -> rules.Deck:
    colour, players = rng.choice(rules.COLOURS), game.from_left_of_dealer
    without = rng.choice([1, 1, 2, len(players) - 2])
    others = [card for card in rng.sample(rules.ALL_CARDS, len(rules.ALL_CARDS)) if rules.COLOUR[card] != colour]
    size = hand_size(game)
    hands = {player: others[place * size :][:size] for place, player in enumerate(players[:without])}
    return deck_with(game, hands, rng)


def call_what_is_lacking(game: rules.ReferenceGame, legal: list[int], rng: random.Random) -> int:
    """The dealer calls the colour that most players would be skipped for; all pass what they have least of."""
    if game.phase == "call":
        return max(legal, key=lambda action: skipped(game, rules.COLOURS[action - rules.CALL]))
    if game.phase == "pass":
        hand = Counter(rules.COLOUR[card] for card in game.players[game.player].hand)
        return min(legal, key=lambda action: hand[rules.COLOUR[rules.KINDS[action]]])
    return rng.choice(legal)


def skipped(game: rules.ReferenceGame, colour: str) -> int:
    """How many players are, if this colour is called."""
    holders = [player.has(colour) for player in game.from_left_of_dealer]
    return holders.index(True)


CHOICE = {"moon_choice": True}
NEVER_SCORED = {**CHOICE, "moon_choice_spies": "never_scored"}
TO_120 = {"no_good_spies": True, "exact_limit": True}
LEFT = {"opener": "left_of_dealer"}
CALLED = {"call_colour": True}
CALLED_BEFORE = {**CALLED, "call_timing": "before_pass"}
NO_PASSING = {"mole": True, "mole_replaces_pass": True}
STRICT = {"rank_follow": True, "rank_follow_strict": True}

PASSING_MEETS = ("passed_across", "red_1_passed", "passed_spy_played")
SPIES_MEET = ("black_spy_on_a_good_one", "three_spies_on_black", "first_of_several_spies_wins")
CHOICE_MEETS = (*("moon_where_good_spies_never_score", "moon_for_the_others", "moon_for_myself"),)
SETTINGS = (
    Setting("mixed", 3, {"max_deals": 2}, games=2),
    Setting("mixed", 4, {"max_deals": 3}, games=8, meets=PASSING_MEETS),
    Setting("mixed", 5, {"max_deals": 2}, games=8, meets=SPIES_MEET),
    Setting("mixed", 5, {"mole": True, "max_deals": 2}, games=2, meets=("last_three_of_the_pile",)),
    Setting("mixed", 4, {**NO_PASSING, "max_deals": 2}, games=2, meets=("pile_and_no_passing",)),
    Setting("uniform", 6, {"rank_follow": True, "max_deals": 1}, meets=("last_number_followed",)),
    Setting("uniform", 6, {**STRICT, "max_deals": 1}, meets=("last_number_forced",)),
    Setting("uniform", 6, {"max_deals": 1}, games=30, meets=("ended_by_max_deals", "several_winners")),
    Setting("mixed", 6, {"max_deals": 1}, meets=("moon", "moon_with_good_spies"), games=8, rig=moons),
    Setting("mixed", 4, {**NEVER_SCORED, "max_deals": 2}, meets=CHOICE_MEETS, games=8, rig=moons),
    Setting("mixed", 5, {**TO_120, "max_deals": 2}, meets=("total_halved",), games=8, rig=moons),
    Setting("mixed", 4, {**LEFT, "max_deals": 1}, meets=("nothing_but_black_to_lead",), rig=black_hands),
    Setting("uniform", 6, {**CALLED, "max_deals": 1}, meets=("several_skipped",), games=8, rig=skips),
    Setting("uniform", 3, {**CALLED_BEFORE, "max_deals": 1}, meets=("one_skipped",), games=8, rig=skips),
    *(Setting("mixed", n, {**EVERYTHING, "max_deals": 2}, games=1) for n in (3, 4, 5, 6)),
)
