"""Work out the last merge of every token of tiktoken's encodings.

python -m tools.find_last_merges            writes assets/encodings/last_merges.npz
python -m tools.find_last_merges --check    writes nothing; fails if the file holds anything else
"""

from __future__ import annotations

import argparse
import hashlib
import sys

import numpy as np

from tokenizers.bpe.merge_rule import find_middles
from tokenizers.bundled import TIKTOKEN_ENCODINGS, load_tiktoken
from tokenizers.bundled.last_merges import FILE, SHA256, shipped_middles, to_npz


def main() -> int:
    parser = argparse.ArgumentParser(description="Work out the last merge of every token.")
    parser.add_argument("--check", action="store_true", help="compare with the file, write nothing")
    check = parser.parse_args().check
    middles = {}
    for name, (_, files) in TIKTOKEN_ENCODINGS.items():
        if files[-1] not in middles:
            joins = find_middles(load_tiktoken(name).mergeable_ranks)
            assert joins.max() < 256, "A byte is too small for the longest of these tokens."
            middles[files[-1]] = joins.astype(np.uint8)
            print(f"{name}: {np.count_nonzero(middles[files[-1]]):,} tokens with two parents")
    if not check:
        data = to_npz(middles)
        FILE.write_bytes(data)
        print(
            f"{FILE.name}: {len(data):,} bytes written. Its SHA-256, for tokenizers/bundled/last_merges.py:"
        )
        print(hashlib.sha256(data).hexdigest())
        return 0
    shipped = shipped_middles()
    if shipped.keys() == middles.keys() and all(
        np.array_equal(shipped[key], middles[key]) for key in middles
    ):
        print(f"The file is as worked out, and has the SHA-256 {SHA256}.")
        return 0
    print("The file differs from what is worked out; run python -m tools.find_last_merges")
    return 1


if __name__ == "__main__":
    sys.exit(main())
