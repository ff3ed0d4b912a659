"""Evaluates agents on Ray clusters that cannot do it, and prints what was said as JSON."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from pathlib import Path
from typing import Any

import blackjacky_agents
import blackjacky_env
from blackjacky_agents.cli import run
from tests.agents.clusters import Cluster, add_node, new_cluster, ray


def main() -> None:
    """Evaluate on each cluster."""
    with new_cluster() as (cluster, client):
        told = {
            "without the package": on_node(cluster, without_package()),
            "with other code": on_node(cluster, with_other_code()),
        }
        ray.__version__ = "2.1.0"
        told |= {"another Ray": evaluate(cluster.address), "another Ray, by its client": evaluate(client)}
    print("\n" + json.dumps(told))


def without_package() -> Path:
    """A folder with a package that cannot be imported."""
    folder = Path("without").resolve()
    (folder / "blackjacky_agents").mkdir(parents=True)
    (folder / "blackjacky_agents" / "__init__.py").write_text("raise ImportError('there is none')", "utf-8")
    return folder


def with_other_code() -> Path:
    """A folder with a copy of the packages in which a comment differs."""
    folder = Path("other").resolve()
    for package in (blackjacky_agents, blackjacky_env):
        place = Path(str(package.__file__)).parent
        shutil.copytree(place, folder / place.name, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "blackjacky_env" / "__init__.py").open("a", encoding="utf-8") as file:
        file.write("# other\n")
    return folder


def on_node(cluster: Cluster, path: Path) -> Any:
    """What is said if the only node imports its packages from a folder."""
    node = add_node(cluster, env_vars={"PYTHONPATH": str(path)})
    said = evaluate(cluster.address)
    cluster.remove_node(node)
    return said


def evaluate(address: str) -> Any:
    """Status, output, and last line of the errors of `blackjacky evaluate`."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run("evaluate", ["--players", "random,threshold", "--games", "10", "--cluster", address])
    return [status, out.getvalue(), err.getvalue().splitlines()[-1]]


if __name__ == "__main__":
    main()
