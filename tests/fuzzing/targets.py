"""All fuzz targets: everything that parses what a stranger, a friend or another program may have written."""

from __future__ import annotations

from tests.fuzzing import agents, arena, arrays, games, web

TARGETS = {target.name: target for module in (games, arrays, arena, agents, web) for target in module.TARGETS}
"""By name."""
