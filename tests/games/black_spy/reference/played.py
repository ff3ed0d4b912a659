"""What is played when the reference implementation of Black Spy is compared with the environment."""

from collections import Counter
from functools import partial

from tests.reference.declaration import Rigged, Setting
from tests.reference.parts import uniform

from . import rules

CARDS = set(range(rules.CALL))


def duck(legal):
    return {action for action in legal if action % 11 == min(action % 11 for action in legal)}


def dump(legal):
    """What costs most, in a lead too."""
    if not legal <= CARDS:
        return legal
    most = max(rules.value(rules.KINDS[action]) for action in legal)
    return {action for action in legal if rules.value(rules.KINDS[action]) == most}


POLICIES = {"uniform": uniform, "duck": duck, "dump": dump}

SWITCHES = (
    *("no_good_spies", "moon_choice", "mole", "mole_replaces_pass", "call_colour"),
    *("rank_follow", "rank_follow_strict", "exact_limit"),
)


def any_options(rng, num_players):
    return {
        "num_players": num_players,
        **{switch: rng.random() < 0.5 for switch in SWITCHES},
        "moon_choice_spies": rng.choice(["moon_deal_only", "never_scored"]),
        "call_timing": rng.choice(["after_pass", "before_pass"]),
        "pass_cycle": rng.choice(["left_right_across", "left_across_right", "left"]),
        "opener": rng.choice(["red_star", "left_of_dealer"]),
        "max_deals": rng.choice([1, 1, 1, 2, 2, 3, 4, 50, rng.randint(1, 127)]),
    }


EVERYTHING = {
    **dict.fromkeys(SWITCHES, True),
    "moon_choice_spies": "never_scored",
    "call_timing": "before_pass",
    "pass_cycle": "left_across_right",
    "opener": "left_of_dealer",
    "max_deals": 4,
}

REHEARSED = 10  # deals at most


def rehearse(rng, options, stack, direct):
    """The decks and actions of a game that the reference implementation has played alone."""
    game = rules.ReferenceGame(**{name: given for name, given in options.items() if name != "reward"})
    start, decks, opening = rng.randrange(len(game.players)), [], []

    def deal(_number):
        decks.append(stack(game, rng))
        return decks[-1]

    game.start(start, deal)
    while not game.over and game.deal < REHEARSED:
        opening.append(direct(game, sorted(game.legal_actions()), rng))
        game.step(opening[-1])
    return Rigged({"start_player": start, "deck": decks}, opening)


def deck_with(game, hands, rng):
    """These cards are dealt to these players, all others anywhere; what is laid aside is not among them."""
    left = Counter(rules.ALL_CARDS) - Counter(card for hand in hands.values() for card in hand)
    others = rng.sample(list(left.elements()), left.total())
    size = hand_size(game)
    full = [list(hands.get(player, [])) for player in game.from_left_of_dealer]
    for hand in full:
        hand += [others.pop() for _ in range(size - len(hand))]
    return [*others, *(card for layer in zip(*full, strict=True) for card in layer)]


def hand_size(game):
    """B2, V3: as the cards are dealt."""
    return len(rules.ALL_CARDS) // len(game.players) - 3 * game.with_pile


HIGHEST_BLACK = sorted(
    (card for card in rules.ALL_CARDS if rules.COLOUR[card] == rules.BLACK), key=rules.NUMBER.__getitem__, reverse=True
)
TO_LEAD = [rules.RED_STAR, "red 11"]


def moons(rng, options):
    """In every deal the same player gets the highest black cards, and the red 1 and 11 for the first trick."""
    seat = rng.randrange(options["num_players"])

    def shooter(game):
        return game.players[seat]

    def stack(game, rng):
        most = hand_size(game) - len(TO_LEAD) - (0 if game.with_pile else 3)
        return deck_with(game, {shooter(game): [*TO_LEAD, *HIGHEST_BLACK[:most]]}, rng)

    return rehearse(rng, options, stack, partial(shoot, shooter))


def black_hands(rng, options):
    """O4: the player left of the dealer has nothing but black cards once three of them have been passed."""

    def shooter(game):
        return game.from_left_of_dealer[0]

    def stack(game, rng):
        most = hand_size(game)
        giver = next(player for player in game.players if game.receiver(player) is shooter(game))
        hands = {shooter(game): HIGHEST_BLACK[: most - 3], giver: HIGHEST_BLACK[most - 3 : most]}
        return deck_with(game, hands, rng)

    return rehearse(rng, options, stack, partial(shoot, shooter))


def shoot(who, game, legal, rng):
    """All want the shooter to take the black cards."""
    if not CARDS.issuperset(legal):
        return rules.CALL + rules.COLOURS.index("red") if game.phase == "call" else rng.choice(legal)
    shooter = who(game)
    wish = shooters_wish if game.player == shooter.seat else others_wish
    return min(legal, key=lambda action: wish(game, shooter, rules.KINDS[action]))


def shooters_wish(game, _shooter, card):
    """Lower for better cards: keep and lead the black ones, highest first; let another take the first trick."""
    black, number = rules.COLOUR[card] == rules.BLACK, rules.NUMBER[card]
    if game.phase != "play":
        return card in TO_LEAD, black, number
    if not game.table:
        return not black, card not in TO_LEAD, -number if black else number
    follows = rules.COLOUR[card] == rules.COLOUR[game.table[0][1]]
    return not follows, black, -number if follows else number


def others_wish(game, shooter, card):
    """Lower for better cards: give the black ones to the shooter and nobody else; lead red; take coloured 7s."""
    black, number = rules.COLOUR[card] == rules.BLACK, rules.NUMBER[card]
    if gives(game, shooter):
        return not black, number == 7, -number
    leads = game.phase == "play" and not game.table
    return black, rules.COLOUR[card] != "red" if leads else number != 7, number


def gives(game, shooter):
    """Whether the shooter gets what the player to act gives."""
    if game.phase == "pass":
        return game.receiver(game.players[game.player]) is shooter
    if not game.table:
        return game.phase == "take"
    leader, led = game.table[0]
    return leader is shooter and led != rules.RED_STAR


def skips(rng, options):
    """In every deal some players from the dealer's left on are dealt nothing of one colour."""
    return rehearse(rng, options, one_sided_deck, call_what_is_lacking)


def one_sided_deck(game, rng):
    colour, players = rng.choice(rules.COLOURS), game.from_left_of_dealer
    without = rng.choice([1, 1, 2, len(players) - 2])
    others = [card for card in rng.sample(rules.ALL_CARDS, len(rules.ALL_CARDS)) if rules.COLOUR[card] != colour]
    size = hand_size(game)
    hands = {player: others[place * size :][:size] for place, player in enumerate(players[:without])}
    return deck_with(game, hands, rng)


def call_what_is_lacking(game, legal, rng):
    """The dealer calls the colour that most players would be skipped for; all pass what they have least of."""
    if game.phase == "call":
        return max(legal, key=lambda action: skipped(game, rules.COLOURS[action - rules.CALL]))
    if game.phase == "pass":
        hand = Counter(rules.COLOUR[card] for card in game.players[game.player].hand)
        return min(legal, key=lambda action: hand[rules.COLOUR[rules.KINDS[action]]])
    return rng.choice(legal)


def skipped(game, colour):
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
