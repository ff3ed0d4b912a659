"""From a game in which environment and reference implementation differ to one as short and plain as can be found."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from .declaration import Cards, Options, Reference
from .registry import REFERENCES
from .side_by_side import Difference, SideBySide, Story, play

GAMES = 50  # random games of each kind in which the difference is looked for


def shrink(difference: Difference) -> Difference:
    """The same or another difference in a smaller game, whose deals are rigged."""
    best = from_random_games(difference)
    best = replay(pinned(best.story)) or best
    while True:
        before = size(best)
        for simpler in (fewer_deals, fewer_players, fewer_options):
            best = follow(best, simpler)
        best = fewer_actions(best)
        if size(best) == before:
            return replay(pinned(best.story)) or best


def replay(story: Story) -> Difference | None:
    """The difference that a story comes to; actions that are not legal are left out."""

    def play_again(game: SideBySide) -> None:
        for action in story.actions:
            if action in game.legal:
                game.step(action)

    return met(story, play_again)


def met(story: Story, play_on: Callable[[SideBySide], object]) -> Difference | None:
    """The difference that is met when the game of a story is begun and played on."""
    try:
        play_on(SideBySide(story.game, story.seed, story.options, story.rigged))
    except Difference as difference:
        return difference
    except ValueError:  # options that cannot be dealt
        return None
    return None


def size(difference: Difference) -> tuple[int, int, int]:
    """Players count more than options, options more than actions; what makes games short is no option more."""
    story = difference.story
    short = reference_of(story).short
    options = [name for name, value in story.options.items() if name not in short or short[name] != value]
    return story.options["num_players"], len(options), len(story.actions)


def reference_of(story: Story) -> Reference:
    """The reference implementation of the game that the story tells."""
    return REFERENCES[story.game]


def pinned(story: Story) -> Story:
    """The story with the deals that it had, whatever the seed would deal."""
    if not story.deals:
        return story
    dealt = {
        name: [deal.decks[name] for deal in story.deals if name in deal.decks] for name in reference_of(story).decks
    }
    rigged = {name: decks for name, decks in dealt.items() if decks}
    return replace(story, rigged={"start_player": story.deals[0].start_player, **rigged})


# -- simpler games -----------------------------------------------------------------------------------------------------


def from_random_games(best: Difference) -> Difference:
    """The smallest difference in random games of the first kind that has any, from the simplest kind on."""
    story, reference = best.story, reference_of(best.story)
    for options in (reference.short, story.options):
        for num_players in sizes_up_to(story):
            games = [random_game(story.game, {**options, "num_players": num_players}, seed) for seed in range(GAMES)]
            found = [game for game in games if game is not None]
            if found:
                return min(*found, best, key=size)
    return best


def sizes_up_to(story: Story) -> list[int]:
    """The table sizes of this story's variant, up to its own."""
    sizes = reference_of(story).sizes(story.options.get("variant"))
    return [size for size in sizes if size <= story.options["num_players"]]


def random_game(game: str, options: Options, seed: int) -> Difference | None:
    """The difference that a random game comes to."""
    policy = random.Random(seed).choice(REFERENCES[game].all_policies)
    return met(Story(game, seed, options), lambda table: play(table, policy, seed))


def follow(best: Difference, simpler: Callable[[Story], Iterator[Story]]) -> Difference:
    """Go on to simpler stories as long as there is one that differs."""
    while found := next(filter(None, (better(best, story) for story in simpler(pinned(best.story)))), None):
        best = found
    return best


def better(best: Difference, story: Story) -> Difference | None:
    """The difference that a story comes to if its game is smaller."""
    found = replay(story)
    return found if found is not None and size(found) < size(best) else None


def fewer_deals(story: Story) -> Iterator[Story]:
    """The last deal alone, else the story without one of the others."""
    last = len(story.deals) - 1
    if last < 1:
        return
    alone = with_deals(story, [last])
    yield replace(alone, options={**alone.options, **reference_of(story).short})
    yield alone
    for left_out in range(last):
        yield with_deals(story, [number for number in range(last + 1) if number != left_out])


def with_deals(story: Story, numbers: list[int]) -> Story:
    """Only these deals, with their decks and actions."""
    ends = [*(deal.first_action for deal in story.deals[1:]), len(story.actions)]
    deals = [story.deals[number] for number in numbers]
    kept = [story.actions[story.deals[number].first_action : ends[number]] for number in numbers]
    return pinned(replace(story, deals=deals, actions=[action for actions in kept for action in actions]))


def fewer_players(story: Story) -> Iterator[Story]:
    """The same cards and actions at smaller tables."""
    for num_players in sizes_up_to(story)[:-1]:
        rigged = dict(story.rigged or {})
        if "start_player" in rigged:
            rigged["start_player"] %= num_players
        yield with_options(replace(story, rigged=rigged), {**story.options, "num_players": num_players})


def fewer_options(story: Story) -> Iterator[Story]:
    """One of the options is left to its default."""
    for name in story.options.keys() - {"num_players"}:
        yield with_options(story, {option: value for option, value in story.options.items() if option != name})


def with_options(story: Story, options: Options) -> Story:
    """The story with other options and decks that fit them."""
    rigged = dict(story.rigged or {})
    for name, kind in reference_of(story).decks.items():
        if name in rigged:
            rigged[name] = [fitted(deck, kind.all_cards(options)) for deck in rigged[name]]
    return replace(story, options=options, rigged=rigged)


def fitted(deck: Cards, cards: Cards) -> Cards:
    """These cards in the order of the deck, those that it lacks at its bottom."""
    left, kept = Counter(cards), []
    for card in deck:
        if left[card]:
            left[card] -= 1
            kept.append(card)
    return [*kept, *left.elements()]


def fewer_actions(best: Difference) -> Difference:
    """Leave out actions, many at once and at last one at a time."""
    length = len(best.story.actions) // 2
    while length:
        position = 0
        while position < len(best.story.actions):
            story = pinned(best.story)
            found = better(best, replace(story, actions=without(story.actions, position, length)))
            best = found or best
            position += 0 if found else length
        length //= 2
    return best


def without(actions: list[int], position: int, length: int) -> list[int]:
    """The actions but so many from a position on."""
    return [*actions[:position], *actions[position + length :]]
