"""Rare cases, by the snapshot before an action (b), the action (a) and the snapshot now (n), each under its rules."""

from .rules import Card

QUEEN = Card.called("QS")


def scored(before, after):
    return after["phase"] == "over" or after["deal"] > before["deal"]


def trick_after(before, action):
    lying = [(seat, Card.called(text)) for seat, text in before["table"]]
    return [*lying, (before["player"], Card.numbered(action))]


def whole_trick(before, action):
    """The trick that this action ends; nothing if it does not."""
    trick = trick_after(before, action)
    return trick if len(trick) == len(before["hands"]) else []


def followers(trick):
    """Those who have played the led suit, the leader included."""
    return [(seat, card) for seat, card in trick if card.suit == trick[0][1].suit]


def taker(trick):
    return max(followers(trick), key=lambda entry: entry[1].height)[0]


def without_a_trick(before, action, after):
    """How many players took none, if the deal is scored now."""
    if not scored(before, after):
        return None
    last = taker(whole_trick(before, action))
    return sum(taken == 0 and seat != last for seat, taken in enumerate(before["tricks_taken"]))


def leads(before, action):
    return None if before["table"] else Card.numbered(action)


def queen_goes(before, action):
    """What becomes of the queen of a trick in spades that this action ends."""
    trick = whole_trick(before, action)
    holders = [seat for seat, card in followers(trick) if card == QUEEN]
    return "" if not holders else "to her player" if holders == [taker(trick)] else "to another"


def discards(before, action):
    card = Card.numbered(action)
    return card if before["table"] and Card.called(before["table"][0][1]).suit != card.suit else None


CASES = {
    # K4
    "heart_discarded": lambda b, a, n: (card := discards(b, a)) is not None and card.suit == "H",
    "queen_discarded": lambda b, a, n: discards(b, a) == QUEEN,
    "queen_discarded_on_hearts": lambda b, a, n: discards(b, a) == QUEEN and b["table"][0][1].endswith("H"),
    # K3, K9
    "heart_led": lambda b, a, n: (card := leads(b, a)) is not None and card.suit == "H",
    "queen_led": lambda b, a, n: leads(b, a) == QUEEN,
    "hearts_alone_led": lambda b, a, n: (
        leads(b, a) is not None
        and len(hand := b["hands"][b["player"]]) > 1
        and all(card.endswith("H") for card in hand)
    ),
    # K5
    "queen_takes_her_trick": lambda b, a, n: queen_goes(b, a) == "to her player",
    "queen_caught": lambda b, a, n: queen_goes(b, a) == "to another",  # spades were led
    "queen_in_the_last_trick": lambda b, a, n: scored(b, n) and any(card == QUEEN for _, card in trick_after(b, a)),
    "nobody_else_follows": lambda b, a, n: len(followers(whole_trick(b, a))) == 1,
    "ace_loses_off_suit": lambda b, a, n: any(
        card.height > dict(trick)[taker(trick)].height
        for trick in [whole_trick(b, a)]
        for _, card in trick  # a high card of another suit does not take the trick
    ),
    # K6
    "nobody_without_a_trick": lambda b, a, n: without_a_trick(b, a, n) == 0,
    "several_without_a_trick": lambda b, a, n: (without_a_trick(b, a, n) or 0) > 1,
    "all_tricks_to_one": lambda b, a, n: without_a_trick(b, a, n) == len(b["hands"]) - 1,
    "all_penalties_to_one": lambda b, a, n: (
        scored(b, n) and 0 in n["last_deal"] and sum(penalty > 0 for penalty in n["last_deal"]) == 1
    ),  # there is no bonus for it, also if others have taken tricks
    # K6, K8
    "tricks_without_penalty": lambda b, a, n: scored(b, n) and 0 in n["last_deal"],
    "negative_total": lambda b, a, n: scored(b, n) and min(n["totals"]) < 0,
    # K7, K8
    "last_deal": lambda b, a, n: n["phase"] == "over" and n["deal"] > 0,  # the last of several
    "won_with_penalties": lambda b, a, n: n["phase"] == "over" and min(n["totals"]) > 0,
    "won_in_the_last_deal": lambda b, a, n: (
        n["phase"] == "over" and min(b["totals"]) < min(b["totals"][s] for s in n["winners"])
    ),  # by somebody who had more than another before
    "several_winners": lambda b, a, n: len(n["winners"]) > 1,
}
