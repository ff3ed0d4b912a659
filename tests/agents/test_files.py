"""Files of others have a size before they are read, and what is written goes where it was sent."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from blackjacky_agents.arena.protocol import read_protocol
from blackjacky_agents.arena.results_file import ResultsFile, read_head
from blackjacky_agents.arena.score_card import read_score_card
from blackjacky_agents.cli.arguments import check_writable
from blackjacky_agents.cli.watch import read_record
from blackjacky_agents.learning.folders import read_config
from blackjacky_agents.learning.training_run import read_progress
from blackjacky_agents.networks.agent_file import load_agent
from blackjacky_agents.solving.solving_run import read_settings
from blackjacky_agents.storage.checkpoint import load_checkpoint
from blackjacky_agents.storage.files import read_by_card, try_to_write, write_file, write_with_card
from blackjacky_agents.web.table import resumed

HUGE = 40 * 2**30


READERS = {
    "record.json": lambda folder: read_record(folder / "record.json"),
    "score.json": lambda folder: read_score_card(folder / "score.json"),
    "protocol.json": lambda folder: read_protocol(folder / "protocol.json"),
    "table.jsonl": lambda folder: resumed(folder / "table.jsonl"),
    "progress.jsonl": read_progress,
    "run/config.json": lambda folder: read_config(folder / "run"),
    "solving/config.json": lambda folder: read_settings(folder / "solving"),
    "results.jsonl": lambda folder: ResultsFile(folder / "results.jsonl", {}).read(),
    "head.jsonl": lambda folder: read_head(folder / "head.jsonl"),
    "weights.json": load_agent,
    "weights.safetensors": lambda folder: read_by_card(folder / "weights.safetensors", {}),
    "step_1/arrays.safetensors": load_checkpoint,
    "step_1/state.json": load_checkpoint,
}


@pytest.mark.parametrize("what", ["40 gigabytes", "a pipe", "a device"])
@pytest.mark.parametrize("name", READERS)
def test_what_is_too_large_or_without_an_end_is_refused_before_it_is_read(name, what, tmp_path):
    for other in ("weights.json", "weights.safetensors"):
        (tmp_path / other).write_text('{"sha256": ""}', "utf-8")
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    (path.parent / "arrays.safetensors").touch()
    path.unlink(missing_ok=True)
    if what == "40 gigabytes":
        path.touch()
        os.truncate(path, HUGE)
    else:
        os.mkfifo(path) if what == "a pipe" else path.symlink_to("/dev/zero")
    said = (
        "is larger than what can be read there; allowed are|no file but a pipe or a device|is missing|there is no file"
    )
    with pytest.raises(ValueError, match=f"{said}|does not begin with the head"):
        READERS[name](tmp_path)


def test_links_are_followed(tmp_path):
    (tmp_path / "there").mkdir()
    for name in ("file", "weights.safetensors"):
        (tmp_path / name).symlink_to(Path("there") / name)
    write_file(tmp_path / "file", "new")
    write_with_card(tmp_path / "weights.safetensors", b"data", {}, {})
    assert all((tmp_path / name).is_symlink() for name in ("file", "weights.safetensors"))
    assert (tmp_path / "there" / "file").read_text("utf-8") == "new"
    assert [path.suffix for path in (tmp_path / "there").iterdir()].count(".json") == 1


def test_a_pipe_gets_what_is_written_a_device_stays_and_says_that_it_is_full_and_other_things_are_refused(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable("--output", pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, "text")
    assert os.read(reading, 10) == b"text"
    os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    for name in ("null", "full"):
        (tmp_path / name).symlink_to(f"/dev/{name}")  # not the device itself, which may be lost where this fails
        try_to_write(tmp_path / name)
    write_file(tmp_path / "null", "text")
    with pytest.raises(OSError, match="No space left"):
        write_file(tmp_path / "full", "text")
    assert (tmp_path / "full").is_symlink()
    assert (tmp_path / "full").is_char_device()
    (tmp_path / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for name in ("loop", "socket"):
            with pytest.raises(ValueError, match=f"--output .*{name} cannot be written"):
                check_writable("--output", tmp_path / name)
        assert stat.S_ISSOCK((tmp_path / "socket").stat().st_mode)


@pytest.mark.parametrize("name", ["stdout", "out.txt"])
def test_standard_output_in_a_file_keeps_what_was_printed(name, tmp_path):
    code = (
        f"from pathlib import Path; from blackjacky_agents.storage.files import write_file; print(1); "
        f"write_file(Path({name!r}), '2\\n'); print(3)"
    )
    (tmp_path / "stdout").symlink_to("/proc/self/fd/1")  # as /dev/stdout, which may be lost where this fails
    with (tmp_path / "out.txt").open("wb") as out:
        subprocess.run([sys.executable, "-c", code, name], cwd=tmp_path, stdout=out, check=True)
    assert (tmp_path / "out.txt").read_text("utf-8").split() == ["1", "2", "3"]
