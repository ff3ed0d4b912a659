"""Find instructive positions: decisions at which the best bot or the champion errs, by long playouts.

    python scripts/documents/find_positions.py                  # all games; minutes each
    python scripts/documents/find_positions.py --again          # the same positions, with the present agents
    python scripts/documents/generate.py                        # the page, docs/positions.md

Champions and a bot play. At a fraction of the decisions the actions of bot and champion, and what else the champion
thinks plausible, are played out from the same sampled positions. Where one is clearly better than what bot or champion
would do, they are played out again, longer, and the costliest of each kind are kept in
agents/results/GAME/positions.json.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any

import numpy as np
import tyro
from parts import RESULTS, ROOMS
from tqdm import tqdm

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.files import write_json
from blackjacky_agents.games import bot_names, get_kit
from blackjacky_agents.learning.network import action_probabilities
from blackjacky_agents.registry import make_agent, make_compiled_agent
from blackjacky_agents.reports import ready_for_json, typed, where
from blackjacky_agents.search.guided import compare_actions
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.replay import new_table

MAX_ACTIONS = 5  # compared with each other
_CLEAR = 1.5  # half widths of the interval that a cost must exceed at first look


@dataclass(frozen=True)
class Args:
    """Find instructive positions: decisions at which the best bot or the champion errs."""

    games: tuple[str, ...] = tuple(ROOMS)
    """Games by name."""
    looks: int = 1500
    """Number of decisions to look at."""
    fraction: float = 0.1
    """Fraction of the decisions with a choice that are looked at, so that they come from many games."""
    positions: int = 400
    """Sampled positions of a first look."""
    more_positions: int = 20_000
    """Sampled positions of the last look."""
    kept: int = 20
    """Number of positions to keep."""
    seed: int = 0
    """Seed of the games."""
    again: bool = False
    """Keep the positions found before, and ask bot, champion and search in them again."""


@dataclass(frozen=True)
class Found:
    """A decision, and what its actions are worth."""

    record: dict[str, Any]
    """The game up to the decision, as `TableEnv.record`."""
    actions: list[int]
    """The best action first."""
    costs: list[dict[str, float]]
    """The cost of each in wins, compared with the first, with the 95 % interval."""
    chosen: dict[str, int]
    """The actions of bot, champion and search."""

    def cost(self, name: str) -> float:
        """The cost of an agent's action."""
        return self.costs[self.actions.index(self.chosen[name])]["mean"]


class Finder:
    """Looks for positions of one game."""

    def __init__(self, game: str, args: Args) -> None:
        self.game, self.args = game, args
        self.bot, self.champion = bot_names(game)[-1], list(get_kit(game).trained)[-1]
        self.agents = {name: make_compiled_agent(name, game) for name in (self.bot, self.champion)}

    @property
    def network(self) -> CompiledAgent:
        """The agent that plays positions out."""
        return self.agents[self.champion]

    def look(self) -> Iterator[tuple[float, TableEnv, list[int]]]:
        """Cost, table and actions of all decisions that seem instructive."""
        rng, bar = np.random.default_rng(self.args.seed), tqdm(total=self.args.looks, desc=self.game, unit=" looks")
        for number in count():
            env = TableEnv(self.game)
            env.reset(seed=self.args.seed + number)
            bots = env.possible_agents[number % env.num_players]
            while not all(env.terminations.values()):
                seen = env.observe(env.agent_selection)
                chosen = {name: int(agent.act(seen)) for name, agent in self.agents.items()}
                if rng.random() < self.args.fraction and (actions := self.worth_trying(seen, chosen)):
                    bar.update()
                    cost = self.first_look(seen, actions, chosen)
                    if cost > 0:
                        yield cost, copy.deepcopy(env), actions
                    if bar.n >= self.args.looks:
                        return
                env.step(chosen[self.bot if env.agent_selection == bots else self.champion])

    def worth_trying(self, seen: dict[str, Any], chosen: dict[str, int]) -> list[int]:
        """The actions to compare; none if there is no choice."""
        chances = action_probabilities(self.network, seen["observation"][None], seen["action_mask"][None])[0]
        likely = [int(action) for action in np.argsort(-chances) if chances[action] > 0.005]
        actions = list(dict.fromkeys([*chosen.values(), *likely]))[:MAX_ACTIONS]
        return actions if len(actions) > 1 else []

    def first_look(self, seen: dict[str, Any], actions: list[int], chosen: dict[str, int]) -> float:
        """What bot or champion seem to lose; 0 if that is not clear."""
        found = compare_actions(self.network, seen["observation"], actions, self.args.positions)
        best = max(found, key=lambda each: each.mean)
        costs = []
        for action in set(chosen.values()):
            own = found[actions.index(action)]
            cost, half = best.mean - own.mean, float(np.hypot(best.high - best.mean, own.high - own.mean))
            costs.append(cost if cost > _CLEAR * half else 0.0)
        return max(costs)

    def judge(self, env: TableEnv, actions: list[int]) -> Found:
        """The same decision again, with more positions, and with the search."""
        seen = env.observe(env.agent_selection)
        chosen = {name: first_choice(name, self.game, seen) for name in (*self.agents, "search:400")}
        actions = list(dict.fromkeys([*actions, *chosen.values()]))
        positions = (self.args.more_positions, self.args.seed + 1)
        first = compare_actions(self.network, seen["observation"], actions, *positions)
        best = actions[int(np.argmax([each.mean for each in first]))]
        order = [best, *(action for action in actions if action != best)]
        found = compare_actions(self.network, seen["observation"], order, *positions)  # intervals against the best
        costs = [{"mean": -each.mean, "low": -each.high, "high": -each.low} for each in found]
        by_cost = sorted(range(len(order)), key=lambda i: costs[i]["mean"])
        return Found(env.record(), [order[i] for i in by_cost], [costs[i] for i in by_cost], chosen)

    def highest_cost(self, each: Found) -> float:
        """What the worse of bot and champion loses."""
        return max(each.cost(self.bot), each.cost(self.champion))

    def find(self) -> list[Found]:
        """The most instructive positions: the costliest, but not too many of a kind while there are others."""
        seemed = sorted(self.look(), key=lambda each: -each[0])[: 3 * self.args.kept]
        judged = [self.judge(env, actions) for _, env, actions in tqdm(seemed, desc="again")]
        clear = [each for each in judged if self.highest_cost(each) > 0.005]
        kinds: Counter[tuple[str, str]] = Counter()
        first, others, most = [], [], max(2, self.args.kept // 5)
        infos = TableEnv(self.game).game.words.actions
        for each in sorted(clear, key=self.highest_cost, reverse=True):
            wrong = self.bot if each.cost(self.bot) > each.cost(self.champion) else self.champion
            kind = (infos[each.actions[0]].kind, infos[each.chosen[wrong]].kind)
            kinds[kind] += 1
            (first if kinds[kind] <= most else others).append(each)
        return sorted([*first, *others][: self.args.kept], key=self.highest_cost, reverse=True)

    def ask_again(self) -> list[Found]:
        """The positions found before, with what the agents do now."""
        judged = []
        for each in tqdm(json.loads((RESULTS / self.game / "positions.json").read_text("utf-8"))["positions"]):
            env = new_table(each["record"])
            env.replay(each["record"])
            judged.append(self.judge(env, each["actions"]))
        return sorted(judged, key=self.highest_cost, reverse=True)


def first_choice(name: str, game: str, seen: dict[str, Any]) -> int:
    """What an agent does whose random numbers begin here, so that it can be asked again."""
    agent = make_agent(name, game)
    agent.reset(0)
    return int(agent.act(seen))


def main(args: Args) -> None:
    """Find positions of every game, and write them."""
    for game in args.games:
        finder = Finder(game, args)
        result = {
            "command": typed("scripts/documents/find_positions.py"),
            "machine": where(),
            "bot": finder.bot,
            "champion": finder.champion,
            "samples": args.more_positions,
            "positions": [asdict(each) for each in (finder.ask_again() if args.again else finder.find())],
        }
        write_json(RESULTS / game / "positions.json", ready_for_json(result))


if __name__ == "__main__":
    main(tyro.cli(Args))
