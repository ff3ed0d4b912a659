"""Measure search guided by the champion: its strength by budget, and what each of its ingredients gives.

    python scripts/documents/measure_search.py                        # all games; an hour each
    python scripts/documents/measure_search.py --budgets 400 --deals 2000
    python scripts/documents/measure_search.py --only "search:100 as a tree search"
    python scripts/documents/generate.py                              # the tables of the documents

Every agent has one seat against copies of the game's strongest bot, or of the champion; each deal is played once with
it in every seat. agents/results/GAME/guided.json holds the results, to which every call adds its own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
import tyro
from duels import play_deals
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator, PercentFormatter
from parts import DOCS, RESULTS, ROOMS, ROOT

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.intervals import Estimate, of_deals
from blackjacky_agents.files import only_writer, write_file, write_json
from blackjacky_agents.games import bot_names, get_kit
from blackjacky_agents.learning.curves import COLOURS, as_svg
from blackjacky_agents.learning.network import find_network, network_policy
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import duration, ready_for_json, typed, where
from blackjacky_agents.search.config import PLAUSIBLE, SearchConfig
from blackjacky_agents.search.guided import guided_parameters, guided_policy
from blackjacky_agents.search.searchers import tree_parameters
from blackjacky_agents.search.tree import tree_policy
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game

Change = Callable[[SearchConfig], SearchConfig]

CHANGES: dict[str, Change] = {
    "without the prior": lambda config: config._replace(scale=0.0, spread=1e3),
    "without weighting positions": lambda config: config._replace(likelihood=None),
    "without the network in playouts": lambda config: config._replace(network_plays=False),
    "played to the end of the game": lambda config: config._replace(value=None, stage=None),
}
"""The search without one of its ingredients."""
TREE = "as a tree search"
"""`ismcts` with the network in place of its bots, at the same budget."""


@dataclass(frozen=True)
class Args:
    """Measure search guided by the champion: its strength by budget, and what each of its ingredients gives."""

    games: tuple[str, ...] = tuple(ROOMS)
    """Games by name."""
    budgets: tuple[int, ...] = (25, 100, 400)
    """Simulations per decision."""
    ablated: int = 100
    """The budget at which ingredients are left out; 0: none is."""
    only: tuple[str, ...] = ()
    """Agents, as the tables call them; by default all."""
    opponents: tuple[str, ...] = ()
    """Opponents by name; by default the strongest bot and the champion."""
    players: int | None = None
    """Table size; by default the game's usual one."""
    deals: int = 500
    """Deals, each played once in every seat."""
    seed: int = 0
    """Seed of the deals."""
    threads: int = 2
    """CPU threads."""


def main(args: Args) -> None:
    """Measure every agent against every opponent, and write the results."""
    for game in args.games:
        with only_writer(ROOT / "runs" / "measure_search" / game):
            path = RESULTS / game / "guided.json"
            rows = json.loads(path.read_text("utf-8"))["rows"] if path.exists() else []
            champion = list(get_kit(game).trained)[-1]
            agents = agents_of(game, champion, args)
            if unknown := set(args.only) - {agent.name for agent in agents}:
                raise SystemExit(f"--only: no agent {sorted(unknown)}; allowed are {[agent.name for agent in agents]}")
            for agent in [agent for agent in agents if not args.only or agent.name in args.only]:
                for opponent in args.opponents or (bot_names(game)[-1], champion):
                    row = measure(game, agent, opponent, args)
                    rows = [other for other in rows if key(other) != key(row)] + [row]
                    command = typed("scripts/documents/measure_search.py")
                    write_json(path, ready_for_json({"command": command, "machine": where(), "rows": rows}))
    write_file(DOCS / "learning" / "search.svg", picture())


def agents_of(game: str, champion: str, args: Args) -> list[CompiledAgent]:
    """The network, the search by budget, and without its ingredients."""
    network, encoding = find_network(make_compiled_agent(champion, game))
    config, rules = get_kit(game).search, get_game(game)
    found = [network, *(make_compiled_agent(f"search:{budget}", game) for budget in args.budgets)]
    if not args.ablated:
        return found
    changes, least = dict(CHANGES), 0.0 if config.least else PLAUSIBLE
    changes[f"{'with' if config.least else 'without'} improbable actions"] = lambda config: config._replace(least=least)
    if learned := get_kit(game).value_network:
        plain = get_kit(game).whole_rounds._replace(value=learned.formula)
        changes["without the value network"] = lambda config: plain
    for name, change in changes.items():
        if (changed := change(config)) == config:  # the game does not have it
            continue
        parameters = guided_parameters(args.ablated, changed, network)
        policy = guided_policy(rules, changed, encoding)
        found.append(CompiledAgent(f"search:{args.ablated} {name}", game, policy, parameters))
    sampling = network.parameters.copy()
    sampling[0] = 0
    policy = network_policy(encoding)
    tree = config._replace(playout_policy=policy, playout_parameters=tuple(sampling.tolist()), prior_policy=policy)
    parameters = tree_parameters(args.ablated, tree)
    return [*found, CompiledAgent(f"search:{args.ablated} {TREE}", game, tree_policy(rules, tree), parameters)]


def measure(game: str, agent: CompiledAgent, opponent: str, args: Args) -> dict[str, object]:
    """The win rate of an agent against copies of an opponent."""
    players, _ = get_game(game).choose_table(args.players)
    other = make_compiled_agent(opponent, game)
    own, seconds = play_deals(agent, other, players, args.deals, args.seed, args.threads)
    mean = float(own.mean())
    low, high = of_deals(mean, own / args.deals, np.zeros(args.deals, np.int64), args.deals * players)
    print(
        f"{game}: {agent.name} against {players - 1} {opponent}: {mean:.1%} ({low:.1%} .. {high:.1%}), "
        f"{duration(seconds)}",
        flush=True,
    )
    return {
        "agent": agent.name,
        "opponent": opponent,
        "players": players,
        "deals": args.deals,
        "seed": args.seed,
        "seconds": seconds,
        "decision_seconds": decision_seconds(agent, players),
        **asdict(Estimate(mean, low, high)),
    }


def decision_seconds(agent: CompiledAgent, players: int) -> float:
    """Mean CPU seconds of an agent's decision where it has a choice, in two games that the game's champion plays."""
    champion, seen = make_compiled_agent(list(get_kit(agent.game).trained)[-1], agent.game), []
    for seed in range(2):
        env = TableEnv(agent.game, num_players=players)
        env.reset(seed=seed)
        while not all(env.terminations.values()):
            now = env.observe(env.agent_selection)
            if now["action_mask"].sum() > 1:
                seen.append(now)
            env.step(champion.act(now))
    agent.act(seen[0])  # compiled
    started = time.process_time()
    for now in seen:
        agent.act(now)
    return (time.process_time() - started) / len(seen)


def picture() -> str:
    """Win rates against the strongest bot of each game, by simulations that the champion guides."""
    figure = Figure(figsize=(10, 5.6), dpi=160, layout="constrained")
    axes, budgets = figure.subplots(), set()
    for game, colour in zip(ROOMS, COLOURS, strict=False):
        bot, players = bot_names(game)[-1], get_game(game).default_players
        if found := by_budget(game, bot, players):
            budget, mean, low, high = np.array(found).T
            budgets |= set(budget.tolist())
            label = f"{get_game(game).title}, against {players - 1} {bot}"
            errors = np.array([mean - low, high - mean])
            axes.errorbar(budget, mean, errors, color=colour, linewidth=2.5, marker="o", capsize=4, label=label)
    for players in {get_game(game).default_players for game in ROOMS}:
        axes.axhline(1 / players, color="#666666", linestyle=(0, (4, 3)), label=f"par of {players}")
    axes.set_xscale("symlog", base=2, linthresh=8)
    axes.set_xlim(left=-1)
    axes.set_xticks(sorted(budgets), [f"{budget:.0f}" for budget in sorted(budgets)])
    axes.yaxis.set_major_locator(MultipleLocator(0.05))
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_xlabel("simulations per decision; 0: the champion alone", fontsize=14)
    axes.set_ylabel("win rate", fontsize=14)
    axes.tick_params(labelsize=13)
    axes.grid(alpha=0.25)
    figure.legend(loc="outside upper center", ncols=2, fontsize=13)
    return as_svg(figure, "search")


def by_budget(game: str, bot: str, players: int) -> list[tuple[int, float, float, float]]:
    """Simulations, win rate and its interval against copies of a bot, of the champion and the search it guides."""
    path, champion = RESULTS / game / "guided.json", list(get_kit(game).trained)[-1]
    rows = json.loads(path.read_text("utf-8"))["rows"] if path.exists() else []
    found = []
    for row in rows:
        budget = "0" if row["agent"] == champion else row["agent"].removeprefix("search:")
        if budget.isdigit() and (row["opponent"], row["players"]) == (bot, players):
            found.append((int(budget), row["mean"], row["low"], row["high"]))
    return sorted(found)


def key(row: dict[str, object]) -> tuple[object, ...]:
    """The identity of a measurement."""
    return row["agent"], row["opponent"], row["players"]


if __name__ == "__main__":
    main(tyro.cli(Args))
