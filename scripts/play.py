"""Play a game in the terminal against named agents.

    python scripts/play.py --opponents counter,threshold,random
    python scripts/play.py --game schwarze_katze --opponents counter*3

You choose an action by its number or by the beginnings of its words ("sw 5 dis"); `help` explains, `quit` ends.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro

from blackjacky_agents import make_agent
from blackjacky_agents.registry import parse_agents
from blackjacky_env import IllegalActionError
from blackjacky_env.engine.text import with_seats
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game

View = dict[str, Any]

HELP = """
Type the number of an action or the beginnings of its words; `quit` ends the game.
All rules: blackjacky_env/GAME/README.md
"""
SCHWARZE_KATZE_HELP = """
Take as few penalties as you can. The suit that is led must be followed; the highest card of it takes the trick.
  hearts 2 to 9 count their number, 10, jack, queen and king 10, the ace 11; the queen of spades 40
  who has no trick at all in a deal gets -50
The lowest total after all deals wins. All rules: blackjacky_env/schwarze_katze/README.md
Type the number of an action or the name of a card, such as "QS" or "10H"; `quit` ends the game.
"""
BLACK_JACKY_HELP = """
Come close to 21 without reaching it. A turn is an optional trick and then a compulsory zock.
  1 the round ends after this turn      5 is turned over and counts nothing
  2 cancels all knocking                6 puts "+1" before a player
  3 two players exchange a card         7 turns up a card onto the discard pile
  4 the next active player draws        8 counts 8.1 where it lies
Who is bust loses a heart; if nobody is, whoever has the lowest sum. All rules: blackjacky_env/black_jacky/README.md
Type the number of an action or the beginnings of its words, such as "kn" or "sw 5 dis"; `quit` ends the game.
"""


@dataclass(frozen=True)
class Args:
    """Play a game in the terminal against named agents."""

    game: str = "black_jacky"
    """The game."""
    opponents: str | None = None
    """Agents clockwise from your left, at the game's usual table by default; `random*2` is two of them, `ppo:PATH` one
    that you have trained."""
    seat: int = 0
    """Your seat."""
    variant: str | None = None
    """The variant, the game's first by default; in Black Jacky classic (the whole game) or schnell_duell."""
    seed: int | None = None
    """The same seed deals the same cards; without one it is drawn and printed."""
    name: str = "you"
    """What the story of the game calls you."""
    delay: float = 0.8
    """Seconds after each move of an opponent, in a terminal."""
    save: Path | None = None
    """Write the record of the game to this file (JSON); `env.unwrapped.replay` plays its "record" again."""


class Sitting:
    """One game: the environment, the agents at its seats, and the person."""

    def __init__(self, args: Args) -> None:
        game = get_game(args.game)
        self.manner = MANNERS.get(game.name, Manner(f"random*{game.default_players - 1}", HELP, told_plainly, None))
        opponents = parse_agents(self.manner.opponents if args.opponents is None else args.opponents, "--opponents")
        players = len(opponents) + 1
        if not 0 <= args.seat < players:
            raise ValueError(f"--seat {args.seat} is not at the table; with these opponents it is 0 .. {players - 1}")
        self.me = f"player_{args.seat}"
        self.seat = args.seat
        self.env = TableEnv(game.name, players, args.variant, render_mode="ansi", render_as=self.me)
        self.seed = int(np.random.default_rng().integers(2**31)) if args.seed is None else args.seed
        self.env.reset(seed=self.seed)
        self.names = {self.me: args.name}
        self.agents = {}
        for i, name in enumerate(opponents, 1):
            agent = f"player_{(args.seat + i) % players}"
            self.agents[agent] = make_agent(name, game.name)
            self.agents[agent].reset(self.seed + i)
            self.names[agent] = name

    @property
    def view(self) -> View:
        """The table as the person sees it."""
        return self.env.view(self.me)

    def label(self, seat: int) -> str:
        """Seat and name."""
        return f"player_{seat} ({self.names[f'player_{seat}']})"


# ---------------------------------------------------------------- the course of the game


def main(args: Args) -> None:
    """Play one game to its end, or until the person leaves."""
    sys.stdout.reconfigure(errors="replace")  # a console without hearts shows question marks
    try:
        sitting = Sitting(args)
    except ValueError as error:
        sys.exit(f"error: {error}")
    print(
        f"{sitting.env.game.title}, seed {sitting.seed}: "
        + ", ".join(map(sitting.label, range(sitting.env.num_players)))
    )
    print("`help` explains, `quit` ends.")
    try:
        play(sitting, args.delay if sys.stdin.isatty() else 0)
    except (EOFError, KeyboardInterrupt):
        print("\nThe game ends here. Goodbye!")
    if args.save is not None:
        save(sitting, args.save)


def play(sitting: Sitting, delay: float) -> None:
    """Ask, tell and settle until the game is over."""
    env = sitting.env
    table_is_new = True
    while sitting.view["phase"] != "over":
        agent, before = env.agent_selection, sitting.view
        if agent == sitting.me:
            if table_is_new:
                print(f"\n{env.render()}")
            action = ask(sitting)
        else:
            action = int(sitting.agents[agent].act(env.observe(agent)))
        env.step(action)
        told = sitting.manner.story(sitting, before, env.action_name(action))
        for sentence in told:
            print(f"  {sentence}.")
        table_is_new = bool(told)
        if is_settled(sitting, before, sitting.view):
            print(f"\n{env.render()}")
            table_is_new = False
            wait()
        elif told and agent != sitting.me:
            time.sleep(delay)
    winners = sitting.view["winners"]
    print("\n" + (", ".join(map(sitting.label, winners)) if winners else "Nobody") + " won the game.")


def wait() -> None:
    """Time to look at a settlement, in a terminal; `EOFError` if the person leaves."""
    if sys.stdin.isatty() and input("Enter goes on ").strip().lower() == "quit":
        raise EOFError


def is_settled(sitting: Sitting, before: View, after: View) -> bool:
    """A round or deal was settled between the two views."""
    settled = sitting.manner.settled
    return bool((settled and before[settled] != after[settled]) or after["phase"] == "over")


def save(sitting: Sitting, path: Path) -> None:
    """Write names and record aside and put them in place at once."""
    aside = path.with_name(path.name + ".part")
    aside.write_text(json.dumps({"names": sitting.names, "record": sitting.env.record()}), encoding="utf-8")
    aside.replace(path)
    print(f"The game is kept in {path}.")


# ---------------------------------------------------------------- choosing an action


def ask(sitting: Sitting) -> int:
    """A legal action of the person, asked for until there is one; `EOFError` if they leave."""
    env = sitting.env
    legal = np.flatnonzero(env.observe(sitting.me)["action_mask"]).tolist()
    choices = {action: with_seats(env.action_name(action), sitting.seat, env.num_players) for action in legal}
    show_choices(list(choices.values()))
    while True:
        text = input(f"{sitting.view['phase']}> ").strip()
        if text.lower() in ("quit", "exit"):
            raise EOFError
        if text.lower() in ("help", "?"):
            print(sitting.manner.help.replace("GAME", env.game.name))
            show_choices(list(choices.values()))
            continue
        try:
            return find(text, choices, sitting)
        except ValueError as error:
            print(error)


def show_choices(words: Sequence[str]) -> None:
    """The choices with their numbers, in as many columns as fit."""
    cells = [f"{number:3} {word}" for number, word in enumerate(words, 1)]
    width = max(map(len, cells)) + 2
    lines = -(-len(cells) // max(1, 78 // width))
    for line in range(lines):
        print("".join(f"{cell:{width}}" for cell in cells[line::lines]).rstrip())


def find(text: str, choices: dict[int, str], sitting: Sitting) -> int:
    """The one choice that is meant by a number or by the beginnings of its words; `ValueError` says what is wrong."""
    if not text:
        raise ValueError("Type a number or a name; `help` explains.")
    if text.isdigit():
        if not 1 <= int(text) <= len(choices):
            raise ValueError(f"There is no choice {text}; the numbers are 1 .. {len(choices)}.")
        return list(choices)[int(text) - 1]
    meant = [action for action, words in choices.items() if is_short_for(text, words)]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise ValueError("That could be: " + "; ".join(choices[action] for action in meant) + ".")
    return find_by_full_name(text, sitting)


def is_short_for(text: str, words: str) -> bool:
    """Each word typed is the beginning of a word, in the same order, the first of the first."""
    typed, full = (part.lower().replace(":", " ").split() for part in (text, words))
    if not typed or not full[0].startswith(typed[0]):
        return False
    rest = iter(full[1:])
    return all(any(word.startswith(begun) for word in rest) for begun in typed[1:])


def find_by_full_name(text: str, sitting: Sitting) -> int:
    """The action of that name as the environment writes it, if it is legal; else a `ValueError` says why not."""
    action = sitting.env.parse_action(text)
    if sitting.env.observe(sitting.me)["action_mask"][action]:
        return action
    try:
        sitting.env.step(action)
    except IllegalActionError as error:
        raise ValueError(str(error).partition(" Legal for")[0]) from None
    raise AssertionError("an action outside the mask was accepted")


# ---------------------------------------------------------------- telling what happened


def told_plainly(sitting: Sitting, before: View, name: str) -> list[str]:
    """The name of the move, for games in which all moves are public."""
    return [f"{sitting.label(before['player'])}: {with_seats(name, before['player'], sitting.env.num_players)}"]


def story(sitting: Sitting, before: View, name: str) -> list[str]:
    """What the move called ``name`` did, as the person may know it; nothing for "no trick"."""
    actor, after = before["player"], sitting.view
    if name == "no trick":
        return []
    told = [f"{sitting.label(actor)} {deed(sitting, before, after, name)}"]
    if before["phase"] == "exchange" and after["phase"] == "zock" and sitting.seat in before["exchange"]["pair"]:
        given = before["exchange"]["given"][before["exchange"]["pair"].index(sitting.seat)] or int(name.split()[1])
        told.append(f"{sitting.label(sitting.seat)} gets {gain(sitting, sitting.seat, before, after, given)}")
    return told


def deed(sitting: Sitting, before: View, after: View, name: str) -> str:
    """The move in words, without the player."""
    actor = before["player"]
    match with_seats(name, actor, sitting.env.num_players).split():
        case ["lay", value, "without", "effect"]:
            return f"lays {a(value)} without effect"
        case ["lay", "3:", first, "and", second, _]:
            return f"lays a 3: {first} and {second} exchange a card"
        case ["lay", "6:", "+1", "to", target]:
            return f"lays a 6: +1 lies before {target}"
        case ["lay", value]:
            return f"lays {a(value)}{effect(sitting, int(value), before, after)}"
        case ["draw"]:
            return f"draws {gain(sitting, actor, before, after)}"
        case ["swap", old, *_, "draw", "pile"]:
            return f"swaps {a(old)} for {gain(sitting, actor, before, after, int(old))} from the draw pile"
        case ["swap", old, *_, "discard", "pile"]:
            return f"swaps {a(old)} for the {before['discard_top']} on the discard pile"
        case ["knock"]:
            first = before["first_knocker"] is None and not is_settled(sitting, before, after)
            return "knocks first: everybody else has one more turn" if first else "knocks"
        case ["give", value]:
            return f"gives {a(value)}" if actor == sitting.seat else "gives a card"
        case ["tip", target]:
            return f"tips that {target} will lose a heart"
    raise ValueError(f"no words for {name!r}")


def a(card: object) -> str:
    """A card with its article."""
    return f"an {card}" if str(card) == "8" else f"a {card}"


def effect(sitting: Sitting, value: int, before: View, after: View) -> str:
    """What the trick of a card without a chosen target did."""
    can_draw = before["draw_pile"] > 0 or len(before["discards"]) > 1  # R14
    if value in (4, 7) and not can_draw:
        return " without effect"
    if value == 4:
        seat = who_drew(before, after)
        gone = 4 if seat == before["player"] else None
        return f": player_{seat} draws {gain(sitting, seat, before, after, gone)}"
    return {
        1: ": the round ends after this turn",
        2: ": all knocking is cancelled" if any(before["knocked"]) else ": nobody had knocked",
        5: ", turned over: it counts nothing",
        7: f": {a(after['discard_top'])} is turned up on the discard pile",
        8: ": it counts 8.1",
    }[value]


def size(hand: list[int] | int) -> int:
    """Cards in a hand, open or not."""
    return hand if isinstance(hand, int) else len(hand)


def who_drew(before: View, after: View) -> int:
    """The seat that a laid-out 4 made draw; the trickster himself has laid the 4 away."""
    sizes = [size(hand) + (seat == before["player"]) for seat, hand in enumerate(after["hands"])]
    return next(seat for seat, hand in enumerate(before["hands"]) if sizes[seat] > size(hand))


def gain(sitting: Sitting, seat: int, before: View, after: View, gone: int | None = None) -> str:
    """The card that came into the hand of ``seat`` when ``gone`` left it; of others it is just a card."""
    if isinstance(before["hands"][seat], int):
        return "a card"
    hands = after["last_settlement"]["hands"] if is_settled(sitting, before, after) else after["hands"]
    stayed = Counter(before["hands"][seat]) - Counter([] if gone is None else [gone])
    (card,) = (Counter(hands[seat]) - stayed).elements()
    return a(card)


def story_of_tricks(sitting: Sitting, before: View, name: str) -> list[str]:
    """Who plays which card of Schwarze Katze, who takes the trick, and what a deal brought."""
    actor, after = before["player"], sitting.view
    told = [f"{sitting.label(actor)} {'plays' if before['table'] else 'leads'} {name}"]
    trick = [*before["table"], [actor, name]]
    if len(trick) == sitting.env.num_players:
        told.append(f"{sitting.label(winner_of(trick, sitting))} takes the trick")
    if is_settled(sitting, before, after):
        told += [f"{sitting.label(seat)} gets {points} in this deal" for seat, points in enumerate(after["last_deal"])]
    return told


def winner_of(trick: list[list[Any]], sitting: Sitting) -> int:
    """The seat that takes these [seat, card] in the order of play (K5)."""
    suit = trick[0][1][-1]
    return int(max((sitting.env.parse_action(card), seat) for seat, card in trick if card[-1] == suit)[1])


class Manner(NamedTuple):
    """How a game is played here."""

    opponents: str
    """Who plays if nobody is named."""
    help: str
    """What `help` says."""
    story: Callable[[Sitting, View, str], list[str]]
    """What a move did, as the person may know it: (sitting, view before, name of the move)."""
    settled: str | None
    """What in a view changes whenever something is settled; None: nothing before the end."""


MANNERS = {
    "black_jacky": Manner("counter,threshold,random", BLACK_JACKY_HELP, story, "round"),
    "schwarze_katze": Manner("counter,low,random", SCHWARZE_KATZE_HELP, story_of_tricks, "deal"),
}
"""By game; moves of a game without a line are told by their names, which must not be secret then."""


if __name__ == "__main__":
    main(tyro.cli(Args))
