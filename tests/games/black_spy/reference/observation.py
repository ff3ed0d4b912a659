"""What every player sees: the parts that the table "Observation" of the game's README names."""

from tests.reference.parts import everybody_sees, one_hot, relative, seat_of

from .rules import ACTION, BLACK, BLACK_SPY, COLOURS, KINDS, NUMBERS, SEATS_AWAY

SEATS = 6
PHASES = ("take", "call", "pass", "play", "choose", "over")
CHOICES = {
    "moon_choice_spies": ("moon_deal_only", "never_scored"),
    "call_timing": ("after_pass", "before_pass"),
    "pass_cycle": ("left_right_across", "left_across_right", "left"),
    "opener": ("red_star", "left_of_dealer"),
}


def observations(game):
    same_for_all = {**_options(game), **_table(game)}
    return everybody_sees(
        len(game.players), SEATS, same_for_all, _seats(game), lambda me: _cards(game, game.players[me])
    )


def _options(game):
    """Choices as numbers, switches as 0 and 1."""
    return {name: CHOICES[name].index(given) if name in CHOICES else int(given) for name, given in game.options.items()}


def _table(game):
    return {
        "phase": [int(game.phase == phase) for phase in PHASES],
        "deal": game.deal,
        "trick": game.trick,
        "picks": game.picks,
        "pass_to": SEATS_AWAY[game.pass_to] % len(game.players) if game.pass_to else 0,
        "called": 1 + COLOURS.index(game.called) if game.called else 0,
    }


def _seats(game):
    """An entry for each player."""
    players = game.players
    on_the_table = {player: 1 + ACTION[card] for player, card in game.table}
    return {
        "to_act": one_hot(len(players), game.player),
        "dealer": one_hot(len(players), seat_of(game.dealer)),
        "leader": one_hot(len(players), seat_of(game.leader)),
        "red_star": one_hot(len(players), seat_of(game.red_star)),
        "table": [on_the_table.get(player, 0) for player in players],
        "black_7s_played": [player.played.count(BLACK_SPY) for player in players],
        "black_taken": [player.black_taken for player in players],
        "good_spies_taken": [player.good_spies_taken for player in players],
        "points": [player.points for player in players],
        "totals": [player.total for player in players],
        "winners": [int(player in game.winners) for player in players],
        "colour_voids": [_marked(player, (*COLOURS, BLACK)) for player in players],
        "rank_voids": [_marked(player, NUMBERS) for player in players],
    }


def _cards(game, me):
    """An entry for each kind of card."""
    takes = game.phase == "take" and game.player == me.seat
    return {
        "my_hand": _counted(me.without_chosen()),
        "passed": _counted(me.chosen or _still_held(game, me)),
        "received": _counted(me.received),
        "pile": _counted(game.pile if takes else me.left),
        "played": _players_of_cards(game, me),
    }


def _still_held(game, me):
    """O3: what I passed and its receiver has not played; black 7s that were played may have been those."""
    if not me.passed:
        return []
    held = list(me.passed)
    for card in game.receiver(me).played:
        if card in held:
            held.remove(card)
    return held


def _players_of_cards(game, me):
    """By card but the black 7, who has played it."""
    entries = [0] * len(KINDS)
    for player in game.players:
        for card in player.played:
            entries[ACTION[card]] = relative(player.seat, me.seat, len(game.players))
    entries[ACTION[BLACK_SPY]] = 0
    return entries


def _counted(cards):
    entries = [0] * len(KINDS)
    for card in cards:
        entries[ACTION[card]] += 1
    return entries


def _marked(player, which):
    """1 for everything that the player is known not to have."""
    return [int(each in player.lacks) for each in which]
