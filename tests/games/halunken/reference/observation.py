"""What every player sees: the parts that the table "Observation" of the game's README names."""

from tests.reference.parts import around, everybody_sees, one_hot, relative, seat_of

from .rules import FIELDS, MOVEMENT, NUMBER, ROGUES, RUM, score

SEATS = 4
HARBOUR = 5
VARIANTS = ("standard", "basic", "duel")
DECISIONS = (
    *("place_captain", "place_black_jack", "bid", "choose_for_black_jack", "choose", "name"),
    *("take", "take_or_rob", "rob", "give", "over"),
)


def observations(game):
    def own(seat):
        me = game.players[seat]
        return {
            "mover": _mover(game, me),
            "to_rob": around([relative(player.seat, seat, len(game.players)) for player in game.to_rob], 0, SEATS),
            "my_choice": _written(me.captain.choice),
            "my_black_jack_choice": _written(game.jack.choice) if me is game.buyer else 0,
            "owners": _owners(game, me),
        }

    return everybody_sees(len(game.players), SEATS, {**_options(game), **_table(game)}, _seats(game), own)


def _options(game):
    return {
        "num_players": len(game.players),
        "variant": [int(game.variant == variant) for variant in VARIANTS],
        "rob_before_pick": int(game.before_pick),
        "three_games": int(game.three_games),
        "duel_overtakes": int(game.duel_overtakes),
    }


def _table(game):
    jack = game.jack
    return {
        "game": game.game,
        "round": game.round,
        "decision": [int(game.phase == decision) for decision in DECISIONS],
        "black_jack": _place(jack.place),
        "black_jack_spent": _marked(jack.spent, 12),
        "black_jack_chosen": int(jack.choice is not None),
        "black_jack_laid": _written(jack.laid),
        "black_jack_number": _written(jack.number),
        "tops": [0 if card is None else 1 + NUMBER[card] for card in game.tops],
        "hidden": [len(game.taverns[place]) for place in FIELDS],
    }


def _seats(game):
    """An entry for each player."""
    players = game.players
    return {
        "to_act": one_hot(len(players), game.player),
        "start_player": one_hot(len(players), seat_of(game.start_player)),
        "opener": one_hot(len(players), seat_of(game.opener)),
        "buyer": one_hot(len(players), seat_of(game.buyer)),
        "bidder": one_hot(len(players), seat_of(game.bidder)),
        "victim": one_hot(len(players), seat_of(game.victim)),
        "offers": [0 if player.offer is None else 1 + NUMBER[player.offer] for player in players],
        "captains": [_place(player.captain.place) for player in players],
        "chosen": [int(player.captain.choice is not None) for player in players],
        "laid": [_written(player.captain.laid) for player in players],
        "numbers": [_written(player.captain.number) for player in players],
        "totals": [player.total for player in players],
        "winners": [int(player in game.winners) for player in players],
        "spent": [_marked(player.captain.spent, 8) for player in players],
        "scores": [score(player.crew) for player in players],
    }


def _owners(game, me):
    """By card, who has it."""
    owners = dict.fromkeys(ROGUES, 0)
    owners.update(dict.fromkeys(game.harbour, HARBOUR))
    for player in game.players:
        owners.update(dict.fromkeys(player.crew, relative(player.seat, me.seat, len(game.players))))
    return list(owners.values())


def _mover(game, me):
    captains = [int(player.captain is game.mover) for player in game.players]
    return [*around(captains, me.seat, SEATS), int(game.mover is game.jack)]


def _written(card):
    """A movement card as a number, Rum as 8 and none as 0."""
    return 8 if card == RUM else card or 0


def _place(place):
    return 0 if place is None else 1 + place


def _marked(cards, length):
    """1 for every movement card that is there; the eighth is Rum, or Black Jack's 8."""
    return [int(number in cards or (number == len(MOVEMENT) and RUM in cards)) for number in range(1, length + 1)]
