"""An algorithm for `blackjacky benchmark`: a function that yields policies. Here a bot plays, which learns nothing.

blackjacky benchmark --table mini-2 --algorithm examples.benchmark_algorithm:bot --settings 'name="counter"'
"""

from blackjacky_agents import make_agent


def bot(task, name="random"):
    """Yield the decisions made so far, and the policy: an agent that tells its probabilities, or is asked to act."""
    agent = make_agent(name, task.table.game.name)
    for due in task.due:
        # A learner would play task.table with task.seed here, until it has made `due` decisions.
        yield due, agent
