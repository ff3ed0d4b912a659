"""The likelihood of the other players' secret choices in a position.

They choose as `greedy` does with a temperature: better movement cards more often.
"""

from __future__ import annotations

from blackjacky_agents.games.halunken.bots.crew import WORK
from blackjacky_agents.games.halunken.bots.greedy import chances_of, weigh_moves
from blackjacky_agents.games.halunken.bots.planner import HEAD
from blackjacky_agents.games.halunken.bots.planner import PARAMETERS as PLANNER
from blackjacky_env.compiled import compiled, scratch
from blackjacky_env.games.halunken.state import JACK

PARAMETERS = PLANNER[HEAD:]
"""Parameters of `greedy`, as `planner` imagines it."""


@compiled
def likelihood(s):
    """The likelihood of the movement cards that the players other than seat 0 have chosen in this position."""
    chance = 1.0
    for p in range(1, s.num_players):
        if s.choices[p]:
            chance *= likelihood_of_move(s, p, p, int(s.choices[p]))
    if s.jack_choice and s.buyer != 0:
        chance *= likelihood_of_move(s, JACK, int(s.buyer), int(s.jack_choice))
    return chance


@compiled
def likelihood_of_move(s, figure, owner, move):
    """The likelihood of this movement card for a captain, or for Black Jack."""
    works = scratch(1, WORK)
    work = works[0]
    weigh_moves(s, figure, owner, work, PARAMETERS)
    chances_of(work, PARAMETERS)
    return work.gains[move - 1]
