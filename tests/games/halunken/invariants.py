"""What is true of every position of Halunken & Spelunken: what no observation shows whole."""

from blackjacky_env.games.halunken import state


def facts(s):
    yield all(row[0] in state.HAPPENED for row in s.happened[: s.happenings]), "what has happened has a name"
    yield from _facts_of_rogues(s)
    revealed = s.decision not in {state.PLACE_CAPTAIN, state.PLACE_JACK, state.BID, state.CHOOSE_FOR_JACK, state.CHOOSE}
    yield from _facts_of_jacks_cards(s, revealed)
    for p in range(s.num_players):
        yield sum(s.spent[p]) == s.round_number + revealed, "everybody spends a card in each round (H3)"
        yield not s.choices[p] or not s.spent[p][s.choices[p] - 1], "players choose cards that they have (H3)"
    choosing = s.decision in {state.CHOOSE, state.CHOOSE_FOR_JACK}
    asked = (s.player - s.opener) % s.num_players if choosing else 0
    chosen = [s.choices[(s.opener + i) % s.num_players] > 0 for i in range(s.num_players)]
    yield chosen == [i < asked for i in range(s.num_players)], "players choose in order (H9)"


def _facts_of_rogues(s):
    yield sorted(s.deck) == [*range(state.CARDS)], "the deck has every rogue card once (H1)"
    for i, card in enumerate(s.deck):
        level, field = divmod(i, state.FIELDS)
        yield (
            (s.where[card] == state.TAVERN) == (level >= state.LEVELS - s.heights[field]),
            "the top cards are taken first (H6)",
        )
    yield [s.where.count(place) for place in range(state.SEATS + 1)] == s.counts, "cards are counted"
    for p in range(state.SEATS):
        own = [card for card in range(state.CARDS) if s.where[card] == p]
        for colour in range(state.NUM_COLOURS):
            values = [int(state.VALUES[card]) for card in own if state.COLOURS[card] == colour]
            yield [len(values), sum(values)] == [s.colours[p][colour], s.values[p][colour]], "values are added up (C1)"


def _facts_of_jacks_cards(s, revealed):
    """J4, D3: Black Jack's movement cards."""
    count = {state.STANDARD: state.JACK_MOVES, state.BASIC: 0, state.DUEL: state.MOVES}[s.variant]
    deck = [*range(1, count + 1)], [0] * (state.JACK_MOVES - count)
    yield (sorted(s.jack_deck[:count]), s.jack_deck[count:]) == deck, "he has every movement card once (J1, D1)"
    spent = [i + 1 for i in range(state.JACK_MOVES) if s.jack_spent[i]]
    if s.variant == state.STANDARD:
        done = s.decision in {state.SETTLEMENT, state.OVER} or (
            s.decision in {state.ROB, state.GIVE} and s.to_rob[0] != state.NOBODY
        )
        yield spent == sorted(s.jack_deck[: s.round_number + done]), "his cards are spent in order (J4)"
    else:
        in_all = s.round_number + revealed if s.variant == state.DUEL else 0
        yield len(spent) == in_all and max(spent, default=0) <= count, "he spends a card in each round (D3)"
    yield (
        not s.jack_choice or (s.variant == state.DUEL and not s.jack_spent[s.jack_choice - 1]),
        "he has the card chosen (D3)",
    )
