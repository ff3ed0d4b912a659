"""Agents that are programs in any language and speak JSON lines over stdin and stdout (docs/score.md)."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import threading
import weakref
from collections.abc import Mapping
from queue import Empty, SimpleQueue
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import AgentError, one_by_one
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.reading import parse_json

PROTOCOL = 1
"""Version of the messages."""
MOVE_TIMEOUT, START_TIMEOUT = 10.0, 60.0  # seconds

_MAX_LINE = 2**20  # bytes of a line
_SHOWN = 200  # characters of a wrong line in an error message
_GRACE = 1.0  # seconds that a program has to end by itself when its input ends


class SubprocessAgent:
    """An agent in a process of its own, started with the first game and again after a failure.

    Args:
        command: the command line, split as by a shell; it is run without one.
        game: name of the game.
        move_timeout: seconds allowed for a move.
        start_timeout: seconds allowed until the program answers ``hello``.

    Raises `ValueError` if there is no such program or a limit is not positive.
    """

    one_game_at_a_time = True

    def __init__(
        self,
        command: str,
        game: str = DEFAULT,
        move_timeout: float = MOVE_TIMEOUT,
        start_timeout: float = START_TIMEOUT,
    ) -> None:
        self.arguments = shlex.split(command, posix=os.name == "posix")
        if not self.arguments or shutil.which(self.arguments[0]) is None:
            raise ValueError(f"command={command!r} does not begin with a program, as in 'cmd:perl agent.pl'")
        for name, limit in (("move_timeout", move_timeout), ("start_timeout", start_timeout)):
            if not limit > 0:
                raise ValueError(f"{name}={limit!r} is out of range; allowed are seconds above 0")
        self.name, self.game = f"cmd:{command}", game
        self.move_timeout, self.start_timeout = move_timeout, start_timeout
        self.facts: Mapping[str, Any] = {}
        """Added to the message ``start``: table size, variant and options."""
        self._games, self._moves = 0, 0
        self._process: _Process | None = None

    def reset(self, seed: int | None = None) -> None:
        """Start a game: sends ``start``."""
        self._games, self._moves = self._games + 1, 0
        self._running().send({"type": "start", "game": self._games, "seed": seed, **self.facts})

    def finish(self, share: float) -> None:
        """End a game: sends ``end`` with the agent's share of the win, 0 .. 1, unless the process has ended."""
        if self._process is not None:
            self._process.send({"type": "end", "game": self._games, "share": share})

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """Its action; `AgentError` of that kind if it ends, is late, or its answer is not a legal action."""
        self._moves += 1
        game, mask = get_game(self.game), observation["action_mask"]
        legal: list[dict[str, Any]] = [
            {"action": action, "name": game.words.actions.name(action)} for action in np.flatnonzero(mask).tolist()
        ]
        message = {
            "type": "act",
            "game": self._games,
            "legal": legal,
            "view": game.layout.decode(observation["observation"]),
            "observation": observation["observation"].tolist(),
            "action_mask": mask.tolist(),
        }
        when = f"at move {self._moves} of game {self._games}"
        try:
            given = self._running().ask(message, self.move_timeout, when).get("action")
            for each in legal:
                if type(given) in (int, str) and given in (each["action"], each["name"]):
                    return int(each["action"])
            allowed = ", ".join(f"{each['action']} {each['name']!r}" for each in legal)
            told = f"answered the action {given!r} {when}, which is not legal; legal are {allowed}"
            raise AgentError(f"the agent {self.name!r} {told}", "illegal")
        except AgentError:
            self.close()
            raise

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Actions (N,) for observations (N, K) and masks (N, A), asked for one by one."""
        return one_by_one(self.act, observations, masks)

    def close(self) -> None:
        """End the process; the next game starts another one."""
        if self._process is not None:
            self._process.end()
        self._process = None

    def _running(self) -> _Process:
        if self._process is None:
            game, process = get_game(self.game), _Process(self.name, self.arguments)
            hello = {
                "type": "hello",
                "protocol": PROTOCOL,
                "game": game.name,
                "title": game.title,
                "version": game.version,
                "num_actions": game.num_actions,
                "actions": [game.words.actions.name(action) for action in range(game.num_actions)],
                "observation": game.layout.describe(),
            }
            told = process.ask(hello, self.start_timeout, "at the message hello").get("protocol")
            if told != PROTOCOL:
                process.end()
                answered = f"answered hello with protocol={told!r}; expected {json.dumps({'protocol': PROTOCOL})}"
                raise AgentError(f"the agent {self.name!r} {answered}", "illegal")
            self._process = process
        return self._process

    def __getstate__(self) -> dict[str, Any]:
        """State for pickle and copies, which start a process of their own."""
        return {**vars(self), "_process": None, "_games": 0}


class _Process:
    """A running program, and a thread that reads its answers."""

    def __init__(self, name: str, arguments: list[str]) -> None:
        self._name = name
        try:
            self._program = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise AgentError(f"the agent {name!r} did not start: {error}") from None
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=_read_lines, args=(self._program.stdout, self._lines), daemon=True).start()
        self.end = weakref.finalize(self, _end, self._program)

    def send(self, message: Mapping[str, Any]) -> None:
        assert self._program.stdin is not None
        with contextlib.suppress(OSError):  # if it has ended, the next question says so
            self._program.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
            self._program.stdin.flush()

    def ask(self, message: Mapping[str, Any], seconds: float, when: str) -> dict[str, Any]:
        if not self._lines.empty():
            self._fail(self._lines.get(), f"before it was asked {when}")
        self.send(message)
        try:
            line = self._lines.get(timeout=seconds)
        except Empty:
            if self._program.poll() is not None:  # a child of it still holds its output
                self._fail(b"", when)
            self.end()
            raise AgentError(f"the agent {self._name!r} did not answer in {seconds:g} s {when}", "timeout") from None
        try:
            answer = parse_json(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self._fail(line, when)
        return dict(answer)

    def _fail(self, line: bytes, when: str) -> None:
        self.end()
        if not line:
            status = self._program.returncode
            raise AgentError(f"the agent {self._name!r} ended, with exit status {status}, {when}")
        shown = line.decode(errors="replace").rstrip()[:_SHOWN]
        expected = "expected one line with a JSON object for each question"
        raise AgentError(f"the agent {self._name!r} wrote {shown!r} {when}; {expected}", "illegal")


def _read_lines(stdout: IO[bytes], lines: SimpleQueue[bytes]) -> None:
    """Put every line into the queue, and an empty one at the end."""
    with stdout:
        while line := stdout.readline(_MAX_LINE):
            lines.put(line)
    lines.put(b"")


def _end(program: subprocess.Popen[bytes]) -> None:
    assert program.stdin is not None
    with contextlib.suppress(OSError):
        program.stdin.close()
    try:
        program.wait(_GRACE)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
