"""What a seat knows of a game, as text for language models.

Everything is made from what the seat has heard since the deal (`TableEnv.events`), which together is its view, and from
its observation. Nothing is taken from the table itself, so nothing hidden can be told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from blackjacky_agents.games import get_kit
from blackjacky_agents.kit.narration import Phrase, SeenMove, View, in_scene
from blackjacky_agents.wording import Texts, explanation, in_words, is_settled, legal_in_words, terminal_texts
from blackjacky_env.declare import ActionInfo, describe_options
from blackjacky_env.draw import listed
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import get_game
from blackjacky_env.play import Event, sample_state, unpack


@dataclass(frozen=True)
class Seen:
    """What a seat knows at some moment.

    Args:
        game: name of the game.
        options: the constructor options in force, as from `TableEnv.config_dict`.
        seat: the seat.
        names: the players' names by seat.
        events: what the seat has heard since the deal, as from `TableEnv.events`.
        observation: ``observation`` (vector) and ``action_mask`` of the seat; the mask is all zeros off turn.
        since_deal: whether the events go back to the deal; if not, they show no more than `imagine` has drawn, and the
            observation is told in their place.
    """

    game: str
    options: Mapping[str, Any]
    seat: int
    names: Sequence[str]
    events: Sequence[Event]
    observation: Mapping[str, Any]
    since_deal: bool = True

    @classmethod
    def of(cls, env: TableEnv, agent: str, names: Sequence[str] | None = None) -> Seen:
        """What an agent at a table knows; ``names``: None for the names of the agents."""
        seat = env.possible_agents.index(agent)
        called = env.possible_agents if names is None else names
        return cls(env.game.name, env.config_dict(), seat, called, env.events(agent), env.observe(agent))

    @classmethod
    def by_observation(cls, game: str, observation: Mapping[str, Any], events: Sequence[Event] | None) -> Seen:
        """What the player to act knows, an agent that is given no more than this.

        Args:
            game: name of the game.
            observation: the argument of `Agent.act`.
            events: what it has heard since the deal; None: nothing, so that its seat is not known and counts as 0.
        """
        seat = _seat_to_act(events) if events else 0
        position = imagine(game, observation, seat)
        heard = events or position.events(position.agent_selection)
        names, options = position.possible_agents, position.config_dict()
        return cls(game, options, seat, names, heard, observation, since_deal=bool(events))

    @cached_property
    def view(self) -> View:
        """The present position in the form of `TableEnv.view`."""
        return self._views[-1]

    @cached_property
    def choices(self) -> dict[int, str]:
        """The legal actions by number, in words; empty off turn."""
        return legal_in_words(get_game(self.game), self.observation["action_mask"], self.seat, self.names)

    @cached_property
    def _views(self) -> list[View]:
        views: list[View] = []
        for event in self.events:
            views.append({**(views[-1] if views else {}), **event["shown"]})
        return views

    def moves(self) -> list[SeenMove]:
        """The moves since the deal, as the seat knows them."""
        players = len(self.names)
        pairs = zip(self._views, self._views[1:], self.events[1:], strict=False)
        return [SeenMove(a, b, _read(event["action"]), self.seat, players, self.options) for a, b, event in pairs]


def _read(described: Mapping[str, Any]) -> ActionInfo:
    """The action that `ActionInfo.describe` has made these data of."""
    return ActionInfo(**{**described, "seats": tuple(described["seats"] or ())})


def _seat_to_act(events: Sequence[Event]) -> int:
    return int(next(event["shown"]["player"] for event in reversed(events) if "player" in event["shown"]))


def imagine(game: str, observation: Mapping[str, Any], seat: int) -> TableEnv:
    """A table in a position that shows ``observation`` to ``seat``; what the seat cannot know is drawn at random.

    Raises `ValueError` if no legal position shows it.
    """
    state = sample_state(get_game(game), observation["observation"], np.random.default_rng(0), seat)
    header, _ = unpack(state)
    env = TableEnv(game, header["num_players"], header["variant"], **header["options"])
    env.set_state(state)
    return env


def told_now(env: TableEnv, agent: str | None) -> str:
    """What an agent is told of a position, but for what it has heard; nothing for a spectator (None).

    For proofs that nothing leaks, which compare positions that nobody has played.
    """
    if agent is None:
        return ""
    seen = Seen(
        env.game.name,
        env.config_dict(),
        env.possible_agents.index(agent),
        env.possible_agents,
        [{"actor": None, "action": None, "shown": env.view(agent)}],
        env.observe(agent),
    )
    alone = [Seen.by_observation(seen.game, seen.observation, None)] if seen.choices else []
    return "\n".join([rules_in_short(seen.game, seen.options), *map(situation, [seen, *alone])])


def told(env: TableEnv, agent: str | None) -> str:
    """What an agent is told, with all that it has heard; nothing for a spectator (None)."""
    return "" if agent is None else situation(Seen.of(env, agent))


# ---------------------------------------------------------------- rules


def rules_in_short(game: str, options: Mapping[str, Any] | None = None) -> str:
    """The rules of a game in short, with the ``options`` in force (None: left out); a paragraph in each line."""
    texts = terminal_texts(game)
    told = [f"{get_game(game).title}.", texts["summary"], *texts["help"]]
    if options is not None:
        told += [f"- {words}" for words in options_in_words(game, options)]
    return "\n".join(filter(None, told))


def options_in_words(game: str, options: Mapping[str, Any]) -> list[str]:
    """The options in force that the texts have words for, by ``OPTION_VALUE`` or ``OPTION``; all if there are none."""
    words = terminal_texts(game)["options"]
    words = words or {each["name"]: f"{each['name']}: {{value}}" for each in describe_options(get_game(game).options)}
    told = []
    for name, value in options.items():
        template = words.get(f"{name}_{value if isinstance(value, str) else json.dumps(value)}", words.get(name, ""))
        if template:
            told.append(template.format(value=" ".join(map(str, value)) if isinstance(value, list) else value))
    return told


def options_of(game: str) -> str:
    """The rule options that a game has, with their defaults and what is allowed; a line for each."""
    return "\n".join(
        f"- {each['name']}={json.dumps(each['default'])}: {each['help']} Allowed: {each['allowed']}."
        for each in describe_options(get_game(game).options)
    )


# ---------------------------------------------------------------- the position


def situation(seen: Seen) -> str:
    """What has happened since the deal, what lies on the table, and what the seat may do now; several lines."""
    texts = terminal_texts(seen.game)
    return "\n".join(
        [
            f"You are {_quoted(seen.names[seen.seat])}. Clockwise sit {listed([*map(_quoted, seen.names)])}.",
            *_section("How the last round ended", _last_settlement(seen, texts)),
            *_section("Since the deal", story(seen, texts)),
            *_section("Now", position(seen, texts)),
            to_do(seen, texts),
        ]
    )


def _quoted(name: str) -> str:
    """A name as such: people choose theirs, and might write what reads like an instruction."""
    return json.dumps(name, ensure_ascii=False)


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"{title}:", *(f"- {line}" for line in lines)] if lines else []


def _last_settlement(seen: Seen, texts: Texts) -> list[str]:
    """The settlement before the deal, if there was one."""
    dealt = seen._views[0]
    if dealt[get_game(seen.game).words.settlement_key] is None or dealt["phase"] == "over":
        return []
    return _rendered(get_kit(seen.game).narrator.settlement(dealt), seen, texts)


def story(seen: Seen, texts: Texts) -> list[str]:
    """Sentences on the moves since the deal, and on the settlement if the game has ended."""
    narrator, told = get_kit(seen.game).narrator, []
    for move in seen.moves():
        told += narrator.story(move)
        if is_settled(seen.game, move.before, move.after):
            told += narrator.settlement(move.after)
    return _rendered(told, seen, texts)


def position(seen: Seen, texts: Texts) -> list[str]:
    """The table in words, or if there are none, the parts of the observation that are not empty."""
    if seen.since_deal:
        return _rendered(in_scene(get_game(seen.game).scene(seen.view, seen.options, seen.seat)), seen, texts)
    layout = get_game(seen.game).layout
    parts = layout.decode(seen.observation["observation"])
    empty = {name for name, value in parts.items() if not np.any(value)}
    return [f"{p.meaning}: {json.dumps(parts[p.name])}" for p in layout.parts.values() if p.name not in empty]


def to_do(seen: Seen, texts: Texts) -> str:
    """What the phase asks of the seat with its numbered legal actions, whose turn it is, or who has won."""
    phase, player = seen.view["phase"], seen.view["player"]
    if phase == "over":
        winners = [seen.names[winner] for winner in seen.view["winners"]]
        is_tie = len(winners) == len(seen.names)
        return f"The game is over. {'It is a tie' if is_tie else (listed(winners) or 'Nobody') + ' won'}."
    if not seen.choices:
        return f"It is the turn of {seen.names[player]}."
    return "\n".join([texts["phases"].get(phase, f"Your turn: {phase}."), "Legal actions:", *numbered(seen, texts)])


def numbered(seen: Seen, texts: Texts) -> list[str]:
    """The legal actions, numbered from 1, with what they do where it is not the same as for the one before."""
    infos, lines, last = get_game(seen.game).words.actions, [], ""
    for number, (action, words) in enumerate(seen.choices.items(), 1):
        told = explanation(texts, infos[action])
        lines.append(f"{number}. {words}" + (f" ({told})" if told not in ("", last) else ""))
        last = told
    return lines


def _rendered(phrases: Sequence[Phrase | Any], seen: Seen, texts: Texts) -> list[str]:
    return [in_words(phrase, texts, seen.names) for phrase in phrases]
