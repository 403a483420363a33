"""The command line of a script."""

from __future__ import annotations

import argparse
from typing import Any


def read_options(text: str | None, *required: str, **defaults: Any) -> argparse.Namespace:
    """What the command line says, by name.

    Args:
        text: what the script does: its docstring.
        required: the names of what has to be given, in order.
        defaults: of what may be given as ``--name``; a list takes several values.
    """
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in required:
        parser.add_argument(name)
    for name, default in defaults.items():
        if default is False:
            parser.add_argument(f"--{name}", action="store_true")
        elif isinstance(default, list):
            kind = type(default[0]) if default else str
            parser.add_argument(f"--{name}", nargs="*", type=kind, default=default)
        else:
            parser.add_argument(f"--{name}", type=type(default), default=default)
    return parser.parse_args()
