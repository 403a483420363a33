"""What a benchmark ran on, in a line, to write beside its figures."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path


def describe_machine(*packages: str) -> str:
    """Cores, processor, Python, and the versions of some packages."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        processor = names[0] if names else processor
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{os.cpu_count()} cores, {processor}, Python {platform.python_version()}, {versions}"


def percentile(values: list[float], share: float) -> float:
    """The value below which this share of them lies.

    >>> percentile([1, 2, 3, 4], 0.5)
    3
    """
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(len(ranked) * share))]
