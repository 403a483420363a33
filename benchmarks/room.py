"""Thirty people who type at once on one server: python -m benchmarks.room

Each types four keys a second, in a text of 1 KB and then of 10 KB, in four encodings. They speak the protocol
as browsers do (``protocol.py``); the server and they share this machine's cores. The time of a key runs until
the end of the answer that covers it. Memory is the server's own, in MB: at the start, with everybody there,
and a minute after they have left.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from benchmarks.keystroke import ENCODINGS, sample_text
from benchmarks.machine import describe_machine, options_of, percentile
from benchmarks.protocol import Person, Typed
from tests.browser import serve

Measure = Callable[[str, int, argparse.Namespace], Coroutine[Any, Any, None]]
"""Measures a server, by its address and its process, with the options."""
Proxy = Callable[[str], AbstractContextManager[str]]
"""From the address of an app to that of a proxy before it."""

REACH_MS = {1: 50, 10: 100}  # by KB of text: p95
KEYS = "the quick brown fox jumps over the lazy dog "


def server_process() -> int:
    """The process of the server that this one started."""
    for task in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            if b"streamlit" in Path(f"/proc/{child}/cmdline").read_bytes():
                return child
    raise LookupError("There is no server among the processes of this one.")


def memory_mb(pid: int) -> float:
    """The memory that a process holds, its own alone, in MB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Private_Dirty:"):
            return int(line.split()[1]) / 1024
    raise LookupError("The kernel does not tell.")


def processor_seconds(pid: int) -> float:
    """The processor time that a process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def open_all(people: list[Person]) -> list[float]:
    """All open the page at once; the seconds of each until its editor is there."""
    return list(await asyncio.gather(*(person.open() for person in people)))


async def type_all(people: list[Person], text: str, seconds: float, per_second: float) -> list[Typed]:
    """All have this text, in four encodings, and type."""
    for number, person in enumerate(people):
        person.text = f"{number} {text}"  # each has a text of their own
        await person.say(text=person.text, encodings=ENCODINGS)
    n_keys = int(seconds * per_second)
    keys = (KEYS * (n_keys // len(KEYS) + 1))[:n_keys]
    begin = time.perf_counter() + 0.5
    starts = (begin + number / len(people) / per_second for number in range(len(people)))
    each = (
        person.type_keys(keys, per_second, starts_at=at) for person, at in zip(people, starts, strict=True)
    )
    return list(await asyncio.gather(*each))


async def measure(address: str, pid: int, asked: argparse.Namespace) -> None:
    """Print the table, and what memory it took."""
    start_mb = memory_mb(pid)
    people = [Person(address) for _ in range(asked.people)]
    opened = await open_all(people)
    print(
        f"{len(people)} people open the playground at once: p50 {percentile(opened, 0.5):.2f} s, "
        f"the last {max(opened):.2f} s.\n\n"
        "| text | p50 ms | p95 ms | worst | reach | KB an answer | keys | lost | cores |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    )
    for kb, reach in REACH_MS.items():
        before, begun = processor_seconds(pid), time.perf_counter()
        typed = await type_all(people, sample_text(kb * 1000), asked.seconds, asked.keys)
        cores = (processor_seconds(pid) - before) / (time.perf_counter() - begun)
        times = [1000 * seconds for one in typed for seconds in one.seconds]
        sizes = [float(size) for one in typed for size in one.sizes]
        print(
            f"| {kb} KB | {percentile(times, 0.5):.0f} | {percentile(times, 0.95):.0f} | {max(times):.0f} "
            f"| {reach} | {percentile(sizes, 0.5) / 1000:.1f} | {len(times):,} "
            f"| {sum(one.lost for one in typed)} | {cores:.2f} |",
            flush=True,
        )
    there_mb = memory_mb(pid)
    for person in people:
        await person.close()
    await print_memory(pid, start_mb, there_mb)


async def print_memory(pid: int, start_mb: float, there_mb: float) -> None:
    """Wait for a minute, and print the memory at the start, with all, and now."""
    await asyncio.sleep(60)
    print(
        f"\nMemory: {start_mb:.0f} MB at the start, {there_mb:.0f} with all, "
        f"{memory_mb(pid):.0f} a minute after."
    )


def wait_until_idle(pid: int) -> None:
    """Wait until the server has prepared in the background what its pages need."""
    taken = -1.0
    while (now := processor_seconds(pid)) - taken > 0.1:
        taken = now
        time.sleep(3)


def main() -> None:
    """Start a server, and the people."""
    options = options_of(__doc__)
    options.add_argument("--people", type=int, default=30)
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--keys", type=float, default=4, help="a second, of each")
    measure_server(measure, options.parse_args())


def measure_server(measure: Measure, asked: argparse.Namespace, proxy: Proxy = nullcontext) -> None:
    """Measure a new server once it is idle, through a proxy."""
    print(f"{describe_machine('streamlit', 'tiktoken', 'numpy')}\n")
    with serve() as app, proxy(app) as address:
        time.sleep(5)
        wait_until_idle(pid := server_process())
        asyncio.run(measure(address, pid, asked))


if __name__ == "__main__":
    main()
