"""What can be seen and heard at a table: snapshots, views, pictures, texts, events, information states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict
from typing import Any, TypeVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv

from blackjacky_env.checks import check_flag, check_integer
from blackjacky_env.declare.actions import names_from
from blackjacky_env.declare.game import Game
from blackjacky_env.declare.layout import Vector
from blackjacky_env.draw.picture import draw_svg, names_of
from blackjacky_env.draw.scene import Say, Scene
from blackjacky_env.draw.text import WIDTH, draw_text
from blackjacky_env.envs import screen
from blackjacky_env.envs.formats import Format
from blackjacky_env.play import heard
from blackjacky_env.play.one_game import GameFunctions
from blackjacky_env.play.past import OTHER_PAST, Moment, Past, moments

T = TypeVar("T", heard.Events, heard.SeatKeys)


class Looking(AECEnv[str, Any, Any]):
    """The part of a `TableEnv` that shows and tells, and changes nothing."""

    game: Game
    num_players: int
    variant: str
    options: dict[str, Any]
    reward: str
    render_mode: str | None
    render_as: str | None
    events_in_infos: bool
    _format: Format
    _seats: dict[str, int]  # by agent
    _blank: npt.NDArray[Any]  # (2,), the options of the game
    _states: npt.NDArray[Any]  # (2,), the game, and a copy made at its last settlement
    _has_settled: bool
    _past: Past
    _hearing: dict[Any, Any]  # what has been asked for of what seats have heard; see `_recall`
    _started: bool
    _functions: GameFunctions

    def config_dict(self) -> dict[str, Any]:
        """All options in force as plain Python values."""
        given = {name: getattr(self, name) for name in ("num_players", "variant", "reward", "render_mode", "render_as")}
        return {**given, **asdict(self._format), "events_in_infos": self.events_in_infos, **deepcopy(self.options)}

    def state(self) -> npt.NDArray[np.int16]:
        """The whole table, hidden cards included, for centralised critics: int16, shape of ``state_space``."""
        self._require_game()
        s = self._states[0]
        fields = np.concatenate([np.ravel(s[name]) for name in self.game.fields.on_table])
        whole: npt.NDArray[np.int16] = np.minimum(fields.astype(np.int64), np.iinfo(np.int16).max).astype(np.int16)
        return whole

    def snapshot(self) -> dict[str, Any]:
        """Everything on the table, hidden cards included; plain Python values, JSON-ready."""
        self._require_game()
        return self.game.words.snapshot(self._states[0], self._states[1] if self._has_settled else None)

    def view(self, agent: str | None) -> dict[str, Any]:
        """The snapshot as ``agent`` may know it; None: as a spectator."""
        return self.game.words.view(self.snapshot(), None if agent is None else self._check_agent(agent))

    def scene(self, agent: str | None = None) -> Scene:
        """What ``agent`` (None: a spectator) sees on the table, as data, of which pictures and texts are made."""
        viewer = None if agent is None else self._check_agent(agent)
        return self.game.scene(self.view(agent), self.config_dict(), viewer)

    def draw_text(
        self, agent: str | None = None, *, colour: bool = False, names: Sequence[str] | None = None, width: int = WIDTH
    ) -> str:
        """The table as ``agent`` (None: a spectator) sees it, as text.

        Args:
            agent: the agent whose view is drawn.
            colour: whether the text has ANSI escape codes, which change no visible character.
            names: names of the players by seat; None: ``player_0`` .. .
            width: columns; longer lines continue below.

        Raises `ValueError` for an unknown agent or a wrong number of names.
        """
        return draw_text(self.scene(agent), colour=check_flag("colour", colour), names=names, width=width)

    def draw(self, agent: str | None = None, *, names: Sequence[str] | None = None, theme: str = "auto") -> str:
        """The table as ``agent`` (None: a spectator) sees it, with the last action, as an SVG of 640 x 600 units.

        Seats are groups ``g.seat[data-seat]``. Open cards of the seat at the bottom, or of all seats where everybody's
        lie open, are groups ``g.card[data-card]`` in that seat, named as in the snapshot. What else belongs to actions
        has their fields: ``data-kind``, ``data-pile``, ``data-number``.

        Args:
            agent: the agent whose view is drawn.
            names: names of the players by seat; None: ``player_0`` .. .
            theme: ``"light"``, ``"dark"`` or ``"auto"`` (what the reader's system prefers).

        Raises `ValueError` for an unknown agent or theme, or a wrong number of names.
        """
        last_action = self.last_action(None if agent is None else self._check_agent(agent), names=names)
        return draw_svg(self.scene(agent), names=names, last_action=last_action, theme=theme)

    def last_action(
        self, seat: int | None = None, everything: bool = False, *, names: Sequence[str] | None = None
    ) -> str:
        """The last action and who took it, in words; empty at the start of a game.

        Args:
            seat: the seat whose knowledge is used, since parts of an action may be secret; None: a spectator.
            everything: include secrets.
            names: names of the players by seat; None: ``player_0`` .. .

        Raises `ValueError` for a wrong number of names.
        """
        called = names_of(self.num_players, names)
        if self._past.last_move is None:
            return ""
        actor, action, phase = self._past.last_move
        actions = self.game.words.actions
        known = actions.known(action, self.game.words.phases[phase], is_own=everything or seat == actor)
        return f"{called[actor]}: {actions.tell(known, names_from(actor, called))}"

    def render(self) -> str | screen.Frame | None:
        """The table as ``render_as`` sees it.

        Returns:
            ``"ansi"``: text, as by `draw_text`; ``"rgb_array"``: pixels, uint8, shape (390, 416, 3); ``"human"``: None,
            drawn in a window.
        """
        self._require_game()
        if self.render_mode is None:
            modes = ", ".join(map(repr, self.metadata["render_modes"]))
            gymnasium.logger.warn(f"render() was called without a render mode: pass one of {modes} as render_mode")
            return None
        if self.render_mode == "ansi":
            return self.draw_text(self.render_as)
        svg = self.draw(self.render_as, theme="light")
        if self.render_mode == "rgb_array":
            return screen.frame(svg)
        screen.show(svg, self.game.title, self.metadata["render_fps"])
        return None

    def _repr_svg_(self) -> str | None:
        return self.draw(self.render_as) if self._started else None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self.render_mode == "human":
            screen.close()

    def _require_game(self) -> None:
        if not self._started:
            raise ResetNeeded("no game is running: call reset() first")

    def _check_agent(self, agent: str) -> int:
        if agent not in self._seats:
            raise ValueError(f"unknown agent {agent!r}; agents are {', '.join(self.possible_agents)}")
        return self._seats[agent]

    def _look(self, agent: str) -> tuple[Vector, npt.NDArray[Any]]:
        self._require_game()
        observation, mask = self.game.new_arrays()
        self._functions.look(self._states, self._check_agent(agent), observation, mask)
        return observation, self._format.mask(mask)

    # ------------------------------------------------------------ what actions are called

    def action_name(self, action: int) -> str:
        """The English name of ``action``; seats in it are relative to the acting player."""
        return self.game.words.actions.name(check_integer("action", action, 0, self.game.num_actions - 1))

    def describe_action(self, action: int) -> dict[str, Any]:
        """``action`` as JSON-ready data, and errors, as by ``describe_action`` of the game's module."""
        return self.game.words.actions[check_integer("action", action, 0, self.game.num_actions - 1)].describe()

    def parse_action(self, text: str) -> int:
        """The action called ``text``; `TypeError` if it is not a string, `ValueError` if there is no such action."""
        if not isinstance(text, str):
            raise TypeError(f"text={text!r} is not a string; allowed are names of actions")
        return self.game.words.actions.parse(text)

    def why_illegal(self, action: int) -> str | Say:
        """Why ``action``, which must not be legal now, is not: the ``reason`` of an `IllegalActionError`."""
        self._require_game()
        number = check_integer("action", action, 0, self.game.num_actions - 1)
        return self.game.words.why_illegal(self._states[0], number)

    # ------------------------------------------------------------ what seats have heard

    def events(self, agent: str | None) -> list[dict[str, Any]]:
        """What ``agent`` (None: a spectator) has heard since the last deal, oldest first; plain values, JSON-ready.

        Each event is a dict of ``actor`` (the seat that acted; None: nobody did), ``action`` (as by `describe_action`,
        with ``"hidden"`` for what this agent may not know of it) and ``shown`` (the entries of `view` that changed,
        with their new values). The first event shows the whole view after the deal, and names the action that ended
        the deal before; together the events make up the current view. A position from ``sample_state`` has no past:
        its first event shows it as it was sampled. Events are shared with `infos`: do not change them.

        Raises `ValueError` if the position was set by a state whose actions do not lead to it.
        """
        return self._heard_by(agent).since_deal

    def information_state(self, agent: str | None) -> str:
        """Everything that ``agent`` (None: a spectator) has observed since the game began, as text.

        The first line names the table, the second one shows the agent's view at the start, then each action has a line:
        what the agent knows of it, and what it changed in its view. So later texts begin with the earlier ones, and the
        texts of two histories are equal exactly if the agent cannot tell them apart. The text of a position from
        ``sample_state``, which has no past, begins there.

        Raises `ValueError` if the position was set by a state whose actions do not lead to it.
        """
        settings = {"num_players": self.num_players, "variant": self.variant, **self.options}
        return self._heard_by(agent).text(self.possible_agents, settings)

    @property
    def information_state_space(self) -> spaces.Box:
        """The space of `information_state_vector`; `ValueError` if it has none at this table."""
        low, high = self._vector_bounds()
        return spaces.Box(low, high, dtype=low.dtype.type)

    def information_state_vector(self, agent: str) -> npt.NDArray[Any]:
        """What ``agent`` has observed since the game began: int8 or int16, shape of `information_state_space`.

        It is the agent's observation, followed by a row for each action that the table allows, the last one first
        (`blackjacky_env.play.heard`). Equal after two histories exactly if the agent has observed and heard the same.

        Raises `ValueError` if games have no bound at this table, or such a large one that the vector would have over
        10,000 entries, and if the position was set by a state whose actions do not lead to it.
        """
        self._require_game()
        return heard.as_vector(self.game, self._check_agent(agent), self._moments(), self._vector_bounds()[0])

    def information_key(self, agent: str) -> npt.NDArray[np.uint64]:
        """What ``agent`` recalls of the game, as 128 bits: uint64, (2,).

        Equal after two histories exactly if the agent has seen and heard the same in them: after each action what it
        may know of it, its observation and its mask (`blackjacky_env.play.recall`); seats are relative. Solutions of
        small tables look up what to do by it.

        Raises `ValueError` if the position was set by a state whose actions do not lead to it.
        """
        self._require_game()
        own: npt.NDArray[np.uint64] = self._recall(heard.SeatKeys, self.num_players).keys[self._check_agent(agent)]
        return own.copy()

    def _vector_bounds(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        return heard.vector_bounds(self.game, self.num_players, self.variant, self.options)

    def _heard_by(self, agent: str | None) -> heard.Events:
        self._require_game()
        return self._recall(heard.Events, None if agent is None else self._check_agent(agent))

    def _recall(self, kind: Callable[[Game, Any], T], of: int | None) -> T:
        """What ``kind(game, of)`` has heard of the game so far.

        It is made when it is first asked for, from the actions so far, and from then on hears every action.
        Raises `ValueError` if the actions do not lead to this position.
        """
        if (kind, of) not in self._hearing:
            made = kind(self.game, of)
            for now in self._moments():
                made.hear(now)
            self._hearing[kind, of] = made
        found: T = self._hearing[kind, of]
        return found

    def _moments(self) -> Iterator[Moment]:
        for now in moments(self.game, self._blank, self._past):
            yield now
        if now.snapshot != self.snapshot():  # keys, the future, may differ
            raise ValueError(OTHER_PAST)

    def _tell(self) -> None:
        now = Moment(self.game, self._states, self._has_settled, self._past.last_move)
        for each in self._hearing.values():
            each.hear(now)
        if self.events_in_infos:
            self._show_events()

    def _show_events(self) -> None:
        for agent in self.agents:
            self.infos[agent]["events"] = self.events(agent)
