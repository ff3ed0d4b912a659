"""All fuzz targets: everything that parses what a stranger, a friend or another program may have written."""

from __future__ import annotations

from tests.fuzzing import agents, arena, arrays, command, games, web

TARGETS = {
    target.name: target
    for target in (*games.TARGETS, *arrays.TARGETS, *arena.TARGETS, *agents.TARGETS, *web.TARGETS, *command.TARGETS)
}
"""By name."""
