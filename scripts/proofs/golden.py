"""Write down what games do, for tests/test_golden.py: tests/games/NAME/playthroughs/*.txt and fingerprints.json.

    python -m scripts.proofs.golden                     of all games; `git diff` then shows what has changed
    python -m scripts.proofs.golden --game GAME

A playthrough is the readable log of one random game, one for every variant and table size. Fingerprints are hashes of
what users see, which a refactoring must preserve: agents' decisions, games by seed, batches, samples. A commit that
changes either says why, such as a new seed, rule or agent.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import count
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import tyro
from gymnasium.vector import AutoresetMode

from blackjacky_agents import agent_names, make_agent
from blackjacky_agents.storage.files import write_file
from blackjacky_env import make_batch, playout
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import GAMES, get_game, seat_id
from blackjacky_env.play import sample_state
from scripts.results import ROOT
from tests.games.fixtures import examples_of

FOLDER = ROOT / "tests" / "games"
LOG_VIEW_EVERY = 45  # actions
SEARCHERS = ("ismcts:50", "rollout:16")
DECISIONS, DECISIONS_OF_SEARCHERS = 10_000, 300
DECISIONS_ALONE = 60  # decisions by `act`, after those by `act_batch`
BATCH, BATCH_STEPS = 64, 200
ENVS, ENV_STEPS = 64, 100
GAMES_BY_SEED = 20
SAMPLED_GAMES, SAMPLE_EVERY = 4, 12  # actions
PLAYOUTS, STATES_PLAYED_OUT = 16, 4  # games per state
MICRO = 10**6  # fractions, such as shares of a win, are hashed as millionths

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Args:
    """Write down what games do, in their test folders."""

    game: str | None = None  # Only this game; by default all.


def main(args: Args) -> None:
    """Write the files."""
    for game in GAMES if args.game is None else [args.game]:
        for table in tables(game):
            write_file(FOLDER / path_of(game, *table), "\n".join([*playthrough(game, *table), ""]))
        made = {name: make() for name, make in fingerprints(game).items()}
        write_file(FOLDER / game / "fingerprints.json", json.dumps(made, indent=2) + "\n")


def tables(game: str) -> list[tuple[str, int]]:
    """Every variant with every table size."""
    return [(variant.name, players) for variant in get_game(game).variants for players in variant.sizes]


def path_of(game: str, variant: str, players: int) -> str:
    """The file of a playthrough, below tests/games."""
    return f"{game}/playthroughs/{variant}_{players}p.txt"


def playthrough(name: str, variant: str, players: int) -> Iterator[str]:
    """The log of one random game, played with both rewards: moves with their changes to the table, and settlements."""
    game, digest = get_game(name), hashlib.sha256()
    rewards, words, seed = ("win", game.score_reward), game.words, examples_of(name).seeds.get((variant, players), 0)
    envs = [TableEnv(name, players, variant, reward, **examples_of(name).short) for reward in rewards]
    for each in envs:
        each.reset(seed=seed)
    env, rng = envs[0], random.Random(seed)
    yield f"{game.title}, version {game.version}, {variant}, {players} players"
    yield f"One game of random moves, seed {seed}; written by scripts/proofs/golden.py."
    yield from (f"{option}: {value}" for option, value in env.config_dict().items())
    yield from whole_table(env)
    for number in count(1):
        add_all(digest, env)
        before, agent = env.snapshot(), env.agent_selection
        if env.terminations[agent]:
            yield f"winners: {before['winners']}"
            yield digest_line(digest)
            return
        if number % LOG_VIEW_EVERY == 0:
            yield from view(env, agent)
        action = rng.choice(np.flatnonzero(env.infos[agent]["action_mask"]).tolist())
        for each in envs:
            each.step(action)
        after, move = env.snapshot(), env.action_name(action)
        if after[words.round_key] == before[words.round_key] and not env.terminations[agent]:
            yield f"{number:>3} {agent} {move:33} {'; '.join(changed(before, after))}".rstrip()
            continue
        settlement = after[words.settlement_key]
        parts = settlement if isinstance(settlement, dict) else {words.settlement_key: settlement}
        yield from (f"{number:>3} {agent} {move}", "")
        yield from (f"settlement, {part}: {value}" for part, value in parts.items())
        for each in envs:
            yield f"rewards, {each.reward}: {[round(reward, 4) for reward in each.rewards.values()]}"
        yield digest_line(digest)
        yield from whole_table(env)


def whole_table(env: TableEnv) -> Iterator[str]:
    """The table as drawn for a spectator, then the hidden cards."""
    seen, everything = env.view(None), env.snapshot()
    yield from ("", *env.draw_text(None).splitlines())
    yield from (f"{name}: {everything[name]}" for name in seen if seen[name] != everything[name])
    yield ""


def view(env: TableEnv, agent: str) -> Iterator[str]:
    """The view of who acts: drawing, non-zero observation parts and legal actions."""
    seen = env.observe(agent)
    yield from ("", *env.draw_text(agent).splitlines())
    parts = env.game.layout.decode(seen["observation"])
    yield from (f"{name}: {brief(part)}" for name, part in parts.items() if np.any(part))
    yield f"legal: {', '.join(map(env.action_name, np.flatnonzero(seen['action_mask']).tolist()))}"
    yield ""


def add_all(digest: Any, env: TableEnv) -> None:
    """Add every player's observation, mask and drawing to a digest."""
    for agent in env.agents:
        seen = env.observe(agent)
        digest.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
        digest.update("\n".join(env.draw_text(agent).splitlines()).encode())


def digest_line(digest: Any) -> str:
    """The digest of all observations, masks and drawings so far, as a line of the log."""
    return f"all that was seen until now: {digest.hexdigest()[:16]}"


def changed(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """The changes to the table, without whose turn it is, and with only the size of the draw pile."""
    for name, new in after.items():
        old = before[name]
        if old == new or name in ("player", "phase", "turn"):
            continue
        if name == "draw_pile":
            yield f"draw_pile {len(new)} cards"
        elif isinstance(new, list) and new and isinstance(new[0], list | dict) and len(new) == len(old):
            yield from (f"{name}[{q}] {cards}" for q, cards in enumerate(new) if cards != old[q])
        else:
            yield f"{name} {new}"


def brief(part: Any) -> str:
    """An observation part as text, with dots for zeros and bars between rows."""
    if isinstance(part, int):
        return str(part)
    if isinstance(part[0], list):
        return " | ".join(map(brief, part))
    return " ".join(str(number) if number else "." for number in part)


def fingerprints(game: str) -> dict[str, Callable[[], str]]:
    """The functions that compute the fingerprints of a game, by name."""
    made: dict[str, Callable[[], str]] = {
        f"decisions of {name}": partial(decisions, game, name) for name in (*agent_names(game), *SEARCHERS)
    }
    for what in (games_by_seed, batch, vector_env, playouts, sampled):
        for variant, players in tables(game):
            made[f"{what.__name__}, {variant}, {players} players"] = partial(what, game, variant, players)
    return made


class Digest:
    """A hash of numbers, as int64 so that dtypes and memory layout may change, and of JSON values."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256()

    def add(self, *numbers: npt.ArrayLike) -> None:
        """Add numbers or arrays."""
        for number in numbers:
            array = np.asarray(number)
            if array.dtype.kind == "f":
                array = np.rint(array * MICRO)
            self.hash.update(np.array(array.shape, "<i8").tobytes() + array.astype("<i8").tobytes())

    def add_json(self, value: Any) -> None:
        """Add a JSON value."""
        self.hash.update(json.dumps(value, sort_keys=True).encode())

    def add_game(self, env: TableEnv, rng: random.Random) -> None:
        """Add the rest of a running game: observations, masks, actions and rewards."""
        for agent, observation, mask, action in play(env, rng):
            self.add(*env.rewards.values(), env.possible_agents.index(agent), observation, mask, action)
        self.add(*env.rewards.values(), *(env.observe(agent)["observation"] for agent in env.agents))
        self.add_json(env.snapshot())


def random_legal(rng: random.Random, masks: Array) -> npt.NDArray[np.int64]:
    """A random legal action for each row of masks (N, A), 0 where there is none.

    Uses Python's generator, whose numbers are the same in every version.
    """
    counted = np.cumsum(masks, axis=1, dtype=np.int64)
    drawn = np.array([rng.random() for _ in masks]) * counted[:, -1]
    return np.asarray(np.argmax(counted > drawn.astype(np.int64)[:, None], axis=1))


def play(env: TableEnv, rng: random.Random) -> Iterator[tuple[str, Array, Array, int]]:
    """Play a running game at random; yields agent, observation, mask and action before each move."""
    while not env.terminations[env.agent_selection]:
        agent = env.agent_selection
        seen = env.observe(agent)
        action = int(random_legal(rng, seen["action_mask"][None])[0])
        yield agent, seen["observation"], seen["action_mask"], action
        env.step(action)


def decisions(game: str, name: str) -> str:
    """An agent's actions in positions of random play and, for a search, its thoughts.

    A short search often follows its prior policy whatever it finds; the thoughts contain its visit counts.
    """
    digest, agent = Digest(), make_agent(name, game)
    every = DECISIONS // DECISIONS_OF_SEARCHERS if name in SEARCHERS else 1
    seen, masks = (array[::every] for array in positions(game))
    agent.reset(0)
    digest.add(agent.act_batch(seen, masks))
    explain = getattr(agent, "explain", lambda _: None)
    for observation, mask in list(zip(seen, masks, strict=True))[:: len(seen) // DECISIONS_ALONE]:
        asked = {"observation": observation, "action_mask": mask}
        if (thoughts := explain(asked)) is not None:
            digest.add(thoughts.probabilities)
        digest.add(agent.act(asked))
    return digest.hash.hexdigest()


@cache
def positions(game: str) -> tuple[Array, Array]:
    """Observations and masks with at least two legal actions, equally many from each table, from random play."""
    sizes = tables(game)
    parts = [positions_at(game, variant, players, -(-DECISIONS // len(sizes))) for variant, players in sizes]
    seen, masks = (np.concatenate(arrays)[:DECISIONS] for arrays in zip(*parts, strict=True))
    return seen, masks


def positions_at(game: str, variant: str, players: int, count: int) -> tuple[Array, Array]:
    """Positions at one table: every seventh position of as many games as necessary."""
    rng, many = random.Random(players), make_batch(game, BATCH, players, seed=1, variant=variant)
    seen, masks, found = [], [], 0
    while found < count:
        choice = many.action_masks.sum(axis=1) > 1
        seen.append(many.observations[choice].copy())
        masks.append(many.action_masks[choice].copy())
        found += int(choice.sum())
        for _ in range(7):
            many.step(random_legal(rng, many.action_masks))
    return np.concatenate(seen)[:count], np.concatenate(masks)[:count]


def games_by_seed(game: str, variant: str, players: int) -> str:
    """Whole games in the PettingZoo environment, with each reward in turn."""
    digest = Digest()
    envs = [TableEnv(game, players, variant, reward) for reward in ("win", get_game(game).score_reward)]
    for seed in range(GAMES_BY_SEED):
        env = envs[seed % 2]
        env.reset(seed=seed)
        digest.add_json(env.snapshot())
        digest.add_game(env, random.Random(seed))
        digest.add_json(env.record()["key"])
    return digest.hash.hexdigest()


def batch(game: str, variant: str, players: int) -> str:
    """A batch of games, with moves chosen first here and then by the batch."""
    digest, rng = Digest(), random.Random(0)
    many = make_batch(game, BATCH, players, seed=0, variant=variant, reward=get_game(game).score_reward)

    def add() -> None:
        digest.add(many.current_player, many.seeds, many.observations, many.action_masks, many.rewards, many.terminated)

    for _ in range(BATCH_STEPS):
        add()
        many.step(random_legal(rng, many.action_masks))
    digest.add(many.random_actions())
    many.run_random(BATCH_STEPS)
    add()
    return digest.hash.hexdigest()


def vector_env(game: str, variant: str, players: int) -> str:
    """Random moves in a vector environment with all agents as opponents, in both autoreset modes."""
    digest = Digest()
    named: dict[str, Any] = {"num_players": players, "variant": variant, "opponents": agent_names(game)}
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        envs = gymnasium.make_vec(seat_id(game), num_envs=ENVS, autoreset_mode=mode, score_weight=0.25, **named)
        rng = random.Random(0)
        seen, info = envs.reset(seed=0)
        digest.add(seen, info["skipped_games"])
        for _ in range(ENV_STEPS):
            mask = info["action_mask"]
            actions = random_legal(rng, mask)
            seen, rewards, ended, _, info = envs.step(actions)
            digest.add(mask, actions, seen, rewards, ended, info.get("skipped_games", 0))
            digest.add(*(last for last in info.get("final_obs", ()) if last is not None))
        envs.close()
    return digest.hash.hexdigest()


def playouts(game: str, variant: str, players: int) -> str:
    """Results of playouts from some positions of a game, with all agents at the table and with copies of one."""
    digest, env, names = Digest(), TableEnv(game, players, variant), agent_names(game)
    env.reset(seed=0)
    states = [env.get_state() for _ in play(env, random.Random(0))]
    states = states[:: -(-len(states) // STATES_PLAYED_OUT)]
    for members in ([names[seat % len(names)] for seat in range(players)], names[-1], names[0]):
        digest.add(playout(states, members, PLAYOUTS, seed=1))
    return digest.hash.hexdigest()


def sampled(game: str, variant: str, players: int) -> str:
    """Positions sampled from observations: their snapshots and observations and, for some, the rest of the game.

    The rest of the game covers the game key, which determines later deals.
    """
    digest, env, other = Digest(), TableEnv(game, players, variant), TableEnv(game, players, variant)
    for seed in range(SAMPLED_GAMES):
        env.reset(seed=100 + seed)
        rng = np.random.default_rng(seed)
        for i, (_, observation, _, _) in enumerate(play(env, random.Random(seed))):
            if i % SAMPLE_EVERY:
                continue
            other.set_state(sample_state(env.game, observation, rng))
            digest.add_json(other.snapshot())
            digest.add(*(other.observe(agent)["observation"] for agent in other.agents))
            if not i % (4 * SAMPLE_EVERY):
                digest.add_game(other, random.Random(i))
    return digest.hash.hexdigest()


if __name__ == "__main__":
    main(tyro.cli(Args))
