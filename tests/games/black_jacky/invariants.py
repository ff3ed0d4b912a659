"""What is true of every position of Black Jacky: what no observation shows whole."""

from itertools import product

from blackjacky_env.games.black_jacky.state import EXCHANGE, NO_CARD, NOBODY, SEATS, TIP, VALUES


def facts(s):
    pile = s.draw_pile
    yield all(pile[: s.draw_count]) and not any(pile[s.draw_count :]), "the draw pile has as many cards as are counted"
    yield [sum(hand) for hand in s.hands] == s.hand_counts, "all hands have as many cards as are counted"
    if s.phase == TIP:
        yield not any((s.draw_count, s.discard_count, *s.hand_counts, *map(sum, s.displays))), "nothing is dealt (P2)"
        return
    for v in range(VALUES):
        held = sum(s.hands[p][v] + s.displays[p][v] for p in range(SEATS))
        lying = s.discards[v] + s.left_out[v] + (pile.count(v) if v else 0)
        yield held + lying == (v if v <= s.max_card else 0), f"every card {v} lies somewhere (R1)"
    for p, observer, v in product(range(SEATS), range(SEATS + 1), range(VALUES)):
        yield p == observer or s.known[p][observer][v] <= s.hands[p][v], "cards known to be in a hand are there"
    if s.phase != EXCHANGE:
        yield s.pair == [NOBODY] * 2 and s.given == [NO_CARD] * 2, "nobody exchanges cards"
        return
    yield s.given[1] == NO_CARD, "the exchange is over when both have given (T3)"
    yield not s.given[0] or s.hands[s.pair[0]][s.given[0]] > 0, "the card to be given is in the hand (T3)"
