"""The tests of the rules pass in plain Python too (NUMBA_DISABLE_JIT=1), and reach every branch there."""

from pathlib import Path

import numba
import pytest

from tests.plain_mode import missed_in_plain_mode

HERE = Path(__file__).parent
SUITE = [HERE / "test_rules.py", HERE / "test_observation.py", HERE / "test_sample_state.py"]
# reach nothing more
SLOW = "come_equally_often or would_be_noticed or totals_add_up or (random_game and not 10)"
MEASURED = [
    "blackjacky_env/engine/trick_taking.py",
    "blackjacky_env/games/schwarze_katze/imagined.py",
    "blackjacky_env/games/schwarze_katze/observation.py",
    "blackjacky_env/games/schwarze_katze/rules.py",
]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_the_tests_of_the_rules_pass_in_plain_python_and_reach_every_branch(tmp_path):
    assert missed_in_plain_mode(SUITE, MEASURED, tmp_path, but=SLOW) == []
