"""How much memory the machine has for this process, and how much the process takes of it."""

from __future__ import annotations

import os
from pathlib import Path

_CGROUPS, _OWN_CGROUP, _STATM = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup"), Path("/proc/self/statm")


def available_memory() -> int | None:
    """Bytes that this process may take: the machine's, or fewer in a container; None: not known.

    >>> available_memory() is None or available_memory() > 0
    True
    """
    bounds = _bounds_of_groups(_CGROUPS, _OWN_CGROUP)
    try:
        bounds.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        pass
    return min((bound for bound in bounds if bound > 0), default=None)


def _bounds_of_groups(root: Path, own: Path) -> list[int]:
    """What Linux bounds the control groups of this process to: its own, and all around it."""
    bounds: list[int] = []
    for line in _read(own).splitlines():
        match line.split(":", 2):
            case [_, "", path]:  # version 2
                top, name = root, "memory.max"
            case [_, controllers, path] if "memory" in controllers.split(","):
                top, name = root / "memory", "memory.limit_in_bytes"
            case _:
                continue
        group = top / path.lstrip("/")
        for folder in (group, *group.parents):  # in a container, its own group may be at the top
            said = _read(folder / name).strip()
            if said.isdigit():  # or "max"
                bounds.append(int(said))
            if folder == top:
                break
    return bounds


def taken_memory() -> int | None:
    """Bytes of the machine's memory that this process takes now; None: not known, as on macOS."""
    fields = _read(_STATM).split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if len(fields) > 1 else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""
