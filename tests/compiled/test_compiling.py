"""The cache on disk: it works across processes, is never stale, and never mixes two functions."""

import hashlib
import os
import pickle
import struct
import subprocess
import sys
import types
from pathlib import Path

import numba
import numpy as np
import pytest

import blackjacky_env
from blackjacky_env.compiled import caching
from blackjacky_env.compiled.compiling import compiled, entry
from blackjacky_env.compiled.fingerprints import fingerprint

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

PACKAGE = Path(blackjacky_env.__file__).parent


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def hits(function):
    return sum(function.stats.cache_hits.values())


def files(cache):
    return sorted(path for path in cache.rglob("*") if path.is_file())


@compiled
def double(x):
    return 2 * x


@compiled
def triple(x):
    return 3 * x


def make_sum(inner, constant):
    def run(x):
        return inner(x) + constant

    return entry(run)


def uncompiled(part):
    """The part as a new process finds it."""
    return compiled(part.py_func)


def load(path):
    """Run a file as a module; its functions know where they stand, as the cache needs."""
    names = {"__name__": "loaded", "__file__": str(path)}
    exec(compile(path.read_text(), path, "exec"), names)
    return names


FIRST_OBSERVATION = """
import numba.core.event
compilations = numba.core.event.RecordingListener()
numba.core.event.register("numba:compile", compilations)
from blackjacky_env.envs.aec import TableEnv
from tests.every_game import TINY, with_tiny
with with_tiny():
    env = TableEnv(TINY)
    env.reset(seed=7)
    print(env.last()[0]["observation"].tolist())
print(len(compilations.buffer))
"""

KEY = """
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.games import get_game
game_key = game_functions(get_game("black_jacky")).game_key
print(int(game_key(5)))
print(sum(game_key.stats.cache_hits.values()))
"""


def start(code, folder, *arguments, **variables):
    """A new process that runs code with the packages in ``folder`` before all others."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    output, errors = process.communicate(timeout=1200)
    assert process.returncode == 0, errors
    return output.splitlines()


def test_a_second_process_shows_the_first_observation_and_compiles_nothing(tmp_path, cache):
    variables = {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(PACKAGE.parent)}  # other libraries install tests, too
    first = finish(start(FIRST_OBSERVATION, tmp_path, **variables))
    second = finish(start(FIRST_OBSERVATION, tmp_path, **variables))
    assert first[0] == second[0]
    assert int(first[1]) > 0
    assert int(second[1]) == 0


@pytest.mark.prove
def test_of_two_processes_at_once_one_compiles_and_leaves_a_cache_that_works(tmp_path, cache):
    together = [finish(process) for process in [start(KEY, tmp_path, NUMBA_CACHE_DIR=str(cache)) for _ in range(2)]]
    assert together[0][0] == together[1][0]
    assert {found[1] for found in together} == {"0", "1"}, "one has compiled, the other has waited"
    assert finish(start(KEY, tmp_path, NUMBA_CACHE_DIR=str(cache)))[1] == "1"
    assert {path.suffix for path in files(cache)} == {".nbc", ".nbp"}


MODULE = """
import numpy as np
from blackjacky_env.compiled.compiling import compiled, entry
LIMIT = 3
TABLE = np.array([1, 2])

@compiled
def callee(x, y=4):
    return x + LIMIT + y + TABLE[0]

@entry
def run(x):
    return callee(x)
"""


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("x + LIMIT", "x - LIMIT", 12),
        ("LIMIT = 3", "LIMIT = 5", 20),
        ("y=4", "y=5", 19),
        ("[1, 2]", "[2, 2]", 19),
        ("TABLE[0]", "TABLE[1]", 19),
        ("return callee(x)", "return -callee(x)", -18),
    ],
)
def test_an_edit_is_seen_at_the_next_start(tmp_path, old, new, result):
    path = tmp_path / "module.py"
    path.write_text(MODULE)
    assert load(path)["run"](10) == 18
    assert old in MODULE
    path.write_text(MODULE.replace(old, new))
    edited = load(path)["run"]
    assert edited(10) == result
    assert hits(edited) == 0


PARTS = """
from typing import NamedTuple
from blackjacky_env.compiled.compiling import entry

class Part(NamedTuple):
    one: int
    other: int

@entry
def run(parts):
    return parts[0].one

result = run((Part(one=1, other=2), Part(3, 4)))
"""


def test_another_order_of_the_fields_of_a_part_of_an_argument_is_seen(tmp_path):
    (path := tmp_path / "module.py").write_text(PARTS)
    assert load(path)["result"] == 1
    path.write_text(PARTS.replace("    one: int\n    other: int", "    other: int\n    one: int"))
    assert load(path)["result"] == 1


CONSTANTS = """
import numpy as np
from blackjacky_env.compiled.compiling import compiled
LIMIT, UNUSED = 3, 7
TABLE = np.array([1, 2])
WITHOUT_FINGERPRINT = object()

@compiled
def callee(x):
    return x + TABLE[0]
"""


def house(text):
    package, constants = types.ModuleType("house"), types.ModuleType("house.constants")
    exec(text, vars(constants))
    vars(package).update(constants=constants, numpy=np)
    return package


def use_house(house, constants):
    def run(x):
        return constants.callee(x) + constants.LIMIT + house.constants.TABLE[1] + house.numpy.int64(0)

    return entry(run)


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("LIMIT, UNUSED = 3", "LIMIT, UNUSED = 5", 18),
        ("[1, 2]", "[1, 3]", 17),
        ("[1, 2]", "[2, 2]", 17),
        ("x + TABLE", "x - TABLE", 14),
    ],
)
def test_an_edit_of_what_is_used_of_a_module_is_seen_and_no_other(old, new, result):
    texts = [CONSTANTS, CONSTANTS.replace("UNUSED = 3, 7", "UNUSED = 3, 8"), CONSTANTS.replace(old, new)]
    assert len(set(texts)) == 3
    packages = [house(text) for text in texts]
    functions = [use_house(package, package.constants) for package in packages]
    assert [function(10) for function in functions] == [16, 16, result]
    assert [hits(function) for function in functions] == [0, 1, 0]


def test_a_module_used_otherwise_than_by_an_attribute_has_no_fingerprint():
    constants = house(CONSTANTS).constants
    for use in (lambda: getattr(constants, "LIMIT"), lambda: double(constants)):  # noqa: B009
        with pytest.raises(TypeError, match=r"uses the module 'constants' in another way than constants\.NAME"):
            fingerprint(use)
    with pytest.raises(TypeError, match="cannot be hashed"):
        fingerprint(lambda: constants.WITHOUT_FINGERPRINT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((double, 1), (triple, 1)),
        ((double, 1), (double, 2)),
        ((double, 1), (double, 1.0)),
        ((double, np.array([1, 2])), (double, np.array([1, 3]))),
    ],
    ids=["function", "constant", "type of constant", "array"],
)
def test_closures_of_one_factory_with_one_signature_are_kept_apart(one, other):
    for inner, constant in (one, other):
        function = make_sum(inner, constant)
        assert str(function(10)) == str(inner(10) + constant)
        assert hits(function) == 0
    again = make_sum(*one)
    assert str(again(10)) == str(one[0](10) + one[1])
    assert hits(again) == 1


CODE = {"BOUNDSCHECK": 1, "OPT": 0, "LOOP_VECTORIZE": 0, "SLP_VECTORIZE": 1, "DEBUGINFO_DEFAULT": 1, "USING_SVML": 1}
CODE |= {"EXTEND_VARIABLE_LIFETIMES": 1, "LLVM_REFPRUNE_PASS": 0, "LLVM_REFPRUNE_FLAGS": "", "FULL_TRACEBACKS": 1}
NO_CODE = {"CACHE_DIR": "", "NUMBA_NUM_THREADS": 1, "THREADING_LAYER": "workqueue", "DISABLE_CUDA": 1}


@pytest.mark.parametrize("name", [*CODE, *NO_CODE])
def test_settings_of_numba_that_change_code_have_code_of_their_own(name, monkeypatch):
    function = make_sum(double, 1)
    before = function._cache.path(())
    monkeypatch.setattr(numba.config, name, (CODE | NO_CODE)[name])
    assert (function._cache.path(()) == before) == (name in NO_CODE)


def _with_checksum(path, data):
    return hashlib.sha256(path.name.encode() + data).digest() + data


DAMAGE = {
    "cut": lambda path: path.read_bytes()[: path.stat().st_size // 2],
    "a bit flipped": lambda path: path.read_bytes()[:-1] + bytes([path.read_bytes()[-1] ^ 1]),
    "empty": lambda path: b"",
    "of another name": lambda path: _with_checksum(path.with_name("another"), path.read_bytes()[32:]),
    "no pickle": lambda path: _with_checksum(path, b"not a pickle"),
    "pickle of another thing": lambda path: _with_checksum(path, pickle.dumps({"a": 1})),
    "pickle of a missing module": lambda path: _with_checksum(path, b"cno_such_module\nmake\n(tR."),
    "pickle that raises": lambda path: _with_checksum(  # 1 / 0, and its double
        path, b"c_operator\nmul\n(c_operator\ntruediv\n(I1\nI0\ntRI2\ntR."
    ),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_ignored_and_replaced(cache, damage):
    make_sum(uncompiled(double), 1)(10)
    assert {path.suffix for path in files(cache)} == {".nbc", ".nbp"}
    for path in files(cache):
        path.write_bytes(damage(path))
    function = make_sum(uncompiled(double), 1)
    assert function(10) == 21
    assert hits(function) == 0
    repaired = make_sum(uncompiled(double), 1)
    assert repaired(10) == 21
    assert hits(repaired) == 1


@pytest.mark.parametrize(("suffix", "what"), [(".nbc", "pipe"), (".lock", "pipe"), (".lock", "link")])
def test_no_pipe_is_waited_for_and_no_link_followed(cache, tmp_path, suffix, what):
    make_sum(uncompiled(double), 1)(10)
    (code,) = cache.glob("*.nbc")
    code.unlink()
    planted = code.with_suffix(suffix)
    os.mkfifo(planted) if what == "pipe" else planted.symlink_to(tmp_path / "elsewhere")
    assert make_sum(uncompiled(double), 1)(10) == 21
    assert not (tmp_path / "elsewhere").exists()
    assert code.is_file()


def test_without_a_home_folder_nothing_is_kept_which_is_said_once(cache, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.setattr(caching, "_folder_of_user", caching.cache(caching._folder_of_user.__wrapped__))
    with pytest.warns(RuntimeWarning, match="compiled code is not kept") as said:
        functions = [make_sum(uncompiled(double), 1) for _ in range(2)]
    assert [(function(10), hits(function)) for function in functions] == [(21, 0)] * 2
    assert len(said) == 1


def _access_list(mask):
    """The POSIX access list in which the user 1234 may read and write, as far as the mask allows."""
    nobody, entries = 2**32 - 1, [(1, 7), (2, 6), (4, 5), (16, mask), (32, 0)]
    return struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", *each, 1234 if each[0] == 2 else nobody) for each in entries
    )


@pytest.mark.parametrize("how", ["mode", "access", "inherited"])
def test_what_others_may_have_written_is_not_loaded(cache, tmp_path, how):
    make_sum(uncompiled(double), 1)(10)
    trap = tmp_path / "sprung"
    for path in files(cache):
        planted = _with_checksum(path, b"cos\nsystem\n(Vtouch %b\ntR." % bytes(trap))  # runs when it is unpickled
        if how == "inherited":
            path.unlink()
            _share(path.parent, "default")
        path.write_bytes(planted)
        if how == "mode":
            path.chmod(0o666)
        elif how == "access":
            _share(path, "access")
    assert make_sum(uncompiled(double), 1)(10) == 21
    assert not trap.exists()


def _share(path, how):
    try:
        os.setxattr(path, f"system.posix_acl_{how}", _access_list(6))
    except (AttributeError, OSError) as error:
        pytest.skip(f"no access lists here: {error}")


def test_cached_files_are_private_in_a_folder_that_others_share(cache):
    cache.mkdir()
    _share(cache, "default")
    cache.chmod(0o777)
    make_sum(uncompiled(double), 1)(10)
    assert {path.stat().st_mode & 0o777 for path in files(cache)} == {0o600}
    again = make_sum(uncompiled(double), 1)
    assert again(10) == 21
    assert hits(again) == 1
