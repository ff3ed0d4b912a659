"""examples/ppo_batch.py learns on a GPU what it learns on the CPU, in numba-cuda's simulator.

As in `test_cuda_batch`, this file is also the script that the simulator runs. What is not shown is that PyTorch takes
the arrays of a GPU: those of the simulator lie in the memory of the CPU.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from tests.plain_mode import ROOT, printed_in_plain_mode

pytestmark = pytest.mark.prove

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"


def learned(backend: str) -> str:
    """A hash of the network after two updates."""
    import ppo_batch
    import torch

    if SIMULATED:
        ppo_batch.as_tensor = lambda array: torch.from_numpy(np.array(array.copy_to_host()))
    trainer = ppo_batch.Trainer(ppo_batch.Args(backend=backend, encoding="raw", num_envs=3, num_steps=8))
    for _ in range(2):
        trainer.update(*trainer.collect())
    weights = [part.detach().numpy().tobytes() for part in trainer.agent.parameters()]
    return hashlib.sha256(b"".join(weights)).hexdigest()


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_the_simulated_gpu_learns_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("numba_cuda", "torch", "matplotlib", "tensorboard"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    assert printed_in_plain_mode(__file__).split() == [learned("cpu")]


if __name__ == "__main__":
    from blackjacky_env.engine import backend_cuda

    sys.path.append(str(Path(ROOT, "examples")))
    backend_cuda.THREADS = 2  # several blocks; a simulated thread is a thread of Python
    print(learned("cuda"))
