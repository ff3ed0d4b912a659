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

from blackjacky_agents import make_agent, wording
from blackjacky_agents.agent import Agent, recalls, secret_seed, shown_to, warm_up
from blackjacky_agents.aside import aside, asked_aside
from blackjacky_agents.kit.narration import View
from blackjacky_agents.language.answers import matching
from blackjacky_agents.registry import display_names
from blackjacky_agents.reports import percent
from blackjacky_agents.search.hints import Outlook, advise
from blackjacky_agents.storage.files import write_file
from blackjacky_env.draw import WIDTH, listed
from blackjacky_env.envs import TableEnv

NARROWEST = 40  # characters in a line below which nothing is made to fit
COMMANDS = (
    "Choose an action by its number or by the beginnings of its words. `? WORDS` explains an action, `hint` shows what "
    "strong agents would do, `table` shows the table again, `help` the rules; `quit` ends the game."
)


class Sitting:
    """A game in the terminal: the environment, the agents clockwise from the person's left, and the person.

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
        self.texts = wording.terminal_texts(game)
        shown = display_names([name or "Guest", *opponents])
        self.names = [shown[(i - seat) % players] for i in range(players)]
        """The names of all players by seat."""
        self._opponents = {f"player_{(seat + i) % players}": name for i, name in enumerate(opponents, 1)}
        self._agents: dict[str, Agent] = {player: make_agent(name, game) for player, name in self._opponents.items()}
        for i, agent in enumerate(self._agents.values(), 1):
            agent.reset(secret_seed(self.seed, i))
        warm_up(self._agents.values(), self.env)

    @property
    def view(self) -> View:
        """The person's view of the table."""
        return self.env.view(self.me)

    def show(self) -> None:
        """Print the table as the person sees it."""
        print(f"\n{picture_of(self.env, self.me, self.names)}")

    @property
    def choices(self) -> dict[int, str]:
        """The legal actions of the person to act, in words."""
        return wording.legal_in_words(self.env.game, self.env.observe(self.me)["action_mask"], self.seat, self.names)

    def act_for_agent(self) -> int:
        """The action of the agent to act."""
        player = self.env.agent_selection
        return asked_aside(self._agents[player], self._opponents[player], self.env, self.seed)()

    def hint(self) -> list[Outlook]:
        """A hint for the person to act."""
        env, agents = self.env, self._agents.values()
        solutions = [agent.name for agent in agents if recalls(agent)]
        return aside(advise, env.game.name, env.num_players, solutions, shown_to(agents, env, self.me))

    def save(self, path: Path) -> None:
        """Write names and record of the game."""
        names = dict(zip(self.env.possible_agents, self.names, strict=True))
        write_file(path, json.dumps({"names": names, "record": self.env.record()}))
        print(f"Game saved to {path}.")


def columns() -> int:
    """Characters in a line of the terminal, `NARROWEST` .. `WIDTH`."""
    return min(max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST), WIDTH)


def picture_of(env: TableEnv, agent: str | None, names: Sequence[str]) -> str:
    """The table as ``agent`` (None: a spectator) sees it, with names, fitted to the terminal and in its colours."""
    has_colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ  # https://no-color.org
    return env.draw_text(agent, colour=has_colour, names=names, width=columns())


def result(view: View, names: Sequence[str]) -> str:
    """Who has won, as a sentence."""
    winners = [names[seat] for seat in view["winners"]]
    if len(winners) == len(names):
        return "It is a tie."
    return f"{listed(winners) if winners else 'Nobody'} won the game."


def filled(text: str, indent: str = "") -> str:
    """Text broken into lines that fit the terminal; all but the first are indented."""
    return textwrap.fill(text, columns(), subsequent_indent=indent)


def tell(env: TableEnv, before: View, seat: int | None, texts: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Print what the last move was, as far as a seat (None: a spectator) may know, who had this view before.

    Returns whether there was anything to tell.
    """
    after, action = env.view(None if seat is None else f"player_{seat}"), env.record()["actions"][-1]
    phrases = wording.tell_move(env, before, after, action, seat)
    for phrase in phrases:
        print(filled(f"  {wording.in_words(phrase, texts, names)}.", "    "), flush=True)
    return bool(phrases)


def play(sitting: Sitting, delay: float, save: Path | None = None) -> None:
    """Play a game to its end, or until the person quits; ``save``: the file for its record, None: it is not kept."""
    names = ", ".join(f"{name} (you)" if seat == sitting.seat else name for seat, name in enumerate(sitting.names))
    print(filled(f"{sitting.env.game.title}: {names}; seed {sitting.seed}."), filled(COMMANDS), sep="\n\n")
    try:
        _play(sitting, delay if sys.stdin.isatty() else 0)
    except EOFError:
        print("\nGame abandoned. Goodbye!")
    finally:
        if save is not None:
            sitting.save(save)


def _play(sitting: Sitting, delay: float) -> None:
    env, table_is_new = sitting.env, True
    while sitting.view["phase"] != "over":
        agent, before = env.agent_selection, sitting.view
        if agent == sitting.me and table_is_new:
            sitting.show()
        env.step(ask(sitting) if agent == sitting.me else sitting.act_for_agent())
        table_is_new = told = tell(env, before, sitting.seat, sitting.texts, sitting.names)
        if wording.is_settled(env.game.name, before, sitting.view):
            sitting.show()
            table_is_new = False
            over = sitting.view["phase"] == "over" or not sys.stdin.isatty()
            if not over and input("Press Enter to continue ").strip().lower() == "quit":
                raise EOFError
        elif told and agent != sitting.me:
            time.sleep(delay)
    print(f"\n{result(sitting.view, sitting.names)}")


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
            if command.lower() in ("help", "?") and rest:
                print(f"{explain(sitting, rest, choices)}\n")
            elif command.lower() in ("help", "?"):
                print("\n".join(["", *map(filled, sitting.texts["help"]), "", filled(COMMANDS)]))
            elif text.lower() == "hint":
                print(hint(sitting, choices))
            elif text.lower() == "table":
                sitting.show()
            else:
                return find(text, choices, sitting)
        except ValueError as error:
            print(filled(str(error)))
            continue
        show_choices(sitting, choices)


def show_choices(sitting: Sitting, choices: Mapping[int, str]) -> None:
    """Print what is to be done, and the numbered choices in as many columns as fit."""
    phase = sitting.view["phase"]
    print(filled(sitting.texts["phases"].get(phase, f"Your turn: {phase.replace('_', ' ')}.")))
    cells = [f"{number:3} {words}" for number, words in enumerate(choices.values(), 1)]
    width = max(map(len, cells)) + 2
    lines = -(-len(cells) // max(1, (columns() - 1) // width))
    for line in range(lines):
        row = "".join(f"{cell:{width}}" for cell in cells[line::lines]).rstrip()
        print(filled(row, "    ") if len(row) > columns() else row)


def explain(sitting: Sitting, text: str, choices: Mapping[int, str]) -> str:
    """What the actions meant by ``text`` do, and why they are not legal now if so."""
    words, lines = sitting.env.game.words.actions, []
    every = {action: words.name(action) for action in range(len(words))}
    meant = matching(text, choices) or matching(text, every) or [named(text, choices, sitting)]
    if len(meant) > 1 and meant[0] not in choices:  # rather than what would be wrong with a card of others
        said = dict.fromkeys(filter(None, (wording.explanation(sitting.texts, words[action]) for action in meant)))
        return filled(f"{'; '.join([*said][:3]) or text}. None of the {len(meant)} choices like this is allowed now.")
    for action in meant if meant[0] in choices else meant[:1]:
        told = wording.explanation(sitting.texts, words[action])
        name = choices.get(action) or words.name(action)
        can = f"{name} is allowed now." if action in choices else f"Not now: {wording.why_not(sitting.env, action)}"
        lines.append(filled(f"{name}: {told}. {can}" if told else can))
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
    action = named(text, choices, sitting)
    if action in choices:
        return action
    raise ValueError(wording.why_not(sitting.env, action))


def named(text: str, choices: Mapping[int, str], sitting: Sitting) -> int:
    """The action of this name; the `ValueError` for an unknown one names what can be done now."""
    try:
        return sitting.env.parse_action(text)
    except ValueError:
        near = difflib.get_close_matches(text, choices.values(), n=3, cutoff=0.5) or list(choices.values())[:3]
        told = " or ".join(map(repr, near))
        raise ValueError(f"No choice is called {text!r}. Type a number, or words such as {told}; or `help`.") from None


def hint(sitting: Sitting, choices: Mapping[int, str]) -> str:
    """What the advising agents would do, and what may come of the most promising actions."""
    if len(choices) == 1:
        return "There is only one choice."
    print("Thinking ...", flush=True)
    outlooks, words = sitting.hint(), sitting.env.game.words
    lines = [f"{listed(each.chosen_by)} would choose: {choices[each.action]}." for each in outlooks if each.chosen_by]
    width = max(len(choices[each.action]) for each in outlooks)
    told = sitting.texts["sentences"].get("outlook", "{score} {unit}") if sitting.env.game.rules.score else ""
    lines.append(f"  {'':{width}}  wins the game" + f"{'':9}  in this {words.round_key}" * bool(told))
    for each in outlooks:
        values = {"setback": percent(each.setback, 0), "score": f"{each.score:+.1f}"}
        in_round, (low, high) = told.format(**values, unit=sitting.env.game.score_reward), each.interval
        win = f"{percent(each.win, 0)} ({percent(low, 0)} .. {percent(high, 0)})"
        lines.append(f"  {choices[each.action]:{width}}  {win:22}  {in_round}".rstrip())
    if len(level := [choices[each.action] for each in outlooks if each.level]) > 1:
        lines.append(f"Level, as far as this can tell: {listed(level)}.")
    lines.append(f"(estimated from {outlooks[0].samples} samples of what you cannot see, with 95 % intervals)")
    return "\n".join(filled(line) if len(line) > columns() else line for line in lines)
