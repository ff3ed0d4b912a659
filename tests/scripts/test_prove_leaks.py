"""scripts/proofs/prove_leaks.py: a short proof over all tables."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "proofs" / "prove_leaks.py"


def run(*args):
    command = [sys.executable, str(SCRIPT), *args]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=1200)


def test_a_short_proof_covers_every_table_and_finds_nothing():
    done = run("--positions", "40", "--workers", "1", "--seed", "3")
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^\| (`[^|]*`|all) \| ([\d,]+) \|.*\| ([\d,]+) \|$", done.stdout, re.MULTILINE)
    assert [row[2] for row in rows] == ["0"] * 17
    assert sum(int(row[1]) for row in rows[:-1]) == int(rows[-1][1]) == 40
    assert "0 leaks in 40 positions" in done.stdout
    assert "`python scripts/proofs/prove_leaks.py --game black_jacky --positions 40 --seed 3`" in done.stdout


@pytest.mark.parametrize("name", ["positions", "workers"])
def test_no_proof_of_nothing(name):
    done = run(f"--{name}", "0")
    assert done.returncode == 1
    assert f"error: --{name} 0 is too few; allowed is 1 or more" in done.stderr
