"""Write the table of limits into docs/limits.md: python -m tools.write_limits."""

from __future__ import annotations

import argparse
from pathlib import Path

from tokenizers import limits

DOCS = Path(__file__).resolve().parent.parent / "docs" / "limits.md"
_BEGIN, _END = "<!-- table -->\n", "<!-- end -->\n"


def write() -> None:
    """Put the table of the module in place of the one that is there."""
    before, _, rest = DOCS.read_text(encoding="utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    DOCS.write_text(f"{before}{_BEGIN}\n{limits.table()}\n\n{_END}{after}", encoding="utf-8")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    write()
