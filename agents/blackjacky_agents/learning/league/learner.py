"""The learner of a league: networks, replay buffers and losses."""

from __future__ import annotations

import copy

import numpy as np
import torch
from torch import nn

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import find_encoding, standing_encoding
from blackjacky_agents.kit.settings import LeagueSettings
from blackjacky_agents.learning.lookahead import Studies
from blackjacky_agents.learning.modules import mlp, pass_advice_on, set_layers, with_moments
from blackjacky_agents.learning.replay_buffer import ReplayBuffer
from blackjacky_agents.networks.network import Layers, encode_all, layers_of, network_agent, pack
from blackjacky_env.declare import Vector
from blackjacky_env.games import get_game

_VALUE_SIZES = (64, 64)  # hidden layers of value and scale network
_ILLEGAL_LOGIT = -1e9
_MIN_SCALE = 0.01
_ADVANTAGE_PER_LOGIT = 0.02  # advantage in one position, in units of its scale, of an action with a logit higher by 1


class Learner:
    """A policy network, and two networks on standings between rounds: value and advantage scale.

    The seed decides the initial weights, unless ``layers`` of the policy are given, and what the buffers draw.

    Attributes:
        policy: the network being trained.
        averaged: exponential moving average of its weights, with which the agent plays.
        expert: in expert iteration, the network that plays in training, whose actions are improved; else ``averaged``.
        value: predicts the logit of winning from the standing at the beginning of a round; with `positions` in the
            settings nothing asks it, and it does not learn.
        scale: predicts the logarithm of the standard deviation of advantages from the standing.
        networks: these by name, and ``optimizers``: those of the ones that are learned.
    """

    def __init__(self, settings: LeagueSettings, layers: Layers | None = None) -> None:
        self.settings, game = settings, get_game(settings.game)
        self.encoding = find_encoding(settings.encoding, game.name)
        self.standing_encoding = standing = standing_encoding(game.name)
        self.rng = np.random.default_rng([settings.seed, 2])
        with torch.random.fork_rng():
            torch.manual_seed(settings.seed)
            self.policy = mlp([self.encoding.size, *settings.hidden_sizes, game.num_actions])
            self.averaged = mlp([self.encoding.size, *settings.hidden_sizes, game.num_actions])
            self.value = mlp([standing.size, *_VALUE_SIZES, 1])
            self.scale = mlp([standing.size, *_VALUE_SIZES, 1])
        if layers is not None:
            set_layers(self.policy, layers)
        elif settings.advice_logit and self.encoding.advice is not None:
            pass_advice_on(self.policy, self.encoding.advice, game.num_actions, settings.advice_logit)
        self.averaged.load_state_dict(self.policy.state_dict())
        self.expert = copy.deepcopy(self.averaged) if settings.iterations else self.averaged
        self.networks = {name: getattr(self, name) for name in ("policy", "averaged", "value", "scale")}
        if settings.iterations:
            self.networks["expert"] = self.expert
        self.optimizers = {name: self._new_optimizer(name) for name in ("policy", "value", "scale")}
        observation = ((game.layout.size,), game.layout.dtype)
        self._decisions = ReplayBuffer(settings.buffer_size, observation, ((game.num_actions,), np.float16))
        self._standings = ReplayBuffer(2 * settings.buffer_size, observation, ((), np.float32))

    def expert_agent(self) -> CompiledAgent:
        """An agent that samples its actions as in training."""
        return network_agent(self.settings.game, self.encoding, pack(layers_of(self.expert), False))

    # ------------------------------------------------------------ learning

    def remember(self, studies: Studies) -> None:
        """Add studied decisions, and for the value network standings with their outcomes, to the buffers."""
        self._decisions.add(studies.observations, studies.values)
        if not self.settings.positions:
            self._standings.add(studies.standings, studies.outcomes)

    def learn(self, studied: int, left: float) -> dict[str, float]:
        """Perform the updates for ``studied`` new decisions; returns mean figures of the policy, by name.

        ``left``: remaining fraction of the training, or of an iteration, 0 .. 1.
        """
        if not len(self._decisions):  # the policy has been certain of all its actions so far
            return {}
        updates = max(1, self.settings.replay_ratio * studied // self.settings.batch_size)
        if len(self._standings):
            self.learn_values(max(1, updates // 2), left)
        figures = torch.stack([self._learn_policy(left) for _ in range(updates)]).mean(0)
        return dict(zip(("loss/policy", "entropy"), figures.tolist(), strict=True))

    def learn_values(self, updates: int, left: float) -> None:
        """Fit the value network to outcomes by cross-entropy."""
        for _ in range(updates):
            observations, outcomes = self._standings.sample(self.settings.batch_size, self.rng)
            shown = torch.from_numpy(encode_all(self.standing_encoding, observations))
            loss = nn.functional.binary_cross_entropy_with_logits(self.value(shown)[:, 0], torch.from_numpy(outcomes))
            self._update("value", loss, left)

    def _learn_policy(self, left: float) -> torch.Tensor:
        """One policy update with advantages divided by their predicted scale; returns loss and mean entropy.

        The magnitude of advantages differs by orders of magnitude between the first round of a large table and the last
        round of a small one; scaling gives decisions similar weight.
        """
        observations, values = self._decisions.sample(self.settings.batch_size, self.rng)
        values_or_inf = torch.from_numpy(values.astype(np.float32))
        tried, legal = torch.isfinite(values_or_inf), ~np.isnan(values)
        advantages = centred(values_or_inf.masked_fill(~tried, 0), tried)
        advantages = advantages / self._learn_scale(observations, advantages, tried, left)
        shown = torch.from_numpy(encode_all(self.encoding, observations, legal))
        if self.expert is self.averaged:
            loss, entropy = self._gradient_loss(shown, tried, advantages, left)
        else:
            loss, entropy = self._expert_loss(shown, torch.from_numpy(legal), tried, advantages)
        self._update("policy", loss, left)
        with torch.no_grad():
            for mean, new in zip(self.averaged.parameters(), self.policy.parameters(), strict=True):
                mean.lerp_(new, self.settings.ema_rate)
        return torch.stack([loss, entropy]).detach()

    def _gradient_loss(
        self, shown: torch.Tensor, tried: torch.Tensor, advantages: torch.Tensor, left: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Minus the expected advantage of the actions tried, and an entropy bonus; and the mean entropy."""
        log_probs = torch.log_softmax(self.policy(shown).masked_fill(~tried, _ILLEGAL_LOGIT), 1)
        probs = log_probs.exp()
        entropy = -(probs * log_probs).sum(1)
        loss = -((probs * advantages).sum(1) + self.settings.ent_coef * (0.2 + left) * entropy).mean()
        return loss, entropy.mean()

    def _expert_loss(
        self, shown: torch.Tensor, legal: torch.Tensor, tried: torch.Tensor, advantages: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """How far the policy is from the improved expert; and the mean entropy.

        Among the actions tried the improved logits are the expert's plus the advantages in units of logits: squared
        errors, whose mean over noisy advantages is right, as no other loss's is. What was not tried stays as probable
        as it is for the expert: cross-entropy, in which the actions tried count as one.
        """
        with torch.no_grad():
            prior = torch.log_softmax(self.expert(shown).masked_fill(~legal, _ILLEGAL_LOGIT), 1)
        log_probs = torch.log_softmax(self.policy(shown).masked_fill(~legal, _ILLEGAL_LOGIT), 1)
        # Advantages are in units of their own scale, which falls with the root of the number of positions.
        per_logit = _ADVANTAGE_PER_LOGIT * max(1, self.settings.positions) ** 0.5
        errors = per_logit * centred(log_probs - prior, tried) - advantages
        others, tried_together = legal & ~tried, log_probs.masked_fill(~tried, _ILLEGAL_LOGIT).logsumexp(1)
        unchanged = (prior.exp() * log_probs * others).sum(1) + (prior.exp() * tried).sum(1) * tried_together
        loss = (errors.square().sum(1) / (2 * per_logit) - unchanged).mean()
        return loss, -(log_probs.exp() * log_probs).sum(1).mean()

    def _learn_scale(
        self, observations: Vector, advantages: torch.Tensor, tried: torch.Tensor, left: float
    ) -> torch.Tensor:
        """One maximum-likelihood update of the scale network; returns the predicted scales, (N, 1)."""
        log_scale = self.scale(torch.from_numpy(encode_all(self.standing_encoding, observations)))
        freedom = tried.sum(1, keepdim=True) - 1
        variance = advantages.square().sum(1, keepdim=True) / freedom.clamp(min=1)
        losses = variance * torch.exp(-2 * log_scale) / 2 + log_scale
        self._update("scale", (losses * (freedom > 0)).mean(), left)
        return torch.exp(log_scale.detach()).clamp(min=_MIN_SCALE)

    def renew_expert(self) -> None:
        """Let the averaged policy be the expert from now on, and forget the values of the actions of the one before."""
        self.expert.load_state_dict(self.averaged.state_dict())
        self.policy.load_state_dict(self.averaged.state_dict())
        self.optimizers["policy"] = self._new_optimizer("policy")
        self._decisions.clear()

    def _new_optimizer(self, network: str) -> torch.optim.Optimizer:
        return with_moments(torch.optim.Adam(getattr(self, network).parameters()))

    def _update(self, network: str, loss: torch.Tensor, left: float) -> None:
        optimizer = self.optimizers[network]
        for group in optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * (0.05 + 0.95 * left)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()


def centred(values: torch.Tensor, tried: torch.Tensor) -> torch.Tensor:
    """Values (N, A) of tried actions minus their mean; 0 for the others."""
    mean = (values * tried).sum(1, keepdim=True) / tried.sum(1, keepdim=True).clamp(min=1)
    return (values - mean) * tried
