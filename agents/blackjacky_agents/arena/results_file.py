"""Results files of tournaments: JSON Lines that can be resumed, with a card that prevents mixing different setups."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.arena.table import Rows, Table, join
from blackjacky_agents.files import only_writer, versions, write_json
from blackjacky_env.compiled import fingerprint
from blackjacky_env.reading import MAX_DATA, MAX_LIST, parse_json, read_file

_FORMAT = 2
_UNKNOWN = -1  # size of a file that was being written


class ResultsFile:
    """A JSON Lines file with one line per game, and a JSON card beside it with the tournament's setup.

    Each line ends with a checksum over itself and all lines before, so a changed line is noticed.
    """

    def __init__(self, path: Path, table: Table, score: str) -> None:
        if path.suffix != ".jsonl":
            raise ValueError(f"results={str(path)!r} is not named NAME.jsonl")
        self.path, self.card = path, path.with_suffix(".json")
        self._table, self._score = table, score
        self._setup = json.loads(json.dumps(describe(table)))
        self._size = 0  # bytes of complete lines
        self._hash = sha256()  # of all complete lines

    def read(self) -> tuple[Rows, float]:
        """The complete games in the file and the seconds they took; no games if there is no file. Changes nothing."""
        card = self._read_card()
        if card is None:
            return join([], self._table.num_players), 0.0
        refuse_other_setup(self.path, card["setup"], self._setup, "--output")
        return self._read(), float(card["seconds"])

    @contextmanager
    def writing(self) -> Iterator[tuple[Rows, float] | None]:
        """Context in which this process alone may `append`; yields what `read` returns, None if it is as read before.

        Raises `FolderInUseError` if another process writes to the folder.
        """
        with only_writer(self.path.parent):
            as_read = self.card.exists() and self.path.exists() and self.path.stat().st_size == self._size
            found = None if as_read else self.read()
            self.path.touch()
            if not self.card.exists():
                self._write_card(0.0)
            os.truncate(self.path, self._size)  # what an interruption has left of a line
            yield found

    def append(self, first: int, rows: Rows, seconds: float) -> None:
        """Append games, numbered from ``first``.

        If this is interrupted or fails, the next `writing` reads the file again, and finds what is there.
        """
        size, self._size = self._size, _UNKNOWN
        text = b"".join([self._sealed(line.encode()) for line in self._lines(first, rows)])
        with self.path.open("ab") as file:
            file.write(text)
        self._write_card(seconds)
        self._size = size + len(text)

    def _sealed(self, line: bytes) -> bytes:
        """A line as written: JSON with a checksum over it and all lines before."""
        return b'%b,"sha":"%b"}\n' % (line[:-1], self._next_seal(line).encode())

    def _next_seal(self, content: bytes) -> str:
        """The checksum of a line: 4 hexadecimal digits of the SHA-256 of everything up to it."""
        self._hash.update(content)
        return self._hash.digest()[:2].hex()

    def _write_card(self, seconds: float) -> None:
        write_json(self.card, {"setup": self._setup, "seconds": round(seconds, 3)})

    def _lines(self, first: int, rows: Rows) -> Iterator[str]:
        """The games as JSON; a template is several times as fast as `json`, and a cluster waits for nothing else."""
        seats = range(self._table.num_players)
        integers, score = ",".join("%d" for _ in seats), json.dumps(self._score).replace("%", "%%")
        actions = ',"actions":"%s"' if rows.actions else ""
        template = f'{{"game":%d,"seed":%d,"seats":[{integers}],"winners":[%s],{score}:[{integers}]{actions}}}'
        sets = (rows.winners @ (1 << np.arange(len(seats)))).tolist()  # of winners, as bits
        winners = {bits: ",".join(str(seat) for seat in seats if bits >> seat & 1) for bits in set(sets)}
        columns = [range(first, first + len(rows.seeds)), rows.seeds.tolist(), *rows.seats.T.tolist()]
        columns += [[winners[bits] for bits in sets], *rows.scores.T.tolist()]
        return (template % cells for cells in zip(*columns, *([rows.actions] if rows.actions else []), strict=True))

    def _read_card(self) -> dict[str, Any] | None:
        if not self.card.exists():
            if self.path.exists() and self.path.stat().st_size:  # an empty one was created before a kill
                raise ValueError(f"{self.path} has no card {self.card.name} beside it, so its setup is unknown")
            return None
        try:
            card = parse_json(read_file(self.card, MAX_LIST))
            setup = card["setup"]
            float(card["seconds"]), setup["agents"], setup["format"]
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise ValueError(f"{self.card} is not the card of a tournament, or is damaged: {error!r}") from None
        return dict(card)

    def _read(self) -> Rows:
        if not self.path.exists():
            raise ValueError(f"{self.card} has no games: {self.path.name} is missing beside it")
        *lines, _ = read_file(self.path, MAX_DATA).split(b"\n")  # the rest was truncated by an interruption
        self._size, self._hash = sum(len(line) + 1 for line in lines), sha256()
        found = [self._parse(number, line) for number, line in enumerate(lines)]
        seeds, seats = self._table.schedule(0, len(found))
        for number, line in enumerate(found):
            if line["seed"] != seeds[number] or line["seats"] != seats[number].tolist():
                self._refuse(number, "seed and seats are not those of this game")
            if line["sha"] != self._next_seal(lines[number].rpartition(b',"sha":')[0] + b"}"):
                self._refuse(number, "its checksum is wrong")
        winners = np.zeros(seats.shape, np.bool_)
        for number, line in enumerate(found):
            winners[number, line["winners"]] = True
        scores = np.array([line[self._score] for line in found], np.int64).reshape(seats.shape)
        actions = [] if self._table.compiled else [line["actions"] for line in found]
        return Rows(seeds, seats, winners, scores, actions)

    def _parse(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            found = parse_json(line)
        except ValueError:
            self._refuse(number, "it is not JSON")
        names = ["game", "seed", "seats", "winners", self._score, *([] if self._table.compiled else ["actions"])]
        if not isinstance(found, dict) or list(found) != [*names, "sha"]:
            self._refuse(number, f"it does not hold {', '.join(names)} and sha")
        players = self._table.num_players
        if found["game"] != number:
            self._refuse(number, f"it holds game {found['game']!r} instead of {number}")
        winners = found["winners"]
        if not _are_integers(winners) or winners != sorted(set(winners) & set(range(players))):
            self._refuse(number, f"winners={winners!r} are not seats in order")
        if not _are_integers(found[self._score]) or len(found[self._score]) != players:
            self._refuse(number, f"{self._score}={found[self._score]!r} are not {players} integers")
        return dict(found)

    def _refuse(self, number: int, why: str) -> NoReturn:
        raise ValueError(f"{self.path}, line {number + 1}: {why}; the file is damaged or was modified")


def _are_integers(values: object) -> bool:
    return isinstance(values, list) and all(type(value) is int and abs(value) < 2**63 for value in values)


def refuse_other_setup(path: Path, found: dict[str, Any], own: dict[str, Any], option: str) -> None:
    """Raise a `ValueError` naming the first difference between the setup ``found`` at a path and one's ``own``."""
    for name, value in own.items():
        if found.get(name) != value:
            old, new = _differing(found.get(name), value)
            raise ValueError(
                f"{path} holds games with {name}={old!r}, not {name}={new!r}: "
                f"use the same setup, or another place ({option})"
            )


def _differing(old: Any, new: Any) -> tuple[Any, Any]:
    """The first differing items of two lists, or of two dicts with the same keys; otherwise both values unchanged."""
    if isinstance(old, dict) and isinstance(new, dict) and list(old) == list(new):
        differing = [name for name in new if old[name] != new[name]]
        if "name" in new:
            return (old["name"], new["name"]) if "name" in differing else (old, new)
        return {differing[0]: old[differing[0]]}, {differing[0]: new[differing[0]]}
    if isinstance(old, list) and isinstance(new, list):
        for before, now in zip(old, new, strict=False):
            if before != now:
                return before, now
        return f"{len(old)} of them", f"{len(new)} of them"
    return old, new


def describe(table: Table) -> dict[str, Any]:
    """The setup that all games of a file share, JSON-ready: options, line-ups, versions, agents."""
    env = table.env()
    names = [agent.name for agent in table.agents]
    return {
        "format": _FORMAT,
        "game": table.game,
        "version": env.game.version,
        "num_players": table.num_players,
        "variant": table.variant,
        "options": table.options,
        "seed": table.seed,
        "duplicate": table.duplicate,
        "versions": versions(),
        "rules": fingerprint(*(function for function in vars(env.game.rules).values()))[:16],
        "agents": [describe_agent(agent) for agent in table.agents],
        "lineups": [[names[number] for number in lineup] for lineup in table.lineups],
    }


def describe_agent(agent: Agent) -> dict[str, Any]:
    """Identity of an agent: hashes of code and parameters for a compiled agent, otherwise its class."""
    if not isinstance(agent, CompiledAgent):
        return {"name": agent.name, "class": f"{type(agent).__module__}.{type(agent).__qualname__}"}
    parameters = sha256(agent.parameters.astype("<f4").tobytes()).hexdigest()
    return {"name": agent.name, "code": fingerprint(agent.policy)[:16], "parameters": parameters[:16]}
