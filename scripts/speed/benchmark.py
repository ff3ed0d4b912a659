"""Benchmark environments, batches, bots and training in one run, with one table of results.

    make bench                              including the environments used for comparison
    make bench-peers                        including other libraries
    make bench ARGS=--write                 write the table into docs/speed.md

Every round measures all lines one after the other, so that other load on the machine is spread over all of them. The
table shows median, minimum and maximum over the rounds; ratios are computed per round.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # as blackjacky train does

import importlib
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pettingzoo
import tyro
from peers import peers, versions
from pettingzoo import AECEnv
from pettingzoo.env_registry.exceptions import FailedToImport
from tqdm import tqdm

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.learning.ppo import PPORun, time_shares
from blackjacky_agents.learning.settings import presets_of
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import markdown_table, processor, show_part
from blackjacky_env import make_batch
from blackjacky_env.engine.backend_cpu import cores, spread
from blackjacky_env.engine.compiling import entry, zeros
from blackjacky_env.engine.play import play_out
from blackjacky_env.games import DEFAULT, GAMES, get_game, module_name

OTHER_GAMES = [game for game in GAMES if game != DEFAULT]
PLAYERS = 4
PAGE = Path(__file__).parents[2] / "docs" / "speed.md"
GOALS = json.loads(Path(__file__).with_name("goals.json").read_text(encoding="utf-8"))
"""``targets``: the target of each ``LINE [UNIT]``. ``ratios``: (name, numerator, denominator), with lines by name."""
LIBRARIES = ("numpy", "numba", "gymnasium", "pettingzoo", "stable-baselines3", "torch")


@dataclass(frozen=True)
class Args:
    """Benchmark environments, batches, bots and training in one run."""

    rounds: int = 7
    """Number of measurements of each line."""
    seed: int = 0
    """Random seed of games, actions and training."""
    peers: bool = False
    """Also measure other libraries."""
    quick: bool = False
    """A single short round, as a smoke test."""
    write: bool = False
    """Write the table into docs/speed.md."""


class Line(NamedTuple):
    """A line of the table."""

    name: str
    unit: str

    @property
    def target(self) -> str:
        """The target; empty if there is none."""
        return str(GOALS["targets"].get(f"{self.name} [{self.unit}]", ""))


class Probe(NamedTuple):
    """A measurement of one or more lines; None: not possible on this machine."""

    lines: Sequence[Line]
    measure: Callable[[], Sequence[float]] | None


def main(args: Args) -> None:
    """Measure, print, and write if asked to."""
    if args.quick and args.write:
        sys.exit("error: --quick measurements are too short to be written: leave out --write")
    if args.rounds < 1:
        sys.exit(f"error: --rounds {args.rounds} is too few; allowed is 1 or more")
    rounds = 1 if args.quick else args.rounds
    busy = load()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(make_probes(args, Path(folder)), rounds)
    text = f"{table({**ratios(found), **found})}\n\n{facts(args, rounds, busy)}"
    show_part(PAGE, "benchmark", text, args.write)


def make_probes(args: Args, folder: Path) -> list[Probe]:
    """All probes in order of execution."""
    scale = 0.01 if args.quick else 1.0
    return [
        *loop_probes(args.seed, scale),
        *batch_probes(args.seed, args.quick),
        *bot_probes(args.seed, scale),
        training_probe(args, folder),
        *start_probes(folder, args.quick),
        *(Probe([Line(name, "steps/s")], speed) for name, speed in (peers(args.seed, scale) if args.peers else ())),
    ]


def measure(probes: Sequence[Probe], rounds: int) -> dict[Line, list[float]]:
    """The values of each line, one per round."""
    found: dict[Line, list[float]] = {line: [] for probe in probes for line in probe.lines}
    with tqdm(total=rounds * len(probes), bar_format="{n_fmt}/{total_fmt} {bar} {remaining} left {desc}") as bar:
        for _ in range(rounds):
            for probe in probes:
                bar.set_description_str(probe.lines[0].name)
                values = probe.measure() if probe.measure else []
                for line, value in zip(probe.lines, values, strict=False):
                    found[line].append(value)
                bar.update()
    return found


def ratios(found: dict[Line, list[float]]) -> dict[Line, list[float]]:
    """The declared ratios of lines, round by round, if both lines were measured."""
    by_name = {line.name: values for line, values in found.items()}
    return {
        Line(f"ratio: {name}", ""): [a / b for a, b in zip(by_name[over], by_name[under], strict=False)]
        for name, over, under in GOALS["ratios"]
        if over in by_name and under in by_name
    }


OTHER_ENVIRONMENTS = ("classic/connect_four-v3", "classic/leduc_holdem-v4")
MANY = 4096
BATCH_SIZES = (1, 16, 256, MANY, 65_536)


# ---------------------------------------------------------------- the PettingZoo loop


def loop_probes(seed: int, scale: float) -> list[Probe]:
    """The same loop over several environments."""
    moves = int(50_000 * scale)
    own, *others = (loop_probe(f"loop: `{module_name(game)}.env()`", make_env(game), moves, seed) for game in GAMES)
    probes = [own, loop_probe("loop: null environment", EmptyEnv(), moves, seed), *others]
    for name in OTHER_ENVIRONMENTS:
        try:
            probes.append(loop_probe(f"loop: `{name}`", pettingzoo.make("aec", name), int(8000 * scale), seed))
        except FailedToImport:
            probes.append(Probe([Line(f"loop: `{name}`, not installed: `pip install -e '.[bench]'`", "moves/s")], None))
    return probes


def make_env(game: str) -> AECEnv[str, Any, Any]:
    """An environment of this game, made in the documented way."""
    env: AECEnv[str, Any, Any] = getattr(importlib.import_module("blackjacky_env"), module_name(game)).env(
        num_players=PLAYERS
    )
    return env


def loop_probe(name: str, env: AECEnv[str, Any, Any], moves: int, seed: int) -> Probe:
    """The probe of one environment."""
    random_loop(env, 2, seed)  # compiled
    return Probe([Line(name, "moves/s")], lambda: [random_loop(env, moves, seed)])


def random_loop(env: AECEnv[str, Any, Any], moves: int, seed: int) -> float:
    """Moves per second of random play in the documented AEC loop."""
    rng, made = np.random.default_rng(seed), 0
    env.reset(seed=seed)
    started = time.process_time()
    while made < moves:
        env.reset()
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
            made += 1
    return made / (time.process_time() - started)


class EmptyEnv(AECEnv[str, dict[str, npt.NDArray[np.int8]], int]):
    """A null environment with the spaces and game length of the default game, which shows the cost of the loop."""

    metadata = {"render_modes": [], "name": "empty_v0"}  # noqa: RUF012 - required by PettingZoo

    def __init__(self, moves: int = 100) -> None:
        super().__init__()
        own = make_env(DEFAULT)
        own.reset(seed=0)
        self.possible_agents = own.possible_agents
        self.observation_spaces, self.action_spaces = own.observation_spaces, own.action_spaces
        self._seen = own.observe(own.agent_selection)
        self._moves = moves

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._left = self._moves
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> dict[str, npt.NDArray[np.int8]]:
        """A constant observation."""
        return self._seen

    def step(self, action: int | None) -> None:
        """Turn to the next agent, or end the game."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(None)  # type: ignore[arg-type]  # PettingZoo requires None here
            return
        self._left -= 1
        if self._left == 0:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[self._left % len(self.agents)]


# ---------------------------------------------------------------- batches


def batch_probes(seed: int, quick: bool) -> list[Probe]:
    """Random play in compiled code by batch size, players and threads; steps from Python; memory."""
    moves = 2_000 if quick else 2_000_000  # of each measurement
    tables = [
        *((DEFAULT, games, PLAYERS, 1) for games in BATCH_SIZES),
        *((DEFAULT, MANY, players, 1) for players in (2, 3, 5, 6)),
        *((DEFAULT, MANY, PLAYERS, threads) for threads in range(2, cores() + 1)),
        *((game, MANY, PLAYERS, threads) for game in OTHER_GAMES for threads in range(1, cores() + 1)),
    ]
    return [
        *(random_play_probe(*each, moves, seed) for each in tables),
        step_probe(MANY, cores(), moves, seed),
        *(arithmetic_probe(threads, 50 * moves) for threads in range(1, cores() + 1)),
        *(memory_probe(game) for game in GAMES),
    ]


def random_play_probe(game: str, games: int, players: int, threads: int, moves: int, seed: int) -> Probe:
    """Random legal moves in compiled code, with mask and observation written at every step."""
    batch = make_batch(game, games, num_players=players, seed=seed, threads=threads)
    batch.run_random(1)  # compiled
    steps = max(1, moves // games)

    clock = clock_for(threads)

    def rate() -> Sequence[float]:
        started = clock()
        batch.run_random(steps)
        return [games * steps / (clock() - started)]

    name = f"`run_random`{of(game)}: {games:,} game{'s' * (games > 1)}, {players} players, {of_threads(threads)}"
    return Probe([Line(name, "steps/s")], rate)


def of_threads(number: int) -> str:
    """A number of threads, in words."""
    return f"{number} thread{'s' * (number > 1)}"


def clock_for(threads: int) -> Callable[[], float]:
    """CPU time for a single thread, which is less sensitive to other load; otherwise wall time."""
    return time.process_time if threads == 1 else time.perf_counter


def step_probe(games: int, threads: int, moves: int, seed: int) -> Probe:
    """Moves through `Batch.step` from Python; choosing the actions is not measured."""
    batch = make_batch(DEFAULT, games, num_players=PLAYERS, seed=seed, threads=threads)

    def rate() -> Sequence[float]:
        seconds, steps = 0.0, max(1, moves // games)
        for _ in range(steps):
            actions = batch.random_actions()
            started = time.perf_counter()
            batch.step(actions)
            seconds += time.perf_counter() - started
        return [games * steps / seconds]

    rate()  # compiled
    name = f"`step` from Python: {games:,} games, {PLAYERS} players, {of_threads(threads)}"
    return Probe([Line(name, "steps/s")], rate)


def arithmetic_probe(threads: int, rounds: int) -> Probe:
    """Four independent sums on each thread: the speedup by threads that the hardware allows without memory access."""
    clock = clock_for(threads)

    def rate() -> Sequence[float]:
        started = clock()
        spread(lambda first, last: four_sums(rounds), threads, threads)
        return [threads * rounds / (clock() - started)]

    four_sums(1)  # compiled
    return Probe([Line(f"arithmetic alone, {of_threads(threads)}", "rounds/s")], rate)


@entry
def four_sums(rounds):  # type: ignore[no-untyped-def]  # compiled
    """Rounds of eight operations, of which four at a time are independent."""
    a, b, c, d = 1, 2, 3, 4
    for i in range(rounds):
        a, b, c, d = (a ^ i) + 3, (b ^ i) + 5, (c ^ i) + 7, (d ^ i) + 9
    return a + b + c + d


def memory_probe(game: str) -> Probe:
    """Memory of a batch per game, including observations and masks."""
    line = Line(f"memory of a game{of(game)} in a batch", "bytes")
    return Probe([line], lambda: [sum(array.nbytes for array in make_batch(game, MANY)._board) / MANY])


def of(game: str) -> str:
    """The name of a game in a line, such as `` of `my_game` ``; nothing for the default game."""
    return "" if game == DEFAULT else f" of `{game}`"


# ---------------------------------------------------------------- bots


def bot_probes(seed: int, scale: float) -> list[Probe]:
    """Whole games between copies of a bot in compiled code, and single decisions from Python."""
    games = {"random": 5000, "threshold": 5000, "counter": 200}
    probes = [play_out_probe(name, max(int(count * scale), 2), seed) for name, count in games.items()]
    agent = make_compiled_agent("counter", DEFAULT)
    seen = observations(agent, max(int(2000 * scale), 10))
    line = Line("one decision of `counter` through `act`", "µs")
    return [*probes, Probe([line], lambda: [decision(agent.act, seen)])]


def observations(agent: CompiledAgent, count: int) -> list[dict[str, Any]]:
    """Observations of the players to act in games between copies of the agent."""
    env, seen = make_env(agent.game), []
    env.reset(seed=0)
    while len(seen) < count:
        observation, _, terminated, _, _ = env.last()
        if terminated or observation is None:
            env.reset()
            continue
        seen.append(observation)
        env.step(agent.act(observation))
    return seen


def play_out_probe(name: str, games: int, seed: int) -> Probe:
    """Games and decisions per second on one thread."""
    agent, game = make_compiled_agent(name, DEFAULT), get_game(DEFAULT)
    states, variant = zeros(games, game.state_dtype), game.variants[0].name
    states[:] = game.new_state(PLAYERS, variant, game.check_options(PLAYERS, variant, {}))
    seeds, seating = np.arange(seed, seed + games), np.zeros((games, PLAYERS), np.int64)
    cast = [(agent.policy, agent.parameters)]
    play_out(game, states[:1], seeds[:1], seating[:1], cast)  # compiled

    def rates() -> Sequence[float]:
        started = time.process_time()
        _, decisions = play_out(game, states, seeds, seating, cast)
        seconds = max(time.process_time() - started, 1e-9)
        return games / seconds, decisions.sum() / seconds

    line = f"playouts of {PLAYERS} `{name}`"
    return Probe([Line(line, "games/s"), Line(line, "decisions/s")], rates)


def decision(act: Callable[[dict[str, Any]], int], seen: Sequence[dict[str, Any]]) -> float:
    """Mean time of a decision in microseconds over these observations."""
    started = time.process_time()
    for observation in seen:
        act(observation)
    return 1e6 * (time.process_time() - started) / len(seen)


# ---------------------------------------------------------------- training


def training_probe(args: Args, folder: Path) -> Probe:
    """Updates of the preset `sb3`, against bots and one past version of itself."""
    settings = replace(presets_of(DEFAULT)["sb3"], seed=args.seed, eval_games=2)
    if args.quick:
        settings = replace(settings, num_envs=16, n_steps=16, batch_size=64)
    run = PPORun(settings, folder, "")
    run.take_snapshot()

    def shares() -> Sequence[float]:
        run.clock.set(0)
        run.env.seconds = 0.0
        run.model.learn(2 * settings.num_envs * settings.n_steps)
        times = time_shares(run)
        return times["steps_per_second"], 100 * times["games"], 100 * times["environment"]

    shares()  # compiled
    lines = [
        Line(f"training, {settings.threads} threads", "steps/s"),
        Line("fraction of training in `LearnerVecEnv.step`, including opponents' policies", "%"),
        Line("fraction of training in rules, masks and observations", "%"),
    ]
    return Probe(lines, shares)


# ---------------------------------------------------------------- new processes

FIRST = """
import time
started = time.perf_counter()
from blackjacky_env import {module}
env = {module}.env()
env.reset(seed=0)
observation, *_ = env.last()
print(time.perf_counter() - started)
env.step(int(observation["action_mask"].argmax()))
print(time.perf_counter() - started)
"""
IMPORTS = """
import time
started = time.perf_counter()
import numba, gymnasium, pettingzoo
print(time.perf_counter() - started)
"""


def start_probes(folder: Path, quick: bool) -> list[Probe]:
    """Startup of new processes, for each game with an empty compile cache and then with the cache that this has filled.

    A quick run starts one process for both, with the cache of this one.
    """
    probes = [probe for game in GAMES for probe in start_probes_of(game, folder / game, quick)]
    line = Line("importing numba, gymnasium and pettingzoo alone", "s")
    return [*probes, Probe([line], lambda: new_process(IMPORTS, None if quick else folder))]


def start_probes_of(game: str, folder: Path, quick: bool) -> list[Probe]:
    """Startup for one game; the first of the caches in ``folder`` serves as the warm one."""
    numbers = count()
    code = FIRST.format(module=module_name(game))
    reached = ("first observation", "first move made")
    cold_lines, warm_lines = (
        [Line(f"start{of(game)} with {cache} compile cache: `import` to {event}", "s") for event in reached]
        for cache in ("an empty", "a warm")
    )
    if quick:
        return [Probe([*cold_lines, *warm_lines], lambda: 2 * new_process(code, None))]
    return [
        Probe(cold_lines, lambda: new_process(code, folder / f"cache{next(numbers)}")),
        Probe(warm_lines, lambda: new_process(code, folder / "cache0")),
    ]


def new_process(code: str, cache: Path | None) -> list[float]:
    """Run code in a new process with this compile cache (None: the usual one); returns the numbers it prints."""
    environment = dict(os.environ) if cache is None else {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


# ---------------------------------------------------------------- report


def table(found: dict[Line, list[float]]) -> str:
    """All lines as a Markdown table."""
    rows = (
        [line.name, number(median(values)), f"{number(min(values))} .. {number(max(values))}", line.unit, line.target]
        if values
        else [line.name, "-", "-", line.unit, line.target]
        for line, values in found.items()
    )
    return markdown_table(["what", "median", "lowest .. highest", "unit", "target"], rows)


def number(value: float) -> str:
    """A number with three significant digits, or all digits before the decimal point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def facts(args: Args, rounds: int, busy: str) -> str:
    """Command, machine and versions."""
    libraries = [f"{name} {version(name)}" for name in LIBRARIES] + (versions() if args.peers else [])
    return (
        f"`python scripts/speed/benchmark.py --rounds {args.rounds} --seed {args.seed}"
        f"{' --peers' * args.peers}{' --quick' * args.quick}`: "
        f"medians of {rounds} interleaved rounds.\n"
        f"Machine: {processor()}, {os.cpu_count()} cores, {platform.system()}{busy}.\n"
        f"Python {platform.python_version()}, {', '.join(libraries)}."
    )


def load() -> str:
    """The machine's load average, if available."""
    return f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""


if __name__ == "__main__":
    main(tyro.cli(Args))
