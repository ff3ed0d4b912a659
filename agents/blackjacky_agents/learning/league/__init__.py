"""League training: one network learns at all table sizes and variants against a growing pool of opponents.

The method is approximate policy iteration with rollouts (Tesauro and Galperin 1996; Lagoudakis and Parr 2003) in small
steps. At some decisions of whole games, every likely action is rolled out to the end of the round (`lookahead.study`),
and the policy gradient sums over all actions (mean actor-critic; Allen et al. 2017), so that sampling an action adds no
variance; the only critic is the value network for positions between rounds. The agent plays by an exponential moving
average of the weights. Opponents are bots and snapshots of the learner, sampled by how often they beat it (prioritised
fictitious self-play; Vinyals et al. 2019).

With `iterations` it is expert iteration (Anthony, Tian and Barber 2017) instead: in each part of the training the agent
of the part before plays, and the learner learns its probabilities, improved by the rollouts. With `positions` actions
are tried as in `search:N`, in positions that the player may be in, so that the learner learns what search would find.
"""

from blackjacky_agents.learning.league.league_run import League

__all__ = ["League"]
