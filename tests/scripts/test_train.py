"""`blackjacky train`: whole trainings, small ones, that are killed, resumed and refused."""

import io
import json
import shlex
import shutil
import signal
import sys
from collections import namedtuple
from pathlib import Path
from unittest.mock import Mock

import pytest

pytest.importorskip("sb3_contrib")

from blackjacky_agents import bot_names, cli
from blackjacky_agents.cli.train_report import standing
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning import training_run as training
from blackjacky_agents.learning.folders import read_config
from blackjacky_agents.learning.sb3 import PPORun
from blackjacky_agents.networks.agent_file import load_agent
from blackjacky_agents.networks.network import encode_all
from blackjacky_agents.reports import in_this_shell
from blackjacky_agents.storage.checkpoint import load_checkpoint, save_checkpoint
from blackjacky_agents.storage.files import only_writer
from scripts.results import commit
from scripts.tuning import ship_agent
from tests.agents.positions import positions

BOTS = ["random", "threshold", "trickster", "counter"]
# So much time that no learning rate depends on the clock.
LITTLE = "--minutes=1e18 --batch-size=64 --hidden-sizes 16 16 --threads=1 --seed=7 --eval-games=5 --final-eval-games=10"
SMALL = f"--preset=sb3 --steps=2048 --num-envs=16 --n-steps=16 --snapshot-every=512 --pool-size=2 {LITTLE}"
TINY = f"--game=tiny --preset=scratch --steps=256 --num-envs=4 {LITTLE}"
STEPS = "step_{:012d}"


Finished = namedtuple("Finished", "run checkpoints printed")
"""A training that went through without a stop, and the folder of all checkpoints that were ever written, by name."""


@pytest.fixture(scope="module", params=[pytest.param(SMALL, marks=pytest.mark.prove, id="sb3")])
def finished(tmp_path_factory):
    """Train once, with a checkpoint before each update; only `make prove` compiles all bots for that."""
    home = tmp_path_factory.mktemp("home")
    checkpoints = home / "checkpoints"

    def keep(*args):
        path = save_checkpoint(*args)
        shutil.copytree(path, checkpoints / path.name, dirs_exist_ok=True)
        return path

    save_checkpoint = training.save_checkpoint
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
        patch.setattr(training, "save_checkpoint", keep)
        patch.setattr(sys, "stdout", printed := io.StringIO())
        assert cli.main(f"train --name small {SMALL}".split()) == 0
    return Finished(home / "runs" / "small", checkpoints, printed.getvalue())


@pytest.fixture
def small(finished, empty_folder):
    return Path(shutil.copytree(finished.run, Path("runs/small")))


@pytest.fixture
def stopped(finished, empty_folder):
    """The run as it lay there when 1024 of 2048 steps were made: the folder, in the working directory."""
    run = Path("runs/stopped")
    shutil.copytree(finished.run, run, ignore=shutil.ignore_patterns("checkpoints", "results.*", "*.png"))
    for steps in (768, 1024):
        shutil.copytree(finished.checkpoints / STEPS.format(steps), run / "checkpoints" / STEPS.format(steps))
    return run


@pytest.fixture
def refusal(typed):
    def refused(arguments):
        printed = typed(f"train {arguments}", status=2).err
        assert (printed[:7], printed.count("\n")) == ("error: ", 1)
        return printed

    return refused


def read_json(path):
    return json.loads(path.read_text("utf-8"))


def progress_of(run):
    lines = [json.loads(line) for line in (run / "progress.jsonl").read_text("utf-8").splitlines()]
    return [(line["steps"], line["win_rate"]) for line in lines]


def test_a_training_leaves_everything_that_belongs_to_it(finished):
    kept = {path.name for path in finished.run.iterdir()}
    files = {"config.json", "progress.jsonl", "learning_curve.png", "results.json", "results.md", "game.html"}
    assert kept == files | {"weights.safetensors", "weights.json", "tensorboard", "checkpoints", ".lock"}
    config, card = (read_json(finished.run / name) for name in ("config.json", "weights.json"))
    assert config["settings"]["seed"] == 7
    assert {"python", "blackjacky", "numpy", "torch"} <= config["versions"].keys()
    assert card["command"].startswith("blackjacky train --name small --preset=sb3 --steps=2048 ")
    assert (card["steps"], card["seed"], card["game"], card["encoding"]) == (2048, 7, "black_jacky", "cards")
    assert card["trained_on"]["num_players"] == [2, 3, 4, 5, 6]


def test_a_run_is_shipped_with_the_commit_of_the_tree_and_the_champion_before_is_held_out(small, tmp_path):
    shipped = tmp_path / "black_jacky" / "trained"
    shipped.mkdir(parents=True)
    ship_agent.main(ship_agent.Args(small, folder=tmp_path))
    assert {path.name for path in shipped.iterdir()} == {"champion.safetensors", "champion.json", "champion.png"}
    trained, card = read_json(small / "weights.json"), read_json(shipped / "champion.json")
    before, now = ([row.pop("opponents") for row in each["results"]] for each in (trained, card))
    assert card == {**trained, "commit": commit()}
    assert [*map({**dict(zip(BOTS, BOTS, strict=True)), "champion": "held_out"}.get, before)] == now
    load_agent(shipped / "champion.safetensors")


def test_the_learner_is_tested_at_every_refresh_and_at_three_tables_in_the_end(finished):
    tests = progress_of(finished.run)
    assert [steps for steps, _ in tests] == [0, 512, 1024, 1536, 2048]
    assert all(list(rates) == BOTS == bot_names("black_jacky") for _, rates in tests)
    results = read_json(finished.run / "results.json")
    rows = results["table"]
    expected = {4: [*BOTS, *get_kit("black_jacky").trained], 2: BOTS, 6: BOTS}
    for size, opponents in expected.items():
        assert [row["opponents"] for row in rows if row["players"] == size] == opponents
    assert {(row["games"], row["par"] * row["players"]) for row in rows} == {(10, 1)}
    assert standing("ppo:runs/small", rows) in (finished.run / "results.md").read_text("utf-8")
    assert read_json(finished.run / "weights.json")["results"] == rows
    assert 0 < results["differences"][0]["different"] <= results["differences"][0]["decisions"]


def test_the_commands_that_are_offered_at_the_end_work(finished, small, typed, monkeypatch):
    commands = [line[21:].strip() for line in finished.printed.split("What next?\n")[1].splitlines()]
    assert all(shutil.which(shlex.split(command)[0]) for command in commands), "as printed, in this shell"
    play, watch, longer, curves = (command.split(" ", 1)[1] for command in commands)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    typed(play)
    typed(f"{watch} --playouts 0")
    assert Path("game.html").exists()
    assert Path(curves.split()[-1]).is_dir()
    assert longer == "train --resume runs/small --steps 4096 --minutes 2e+18"


def test_a_finished_training_can_be_made_longer(finished, small, typed):
    typed("train --resume runs/small --steps 2560")
    assert progress_of(small)[:5] == progress_of(finished.run)
    assert [steps for steps, _ in progress_of(small)][5:] == [2560]
    begun = read_json(finished.run / "config.json")["command"]
    card, config = read_json(small / "weights.json"), read_json(small / "config.json")
    assert card["command"] == config["command"] == f"{begun} && blackjacky train --resume runs/small --steps 2560"
    assert (card["steps"], config["settings"]["steps"]) == (2560, 2560)
    assert read_config(small)[0].steps == 2560


def test_the_agent_that_is_kept_does_what_the_model_would_do(stopped):
    run = PPORun(read_config(stopped)[0], stopped, "")
    run.resume()
    seen = positions(games=10, moves=50)
    predicted, _ = run.model.predict(encode_all(run.encoding, *seen), deterministic=True, action_masks=seen.masks)
    assert (run.agent(greedy=True).act_batch(*seen) == predicted).mean() > 0.99  # two logits may be all but equal


def test_a_training_is_resumed_from_the_last_checkpoint_that_is_whole(stopped, finished, typed):
    """Which lies between two refreshes; the broken one is named, and the tests after it are made again."""
    arrays = stopped / "checkpoints" / STEPS.format(1024) / "arrays.safetensors"
    arrays.write_bytes(arrays.read_bytes()[:1000])
    with (stopped / "progress.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"steps": 10')  # cut short by the kill
    told = f"checkpoint {STEPS.format(1024)} is broken (its checksum is wrong); using the one before it\n"
    assert told in typed(f"train --resume {stopped}").err
    assert progress_of(stopped)[:2] == progress_of(finished.run)[:2]
    assert [steps for steps, _ in progress_of(stopped)] == [0, 512, 1024, 1536, 2048]
    assert read_json(stopped / "weights.json")["steps"] == 2048


@pytest.mark.usefixtures("empty_folder")
def test_ctrl_c_stops_after_the_update_even_before_the_first_test_and_says_how_to_go_on(typed, monkeypatch):
    def test_and_interrupt(run):
        signal.raise_signal(signal.SIGINT)
        return {}

    run, before = Path("runs/early"), signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        patch.setattr(PPORun, "evaluate", test_and_interrupt)
        printed = typed(f"train --name early {SMALL}", status=130)
    assert signal.getsignal(signal.SIGINT) is before
    assert f"resume with: {in_this_shell('blackjacky')} train --resume {run}" in printed.out
    assert "Stopping after this update" in printed.err
    assert not (run / "results.json").exists()
    assert load_checkpoint(run / "checkpoints")[1]["steps"] < 2048
    typed(f"train --resume {run}")
    assert progress_of(run)[-1][0] >= 2048


def content_of(run):
    return {path: path.read_bytes() for path in run.rglob("*") if path.is_file() and path.name != ".lock"}


@pytest.mark.parametrize(
    ("command", "where", "change", "said"),
    [
        ("--resume {} --seed 8", "", "", "has seed=7, not 8"),
        ("--resume {} --steps 1", "", "", "has steps=2048, not 1"),
        (f"--name stopped {SMALL}", "", "", "exists: choose another --name, or resume it with --resume runs/stopped"),
        ("--resume {}", "identity", {"game": "skat"}, "has game='skat', this version has 'black_jacky'"),
        ("--resume {}", "identity", {"encoding_version": 0}, "has encoding_version=0, this version has "),
        ("--resume {}", "settings", {"encoding": "pixels"}, "encoding='pixels' is unknown; allowed are 'cards'"),
        ("--resume {}", "settings", {"jokers": 2}, "jokers=2 is no setting of this version. A run can only"),
        *(("--resume {}", "", content, "does not hold the settings of a run") for content in ("{", "null")),
    ],
)
def test_other_settings_and_runs_of_something_else_are_refused(stopped, refusal, command, where, change, said):
    config = read_json(stopped / "config.json")
    if where:
        config[where] |= change
    (stopped / "config.json").write_text(change if isinstance(change, str) and change else json.dumps(config), "utf-8")
    before = content_of(stopped)
    assert said in refusal(command.format(stopped))
    assert content_of(stopped) == before


def test_checkpoints_that_are_damaged_forged_or_being_written_are_refused(stopped, refusal):
    before = content_of(stopped)
    with only_writer(stopped):
        assert f"{stopped} is being written by another process" in refusal(f"--resume {stopped}")
    assert content_of(stopped) == before
    arrays, state, _ = load_checkpoint(stopped / "checkpoints")
    save_checkpoint(stopped / "checkpoints", 1024, {**arrays, "snapshots": arrays["snapshots"] + 1}, state)
    assert "is of no training with these settings: the networks, " in refusal(f"--resume {stopped}")
    for path in (stopped / "checkpoints").glob("*/state.json"):
        path.write_text("{}", "utf-8")
    assert "error: there is no complete checkpoint in " in refusal(f"--resume {stopped}")


@pytest.mark.usefixtures("tiny", "empty_folder")
def test_an_agent_is_saved_after_the_checkpoint_that_its_training_goes_on_from(typed, monkeypatch):
    """A kill between them must not leave an agent that can neither be trained on nor begun again."""
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    with monkeypatch.context() as killed:
        killed.setattr(training, "save_agent", Mock(side_effect=InterruptedError))
        with pytest.raises(InterruptedError):
            typed(f"train --name killed {TINY}")
    assert "begins again" not in typed("train --resume runs/killed").err
    assert [steps for steps, _ in progress_of(Path("runs/killed"))][-1] == 256


@pytest.mark.usefixtures("empty_folder")
def test_a_training_killed_before_its_first_checkpoint_begins_again(finished, typed):
    killed = Path("runs/killed")
    killed.mkdir(parents=True)
    (killed / ".lock").touch()
    shutil.copy(finished.run / "config.json", killed)
    (killed / "progress.jsonl").write_text('{"steps": 0, "sec', "utf-8")
    assert "has no checkpoint yet; the training begins again" in typed("train --resume runs/killed").err
    assert (killed / "weights.safetensors").read_bytes() == (finished.run / "weights.safetensors").read_bytes()
