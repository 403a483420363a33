"""What all benchmarks share: a line about the machine, times in three numbers, tables."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np


def describe_machine() -> str:
    """Cores, processor, Python, and the versions of some packages."""
    processors = re.findall("model name.*: (.*)", Path("/proc/cpuinfo").read_text())
    versions = [f"{name} {version(name)}" for name in ("streamlit", "tiktoken", "numpy")]
    return ", ".join(
        [f"{os.cpu_count()} cores", *processors[:1], f"Python {platform.python_version()}", *versions]
    )


def spread_ms(seconds: Sequence[float]) -> list[float]:
    """Of some times: the median, what 95 of 100 are below, and the longest, in milliseconds."""
    return [1000 * float(time) for time in np.percentile(seconds, (50, 95, 100))]


def print_head(*names: str) -> None:
    """Print the head of a Markdown table, whose first column has names, and the others numbers."""
    print_row(*names)
    print("|---|" + "---:|" * (len(names) - 1))


def print_row(*cells: object) -> None:
    """Print a row of a Markdown table.

    >>> print_row("10 KB", 1234.5, 80)
    | 10 KB | 1,234.50 | 80 |
    """
    written = [f"{cell:,.2f}" if isinstance(cell, float) else f"{cell}" for cell in cells]
    print("| " + " | ".join(written) + " |", flush=True)
