"""Grow the models that come with the app from their recipes.

python -m tools.grow_models            writes assets/models/NAME.model for each NAME.json
python -m tools.grow_models --check    writes nothing; fails if a file differs by a byte
"""

from __future__ import annotations

import argparse
import sys

from tokenizers.bundled import train_model
from tokenizers.data import MODELS_DIR, read_recipe
from tokenizers.files import minbpe


def main() -> int:
    parser = argparse.ArgumentParser(description="Grow the models that come with the app.")
    parser.add_argument("--check", action="store_true", help="compare with the files, write nothing")
    check = parser.parse_args().check
    failures = 0
    for name in sorted(path.stem for path in MODELS_DIR.glob("*.json")):
        content = minbpe.to_bytes(train_model(read_recipe(name)))
        path = MODELS_DIR / f"{name}.model"
        if not check:
            path.write_bytes(content)
            print(f"{name}: {len(content):,} bytes written")
        elif path.is_file() and path.read_bytes() == content:
            print(f"{name}: as the recipe says")
        else:
            print(f"{name}: differs from its recipe; run python -m tools.grow_models")
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
