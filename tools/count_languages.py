"""Count the tokens of every complete declaration in every encoding that comes with the app.

python -m tools.count_languages            writes assets/premiums/counts.json, the same whenever it is run
"""

from __future__ import annotations

import tokenizers as tk
from tokenizers.data import list_parallel
from tokenizers.measure import COUNTS_FILE, count_text, fingerprint, to_json
from tools.options import read_options


def main() -> None:
    """Write the file."""
    read_options(__doc__)
    counted = {}
    done: set[str] = set()
    for name in tk.list_encodings():
        encoding = tk.get_encoding(name)
        if fingerprint(encoding) not in done:  # r50k_base counts as gpt2 does
            done.add(fingerprint(encoding))
            counted[name] = (encoding, {text.code: count_text(encoding, text) for text in list_parallel()})
            print(name, flush=True)
    COUNTS_FILE.write_text(to_json(counted), "utf-8")


if __name__ == "__main__":
    main()
