"""Count the tokens of every complete declaration in every encoding that comes with the app.

python -m tools.count_languages            writes assets/premiums/counts.json
python -m tools.count_languages --check    writes nothing; fails if the file differs by a byte
"""

from __future__ import annotations

import argparse
import sys
import time

import tokenizers as tk
from tokenizers.data import list_parallel
from tokenizers.measure import COUNTS_FILE, count_text, fingerprint, to_json


def main() -> int:
    parser = argparse.ArgumentParser(description="Count tokens of every language in every encoding.")
    parser.add_argument("--check", action="store_true", help="compare with the file, write nothing")
    check = parser.parse_args().check
    counted = {}
    done: set[str] = set()
    for name in tk.list_encodings():
        encoding = tk.get_encoding(name)
        if fingerprint(encoding) in done:  # such as r50k_base, which counts as gpt2 does
            continue
        done.add(fingerprint(encoding))
        begun = time.perf_counter()
        counts = {text.code: count_text(encoding, text) for text in list_parallel()}
        counted[name] = (encoding, counts)
        print(f"{name}: {len(counts)} languages, {time.perf_counter() - begun:.2f} s")
    content = to_json(counted)
    if not check:
        COUNTS_FILE.parent.mkdir(exist_ok=True)
        COUNTS_FILE.write_text(content, "utf-8")
        print(f"{COUNTS_FILE.name}: {len(content):,} bytes written")
        return 0
    if COUNTS_FILE.is_file() and COUNTS_FILE.read_text("utf-8") == content:
        print("The file is as counted.")
        return 0
    print("The file differs from what is counted; run python -m tools.count_languages")
    return 1


if __name__ == "__main__":
    sys.exit(main())
