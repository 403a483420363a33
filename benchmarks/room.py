"""Thirty people who type at once on one server: python -m benchmarks.room

Each types four keys a second, in a text of 1 KB and then of 10 KB, in four encodings. They speak the protocol
as browsers do (``protocol.py``); the server and they share this machine's cores. The time of a key runs until
the end of the answer that covers it; a key that none covers within a minute is an error. Memory is the
server's own: at the start, and with everybody there.
"""

from __future__ import annotations

import argparse
import asyncio
import time

from benchmarks.machine import describe_machine, print_head, print_row, spread_ms
from benchmarks.protocol import Person
from benchmarks.server import Server, serve_idle
from benchmarks.texts import sample_text
from pages.session.workspace import first_encodings
from tools.options import read_options

REACH_MS = {1: 50, 10: 100}  # by KB of text: p95


async def open_all(server: Server, n_people: int) -> list[Person]:
    """So many people, who open the page at once."""
    people = [Person(server.address) for _ in range(n_people)]
    await asyncio.gather(*(person.open() for person in people))
    return people


async def type_all(people: list[Person], text: str, seconds: float, per_second: float) -> list[float]:
    """All have this text, in four encodings, and type; returns the seconds of each key."""
    for number, person in enumerate(people):
        person.text = f"{number} {text}"  # each has a text of their own
        await person.say(text=person.text, encodings=first_encodings())
    begin = time.perf_counter() + 0.5
    typing = []
    for number, person in enumerate(people):
        starts_at = begin + number / len(people) / per_second
        typing.append(person.type_keys(int(seconds * per_second), per_second, starts_at))
    return sum(await asyncio.gather(*typing), [])


async def measure(server: Server, asked: argparse.Namespace) -> None:
    """Print the table, and the memory."""
    start_mb = server.memory_mb()
    people = await open_all(server, asked.people)
    print_head("text", "p50 ms", "p95 ms", "worst", "reach", "cores")
    for kb, reach in REACH_MS.items():
        before, begun = server.processor_seconds(), time.perf_counter()
        seconds = await type_all(people, sample_text(kb * 1000), asked.seconds, asked.keys)
        cores = (server.processor_seconds() - before) / (time.perf_counter() - begun)
        print_row(f"{kb} KB", *spread_ms(seconds), reach, cores)
    print(f"\nMemory: {start_mb:.0f} MB at the start, {server.memory_mb():.0f} with all.")
    for person in people:
        await person.close()


def main() -> None:
    """Start a server, and the people."""
    asked = read_options(__doc__, people=30, seconds=30.0, keys=4.0)
    print(describe_machine(), end="\n\n")
    with serve_idle() as server:
        asyncio.run(measure(server, asked))


if __name__ == "__main__":
    main()
