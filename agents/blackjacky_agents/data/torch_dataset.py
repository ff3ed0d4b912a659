"""Datasets for PyTorch's loaders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import IterableDataset, get_worker_info

from blackjacky_agents.data.dataset import Dataset


class TorchBatches(IterableDataset[dict[str, torch.Tensor]]):
    """The batches of `Dataset.batches` as tensors, for a ``DataLoader`` with ``batch_size=None``.

    Each worker of the loader reads its part of the dataset, so the order depends on the seed and on their number.

    Examples:
        >>> from torch.utils.data import DataLoader
        >>> batches = TorchBatches(dataset, 1024, policies=["champion"])          # doctest: +SKIP
        >>> for epoch in range(3):                                               # doctest: +SKIP
        ...     batches.seed = epoch
        ...     for batch in DataLoader(batches, batch_size=None, num_workers=2):
        ...         batch["observation"], batch["action_mask"], batch["action"]

    Args:
        dataset: the dataset.
        size: decisions of a batch.
        seed: of the order; assign another one before each epoch.
        options: further arguments of `Dataset.batches`.
    """

    def __init__(self, dataset: Dataset, size: int, seed: int = 0, **options: Any) -> None:
        self.dataset, self.size, self.seed, self.options = dataset, size, seed, options

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        """The batches, in the order of the seed."""
        worker = get_worker_info()
        part = (0, 1) if worker is None else (worker.id, worker.num_workers)
        for batch in self.dataset.batches(self.size, self.seed, part=part, **self.options):
            yield {name: torch.from_numpy(array) for name, array in batch.items()}
