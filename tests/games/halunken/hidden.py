"""What a seat cannot know, varied: made from the record, since observations are under test."""

import numpy as np

from blackjacky_env.games.halunken import state


def vary_hidden(s, settled, seat, rng):
    """Change everything that ``seat`` (None: a spectator) cannot know, in place, to another possible assignment.

    That is the face-down rogue cards, the order of Black Jack's unseen movement cards, and the cards that
    others have chosen in secret, which may be any that they still have (H4). In ``settled``, the game scored last,
    nothing is chosen in secret.
    """
    _choose_again(s, seat, rng)
    for record in (s, settled):
        if record is not None:
            _shuffle_places(record["deck"], _face_down(record), rng)
            _shuffle_places(record["jack_deck"], _unseen(record), rng)


def _choose_again(s, seat, rng):
    """H4, D3: the choices of others; Black Jack's card is known to the buyer, who has chosen it."""
    for q in range(s["num_players"]):
        if s["choices"][q] and q != seat:
            s["choices"][q] = 1 + rng.choice(np.flatnonzero(s["spent"][q] == 0))
    if s["jack_choice"] and s["buyer"] != seat:
        s["jack_choice"] = 1 + rng.choice(np.flatnonzero(s["jack_spent"][: state.MOVES] == 0))


def _shuffle_places(deck, places, rng):
    deck[places] = rng.permutation(deck[places])


def _face_down(s):
    """Places in ``deck`` of the rogue cards that nobody has seen (H2: all that lie in taverns until all are placed)."""
    shown = int(s["decision"] != state.PLACE_CAPTAIN)
    levels = [range(state.LEVELS - int(height) + shown, state.LEVELS) for height in s["heights"]]
    return [state.FIELDS * level + field for field in range(state.FIELDS) for level in levels[field]]


def _unseen(s):
    """J1, D1: places in ``jack_deck`` of the movement cards that have not been revealed."""
    return [i for i, move in enumerate(s["jack_deck"]) if move and not s["jack_spent"][move - 1]]
