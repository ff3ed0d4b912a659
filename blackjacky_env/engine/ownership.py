"""Files that nobody else can have written: reading the compile cache runs what is in it."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_own(path: Path) -> bytes:
    """The content of a file if only this user can change it and its folder, else nothing."""
    try:
        with path.open("rb") as file:
            own = is_own(os.fstat(file.fileno())) and is_own(path.parent.stat())
            return file.read() if own else b""
    except OSError:
        return b""


def is_own(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user and nobody else may write to it.

    A group may if it is the user's own, with the same number, as Debian and Fedora make one for each user. Windows,
    which has no such numbers, keeps each user's files apart.
    """
    if not hasattr(os, "geteuid"):
        return True
    if status.st_uid != os.geteuid() or status.st_mode & stat.S_IWOTH:
        return False
    return not status.st_mode & stat.S_IWGRP or status.st_gid == status.st_uid
