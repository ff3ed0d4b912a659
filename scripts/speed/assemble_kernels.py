"""Compile the GPU kernels without a GPU, and say what they need: registers, code size, memory traffic.

    python scripts/speed/assemble_kernels.py            some minutes on two cores
    python scripts/speed/assemble_kernels.py --write    write the tables into docs/speed.md

The kernels of `blackjacky_env.engine.backend_cuda` are compiled for compute capability 9.0 (H100, H200) and assembled
with ptxas. The second table is no measurement: it divides the memory bandwidth of a GPU by the bytes that a step has
to read and write.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import tyro
from llvmlite.binding.object_file import ObjectFileRef
from numba import cuda, typeof
from numba.core.errors import TypingError
from numba.cuda import dispatcher
from tqdm import tqdm

from blackjacky_agents.files import write_file
from blackjacky_agents.reports import markdown_table, replace_part
from blackjacky_env.engine.backend_cpu import cores
from blackjacky_env.engine.backend_cuda import (
    make_kernels,
    make_numbered_cast,
    make_padded_board,
    make_playouts,
    no_contraction,
)
from blackjacky_env.engine.compiling import zeros
from blackjacky_env.engine.game import Game
from blackjacky_env.envs.opponents import compiled_names, find_compiled
from blackjacky_env.games import GAMES, get_game

PAGE = Path(__file__).parents[2] / "docs" / "speed.md"
CAPABILITY = (9, 0)
INSTRUCTION = 16  # bytes of machine code, since compute capability 7.0
GPUS = {  # NVIDIA's data sheets of the SXM modules: bytes/s of memory, multiprocessors, Hz
    "H100": (3.35e12, 132, 1.98e9),
    "H200": (4.8e12, 132, 1.98e9),
}
ISSUED = 4 * 32  # instructions of threads that a multiprocessor issues in a clock cycle: four warps
KERNELS = ("step", "run_random")


class Code(NamedTuple):
    """A kernel as ptxas assembles it."""

    registers: int
    """Of a thread."""
    stack: int
    """Bytes of a thread, in local memory."""
    spills: int
    """Bytes of registers that found no room, stores and loads."""
    instructions: int
    """Of its machine code, each once, however often it is run."""


@dataclass(frozen=True)
class Args:
    """Compile the GPU kernels without a GPU, and say what they need."""

    write: bool = False
    """Write the tables into docs/speed.md."""


def main(args: Args) -> None:
    """Assemble, print, and write if asked to."""
    cases = [(name, kernel) for name in GAMES for kernel in kernel_names(get_game(name))]
    with ProcessPoolExecutor(cores()) as pool:
        codes = list(tqdm(pool.map(assembled, cases), total=len(cases), unit=" kernels"))
    rows = [[f"`{name}`", f"`{kernel}`", *cells(code)] for (name, kernel), code in zip(cases, codes, strict=True)]
    head = ["game", "kernel", "registers", "stack, bytes", "spilled, bytes", "instructions"]
    how = (
        f"`python scripts/speed/assemble_kernels.py`: compute capability {CAPABILITY[0]}.{CAPABILITY[1]}; {version()}."
    )
    texts = {"kernels": f"{markdown_table(head, rows)}\n\n{how}", "roofline": roofline()}
    print("\n\n".join(texts.values()))
    if args.write:
        page = PAGE.read_text(encoding="utf-8")
        for part, text in texts.items():
            page = replace_part(page, part, text)
        write_file(PAGE, page)


def cells(code: Code | None) -> list[str]:
    """A row of the table; None: a kernel that cannot be compiled."""
    return [f"{number:,}" for number in code] if code else ["not compiled: it allocates memory", "", "", ""]


def kernel_names(game: Game) -> list[str]:
    """The kernels of batches, and a playout of each compiled bot."""
    return [*KERNELS, *(f"playouts of {bot}" for bot in bots_of(game))]


def bots_of(game: Game) -> list[str]:
    """The game's compiled bots, `random` first."""
    return [name for name in compiled_names(game.name) if not name.endswith(":")]


def assembled(case: tuple[str, str]) -> Code | None:
    """The code of one kernel of a game; None if it does not compile."""
    name, kernel = case
    game = get_game(name)
    try:
        return assemble(ptx_of(*kernel_and_arguments(game, kernel)))
    except TypingError:  # no arrays can be allocated
        return None


def kernel_and_arguments(game: Game, kernel: str) -> tuple[Any, tuple[Any, ...]]:
    """A kernel, and arguments of the types that it is called with."""
    if kernel.startswith("playouts of "):
        return playouts_and_arguments(game, [kernel.removeprefix("playouts of ")])
    board, games, kernels = make_padded_board(game, 1), np.zeros(1, np.int64), make_kernels(game, pays_result=True)
    arguments = {
        "start": (board, (), 0),
        "step": (board, (), 0, games),
        "draw_actions": (board, (), 0, games),
        "run_random": (board, (), 0, 1),
        "observe": (board.states, games, games, board.observations, board.action_masks),
    }
    return getattr(kernels, kernel), arguments[kernel]


def playouts_and_arguments(game: Game, bots: list[str]) -> tuple[Any, tuple[Any, ...]]:
    """The kernel of playouts of these bots, and arguments."""
    agents = [(agent.policy, agent.parameters) for agent in (find_compiled(game.name, bot) for bot in bots)]
    policies = tuple(policy for policy, _ in agents)
    states, seating = zeros(1, game.state_dtype), np.zeros((1, game.max_players), np.int64)
    results = np.zeros((1, 1, game.max_players))
    arguments = (states, seating, make_numbered_cast(policies, agents), 0, states, results, 0)
    return make_playouts(game, policies), arguments


def ptx_of(kernel: Any, arguments: tuple[Any, ...], optimized: bool = True) -> str:
    """A kernel in NVIDIA's assembly language, by numba-cuda, which spends most of its time on optimising it."""
    with a_device(), no_contraction():
        ptx, _ = cuda.compile_ptx(kernel.py_func, tuple(map(typeof, arguments)), cc=CAPABILITY, opt=optimized)
    return str(ptx)


@contextmanager
def a_device() -> Iterator[None]:
    """numba-cuda asks the current device what to compile for; this one answers where there is none."""
    device = SimpleNamespace(compute_capability=CAPABILITY)
    with mock.patch.object(dispatcher, "get_current_device", return_value=device):
        yield


def assemble(ptx: str, level: int = 3) -> Code:
    """What ptxas makes of one kernel at this level of optimisation; `subprocess.CalledProcessError` if it refuses."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx, encoding="utf-8")
        command = [ptxas(), "-v", f"-O{level}", f"-arch=sm_{CAPABILITY[0]}{CAPABILITY[1]}", source, "-o", cubin]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        sections = ObjectFileRef.from_data(cubin.read_bytes()).sections()
        size = sum(section.size() for section in sections if (section.name() or b"").startswith(b".text."))
    stack, stores, loads, registers = (
        sum(map(int, re.findall(pattern, said)))
        for pattern in (
            r"(\d+) bytes stack",
            r"(\d+) bytes spill stores",
            r"(\d+) bytes spill loads",
            r"Used (\d+) reg",
        )
    )
    return Code(registers, stack, stores + loads, size // INSTRUCTION)


def ptxas() -> Path:
    """NVIDIA's assembler, from the package nvidia-cuda-nvcc."""
    packages = importlib.util.find_spec("nvidia")
    folders = packages.submodule_search_locations if packages else None
    found = [path for folder in folders or () for path in Path(folder).glob("*/bin/ptxas")]
    if not found:
        sys.exit("error: ptxas is not installed: pip install nvidia-cuda-nvcc")
    return found[0]


def version() -> str:
    """The assembler's name and version."""
    said = subprocess.run([ptxas(), "--version"], capture_output=True, text=True, check=True).stdout
    release = re.search(r"release (\S+),", said)
    return f"ptxas {release[1] if release else '?'}"


# ---------------------------------------------------------------- memory traffic


def roofline() -> str:
    """The table of bytes and bounds, in Markdown."""
    head = ["game", "record", "observation", "mask", "bytes of a step"]
    head += [f"{gpu}, million steps/s" for gpu in GPUS] + [f"{gpu}, instructions" for gpu in GPUS]
    rows = []
    for name in GAMES:
        game = get_game(name)
        record, observation, mask = parts_of(game)
        moved = bytes_of_step(game)
        bounds = [bandwidth / moved for bandwidth, _, _ in GPUS.values()]
        budgets = [
            count * ISSUED * clock / bound for (_, count, clock), bound in zip(GPUS.values(), bounds, strict=True)
        ]
        sizes = [f"{size:,}" for size in (record, observation, mask, moved)]
        rows.append([f"`{name}`", *sizes, *(f"{each / 1e6:,.0f}" for each in bounds), *(f"{n:,.0f}" for n in budgets)])
    return markdown_table(head, rows)


def parts_of(game: Game) -> tuple[int, int, int]:
    """Bytes of a record, an observation and a mask with its padding."""
    board = make_padded_board(game, 1)
    return board.states.nbytes, board.observations.nbytes, board.action_masks.nbytes


def bytes_of_step(game: Game) -> int:
    """Bytes that one step of one game reads and writes, if each is moved once and nothing stays in a cache.

    The record, the count of moves and whether the game had ended are read and written, the action is read, and all that
    a batch shows is written.
    """
    board = make_padded_board(game, 1)
    both = board.states, board.moves
    written = board.observations, board.action_masks, board.current_player, board.rewards, board.terminated
    action = np.dtype(np.int64).itemsize
    return 2 * sum(array.nbytes for array in both) + sum(array.nbytes for array in written) + action


if __name__ == "__main__":
    main(tyro.cli(Args))
