"""The seats of a table: who sits there, and agents that think in threads while another game may begin."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

from blackjacky_agents.aside import asked_aside
from blackjacky_agents.games import agent_names, bot_names
from blackjacky_agents.registry import make_agent
from blackjacky_agents.web.messages import MessageError
from blackjacky_agents.web.names import check_free, check_name, looks_of
from blackjacky_env.envs import TableEnv

NAMES = (
    *("Fips", "Lotte", "Benno", "Ida", "Otto", "Rosa", "Karl", "Nora", "Emil"),
    *("Mara", "Bruno", "Tilda", "Viktor", "Selma", "Hugo"),
)
"""Names of agents: those of one kind begin at the same place, so that whoever comes back meets the same opponents."""
_TOKEN = "[A-Za-z0-9_-]{1,64}"


@dataclass
class Occupant:
    """The occupant of a seat: an agent, or a person identified by a token."""

    name: str
    agent: str | None = None
    token: str | None = None


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(24)


def seats_for(game: str, people: Sequence[str], agents: Sequence[str]) -> list[Occupant]:
    """Seats with the people spread evenly around the table and the agents, in order, between them.

    The first person has seat 0. Raises `MessageError` if a name is invalid.
    """
    players = len(people) + len(agents)
    places = {i * players // len(people): name for i, name in enumerate(people)}
    rest = iter(agents)
    seats = [
        Occupant(check_name(places[i]), token=new_token()) if i in places else Occupant("", agent=next(rest))
        for i in range(players)
    ]
    kinds = agent_names(game)
    for seat in seats:
        if seat.agent is not None:
            taken = {looks_of(each.name) for each in seats}
            first = 3 * (kinds.index(seat.agent) if seat.agent in kinds else len(kinds))
            turned = (NAMES[(first + i) % len(NAMES)] for i in range(len(NAMES)))
            seat.name = next((name for name in turned if looks_of(name) not in taken), seat.agent)
    return seats


def levels(game: str) -> dict[str, str]:
    """Agents of increasing strength: the game's weakest bot with a plan, its strongest bot, its last trained agent."""
    bots, all_agents = bot_names(game), agent_names(game)
    return {"easy": bots[min(1, len(bots) - 1)], "medium": bots[-1], "hard": all_agents[-1]}


def strongest(game: str, agents: Sequence[str | None]) -> str:
    """The strongest of a table's agents that the game ships; without one but ``random``, the strongest bot."""
    known = agent_names(game)
    return max((each for each in agents if each in known[1:]), key=known.index, default=bot_names(game)[-1])


def check_seats(seats: Sequence[Occupant], watch: str) -> None:
    """Refuse seats that are not as from `seats_for`, and bad tokens, that of spectators included, with `ValueError`."""
    tokens = [watch, *(seat.token for seat in seats if seat.agent is None)]
    if any(seat.agent is not None and seat.token is not None for seat in seats) or len(set(tokens)) < len(tokens):
        raise ValueError("each seat needs either an agent or a token of its own")
    for token in tokens:
        if not isinstance(token, str) or not re.fullmatch(_TOKEN, token):
            raise ValueError("a token is 1 .. 64 letters, digits, '-' and '_'")
    for seat in seats:
        if check_name(seat.name) != seat.name:
            raise ValueError(f"name={seat.name!r} has spaces where names have none")
        check_free(seat.name, [each.name for each in seats if each is not seat])


class Thinker:
    """An agent of one seat, which does one thing at a time, and all of it where it is asked: it may take long.

    Args:
        name: the agent, as for `make_agent`.
        game: name of the game.
    """

    def __init__(self, name: str, game: str) -> None:
        self.name, self.agent = name, make_agent(name, game)
        self._busy = Lock()
        self._game, self._known = object(), object()  # the game that is played, and the one that the agent knows of

    def begin_game(self) -> None:
        """Another game begins; the agent is reset, unpredictably, when it is asked for the first time."""
        self._game = object()

    def asked(self, env: TableEnv) -> Callable[[], int]:
        """As `blackjacky_agents.agent.asked`; `MessageError` (``stale``) from the function if another has begun."""
        question, game = asked_aside(self.agent, self.name, env, secrets.randbelow(2**31)), self._game

        def ask() -> int:
            with self._busy:
                if game is not self._game:
                    raise MessageError("stale", "another game has begun")
                if game is not self._known:
                    self.agent.reset(secrets.randbelow(2**31))
                    self._known = game
                return question()

        return ask
