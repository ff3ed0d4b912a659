"""Long jobs on many machines: an executor whose tasks run on a Ray cluster.

Ray places the tasks, one to a CPU, and repeats those whose node is lost. A job is cut into tasks that depend on their
arguments alone, so it does not matter where, or how often, one of them is run.
"""

from __future__ import annotations

import atexit
import logging
import os
import pickle
import platform
import secrets
import socket
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import cache, lru_cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import blackjacky_env
from blackjacky_agents.files import versions
from blackjacky_agents.reports import install

HELP = "`auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`"

_ANSWER_TIMEOUT = 5.0  # seconds
_RETRIES = 20  # nodes that may be lost under one task, or processes that it may crash
_KEPT = 16  # functions that the driver and each process of a node keep, with the agents that they hold
_NAMED = ("auto", "local")
_ENDED = (
    "\nerror: this command was killed, or Ray ended it because one of its processes was, perhaps for lack of memory; "
    "what has been written is kept: repeat the command"
)
_ATTEMPTS = 3  # of ray://, where the cluster has to start a process for each driver, which fails when it is busy
_TOO_BUSY = ("Starting Ray client server failed", "ZombieProcess")

Versions = dict[str, str]


class ClusterError(RuntimeError):
    """The cluster does not answer, or cannot do the work; the message says what to do."""


@contextmanager
def joined(address: str | None, cores: int | None = None) -> Iterator[ClusterExecutor | None]:
    """A context with the cluster at an address, as `ClusterExecutor`; None without an address."""
    if address is None:
        yield None
        return
    cluster = ClusterExecutor(address, cores)
    try:
        yield cluster
    finally:
        cluster.shutdown(cancel_futures=True)


class ClusterExecutor(Executor):
    """Runs tasks on a Ray cluster, to which this process is connected until `shutdown`.

    Functions and their arguments are pickled, with the weights of trained agents. Modules that were imported from the
    current folder or that of a script, such as that of an agent of yours, are sent along. All nodes need the driver's
    versions of this package, Ray and Python; a program (`cmd:`) has to be installed on each of them.

    Args:
        address: ``"auto"`` (the cluster that runs on this machine), ``"local"`` (a new one, for this process alone),
            ``"HOST:PORT"`` (from a machine of the cluster) or ``"ray://HOST:PORT"`` (from any machine).
        cores: number of CPUs of a local cluster; None: all.

    Raises `ClusterError` if the address is invalid, nobody answers, or Ray or Python has another version there. Futures
    raise what their task raised, or `ClusterError` if it could not be run.
    """

    def __init__(self, address: str, cores: int | None = None) -> None:
        check_address(address)
        _connect(address, cores)
        import ray

        self._ray = ray
        self._task = ray.remote(max_retries=_RETRIES, num_cpus=1)(_make_task())
        self._expected = ray.put(_own_versions())
        self._stored: dict[int, tuple[Callable[..., Any], Any]] = {}  # functions that have been sent, by their id
        self._values: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # where they are, see `store`
        self._running: dict[Future[Any], tuple[Callable[..., Any], Any]] = {}
        self._end_watch = _watched()

    @property
    def cores(self) -> int:
        """Number of CPUs of all nodes at this moment, at least 1."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 0)))

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """A task; ``work`` is sent once, however many tasks there are.

        Raises `TypeError` if it cannot be pickled.
        """
        done: Future[Any] = Future()
        done.set_running_or_notify_cancel()
        task = self._task.remote(self._expected, self._store(work), named, *arguments)
        self._running[done] = (work, task)
        task.future().add_done_callback(lambda result: self._finish(done, result))
        return done

    def store(self, value: Any) -> Any:
        """An argument for several tasks, which is sent to each node once and kept there as long as ``value`` is here.

        ``value``: an object that is told from others by its identity, such as an agent.
        """
        if value not in self._values:
            self._values[value] = self._ray.put(value)
        return self._values[value]

    def cancel(self, work: Callable[..., Any]) -> None:
        """Stop the tasks that do this work and are not finished."""
        for other, task in list(self._running.values()):
            if other is work:
                self._ray.cancel(task, force=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect; tasks that are still running are waited for if ``wait`` and not ``cancel_futures``."""
        running = [task for _, task in self._running.values()]
        if running and wait and not cancel_futures:
            self._ray.wait(running, num_returns=len(running))
        self._ray.shutdown()
        self._end_watch()

    def _store(self, work: Callable[..., Any]) -> Any:
        if id(work) not in self._stored:
            self._stored[id(work)] = (work, self._ray.put(_pack(work)))
            if len(self._stored) > _KEPT:
                del self._stored[next(iter(self._stored))]
        return self._stored[id(work)][1]

    def _finish(self, done: Future[Any], result: Future[Any]) -> None:
        from ray.exceptions import RayError, RayTaskError

        self._running.pop(done, None)
        try:
            done.set_result(pickle.loads(result.result()))  # noqa: S301  # Ray itself unpickles what nodes return
        except RayTaskError as error:
            cause = error.cause
            done.set_exception(ClusterError(str(cause)) if isinstance(cause, ImportError) else cause)
        except RayError as error:
            done.set_exception(ClusterError(f"the cluster could not run a task: {_in_short(error)}"))
        except BaseException as error:  # noqa: BLE001  # or nobody would hear of it
            done.set_exception(error)


def check_address(address: str) -> None:
    """Raise `ClusterError` if an address is invalid or Ray is not installed."""
    if address not in _NAMED:
        try:
            host, port = _host_and_port(address)
        except ValueError:
            host, port = None, None
        if not host or not port:
            raise ClusterError(f"--cluster {address!r} is not an address; allowed are {HELP}")
    if find_spec("ray") is None:
        raise ClusterError(f"--cluster needs ray: {install('cluster')}, here and on all nodes")


def _host_and_port(address: str) -> tuple[str | None, int | None]:
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.scheme not in ("", "ray") or parts.path:
        raise ValueError(address)
    return parts.hostname, parts.port


def _connect(address: str, cores: int | None) -> None:
    if address not in _NAMED:
        _check_answer(address)
    modules = _local_modules()
    options: dict[str, Any] = {"runtime_env": {"py_modules": modules} if modules else {}}
    if address == "local":
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray reports to its makers unless told not to
        if "RAY_AUTH_MODE" not in os.environ:  # others on this network must not submit tasks
            os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
        options |= {"num_cpus": cores, "include_dashboard": False}
    for left in reversed(range(_ATTEMPTS if address.startswith("ray://") else 1)):
        error = _try_to_connect(address, options)
        if error is None:
            return
        if not left or not any(words in str(error) for words in _TOO_BUSY):
            raise ClusterError(f"--cluster {address}: {_in_short(error)}{_advice(address, error)}")


def _try_to_connect(address: str, options: dict[str, Any]) -> Exception | None:
    import ray

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they repeat what the error says
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **options)
    except SystemExit:  # Ray's answer to a server that is no Ray cluster
        raise _no_cluster(address) from None
    except (ValueError, RuntimeError, OSError) as error:
        ray.shutdown()  # of what it has begun
        return error
    return None


def _check_answer(address: str) -> None:
    """Raise `ClusterError` if nobody answers, or not as Ray does; Ray itself would take minutes to find out."""
    host, port = _host_and_port(address)
    try:
        socket.create_connection((host, port), _ANSWER_TIMEOUT).close()
    except OSError as error:
        raise ClusterError(
            f"--cluster {address}: nobody answers there ({error}); start a cluster with `ray start --head`, which "
            "prints its address (port 6379; for ray:// it is port 10001), and see docs/scaling.md"
        ) from None
    if os.environ.get("RAY_USE_TLS", "0") != "0":
        return
    import grpc  # comes with Ray, which speaks it

    target = f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"
    with grpc.insecure_channel(target, [("grpc.enable_http_proxy", 0)]) as channel:
        try:
            grpc.channel_ready_future(channel).result(_ANSWER_TIMEOUT)
        except grpc.FutureTimeoutError:
            raise _no_cluster(address) from None


def _no_cluster(address: str) -> ClusterError:
    return ClusterError(f"--cluster {address}: something answers there, but it is not a Ray cluster")


def _advice(address: str, error: BaseException) -> str:
    if "connect" not in str(error).lower():
        return ""
    start = "start one with `ray start --head`; " if address == "auto" else ""
    return f"; {start}if it asks for a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN, see docs/scaling.md"


def _in_short(error: BaseException) -> str:
    """The message of one of Ray's errors in one line, without the traceback that it may quote."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    quotes = any(line.startswith("Traceback") for line in lines)
    return (lines[-1] if quotes else " ".join(lines))[:500]


def _watched() -> Callable[[], None]:
    """Have a process say it if this one ends before the function that is returned was called.

    When something that Ray has started on this machine is killed, such as an agent of its dashboard, Ray ends this
    process at once with status 1, in C and without a word.
    """
    command = [sys.executable, "-S", "-c", f"import sys; sys.stdin.read() or sys.exit({_ENDED!r})"]
    watching = subprocess.Popen(command, stdin=subprocess.PIPE, text=True, start_new_session=True)

    def end() -> None:
        if watching.poll() is None:
            watching.communicate("Nothing to say.")
            atexit.unregister(end)

    atexit.register(end)
    return end


# ---------------------------------------------------------------- what is sent


def _pack(work: Callable[..., Any]) -> bytes:
    from ray import cloudpickle

    try:
        packed: bytes = cloudpickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(
            f"an agent cannot be sent to other machines: {error}; use agents that can be pickled"
        ) from error
    return packed


def _local_modules() -> list[str]:
    """Files and folders of the modules imported from the current folder, or that of a script, and not installed."""
    main = sys.modules["__main__"]  # which multiprocessing also calls __mp_main__
    script = getattr(main, "__file__", None)
    places = [Path.cwd(), *([] if script is None else [Path(script).resolve().parent])]
    found = [name for name, module in list(sys.modules.items()) if module is not main and _is_inside(places, module)]
    tops = {name.partition(".")[0] for name in found} - {"blackjacky_env", "blackjacky_agents"}
    modules = [sys.modules[name] for name in sorted(tops)]
    return [str(next(iter(getattr(module, "__path__", [module.__file__])))) for module in modules]


def _is_inside(folders: Iterable[Path], module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    if file is None:
        return False
    path = Path(file).resolve()
    if not path.is_file():  # such as torch.ops, which gives a name alone
        return False
    installed = "site-packages" in path.parts or path.is_relative_to(sysconfig.get_path("stdlib"))
    return not installed and any(path.is_relative_to(folder) for folder in folders)


@cache
def _own_versions() -> Versions:
    """Everything that results depend on: versions, and a hash of the code, which a version may not tell apart."""
    folders = (Path(__file__).parents[1], Path(blackjacky_env.__file__).parent)
    found = ((path.relative_to(folder.parent).as_posix(), path) for folder in folders for path in folder.rglob("*.py"))
    code = sha256(b"".join(name.encode() + path.read_bytes() for name, path in sorted(found))).hexdigest()
    return {**versions(), "code": code[:16]}


# ---------------------------------------------------------------- on the nodes


def _make_task() -> Callable[..., Any]:
    """The task; a function within a function is sent whole, so that it can tell what a node lacks."""

    def task(expected: dict[str, str], work: bytes, named: dict[str, Any], *arguments: Any) -> bytes:
        try:
            from blackjacky_agents.arena.cluster import run_here
        except ImportError as error:
            import platform

            raise ImportError(
                f"the node {platform.node()} cannot import blackjacky ({error}): run pip install "
                f"'blackjacky[cluster]=={expected['blackjacky']}' there, in the environment that runs `ray start`"
            ) from None
        return run_here(expected, work, named, *arguments)

    return task


def run_here(expected: Versions, work: bytes, named: dict[str, Any], *arguments: Any) -> bytes:
    """Run a task in this process of a node; `ClusterError` if its versions are not those of the driver.

    Returns the result pickled: as they are, arrays would stay in Ray's object store, and fill it, as long as the driver
    keeps them.
    """
    for name, own in _own_versions().items():
        if expected.get(name) != own:
            raise ClusterError(
                f"the node {platform.node()} has {name} {own}, not {expected.get(name)} as the machine that started "
                "the job: install the same versions everywhere"
            )
    from ray import cloudpickle

    packed: bytes = cloudpickle.dumps(_unpack(work)(*arguments, **named))
    return packed


@lru_cache(_KEPT)
def _unpack(work: bytes) -> Callable[..., Any]:
    """Cached, since what the function holds may have to be compiled or loaded."""
    function: Callable[..., Any] = pickle.loads(work)  # noqa: S301  # from the driver, whose code Ray runs anyway
    return function
