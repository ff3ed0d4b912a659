"""What every player sees: the parts that the table "Observation" of the game's README names."""

from tests.reference.parts import everybody_sees, one_hot, relative

from .rules import SUITS

SEATS = 10
PHASES = ("play", "over")


def observations(game):
    players = len(game.players)

    def own(me):
        return {
            "my_hand": _by_card(dict.fromkeys(game.players[me].hand, 1)),
            "played": _by_card({card: relative(seat, me, players) for card, seat in game.played.items()}),
        }

    return everybody_sees(players, SEATS, _same_for_all(game), _seats(game), own)


def _same_for_all(game):
    return {
        "num_players": len(game.players),
        "piatnik_heart_lead": int(game.piatnik_heart_lead),
        "heart_ace": game.heart_ace,
        "deals": game.deals,
        "phase": [int(game.phase == phase) for phase in PHASES],
        "deal": game.deal,
        "trick": game.trick,
    }


def _seats(game):
    on_the_table = {seat: 1 + card.number for seat, card in game.table}
    return {
        "to_act": one_hot(len(game.players), game.player),
        "dealer": one_hot(len(game.players), game.dealer),
        "leader": one_hot(len(game.players), game.leader),
        "table": [on_the_table.get(player.seat, 0) for player in game.players],
        "tricks_taken": [len(player.taken) for player in game.players],
        "penalties": [player.penalty(game.heart_ace) for player in game.players],
        "totals": [player.total for player in game.players],
        "winners": [int(player.seat in game.winners) for player in game.players],
        "voids": [[int(suit in player.void) for suit in SUITS] for player in game.players],
    }


def _by_card(entries):
    """An entry for every card of the full pack, 0 where there is none."""
    numbers = [0] * 52
    for card, entry in entries.items():
        numbers[card.number] = entry
    return numbers
