"""The tests of the rules pass in plain Python too (NUMBA_DISABLE_JIT=1), and reach every branch there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SUITE = [
    HERE / f"test_{name}.py"
    for name in ("rules", "tricks", "settlement", "tipping", "variant_and_options", "observation")
]
WHOLE_GAMES = (
    "unseen_cards or played_to_its_end or same_observation_again or random_games"  # slow, and reach nothing more
)
MEASURED = ["blackjacky_env/black_jacky/observation.py", "blackjacky_env/black_jacky/rules.py"]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_the_tests_of_the_rules_pass_in_plain_python_and_reach_every_branch(tmp_path):
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(tmp_path / "coverage")}

    def coverage(*arguments):
        command = [sys.executable, "-m", "coverage", *map(str, arguments)]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=500)
        assert done.returncode == 0, done.stdout + done.stderr

    coverage("run", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-k", f"not ({WHOLE_GAMES})", *SUITE)
    coverage("json", "-o", tmp_path / "coverage.json", f"--include={','.join(MEASURED)}")
    files = json.loads((tmp_path / "coverage.json").read_text(encoding="utf-8"))["files"]
    missed = {name: found["missing_lines"] + found["missing_branches"] for name, found in files.items()}
    assert missed == {name: [] for name in MEASURED}
