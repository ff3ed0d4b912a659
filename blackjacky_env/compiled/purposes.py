"""Purposes of `blackjacky_env.compiled.random.stream`: what random numbers are drawn for, in one list.

Streams with the same key, purpose and counters are the same stream, so each use has its own number. A game numbers its
own purposes from 1 on in its rules (``FOR_DECK`` ...), below `FIRST_SHARED`; 0 is who starts (`random.start_seat`), and
all others are listed here.
"""

from __future__ import annotations

FIRST_SHARED = 100

# Playing games, by the key of a game or of a run
FOR_POLICIES = 100  # choices of compiled policies
FOR_LINEUPS = 101  # seed, seat and opponents of a learner's games
FOR_GAMES = 102  # seeds of a batch's games
FOR_ACTIONS = 103  # random actions of a batch
FOR_COPIES = 104  # keys of copies that are played out
# Tournaments
FOR_SEATS = 105
FOR_DEALS = 106
# Search, by the random state of a decision or the key of a simulated game
FOR_POSITIONS = 110
FOR_MOVES = 111  # of playouts
FOR_TREE = 112  # of the playout policy inside the tree
FOR_ACCEPTANCE = 113  # whether a proposed position replaces the current one
# Studies of decisions
FOR_STUDIES = 130
# Sampled games of a solver, by the key of a run
FOR_SAMPLED = 140
# Agents, by a key of their own, which no game has
FOR_DECISIONS = 0
