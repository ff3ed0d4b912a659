"""The league: one network learns to play at tables of all kinds, against a growing pool of opponents.

It is approximate policy iteration with roll-outs (Tesauro and Galperin 1996; Lagoudakis and Parr 2003) in small steps:
at some decisions of whole games every likely action is rolled out to the end of the round (`lookahead.study`), and the
policy moves towards the actions that did better, all of them at once (mean actor-critic; Allen et al. 2017). So the
chance of which action was sampled adds no variance, and the only critic is one of how players stand after a round.
Training begins by imitating a teacher, and the agent plays by an exponential moving average of the weights. Opponents
are drawn by how often they win against the learner (prioritised fictitious self-play; Vinyals et al. 2019): bots,
snapshots of the learner, and exploiters, which are snapshots that went on to learn against the learner alone.
"""

from blackjacky_agents.learning.league.run import League

__all__ = ["League"]
