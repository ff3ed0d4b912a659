"""A game against agents in the terminal."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from blackjacky_agents import make_agent
from blackjacky_agents.agent import Agent, asked, recalls, warm_up
from blackjacky_agents.files import write_file
from blackjacky_agents.language.answers import matching
from blackjacky_agents.narration import View
from blackjacky_agents.registry import display_names
from blackjacky_agents.search.hints import Adviser, Outlook
from blackjacky_agents.wording import (
    explanation,
    in_words,
    is_settled,
    legal_in_words,
    tell_move,
    terminal_texts,
    why_not,
)
from blackjacky_env.draw import WIDTH, listed
from blackjacky_env.envs import TableEnv

GUEST = "Guest"
NARROWEST = 40
"""Characters in a line below which nothing is made to fit."""
_COMMANDS = """
Choose an action by its number or by the beginnings of its words, such as `{example}`.
`? {example}` explains an action, `hint` shows what strong agents would do,
`table` shows the table again, `help` the rules; `quit` ends the game.
"""


class Sitting:
    """A game in the terminal: the environment, the agents and the person.

    Args:
        game, variant, rules: the game, its variant and rule options.
        opponents: names of the agents clockwise from the person's left.
        seat: the person's seat.
        seed: seed of deals and agents; None: drawn at random.
        name: the person's name.

    Raises `ValueError` for an unknown agent or invalid options.
    """

    def __init__(
        self,
        game: str,
        opponents: Sequence[str],
        variant: str | None = None,
        rules: Mapping[str, Any] | None = None,
        seat: int = 0,
        seed: int | None = None,
        name: str | None = None,
    ) -> None:
        players = len(opponents) + 1
        if not 0 <= seat < players:
            raise ValueError(f"--seat {seat} is out of range; allowed with these opponents are 0 .. {players - 1}")
        self.me, self.seat = f"player_{seat}", seat
        self.env = TableEnv(game, players, variant, **(rules or {}))
        self.seed = int(np.random.default_rng().integers(2**31)) if seed is None else seed
        self.env.reset(seed=self.seed)
        self.texts = terminal_texts(game)
        self.names = _seated([name or GUEST, *opponents], seat)
        """The names of all players by seat."""
        self._agents: dict[str, Agent] = {}
        for i, opponent in enumerate(opponents, 1):
            agent = self._agents[f"player_{(seat + i) % players}"] = make_agent(opponent, game)
            agent.reset(self.seed + i)
        self._adviser: Adviser | None = None
        warm_up(self._agents.values(), self.env)

    @property
    def view(self) -> View:
        """The person's view of the table."""
        return self.env.view(self.me)

    @property
    def picture(self) -> str:
        """The table as the person sees it, as text."""
        return picture_of(self.env, self.me, self.names)

    @property
    def choices(self) -> dict[int, str]:
        """The legal actions of the person to act, in words."""
        return legal_in_words(self.env.game, self.env.observe(self.me)["action_mask"], self.seat, self.names)

    def act_for_agent(self) -> int:
        """The action of the agent to act."""
        return asked(self._agents[self.env.agent_selection], self.env)()

    def hint(self) -> list[Outlook]:
        """A hint for the person to act."""
        self._adviser = self._adviser or Adviser(self.env.game.name, filter(recalls, self._agents.values()))
        return self._adviser.hint(self.env, self._adviser.look(self.env, self.me))

    def save(self, path: Path) -> None:
        """Write names and record of the game."""
        names = dict(zip(self.env.possible_agents, self.names, strict=True))
        write_file(path, json.dumps({"names": names, "record": self.env.record()}))
        print(f"Game saved to {path}.")


def columns() -> int:
    """Characters in a line of the terminal, at least `NARROWEST`."""
    return max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST)


def picture_of(env: TableEnv, agent: str | None, names: Sequence[str]) -> str:
    """The table as ``agent`` (None: a spectator) sees it, with names, fitted to the terminal and in its colours."""
    has_colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ  # https://no-color.org
    return env.draw_text(agent, colour=has_colour, names=names, width=min(columns(), WIDTH))


def result(view: View, names: Sequence[str]) -> str:
    """Who has won, as a sentence."""
    winners = [names[seat] for seat in view["winners"]]
    return f"{listed(winners) if winners else 'Nobody'} won the game."


def filled(text: str) -> str:
    """Text broken into lines that fit the terminal."""
    return textwrap.fill(text, min(columns(), WIDTH))


def _seated(names: Sequence[str], seat: int) -> list[str]:
    """Names to be shown by seat, the first one's being ``seat``."""
    shown = display_names(names)
    return [shown[(i - seat) % len(shown)] for i in range(len(shown))]


# ---------------------------------------------------------------- the course of the game


def play(sitting: Sitting, delay: float, save: Path | None = None) -> None:
    """Play a game to its end, or until the person quits; ``save``: the file for its record, None: it is not kept."""
    print(greeting(sitting))
    try:
        _play(sitting, delay if sys.stdin.isatty() else 0)
    except EOFError:
        print("\nGame abandoned. Goodbye!")
    finally:
        if save is not None:
            keep(sitting, save)


def keep(sitting: Sitting, path: Path) -> None:
    """Save the game, where the person says if there is no room at ``path``; `OSError` if nobody answers."""
    while True:
        try:
            return sitting.save(path)
        except OSError as error:
            print(f"The game could not be saved to {path}: {error.strerror}.")
            try:
                answer = input("Make room and press Enter, or type the path of another file: ").strip()
            except EOFError:
                raise error from None
            path = Path(answer) if answer else path


def greeting(sitting: Sitting) -> str:
    """The players, and how to choose actions."""
    names = [f"{name} (you)" if seat == sitting.seat else name for seat, name in enumerate(sitting.names)]
    title, words = sitting.env.game.title, f"{', '.join(names)}; seed {sitting.seed}."
    return f"{filled(f'{title}: {words}')}\n{commands(sitting)}"


def commands(sitting: Sitting) -> str:
    """How to choose actions, with one of the game's as an example."""
    actions = sitting.env.game.words.actions
    first = max(actions.infos, key=lambda info: (info.card is not None, info.pile is not None, not info.seats))
    told = _COMMANDS.format(example=" ".join(word[:3] for word in actions.tell(first).split()[:2]))
    return "\n".join(filled(line) for line in told.split("\n"))


def rules(sitting: Sitting) -> str:
    """The rules in short."""
    return "\n".join(["", *map(filled, sitting.texts["help"])])


def _play(sitting: Sitting, delay: float) -> None:
    env, table_is_new = sitting.env, True
    while sitting.view["phase"] != "over":
        agent, before = env.agent_selection, sitting.view
        if agent == sitting.me:
            if table_is_new:
                print(f"\n{sitting.picture}")
            action = ask(sitting)
        else:
            action = sitting.act_for_agent()
        env.step(action)
        told = story(sitting, before, action)
        for sentence in told:
            print(textwrap.fill(f"  {sentence}.", columns(), subsequent_indent="    "), flush=True)
        table_is_new = bool(told)
        if is_settled(env.game.name, before, sitting.view):
            print(f"\n{sitting.picture}")
            table_is_new = False
            if sitting.view["phase"] != "over":
                wait()
        elif told and agent != sitting.me:
            time.sleep(delay)
    print(f"\n{result(sitting.view, sitting.names)}")


def wait() -> None:
    """Wait for Enter after a settlement, if stdin is a terminal; `EOFError` if the person quits."""
    if sys.stdin.isatty() and input("Press Enter to continue ").strip().lower() == "quit":
        raise EOFError


def story(sitting: Sitting, before: View, action: int) -> list[str]:
    """Sentences on the last move, ``action``, as far as the person may know it; may be empty."""
    told = tell_move(sitting.env, before, sitting.view, action, sitting.seat)
    return [in_words(phrase, sitting.texts, sitting.names) for phrase in told]


# ---------------------------------------------------------------- choosing an action


def ask(sitting: Sitting) -> int:
    """Prompt until the person chooses a legal action; `EOFError` if they quit."""
    choices = sitting.choices
    show_choices(sitting, choices)
    while True:
        text = input("> ").strip()
        command, _, rest = text.partition(" ") if text[:1] != "?" else ("?", "", text[1:].strip())
        if command.lower() in ("quit", "exit"):
            raise EOFError
        try:
            if command.lower() in ("help", "?"):
                print(explain(sitting, rest, choices) if rest else rules(sitting))
                print("" if rest else commands(sitting))
            elif text.lower() == "hint":
                print(hint(sitting, choices))
            elif text.lower() == "table":
                print(sitting.picture)
            else:
                return find(text, choices, sitting)
        except ValueError as error:
            print(filled(str(error)))
            continue
        show_choices(sitting, choices)


def show_choices(sitting: Sitting, choices: Mapping[int, str]) -> None:
    """Print what is to be done, and the numbered choices in as many columns as fit."""
    phase = sitting.view["phase"]
    print(filled(sitting.texts["phases"].get(phase, f"Your turn: {phase}.")))
    cells = [f"{number:3} {words}" for number, words in enumerate(choices.values(), 1)]
    width = max(map(len, cells)) + 2
    lines = -(-len(cells) // max(1, min(columns() - 1, 78) // width))
    for line in range(lines):
        row = "".join(f"{cell:{width}}" for cell in cells[line::lines]).rstrip()
        print(textwrap.fill(row, columns(), subsequent_indent="    ") if len(row) > columns() else row)


def explain(sitting: Sitting, text: str, choices: Mapping[int, str]) -> str:
    """What the actions meant by ``text`` do, and why they are not legal now if so."""
    words, lines = sitting.env.game.words.actions, []
    every = {action: words.name(action) for action in range(len(words))}
    for action in matching(text, choices) or matching(text, every)[:1] or [sitting.env.parse_action(text)]:
        told = explanation(sitting.texts, words[action])
        name = choices.get(action) or words.name(action)
        refused = "" if action in choices else f" Not now: {why_not(sitting.env, action)}"
        lines.append(filled(f"{name}: {told or 'does what its name says'}.{refused}"))
    return "\n".join(lines)


def find(text: str, choices: Mapping[int, str], sitting: Sitting) -> int:
    """The choice given by its number or abbreviated words; `ValueError` if there is none or more than one."""
    if not text:
        raise ValueError("Type a number or a name, or `help`.")
    meant = matching(text, choices)
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise ValueError("Ambiguous; it could be: " + "; ".join(choices[action] for action in meant) + ".")
    try:
        action = sitting.env.parse_action(text)
    except ValueError:
        near = difflib.get_close_matches(text.lower(), choices.values(), n=3, cutoff=0.4)
        instead = f"Did you mean {listed([f'`{words}`' for words in near])}?" if near else "Type a number or `help`."
        raise ValueError(f"No action is called `{text}`. {instead}") from None
    if action in choices:
        return action
    raise ValueError(why_not(sitting.env, action))


# ---------------------------------------------------------------- hints


def hint(sitting: Sitting, choices: Mapping[int, str]) -> str:
    """What the advising agents would do, and what may come of the most promising actions."""
    if len(choices) == 1:
        return "There is only one choice."
    print("Thinking ...", flush=True)
    outlooks = sitting.hint()
    best = max(outlooks, key=lambda each: each.win)
    lines = [_advice(each, best, choices) for each in outlooks if each.chosen_by]
    width = max(len(choices[each.action]) for each in outlooks)
    told = sitting.texts["sentences"].get("outlook", "{score} {unit}")
    lines.append(f"  {'':{width}}  {'wins the game':19}  in this {sitting.env.game.words.round_key}")
    for each in outlooks:
        values = {"setback": f"{each.setback:.0%}", "score": f"{each.score:+.1f}"}
        in_round = told.format(**values, unit=sitting.env.game.score_reward)
        low, high = each.interval
        lines.append(f"  {choices[each.action]:{width}}  {f'{each.win:.0%} ({low:.0%} .. {high:.0%})':19}  {in_round}")
    level = [choices[each.action] for each in outlooks if each.level]
    if len(level) > 1:
        lines.append(f"Level, as far as this can tell: {listed(level)}.")
    lines.append(f"(estimated from {outlooks[0].samples} samples of the cards you cannot see, with 95 % intervals)")
    return "\n".join(filled(line) if len(line) > columns() else line for line in lines)


def _advice(outlook: Outlook, best: Outlook, choices: Mapping[int, str]) -> str:
    """Who would choose an action, and what the estimates say of it if another one has a higher estimate."""
    said = f"{listed(outlook.chosen_by)} would choose: {choices[outlook.action]}."
    if outlook.win >= best.win:
        return said
    return f"{said} {'Level with' if outlook.level else 'The estimates favour'}: {choices[best.action]}."
