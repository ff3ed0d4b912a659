"""Environments for all registered games: PettingZoo AEC, Gymnasium, vector environments and batches."""

from blackjacky_env.envs.aec import MAX_SEED, Observation, TableEnv
from blackjacky_env.envs.module import GameModule
from blackjacky_env.envs.opponents import GROUP, find_compiled
from blackjacky_env.envs.vector import SeatVectorEnv
