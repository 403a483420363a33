"""How long all languages take: ``python -m benchmarks.languages``.

Cold: a new process loads the encoding and the texts, and counts every language. Then the page's figures
from the counts that come with the app, in a process of their own too. Beside the seconds on the clock stand
those of the processor, which other work on the machine hardly changes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from benchmarks.machine import describe_machine
from tokenizers.encoding import ASSETS

ENCODINGS = ("gpt2", "cl100k_base", "o200k_base", "grove-udhr-8k")
GOAL = 10.0  # seconds, for four encodings from cold

_COLD = """
import sys, time
begun = time.perf_counter()
import tokenizers as tk
from tokenizers.measure.premiums import iter_counts
for name in sys.argv[1:]:
    *_, last = iter_counts(tk.get_encoding(name), tk.list_parallel())
print(time.perf_counter() - begun, time.process_time(), last.done)
"""
_SHIPPED = """
import sys, time
begun = time.perf_counter()
import tokenizers as tk
for name in sys.argv[1:]:
    counts = tk.count_all(tk.get_encoding(name))
first, cpu = time.perf_counter() - begun, time.process_time()
begun = time.perf_counter()
for name in sys.argv[1:]:
    counts = tk.count_all(tk.get_encoding(name))
print(first, cpu, time.perf_counter() - begun)
"""
# The page without a browser: the first run, and the middle one of five later ones.
_PAGE = """
import logging, sys, time
logging.disable()
sys.path.insert(0, sys.argv[1])
from tests.visit import Visit
times, visit = [], None
for _ in range(6):
    begun, begun_cpu = time.perf_counter(), time.process_time()
    if visit is None:
        visit = Visit("measure/languages/page.py", {})
    else:
        visit.run()
    times.append((time.perf_counter() - begun, time.process_time() - begun_cpu))
    assert visit.test.title[0].value == "Languages"
print(*times[0], *sorted(times[1:])[2])
"""


def run(script: str, names: tuple[str, ...]) -> list[float]:
    """The numbers that a script prints, run in a new process."""
    done = subprocess.run([sys.executable, "-c", script, *names], capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


def report(what: str, seconds: float, cpu: float) -> None:
    print(f"| {what} | {seconds:.2f} | {cpu:.2f} |", flush=True)


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    print(describe_machine("tiktoken", "streamlit"))
    print("\n| what | seconds | of the processor |\n|---|---:|---:|")
    for name in ENCODINGS:
        seconds, cpu, languages = run(_COLD, (name,))
        report(f"{languages:.0f} languages in {name}, from cold", seconds, cpu)
    seconds, cpu, _ = run(_COLD, ENCODINGS)
    report(f"all four, from cold (goal {GOAL:g}: {'ok' if seconds <= GOAL else 'TOO SLOW'})", seconds, cpu)
    first, cpu, again = run(_SHIPPED, ENCODINGS)
    report("all four from the counts that come with the app, encodings loaded from cold", first, cpu)
    report("the same again, as every later session", again, again)
    first, first_cpu, again, again_cpu = run(_PAGE, (str(ASSETS.parent),))
    report("the whole page without a browser, first time", first, first_cpu)
    report("the whole page, every later time", again, again_cpu)


if __name__ == "__main__":
    main()
