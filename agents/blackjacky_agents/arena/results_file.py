"""Results that must survive a crash: a file of JSON lines, sealed at the end.

The first line is the head, which says what determines all others. The last is the seal, the SHA-256 of everything
before it. So a file is the same, byte for byte, wherever and in however many pieces it was written: it holds no times.
A process that is killed leaves a file without a seal and perhaps half a line, which the next writer removes; whoever
goes on replaces the seal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.arena.fixture import LineupFixture
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.storage.files import only_writer, versions
from blackjacky_env.compiled import fingerprint
from blackjacky_env.reading import MAX_DATA, open_file, parse_json, read_file

JsonLine = dict[str, Any]

_FORMAT = 3
_MAX_HEAD = 2**26  # bytes; it may list many line-ups


class ResultsFile:
    """A file NAME.jsonl of results.

    Args:
        path: where it is or will be.
        head: its first line, JSON-ready: everything that determines the others.
    """

    def __init__(self, path: Path, head: Mapping[str, Any]) -> None:
        if path.suffix != ".jsonl":
            raise ValueError(f"results={str(path)!r} is not named NAME.jsonl")
        self.path, self.head = path, json.loads(json.dumps(head))
        self._size, self._seen = 0, 0  # bytes of complete lines without the seal, and of the file as it was last seen
        self._hash = sha256()  # of all complete lines

    def read(self) -> list[JsonLine]:
        """All complete lines between head and seal, none if there is no file; changes nothing.

        Raises `ValueError` for another head, naming the first difference, for a line that is no JSON object, and if the
        seal does not fit.
        """
        data = read_file(self.path, MAX_DATA) if self.path.exists() else b""
        lines = data.split(b"\n")[:-1]  # the rest was cut off
        found = [self._parse(number, line) for number, line in enumerate(lines, 1)]
        seal = found.pop() if found and "sha256" in found[-1] else None
        body = b"".join(line + b"\n" for line in lines[: len(found)])
        self._size, self._seen, self._hash = len(body), len(data), sha256(body)
        if seal is not None and seal != self._seal():
            self.refuse(len(lines), "its checksum is wrong")
        if found:
            refuse_other_setup(self.path, found[0], self.head)
        return found[1:]

    @contextmanager
    def writing(self) -> Iterator[list[JsonLine] | None]:
        """Context in which this process alone may `append`; yields what `read` returns, None if it is as read before.

        Raises `FolderInUseError` if another process writes to the folder.
        """
        with only_writer(self.path.parent):
            self.path.touch()
            found = None if self.path.stat().st_size == self._seen else self.read()
            os.truncate(self.path, self._size)
            if not self._size:
                self.append([json.dumps(self.head)])
            try:
                yield found
            finally:
                os.truncate(self.path, self._size)  # what an interruption has left of a line
                with self.path.open("ab") as file:
                    file.write(json.dumps(self._seal()).encode() + b"\n")
                self._seen = self.path.stat().st_size

    def append(self, lines: Iterable[str]) -> None:
        """Append lines, each a JSON object."""
        data = "".join(line + "\n" for line in lines).encode()
        with self.path.open("ab") as file:
            file.write(data)
        self._hash.update(data)
        self._size += len(data)

    def _seal(self) -> JsonLine:
        return {"sha256": self._hash.hexdigest()}

    def _parse(self, number: int, line: bytes) -> JsonLine:
        try:
            found = parse_json(line)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            self.refuse(number, "it is no JSON object")
        return dict(found)

    def refuse(self, number: int, why: str) -> NoReturn:
        """Raise the `ValueError` for a damaged line; the head is number 1."""
        raise ValueError(f"{self.path}, line {number}: {why}; the file is damaged or was modified")


def read_head(path: Path) -> JsonLine:
    """The head of a results file; `ValueError` if there is none."""
    try:
        with open_file(path) as file:
            return dict(parse_json(file.readline(_MAX_HEAD)))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} does not begin with the head of a results file: {error!r}") from None


def refuse_other_setup(path: Path, found: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """Raise a `ValueError` naming the first difference between the setup ``found`` at a path and one's ``own``."""
    for name, value in own.items():
        if (old := found.get(name)) != value:
            raise ValueError(
                f"{path} holds games with {name}={old!s:.300}, not {name}={value!s:.300}: "
                "use the same setup, or another place (--output)"
            )


def describe(fixture: LineupFixture) -> JsonLine:
    """The setup that all games of a file share, JSON-ready: options, line-ups, versions, agents."""
    env = fixture.env()
    names = [agent.name for agent in fixture.agents]
    return {
        "format": _FORMAT,
        "game": fixture.game,
        "version": env.game.version,
        "num_players": fixture.num_players,
        "variant": fixture.variant,
        "options": fixture.options,
        "seed": fixture.seed,
        "duplicate": fixture.duplicate,
        "versions": versions(),
        "rules": fingerprint(*(function for function in vars(env.game.rules).values()))[:16],
        "agents": [describe_agent(agent) for agent in fixture.agents],
        "lineups": [[names[number] for number in lineup] for lineup in fixture.lineups],
    }


def describe_agent(agent: Agent) -> JsonLine:
    """Identity of an agent: hashes of code and parameters, or of the source of a Python class, otherwise its class."""
    if isinstance(agent, PythonAgent):
        return {"name": agent.name, "source": agent.source()}
    if not isinstance(agent, CompiledAgent):
        return {"name": agent.name, "class": f"{type(agent).__module__}.{type(agent).__qualname__}"}
    parameters = sha256(agent.parameters.astype("<f4").tobytes()).hexdigest()
    return {"name": agent.name, "code": fingerprint(agent.policy)[:16], "parameters": parameters[:16]}
