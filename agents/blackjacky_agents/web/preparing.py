"""Compile games before they are played, in processes of their own, so that the server goes on answering meanwhile.

Numba keeps what it has compiled on disk, where the server finds it. Without a folder to write to, the server compiles
for itself when a table is made, as it would without this module.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import agent_names, default_opponents
from blackjacky_agents.registry import make_agent, parse_agents
from blackjacky_agents.search.hints import Adviser
from blackjacky_agents.web.replay import replay_page
from blackjacky_env.envs import TableEnv

_NICE = 5  # for the background: games that are played come first


def parts_of(game: str) -> list[Callable[[], Any]]:
    """What a table of the game needs, in parts that take about as long as each other where nothing is compiled."""
    env = TableEnv(game)
    opponents = parse_agents(default_opponents(game))
    names = list(dict.fromkeys([*opponents, *agent_names(game)]))
    return [
        lambda: env.reset(seed=0),
        lambda: copy.deepcopy(env).step(int(env.observe(env.agent_selection)["action_mask"].argmax())),
        *(lambda name=name: _decide(env, name) for name in names),
        lambda: Adviser(game).hint(env, env.observe(env.agent_selection)),
        lambda: _replay(env),
    ]


def _decide(env: TableEnv, name: str) -> None:
    agent = make_agent(name, env.game.name)
    if isinstance(agent, CompiledAgent):
        agent.act(env.observe(env.agent_selection))


def _replay(env: TableEnv) -> None:
    with contextlib.suppress(NotImplementedError):  # without pictures there is no replay
        names = dict.fromkeys(env.possible_agents, "")
        replay_page({"record": env.record(), "names": {name: name for name in names}})


class Preparing:
    """Processes that compile games, one for each game, and how far they are."""

    def __init__(self) -> None:
        self._progress: dict[str, tuple[int, int]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._processes: list[asyncio.subprocess.Process] = []

    def progress(self, game: str) -> tuple[int, int]:
        """Number of the game's parts that are ready, and of all its parts; 0 of 0 before it is known."""
        return self._progress.get(game, (0, 0))

    def begin(self, game: str) -> asyncio.Task[None]:
        """Compile a game; returns the task, which ends when that is done or impossible."""
        if game not in self._tasks:
            self._tasks[game] = asyncio.create_task(self._compile(game))
        return self._tasks[game]

    async def all_of(self, games: Sequence[str]) -> None:
        """Compile these games one after the other."""
        for game in games:
            await self.begin(game)

    async def close(self) -> None:
        """Stop all processes, and wait until they have ended."""
        for process in self._processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        for process in self._processes:
            await process.communicate()  # to the end of its output, before which asyncio does not let go of it

    async def _compile(self, game: str) -> None:
        command = [sys.executable, "-m", __name__, game]
        process = await asyncio.create_subprocess_exec(*command, stdout=-1, stderr=asyncio.subprocess.DEVNULL)
        self._processes.append(process)
        assert process.stdout is not None
        async for line in process.stdout:
            done, parts = line.split()
            self._progress[game] = int(done), int(parts)
        await process.wait()


def main(game: str) -> None:
    """Compile a game, and print the number of parts done, and of all, after each of them."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    parts = parts_of(game)
    print(0, len(parts), flush=True)
    for number, part in enumerate(parts, 1):
        part()
        print(number, len(parts), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
