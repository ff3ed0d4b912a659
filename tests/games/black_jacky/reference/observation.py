"""What every player sees: the parts that the table "Observation" of the game's README names."""

from tests.reference.parts import around, everybody_sees, one_hot, relative

SEATS = 6
VALUES = range(1, 9)
PHASES = ("tip", "trick", "exchange", "zock", "over")


def observations(game):
    players = len(game.players)
    pair = [one_hot(players, seat) for seat in (game.exchange.pair if game.exchange else (None, None))]

    def own(me):
        return {
            "exchange_pair": [around(entries, me, SEATS) for entries in pair],
            "tips": around([relative(player.tip, me, players) for player in game.players], me, SEATS),
            "my_given": _one_hot_value(_my_given(game, me)),
            "my_hand": _by_value(game.players[me].hand),
            "known": around([counts[1:] for counts in game.known[me]], me, SEATS)[1:],
        }

    return everybody_sees(players, SEATS, {**_options(game), **_table(game)}, _seats(game), own)


def _options(game):
    return {
        "num_players": len(game.players),
        "schnell_duell": int(game.variant == "schnell_duell"),
        "max_card": game.max_card,
        "bust_at": game.bust_at,
        "hand_size": game.hand_size,
        "first_hearts": game.first_hearts,
        "max_turns": game.max_turns or 0,
        "tricks": [int(value in game.tricks) for value in VALUES],
    }


def _table(game):
    given = game.exchange.given if game.exchange else [None, None]
    return {
        "phase": [int(game.phase == phase) for phase in PHASES],
        "round": game.round,
        "turn": min(game.turn, 127),
        "ends_after_turn": int(game.ends_after_turn),
        "exchange_given": [int(card is not None) for card in given],
        "discard_top": _one_hot_value(game.discards[-1] if game.discards else None),
        "discards": _by_value(game.discards),
        "draw_count": len(game.draw_pile),
    }


def _seats(game):
    last_turns = game.last_turns or ()
    return {
        "to_act": one_hot(len(game.players), game.player),
        "turn_player": one_hot(len(game.players), game.turn_player),
        "start_player": one_hot(len(game.players), game.start_player),
        "hearts": [player.hearts for player in game.players],
        "black_hearts": [int(player.black_heart) for player in game.players],
        "wanted": [int(player.status == "wanted") for player in game.players],
        "out": [int(player.status == "out") for player in game.players],
        "winners": [int(player.seat in game.winners) for player in game.players],
        "knocked": [int(player.knocked) for player in game.players],
        "first_knocker": one_hot(len(game.players), game.first_knocker),
        "last_turns": [int(player.seat in last_turns) for player in game.players],
        "plus_one": one_hot(len(game.players), game.plus_one),
        "trickster": one_hot(len(game.players), game.exchange.trickster if game.exchange else None),
        "hand_counts": [len(player.hand) for player in game.players],
        "displays": [_by_value(player.display) for player in game.players],
        "public": [counts[1:] for counts in game.known[None]],
    }


def _my_given(game, me):
    if game.exchange is None or me not in game.exchange.pair:
        return None
    return game.exchange.given[game.exchange.pair.index(me)]


def _one_hot_value(card):
    return [int(value == card) for value in VALUES]


def _by_value(cards):
    return [cards.count(value) for value in VALUES]
