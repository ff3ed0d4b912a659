"""The games for OpenSpiel: `load_game` returns a ``pyspiel.Game`` written in Python (extra ``openspiel``).

    state = load_game(num_players=2).new_initial_state()

Importing this module also registers ``"blackjacky"`` for ``pyspiel.load_game``, whose parameters are those of the
string that ``str(game)`` returns.

Chance is explicit. Wherever cards are shuffled or dice rolled there is a chance node: at the start, and after an action
that led to a new deal or a reshuffle. Its outcomes are some number of equally likely deals, each with a random key of
its own, or every distinct order of a small deck, or of the outcomes of draws: ``load_game(table="mini-1",
cards="all")``; those that lead to the same position are one outcome. A state is a function of its history and the
game's parameters, so it can be cloned, serialised and played again, and nobody who searches in a clone foresees a deal.

The observation tensor is the environment's observation: all that a player may know of the present position. The
information state string has perfect recall: a hash over all that the player has observed and heard, in order. So has
the information state tensor, the environment's ``information_state_vector``, at tables small enough to have one.

OpenSpiel unpickles the states of games in Python. Ours are written as their actions, and a text with anything else is
refused. For this, importing this module replaces ``pyspiel.serialize_game_and_state`` and
``pyspiel.deserialize_game_and_state``, which call no method of a game in Python.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import numpy.typing as npt
from gymnasium.error import DependencyNotInstalled

from blackjacky_env.checks import check_choice, check_integer, check_number
from blackjacky_env.compiled.compiling import copied, zeros
from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.play.heard import as_vector, vector_bounds
from blackjacky_env.play.one_game import game_functions, has_reshuffled
from blackjacky_env.play.past import Moment, Move
from blackjacky_env.play.recall import listener, new_ear
from blackjacky_env.play.shuffling import MOST_ORDERS, Shuffles, make_deck, step_with
from blackjacky_env.play.states import sample_record
from blackjacky_env.play.step import DRAWN
from blackjacky_env.reading import parse_json

try:
    import pyspiel
except ImportError as error:
    raise DependencyNotInstalled('OpenSpiel is not installed: pip install "blackjacky[openspiel]"') from error

SHORT_NAME = "blackjacky"
_LONGEST = 1_000_000  # actions, where games have no bound
_MOST_PLAYERS = 64
_DEAL = -1  # the chance node at the start, which no action led to

PARAMETERS: dict[str, Any] = {
    "game": DEFAULT,
    "players": 0,
    "variant": "",
    "options": "",
    "chance_outcomes": 1000,
    "cards": "",
    "start_player": DRAWN,
}
"""The parameters of the registered game and their defaults, as for `load_game`; 0 players and an empty variant stand
for the game's defaults, ``options`` are JSON, quoted as in URLs because parameters can hold no commas."""


def load_game(
    game: str = DEFAULT,
    num_players: int | None = None,
    variant: str | None = None,
    *,
    table: str | None = None,
    chance_outcomes: int = 1000,
    cards: str = "",
    start_player: int | None = None,
    **rule_options: Any,
) -> SpielGame:
    """A game for OpenSpiel.

    Args:
        game: name of the game.
        num_players: players; None: the variant's default.
        variant: name of the variant; None: the first that allows ``num_players``.
        table: name of one of the game's tables, such as ``"mini-1"``, in place of players, variant and rule options.
        chance_outcomes: deals of each chance node, 1 .. 400,000. The game then has this many different deals at every
            node: more are closer to the real game, and slower for algorithms that enumerate all outcomes.
        cards: ``"all"``: a deal of a small deck has every distinct order as an outcome, at most 400,000, so that
            algorithms for small games such as CFR see the whole game. So has a reshuffle of a deck with at most 1,000
            of them; those of larger ones keep ``chance_outcomes``. A game without cards has all outcomes of its draws.
            ``""``: no deal has.
        start_player: the seat that starts; None: drawn with the first deal.
        rule_options: the game's own options.

    Raises:
        TypeError, ValueError: an argument is unknown or out of range; the message says what is allowed.
    """
    declared = get_game(game)
    chosen_size, chosen_variant, rule_options = declared.find_table(table, num_players, variant, rule_options)
    size, name = declared.choose_table(chosen_size, chosen_variant)
    options = declared.check_options(size, name, rule_options)
    given = quote(json.dumps({option: options[option] for option in rule_options if option in options}))
    start = DRAWN if start_player is None else check_integer("start_player", start_player, 0, size - 1)
    chance = {"chance_outcomes": chance_outcomes, "cards": cards, "start_player": start}
    return SpielGame({"game": game, "players": size, "variant": name, "options": given, **chance})


def _game_type(has_tensor: bool) -> Any:
    """The type of a game; ``has_tensor``: with information state tensors."""
    return pyspiel.GameType(
        short_name=SHORT_NAME,
        long_name="Games of the package blackjacky",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=_MOST_PLAYERS,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=has_tensor,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """A game of this package as OpenSpiel sees it; made by `load_game` and ``pyspiel.load_game("blackjacky")``."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given = {**PARAMETERS, **(parameters or {})}
        self.rules = rules = _Rules(given)
        orders = 0 if rules.shuffles is None else len(rules.shuffles.orders)
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.game.num_actions,
            max_chance_outcomes=max(rules.chance_outcomes, len(rules.openings), orders),
            num_players=rules.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=rules.longest,
        )
        super().__init__(_game_type(not rules.no_tensor), info, given)

    def new_initial_state(self) -> SpielState:
        """A state at the first chance node: nothing has been dealt."""
        return SpielState(self)

    def deserialize_state(self, text: str) -> SpielState:
        """The state that `SpielState.serialize` wrote; `ValueError` for a text that is no actions of this game."""
        if not re.fullmatch(r"(?:[0-9]{1,9}\n)*", text):
            raise ValueError(f"{text[:60]!r} is no state: allowed is what serialize() writes, a line for each action")
        state = self.new_initial_state()
        for action in text.split():
            state.apply_action(int(action))
        return state

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer | None:
        """An observer of all that a player sees, or with perfect recall has observed; None: OpenSpiel's other types.

        Raises `ValueError` for parameters: there are none.
        """
        asked = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if params:
            raise ValueError(f"params={params!r} are unknown; observers have none")
        if not asked.public_info or asked.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return _Observer(self.rules, asked.perfect_recall)


class _Rules:
    """What all states of a game share: its compiled functions, a blank record, and what chance can do.

    Raises `TypeError` or `ValueError` for parameters that are out of range.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = dict(given)
        self.game: Game = get_game(given["game"])
        self.num_players, variant = self.game.choose_table(given["players"] or None, given["variant"] or None)
        if not isinstance(options := parse_json(unquote(given["options"]) or "{}"), dict):
            raise ValueError(f"options={given['options']!r} is no JSON object, quoted as in URLs")
        self.options = self.game.check_options(self.num_players, variant, options)
        self.start_player = check_integer("start_player", given["start_player"], DRAWN, self.num_players - 1)
        self.chance_outcomes = check_integer("chance_outcomes", given["chance_outcomes"], 1, MOST_ORDERS)
        self.functions = game_functions(self.game)
        self.blank = zeros(2, self.game.state_dtype)
        self.blank[:1] = self.game.new_state(self.num_players, variant, self.options)
        self.shuffles, self.openings = None, []
        if check_choice("cards", given["cards"], ("", "all")):
            self.shuffles = Shuffles(self.game, self.blank, make_deck(self.game, self.num_players, self.options))
            starts = range(self.num_players) if self.start_player == DRAWN else [self.start_player]
            self.openings = self.shuffles.openings(starts)
        self.listen, self.ear = listener(self.game), new_ear(self.game)
        bound = self.game.most_actions
        self.longest = (bound and bound(self.num_players, variant, self.options)) or _LONGEST
        self.vector, self.no_tensor = np.zeros(0, np.int8), ""
        try:
            self.vector, _ = vector_bounds(self.game, self.num_players, variant, self.options)
        except ValueError as error:
            self.no_tensor = f"there is no information state tensor: {error}"

    def __deepcopy__(self, memo: dict[int, Any]) -> _Rules:
        """Clones of states share their rules."""
        return self

    def __reduce__(self) -> Any:
        """Compiled functions cannot be pickled."""
        return _Rules, (self._given,)

    def look(self, records: Any, seat: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.int8]]:
        """What a seat sees, and its legal actions."""
        check_integer("player", seat, 0, self.num_players - 1)
        seen, mask = self.game.new_arrays()
        self.functions.look(records, seat, seen, mask)
        return seen, mask


class _Past(tuple[Moment, ...]):
    """What led to a position, for information state tensors; shared by clones, as it is never changed."""

    __slots__ = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> _Past:
        return self


class SpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A position, or a chance node: an action whose consequences chance has still to decide."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        rules = game.rules
        self._rules = rules
        self._records = copied(rules.blank)
        self._pending: int | None = _DEAL
        self._keys = np.zeros((rules.num_players, 2), np.uint64)  # what the seats recall, `Keys`
        self._pasts = [_Past()] * rules.num_players  # what the seats recall, where there are tensors
        self._results = (0.0,) * rules.num_players
        self._is_sampled = False

    # ------------------------------------------------------------ OpenSpiel

    def current_player(self) -> int:
        """The seat to act, or OpenSpiel's numbers for chance and the end."""
        if self._pending is not None:
            return int(pyspiel.PlayerId.CHANCE)
        player = int(self._records["player"][0])
        return player if player >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._pending is None and bool(self._records["player"][0] < 0)

    def returns(self) -> list[float]:
        """The "win" rewards by seat, which sum to 0; zeros until the game is over."""
        return list(self._results)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes and their probabilities; `ValueError` where it is not chance that decides."""
        if self._pending is None:
            raise ValueError("this is no chance node: a player is to act, or the game is over")
        if orders := self._orders():
            return [(outcome, chance) for outcome, (_, chance) in enumerate(orders)]
        most = self._rules.chance_outcomes
        return [(outcome, 1 / most) for outcome in range(most)]

    def _orders(self) -> Sequence[tuple[Any, float]]:
        """At a chance node: openings, or decks, with their probabilities; empty: keys decide."""
        rules = self._rules
        if rules.shuffles is None or self._pending is None:
            return []
        return rules.openings if self._pending == _DEAL else rules.shuffles.after(self._records, self._pending)

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions or outcomes in ascending order; none for a ``player`` who is not to act."""
        legal: list[int] = super().legal_actions() if player in (None, self.current_player()) else []
        return legal

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """1 for every legal action of `legal_actions`, 0 for the others; for chance, of its outcomes."""
        asked, game = self.current_player() if player is None else player, self.get_game()
        is_chance = asked == pyspiel.PlayerId.CHANCE
        mask = [0] * (game.max_chance_outcomes() if is_chance else game.num_distinct_actions())
        for action in self.legal_actions(asked):
            mask[action] = 1
        return mask

    def _legal_actions(self, player: int) -> list[int]:
        """The legal actions in ascending order."""
        legal: list[int] = np.flatnonzero(self._rules.look(self._records, player)[1]).tolist()
        return legal

    def _apply_action(self, action: int) -> None:
        """A player's action, or an outcome of chance; `ValueError` for one that is not possible."""
        if self._pending is not None:
            self._decide(check_integer("outcome", action, 0, (len(self._orders()) or self._rules.chance_outcomes) - 1))
            return
        if action not in (legal := [] if self.is_terminal() else self.legal_actions()):
            raise ValueError(f"action={action} is not legal here; legal are {legal or 'none: the game is over'}")
        if self._is_left_to_chance(action):
            self._pending = action
        else:
            self._take(action)

    def _action_to_string(self, player: int, action: int) -> str:
        """The action's name, with seats relative to the player."""
        if player == pyspiel.PlayerId.CHANCE or not 0 <= action < self._rules.game.num_actions:
            return f"{'chance' if player == pyspiel.PlayerId.CHANCE else 'action'} {action}"
        return self._rules.game.words.actions.name(action)

    def __str__(self) -> str:
        """Everything on the table as JSON, and what chance has still to decide."""
        if self._pending == _DEAL:
            return "to be dealt"
        table = json.dumps(self._rules.game.words.snapshot(self._records[0], None))
        return table if self._pending is None else f"{table}, then {self._action_to_string(0, self._pending)}"

    def resample_from_infostate(self, player: int, sampler: Any) -> SpielState:
        """A state that ``player`` cannot tell from this one, by `sample_state`; it has no history of its own.

        ``sampler`` () -> a random number 0 .. 1. Raises `ValueError` for other numbers, and at a chance node. What
        the others recall is unknown: their information states are made from what they see in the new state.
        """
        if self._pending is not None:
            raise ValueError("this is a chance node: sample from what a player sees when a player is to act")
        seed = int(check_number("sampler()", sampler(), 0.0, 1.0) * 2**53)
        rules, rng = self._rules, np.random.default_rng(seed)
        seen, _ = rules.look(self._records, player)
        other: SpielState = self.get_game().new_initial_state()
        other._records[:1] = sample_record(rules.game, seen, rng, player)[0]
        other._pending, other._results, other._is_sampled = None, self._results, True
        other._remember(None)
        other._pasts[player] = self._pasts[player]
        other._keys[:] = self._keys[player]
        rules.listen(other._records, NOBODY, 0, 0, other._keys, rules.ear)
        other._keys[player] = self._keys[player]
        return other

    def serialize(self) -> str:
        """The actions and outcomes so far, a line for each; `ValueError` for a resampled state: it has no history."""
        if self._is_sampled:
            raise ValueError("a resampled state has no history: clone it, or serialise the one that it was made from")
        return "".join(f"{action}\n" for action in self.history())

    # ------------------------------------------------------------ chance

    def _is_left_to_chance(self, action: int) -> bool:
        """Whether the action shuffles cards, or leads elsewhere with another key."""
        game, before, one, another = self._rules.game, self._records, copied(self._records), copied(self._records)
        another["key"] = ~another["key"]
        flags, _ = step_with(game, one, action)
        step_with(game, another, action)
        another["key"] = one["key"]
        is_dealt = bool(one["deals"][0] > before["deals"][0])
        return is_dealt or has_reshuffled(game, before, one, flags) or one[:1].tobytes() != another[:1].tobytes()

    def _decide(self, outcome: int) -> None:
        """Shuffle as the outcome says, then take the pending action."""
        rules, action = self._rules, self._pending
        key = hashlib.blake2b(f"{self._records['key'][0]} {outcome}".encode(), digest_size=8).digest()
        orders = self._orders()
        self._pending = None
        self._records["key"] = int.from_bytes(key, "little")
        if action == _DEAL:
            deck, start = orders[outcome][0] if orders else (None, rules.start_player)
            rules.functions.begin(self._records, self._records["key"][0], start)
            if deck is not None:
                rules.functions.redeal[rules.game.dealt](self._records, deck)
            rules.listen(self._records, NOBODY, 0, 0, self._keys, rules.ear)
            self._remember(None)
        elif action is not None:
            self._take(action, orders[outcome][0] if orders else None)

    def _take(self, action: int, deck: npt.NDArray[Any] | None = None) -> None:
        """Take a player's action; cards that it deals or reshuffles lie in the order of ``deck``."""
        rules, words = self._rules, self._rules.game.words
        move = int(self._records["player"][0]), action, words.phase_of(self._records)
        _, results = step_with(rules.game, self._records, action, deck)
        self._results = tuple(results[: rules.num_players].tolist())
        rules.listen(self._records, *move, self._keys, rules.ear)
        self._remember(move)

    def _remember(self, move: Move | None) -> None:
        """Add a position to what every seat recalls."""
        if not self._rules.no_tensor:
            now = Moment(self._rules.game, copied(self._records), has_settled=False, move=move)
            self._pasts = [_Past((*past, now)) for past in self._pasts]


class _Observer:
    """OpenSpiel's observer: what a player sees, as a tensor and in words, or all that it has observed, also as a hash.

    ``tensor`` is float32, (K,), or with perfect recall of the shape of ``information_state_vector``; None: there is
    none at this table.
    """

    def __init__(self, rules: _Rules, recalls: bool) -> None:
        self._game, self._recalls = rules.game, recalls
        size = len(rules.vector) if recalls else rules.game.layout.size
        self.tensor = None if recalls and rules.no_tensor else np.zeros(size, np.float32)
        self.dict = {} if self.tensor is None else {"info_state" if recalls else "observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what the player sees or recalls into ``tensor``; zeros before the first deal.

        Raises `ValueError` if there is no tensor: algorithms would learn without any input.
        """
        rules = state._rules
        check_integer("player", player, 0, rules.num_players - 1)
        if self.tensor is None:
            raise ValueError(rules.no_tensor)
        if state._pending == _DEAL:
            self.tensor[:] = 0
        elif self._recalls:
            self.tensor[:] = as_vector(self._game, player, state._pasts[player], rules.vector)
        else:
            self.tensor[:] = rules.look(state._records, player)[0]

    def string_from(self, state: SpielState, player: int) -> str:
        """What the player has observed so far, as a hash, or what it sees now."""
        check_integer("player", player, 0, state._rules.num_players - 1)
        if self._recalls:
            return f"player_{player} {state._keys[player].tobytes().hex()}"
        if state._pending == _DEAL:
            return "to be dealt"
        seen, _ = state._rules.look(state._records, player)
        return json.dumps(self._game.layout.decode(seen))


# ---------------------------------------------------------------- what OpenSpiel does past a game's methods

_serialize, _deserialize = pyspiel.serialize_game_and_state, pyspiel.deserialize_game_and_state
_OURS = rf"\[Meta\]\nVersion: 1\n\[Game\]\n({SHORT_NAME}\(.*\))\n\[State\]\n([0-9\n]*)"


def serialize_game_and_state(game: Any, state: Any) -> Any:
    """Replaces ``pyspiel.serialize_game_and_state``: states of this package are written without a pickle."""
    if not isinstance(state, SpielState):
        return _serialize(game, state)
    return f"[Meta]\nVersion: 1\n[Game]\n{game}\n[State]\n{state.serialize()}"


def deserialize_game_and_state(text: str) -> Any:
    """Replaces ``pyspiel.deserialize_game_and_state``: `ValueError` for a pickle with a game of this package."""
    if found := re.fullmatch(_OURS, text):
        game = pyspiel.load_game(found[1])
        return game, game.deserialize_state(found[2])
    if SHORT_NAME in text and "__dict__" in text:
        raise ValueError(f"states of {SHORT_NAME} hold no pickle: allowed is what serialize_game_and_state() writes")
    return _deserialize(text)


pyspiel.register_game(_game_type(has_tensor=False), SpielGame)
pyspiel.serialize_game_and_state = serialize_game_and_state
pyspiel.deserialize_game_and_state = deserialize_game_and_state
