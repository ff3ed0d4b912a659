"""The notebooks run, with less training and fewer games, and what is committed of them is what they print.

python tests/test_notebooks.py    run them and write their outputs
"""

import asyncio
import os
import re
import shutil
import tempfile
from pathlib import Path
from types import MappingProxyType

import nbformat
import pytest
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient

pytestmark = pytest.mark.prove

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
VARIES = "varies"
"""Tag of cells whose outputs depend on the processor: what comes of training a network."""

SHORTER = {"range(10)": "range(1)", "TABLES, MOVES = 300": "TABLES, MOVES = 100", "GAMES = 400": "GAMES = 40"}
"""Training and games of which a test does a part; only cells that vary show what comes of them."""

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)


def run(path, scratch, shorter=MappingProxyType({})):
    """The notebook with outputs of a fresh kernel, run in a copy of its folder, and the files that it left there."""
    folder = Path(shutil.copytree(path.parent, scratch / "notebooks"))
    before = set(folder.rglob("*"))
    notebook = nbformat.read(path, as_version=4)
    for cell in code_cells(notebook):
        for whole, part in shorter.items():
            cell.source = cell.source.replace(whole, part)
    kernel = AsyncKernelManager(
        kernel_name="python3",
        kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),  # none that is installed: the Python that runs this
        connection_file=str(scratch / "kernel.json"),
    )
    client = NotebookClient(
        notebook,
        km=kernel,
        timeout=1200,  # so that a cell that hangs ends some day
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    own_settings = {**os.environ, "IPYTHONDIR": str(scratch / "ipython")}  # nobody's start-up files
    # Windows' default loop cannot wait for ZeroMQ's sockets.
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        runner.run(client.async_execute(cleanup_kc=True, env=own_settings))
    return notebook, set(folder.rglob("*")) - before


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def written(cell, stream):
    return "".join(output.text for output in cell.outputs if output.get("name") == stream)


def shown(cell):
    results = [output.data["text/plain"] for output in cell.outputs if "data" in output]
    return written(cell, "stdout"), results


def refresh(path):
    """Run a notebook and write its outputs, without what says when and where it ran."""
    with tempfile.TemporaryDirectory() as scratch:
        notebook, _ = run(path, Path(scratch))
    notebook.metadata = METADATA
    nbformat.write(notebook, path)


@pytest.mark.slow
@each_notebook
def test_a_notebook_runs_and_prints_what_is_committed(path, tmp_path):
    notebook, files = run(path, tmp_path, SHORTER)
    assert {cell.id: written(cell, "stderr") for cell in code_cells(notebook) if written(cell, "stderr")} == {}
    assert files == set(), "a notebook leaves no files behind"
    committed = {cell.id: shown(cell) for cell in code_cells(nbformat.read(path, as_version=4))}
    for cell in code_cells(notebook):
        if VARIES not in cell.metadata.get("tags", []):
            assert shown(cell) == committed[cell.id], "out of date; run: python tests/test_notebooks.py"


@each_notebook
def test_a_committed_notebook_has_been_run_from_top_to_bottom_and_says_nothing_of_the_machine_that_ran_it(path):
    notebook = nbformat.read(path, as_version=4)
    cells = code_cells(notebook)
    assert notebook.metadata == METADATA
    assert {key for cell in notebook.cells for key in cell.metadata} <= {"tags"}
    text = "\n".join(str(shown(cell)) for cell in cells)
    assert re.findall(r"(?:[A-Za-z]:\\|/(?:home|root|tmp|usr|Users)/)\S*", text) == []
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    outputs = [output for cell in cells for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"] == []


if __name__ == "__main__":
    for each in NOTEBOOKS:
        refresh(each)
