"""OpenSpiel: CFR on a game of six cards, MCTS, information set MCTS and NFSP.

python examples/openspiel_algorithms.py
"""

from __future__ import annotations

import numpy as np
import pyspiel
import tyro
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import cfr, exploitability, ismcts, mcts
from open_spiel.python.pytorch import nfsp

from blackjacky_env.openspiel import load_game

SIX_CARDS = {"max_card": 3, "hand_size": 1, "hearts": 1, "bust_at": 5, "max_turns_per_round": 3}


def small_game() -> pyspiel.Game:
    """One of each 1, two 2s, three 3s for two players: 17,077 nodes from all 60 deals on."""
    return load_game("black_jacky", num_players=2, cards="all", start_player=0, **SIX_CARDS)


def solve(iterations: int) -> list[float]:
    """CFR on the whole small game; returns the NashConv of the average policy after every few iterations."""
    game = small_game()
    solver, found = cfr.CFRSolver(game), []
    for i in range(1, iterations + 1):
        solver.evaluate_and_update_policy()
        if i == iterations or i % 5 == 0:
            found.append(exploitability.nash_conv(game, solver.average_policy()))
            print(f"CFR, iteration {i}: NashConv {found[-1]:.4f}")
    return found


def search(game: pyspiel.Game, simulations: int, games: int, seed: int) -> dict[str, float]:
    """Mean returns of searchers that play both seats in turn against random moves.

    MCTS sees all cards, even those face down. Information set MCTS samples what its player cannot see.
    """
    rng = np.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    searchers = {
        "MCTS": mcts.MCTSBot(game, uct_c=1.4, max_simulations=simulations, evaluator=evaluator, random_state=rng),
        "IS-MCTS": ismcts.ISMCTSBot(game, evaluator, uct_c=1.4, max_simulations=simulations, random_state=rng),
    }
    found = {}
    for name, bot in searchers.items():
        returns = []
        for i in range(games):
            state, seat = game.new_initial_state(), i % 2
            while not state.is_terminal():
                if state.current_player() == seat:
                    state.apply_action(bot.step(state))
                else:
                    state.apply_action(random_action(state, rng))
            returns.append(state.returns()[seat])
        found[name] = float(np.mean(returns))
        print(f"{name}, {simulations} simulations a move: mean return {found[name]:+.2f} in {games} games")
    return found


def random_action(state: pyspiel.State, rng: np.random.RandomState) -> int:
    """An outcome of chance, or any legal action."""
    if state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        return int(rng.choice(outcomes, p=chances))
    return int(rng.choice(state.legal_actions()))


def learn(game: pyspiel.Game, episodes: int, seed: int) -> float:
    """NFSP by self-play on observation tensors; returns what its average policy then wins from random moves."""
    env = rl_environment.Environment(game, observation_type=rl_environment.ObservationType.OBSERVATION)
    env.seed(seed)
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    agents = [
        nfsp.NFSP(player, size, actions, [64], 100_000, 0.1, learn_every=8, epsilon_start=0.1) for player in range(2)
    ]
    before = wins_from_random(env, agents[0])
    for _ in range(episodes):
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.observations["current_player"]].step(step).action])
        for agent in agents:
            agent.step(step)
    result = wins_from_random(env, agents[0])
    print(f"NFSP, {episodes} episodes: mean return {before:+.2f} before, {result:+.2f} after, against random moves")
    return result


def wins_from_random(env: rl_environment.Environment, agent: nfsp.NFSP, games: int = 500) -> float:
    """The mean return of player 0, who follows the agent's average policy, against random moves."""
    rng, total = np.random.RandomState(0), 0.0
    with agent.temp_mode_as(nfsp.MODE.AVERAGE_POLICY):
        for _ in range(games):
            step = env.reset()
            while not step.last():
                if step.observations["current_player"] == 0:
                    action = agent.step(step, is_evaluation=True).action
                else:
                    action = rng.choice(step.observations["legal_actions"][1])
                step = env.step([action])
            total += step.rewards[0]
    return total / games


def main(iterations: int = 20, simulations: int = 50, games: int = 10, episodes: int = 4_000, seed: int = 0) -> None:
    """Run all four."""
    solve(iterations)
    search(load_game("black_jacky", num_players=2, hearts=1), simulations, games, seed)
    learn(small_game(), episodes, seed)


if __name__ == "__main__":
    tyro.cli(main)
