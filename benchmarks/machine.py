"""What all benchmarks share: their options, a line about the machine, percentiles."""

from __future__ import annotations

import argparse
import os
import platform
from importlib.metadata import version
from pathlib import Path


def options_of(text: str | None) -> argparse.ArgumentParser:
    """A parser of options, which shows the text of a script as it is written."""
    return argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)


def describe_machine(*packages: str) -> str:
    """Cores, processor, Python, and the versions of some packages."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    processor = next(line.partition(": ")[2] for line in lines if "model name" in line)
    versions = [f"{name} {version(name)}" for name in packages]
    return ", ".join([f"{os.cpu_count()} cores", processor, f"Python {platform.python_version()}", *versions])


def percentile(values: list[float], share: float) -> float:
    """The value below which this share of them lies.

    >>> percentile([1, 2, 3, 4], 0.5)
    3
    """
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(len(ranked) * share))]
