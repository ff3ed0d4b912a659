"""Play every bot against copies of every other one, at tables of 2 to 6, and write the tables of agents/README.md.

    python scripts/ladder.py              play what is missing in agents/ladder.json, then write the README
    python scripts/ladder.py --timing     only measure again how fast the bots decide
    python scripts/ladder.py --check      only say whether the README shows what agents/ladder.json holds

Everything is kept in agents/ladder.json while it is played; start it again after a stop and it goes on from there.
If a bot, the rules, the seed or the number of games have changed since, it begins anew.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from machine import processor
from make_tables import markdown
from parts import with_part, write
from tqdm import tqdm

from blackjacky_agents import CompiledAgent, agent_names, make_agent
from blackjacky_agents.evaluation import against_copies, interval
from blackjacky_env import black_jacky_v0
from blackjacky_env.engine.compiling import fingerprint, zeros
from blackjacky_env.engine.play import play_out
from blackjacky_env.games import get_game

GAME = "black_jacky"
PLAYERS = range(2, 7)
CHUNK = 1000  # games between two writes
TIMED_PLAYERS, TIMED_DECISIONS = 4, 4000
AGENTS = Path(__file__).parents[1] / "agents"

Results = dict[str, Any]
Row = dict[str, Any]


@dataclass(frozen=True)
class Args:
    """Play every bot against copies of every other one and write the tables of agents/README.md."""

    games: int = 100_000
    """Games of each cell."""
    seed: int = 0
    """Game i of every cell has seed SEED + i."""
    threads: int = 2
    """CPU threads; they change nothing in the results."""
    timing: bool = False
    """Play nothing; measure how fast the bots decide."""
    check: bool = False
    """Play and write nothing; fail if the README is not made from the results."""
    readme: Path = AGENTS / "README.md"
    """Where the tables are written."""
    results: Path = AGENTS / "ladder.json"
    """Where results are kept."""


def main(args: Args) -> None:
    """Measure, play what is missing, write."""
    if args.check:
        check(args)
        return
    results = begin(args)
    if args.timing or not results["timing"]:
        results["timing"] = timing()
        write(args.results, json.dumps(results, indent=1) + "\n")
    if not args.timing:
        play(results, args)
    text = with_results(args.readme.read_text(encoding="utf-8"), results)
    write(args.readme, text)
    print(speeds(results), tables(results), sep="\n\n")


def check(args: Args) -> None:
    """Exit with a message if the README does not show the results."""
    text = args.readme.read_text(encoding="utf-8")
    if with_results(text, json.loads(args.results.read_text(encoding="utf-8"))) != text:
        sys.exit(f"{args.readme.name} does not show what {args.results.name} holds; run: python scripts/ladder.py")


# ---------------------------------------------------------------- what is kept


def begin(args: Args) -> Results:
    """What is kept if it still holds, else results in which nothing has been played."""
    results: Results = {
        "command": f"python scripts/ladder.py --games {args.games} --seed {args.seed} --threads {args.threads}",
        "games": args.games,
        "seed": args.seed,
        "machine": where(),
        "bots": {name: bot(name) for name in agent_names(GAME)},
        "timing": {},
        "rows": [new_row(players, name) for players in PLAYERS for name in agent_names(GAME)],
    }
    if not args.results.exists():
        return results
    old: Results = json.loads(args.results.read_text(encoding="utf-8"))
    same = all(old[key] == results[key] for key in ("games", "seed", "machine", "bots"))
    return old if same or args.timing else results


def bot(name: str) -> dict[str, Any]:
    """What tells whether a bot is still the same: its parameters, and a hash of its byte code and the rules'."""
    agent = compiled_agent(name)
    rules = get_game(GAME).rules
    code = fingerprint(agent.policy, rules.apply, rules.settle, rules.encode, rules.legal)
    return {"parameters": [round(float(number), 6) for number in agent.parameters], "code": code[:16]}


def compiled_agent(name: str) -> CompiledAgent:
    """The bot of that name."""
    agent = make_agent(name, GAME)
    assert isinstance(agent, CompiledAgent)
    return agent


def where() -> dict[str, Any]:
    """The facts about this machine and the versions that speeds depend on."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "versions": {"Python": platform.python_version(), **{n: version(n.lower()) for n in ("Numba", "NumPy")}},
    }


# ---------------------------------------------------------------- playing


def play(results: Results, args: Args) -> None:
    """Play every row to its end."""
    rows, weights = results["rows"], [weight(row, results["timing"]["bots"]) for row in results["rows"]]
    done = sum(w * row["games"] for w, row in zip(weights, rows, strict=True))
    form = "{percentage:5.1f} % {bar} {elapsed} so far, {remaining} left{postfix}"
    with tqdm(total=sum(weights) * args.games, initial=done, bar_format=form) as bar:
        for w, row in zip(weights, rows, strict=True):
            bar.set_postfix_str(f"{row['players']} players, {row['agent']}")
            while row["games"] < args.games:
                bar.update(w * play_more(row, args))
                write(args.results, json.dumps(results, indent=1) + "\n")


def new_row(players: int, agent: str) -> Row:
    """A row of which nothing has been played; games are those against each opponent, won by the agent or by nobody."""
    opponents = {name: {"won": 0.0, "nobody": 0} for name in agent_names(GAME) if name != agent}
    return {"players": players, "agent": agent, "games": 0, "seconds": 0.0, "against": opponents}


def weight(row: Row, speed: Results) -> float:
    """About how long a game against each opponent takes: with more players come more rounds and longer ones."""
    own = 1 / speed[row["agent"]]["decisions_per_second"]
    others = ((row["players"] - 1) / speed[name]["decisions_per_second"] for name in row["against"])
    return float(row["players"] * sum(own + other for other in others))


def play_more(row: Row, args: Args) -> int:
    """Play the next games of a row and add them; returns how many."""
    start, begun = row["games"], time.perf_counter()
    games = min(CHUNK, args.games - start)
    opponents = [make_agent(name, GAME) for name in row["against"]]
    scores = against_copies(
        make_agent(row["agent"], GAME), opponents, row["players"], games, args.seed + start, args.threads
    )
    for cell, score in zip(row["against"].values(), scores, strict=True):
        cell["won"] = round(cell["won"] + score.win_rate * games, 6)
        cell["nobody"] += round(score.nobody * games)
    row["games"] += games
    row["seconds"] = round(row["seconds"] + time.perf_counter() - begun, 3)
    return games


# ---------------------------------------------------------------- speed


def timing() -> Results:
    """Decisions per second and microseconds of one `act` for each bot, at tables of four of its kind."""
    bots = [compiled_agent(name) for name in agent_names(GAME)]
    speed = {
        agent.name: {"decisions_per_second": decisions_per_second(agent), "act_microseconds": act_microseconds(agent)}
        for agent in bots
    }
    return {"machine": where(), "bots": speed}


def decisions_per_second(agent: CompiledAgent, seconds: float = 1.0) -> int:
    """How many decisions one core makes in whole games, rules and observations included."""
    game, games = get_game(GAME), 50
    states = zeros(games, game.state_dtype)
    states[:] = game.new_state(TIMED_PLAYERS, "classic", game.check_options(TIMED_PLAYERS, "classic", {}))
    seating, cast = np.zeros((games, TIMED_PLAYERS), np.int64), [(agent.policy, agent.parameters)]
    play_out(game, states, np.arange(games), seating, cast)  # compiled
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        count += play_out(game, states, np.arange(count, count + games), seating, cast)[1].sum()
    return int(count / (time.perf_counter() - start))


def act_microseconds(agent: CompiledAgent) -> float:
    """The mean time of one `act`, over all decisions of some games."""
    seen = observations(agent, TIMED_DECISIONS)
    for observation in seen:
        agent.act(observation)
    start = time.perf_counter()
    for observation in seen:
        agent.act(observation)
    return round(1e6 * (time.perf_counter() - start) / len(seen), 1)


def observations(agent: CompiledAgent, count: int) -> list[dict[str, Any]]:
    """What the players of such games see when they are to act."""
    env = black_jacky_v0.env(num_players=TIMED_PLAYERS)
    seen: list[dict[str, Any]] = []
    env.reset(seed=0)
    agent.reset(0)
    while len(seen) < count:
        observation, _, terminated, _, _ = env.last()
        if terminated:
            env.reset()
            continue
        seen.append(observation)
        env.step(agent.act(observation))
    return seen


# ---------------------------------------------------------------- writing


def with_results(text: str, results: Results) -> str:
    """The README with the tables made from results."""
    return with_part(with_part(text, "ladder", tables(results)), "timing", speeds(results))


def tables(results: Results) -> str:
    """How they were made, and one table for each number of players."""
    took, games = duration(sum(row["seconds"] for row in results["rows"])), f"{results['games']:,}"
    intro = f"{games} games per cell; `{results['command']}` took {took} on {where_run(results['machine'])}."
    return "\n\n".join([intro, *(table(results, players) for players in PLAYERS)])


def table(results: Results, players: int) -> str:
    """Win rates at tables of one size: agents in rows, their opponents in columns."""
    copies = "one" if players == 2 else f"{players - 1} copies of"
    heading = ["agent", *(f"against {copies} `{name}`" for name in results["bots"])]
    rows = (
        [f"`{row['agent']}`", *(rate(row, name) for name in results["bots"])]
        for row in results["rows"]
        if row["players"] == players
    )
    return f"**{players} players**, par {100 / players:.1f} %:\n\n{markdown(heading, rows)}"


def rate(row: Row, opponent: str) -> str:
    """A win rate with its 95 % interval."""
    if opponent == row["agent"]:
        return "-"
    mean = row["against"][opponent]["won"] / row["games"]
    low, high = interval(mean, row["games"])
    return f"**{100 * mean:.1f} %** ({100 * low:.1f} .. {100 * high:.1f})"


def speeds(results: Results) -> str:
    """How fast the bots decide."""
    heading = ["agent", "decisions per second in a batch, one core", "one `act`"]
    rows = (
        [f"`{name}`", f"{speed['decisions_per_second']:,}", f"{speed['act_microseconds']} µs"]
        for name, speed in results["timing"]["bots"].items()
    )
    return f"{markdown(heading, rows)}\n\nMeasured on {where_run(results['timing']['machine'])}."


def where_run(facts: dict[str, Any]) -> str:
    """The machine in words."""
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return f"{facts['processor']}, {facts['cores']} cores, {versions}"


def duration(seconds: float) -> str:
    """Hours and minutes, or minutes and seconds."""
    minutes = int(seconds) // 60
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min {int(seconds) % 60:02d} s"


if __name__ == "__main__":
    main(tyro.cli(Args))
