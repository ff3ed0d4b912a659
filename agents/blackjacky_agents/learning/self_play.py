"""Self-play: PPO on compiled games, in every seat that the learner has.

Compiled code (`collecting`) plays whole stretches, the network included, while torch learns from the previous one. The
weights that play are always one update behind those that learn, so the same seed gives the same weights.

The clipped objective is that of Schulman et al. (Proximal policy optimization algorithms, 2017).
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.checkpoint import Arrays, grouped, read_count, read_rng
from blackjacky_agents.kit.settings import SelfPlaySettings
from blackjacky_agents.learning.collecting import Collector, Returns, Stretch, draw_tables
from blackjacky_agents.learning.modules import (
    arrays_of,
    linear_layers,
    mlp,
    pass_advice_on,
    read_arrays,
    read_random_state,
    set_layers,
)
from blackjacky_agents.learning.run import TrainingRun
from blackjacky_agents.networks.agent_file import initial_layers
from blackjacky_agents.networks.network import Layers, check_packed, layers_of, network_agent, pack, read_packed
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env.compiled import zeros
from blackjacky_env.play import check_arrays, check_entries

_LINEUPS = 256  # drawn for each stretch
_ILLEGAL_LOGIT = -1e9
_SMALL = 0.01  # scale of the initial logits
_VALUE_WEIGHT = 0.5  # in the loss
_MAX_GRADIENT = 0.5  # its norm
_FIGURES = ("loss/policy", "loss/value", "entropy", "kl", "clip_fraction")


class SelfPlay(TrainingRun):
    """Training by self-play; arguments and errors are those of `TrainingRun`.

    Attributes:
        network: its outputs are the logits of the actions, then the value of the position for the seat that sees it.
    """

    settings: SelfPlaySettings

    def __init__(self, settings: SelfPlaySettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        torch.set_num_threads(settings.threads)  # one of which plays a part of the time
        self._generator = torch.Generator().manual_seed(settings.seed)
        self.network = _new_network(
            [self.encoding.size, *settings.hidden_sizes, self.game.num_actions + 1], settings.seed
        )
        if (layers := initial_layers(settings)) is not None:
            set_layers(self.network, layers)
        elif settings.advice_logit and self.encoding.advice is not None:
            linear = linear_layers(self.network)
            pass_advice_on(linear, self.encoding.advice, self.game.num_actions, settings.advice_logit)
        self._optimizer = torch.optim.Adam(self.network.parameters(), eps=1e-5, fused=True)
        self.opponents = [make_compiled_agent(name, settings.game) for name in settings.bots]
        self.snapshots: list[CompiledAgent] = []
        self._steps = self._taken = 0
        self._player = ThreadPoolExecutor(1, "playing")
        self._coming: Future[Stretch] | None = None
        self._collector = self._make_collector(settings.num_envs)
        self._before: Arrays = {}  # games, network and line-ups with which the stretch began that is being played

    def _make_collector(self, count: int) -> Collector:
        settings, game = self.settings, self.game
        records = {}
        for size in set(settings.table_sizes):
            players, variant = game.choose_table(size, settings.variant)
            options = game.check_options(players, variant, settings.rule_options)
            records[size] = game.new_state(players, variant, options)[0]
        states = zeros(count, game.state_dtype)
        for i in range(count):
            states[i] = records[settings.table_sizes[i % len(settings.table_sizes)]]
        returns = Returns(settings.gamma, settings.gae_lambda, settings.score_shaping)
        threads = max(1, settings.threads - 1)
        return Collector(game, self.encoding, states, settings.n_steps, returns, settings.seed, threads)

    @property
    def steps(self) -> int:
        """Number of the learner's decisions so far, in all seats; those without a choice are not counted."""
        return self._steps

    def layers(self) -> Layers:
        """The current policy network."""
        *hidden, (weights, bias) = layers_of(self.network)
        return [*hidden, (np.ascontiguousarray(weights[:, :-1]), bias[:-1])]

    # ------------------------------------------------------------ training

    def _prepare(self) -> None:
        """Compile everything before the clock starts, by playing a few games."""
        self._against_bots(1)
        lineups = np.arange(self.game.max_players - 1)[None, :] % (1 + len(self.opponents))
        self._make_collector(1).collect(pack(layers_of(self.network), False), self.opponents, lineups)
        self.clock.set(0)

    def _learn(self) -> None:
        if self._resumed:
            self._begin([*self.opponents, *self.snapshots])  # the stretch that was being played
        else:
            self._play_on()
        while self.left > 0 and not self.interrupted:
            if self._steps >= self._taken * self.settings.snapshot_every:
                self.take_snapshot()
            elif self._is_evaluation_due:
                self.evaluate()
            stretch = self._next_stretch()
            self._play_on()
            figures = self._update(stretch)
            self._steps += stretch.actions.size
            self._log(figures)
            self.show_progress()
            self._save_if_due()
        self._next_stretch()

    def take_snapshot(self) -> None:
        """Evaluate, and add a snapshot of the learner to the opponents, in a full pool in place of a random one."""
        self._taken = self._steps // self.settings.snapshot_every + 1
        self.evaluate()
        self.snapshots.append(self.agent(greedy=False))
        if len(self.snapshots) > self.settings.pool_size:
            del self.snapshots[self.rng.integers(len(self.snapshots) - 1)]  # never the newest

    def _play_on(self) -> None:
        """Begin the next stretch, with the present weights, while the caller goes on."""
        self._note_before(pack(layers_of(self.network), False), self._draw_lineups())
        self._begin([*self.opponents, *self.snapshots])

    def _note_before(self, playing: npt.NDArray[np.float32], lineups: npt.NDArray[np.int64]) -> None:
        games = {f"games.{name}": array for name, array in self._collector.save().items()}
        self._before = {**games, "playing": playing, "lineups": lineups}

    def _begin(self, opponents: list[CompiledAgent]) -> None:
        network, lineups = self._before["playing"], self._before["lineups"]
        self._coming = self._player.submit(self._collector.collect, network, opponents, lineups)

    def _next_stretch(self) -> Stretch:
        """Wait for the stretch that is being played."""
        assert self._coming is not None
        return self._coming.result()

    def _draw_lineups(self) -> npt.NDArray[np.int64]:
        """Who has the seats beside a learner's, (L, P - 1): the learner alone, copies of one opponent, or anybody."""
        settings, bots, past = self.settings, len(self.opponents), len(self.snapshots)
        chances = np.full(bots + past, (1 - settings.past_self_fraction if past else 1.0) / bots)
        chances[bots:] = settings.past_self_fraction / max(past, 1)
        return draw_tables(settings, chances, _LINEUPS, self.game.max_players - 1, self.rng)

    # ------------------------------------------------------------ learning

    def _update(self, stretch: Stretch) -> dict[str, float]:
        """Learn from a stretch, in several epochs of minibatches; returns means of its figures, by name."""
        for group in self._optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * self.left
        rows = [torch.from_numpy(array.reshape(-1, *array.shape[2:])) for array in stretch]
        figures = []
        for _ in range(self.settings.n_epochs):
            order = torch.randperm(len(rows[0]), generator=self._generator)
            for chosen in torch.split(order, self.settings.batch_size):
                self._optimizer.zero_grad()
                loss, told = self._loss(*(array[chosen] for array in rows))
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(self.network.parameters(), _MAX_GRADIENT)
                self._optimizer.step()
                figures.append(told)
        return dict(zip(_FIGURES, torch.stack(figures).mean(0).tolist(), strict=True))

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

        It is the clipped objective, an entropy bonus, and the squared error of the values.
        """
        settings, features = self.settings, self.network[:-1](inputs)
        is_warmup = self._steps < settings.value_warmup
        outputs = self.network[-1](features.detach() if is_warmup else features)
        logits = outputs[:, :-1].detach() if is_warmup else outputs[:, :-1]
        log_probs = torch.log_softmax(logits.masked_fill(~masks, _ILLEGAL_LOGIT), 1)
        entropy = -(log_probs.exp() * log_probs).sum(1).mean()
        ratio = (log_probs.gather(1, actions[:, None])[:, 0] - old_log_probs).exp()
        clipped = ratio.clamp(1 - settings.clip_range, 1 + settings.clip_range)
        scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        policy_loss = -torch.min(scaled * ratio, scaled * clipped).mean()
        value_loss = (outputs[:, -1] - (old_values + advantages)).square().mean()
        loss: torch.Tensor = policy_loss - settings.ent_coef * self.left * entropy + _VALUE_WEIGHT * value_loss
        with torch.no_grad():
            far = ((ratio - 1).abs() > settings.clip_range).float().mean()
            return loss, torch.stack([policy_loss, value_loss, entropy, (ratio - 1 - ratio.log()).mean(), far])

    # ------------------------------------------------------------ checkpoints

    def _arrays(self) -> Arrays:
        return {
            **arrays_of({"network": self.network}, {"adam": self._optimizer}),
            **{f"snapshot.{i}": snapshot.parameters for i, snapshot in enumerate(self.snapshots)},
            **self._before,
            "torch": self._generator.get_state().numpy(),
        }

    def _state(self) -> dict[str, Any]:
        return {
            "steps": self._steps,
            "snapshots_taken": self._taken,
            "seconds": self.clock.seconds,
            "generator": self.rng.bit_generator.state,
        }

    def _restore(self, arrays: Arrays, state: dict[str, Any]) -> None:
        groups = grouped(arrays, ("network", "adam", "snapshot", "games", "playing", "lineups", "torch"))
        restore = read_arrays(groups, {"network": self.network}, {"adam": self._optimizer})
        snapshots = read_packed(
            "the snapshots", groups["snapshot"], pack(self.layers(), False), self.settings.pool_size
        )
        torch_state, rng = read_random_state(groups["torch"]), read_rng(state, "generator")
        steps, taken = read_count(state, "steps"), read_count(state, "snapshots_taken")
        opponents, packed = len(self.opponents) + len(snapshots), pack(layers_of(self.network), False)
        playing = check_arrays("playing", groups["playing"], {"": packed})[""]
        check_packed("playing", playing, packed)
        like = np.zeros((_LINEUPS, self.game.max_players - 1), np.int64)
        lineups = check_arrays("lineups", groups["lineups"], {"": like})[""]
        check_entries("lineups", lineups, 0, opponents)
        tables = self._collector.read(groups["games"], opponents)
        restore()
        self.snapshots = [network_agent(self.game.name, self.encoding, each) for each in snapshots]
        self._generator.set_state(torch_state)
        self.rng, self._steps, self._taken = rng, steps, taken
        self._collector.restore(tables)
        self._note_before(playing, lineups)


def _new_network(sizes: list[int], seed: int) -> nn.Sequential:
    """A network with orthogonal weights, no biases and nearly equal logits."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = mlp(sizes)
        linear = linear_layers(network)
        for module in linear:
            nn.init.orthogonal_(module.weight, _SMALL if module is linear[-1] else 2**0.5)
            nn.init.zeros_(module.bias)
    return network
