"""The PettingZoo AEC environment of any game.

PettingZoo's checking wrappers cost more time than a move of the game, so the class does their checks itself and is
used without wrappers.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from pettingzoo.utils.env import AECIterable

from blackjacky_env.checks import check_choice, check_flag, check_generator, check_integer, read_integer
from blackjacky_env.compiled.compiling import copied, zeros
from blackjacky_env.declare.fields import State
from blackjacky_env.declare.game import IllegalActionError
from blackjacky_env.envs.formats import Format
from blackjacky_env.envs.looking import Looking
from blackjacky_env.envs.saving import BOOKKEEPING, read_bookkeeping, read_generator, read_past, write_past
from blackjacky_env.games import get_game
from blackjacky_env.play.decks import Rigging, read_rigging
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.play.past import Past
from blackjacky_env.play.states import identity, own_arrays, pack, read_state, refuse_other
from blackjacky_env.play.step import OVER, SETTLED

Observation = Any
"""A dict of ``observation`` and ``action_mask``, or with ``observation_format="flat"`` the vector."""

MAX_SEED = 2**63 - 1


class TableEnv(Looking):
    """One table of a game for PettingZoo.

    Examples:
        >>> import numpy as np
        >>> from blackjacky_env import black_jacky_v0
        >>> rng = np.random.default_rng(0)
        >>> env = black_jacky_v0.env(num_players=3)
        >>> env.reset(seed=0)
        >>> for agent in env.agent_iter():
        ...     observation, reward, termination, truncation, info = env.last()
        ...     over = termination or truncation
        ...     env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))

    Copies (``copy.deepcopy``, pickles, `get_state`) are the same game to its end: reshuffles and later deals are drawn
    from the game's key, which they share. Search that must not foresee them calls `reseed` on its copy, or continues
    from the game module's ``sample_state``, which also redraws the cards that a player cannot see.

    Args:
        game: name of the game.
        num_players: players at the table; agents are ``player_0`` .. clockwise.
        variant: name of the variant; by default the game's first that allows ``num_players``.
        reward: ``"win"`` (at the end +1 shared by the winners, -1 by the others) or the game's score reward, paid when
            the score changes (``"hearts"`` in Black Jacky).
        render_mode: ``"ansi"`` (`render` returns text), ``"rgb_array"`` (pixels, uint8, shape (390, 416, 3)),
            ``"human"`` (every step shows them in a window) or None.
        render_as: the agent whose view is drawn; None: a spectator.
        observation_format: ``"dict"`` (of ``observation``, the vector, and ``action_mask``) or ``"flat"`` (the vector).
        observation_dtype: dtype of the vector, ``"integer"`` (int8 or int16, by game) or ``"float32"`` (the same
            values, not scaled).
        mask_dtype: dtype of masks, also in ``infos``: ``"int8"`` or ``"bool"``.
        events_in_infos: whether ``infos[agent]["events"]`` holds what `events` returns.
        table: name of one of the game's tables, such as ``"mini-1"``, which fixes ``num_players``, ``variant`` and the
            rule options.
        rule_options: the game's own options.

    Raises:
        TypeError, ValueError: an option is unknown or out of range; the message names it and what is allowed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["human", "rgb_array", "ansi"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        game: str,
        num_players: int | None = None,
        variant: str | None = None,
        reward: str = "win",
        render_mode: str | None = None,
        render_as: str | None = None,
        observation_format: str = "dict",
        observation_dtype: str = "integer",
        mask_dtype: str = "int8",
        events_in_infos: bool = False,
        table: str | None = None,
        **rule_options: Any,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # PettingZoo leaves it untyped
        self.game = get_game(game)
        self._format = Format(observation_format, observation_dtype, mask_dtype)
        self._is_plain = self._format == Format("dict")
        self.events_in_infos = check_flag("events_in_infos", events_in_infos)
        self.metadata = {**type(self).metadata, "name": f"{self.game.name}_v{self.game.version}"}
        num_players, variant, rule_options = self.game.find_table(table, num_players, variant, rule_options)
        self.num_players, self.variant = self.game.choose_table(num_players, variant)
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_players)]
        self.reward = check_choice("reward", reward, ("win", self.game.score_reward))
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        if render_as is not None:
            check_choice("render_as", render_as, self.possible_agents)
        self.render_mode, self.render_as = render_mode, render_as
        self.agents = []
        self._no_rewards = dict.fromkeys(self.possible_agents, 0.0)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.options = self.game.check_options(self.num_players, self.variant, rule_options)
        self._make_spaces()
        self._functions = game_functions(self.game)
        self._blank = zeros(2, self.game.state_dtype)
        self._blank[:1] = self.game.new_state(self.num_players, self.variant, self.options)
        self._new_game_arrays()
        self._np_random: np.random.Generator | None = None
        self._past = Past()
        self._hearing = {}
        self._started = False
        self._shown_to: str | None = None

    def _make_spaces(self) -> None:
        layout, num_actions = self.game.layout, self.game.num_actions
        observation_space = self._format.space(layout, num_actions)
        self._zero_mask = self._format.mask(np.zeros(num_actions, np.int8))
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation_space)
        action_space: spaces.Space[Any] = spaces.Discrete(num_actions)
        self.action_spaces = dict.fromkeys(self.possible_agents, action_space)
        dtype = self.game.state_dtype
        length = sum(math.prod(dtype[name].shape) for name in self.game.fields.on_table)
        lowest = min(field.low for field in self.game.fields.fields.values())
        self.state_space = spaces.Box(min(lowest, -1), np.iinfo(np.int16).max, (length,), np.int16)

    def _new_game_arrays(self) -> None:
        self._states = copied(self._blank)
        self._player = self._states["player"]
        self._has_settled = False
        self._paid = np.zeros((2, self.game.max_players))  # results, score changes
        self._observation, self._mask = self.game.new_arrays()  # of the player to act; callers get copies
        self._shown_mask = self._format.mask(self._mask)
        self._hearing = {}

    # ------------------------------------------------------------ PettingZoo

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same space for every agent: a Dict of ``observation`` and ``action_mask``, or a Box if flat."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same Discrete space for every agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game.

        Args:
            seed: 0 .. 2**63 - 1: the same seed gives the same game, on every machine. None: the generator of the last
                seeded reset draws the next seed.
            options: ``start_player`` (a seat) and ``deck`` (all cards, top first, or a list of such decks for the first
                rounds), or ``draws`` in a game without cards, such as dice, rig the deals, and so do the game's
                `extra_decks`. Other keys are ignored with a `UserWarning`.

        Raises:
            TypeError, ValueError: the seed, start player, deck or draw is invalid; the running game is unchanged.
        """
        rigging = read_rigging(self.game, self.num_players, self.options, options or {})
        if seed is not None:
            seed = check_integer("seed", seed, 0, MAX_SEED)
            self._np_random, _ = seeding.np_random(seed)
        else:
            if self._np_random is None:
                self._np_random, _ = seeding.np_random()
            seed = int(self._np_random.integers(2**63))
        self._begin(int(self._functions.game_key(seed)), rigging)

    def _begin(self, key: int, rigging: Rigging) -> None:
        self._new_game_arrays()
        self._past = Past(key, rigging)
        rigging.begin(self.game, self._states, key)
        self._started = True
        self._reset_bookkeeping()
        self._observe_everybody()
        if self.render_mode == "human":
            self.render()

    def _reset_bookkeeping(self) -> None:
        """Set PettingZoo's attributes at the start of a game, or for a position without history."""
        over = bool(self._player[0] < 0)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None  # type: ignore[assignment]  # None is what PettingZoo starts with
        self.agent_selection = self.agents[0 if over else int(self._player[0])]

    def step(self, action: int | None) -> None:
        """Take ``action`` (0 .. n - 1, legal by the mask) for ``agent_selection``; None for a terminated agent.

        Raises:
            IllegalActionError: the action is not legal now (the message says why); nothing has changed.
            TypeError: it is not an integer.
            gymnasium.error.ResetNeeded: no game is running.
        """
        self._require_agents()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise IllegalActionError(f"the game is over for {agent}: step(None), or reset() to start the next")
            self._was_dead_step(None)
            return
        number, phase = self._check_action(action), self.game.words.phase_of(self._states)
        past = self._past
        arrays = self._states, number, self._paid, self._observation, self._mask
        flags = past.rigging.step(self.game, *arrays) if past.rigging.decks else self._functions.step(*arrays)
        past.actions.append(number)
        past.last_move = [self._seats[agent], number, phase]
        self._pay_rewards(agent, flags)
        self._pass_turn(agent, flags)

    def observe(self, agent: str) -> Observation:
        """The observation of ``agent`` in new arrays; its mask is all zeros off turn."""
        if agent is not None and agent == self._shown_to:
            observation, mask = self._observation.copy(), self._shown_mask.copy()
        else:
            observation, mask = self._look(agent)
        if self._is_plain:  # most loops spend their time here, and a call would cost more than the dict
            return {"observation": observation, "action_mask": mask}
        return self._format.show(observation, mask)

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, terminated, truncated and info of ``agent_selection``."""
        self._require_agents()
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """Yield the agent to act until the game is over and every agent has made its last step."""
        self._require_game()
        return super().agent_iter(max_iter)

    # ------------------------------------------------------------ the parts of step

    def _check_action(self, action: Any) -> int:
        number = action if type(action) is int else read_integer("action", action, f"0 .. {self.game.num_actions - 1}")
        if not (0 <= number < self.game.num_actions and self._mask[number]):
            raise self._refusal(number)
        return number

    def _refusal(self, action: int) -> IllegalActionError:
        return self.game.refusal(self._states[0], self._mask, action)

    def _pay_rewards(self, agent: str, flags: int) -> None:
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._no_rewards.copy()
        if not flags:
            return
        self._has_settled |= bool(flags & SETTLED)
        paid = self._paid[0 if self.reward == "win" else 1]
        for seat, name in enumerate(self.possible_agents):
            self.rewards[name] = float(paid[seat])
        self._accumulate_rewards()

    def _pass_turn(self, agent: str, flags: int) -> None:
        self.infos[agent] = {"action_mask": self._zero_mask.copy()}
        if flags & OVER:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            self._clear_observation()
        else:
            self._shown_to = self.agent_selection = self.possible_agents[self._player[0]]
            self.infos[self._shown_to] = {"action_mask": self._shown_mask.copy()}
        if self._hearing or self.events_in_infos:
            self._tell()
        if self.render_mode == "human":
            self.render()

    def _observe_everybody(self) -> None:
        """Fill ``infos`` at the start of a game or in a position that was set."""
        self.infos = {agent: {"action_mask": self._zero_mask.copy()} for agent in self.agents}
        if (player := int(self._player[0])) < 0:
            self._clear_observation()
        else:
            self._functions.look(self._states, player, self._observation, self._mask)
            self._shown_to = self.agent_selection
            self.infos[self._shown_to] = {"action_mask": self._shown_mask.copy()}
        if self.events_in_infos:
            self._show_events()

    def _clear_observation(self) -> None:
        self._shown_to = None
        self._mask[:] = 0

    def _require_agents(self) -> None:
        if not self.agents:
            self._require_game()
            raise ResetNeeded("the game is over and all agents are done: call reset() to start the next")

    def record(self) -> dict[str, Any]:
        """The game so far, JSON-ready: game, options, key, rigged deals and actions; `replay` plays it again.

        Raises `RuntimeError` for a position from `sample_state`, which has no history, and after `reseed`.
        """
        self._require_game()
        past = self._past
        if past.reseeds or not isinstance(past.start, int):
            raise RuntimeError(
                "this position was sampled or reseeded and has no history; record() needs a game from reset()"
            )
        return {
            **self._identity(),
            "key": past.start,
            "reset_options": past.rigging.written(self.game, self.num_players, self.options),
            "actions": list(past.actions),
        }

    def replay(self, record: Mapping[str, Any]) -> None:
        """Reset this environment and play a `record` of the same game and options.

        Raises:
            TypeError, ValueError: the record is incomplete, holds an illegal action, or is of another game or other
                options (the message says which); the running game is unchanged.
        """
        if not isinstance(record, Mapping):
            raise TypeError(f"a record is a mapping, as from record(), not {record!r}")
        missing = [name for name in (*self._identity(), "key", "reset_options", "actions") if name not in record]
        if missing:
            raise ValueError(f"this record lacks {', '.join(missing)}: take it from record(), unchanged")
        refuse_other("record", self._identity(), record)
        rigging = read_rigging(self.game, self.num_players, self.options, record["reset_options"])
        key, actions = check_integer("key", record["key"], 0, 2**64 - 1), record["actions"]
        if not isinstance(actions, Sequence):
            raise TypeError(f"actions={actions!r} of this record are not a list")
        before = dict(self.__dict__)
        self._begin(key, rigging)
        try:
            for action in actions:
                self.step(read_integer("action", action, f"0 .. {self.game.num_actions - 1}"))
        except Exception:
            self.__dict__.update(before)
            raise

    # ------------------------------------------------------------ saving

    def reseed(self, rng: np.random.Generator) -> None:
        """Give the running game another future: replace its key, from which all randomness is drawn, and nothing else.

        Copies and saved states share the future of the original, so that search in a copy would foresee reshuffles and
        the next deals; reseed the copy first. Cards already dealt, face down or not, keep their order (``sample_state``
        redraws those that a player cannot see), and deals that `reset` has rigged stay rigged. Seeds of later games do
        not change. `record` then raises a `RuntimeError`.
        """
        self._require_game()
        key = int(check_generator(rng).integers(2**64, dtype=np.uint64))
        self._states["key"] = key
        self._past.reseeds.append([len(self._past.actions), key])

    def _identity(self) -> dict[str, Any]:
        return identity(self.game, self.num_players, self.variant, self.options)

    def get_state(self) -> bytes:
        """The running game as bytes: position, actions so far, agents, rewards, generator, and with them its future.

        Whoever continues from it meets the same reshuffles and deals; see `reseed`.
        """
        self._require_game()
        history = {
            **write_past(self._past, self.game, self.num_players, self.options),
            "generator": None if self._np_random is None else self._np_random.bit_generator.state,
            **{name: getattr(self, name) for name in BOOKKEEPING},
        }
        return pack({**self._identity(), "history": history}, self._states[: 1 + self._has_settled])

    def set_state(self, state: bytes) -> None:
        """Continue from a state of `get_state` or `sample_state`.

        Raises `TypeError` or `ValueError` if it belongs to another game, version, number of players, variant or rule
        options, is damaged, or has values out of range (the message says which); the running game is unchanged.
        """
        header, records = read_state(self.game, state, self._identity())
        history, before = self._read_history(header, records[0]), dict(self.__dict__)
        try:
            self._restore(records, history)
        except ValueError:  # with events_in_infos: its actions do not lead to its position
            self.__dict__.update(before)
            raise

    def _read_history(self, header: Mapping[str, Any], record: State) -> dict[str, Any] | None:
        history = header.get("history")
        if history is None:
            return None
        if not isinstance(history, Mapping):
            raise TypeError(f"the history of this state is a {type(history).__name__}, not a mapping")
        generator = read_generator(history.get("generator"))
        return {
            **read_bookkeeping(history, self.possible_agents, int(record["player"])),
            "_past": read_past(history, self.game, header),
            "_np_random": self._np_random if generator is None else generator,
        }

    def _restore(self, records: npt.NDArray[Any], history: dict[str, Any] | None) -> None:
        """Continue from checked records; ``history``: attributes to set, None for a position without history."""
        self._new_game_arrays()
        self._states[: len(records)] = records
        self._has_settled = len(records) > 1
        self._started = True
        if history is None:
            self._past = Past.of_position(records)
            self._reset_bookkeeping()
        else:
            self.__dict__.update(history)
        self._observe_everybody()

    def __copy__(self) -> TableEnv:
        """A copy that shares nothing, like ``copy.deepcopy``."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        """Everything except compiled functions; the game is stored by name."""
        return {
            **self.__dict__,
            "game": self.game.name,
            "_functions": None,
            "_player": None,
            "_hearing": {},
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(own_arrays(state))
        self.game = get_game(state["game"])
        self._functions = game_functions(self.game)
        self._player = self._states["player"]
        self._shown_mask = self._format.mask(self._mask)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.config_dict().items())
        return f"{self.metadata['name']}.env({given})"
