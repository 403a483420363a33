"""How long each encoding that comes with the app takes to load, and how fast it encodes.

    python -m benchmarks.bundled [NAME ...]

Two texts: English stories, and beginnings of the declaration of human rights in all languages. Ids, places
and what is lost, in one thread; seconds are those of the processor, so that others on the machine do no harm.
"""

from __future__ import annotations

import argparse
import time

import tokenizers as tk
from tokenizers.data import list_parallel, read_bundled

RUNS = 3


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="*", help="which encodings; by default, all of them")
    names = parser.parse_args().name or tk.list_encodings()
    english = ("".join(read_bundled("stories").texts) * 20)[:300_000]
    languages = "".join(text.text[:600] for text in list_parallel())[:150_000]
    print("| encoding | loaded in, s | English, MB/s | all languages, MB/s |")
    print("|---|---:|---:|---:|")
    for name in names:
        begun = time.process_time()
        encoding = tk.get_encoding(name)
        loaded = time.process_time() - begun
        speeds = " | ".join(f"{_speed(encoding, text):.1f}" for text in (english, languages))
        print(f"| {name} | {loaded:.2f} | {speeds} |")


def _speed(encoding: tk.Encoding, text: str) -> float:
    seconds = []
    for run in range(RUNS):
        again = f"{text}{run}"  # nothing may remember the text
        begun = time.process_time()
        len(tk.encode_spans(encoding, again).losses)
        seconds.append(time.process_time() - begun)
    return len(text.encode("utf-8")) / 1e6 / min(seconds)


if __name__ == "__main__":
    main()
