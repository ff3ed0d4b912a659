"""Files of trained agents and checkpoints of trainings: what is written comes back, and what is damaged is refused."""

import contextlib
import errno
import hashlib
import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save as to_bytes

from blackjacky_agents import make_agent
from blackjacky_agents.agent import AgentError
from blackjacky_agents.games import find_encoding
from blackjacky_agents.kit.settings import MAX_UNITS
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.stored_settings import presets_of
from blackjacky_agents.networks.agent_file import AGENT_FILE, load_agent, read_card, read_network, save_agent
from blackjacky_agents.storage.checkpoint import load_checkpoint, save_checkpoint
from blackjacky_agents.storage.files import write_json
from tests.agents.positions import random_layers
from tests.fuzzing.arrays import SMALL, checkpoints

GAME = "black_jacky"
CARDS = find_encoding("cards", GAME)


@pytest.fixture
def run(tmp_path):
    save_agent(tmp_path / AGENT_FILE, random_layers(CARDS.size, 8), GAME, CARDS, steps=5)
    return tmp_path


class Touch:
    """Pickled, it writes a file as soon as somebody loads it."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def flip(path):
    data = bytearray(path.read_bytes())
    data[-40] ^= 4
    path.write_bytes(bytes(data))


BREAK = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "flipped": flip,
    "empty": lambda path: path.write_bytes(b""),
    "no text": lambda path: path.write_bytes(b"\xff\xfe"),
    "no object": lambda path: path.write_bytes(b"[]"),
    "pickle": lambda path: path.write_bytes(pickle.dumps(Touch(path.parent / "touched"))),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "missing": Path.unlink,
}


def test_what_finds_no_room_leaves_what_was_there(run, monkeypatch):
    save_checkpoint(run / "checkpoints", 1, {"a": np.zeros(3)}, {})
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}

    def fail(path, data):
        with path.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OSError, match="No space left"):
        save_agent(run / AGENT_FILE, random_layers(CARDS.size, 4), GAME, CARDS)
    with pytest.raises(OSError, match="No space left"):
        save_checkpoint(run / "checkpoints", 2, {"a": np.zeros(3)}, {})
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("path", ["runs/nowhere", "nowhere.safetensors", ""])
def test_what_is_missing_is_named_with_what_is_needed(path):
    with pytest.raises(ValueError, match=rf"no trained agent at '{path}': .* is missing; pass a run folder"):
        make_agent(f"ppo:{path}")


@pytest.mark.parametrize("file", [AGENT_FILE, "weights.json"])
@pytest.mark.parametrize("damage", BREAK.values(), ids=BREAK)
def test_a_damaged_agent_is_refused(run, file, damage):
    damage(run / file)
    with pytest.raises(ValueError, match=r"is damaged: |is missing; pass a run folder"):
        load_agent(run)
    assert not (run / "touched").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "wrong") for name in ("game", "version", "format", "encoding", "encoding_version", "layers")),
        *((name, "wrong") for name in ("observation_size", "num_actions", "activation", "greedy")),
        *(("encoding", None), ("greedy", "\x1b[2J")),
        *(("layers", [CARDS.size, units, 61]) for units in (2000, 8.0)),
    ],
)
def test_an_agent_for_something_else_is_refused_by_name(run, name, value):
    card = read_card(run)
    assert card["sha256"] == hashlib.sha256((run / AGENT_FILE).read_bytes()).hexdigest()
    write_json(run / "weights.json", {**card, name: value})
    with pytest.raises(ValueError, match=f"the trained agent '.*{name}=") as refused:
        load_agent(run)
    assert "\x1b" not in str(refused.value)


def arrays_in(layers):
    weights = {f"layer_{i}.weight": weight for i, (weight, _) in enumerate(layers)}
    return weights | {f"layer_{i}.bias": bias for i, (_, bias) in enumerate(layers)}


WHOLE = arrays_in(random_layers(CARDS.size, 8))
LINEAR = random_layers(CARDS.size)[0][0]


@pytest.mark.parametrize(
    "arrays",
    [
        *(arrays_in(random_layers(CARDS.size + i, 8, outputs=61 - j)) for i, j in ((-1, 0), (0, 1))),
        arrays_in([random_layers(CARDS.size, 8)[0], random_layers(CARDS.size, 9)[1]]),
        *(arrays_in([(LINEAR, np.zeros(shape, np.float32))]) for shape in ((1, 61), ())),
        arrays_in([*random_layers(CARDS.size, 1, outputs=MAX_UNITS + 1), *random_layers(MAX_UNITS + 1)]),
        {},
        {"a": np.zeros(3), "b": np.zeros(3)},
        *({name: array.astype(dtype) for name, array in WHOLE.items()} for dtype in (np.float64, np.complex64)),
        {**WHOLE, "more": np.zeros(1, np.float32)},
        {**WHOLE, "layer_0.bias": np.full(8, np.nan, np.float32)},
        None,  # a pickle
    ],
)
def test_weights_of_another_network_and_of_none_are_refused_though_the_card_vouches_for_them(run, arrays):
    data = pickle.dumps(Touch(run / "touched")) if arrays is None else to_bytes(arrays)
    (run / AGENT_FILE).write_bytes(data)
    write_json(run / "weights.json", {**read_card(run), "sha256": hashlib.sha256(data).hexdigest()})
    with pytest.raises(ValueError, match="is damaged: it"):
        load_agent(run)
    assert not (run / "touched").exists()


def arrays_of(steps):
    """Arrays of every kind that a training keeps: several dtypes, no entries, no dimensions, transposed."""
    rng = np.random.default_rng(steps)
    return {
        "policy.weight": rng.normal(size=(3, 5)).astype(np.float32).T,
        "adam.0.step": np.array(steps, np.float32),
        "games.masks": rng.integers(2, size=(4, 61)).astype(np.int8),
        "games.keys": rng.integers(2**64, size=4, dtype=np.uint64),
        "games.played": np.zeros(0, np.int64),
        "torch": rng.integers(256, size=50).astype(np.uint8),
        "episode_starts": np.array([True, False]),
    }


def state_of(steps):
    return {"steps": steps, "seconds": 0.1 + steps, "drawn_from": {"state": 2**127 + steps, "name": "PCG64"}}


def save(folder, steps):
    return save_checkpoint(folder, steps, arrays_of(steps), state_of(steps))


def assert_loads(folder, steps, broken=()):
    arrays, state, complaints = load_checkpoint(folder)
    assert state == state_of(steps)
    assert arrays.keys() == arrays_of(steps).keys()
    for name, array in arrays_of(steps).items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)
    assert [complaint.split(" (")[0] for complaint in complaints] == [f"checkpoint {name} is broken" for name in broken]


@pytest.mark.parametrize("file", ["arrays.safetensors", "state.json"])
@pytest.mark.parametrize("damage", [*BREAK.values(), None], ids=[*BREAK, "of another checkpoint"])
def test_a_broken_checkpoint_is_named_and_the_one_before_it_is_used(tmp_path, file, damage):
    before, broken = save(tmp_path, 100) / file, save(tmp_path, 200) / file
    damage(broken) if damage else shutil.copy(before, broken)
    assert_loads(tmp_path, 100, broken=("step_000000000200",))
    assert not list(tmp_path.rglob("touched"))


def test_without_a_whole_checkpoint_all_that_is_wrong_is_said(tmp_path):
    with pytest.raises(ValueError, match=r"there is no complete checkpoint in '.*nowhere'$"):
        load_checkpoint(tmp_path / "nowhere")
    BREAK["cut"](save(tmp_path, 100) / "state.json")
    flip(save(tmp_path, 200) / "arrays.safetensors")
    with pytest.raises(ValueError, match=r"no complete checkpoint in .*; checkpoint step_0+200 is broken"):
        load_checkpoint(tmp_path)


def test_the_newest_two_are_kept_and_one_of_the_same_steps_or_left_half_written_is_replaced(tmp_path):
    for steps in (5, 999_999, 1_000_000):
        last = save(tmp_path, steps)
        assert_loads(tmp_path, steps)
        (tmp_path / "aside_1").mkdir()  # by a process that was killed
        (tmp_path / "aside_1" / "arrays.safetensors").write_bytes(b"half of it")
        assert_loads(tmp_path, steps)
    flip(last / "arrays.safetensors")
    save(tmp_path, 1_000_000)
    assert_loads(tmp_path, 1_000_000)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step_000000999999", "step_000001000000"]


def killed_at_each(monkeypatch, rename, points, save_it):
    """Save, killed at the first rename, then at the second, and so on; the last time nothing kills it."""
    real = getattr(Path, rename)
    for survived in range(points + 1):
        renames = iter(range(survived))

        def stop(self, target, renames=renames):
            if next(renames, None) is None:
                raise KeyboardInterrupt
            return real(self, target)

        with monkeypatch.context() as patched, contextlib.suppress(KeyboardInterrupt):
            patched.setattr(Path, rename, stop)
            save_it()
        yield


def test_an_agent_or_checkpoint_killed_at_any_point_of_being_replaced_is_the_old_one_or_the_new_one(run, monkeypatch):
    before, new = read_network(run)[0][0][0], random_layers(CARDS.size, 8, seed=1)
    kills = killed_at_each(monkeypatch, "replace", 3, lambda: save_agent(run / AGENT_FILE, new, GAME, CARDS))
    assert [bool((read_network(run)[0][0][0] == before).all()) for _ in kills] == [True, True, False, False]
    assert sorted(path.name for path in run.iterdir()) == ["weights.json", AGENT_FILE]
    folder = run / "checkpoints"
    for steps in (1, 2):
        save_checkpoint(folder, steps, {"a": np.zeros(3)}, {"saved": steps})
    new = {"a": np.ones(3)}
    kills = killed_at_each(monkeypatch, "rename", 2, lambda: save_checkpoint(folder, 2, new, {"saved": 3}))
    found = [(load_checkpoint(folder)[1]["saved"], len(list(folder.iterdir()))) for _ in kills]
    assert found == [(2, 3), (2, 3), (3, 2)]
    (folder / "step_000000000002").rename(folder / "step_000000000002.replaced")  # as a kill leaves it
    flip(save_checkpoint(folder, 3, {}, {}) / "state.json")
    assert load_checkpoint(folder)[1] == {"saved": 3}, "of earlier ones the newest is kept"


def put(value, column=None):
    """The array with ``value`` in its last entry, or in a column."""

    def change(array):
        changed = array.copy()
        (changed.reshape(-1)[-1:] if column is None else changed[:, column])[...] = value
        return changed

    return change


REFUSED = r"has (entries|the array)|are not like|of shape|finite numbers|lacks|does not say"
WRONG = [
    ("self_play", "snapshots", put(10**6, column=1)),
    ("self_play", "snapshots", lambda array: array[:, :-1]),
    ("self_play", "snapshots", lambda array: np.repeat(array, 3, axis=0)),
    ("self_play", "network.0.weight", put(np.nan)),
    ("self_play", "network.0.weight", lambda array: None),
    ("sb3", "policy.action_net.bias", lambda array: array[:2]),
    ("league", "averaged.0.bias", put(np.inf)),
    ("mccfr", "first", put(10**9)),
    ("mccfr", "actions", put(61)),
    ("mccfr", "keys", lambda array: None),
]


@pytest.mark.prove
@pytest.mark.parametrize(("kind", "name", "change"), WRONG)
def test_arrays_that_no_training_could_have_kept_are_refused(kind, name, change):
    kept = checkpoints()[kind]
    changed = {**kept.arrays, name: change(kept.arrays[name])}
    with pytest.raises((TypeError, ValueError), match=REFUSED):
        kept.restore({name: array for name, array in changed.items() if array is not None}, kept.state)


@pytest.mark.prove
@pytest.mark.parametrize(
    ("kind", "name", "values"),
    [
        ("self_play", "steps", [None, -(10**18), 1.5, True]),
        ("league", "iteration", [-1]),
        ("league", "pool", [[], [["random", 1.0, 1.0]]]),
    ],
)
def test_facts_that_no_training_could_have_kept_are_refused(kind, name, values):
    kept = checkpoints()[kind]
    for value in values:
        with pytest.raises((TypeError, ValueError), match=f"{name}|zip"):
            kept.restore(kept.arrays, {**kept.state, name: value})
    kept.restore(kept.arrays, kept.state)


@pytest.mark.prove
def test_a_refused_checkpoint_changes_neither_the_training_nor_its_files(small):
    kept = checkpoints()["self_play"]
    wrong = {**kept.arrays, "network.0.weight": kept.arrays["network.0.weight"] * np.float32(np.inf)}
    save_checkpoint(small.folder / "checkpoints", 7, wrong, kept.state)

    def everything():
        files = [path.read_bytes() for path in sorted(small.folder.rglob("*")) if path.is_file()]
        return files + [part.tobytes() for layer in small.layers() for part in layer]

    before = everything()
    with pytest.raises(ValueError, match=r"is of no training with these settings: network\.0\.weight"):
        small.resume()
    assert (everything(), small.steps) == (before, 0)


@pytest.fixture
def small(tmp_path):
    return SelfPlay(replace(presets_of(GAME)["scratch"], **SMALL), tmp_path, "")


def test_a_training_that_has_diverged_says_so_and_keeps_what_there_is(small):
    small.network[0].weight.data[0, 0] = np.nan
    with pytest.raises(AgentError, match="has diverged: its weights are not finite numbers any more; begin another"):
        small.save()
    assert not list(small.folder.iterdir())
