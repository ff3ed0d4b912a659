"""Long jobs on many machines: an executor whose tasks run on a Ray cluster.

Ray places the tasks, one to a CPU, and repeats those whose node is lost. A job is cut into tasks that depend on their
arguments alone, so it does not matter where, or how often, one of them is run.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import secrets
import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, nullcontext
from functools import cache, lru_cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import blackjacky_env
from blackjacky_agents.reports import install
from blackjacky_agents.storage.files import versions

_RETRIES = 20  # nodes that may be lost under one task, or processes that it may crash


class ClusterError(RuntimeError):
    """The cluster cannot do the work; the message is Ray's, or says what a node lacks."""


def joined(address: str | None, cores: int | None = None) -> AbstractContextManager[ClusterExecutor | None]:
    """A context with the cluster at an address, as `ClusterExecutor`; None without an address."""
    return nullcontext() if address is None else ClusterExecutor(address, cores)


class ClusterExecutor(Executor):
    """Runs tasks on a Ray cluster, to which this process is connected until `shutdown`.

    Functions and their arguments are pickled, and modules that were imported from the current folder or that of a
    script are sent along. All nodes need the driver's versions of this package, Ray and Python; a program (`cmd:`) has
    to be installed on each of them.

    Args:
        address: ``"auto"`` (the cluster that runs on this machine), ``"local"`` (a new one, for this process alone),
            ``"HOST:PORT"`` (from a machine of the cluster) or ``"ray://HOST:PORT"`` (from any machine).
        cores: number of CPUs of a local cluster; None: all.

    Raises `ClusterError` if Ray is not installed or cannot connect; futures do if their task could not be run.
    """

    def __init__(self, address: str, cores: int | None = None) -> None:
        if find_spec("ray") is None:
            raise ClusterError(f"--cluster needs ray: {install('cluster')}, here and on all nodes")
        options: dict[str, Any] = {"runtime_env": {"py_modules": modules} if (modules := _local_modules()) else {}}
        if address == "local":
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray reports to its makers unless told not to
            if "RAY_AUTH_MODE" not in os.environ:  # others on this network must not submit tasks
                os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
            options |= {"num_cpus": cores, "include_dashboard": False}
        import ray  # which reads these variables

        try:
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **options)
        except (ValueError, RuntimeError, OSError, SystemExit) as error:  # the last for what is no Ray cluster
            ray.shutdown()  # of what it has begun
            raise ClusterError(f"--cluster {address}: {error}; see docs/scaling.md") from error
        self._ray = ray
        self._task = ray.remote(max_retries=_RETRIES, num_cpus=1)(run_here)
        self._expected = ray.put(_own_versions())
        self._stored: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    @property
    def cores(self) -> int:
        """Number of CPUs of all nodes at this moment, at least 1."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 0)))

    def submit(self, work: Callable[..., Any], /, *arguments: Any) -> Future[Any]:  # type: ignore[override]
        """A task; ``work`` is sent once, however many tasks there are."""
        from ray import cloudpickle

        done: Future[Any] = Future()
        done.set_running_or_notify_cancel()
        task = self._task.remote(self._expected, self.store(work, cloudpickle.dumps), *arguments)
        task.future().add_done_callback(lambda result: self._finish(done, result))
        return done

    def store(self, value: Any, pack: Callable[[Any], Any] = lambda value: value) -> Any:
        """An argument for several tasks, sent to each node once, as ``pack`` makes it, while this object exists."""
        if value not in self._stored:
            self._stored[value] = self._ray.put(pack(value))
        return self._stored[value]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect, which ends the tasks that are still running."""
        self._ray.shutdown()

    def _finish(self, done: Future[Any], result: Future[Any]) -> None:
        try:
            done.set_result(pickle.loads(result.result()))  # noqa: S301  # Ray itself unpickles what nodes return
        except self._ray.exceptions.RayTaskError as error:
            done.set_exception(error.cause)
        except BaseException as error:  # noqa: BLE001  # or nobody would hear of it
            done.set_exception(ClusterError(f"the cluster could not run a task: {error}"))


def _local_modules() -> list[str]:
    """Files and folders of the modules imported from the current folder, or that of a script, and not installed."""
    main = sys.modules["__main__"]
    places = [Path.cwd(), Path(getattr(main, "__file__", None) or ".").resolve().parent]
    found = set()
    for name, module in list(sys.modules.items()):
        path = Path(getattr(module, "__file__", None) or os.devnull).resolve()
        installed = "site-packages" in path.parts or path.is_relative_to(sysconfig.get_path("stdlib"))
        if module is not main and path.is_file() and not installed and any(map(path.is_relative_to, places)):
            found.add(name.partition(".")[0])
    modules = [sys.modules[name] for name in sorted(found - {"blackjacky_env", "blackjacky_agents"})]
    return [str(next(iter(getattr(module, "__path__", [module.__file__])))) for module in modules]


@cache
def _own_versions() -> dict[str, str]:
    """Everything that results depend on: versions, and a hash of the code, which a version may not tell apart."""
    folders = (Path(__file__).parents[1], Path(blackjacky_env.__file__).parent)
    found = ((path.relative_to(folder.parent).as_posix(), path) for folder in folders for path in folder.rglob("*.py"))
    code = sha256(b"".join(name.encode() + path.read_bytes() for name, path in sorted(found))).hexdigest()
    return {**versions(), "code": code[:16]}


def run_here(expected: dict[str, str], work: bytes, *arguments: Any) -> bytes:
    """Run a task in this process of a node; `ClusterError` if its versions are not those of the driver.

    Returns the result pickled: as it is, an array would stay in Ray's object store as long as the driver keeps it.
    """
    for name, own in _own_versions().items():
        if expected.get(name) != own:
            node, wanted = platform.node(), expected.get(name)
            raise ClusterError(f"the node {node} has {name} {own}, not {wanted}: install the same versions everywhere")
    from ray import cloudpickle

    packed: bytes = cloudpickle.dumps(_unpack(work)(*arguments))
    return packed


_unpack = lru_cache(16)(pickle.loads)  # cached, since what functions hold may have to be compiled or loaded
