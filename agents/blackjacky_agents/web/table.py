"""One table of people and agents: the game, who sits where, what each seat is told. No network here.

The table alone knows the cards. `Table.state` is all that a seat is ever sent, made from its own view.
"""

from __future__ import annotations

import copy
import json
import secrets
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.games import get_kit
from blackjacky_agents.narration import Phrase, action_phrase, is_settled, page_texts, tell_move
from blackjacky_agents.registry import bot_names, make_agent
from blackjacky_agents.web.messages import MessageError, check_name
from blackjacky_agents.web.picture import picture
from blackjacky_env import IllegalActionError
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.envs.aec import MAX_SEED, TableEnv

FORMAT = 1
SENTENCES = 40
"""So many of the last sentences of the story are sent."""


@dataclass
class Seat:
    """Who sits at a seat: an agent, or a person who has the token."""

    name: str
    agent: str | None = None
    token: str | None = None


def person(name: str) -> Seat:
    """A seat for a person, with a new token."""
    return Seat(name, token=secrets.token_urlsafe(24))


def seats_for(people: Sequence[str], agents: Sequence[str]) -> list[Seat]:
    """People spread evenly round the table, agents clockwise in the seats between; the first person has seat 0.

    Agents of the same name are numbered.
    """
    players = len(people) + len(agents)
    places = {i * players // len(people): name for i, name in enumerate(people)}
    rest = iter(agents)
    seats = [person(places[i]) if i in places else Seat(name := next(rest), agent=name) for i in range(players)]
    for i, seat in enumerate(seats):
        same = sum(other.agent == seat.agent for other in seats[:i])
        if seat.agent is not None and same:
            seat.name = f"{seat.agent} {same + 1}"
    return seats


class Table:
    """A table and its game.

    Args:
        game: name of the game.
        seats: who sits there, seat 0 first.
        variant, rules: variant and rule options as `TableEnv` takes them.
        seed: of the first game, 0 .. 2**63 - 1; None: drawn from the system. It is told to nobody.
        hints: names of the agents that give hints; None: the game's bots, the strongest first, without ``random``.

    Raises:
        TypeError, ValueError: an option or an agent is not there or not possible; the message says which.
    """

    def __init__(
        self,
        game: str,
        seats: Sequence[Seat],
        variant: str | None = None,
        rules: Mapping[str, Any] | None = None,
        seed: int | None = None,
        hints: Sequence[str] | None = None,
    ) -> None:
        self.env = TableEnv(game, len(seats), variant, **(rules or {}))
        self.texts = page_texts(game)
        """The words of the game for the page, by language."""
        self.seats = list(seats)
        self.path: Path | None = None
        """The file that the table is kept in, after `save`."""
        self.hints = [name for name in bot_names(game)[::-1] if name != "random"] if hints is None else list(hints)
        self._advisers: dict[str, Agent] = {name: make_agent(name, game) for name in self.hints}
        self._agents = {q: make_agent(seat.agent, game) for q, seat in enumerate(seats) if seat.agent is not None}
        self.earlier = 0
        """Moves made in earlier games of this table."""
        self._begin(secrets.randbelow(MAX_SEED) if seed is None else seed)
        self._warm_up()

    def _warm_up(self) -> None:
        """Compile now what people would wait for later."""
        observation = self.env.observe(self.env.agent_selection)
        for agent in (*self._agents.values(), *self._advisers.values()):
            if isinstance(agent, CompiledAgent):
                agent.act(observation)
        copy.deepcopy(self.env).step(int(observation["action_mask"].argmax()))

    def _begin(self, seed: int) -> None:
        self.env.reset(seed=seed)
        self._wake_agents()
        self._views = self._look()
        self._told: list[dict[int, list[Phrase]]] = []  # by move: sentences by seat of a person

    def _wake_agents(self) -> None:
        """Agents begin anew, in a way that cannot be foreseen."""
        for agent in (*self._agents.values(), *self._advisers.values()):
            agent.reset(secrets.randbelow(2**31))

    # ---------------------------------------------------------------- the game

    @property
    def people(self) -> dict[int, str]:
        """Tokens by seat."""
        return {q: seat.token for q, seat in enumerate(self.seats) if seat.token is not None}

    @property
    def over(self) -> bool:
        """The game has ended."""
        return any(self.env.terminations.values())

    @property
    def turn(self) -> int | None:
        """The seat to act; None when the game is over."""
        return None if self.over else self._seat_of(self.env.agent_selection)

    @property
    def move(self) -> int:
        """The number of the move to be made: it rises with every move, through all games of the table."""
        return self.earlier + len(self._told)

    @staticmethod
    def _seat_of(agent: str) -> int:
        return int(agent.removeprefix("player_"))

    @staticmethod
    def _agent_of(seat: int) -> str:
        return f"player_{seat}"

    def act(self, seat: int, move: int, action: int) -> None:
        """A person plays ``action`` as the move of that number.

        Raises `MessageError`: it is somebody else's turn, another move, or not legal; nothing has changed.
        """
        self._require_turn(seat, move)
        if not 0 <= action < self.env.game.num_actions:
            allowed = f"allowed are 0 .. {self.env.game.num_actions - 1}"
            raise MessageError("illegal", f"action {str(action)[:20]} is out of range; {allowed}")
        try:
            self._play(action)
        except IllegalActionError as error:
            raise MessageError("illegal", str(error)) from None

    def _require_turn(self, seat: int, move: int) -> None:
        if self.over:
            raise MessageError("over", "the game is over; the next one begins with 'again'")
        if move != self.move:
            raise MessageError("stale", f"this was for move {str(move)[:20]}; now it is move {self.move}")
        if seat != self.turn:
            raise MessageError("turn", f"it is the turn of {self.seats[self.turn or 0].name}, not yours")

    def thought(self) -> Callable[[], int]:
        """What the agent whose turn it is would do: a function that may take long and can run in a thread."""
        assert self.turn is not None
        return self._asked(self._agents[self.turn], self.turn)

    def play_agent(self, action: int) -> None:
        """The agent whose turn it is plays what `thought` said."""
        self._play(action)

    def hint(self, seat: int, move: int, agent: str) -> Callable[[], int]:
        """What ``agent`` would do in this seat, from what the seat sees: a function as `thought` gives it.

        Raises `MessageError`: there is no such agent here, or it is not the turn of that seat.
        """
        if agent not in self._advisers:
            names = ", ".join(map(repr, self.hints)) or "none"
            raise MessageError("agent", f"hints come from {names}, not from {ascii(agent)[:40]}")
        self._require_turn(seat, move)
        return self._asked(self._advisers[agent], seat)

    def _asked(self, agent: Agent, seat: int) -> Callable[[], int]:
        observation = self.env.observe(self._agent_of(seat))
        return lambda: int(agent.act(observation))

    def again(self) -> None:
        """The next game of the same people and agents; `MessageError` if this one is not over."""
        if not self.over:
            raise MessageError("over", "the game is not over yet")
        self.earlier = self.move + 1
        self._begin(secrets.randbelow(MAX_SEED))
        self.save()

    def rename(self, seat: int, name: str) -> None:
        """Call the person at a seat by that name; `MessageError` if it cannot be shown."""
        self.seats[seat].name = check_name(name)
        self.save()

    def _play(self, action: int) -> None:
        """Make a move, keep it, and note what each person is told of it."""
        before = self._views
        self.env.step(action)
        self._note(action)
        self._views = self._look()
        self._told.append({seat: self._story(seat, before[seat], action) for seat in self.people})

    def _look(self) -> dict[int, dict[str, Any]]:
        """The views of people, by seat."""
        return {seat: self.env.view(self._agent_of(seat)) for seat in self.people}

    def _story(self, seat: int, before: dict[str, Any], action: int) -> list[Phrase]:
        game, after = self.env.game.name, self._views[seat]
        told = tell_move(self.env, before, after, action, seat)
        return told + get_kit(game).narrator.settlement(after) if is_settled(game, before, after) else told

    # ---------------------------------------------------------------- what a seat is sent

    def state(self, seat: int) -> dict[str, Any]:
        """All that the person at ``seat`` is told of the table now, JSON-ready."""
        view, names = self._views[seat], [each.name for each in self.seats]
        return {
            "type": "state",
            "game": self.env.game.name,
            "title": self.env.game.title,
            "you": seat,
            "names": names,
            "agents": [each.agent for each in self.seats],
            "move": self.move,
            "turn": self.turn,
            "view": view,
            "picture": picture(self.env, self._agent_of(seat), names),
            "actions": self.actions(seat),
            "story": self.story(seat),
            "hints": self.hints,
            "winners": view["winners"] if self.over else None,
        }

    def actions(self, seat: int) -> list[dict[str, Any]]:
        """The legal actions of ``seat``, none off turn, as data: the number and what `action_phrase` says."""
        if seat != self.turn:
            return []
        legal = np.flatnonzero(self.env.observe(self._agent_of(seat))["action_mask"]).tolist()
        infos, players = self.env.game.words.actions, len(self.seats)
        return [{"action": action, **action_phrase(infos[action], seat, players)} for action in legal]

    def story(self, seat: int) -> list[dict[str, Any]]:
        """The last sentences that ``seat`` was told, with the number of the move that they tell of."""
        told: list[dict[str, Any]] = []
        for i in range(len(self._told) - 1, -1, -1):
            told[:0] = [{"move": self.earlier + i, "phrase": sentence} for sentence in self._told[i][seat]]
            if len(told) >= SENTENCES:
                break
        return told[-SENTENCES:]

    def record(self) -> dict[str, Any]:
        """Names and record, which hold every card; `MessageError` before the game is over."""
        if not self.over:
            raise MessageError("over", "the record holds every card, so it is there when the game is over")
        names = {self._agent_of(q): seat.name for q, seat in enumerate(self.seats)}
        return {"names": names, "record": self.env.record()}

    # ---------------------------------------------------------------- kept in a file

    def save(self) -> None:
        """Write the whole table aside and put it in place at once: a line of JSON, and a line for each action."""
        if self.path is None:
            return
        record = self.env.record()
        actions = record.pop("actions")
        seats = [asdict(seat) for seat in self.seats]
        kept = {"format": FORMAT, "earlier": self.earlier, "hints": self.hints, "seats": seats, "record": record}
        aside = self.path.with_name(self.path.name + ".part")
        aside.touch(mode=0o600)  # tokens and cards are nobody else's business
        aside.write_text("\n".join([json.dumps(kept), *map(str, actions), ""]), encoding="utf-8")
        aside.replace(self.path)

    def _note(self, action: int) -> None:
        """Add an action to the file, which is a hundred times faster than to put another file in its place.

        If that fails (a full disk), a warning says so and the game goes on without being kept.
        """
        if self.path is None:
            return
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{action}\n")
        except OSError as error:
            warnings.warn(f"{error}; this game goes on, but is kept no longer", stacklevel=2)
            self.path = None


def resumed(path: Path) -> Table:
    """The table that is kept in a file, after the last move that was written whole.

    Raises `ValueError`: the file holds no table of this version; the message says what is wrong.
    """
    try:
        first, *actions = path.read_text(encoding="utf-8").split("\n")[:-1]
        kept = json.loads(first)
        if kept["format"] != FORMAT:
            raise ValueError(f"format={kept['format']!r} is not {FORMAT}")
        record = kept["record"]
        seats = [Seat(**seat) for seat in kept["seats"]]
        table = Table(record["game"], seats, record["variant"], record["options"], hints=kept["hints"])
        table.earlier = check_integer("earlier", kept["earlier"], 0, 2**53)
        table.env.replay({**record, "actions": []})
        table._views = table._look()
        for action in actions:
            table._play(int(action))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} holds no table that can go on: {error!r}") from error
    table.path = path
    table.save()  # without a last line that is not whole
    return table
