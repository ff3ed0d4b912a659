"""What a seat cannot know, varied: made from the record, since observations are under test."""

from itertools import product

import numpy as np

from blackjacky_env.games.black_jacky import state

_VALUES = np.arange(state.VALUES)


def vary_hidden(s, settled, seat, rng):
    """Change everything that ``seat`` (None: a spectator) cannot know, in place, to another possible assignment.

    That is the cards in other hands, the cards and order of the draw pile, cards given secretly, and what
    others know. The numbers of cards stay, and so do cards that the seat knows to be in a hand. In ``settled``, the
    last settlement, the hands are open; its key, its draw pile and what others knew are not.

    Raises `AssertionError` if a seat claims to know a card that is not in that hand.
    """
    observer = state.SPECTATOR if seat is None else seat
    if s["phase"] != state.OVER:  # otherwise all hands are open
        _deal_again(s, seat, s["known"][:, observer], rng)
        _give_again(s, seat, rng)
    for record in (s, settled):
        if record is not None:
            record["draw_pile"][: record["draw_count"]] = rng.permutation(record["draw_pile"][: record["draw_count"]])
            _vary_knowledge(record, seat, rng)


def _deal_again(s, seat, known, rng):
    others = [q for q in range(s["num_players"]) if q != seat]
    unknown = {q: s["hands"][q] - known[q] for q in others}
    if any((cards < 0).any() for cards in unknown.values()):
        raise AssertionError(f"seat {seat} claims to know cards that are in no hand: {known.tolist()}")
    pile = s["draw_pile"][: s["draw_count"]]
    cards = rng.permutation(np.concatenate([np.repeat(_VALUES, unknown[q]) for q in others] + [pile]))
    for q in others:
        dealt, cards = np.split(cards, [unknown[q].sum()])
        s["hands"][q] = known[q] + np.bincount(dealt, minlength=state.VALUES)
    s["draw_pile"][: s["draw_count"]] = cards


def _give_again(s, seat, rng):
    """T3: a card given by another player may be any card of that hand."""
    for i, giver in enumerate(s["pair"]):
        if s["phase"] == state.EXCHANGE and s["given"][i] != state.NO_CARD and giver != seat:
            s["given"][i] = rng.choice(np.repeat(_VALUES, s["hands"][giver]))


def _vary_knowledge(s, seat, rng):
    """Let the others know any cards of third hands, at least those that everybody knows."""
    public = s["known"][:, state.SPECTATOR]
    for other, holder in product(range(s["num_players"]), repeat=2):
        if other != seat and holder not in (seat, other):
            s["known"][holder, other] = rng.integers(public[holder], np.maximum(public, s["hands"])[holder] + 1)
