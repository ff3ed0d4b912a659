"""The tests of the rules pass in plain Python too (NUMBA_DISABLE_JIT=1), and reach every branch there."""

from pathlib import Path

import numba
import pytest

from tests.plain_mode import missed_in_plain_mode

HERE = Path(__file__).parent
SUITE = [
    HERE / f"test_{name}.py"
    for name in ("rules", "tricks", "settlement", "tipping", "variant_and_options", "observation")
]
# slow, and reach nothing more
SLOW = "equal_chance or unseen_cards or played_to_its_end or (same_observation_again and not 3) or random_games"
MEASURED = ["blackjacky_env/games/black_jacky/observation.py", "blackjacky_env/games/black_jacky/rules.py"]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_the_tests_of_the_rules_pass_in_plain_python_and_reach_every_branch(tmp_path):
    assert missed_in_plain_mode(SUITE, MEASURED, tmp_path, but=SLOW) == []
