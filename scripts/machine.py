"""The facts about this machine that speeds depend on."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """Processor, number of cores and system."""
    return {"processor": processor(), "cores": os.cpu_count(), "system": platform.system()}


def processor() -> str:
    """The processor's name."""
    facts = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*: (.+)$", facts.read_text(), re.MULTILINE) if facts.exists() else None
    return found[1] if found else platform.processor() or platform.machine()
