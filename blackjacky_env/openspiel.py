"""The games for OpenSpiel: `load_game` returns a ``pyspiel.Game`` written in Python (extra ``openspiel``).

    state = load_game(num_players=2).new_initial_state()

Importing this module also registers ``"blackjacky"`` for ``pyspiel.load_game``, whose parameters are those of the
string that ``str(game)`` returns.

Chance is explicit. Wherever cards are shuffled there is a chance node: at the start, and after an action that led to a
new deal or a reshuffle. Its outcomes are some number of equally likely deals, each with a random key of its own, or
every distinct order of a small deck: ``load_game(preset="mini-1", cards="all")``; orders that lead to the same position
are one outcome. A state is a function of its history and the game's parameters, so it can be cloned, serialised and
played again, and nobody who searches in a clone foresees a deal.

The observation tensor is the environment's observation: all that a player may know of the present position. The
information state string has perfect recall: a hash over all that the player has observed and heard, in order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import numpy.typing as npt
from gymnasium.error import DependencyNotInstalled

from blackjacky_env.checks import check_choice, check_integer
from blackjacky_env.compiled.compiling import copied, zeros
from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.play.one_game import game_functions, has_reshuffled
from blackjacky_env.play.recall import listener, new_ear
from blackjacky_env.play.shuffling import Shuffles, make_deck, step_with
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
    preset: str | None = None,
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
        preset: name of one of the game's tables, such as ``"mini-1"``, in place of players, variant and rule options.
        chance_outcomes: deals of each chance node, 1 or more. The game then has this many different deals at every
            node: more are closer to the real game, and slower for algorithms that enumerate all outcomes.
        cards: ``"all"``: a deal of a small deck has every distinct order as an outcome, at most 400,000, so that
            algorithms for small games such as CFR see the whole game. So has a reshuffle of a deck with at most 1,000
            of them; those of larger ones keep ``chance_outcomes``. ``""``: no deal has.
        start_player: the seat that starts; None: drawn with the first deal.
        rule_options: the game's own options.

    Raises:
        TypeError, ValueError: an argument is unknown or out of range; the message says what is allowed.
    """
    table = get_game(game)
    chosen_size, chosen_variant, rule_options = table.choose_preset(preset, num_players, variant, rule_options)
    size, name = table.choose_table(chosen_size, chosen_variant)
    options = table.check_options(size, name, rule_options)
    given = quote(json.dumps({option: options[option] for option in rule_options if option in options}))
    start = DRAWN if start_player is None else check_integer("start_player", start_player, 0, size - 1)
    chance = {"chance_outcomes": chance_outcomes, "cards": cards, "start_player": start}
    return SpielGame({"game": game, "players": size, "variant": name, "options": given, **chance})


_TYPE = pyspiel.GameType(
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
    provides_information_state_tensor=False,
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
        super().__init__(_TYPE, info, given)

    def new_initial_state(self) -> SpielState:
        """A state at the first chance node: nothing has been dealt."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """An observer of what a player sees, or with perfect recall has observed; `ValueError` for any other."""
        asked = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if params or not asked.public_info or asked.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("observers show all that one player knows, public and private in one, without parameters")
        return _Observer(self.rules, asked.perfect_recall)


class _Rules:
    """What all states of a game share: its compiled functions, a blank record, and what chance can do.

    Raises `TypeError` or `ValueError` for parameters that are out of range.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = dict(given)
        self.game: Game = get_game(given["game"])
        self.num_players, variant = self.game.choose_table(given["players"] or None, given["variant"] or None)
        options = parse_json(unquote(given["options"]) or "{}")
        self.options = self.game.check_options(self.num_players, variant, options)
        self.start_player = check_integer("start_player", given["start_player"], DRAWN, self.num_players - 1)
        self.chance_outcomes = check_integer("chance_outcomes", given["chance_outcomes"], 1, 2**31 - 1)
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


class SpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A position, or a chance node: an action whose consequences chance has still to decide."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        rules = game.rules
        self._rules = rules
        self._records = copied(rules.blank)
        self._pending: int | None = _DEAL
        self._keys = np.zeros((rules.num_players, 2), np.uint64)  # what the seats recall, `Keys`
        self._results = (0.0,) * rules.num_players

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

        ``sampler`` () -> a random number in [0, 1). Raises `ValueError` at a chance node.
        """
        if self._pending is not None:
            raise ValueError("this is a chance node: sample from what a player sees when a player is to act")
        rules, rng = self._rules, np.random.default_rng(int(sampler() * 2**53))
        seen, _ = rules.look(self._records, player)
        other: SpielState = self.get_game().new_initial_state()
        other._records[:1] = sample_record(rules.game, seen, rng, player)[0]
        other._pending, other._results = None, self._results
        other._keys[:] = self._keys[player]
        rules.listen(other._records, NOBODY, 0, 0, other._keys, rules.ear)
        other._keys[player] = self._keys[player]
        return other

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
                rules.functions.redeal["deck"](self._records, deck)
            rules.listen(self._records, NOBODY, 0, 0, self._keys, rules.ear)
        elif action is not None:
            self._take(action, orders[outcome][0] if orders else None)

    def _take(self, action: int, deck: npt.NDArray[np.int8] | None = None) -> None:
        """Take a player's action; cards that it deals or reshuffles lie in the order of ``deck``."""
        rules, words = self._rules, self._rules.game.words
        move = int(self._records["player"][0]), action, words.phase_of(self._records)
        _, results = step_with(rules.game, self._records, action, deck)
        self._results = tuple(results[: rules.num_players].tolist())
        rules.listen(self._records, *move, self._keys, rules.ear)


class _Observer:
    """OpenSpiel's observer: what a player sees, as a tensor and in words, or a hash of all that it has observed."""

    def __init__(self, rules: _Rules, recalls: bool) -> None:
        self._game, self._recalls = rules.game, recalls
        self.tensor = None if recalls else np.zeros(rules.game.layout.size, np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what the player sees into ``tensor``; zeros before the first deal."""
        check_integer("player", player, 0, state._rules.num_players - 1)
        if self.tensor is not None:
            self.tensor[:] = 0 if state._pending == _DEAL else state._rules.look(state._records, player)[0]

    def string_from(self, state: SpielState, player: int) -> str:
        """What the player has observed so far, as a hash, or what it sees now."""
        check_integer("player", player, 0, state._rules.num_players - 1)
        if self._recalls:
            return f"player_{player} {state._keys[player].tobytes().hex()}"
        if state._pending == _DEAL:
            return "to be dealt"
        seen, _ = state._rules.look(state._records, player)
        return json.dumps(self._game.layout.decode(seen))


pyspiel.register_game(_TYPE, SpielGame)
