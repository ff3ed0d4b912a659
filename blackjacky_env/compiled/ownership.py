"""Files that nobody else can have written: reading the compile cache runs what is in it."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_own(path: Path) -> bytes:
    """The content of a file if only this user can change it and its folder, else nothing."""
    try:
        with path.open("rb") as file:
            own = is_own(file.fileno()) and is_own(path.parent)
            return file.read() if own else b""
    except OSError:
        return b""


def is_own(file: int | Path) -> bool:
    """Whether an open file or a folder belongs to this user and nobody else may write to it.

    A group may if it is the user's own, with the same number, as Debian and Fedora make one for each user. Whoever a
    POSIX access list names may not, nor may a list be inherited: the mode shows only the most that such a list allows
    to anybody. Windows, which has no such numbers, keeps each user's files apart.
    """
    if not hasattr(os, "geteuid"):
        return True
    found = os.stat(file)  # noqa: PTH116 - perhaps a descriptor
    if found.st_uid != os.geteuid() or found.st_mode & stat.S_IWOTH or _has_access_list(file):
        return False
    return not found.st_mode & stat.S_IWGRP or found.st_gid == found.st_uid


def _has_access_list(file: int | Path) -> bool:
    if not hasattr(os, "listxattr"):
        return False
    try:
        return any(name.startswith("system.posix_acl_") for name in os.listxattr(file))
    except OSError as error:
        return error.errno != errno.ENOTSUP  # a file system without lists
