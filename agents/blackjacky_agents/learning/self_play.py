"""Self-play: PPO on compiled games, in every seat that the learner has.

Compiled code (`collecting`) plays whole stretches, the network included, while torch learns from the previous one. The
weights that play are always one update behind those that learn, so the same seed gives the same weights. On a GPU one
kernel plays a stretch, and a minibatch is one launch: a graph of all that its update does.

The clipped objective is that of Schulman et al. (Proximal policy optimization algorithms, 2017).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from blackjacky_agents.agent import AgentError, CompiledAgent
from blackjacky_agents.kit.settings import SelfPlaySettings
from blackjacky_agents.learning.collecting import Collector, Returns, Stretch
from blackjacky_agents.learning.modules import (
    Narrowed,
    Replayed,
    has_fast_bfloat16,
    linear_layers,
    mlp,
    outputs_of,
    pass_advice_on,
    set_layers,
    with_moments,
)
from blackjacky_agents.learning.tables import draw_tables, new_states
from blackjacky_agents.learning.training_run import TrainingRun
from blackjacky_agents.networks.agent_file import initial_layers
from blackjacky_agents.networks.network import Layers, layers_of, pack
from blackjacky_env.play import LEARNER

_LINEUPS = 256  # drawn for each stretch
_ILLEGAL_LOGIT = -1e9
_SMALL = 0.01  # scale of the initial logits
_VALUE_WEIGHT = 0.5  # in the loss
_MAX_GRADIENT = 0.5  # its norm
_LOOKED_AT, _FEW = 1024, 0.5  # decisions that tell whether the inputs that are not 0 are this fraction at the most
_FIGURES = ("loss/policy", "loss/value", "entropy", "kl", "clip_fraction")


class SelfPlay(TrainingRun):
    """Training by self-play; arguments and errors are those of `TrainingRun`.

    Attributes:
        network: its outputs are the logits of the actions, then the value of the position for the seat that sees it.
        magnet: the network near which the policy is held, if the settings have a magnet.
    """

    settings: SelfPlaySettings

    def __init__(self, settings: SelfPlaySettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        torch.set_num_threads(max(1, settings.threads // 2))  # the others play
        self.network = _new_network(
            [self.encoding.size, *settings.hidden_sizes, self.game.num_actions + 1], settings.seed
        )
        if (layers := initial_layers(settings)) is not None:
            set_layers(self.network, layers)
        elif settings.advice_logit and self.encoding.advice is not None:
            pass_advice_on(self.network, self.encoding.advice, self.game.num_actions, settings.advice_logit)
        if on_gpu := settings.device == "cuda":
            _check_gpu()
        self.device = torch.device(settings.device)
        self.network.to(self.device)
        self._rate, self._left = torch.zeros((), device=self.device), torch.ones((), device=self.device)
        parameters = self.network.parameters()
        self._optimizer = with_moments(
            torch.optim.Adam(parameters, self._rate, eps=1e-5, fused=True, capturable=on_gpu)
        )
        self._rows: list[torch.Tensor] = []
        self._outputs: Callable[[nn.Sequential, torch.Tensor], torch.Tensor] = outputs_of
        self._learn_from = Replayed(self._minibatch) if on_gpu else self._minibatch
        self.networks, self.optimizers = {"network": self.network}, {"adam": self._optimizer}
        if settings.has_magnet:
            self.magnet = deepcopy(self.network).requires_grad_(False)
            self.networks["magnet"] = self.magnet

    def _new_collector(self, count: int) -> Collector:
        settings, game = self.settings, self.game
        states = new_states(settings, self.rng, count)
        returns = Returns(settings.gamma, settings.gae_lambda, settings.score_weight)
        seed = int(self.rng.integers(2**62))
        given = (game, self.encoding, states, settings.n_steps, returns, seed, settings.threads)
        if settings.device == "cpu":
            return Collector(*given)
        from blackjacky_agents.learning.gpu_collecting import CudaCollector  # needs numba-cuda

        return CudaCollector(*given, bots=self.opponents)

    def layers(self) -> Layers:
        """The current policy network."""
        *hidden, (weights, bias) = layers_of(self.network)
        return [*hidden, (np.ascontiguousarray(weights[:, :-1]), bias[:-1])]

    # ------------------------------------------------------------ training

    def _prepare(self) -> None:
        self.clock.set(0)

    def _compile(self) -> None:
        """Compile everything while the clock stands still, by playing a few games."""
        seconds = self.clock.seconds
        self.show_progress("compiling")
        self.bar.refresh()
        self._against_bots(1)
        lineups = LEARNER + np.arange(self.game.max_players - 1)[None, :] % (1 + len(self.opponents))
        collector = self._new_collector(2)
        try:
            stretch = collector.collect(pack(layers_of(self.network), False), self.opponents, lineups)
        except TypeError as error:  # of a bot on a GPU
            raise AgentError(str(error)) from error
        self._regularise(stretch, collector)
        self.clock.set(seconds)

    def _learn(self) -> None:
        self._compile()
        for figures in self.updates(self._begin_update):
            self._end_update(figures)

    def updates(self, before: Callable[[], object] = lambda: None) -> Iterator[dict[str, float]]:
        """Play and learn to the end; yields the figures of each update, and calls ``before`` each."""
        collector = self._new_collector(self.settings.num_envs)
        with ThreadPoolExecutor(1, "playing") as player:
            coming = player.submit(collector.collect, *self._next_players())
            learnt = 0.0
            while self._goes_on:
                before()
                waiting = time.perf_counter()
                stretch = coming.result()
                begun = time.perf_counter()
                spared = 0 if begun - waiting > learnt else torch.get_num_threads()  # where playing is the longer part
                collector.threads = max(1, self.settings.threads - spared)
                self._regularise(stretch, collector)
                self._take(stretch)
                coming = player.submit(collector.collect, *self._next_players())  # while the learner learns
                figures = self._update()
                self.steps += len(self._rows[0])
                self._move_magnet()
                learnt = time.perf_counter() - begun
                yield figures

    def _next_players(self) -> tuple[npt.NDArray[np.float32], list[CompiledAgent], npt.NDArray[np.int64]]:
        """The present weights, the opponents, and who has the seats beside a learner's, (L, P - 1)."""
        settings, bots, past = self.settings, len(self.opponents), len(self.snapshots)
        chances = np.full(bots + past, (1 - settings.past_self_fraction if past else 1.0) / bots)
        chances[bots:] = settings.past_self_fraction / max(past, 1)
        lineups = draw_tables(settings, chances, _LINEUPS, self.game.max_players - 1, self.rng)
        return pack(layers_of(self.network), False), [*self.opponents, *self.snapshots], lineups

    def _take_snapshot(self) -> None:
        """Add a snapshot of the learner to the opponents, in a full pool in place of a random one."""
        self.snapshots.append(self.agent(greedy=False))
        if len(self.snapshots) > self.settings.pool_size:
            del self.snapshots[self.rng.integers(len(self.snapshots) - 1)]  # never the newest

    # ------------------------------------------------------------ learning

    def _regularise(self, stretch: Stretch, collector: Collector) -> None:
        """Regularise the rewards of the collector's last stretch, if the settings say so."""
        if not self.settings.reward_eta:
            return
        eta = self.settings.reward_eta * self._annealing
        inputs, masks, actions = (torch.from_numpy(array).flatten(0, 1) for array in stretch[:3])
        near = torch.log_softmax(_logits(self.magnet(inputs), masks), 1).gather(1, actions[:, None])
        log_ratios = stretch.log_probs - near.numpy().reshape(stretch.log_probs.shape)
        collector.regularise(stretch, eta * log_ratios.astype(np.float64))

    def _move_magnet(self) -> None:
        """Move the magnet, if there is one and it is time."""
        if not self.settings.has_magnet or self.steps // len(self._rows[0]) % self.settings.magnet_every:
            return
        with torch.no_grad():
            for own, new in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
                own.lerp_(new, self.settings.magnet_rate)

    def _take(self, stretch: Stretch) -> None:
        """Keep the decisions of a stretch, one in a row, and in a GPU's memory where those of the last one lay."""
        tensors = [torch.as_tensor(array, device=self.device) for array in stretch]
        if self.settings.device == "cpu":
            self._rows, self._outputs = [tensor.flatten(0, 1) for tensor in tensors], outputs_of
            if self._rows[0][:_LOOKED_AT].any(0).float().mean() < _FEW:
                self._outputs = narrowed = Narrowed(*self._rows[:2])
                self._rows[:3] = [*narrowed.narrow(*self._rows[:2]), narrowed.places(self._rows[2])]
            if self.settings.half_precision and has_fast_bfloat16():
                self._rows[0] = self._rows[0].bfloat16()
            return
        self._rows = self._rows or [torch.empty_like(tensor.flatten(0, 1)) for tensor in tensors]
        for kept, tensor in zip(self._rows, tensors, strict=True):
            kept.view(tensor.shape).copy_(tensor)

    @property
    def _annealing(self) -> float:
        """What annealed settings are multiplied by."""
        return self.left if self.settings.annealed else 1.0

    def _update(self) -> dict[str, float]:
        """Learn from the rows, in several epochs of minibatches; returns means of its figures, by name."""
        left = self._annealing
        self._rate.fill_(self.settings.learning_rate * left)
        self._left.fill_(left)
        shuffler = torch.Generator(self.device).manual_seed(int(self.rng.integers(2**62)))
        figures = []
        for _ in range(self.settings.n_epochs):
            order = torch.randperm(len(self._rows[0]), generator=shuffler, device=self.device)
            figures += [self._learn_from(chosen) for chosen in torch.split(order, self.settings.batch_size)]
        return dict(zip(_FIGURES, torch.stack(figures).mean(0).tolist(), strict=True))

    def _minibatch(self, chosen: torch.Tensor) -> torch.Tensor:
        """Learn from these rows; returns `_FIGURES`."""
        self._optimizer.zero_grad()
        loss, figures = self._loss(*(rows[chosen] for rows in self._rows))
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), _MAX_GRADIENT)
        self._optimizer.step()
        return figures

    def _loss(
        self,
        inputs: torch.Tensor,
        masks: torch.Tensor,
        actions: torch.Tensor,
        old_log_probs: torch.Tensor,
        old_values: torch.Tensor,
        advantages: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The loss of a minibatch, and `_FIGURES`.

        It is the clipped objective, an entropy bonus, the pull of the magnet, and the squared error of the values.
        """
        settings, outputs = self.settings, self._outputs(self.network, inputs)
        logits = _logits(outputs, masks)
        log_probs, policy = torch.log_softmax(logits, 1), torch.softmax(logits, 1)  # exp is slow where it underflows
        entropy = -(policy * log_probs).sum(1).mean()
        ratio = (log_probs.gather(1, actions[:, None])[:, 0] - old_log_probs).exp()
        clipped = ratio.clamp(1 - settings.clip_range, 1 + settings.clip_range)
        scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        policy_loss = -torch.min(scaled * ratio, scaled * clipped).mean()
        value_loss = (outputs[:, -1] - (old_values + advantages)).square().mean()
        loss: torch.Tensor = policy_loss - settings.ent_coef * self._left * entropy + _VALUE_WEIGHT * value_loss
        if settings.magnet_coef:
            near = torch.log_softmax(_logits(self._outputs(self.magnet, inputs), masks), 1)
            loss = loss + settings.magnet_coef * self._left * (policy * (log_probs - near)).sum(1).mean()
        with torch.no_grad():
            far = ((ratio - 1).abs() > settings.clip_range).float().mean()
            return loss, torch.stack([policy_loss, value_loss, entropy, (ratio - 1 - ratio.log()).mean(), far])


def _logits(outputs: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """The logits of the actions, (N, A), among a network's outputs."""
    return outputs[:, :-1].masked_fill(~masks, _ILLEGAL_LOGIT)


def _check_gpu() -> None:
    """Raise `ValueError` unless a GPU can play and learn."""
    if not torch.cuda.is_available():
        raise ValueError(
            f"device='cuda' needs an NVIDIA GPU, its driver, and a torch for them; torch {torch.__version__} finds none"
        )
    try:
        from blackjacky_env.play.gpu import check_gpu  # needs numba-cuda

        check_gpu()
    except (ImportError, RuntimeError) as error:
        raise ValueError(str(error)) from None
    torch.set_float32_matmul_precision("high")


def _new_network(sizes: list[int], seed: int) -> nn.Sequential:
    """A network with orthogonal weights, no biases and nearly equal logits."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = mlp(sizes)
        for module in linear_layers(network):
            nn.init.orthogonal_(module.weight, _SMALL if module is network[-1] else 2**0.5)
            nn.init.zeros_(module.bias)
    return network
