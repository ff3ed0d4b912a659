"""People never wait for the compiler: a program that plays with them runs in plain Python, and asks a process aside.

The rules, the bots and the networks take a few milliseconds a move in plain Python (`NUMBA_DISABLE_JIT`). Search, hints
and replays take a thousand times as many, so they run compiled, in a process that begins when it is first asked.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Lock
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from blackjacky_agents.stopping import without_interrupts

if TYPE_CHECKING:
    from blackjacky_agents.agent import Agent
    from blackjacky_env.envs import Observation, TableEnv

P = ParamSpec("P")
T = TypeVar("T")


def play_in_plain_python() -> None:
    """Let this process compile nothing, if it has not begun to: to be called before anything of ours is imported."""
    if "blackjacky_env" not in sys.modules:
        import numba

        numba.config.DISABLE_JIT = True  # type: ignore[attr-defined]  # unlike a variable, no child inherits it


class Aside:
    """A process that computes one thing after the other; it ends with this one."""

    def __init__(self) -> None:
        self._lock, self._beginning, self._patience = Lock(), Lock(), Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns or raises, computed aside, or here if this process is compiled, too.

        Function, arguments and result are pickled. Raises `AgentError` if the process has ended.
        """
        from blackjacky_env.compiled import PLAIN

        if not PLAIN:
            return function(*args, **kwargs)
        with self._lock:
            pipe = self._started()
            try:
                pipe.send((function, args, kwargs))
                is_done, result = pipe.recv()
            except (EOFError, OSError):
                from blackjacky_agents.agent import AgentError

                self._process = None
                raise AgentError("the process that computes searches, hints and replays has ended") from None
        if not is_done:
            raise result
        return result  # type: ignore[no-any-return]

    def patiently(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """As a call, for a part of something long: of all who call so, one at most is before others in the queue."""
        with self._patience:
            return self(function, *args, **kwargs)

    def _started(self) -> Connection:
        if self._process is None or self._pipe is None:
            context = get_context("spawn")
            self._pipe, other = context.Pipe()
            process = context.Process(target=_serve, args=(other,), name="aside", daemon=True)
            with self._beginning, without_interrupts():
                process.start()
                self._process = process
            other.close()
        return self._pipe

    def close(self) -> None:
        """End the process, whatever it is doing; it begins again when it is asked again."""
        with self._beginning:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()


aside = Aside()
atexit.register(aside.close)


def asked_aside(agent: Agent, name: str, env: TableEnv, seed: int) -> Callable[[], int]:
    """As `blackjacky_agents.agent.asked`; a search, which takes minutes in plain Python, is asked aside with a seed."""
    from blackjacky_agents.agent import asked
    from blackjacky_agents.search.searchers import SEARCHERS
    from blackjacky_env.compiled import PLAIN

    if not PLAIN or name.partition(":")[0] not in SEARCHERS:
        return asked(agent, env)
    game, observation = env.game.name, env.observe(env.agent_selection)
    return lambda: aside(_decide, name, game, observation, seed)


def _decide(name: str, game: str, observation: Observation, seed: int) -> int:
    from blackjacky_agents.registry import make_agent

    agent = make_agent(name, game)
    agent.reset(seed)
    return agent.act(observation)


def _serve(pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(5)  # whoever plays comes first
    while True:
        try:
            function, args, kwargs = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = True, function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - it is raised where it was asked for
            answer = False, error
        pipe.send(answer)
