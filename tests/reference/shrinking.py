"""From a game in which environment and reference implementation differ to a short and plain one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from .registry import REFERENCES
from .side_by_side import Difference, SideBySide, Story, play

GAMES = 50  # random games of each size in which the difference is looked for


def shrink(difference: Difference) -> Difference:
    """The same or another difference in a smaller game, whose deals are rigged: its last deal alone, if that will do.

    Random games at the smallest tables are tried first; then actions are left out, many at once and at last one at a
    time.
    """
    best = from_random_games(difference)
    best = replay(last_deal(best.story)) or replay(pinned(best.story)) or best
    length = len(best.story.actions) // 2
    while length:
        position = 0
        while position < len(best.story.actions):
            story, actions = pinned(best.story), best.story.actions
            found = replay(replace(story, actions=[*actions[:position], *actions[position + length :]]))
            if found is not None and size(found) < size(best):
                best = found
            else:
                position += length
        length //= 2
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
    story, short = difference.story, REFERENCES[difference.story.game].short
    options = [name for name, value in story.options.items() if name not in short or short[name] != value]
    return story.options["num_players"], len(options), len(story.actions)


def pinned(story: Story) -> Story:
    """The story with the deals that it had, whatever the seed would deal."""
    if not story.deals:
        return story
    names = REFERENCES[story.game].decks
    dealt = {name: [deal.decks[name] for deal in story.deals if name in deal.decks] for name in names}
    rigged = {name: decks for name, decks in dealt.items() if decks}
    return replace(story, rigged={"start_player": story.deals[0].start_player, **rigged})


def last_deal(story: Story) -> Story:
    """The last deal of a story alone."""
    if not story.deals:
        return story
    last = story.deals[-1]
    return pinned(replace(story, deals=[last], actions=story.actions[last.first_action :]))


def from_random_games(best: Difference) -> Difference:
    """The smallest difference in random games of the first kind that has any, from the simplest kind on."""
    story, reference = best.story, REFERENCES[best.story.game]
    sizes = [n for n in reference.sizes(story.options.get("variant")) if n <= story.options["num_players"]]
    for options in (reference.short, story.options):
        for num_players in sizes:
            games = [random_game(story.game, {**options, "num_players": num_players}, seed) for seed in range(GAMES)]
            if found := [game for game in games if game is not None]:
                return min(*found, best, key=size)
    return best


def random_game(game: str, options: dict[str, object], seed: int) -> Difference | None:
    """The difference that a random game comes to."""
    policy = random.Random(seed).choice(REFERENCES[game].all_policies)
    return met(Story(game, seed, options), lambda table: play(table, policy, seed))
