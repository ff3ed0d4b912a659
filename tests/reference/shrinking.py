"""From a game in which the two readings differ to one as short and plain as can be found."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from .side_by_side import POLICIES, Difference, Options, SideBySide, Story, play

GAMES = 50  # random games of each kind in which the difference is looked for


def shrink(difference: Difference) -> Difference:
    """The same or another difference in a smaller game, whose deals are rigged."""
    best = from_random_games(difference)
    best = replay(pinned(best.story)) or best
    while True:
        before = size(best)
        for simpler in (fewer_rounds, fewer_players, fewer_options):
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
        play_on(SideBySide(story.seed, story.options, story.rigged))
    except Difference as difference:
        return difference
    except ValueError:  # options that cannot be dealt
        return None
    return None


def size(difference: Difference) -> tuple[int, int, int]:
    """Players count more than options, options more than actions."""
    story = difference.story
    return story.options["num_players"], len(story.options), len(story.actions)


def pinned(story: Story) -> Story:
    """The story with the deals that it had, whatever the seed would deal."""
    if not story.rounds:
        return story
    decks = [round_.deck for round_ in story.rounds if round_.deck is not None]
    deck = {"deck": decks} if decks else {}
    return replace(story, rigged={"start_player": story.rounds[0].start_player, **deck})


# -- simpler games -----------------------------------------------------------------------------------------------------


def from_random_games(best: Difference) -> Difference:
    """The smallest difference in random games of the first kind that has any, from the simplest kind on."""
    own = best.story.options
    for options in ({}, own):
        for num_players in range(2, own["num_players"] + 1):
            games = [random_game({**options, "num_players": num_players}, seed) for seed in range(GAMES)]
            found = [game for game in games if game is not None]
            if found:
                return min(*found, best, key=size)
    return best


def random_game(options: Options, seed: int) -> Difference | None:
    """The difference that a random game comes to."""
    policy = random.Random(seed).choice(POLICIES)
    return met(Story(seed, options), lambda game: play(game, policy, seed))


def follow(best: Difference, simpler: Callable[[Story], Iterator[Story]]) -> Difference:
    """Go on to simpler stories as long as there is one that differs."""
    while found := next(filter(None, (better(best, story) for story in simpler(pinned(best.story)))), None):
        best = found
    return best


def better(best: Difference, story: Story) -> Difference | None:
    """The difference that a story comes to if its game is smaller."""
    found = replay(story)
    return found if found is not None and size(found) < size(best) else None


def fewer_rounds(story: Story) -> Iterator[Story]:
    """The last round alone, else the story without one of the others."""
    last = len(story.rounds) - 1
    if last < 1:
        return
    yield with_rounds(story, [last])
    for left_out in range(last):
        yield with_rounds(story, [number for number in range(last + 1) if number != left_out])


def with_rounds(story: Story, numbers: list[int]) -> Story:
    """Only these rounds, with their decks and actions."""
    ends = [*(round_.first_action for round_ in story.rounds[1:]), len(story.actions)]
    rounds = [story.rounds[number] for number in numbers]
    kept = [story.actions[story.rounds[number].first_action : ends[number]] for number in numbers]
    return pinned(replace(story, rounds=rounds, actions=[action for actions in kept for action in actions]))


def fewer_players(story: Story) -> Iterator[Story]:
    """The same cards and actions at smaller tables."""
    for num_players in range(2, story.options["num_players"]):
        rigged = dict(story.rigged or {})
        if "start_player" in rigged:
            rigged["start_player"] %= num_players
        yield replace(story, options={**story.options, "num_players": num_players}, rigged=rigged)


def fewer_options(story: Story) -> Iterator[Story]:
    """One of the options is left to its default; decks are filled up for it."""
    for name in story.options.keys() - {"num_players"}:
        options = {option: value for option, value in story.options.items() if option != name}
        rigged = dict(story.rigged or {})
        if "deck" in rigged and "max_card" not in options:
            rigged["deck"] = [whole(deck) for deck in rigged["deck"]]
        yield replace(story, options=options, rigged=rigged)


def whole(deck: list[int]) -> list[int]:
    """The deck with the missing ones of all 36 cards at its bottom."""
    cards = Counter({value: value for value in range(1, 9)})
    return [*deck, *(cards - Counter(deck)).elements()]


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
