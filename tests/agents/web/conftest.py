"""One browser for all tests of the table."""

import pytest

from tests.agents.web.browser import open_browser


@pytest.fixture(scope="session")
def browser():
    with open_browser() as opened:
        yield opened
