"""A stranger attacks the app through nginx, somebody else types: python -m benchmarks.attack

The stranger has one address, and does what costs most, as fast as nginx lets through:

    connections  opens connections without end, and says nothing
    trickle      sends requests whose heads or bodies come a few bytes at a time
    sessions     opens a tab and closes it, again and again
    pages        opens sixty tabs, and asks each for page after page
    texts        opens a tab and gives it a text of the largest size, again and again

``--attacks texts`` is one of them alone. Meanwhile somebody at another address types four keys a second in a
text of 1 KB, from five seconds before the attack until five seconds after it; a lost key is an error. Each
attack has a server of its own, behind deploy/nginx.conf, and takes texts of 2 MB, as in deploy/compose.yaml.
Everything is on this machine, on loopback addresses; the stranger gives way to the server, since in truth it
has a machine of its own. Memory is the app's, in MB: at the start, its most, and --after seconds after the
attack, when the stranger's sessions have ended.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager, suppress
from multiprocessing import get_context
from urllib.parse import urlsplit

from benchmarks.machine import describe_machine, print_head, print_row, spread_ms
from benchmarks.protocol import Person
from benchmarks.server import serve_idle
from benchmarks.texts import sample_text
from tests.browser import PAGES
from tools.options import read_options

STRANGER = "127.0.0.7"
BEFORE = 5.0  # seconds of typing before the attack, and after it
TEXT = 2 << 20

Attack = Callable[[str, random.Random], Awaitable[None]]


async def open_connections(address: str, chance: random.Random) -> None:
    """A connection that says nothing, for half a second."""
    place = urlsplit(address)
    _, writer = await asyncio.open_connection(place.hostname, place.port, local_addr=(STRANGER, 0))
    await asyncio.sleep(0.5)
    writer.close()


async def trickle(address: str, chance: random.Random) -> None:
    """A request that does not come to its end: its head, or its body."""
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port, local_addr=(STRANGER, 0))
    writer.write(f"POST /encode HTTP/1.1\r\nHost: {place.netloc}\r\n".encode())
    bit = b"X-More: x\r\n"
    if chance.random() < 0.5:
        writer.write(b"Content-Length: 1000000\r\n\r\n")
        bit = b"x" * 50
    answer = asyncio.create_task(reader.read(1))
    while not answer.done():  # nginx has not ended the connection, either
        writer.write(bit)
        await writer.drain()
        await asyncio.sleep(0.05)
    writer.close()


@asynccontextmanager
async def tab(address: str) -> AsyncIterator[Person]:
    """A tab of the stranger's, as long as the block lasts."""
    person = Person(address, source=STRANGER)
    try:
        await person.open()
        yield person
    finally:
        await person.close()


async def open_sessions(address: str, chance: random.Random) -> None:
    """A tab that is closed at once."""
    async with tab(address):
        pass


async def run_pages(address: str, chance: random.Random) -> None:
    """A tab that asks for page after page, with queries that take some work."""
    queries = ["", "text=" + "a%20" * 15_000, "by=id&query=" + "0-999999," * 300]
    async with tab(address) as person:
        while True:
            await person.ask_for(chance.choice(PAGES)[2], chance.choice(queries))
            await person.listen(0.05)


async def send_texts(address: str, chance: random.Random) -> None:
    """A tab with a text of the largest size, another one each time."""
    async with tab(address) as person:
        await person.open_text("".join(chance.choices("abcdefgh \n", k=1000)) * (TEXT // 1000))


ATTACKS: dict[str, tuple[Attack, int]] = {
    "connections": (open_connections, 400),
    "trickle": (trickle, 400),
    "sessions": (open_sessions, 40),
    "pages": (run_pages, 60),
    "texts": (send_texts, 20),
}
"""What each of the stranger's tasks does, and how many there are."""


async def repeat(name: str, address: str, seconds: float) -> Counter[str]:
    """Attack for so long; returns how often the attack ended in which way."""
    once, n_tasks = ATTACKS[name]
    ends = asyncio.get_running_loop().time() + seconds
    outcomes = Counter[str]()

    async def repeat_one(number: int) -> None:
        chance = random.Random(number)
        while asyncio.get_running_loop().time() < ends:
            try:
                async with asyncio.timeout_at(ends):
                    await once(address, chance)
                outcomes["done"] += 1
            except Exception as problem:  # whatever nginx and the app do with a stranger
                outcomes[type(problem).__name__] += 1
                await asyncio.sleep(0.1)

    await asyncio.gather(*map(repeat_one, range(n_tasks)))
    return outcomes


def attack(name: str, address: str, seconds: float) -> str:
    """Attack for so long, in a process that gives way to others; returns how it ended, in words."""
    os.nice(10)
    outcomes = asyncio.run(repeat(name, address, seconds))
    return ", ".join(f"{number} {what}" for what, number in outcomes.most_common())


def type_keys(address: str, seconds: float) -> list[float]:
    """Type for so long; returns the seconds of each key."""

    async def type_as_person() -> list[float]:
        typist = Person(address)
        typist.text = sample_text(1_000)
        await typist.open()
        return await typist.type_keys(int(4 * seconds), 4, time.perf_counter())

    return asyncio.run(type_as_person())


def measure(name: str, seconds: float, after: float) -> None:
    """Attack a new server; prints a row of the table."""
    processes = ProcessPoolExecutor(2, get_context("spawn"))
    with serve_idle(is_behind_nginx=True) as server, processes:
        start_mb = most_mb = server.memory_mb()
        typist = processes.submit(type_keys, server.address, seconds + 2 * BEFORE)
        time.sleep(BEFORE)
        stranger = processes.submit(attack, name, server.address, seconds)
        while not (stranger.done() and typist.done()):
            most_mb = max(most_mb, server.memory_mb())
            time.sleep(0.2)
        time.sleep(after)
        keys = spread_ms(typist.result())
        print_row(name, *keys, start_mb, most_mb, server.memory_mb(), stranger.result())


def main() -> None:
    """Measure each attack."""
    asked = read_options(__doc__, attacks=list(ATTACKS), seconds=20.0, after=150.0)
    os.environ["TOKEN_GROVE_TEXT_MB"] = str(TEXT >> 20)
    print(describe_machine(), end="\n\n")
    print_head("attack", "key p50 ms", "p95 ms", "worst", "MB at start", "most", "after", "stranger met")
    for name in asked.attacks:
        with suppress(AssertionError):  # the server's log may have tracebacks
            measure(name, asked.seconds, asked.after)


if __name__ == "__main__":
    main()
