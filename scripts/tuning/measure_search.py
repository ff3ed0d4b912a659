"""Measure strength and speed of search by budget, against copies of bots and relative to an oracle.

    python scripts/tuning/measure_search.py                     everything; hours on two cores
    python scripts/tuning/measure_search.py --games 400 --agents ismcts:1000 --opponents counter --players 4
    python scripts/tuning/measure_search.py --speed             only simulated actions per second

In each game the agent has a random seat, and copies of the opponent have all others; agents with larger budgets play
only the first of these games. The normalised score is 0 % for `random` and 100 % for the perfect-information oracle
(`scripts/tuning/oracle.py`). Every finished cell is saved in the --output file and not played again.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from oracle import oracle_against_copies
from tqdm import tqdm

from blackjacky_agents import CompiledAgent
from blackjacky_agents.arena.cluster import ClusterError, ClusterExecutor, joined
from blackjacky_agents.arena.evaluation import Score, against_copies
from blackjacky_agents.arena.standings import normalised_score
from blackjacky_agents.files import write_file
from blackjacky_agents.games import agent_names, bot_names, get_kit
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import markdown_table, processor, write_part
from blackjacky_agents.search.searchers import tree_parameters
from blackjacky_agents.search.tree import ACTIONS, make_grow, make_new_tree
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.engine.compiling import entry
from blackjacky_env.engine.layout import Vector
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT, get_game

ORACLE = "oracle"
BUDGETS = ("rollout:256", *(f"ismcts:{n}" for n in (50, 200, 1000, 10_000)))
AGENTS = Path(__file__).parents[2] / "agents"


@dataclass(frozen=True)
class Args:
    """Measure the strength and speed of search."""

    game: str = DEFAULT
    """Name of the game."""
    agents: tuple[str, ...] = ()
    """Agents to measure; by default the game's strongest bot, its trained agents and searches of several budgets."""
    opponents: tuple[str, ...] = ()
    """Opponents, whose copies take the other seats; by default the game's weakest bot except `random` and its best."""
    players: tuple[int, ...] = ()
    """Table sizes; by default the game's usual one and its smallest."""
    games: int = 2000
    """Maximum number of games per cell."""
    speed_seconds: float = 3.0
    """Seconds for which simulated actions are counted."""
    simulations: int = 2_000_000
    """Maximum product of games and simulations per decision of a search in a cell."""
    oracle_playouts: int = 32
    """Playouts per action of the oracle."""
    oracle_games: int = 200
    """Number of games of the oracle."""
    seed: int = 0
    """Random seed: game i of every cell has seed SEED + i."""
    threads: int = 2
    """CPU threads; results do not depend on it."""
    cluster: str | None = None
    """Play on a Ray cluster: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`; results do not depend on it."""
    speed: bool = False
    """Measure only the speed of search."""
    output: Path | None = None
    """File of the results (JSON); by default runs/search-GAME.json."""
    write: bool = False
    """Write the tables into docs/results.md and the picture agents/search.svg."""


def main(args: Args) -> int:
    """Measure and print; returns the exit status."""
    try:
        check_integer("--games", args.games, 1, 2**31)
        check_integer("--simulations", args.simulations, 1, 2**50)
        check_integer("--oracle-playouts", args.oracle_playouts, 1, 2**20)
        check_integer("--oracle-games", args.oracle_games, 1, 2**31)
        args = with_defaults(args)
        names = (*args.agents, *args.opponents, "random")
        compiled_agents = {name: make_compiled_agent(name, args.game) for name in names}
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not args.speed:
        try:
            with joined(args.cluster, args.threads) as cluster:
                cells = play(args, compiled_agents, cluster)
        except ClusterError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        print(tables(cells, args), end="\n\n")
    actions = actions_per_second(args.game, args.speed_seconds)
    speed = f"{actions:,.0f} simulated actions per second on one core of {processor()}."
    print(speed)
    if args.write and not args.speed:
        write_page(cells, args, speed)
    return 0


def write_page(cells: dict[str, Any], args: Args, speed: str) -> None:
    """Write the tables with command and speed, and the picture."""
    command = f"python scripts/tuning/measure_search.py {shlex.join(sys.argv[1:])}".rstrip()
    page = AGENTS.parent / "docs" / "results.md"
    part = f"{tables(cells, args)}\n\n`{command}`; {speed}"
    write_part(page, "search", part)
    draw(cells, args, AGENTS / "search.svg")


def draw(cells: dict[str, Any], args: Args, path: Path) -> None:
    """Plot win rates of `ismcts`, with their intervals, by simulations per decision."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "blackjacky"  # makes the SVG reproducible
    budgets = sorted(int(name.partition(":")[2]) for name in args.agents if name.startswith("ismcts:"))
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    for axes, players in zip(figure.subplots(1, len(args.players), squeeze=False)[0], args.players, strict=True):
        for opponent in args.opponents:
            scores = [Score(**cells[cell(args, f"ismcts:{n}", players, opponent)]) for n in budgets]
            rates = [score.win_rate for score in scores]
            axes.fill_between(budgets, [score.low for score in scores], [score.high for score in scores], alpha=0.2)
            axes.plot(budgets, rates, marker="o", label=f"against {players - 1} {opponent}")
        axes.axhline(1 / players, color="grey", linestyle=":", label="par")
        axes.set(
            xscale="log", xlabel="simulations per decision", ylabel="win rate", ylim=(0, 1), title=f"{players} players"
        )
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def with_defaults(args: Args) -> Args:
    """The arguments, with empty ones replaced by the game's defaults."""
    bots, game = bot_names(args.game), get_game(args.game)
    usual = game.choose_table()[0]
    return replace(
        args,
        agents=args.agents or (*agent_names(args.game)[len(bots) - 1 :], *BUDGETS),
        opponents=args.opponents or tuple(dict.fromkeys((bots[min(1, len(bots) - 1)], bots[-1]))),
        players=args.players or tuple(dict.fromkeys((usual, game.variants[0].min_players))),
        output=args.output or Path(f"runs/search-{args.game}.json"),
    )


def play(args: Args, agents: dict[str, CompiledAgent], cluster: ClusterExecutor | None = None) -> dict[str, Any]:
    """All cells by name, read from the file or played."""
    output = args.output
    assert output is not None  # set by `with_defaults`
    kept: dict[str, Any] = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {}
    names = ("random", ORACLE, *args.agents)
    for name in tqdm([cell(args, *place) for place in places(names, args)], unit=" cells"):
        if name not in kept:
            who, players, opponent = name.split(" | ")[:3]
            kept[name] = asdict(measure(who, int(players), agents[opponent], agents, args, cluster))
            output.parent.mkdir(parents=True, exist_ok=True)
            write_file(output, json.dumps(kept, indent=1) + "\n")
    return kept


def places(names: tuple[str, ...], args: Args) -> list[tuple[str, int, str]]:
    """(agent, players, opponent) of every cell."""
    unlike = dict.fromkeys(names)
    return [(name, n, opponent) for n in args.players for opponent in args.opponents for name in unlike]


def cell(args: Args, agent: str, players: int, opponent: str) -> str:
    """The key of a cell in the file."""
    playouts = f" | {args.oracle_playouts} play-outs" if agent == ORACLE else ""
    return f"{agent} | {players} | {opponent} | {games_of(agent, args)} games from seed {args.seed}{playouts}"


def games_of(agent: str, args: Args) -> int:
    """The number of games an agent plays in each cell."""
    if agent == ORACLE:
        return args.oracle_games
    budget = agent.partition(":")[2]
    return min(args.games, max(1, args.simulations // int(budget))) if budget.isdecimal() else args.games


def measure(
    who: str,
    players: int,
    opponent: CompiledAgent,
    agents: dict[str, CompiledAgent],
    args: Args,
    cluster: ClusterExecutor | None,
) -> Score:
    """The score of an agent, or of the oracle, against copies of an opponent."""
    if who == ORACLE:
        return oracle_against_copies(
            opponent, players, args.oracle_games, args.seed, args.oracle_playouts, args.threads, cluster
        )
    games, options = games_of(who, args), {"threads": args.threads, "game": args.game, "cluster": cluster}
    (score,) = against_copies(agents[who], [opponent], players, games, args.seed, **options)
    return score


def tables(cells: dict[str, Any], args: Args) -> str:
    """A Markdown table for each table size."""
    return "\n\n".join(table(cells, players, args) for players in args.players)


def table(cells: dict[str, Any], players: int, args: Args) -> str:
    """Win rates with their 95 % intervals and normalised scores."""
    heading = ["agent", "games", *(f"against `{name}`, normalised" for name in args.opponents)]
    rows = [
        [
            name if name == ORACLE else f"`{name}`",
            f"{games_of(name, args):,}",
            *(entry_of(cells, name, players, opponent, args) for opponent in args.opponents),
        ]
        for name in dict.fromkeys(("random", *args.agents, ORACLE))
    ]
    return f"**{players} players**, par {100 / players:.1f} %:\n\n{markdown_table(heading, rows)}"


def entry_of(cells: dict[str, Any], name: str, players: int, opponent: str, args: Args) -> str:
    """A win rate with interval and normalised score, as text."""
    score, random, oracle = (Score(**cells[cell(args, who, players, opponent)]) for who in (name, "random", ORACLE))
    share = normalised_score(score.win_rate, random.win_rate, oracle.win_rate)
    return f"**{100 * score.win_rate:.1f} %** ({100 * score.low:.1f} .. {100 * score.high:.1f}), {100 * share:.0f} %"


# ---------------------------------------------------------------- speed


def actions_per_second(name: str, seconds: float) -> float:
    """Simulated actions per second of one core, in searches of 1,000 simulations at first moves of the usual table."""
    game, config = get_game(name), get_kit(name).search
    new_tree, grow = make_new_tree(game), make_grow(game, config)

    def search(observations, key, parameters):  # type: ignore[no-untyped-def]  # compiled
        actions = 0
        for i in range(len(observations)):
            tree = new_tree(1001)
            grow(tree, observations[i], key + np.uint64(i), parameters, 1000)
            actions += tree.size[ACTIONS]
        return actions

    search = entry(search)
    observations, parameters = first_moves(name, 32), tree_parameters(1000, config)
    search(observations, np.uint64(0), parameters)
    actions, start, key = 0, time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        key += 1
        actions += search(observations, np.uint64(1000 * key), parameters)
    return float(actions / (time.perf_counter() - start))


def first_moves(game: str, count: int) -> Vector:
    """Observations of the first player to act in each game, (count, K)."""
    env, seen = TableEnv(game), []
    for seed in range(count):
        env.reset(seed=seed)
        seen.append(env.last()[0]["observation"])
    return np.array(seen)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
