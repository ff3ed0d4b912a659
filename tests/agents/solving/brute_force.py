"""Values and best responses by their definition, on histories of environments; shares nothing with the solver."""

import copy
from collections import defaultdict
from functools import cache
from itertools import permutations, product
from typing import NamedTuple

import numpy as np


class Node(NamedTuple):
    """A history: a decision, or the end of the game."""

    seat: int
    key: bytes
    actions: tuple[int, ...]
    children: tuple
    returns: tuple[float, ...]


def openings(env):
    """The game after each distinct deal, all equally likely; chance must do nothing but deal."""
    game, nodes = env.game, []
    cards = [game.card_names[card] for card in game.whole_deck(env.num_players, env.options)]
    dealt = "deck", set(permutations(cards))
    if game.draws is not None:
        dealt = "draws", set(product(*game.draws(env.num_players, env.options)))
    for deal in sorted(dealt[1], key=str):
        env.reset(seed=0, options={dealt[0]: list(deal), "start_player": 0})
        nodes.append(_expand(env))
    return nodes


def _expand(env):
    if env.terminations[env.agent_selection]:
        return Node(-1, b"", (), (), tuple(float(env.rewards[agent]) for agent in env.possible_agents))
    if (reshuffle := env.game.reshuffle) is not None:
        assert not env._states[reshuffle.count][0]
    agent, children = env.agent_selection, []
    legal = tuple(np.flatnonzero(env.observe(agent)["action_mask"]).tolist())
    for action in legal:
        after = copy.deepcopy(env)
        after.step(action)
        children.append(_expand(after))
    return Node(env.possible_agents.index(agent), env.information_key(agent).tobytes(), legal, tuple(children), ())


def value(nodes, policy, seat):
    """What a seat gets on average if all play the policy."""

    def of(node):
        if not node.children:
            return node.returns[seat]
        return float(np.dot(policy(node.seat, node.key, node.actions), [of(child) for child in node.children]))

    return float(np.mean([of(node) for node in nodes]))


def best_response_value(nodes, policy, seat):
    """What a seat gets on average if it alone plays the best response to the policy."""
    alike = defaultdict(list)

    def collect(node, reach):
        """``reach``: the probability that chance and the others lead here."""
        if node.seat == seat:
            alike[node.key].append((node, reach))
        if not node.children:
            return
        own = np.ones(len(node.children)) if node.seat == seat else policy(node.seat, node.key, node.actions)
        for child, chance in zip(node.children, own, strict=True):
            collect(child, reach * chance)

    @cache
    def choice(key):
        values = [[reach * of(child) for child in node.children] for node, reach in alike[key]]
        return int(np.sum(values, axis=0).argmax())

    def of(node):
        if not node.children:
            return node.returns[seat]
        if node.seat == seat:
            return of(node.children[choice(node.key)])
        return float(np.dot(policy(node.seat, node.key, node.actions), [of(child) for child in node.children]))

    for node in nodes:
        collect(node, 1.0)
    return float(np.mean([of(node) for node in nodes]))
