"""Files of trained agents and checkpoints of trainings: what is written comes back, and what is damaged is refused."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt
import pytest
from safetensors.numpy import load_file
from safetensors.numpy import save as to_bytes

from blackjacky_agents import make_agent
from blackjacky_agents.agent import AgentError, CompiledAgent
from blackjacky_agents.files import write_json
from blackjacky_agents.learning import checkpoint
from blackjacky_agents.learning.agent_file import AGENT_FILE, load_agent, read_card, read_network, save_agent
from blackjacky_agents.learning.checkpoint import load_checkpoint, save_checkpoint
from blackjacky_agents.learning.encoding import find_encoding
from blackjacky_agents.learning.network import MAX_UNITS, Layers, network_policy, pack
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.settings import self_play_settings_of
from tests.agents.positions import positions, random_layers
from tests.fuzzing.arrays import SMALL, checkpoints

GAME = "black_jacky"
CARDS = find_encoding("cards", GAME)


class Touch:
    """Pickled, it writes a file as soon as somebody loads it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder with a trained agent."""
    save_agent(tmp_path / AGENT_FILE, random_layers(CARDS.size, 8), GAME, CARDS, steps=5)
    return tmp_path


def change_card(run: Path, **changes: Any) -> None:
    card = run / "weights.json"
    write_json(card, {**json.loads(card.read_text("utf-8")), **changes})


def write_weights(run: Path, data: bytes) -> None:
    """Put other bytes in the place of the weights, as if they were those that the card describes."""
    (run / AGENT_FILE).write_bytes(data)
    change_card(run, sha256=hashlib.sha256(data).hexdigest())


# ---------------------------------------------------------------- trained agents


@pytest.mark.parametrize("greedy", [True, False])
@pytest.mark.parametrize("hidden", [(), (8,), (16, 5)])
def test_an_agent_that_was_kept_plays_as_before(tmp_path: Path, hidden: tuple[int, ...], greedy: bool) -> None:
    layers, seen = random_layers(CARDS.size, *hidden), positions(games=10, moves=50)
    save_agent(tmp_path / AGENT_FILE, layers, GAME, CARDS, greedy)
    before = CompiledAgent("before", GAME, network_policy(CARDS), pack(layers, greedy))
    before.reset(1)
    chosen = before.act_batch(*seen)
    named = make_agent(f"ppo:{tmp_path}")
    assert named.name == f"ppo:{tmp_path}"
    for agent in (load_agent(tmp_path), load_agent(str(tmp_path / AGENT_FILE)), named):
        agent.reset(1)
        np.testing.assert_array_equal(agent.act_batch(*seen), chosen)


def test_the_card_says_what_the_agent_plays_and_how_it_was_made(run: Path) -> None:
    card = read_card(run)
    assert card == read_card(run / AGENT_FILE) == json.loads((run / "weights.json").read_text("utf-8"))
    told = ("game", "version", "encoding", "encoding_version", "layers", "activation", "greedy", "steps")
    assert [card[name] for name in told] == [GAME, 0, "cards", CARDS.version, [CARDS.size, 8, 61], "relu", True, 5]
    assert card["sha256"] == hashlib.sha256((run / AGENT_FILE).read_bytes()).hexdigest()


def test_an_agent_is_written_over_in_one_move_and_leaves_nothing_else(run: Path) -> None:
    save_agent(run / AGENT_FILE, random_layers(CARDS.size, 4, seed=1), GAME, CARDS)
    assert sorted(path.name for path in run.iterdir()) == ["weights.json", AGENT_FILE]
    assert read_card(run)["layers"] == [CARDS.size, 4, 61]


def test_what_could_not_be_written_leaves_what_was_there(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (run / AGENT_FILE).read_bytes()

    def fail(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OSError, match="No space left"):
        save_agent(run / AGENT_FILE, random_layers(CARDS.size, 4), GAME, CARDS)
    monkeypatch.undo()
    assert (run / AGENT_FILE).read_bytes() == before
    load_agent(run)
    assert {path.name for path in run.iterdir()} == {"weights.json", AGENT_FILE}


@pytest.mark.parametrize("missing", [AGENT_FILE, "weights.json"])
def test_a_missing_file_is_named_with_what_is_needed(run: Path, missing: str) -> None:
    (run / missing).unlink()
    with pytest.raises(ValueError, match=r"there is no trained agent at .* is missing; pass a run folder") as error:
        load_agent(run)
    assert str(run / missing) in str(error.value)


@pytest.mark.parametrize("path", ["runs/nowhere", "nowhere.safetensors", ""])
def test_a_missing_run_is_named_with_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=rf"no trained agent at '{path}': .* is missing; pass a run folder"):
        make_agent(f"ppo:{path}")


@pytest.mark.parametrize("content", [b"", b"{", b'{"game": ', b"[]", b"\xff\xfe", b"\x80\x04N."])
def test_a_damaged_card_is_refused(run: Path, content: bytes) -> None:
    (run / "weights.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"the card '.*weights\.json' of a trained agent is damaged: "):
        load_agent(run)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "skat"}, "is for game='skat', not for game='black_jacky'"),
        ({"version": 1}, "is for version=1, not for version=0"),
        ({"format": 2}, "is for format=2, not for format=1"),
        ({"encoding": "pixels"}, "encoding='pixels' is unknown; allowed are 'cards', 'advice'"),
        ({"encoding": None}, "encoding=None is unknown; allowed are 'cards', 'advice'"),
        ({"encoding_version": 0}, rf"is for encoding_version=0, not for encoding_version={CARDS.version}"),
        ({"observation_size": 5}, r"is for observation_size=5, not for observation_size=\d+"),
        ({"num_actions": 5}, "is for num_actions=5, not for num_actions=61"),
        ({"encoding": "advice"}, r"its layers have the shapes .*; they must lead from the \d+ inputs"),
        ({"layers": [CARDS.size, 2000, 61]}, rf"its card says layers=.*; its weights have \[{CARDS.size}, 8, 61\]"),
        ({"layers": [CARDS.size, 8.0, 61]}, "its card says layers="),
        ({"activation": "tanh"}, "its card says activation='tanh'; its weights have 'relu'"),
        ({"steps": "many"}, "its card says steps='many'"),
        ({"steps": -1}, "its card says steps=-1 is out of range"),
        ({"seconds": None}, "its card says seconds=None"),
        ({"machine": "fast"}, "its card says machine='fast', which is not an object"),
        ({"machine": {"cores": "\x1b[2J"}}, r"its card says cores of machine='\\x1b\[2J' "),
        ({"greedy": "no"}, "its card says greedy='no', which is neither true nor false"),
        ({"sha256": "0"}, "is damaged: weights.safetensors is truncated or does not match the checksum"),
    ],
)
def test_an_agent_for_something_else_is_refused_by_name(run: Path, changes: dict[str, Any], message: str) -> None:
    change_card(run, **changes)
    with pytest.raises(ValueError, match=f"the trained agent '.*' ?:? ?.*{message}"):
        load_agent(run)


def test_weights_that_are_cut_short_or_changed_are_refused(run: Path) -> None:
    whole = (run / AGENT_FILE).read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    said = r"damaged: weights\.safetensors is truncated or does not match the checksum"
    for damaged in (b"", whole[:-1], whole[:50], whole + b"\0", bytes(flipped)):
        (run / AGENT_FILE).write_bytes(damaged)
        with pytest.raises(ValueError, match=said):
            load_agent(run)


def test_no_pickle_is_read_even_if_the_card_vouches_for_it(run: Path) -> None:
    touched = run / "touched"
    write_weights(run, pickle.dumps(Touch(touched)))
    with pytest.raises(ValueError, match="is damaged: its weights cannot be read"):
        load_agent(run)
    assert not touched.exists()


def arrays_in(layers: Layers) -> dict[str, npt.NDArray[Any]]:
    weights = {f"layer_{i}.weight": weight for i, (weight, _) in enumerate(layers)}
    return weights | {f"layer_{i}.bias": bias for i, (_, bias) in enumerate(layers)}


SHAPES = r"its layers have the shapes .* to 61 actions"
FLOAT32 = "it must hold a weight and a bias, both float32, of each layer"
WHOLE = arrays_in(random_layers(CARDS.size, 8))


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        (arrays_in(random_layers(CARDS.size - 1, 8)), SHAPES),
        (arrays_in(random_layers(CARDS.size, 8, outputs=60)), SHAPES),
        (arrays_in([random_layers(CARDS.size, 8)[0], random_layers(CARDS.size, 9)[1]]), SHAPES),
        (arrays_in([(random_layers(CARDS.size)[0][0], np.zeros((1, 61), np.float32))]), SHAPES),
        (arrays_in([(random_layers(CARDS.size)[0][0], np.array(0.0, np.float32))]), SHAPES),
        ({}, SHAPES),
        (
            arrays_in([*random_layers(CARDS.size, 1, outputs=MAX_UNITS + 1), *random_layers(MAX_UNITS + 1)]),
            r"it has a layer of 65,537 units; allowed are up to 65,536",
        ),
        ({"a": np.zeros(3), "b": np.zeros(3)}, r"its weights cannot be read \(KeyError\('layer_0"),
        ({name: array.astype(np.float64) * 1e300 for name, array in WHOLE.items()}, FLOAT32),
        ({name: array.astype(np.complex64) for name, array in WHOLE.items()}, FLOAT32),
        ({**WHOLE, "more": np.zeros(1, np.float32)}, FLOAT32),
        ({**WHOLE, "layer_0.bias": np.full(8, np.nan, np.float32)}, "its weights are not all finite numbers"),
    ],
)
def test_weights_of_another_network_and_of_none_are_refused(run: Path, arrays: Any, said: str) -> None:
    write_weights(run, to_bytes(arrays))
    with pytest.raises(ValueError, match=f"is damaged: {said}"):
        load_agent(run)


# ---------------------------------------------------------------- checkpoints


def arrays_of(steps: int) -> dict[str, npt.NDArray[Any]]:
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


def state_of(steps: int) -> dict[str, Any]:
    return {"steps": steps, "seconds": 0.1 + steps, "drawn_from": {"state": 2**127 + steps, "name": "PCG64"}}


def save(folder: Path, steps: int) -> Path:
    return save_checkpoint(folder, steps, arrays_of(steps), state_of(steps))


def assert_loads(folder: Path, steps: int, broken: tuple[str, ...] = ()) -> None:
    arrays, state, complaints = load_checkpoint(folder)
    assert state == state_of(steps)
    assert arrays.keys() == arrays_of(steps).keys()
    for name, array in arrays_of(steps).items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)
    assert len(complaints) == len(broken)
    for complaint, name in zip(complaints, broken, strict=True):
        assert complaint.startswith(f"checkpoint {name} is broken (")
        assert complaint.endswith("; using the one before it")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-40] ^= 4
    path.write_bytes(bytes(data))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def put_a_pickle_there(path: Path) -> None:
    path.write_bytes(pickle.dumps(Touch(path.parent / "touched")))


def put_the_other_one_there(path: Path) -> None:
    """A file of another checkpoint, whole but not of this one."""
    shutil.copy(path.parents[1] / "step_000000000100" / path.name, path)


BREAK = [cut, flip, empty, put_a_pickle_there, put_the_other_one_there, Path.unlink]


def test_the_newest_checkpoint_is_used_as_it_was_written(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "checkpoints"
    assert save(folder, 900) == folder / "step_000000000900"
    assert_loads(folder, 900)
    save(folder, 1000)
    assert_loads(folder, 1000)


@pytest.mark.parametrize("file", ["arrays.safetensors", "state.json"])
@pytest.mark.parametrize("damage", BREAK, ids=lambda damage: damage.__name__)
def test_a_broken_checkpoint_is_named_and_the_one_before_it_is_used(
    tmp_path: Path, file: str, damage: Callable[[Path], Any]
) -> None:
    save(tmp_path, 100)
    damage(save(tmp_path, 200) / file)
    assert_loads(tmp_path, 100, broken=("step_000000000200",))
    assert not list(tmp_path.rglob("touched"))


def test_without_a_whole_checkpoint_all_that_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no complete checkpoint in '.*nowhere'$"):
        load_checkpoint(tmp_path / "nowhere")
    cut(save(tmp_path, 100) / "state.json")
    flip(save(tmp_path, 200) / "arrays.safetensors")
    said = r"no complete checkpoint in .*; checkpoint step_0+200 is broken \(its checksum"
    with pytest.raises(ValueError, match=said):
        load_checkpoint(tmp_path)


def test_two_checkpoints_are_kept(tmp_path: Path) -> None:
    for steps in (5, 50, 999_999, 1_000_000):
        save(tmp_path, steps)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step_000000999999", "step_000001000000"]


def test_a_checkpoint_of_the_same_steps_replaces_the_one_that_is_there(tmp_path: Path) -> None:
    save(tmp_path, 100)
    flip(save(tmp_path, 200) / "arrays.safetensors")
    save(tmp_path, 200)
    assert_loads(tmp_path, 200)


def test_a_broken_checkpoint_does_not_outlive_those_of_the_training_that_went_on(tmp_path: Path) -> None:
    save(tmp_path, 100)
    flip(save(tmp_path, 200) / "arrays.safetensors")
    save(tmp_path, 150)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step_000000000100", "step_000000000150"]
    assert_loads(tmp_path, 150)


def test_what_a_killed_process_left_half_written_does_no_harm(tmp_path: Path) -> None:
    save(tmp_path, 100)
    for name in ("aside_1", f"aside_{os.getpid()}"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "arrays.safetensors").write_bytes(b"half of it")
    assert_loads(tmp_path, 100)
    save(tmp_path, 200)
    assert_loads(tmp_path, 200)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step_000000000100", "step_000000000200"]


@pytest.mark.parametrize("stopped_at", ["write_bytes", "write_json", "rename"])
def test_nothing_half_written_is_ever_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped_at: str
) -> None:
    save(tmp_path, 100)
    with monkeypatch.context() as patched:
        owner = checkpoint if stopped_at == "write_json" else Path
        patched.setattr(owner, stopped_at, mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            save(tmp_path, 200)
    assert_loads(tmp_path, 100)
    save(tmp_path, 200)
    assert_loads(tmp_path, 200)


def test_arrays_lie_in_a_file_that_anybody_can_read(tmp_path: Path) -> None:
    arrays = load_file(save(tmp_path, 7) / "arrays.safetensors")
    np.testing.assert_array_equal(arrays["policy.weight"], arrays_of(7)["policy.weight"])


# ---------------------------------------------------------------- kills and full disks


def killed_at_each(
    monkeypatch: pytest.MonkeyPatch, rename: str, points: int, save_it: Callable[[], object]
) -> Iterator[None]:
    """Save, killed at the first rename, then at the second, and so on; the last time nothing kills it."""
    real = getattr(Path, rename)
    for survived in range(points + 1):
        renames = iter(range(survived))

        def stop(self: Path, target: Path, renames: Iterator[int] = renames) -> Any:
            if next(renames, None) is None:
                raise KeyboardInterrupt
            return real(self, target)

        with monkeypatch.context() as patched, contextlib.suppress(KeyboardInterrupt):
            patched.setattr(Path, rename, stop)
            save_it()
        yield


def test_an_agent_killed_at_any_point_of_being_saved_is_the_old_one_or_the_new_one(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read() -> bytes:
        return read_network(run)[0][0][0].tobytes()

    old, new = (run / AGENT_FILE).read_bytes(), random_layers(CARDS.size, 8, seed=1)
    before = read()
    kills = killed_at_each(monkeypatch, "replace", 3, lambda: save_agent(run / AGENT_FILE, new, GAME, CARDS))
    after = [read() for _ in kills]
    assert before == after[0] == after[1] != after[2] == after[3]
    assert (run / AGENT_FILE).read_bytes() != old


def test_a_checkpoint_killed_at_any_point_of_replacing_the_only_one_is_the_old_one_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_checkpoint(tmp_path, 1, {"a": np.zeros(3)}, {"saved": 0})
    found, new = [], ({"a": np.ones(3)}, {"saved": 1})
    for _ in killed_at_each(monkeypatch, "rename", 2, lambda: save_checkpoint(tmp_path, 1, *new)):
        found.append(load_checkpoint(tmp_path)[1]["saved"])
        assert checkpoint.has_checkpoint(tmp_path)
    assert found == [0, 0, 1]
    assert [path.name for path in tmp_path.iterdir()] == ["step_000000000001"]


def test_a_checkpoint_that_finds_no_room_takes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_checkpoint(tmp_path, 1, {"a": np.zeros(3)}, {})
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(Path, "write_bytes", mock.Mock(side_effect=full))
    with pytest.raises(OSError, match="No space left"):
        save_checkpoint(tmp_path, 2, {"a": np.zeros(3)}, {})
    assert [path.name for path in tmp_path.iterdir()] == ["step_000000000001"]


# ---------------------------------------------------------------- what no training could have written


def put(value: Any) -> Callable[[npt.NDArray[Any]], npt.NDArray[Any]]:
    """The array with ``value`` in its last entry."""

    def change(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        changed = array.copy()
        changed.reshape(-1)[-1] = value
        return changed

    return change


def put_in_head(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.concatenate([[0, 10**6], array[2:]]).astype(array.dtype)


def small_run(folder: Path) -> SelfPlay:
    return SelfPlay(replace(self_play_settings_of(GAME), **SMALL), folder, "")


def leave_out(array: npt.NDArray[Any]) -> None:
    return None


WRONG: list[tuple[str, str, Callable[[npt.NDArray[Any]], Any], str]] = [
    ("self_play", "games.states", lambda array: np.full_like(array, 255), "game 0: .* of this state is"),
    (
        "self_play",
        "games.seating",
        put(10**9),
        r"seating of the games has entries in 0 .. 1000000000; allowed are 0 .. 2",
    ),
    ("self_play", "games.lineups", put(-1), "lineups has entries in -1"),
    ("self_play", "games.started", put(-1), "started of the games has entries in -1"),
    ("self_play", "games.playing", put_in_head, "playing begins with .*; allowed is"),
    ("self_play", "snapshot.0", put_in_head, "0 of the snapshots begins with"),
    ("self_play", "snapshot.0", lambda array: array[:-1], "0 of the snapshots is float32 of shape"),
    ("self_play", "network.0.weight", put(np.nan), "0.weight of the network is not made of finite numbers"),
    ("self_play", "network.0.weight", leave_out, "the network lacks the array '0.weight'"),
    ("self_play", "adam.0.exp_avg_sq", put(-1), "the optimizer has steps or squares below 0"),
    ("self_play", "torch", np.zeros_like, "the generator of torch has no possible state"),
    ("sb3", "games.states", lambda array: np.full_like(array, 255), "game 0: .* of this state is"),
    ("sb3", "games.played", put(0), "played of this state has entries in 0"),
    ("sb3", "episode_starts", lambda array: array[:2], "episode_starts is bool of shape"),
    ("sb3", "numpy", lambda array: array[1:], "of the generator of NumPy is uint32 of shape"),
    ("league", "pool/0", put_in_head, "0 of the pool begins with"),
    ("league", "learner/averaged.0.bias", put(np.inf), "0.bias of averaged is not made of finite numbers"),
    ("mccfr", "first", put(10**9), "does not say where the actions of each information state begin"),
    ("mccfr", "actions", put(61), "actions of the checkpoint has entries in 0 .. 61; allowed are 0 .. 60"),
    ("mccfr", "keys", leave_out, "the checkpoint lacks the array 'keys'|has the array"),
]


@pytest.mark.parametrize(("kind", "name", "change", "message"), WRONG)
def test_arrays_that_no_training_could_have_kept_are_refused(
    kind: str, name: str, change: Callable[[npt.NDArray[Any]], Any], message: str
) -> None:
    kept = checkpoints()[kind]
    changed = {**kept.arrays, name: change(kept.arrays[name])}
    with pytest.raises((TypeError, ValueError), match=message):
        kept.restore({name: array for name, array in changed.items() if array is not None}, kept.state)
    kept.restore(kept.arrays, kept.state)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        *(
            ("self_play", name, value)
            for name in ("steps", "snapshots_taken")
            for value in (None, -(10**18), 1.5, True)
        ),
        *(("self_play", "times", value) for value in (None, {}, {"playing": 0, "waiting": "", "learning": 0})),
        *(("self_play", "generator", value) for value in (None, {}, {"bit_generator": "PCG64", "state": 5})),
        *(("sb3", name, None) for name in ("steps", "updates", "game_seconds", "drawn_from", "numpy_position")),
        *(("league", name, -1) for name in ("batches", "snapshots", "exploiting", "iteration", "learner_generator")),
        *(("league", "pool", value) for value in (None, [], [["random", 1.0, 1.0]], [["a", 0, 0], ["b", 1, 1]])),
    ],
)
def test_facts_that_no_training_could_have_kept_are_refused(kind: str, name: str, value: Any) -> None:
    kept = checkpoints()[kind]
    with pytest.raises((TypeError, ValueError), match=f"{name}|generator|playing|waiting|pool"):
        kept.restore(kept.arrays, {**kept.state, name: value})


def test_a_refused_checkpoint_changes_neither_the_training_nor_its_files(tmp_path: Path) -> None:
    run, kept = small_run(tmp_path), checkpoints()["self_play"]
    save_checkpoint(
        tmp_path / "checkpoints", 7, {**kept.arrays, "games.seating": kept.arrays["games.seating"] + 9}, kept.state
    )
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    before = [part.copy() for layer in run.layers() for part in layer]
    with pytest.raises(ValueError, match="is of no training with these settings: seating of the games has entries"):
        run.resume()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files
    assert run.steps == 0
    for one, other in zip(before, (part for layer in run.layers() for part in layer), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_training_that_has_diverged_says_so_and_keeps_what_there_is(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    run.network[0].weight.data[0, 0] = np.nan
    with pytest.raises(AgentError, match="has diverged: its weights are not finite numbers any more; begin another"):
        run.save()
    assert not list(tmp_path.iterdir())
