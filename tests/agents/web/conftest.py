"""What tests of several files need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.every_game import with_tiny


@pytest.fixture
def tiny() -> Iterator[None]:
    """The smallest game is registered."""
    with with_tiny():
        yield
