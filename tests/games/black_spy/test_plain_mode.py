"""The tests of the rules pass in plain Python too (NUMBA_DISABLE_JIT=1), and reach every branch there."""

from pathlib import Path

import numba
import pytest

from tests.plain_mode import missed_in_plain_mode

HERE = Path(__file__).parent
SUITE = [HERE / f"test_{name}.py" for name in ("rules", "variants", "observation", "sample_state")]
# reach nothing more
SLOW = "equally_often or would_be_noticed or every_card or random or imagined or limit or takes_first or clockwise"
MEASURED = [f"blackjacky_env/games/black_spy/{name}.py" for name in ("rules", "observation", "imagined", "unseen")]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_the_tests_of_the_rules_pass_in_plain_python_and_reach_every_branch(tmp_path):
    assert missed_in_plain_mode(SUITE, MEASURED, tmp_path, but=SLOW) == []
