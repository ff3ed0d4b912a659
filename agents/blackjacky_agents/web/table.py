"""One table of people and agents: the game, the seats and the state sent to each seat, without any networking.

Only the table knows all cards. `Table.state`, made from the seat's own view, is all that a seat is ever sent.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from blackjacky_agents.agent import recalls, shown_to, warm_up
from blackjacky_agents.aside import aside
from blackjacky_agents.games import get_kit
from blackjacky_agents.kit.narration import Narrator, Pause, Phrase, ScoreRow, SeenMove, action_phrase, say
from blackjacky_agents.search.hints import advise
from blackjacky_agents.storage.files import write_file
from blackjacky_agents.web.drawing import TABLE_IN_ENGLISH, PictureStyle, shown
from blackjacky_agents.web.messages import MessageError
from blackjacky_agents.web.names import check_free, check_name
from blackjacky_agents.web.seats import Occupant, Thinker, check_seats, levels, new_token, strongest
from blackjacky_agents.wording import is_settled, known_move, page_texts, score_table
from blackjacky_env import IllegalActionError
from blackjacky_env.checks import check_integer
from blackjacky_env.envs import MAX_SEED, TableEnv
from blackjacky_env.reading import parse_json, read_file

Reader = int | None
"""Whoever is shown a table: the seat of a person, or None for spectators."""
FORMAT = 2
SENTENCES = 40
"""Number of most recent story sentences sent to a seat."""


class Table:
    """A table and its game.

    Args:
        game: name of the game.
        seats: the occupants, seat 0 first.
        variant, rules: variant and rule options as for `TableEnv`.
        seed: seed of the first game, 0 .. 2**63 - 1, which is never sent; None: a seed from the operating system.
        hints: the agent that gives hints; "": there are none; None: the strongest agent at the table.
        watch: the token of spectators; None: a new one.

    Raises:
        TypeError, ValueError: an option, an agent or a seat is unknown or invalid.
    """

    def __init__(
        self,
        game: str,
        seats: Sequence[Occupant],
        variant: str | None = None,
        rules: Mapping[str, Any] | None = None,
        seed: int | None = None,
        hints: str | None = None,
        watch: str | None = None,
    ) -> None:
        self.env = TableEnv(game, len(seats), variant, **(rules or {}))
        self.watch = new_token() if watch is None else watch
        """The token of all spectators."""
        check_seats(seats, self.watch)
        self._levels = {agent: level for level, agent in reversed(levels(game).items())}
        self.texts = page_texts(game)
        """The texts of the game for the page, by language."""
        self.seats = list(seats)
        self.path: Path | None = None
        """The file in which the table is saved; None: nowhere."""
        self._is_behind = False  # the file, because a move could not be appended to it
        self.hints = strongest(game, [seat.agent for seat in seats]) if hints is None else hints
        self._agents = {q: Thinker(seat.agent, game) for q, seat in enumerate(seats) if seat.agent is not None}
        self._hint_agents = {q: Thinker(self.hints, game) for q in self.people} if self.hints else {}
        self.earlier = 0
        """Number of moves in earlier games at this table."""
        self.env.reset(seed=secrets.randbelow(MAX_SEED) if seed is None else seed)
        self._begin()
        warm_up((each.agent for each in self._thinkers), self.env)  # so that nobody waits for it during the game

    @property
    def _thinkers(self) -> list[Thinker]:
        return [*self._agents.values(), *self._hint_agents.values()]

    def _begin(self) -> None:
        for each in self._thinkers:
            each.begin_game()
        self._views = self._look()
        self._told: list[dict[Reader, list[Phrase]]] = []  # for each move: sentences by reader
        self._paused: dict[Reader, SeenMove] = {}  # the move before the last pause
        self._settled: dict[Reader, SeenMove] = {}  # the move before the last settlement
        self._lost: dict[int, int] = {}  # when players have lost all they had, as the number of the next move
        self.moments: list[str] = []
        """What people should see after the last move, in this order: ``"pause"`` and ``"settlement"``."""
        self.was_secret = False
        """Whether the last move was a secret, so that there is little to read."""

    # ---------------------------------------------------------------- the game

    @property
    def people(self) -> dict[int, str]:
        """Tokens of people by seat."""
        return {q: seat.token for q, seat in enumerate(self.seats) if seat.token is not None}

    @property
    def readers(self) -> list[Reader]:
        """Whoever is shown the table: the seats of people, and None for spectators."""
        return [*self.people, None]

    def page_of(self, reader: Reader) -> str:
        """The path of a reader's page; the token in it gives access to the seat."""
        return f"/watch/{self.watch}" if reader is None else f"/seat/{self.people[reader]}"

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return any(self.env.terminations.values())

    @property
    def turn(self) -> int | None:
        """The seat to act; None when the game is over."""
        return None if self.over else int(self.env.agent_selection.removeprefix("player_"))

    @property
    def move(self) -> int:
        """The number of the next move, counted over all games at this table."""
        return self.earlier + len(self._told)

    @property
    def round(self) -> int:
        """The number of the round or deal, from 1."""
        return int(self.env.view(None)[self.env.game.words.round_key]) + 1

    @property
    def _names(self) -> list[str]:
        return [seat.name for seat in self.seats]

    def act(self, seat: int, move: int, action: int) -> None:
        """Take a person's ``action`` as move number ``move``.

        Raises `MessageError` if it is not that seat's turn, the number is not that of the next move, or the action is
        illegal; the table is unchanged.
        """
        self.require_turn(seat, move)
        if not 0 <= action < self.env.game.num_actions:
            allowed = f"allowed are 0 .. {self.env.game.num_actions - 1}"
            raise MessageError("illegal", f"action {str(action)[:20]} is out of range; {allowed}")
        try:
            self.play(action)
        except IllegalActionError as error:
            raise MessageError("illegal", str(error), error.reason) from None

    def require_turn(self, seat: int, move: int) -> None:
        """Raise `MessageError` unless it is that seat's turn and the number that of the next move."""
        if self.over:
            raise MessageError("over", "the game is over; the next one begins with 'again'")
        if move != self.move:
            raise MessageError("stale", f"this was for move {str(move)[:20]}; now it is move {self.move}")
        if seat != self.turn:
            raise MessageError("turn", f"it is the turn of {self.seats[self.turn or 0].name}, not yours")

    def thought(self) -> Callable[[], int]:
        """A function that returns the action of the agent to act; it may take long and can run in a thread."""
        assert self.turn is not None
        return self._agents[self.turn].asked(self.env)

    def hint(self, seat: int, move: int) -> Callable[[], int]:
        """A function, as from `thought`, that returns the action to be recommended to this seat.

        Raises `MessageError` if the table gives no hints, or it is not that seat's turn.
        """
        self._require_hints(seat, move)
        return self._hint_agents[seat].asked(self.env)

    def outlook(self, seat: int, move: int, action: int) -> Callable[[], list[dict[str, Any]]]:
        """A function that estimates what may come of an action and the most promising others, as `Outlook` data.

        It takes seconds. Raises `MessageError` as `hint`, and if the action is not legal.
        """
        self._require_hints(seat, move)
        if action not in self._legal(seat):
            raise MessageError("illegal", f"action {str(action)[:20]} is not legal now")
        solutions = tuple(sorted({each.name for each in self._thinkers if recalls(each.agent)}))
        table = (self.env.game.name, len(self.seats))
        heard = shown_to([each.agent for each in self._thinkers], self.env, f"player_{seat}")
        return lambda: [each._asdict() for each in aside(advise, *table, solutions, heard, action)]

    def _require_hints(self, seat: int, move: int) -> None:
        if not self.hints:
            raise MessageError("agent", "this table gives no hints")
        self.require_turn(seat, move)

    def again(self) -> None:
        """Start another game in the same seats; `MessageError` if the current one is not over."""
        if not self.over:
            raise MessageError("over", "the game is not over yet")
        self.restart()

    def restart(self) -> None:
        """Start another game in the same seats, even if the current one is not over.

        Raises `MessageError` if it cannot be saved; then the current one stays.
        """
        coming = TableEnv(self.env.game.name, len(self.seats), self.env.variant, **self.env.options)
        coming.reset(seed=secrets.randbelow(MAX_SEED))
        earlier = self.move + 1
        self._save_first(coming, earlier, self.seats)
        self.env, self.earlier = coming, earlier
        self._begin()

    def rename(self, seat: int, name: str) -> None:
        """Change the name of the person at a seat.

        Raises `MessageError` if it is invalid or another player's, or cannot be saved; then the old one stays.
        """
        name = check_name(name)
        check_free(name, [other.name for q, other in enumerate(self.seats) if q != seat])
        seats = [replace(each, name=name) if q == seat else each for q, each in enumerate(self.seats)]
        self._save_first(self.env, self.earlier, seats)
        self.seats = seats

    def _save_first(self, env: TableEnv, earlier: int, seats: Sequence[Occupant]) -> None:
        try:
            self._write(env, earlier, seats)
        except OSError as error:
            raise MessageError("saving", f"this could not be saved, so nothing has changed: {error.strerror}") from None

    def play(self, action: int) -> None:
        """Make a move of whoever is to act, save it, and add it to the story of each person."""
        before = self._views
        self.env.step(action)
        self._append(action)
        self._views = self._look()
        moves = {each: known_move(self.env, before[each], self._views[each], action, each) for each in self.readers}
        self._told.append({seat: self._story(move) for seat, move in moves.items()})
        self.was_secret = moves[None].action != self.env.game.words.actions[action]
        self._note_moments(moves)

    def _note_moments(self, moves: dict[Reader, SeenMove]) -> None:
        """Keep what people should see after the move; at the end the scores stay, so nobody has to wait for them."""
        self.moments = []
        if self._narrator.pause(moves[None]) is not None:
            self._paused = moves
            self.moments.append("pause")
        if is_settled(self.env.game.name, moves[None].before, moves[None].after):
            self._settled, after = moves, moves[None].after
            lost = [q for q in range(len(self.seats)) if self._narrator.has_lost(after, q)]
            self._lost = {q: self._lost.get(q, self.move) for q in lost}
            self.moments += [] if self.over else ["settlement"]

    @property
    def _narrator(self) -> Narrator:
        return get_kit(self.env.game.name).narrator

    def _last_pause(self, reader: Reader) -> Pause | None:
        return self._narrator.pause(self._paused[reader]) if self._paused else None

    def _look(self) -> dict[Reader, dict[str, Any]]:
        return {each: self.env.view(None if each is None else f"player_{each}") for each in self.readers}

    def _story(self, move: SeenMove) -> list[Phrase]:
        settled = is_settled(self.env.game.name, move.before, move.after)
        return [*self._narrator.story(move), *(self._narrator.settlement(move.after) if settled else [])]

    # ---------------------------------------------------------------- state sent to a seat

    def state(self, seat: Reader, style: PictureStyle = TABLE_IN_ENGLISH) -> dict[str, Any]:
        """The complete state sent to the person at ``seat``, or to spectators (None), JSON-ready."""
        view, pause = self._views[seat], self._last_pause(seat)
        return {
            "type": "state",
            "game": self.env.game.name,
            "title": self.env.game.title,
            "you": seat,
            "names": self._names,
            "agents": [each.agent for each in self.seats],
            "levels": [self._levels.get(each.agent or "") for each in self.seats],
            "move": self.move,
            "turn": self.turn,
            "view": view,
            **shown(self.env, seat, view, self._names, style),
            "options": self.env.config_dict(),
            "scores": self.scores(seat) if self.over else None,
            "last_pause": None if pause is None else pause.name,
            "actions": self.actions(seat),
            "prompt": self._narrator.prompt(view) if seat == self.turn else None,
            "story": self.story(seat),
            "hints": seat is not None and bool(self.hints),
            "winners": view["winners"] if self.over else None,
        }

    def actions(self, seat: Reader) -> list[dict[str, Any]]:
        """The legal actions of ``seat`` (none off turn) as data: the number and the fields of `action_phrase`."""
        if seat is None or seat != self.turn:
            return []
        infos, players = self.env.game.words.actions, len(self.seats)
        return [{"action": action, **action_phrase(infos[action], seat, players)} for action in self._legal(seat)]

    def _legal(self, seat: int) -> list[int]:
        legal: list[int] = np.flatnonzero(self.env.observe(f"player_{seat}")["action_mask"]).tolist()
        return legal

    def story(self, seat: Reader) -> list[dict[str, Any]]:
        """The most recent sentences of the story of ``seat``, each with the number of its move."""
        moves = enumerate(self._told, self.earlier)
        told = [{"move": move, "phrase": sentence} for move, each in moves for sentence in each[seat]]
        return told[-SENTENCES:]

    def pause(self, seat: Reader, style: PictureStyle = TABLE_IN_ENGLISH) -> dict[str, Any]:
        """What the last pause of this game shows to ``seat``; `MessageError` if there was none."""
        pause = self._last_pause(seat)
        if pause is None:
            raise MessageError("moment", "there is nothing to look at again yet")
        return {"name": pause.name, "told": pause.told, **shown(self.env, seat, pause.view, self._names, style)}

    def settled(self, seat: Reader, style: PictureStyle = TABLE_IN_ENGLISH) -> dict[str, Any]:
        """The table as ``seat`` sees it at the last settlement; empty if the game has no picture of that moment."""
        picture = self._narrator.settled
        return {} if picture is None else shown(self.env, seat, picture(self._settled[seat]), self._names, style)

    def scores(self, seat: Reader) -> dict[str, Any] | None:
        """The last settlement as data, see `ScoreTable`; None before the first.

        At the end the rows are in the order of their ``place`` (from 1; who ties shares it), and ``behind`` says by how
        much the first is ahead, None if by nothing.
        """
        if not self._settled:
            return None
        columns, rows = score_table(self.env.game.name, self._settled[seat])
        return {"columns": columns, "rows": self._placed(rows) if self.over else [row._asdict() for row in rows]}

    def _placed(self, rows: Sequence[ScoreRow]) -> list[dict[str, Any]]:
        winners, lost = self._views[None]["winners"], self._lost
        ranks = {row.seat: (row.seat not in winners, -row.standing, -lost.get(row.seat, 0)) for row in rows}
        places, told, found = sorted(ranks.values()), self.texts["en"]["sentences"], []
        first, *_ = rows = sorted(rows, key=lambda row: ranks[row.seat])
        for row in rows:
            number = abs(first.standing - row.standing)
            key = "behind_1" if number == 1 else "behind"
            behind = say(key, number=number, seat={"seat": first.seat}) if number and key in told else None
            found.append({**row._asdict(), "place": 1 + places.index(ranks[row.seat]), "behind": behind})
        return found

    def is_out(self, seat: int) -> bool:
        """Whether the person at ``seat`` will not act again in this game."""
        return self._narrator.is_out(self._views[seat], seat)

    def record(self) -> dict[str, Any]:
        """Names and record, which reveals every card; `MessageError` before the game is over."""
        if not self.over:
            raise MessageError("over", "the record reveals every card, so it is available after the game")
        return {"names": dict(zip(self.env.possible_agents, self._names, strict=True)), "record": self.env.record()}

    # ---------------------------------------------------------------- saved file

    def save(self) -> None:
        """Write the table atomically: a line of JSON, then one line per action."""
        self._write(self.env, self.earlier, self.seats)

    def discard(self) -> None:
        """Delete the file; the table is saved no longer."""
        if self.path is not None:
            with contextlib.suppress(OSError):
                self.path.unlink(missing_ok=True)
        self.path = None

    def _write(self, env: TableEnv, earlier: int, seats: Sequence[Occupant]) -> None:
        if self.path is None:
            return
        record = env.record()
        actions = record.pop("actions")
        kept = {"format": FORMAT, "earlier": earlier, "hints": self.hints, "watch": self.watch}
        kept |= {"seats": [asdict(seat) for seat in seats], "record": record}
        text = "\n".join([json.dumps(kept), *map(str, actions), ""])
        write_file(self.path, text, is_private=True)  # it contains tokens and hidden cards
        self._is_behind = False

    def _append(self, action: int) -> None:
        """Append an action to the file, which is a hundred times faster than replacing it.

        If that fails, such as on a full disk, a warning is issued, the game continues, and each of the next moves tries
        to replace the file.
        """
        if self.path is None:
            return
        try:
            if self._is_behind:
                self.save()
            else:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(f"{action}\n")
        except OSError as error:
            if not self._is_behind:
                warnings.warn(f"{error}; this game continues, and is saved as soon as that is possible", stacklevel=2)
            self._is_behind = True


def compile_hints(game: str) -> None:
    """Compile, where this is called, what estimates for hints need."""
    env = TableEnv(game)
    env.reset(seed=0)
    advise(game, env.num_players, (), env.observe(env.agent_selection))


def modified(path: Path) -> float:
    """When a file was last written, in seconds since 1970; 0 for a link that leads nowhere."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def resumed(path: Path) -> Table:
    """Restore a table from its file, after the last complete move.

    Raises `ValueError` if the file is damaged or was written by another version.
    """
    try:
        lines = read_file(path).split(b"\n")
        first, *actions = (line.decode() for line in lines[:-1])
        kept = parse_json(first)
        if kept["format"] != FORMAT:
            raise ValueError(f"format={kept['format']!r} is not {FORMAT}")
        record, seats = kept["record"], [Occupant(**seat) for seat in kept["seats"]]
        variant, rules = record["variant"], record["options"]
        table = Table(record["game"], seats, variant, rules, hints=kept["hints"], watch=kept["watch"])
        table.earlier = check_integer("earlier", kept["earlier"], 0, 2**53)
        table.env.replay({**record, "actions": []})
        table._views = table._look()
        for action in actions:
            table.play(int(action))
        if lines[-1]:  # an incomplete last line; a file that is whole keeps its date
            os.truncate(path, sum(len(line) + 1 for line in lines[:-1]))
    except (AttributeError, LookupError, OSError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path} holds no table that can be continued: {error!r}") from error
    table.path = path
    return table
