"""Ray clusters of this machine, for programs that run in processes of their own."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
from collections.abc import Iterator
from typing import Any

os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32), RAY_USAGE_STATS_ENABLED="0")

import ray
from ray.cluster_utils import Cluster

__all__ = ["Cluster", "add_node", "new_cluster", "ray", "replace_node"]


@contextlib.contextmanager
def new_cluster() -> Iterator[tuple[Cluster, str]]:
    """A cluster whose head runs no tasks, and its address for Ray's client."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = int(taken.getsockname()[1])
    head = {"num_cpus": 0, "include_dashboard": False, "ray_client_server_port": port}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        yield cluster, f"ray://127.0.0.1:{port}"
    finally:
        cluster.shutdown()


def add_node(cluster: Cluster, **options: Any) -> Any:
    """A new node with one CPU; Ray gives up after 30 seconds, which a busy machine may need."""
    for _ in range(4):
        with contextlib.suppress(Exception):  # Ray raises no other class
            return cluster.add_node(num_cpus=1, **options)
    return cluster.add_node(num_cpus=1, **options)


def replace_node(cluster: Cluster, nodes: list[Any]) -> None:
    """Kill the node that was added first, and add another one."""
    cluster.remove_node(nodes.pop(0), allow_graceful=False)
    nodes.append(add_node(cluster))
