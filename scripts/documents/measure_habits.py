"""Correct the costliest habits of a bot, and play it in the whole game against copies of the uncorrected one.

    python scripts/documents/measure_habits.py                        # every habit and margin
    python scripts/documents/measure_habits.py --deals 20000
    python scripts/documents/generate.py                               # the table of docs/exact.md

Which habits cost most at small tables is in agents/results/GAME/exact.json (measure_exact.py). A corrected bot takes
the better action instead, wherever its own estimate of the two differs by no more than a margin. Each deal is played
once with it in every seat, and as often with the uncorrected bot there, with which it is compared.
agents/results/GAME/habits.json holds the results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tyro
from duels import play_deals
from measure_exact import RUNS
from parts import RESULTS

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.intervals import Z
from blackjacky_agents.files import only_writer, write_json
from blackjacky_agents.games import get_kit
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import ready_for_json, typed, where
from blackjacky_env.engine.compiling import compiled, scratch
from blackjacky_env.games import DEFAULT, get_game

GAME, BOT = DEFAULT, "counter"


class Habit(NamedTuple):
    """Doing one thing where another one is better, by the first words of the names of actions."""

    does: str
    better: str
    last_word: str = ""
    """Of the better action."""


HABITS = (
    Habit("knock", "draw"),
    Habit("lay 3", "no trick"),
    Habit("no trick", "lay 4"),
    Habit("draw", "swap", "discard pile"),
)
"""The two costliest of `BOT` at `mini-5`, and the two at `mini-4`."""
MARGINS = (0.005, 0.02, 2.0)
"""Differences between two estimated chances of losing a heart; 2: always."""


@dataclass(frozen=True)
class Args:
    """Correct the costliest habits of a bot, and play it in the whole game against copies of the uncorrected one."""

    deals: int = 5000
    """Deals for each corrected bot; each is played once with it in every seat."""
    players: int = 4
    """Table size."""
    seed: int = 0
    """Seed of the first deal."""
    threads: int = 2
    """CPU threads."""


def main(args: Args) -> None:
    """Measure every habit with every margin, and write the results."""
    bot, rows = make_compiled_agent(BOT, GAME), []
    table = (args.players, args.deals, args.seed, args.threads)
    with only_writer(RUNS / "habits"):
        usual, _ = play_deals(bot, bot, *table)
        for habit in HABITS:
            for margin in MARGINS:
                own, _ = play_deals(corrected(bot, habit, margin), bot, *table)
                won = compared(own, usual)
                print(f"{habit.better} rather than {habit.does}, margin {margin}: {won}", flush=True)
                rows.append({**habit._asdict(), "margin": margin, **won})
    facts = {
        "command": typed("scripts/documents/measure_habits.py"),
        "machine": where(),
        "bot": BOT,
        "wins": float(usual.mean()),
        **asdict(args),
        "rows": rows,
    }
    write_json(RESULTS / GAME / "habits.json", ready_for_json(facts))


def corrected(bot: CompiledAgent, habit: Habit, margin: float) -> CompiledAgent:
    """The bot without a habit."""
    names = [get_game(GAME).words.actions.name(action) for action in range(get_game(GAME).num_actions)]
    does = [float(name.startswith(habit.does)) for name in names]
    better = [float(name.startswith(habit.better) and name.endswith(habit.last_word)) for name in names]
    assert any(does)
    assert any(better)
    parameters = np.concatenate([bot.parameters, does, better, [margin]]).astype(np.float32)
    return CompiledAgent(f"{BOT}, corrected", GAME, make_choose(len(bot.parameters), len(names)), parameters)


def make_choose(size: int, actions: int) -> Callable[..., int]:
    """The compiled policy of a bot with so many parameters, after which come those of the correction."""
    estimate = import_module(get_kit(GAME).bots[BOT][0].__module__).estimate

    def choose(observation: Any, mask: Any, random_state: Any, parameters: npt.NDArray[np.float32]) -> Any:
        values = scratch(actions, np.float32)
        estimate(observation, mask, values, parameters[:size])
        own = np.argmin(values)
        if parameters[size + own] == 0.0:
            return own
        choice, lowest = own, values[own] + parameters[size + 2 * actions]
        for action in range(actions):
            if mask[action] and parameters[size + actions + action] > 0.0 and values[action] <= lowest:
                choice, lowest = action, values[action]
        return choice

    return compiled(choose)


def compared(own: npt.NDArray[np.float64], usual: npt.NDArray[np.float64]) -> dict[str, float]:
    """The win rate, and by how much it differs from that of the bot itself on the same deals, with 95 % intervals."""
    gains = own - usual
    mean, error = float(gains.mean()), Z * float(gains.std(ddof=1)) / len(gains) ** 0.5
    return {"wins": float(own.mean()), "gain": mean, "low": mean - error, "high": mean + error}


if __name__ == "__main__":
    main(tyro.cli(Args))
