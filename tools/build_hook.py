"""The dependencies of the package: those of requirements.txt, in the versions of constraints.txt."""

from __future__ import annotations

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface


def pinned(requirements: str, constraints: str) -> list[str]:
    """Each requirement with the tested version instead of a range.

    >>> pinned("# a comment\\nnumba>=0.61; python_version < '3.16'\\n", "numba==0.68.1\\n")
    ["numba==0.68.1; python_version < '3.16'"]
    """
    versions = dict(line.lower().split("==") for line in constraints.splitlines() if "==" in line)
    lines = []
    for line in requirements.splitlines():
        if line and not line.startswith("#"):
            name = re.split(r"[^\w.-]", line)[0]
            condition = line.partition(";")[2]
            lines.append(f"{name}=={versions[name.lower()]}" + (f";{condition}" if condition else ""))
    return lines


class Dependencies(MetadataHookInterface):
    """Hatchling's hook: it calls ``update`` when it builds."""

    def update(self, metadata: dict[str, object]) -> None:
        """Set the dependencies."""
        root = Path(self.root)
        requirements = (root / "requirements.txt").read_text("utf-8")
        constraints = (root / "constraints.txt").read_text("utf-8")
        metadata["dependencies"] = pinned(requirements, constraints)
