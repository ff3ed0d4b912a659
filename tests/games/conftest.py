"""Every rigged game of a test is played by the reference implementation, too."""

import pytest

from tests.games.rigged import RiggedTable

compared = set()


@pytest.fixture(autouse=True)
def _rigged_games_are_played_by_the_reference_implementation(monkeypatch, pytestconfig):
    made = []
    monkeypatch.setattr(RiggedTable, "made", made)
    yield
    for table in [] if pytestconfig.getoption("without_reference") else made:
        table.play_with_reference(compared)
