"""A stranger attacks, somebody else types: python -m benchmarks.attack [keys texts …]

The stranger has one address and forty connections or more, and does what costs a server most, as fast as it
can:

    keys     opens a session, sends it one key with 131 KB of random letters, leaves, again and again
    texts    opens a session, gives it a text of 1.3 million random characters, is cut off, again and again
    visits   opens a session, asks for a dozen pages with long addresses, is cut off, again and again
    pages    opens sixty tabs, keeps them, and asks each for page after page
    fields   opens forty tabs, and names two thousand fields in a message, each 1.2 s, as it is allowed to
    signs    opens forty tabs, sends signs of life alone, and comes again when a tab is ended
    numbers  opens twenty tabs, and sends 140,000 small numbers as a key, again and again
    dear     opens twenty tabs with twelve slow encodings, and types a key that is dear after cheap ones
    parts    opens forty tabs, and asks for parts of the page: the editor's, and some that do not exist
    bodies   begins forty requests whose bodies come fifty bytes at a time
    heads    begins forty requests whose heads do not end

Meanwhile somebody at another address types four keys a second in a text of 1 KB, and every second a third
person opens the app. Both start five seconds before the attack, and go on for five seconds after it. Each
attack has a server of its own; with --rounds N, one server is attacked in all these ways, N times over. Every
server is told that there is a proxy: the visitors themselves say what address it would say. Stranger and
bystanders are processes of their own; the stranger gives way to the server, since in truth it has a machine
of its own.

Memory is the server's, in MB: at the start, its most, and after the attack, as open files and threads are.
That is --after seconds later, since a session whose connection was cut is kept for two minutes: its browser
may come back. With --rounds, the next attack begins at once, and only the last row is so much later.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import itertools
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import WebSocketException

from benchmarks.keystroke import sample_text
from benchmarks.machine import describe_machine, percentile
from benchmarks.page_visits import PAGES
from benchmarks.protocol import Person, Typed
from benchmarks.room import KEYS, memory_mb, server_process, wait_until_idle
from tests.browser import serve

STRANGER, TYPIST, NEWCOMER = "203.0.113.7", "198.51.100.1", "198.51.100.2"
BEFORE = 5.0  # seconds of typing before the attack, and after it
_GIVES_WAY = 10
_PATIENCE = 120.0
_KEY, _TEXT = 131_000, 1_300_000  # characters
_DEAR = 19_000  # characters of a text that is just short enough for the event loop
_SLOW = [
    *("bert-uncased", "j2", "mistral-v1", "rwkv-world", "characters-unknown", "words"),
    *("claude-2", "clip", "whisper", "qwen", "tekken", "characters"),
]

Attack = Callable[[Person, random.Random], Awaitable[None]]


@functools.cache
def _letters() -> str:
    return "".join(random.Random(1).choices([chr(code) for code in range(33, 127)], k=2 * _KEY))


@functools.cache
def _characters() -> str:
    chinese = [chr(code) for code in range(0x4E00, 0x9FFF)]
    return "".join(random.Random(1).choices([*_letters()[: 5 * len(chinese)], *chinese], k=2 * _TEXT))


def _some(text: str, length: int, chance: random.Random) -> str:
    begin = chance.randrange(len(text) - length)
    return text[begin : begin + length]


async def attack_by_key(person: Person, chance: random.Random) -> None:
    """One key with as long a text as a key may have."""
    await person.open()
    await person.say(text=_some(_letters(), _KEY, chance))
    await person.close()


async def attack_by_text(person: Person, chance: random.Random) -> None:
    """One text that only the page takes."""
    await person.open()
    await person.open_text(_some(_characters(), _TEXT, chance))
    person.cut()


async def attack_by_visit(person: Person, chance: random.Random) -> None:
    """Some runs of pages, whose answers are not waited for."""
    await person.open()
    for _ in range(chance.randrange(1, 12)):
        await person.ask_for(*any_page(chance))
        await person.listen(chance.choice([0, chance.random()]))
    person.cut()


async def attack_by_pages(person: Person, chance: random.Random) -> None:
    """Run after run in one session."""
    await person.open()
    while True:
        await person.ask_for(*any_page(chance))
        await person.listen(0.05)


async def attack_by_fields(person: Person, chance: random.Random) -> None:
    """Long messages, no faster than it may send them."""
    await person.open()
    while True:
        await person.name_fields(1_990)
        await person.listen(1.2)


async def attack_by_signs(person: Person, chance: random.Random) -> None:
    """Small frames, as fast as they are read."""
    await person.open()
    while True:
        await person.give_signs_of_life(1_000)
        await person.listen(0.01)


async def attack_by_numbers(person: Person, chance: random.Random) -> None:
    """Keys that take long to read."""
    await person.open()
    numbers = [1e-320] * 140_000
    while True:
        await person.say(more=numbers)


async def attack_by_dear_keys(person: Person, chance: random.Random) -> None:
    """A text that is encoded anew as a whole, a message that costs nothing, and one letter in its midst."""
    await person.open()
    for unit in itertools.cycle(["1234567890", "ab"]):
        text = unit * (_DEAR // len(unit))
        await person.say(text=text, encodings=_SLOW)
        await person.say(encodings=_SLOW)
        middle = _DEAR // 2
        await person.say(text=text[:middle] + "x" + text[middle:], encodings=_SLOW)


async def attack_by_parts(person: Person, chance: random.Random) -> None:
    """Run after run of a part of the page, every other one of a part that is not there."""
    await person.open()
    for part in itertools.cycle(["", "x"]):
        await person.ask_for_part(part and f"{chance.random()}")
        await person.listen(0.02)


async def attack_by_bodies(person: Person, chance: random.Random) -> None:
    """A key that does not come to its end."""
    await person.open()
    await person.trickle(body=True)


async def attack_by_heads(person: Person, chance: random.Random) -> None:
    """A request whose head never ends."""
    await person.trickle(body=False)


def any_page(chance: random.Random) -> tuple[str, str]:
    """Some page, and a query that takes some work."""
    queries = ["", "text=" + "a%20" * chance.randrange(15_000), "by=id&query=" + "0-999999," * 300]
    queries += ["text=" + "%F0%9F%91%A8%E2%80%8D" * 2000, "t=H4sI" + "A" * 30_000]
    return chance.choice(list(PAGES)), chance.choice(queries)


ATTACKS: dict[str, tuple[Attack, int]] = {
    "keys": (attack_by_key, 40),
    "texts": (attack_by_text, 40),
    "visits": (attack_by_visit, 60),
    "pages": (attack_by_pages, 60),
    "fields": (attack_by_fields, 40),
    "signs": (attack_by_signs, 40),
    "numbers": (attack_by_numbers, 20),
    "dear": (attack_by_dear_keys, 20),
    "parts": (attack_by_parts, 40),
    "bodies": (attack_by_bodies, 40),
    "heads": (attack_by_heads, 40),
}
"""What each connection does, and how many there are."""


async def attack(name: str, address: str, seconds: float) -> Counter[str]:
    """Attack for so long; returns what came of it, and how often."""
    once, n_connections = ATTACKS[name]
    until, came = time.monotonic() + seconds, Counter[str]()

    async def go_on(number: int) -> None:
        chance = random.Random(number)
        while time.monotonic() < until:
            person = Person(address, behind=STRANGER)
            try:
                async with asyncio.timeout_at(asyncio.get_running_loop().time() + until - time.monotonic()):
                    await once(person, chance)
                came["done"] += 1
            except Exception as problem:  # whatever the server does with a stranger
                came[type(problem).__name__] += 1
                await asyncio.sleep(0.1)
            finally:
                person.cut()

    await asyncio.gather(*(go_on(number) for number in range(n_connections)))
    return came


_FAILURES = (TimeoutError, OSError, WebSocketException)


async def stand_by(address: str, seconds: float) -> dict[str, Any]:
    """Type, and open the app each second, for so long.

    Returns:
        keys: the seconds of each key; opened: of each opening; lost: how many keys had no answer;
        not_opened: how often the app did not open.
    """
    typist = Person(address, behind=TYPIST)
    typist.text = sample_text(1_000)
    n_keys = int(4 * seconds)

    async def type_keys() -> Typed:
        try:
            await typist.open()
            return await typist.type_keys((KEYS * n_keys)[:n_keys], 4, starts_at=time.perf_counter())
        except _FAILURES:  # it never opened, or the connection ended
            return Typed(lost=n_keys)

    async def open_at(seconds: float) -> float | None:
        await asyncio.sleep(seconds)
        newcomer, began = Person(address, behind=NEWCOMER), time.monotonic()
        try:
            await asyncio.wait_for(newcomer.open(), _PATIENCE)
            taken = time.monotonic() - began
            await newcomer.close()
        except _FAILURES:
            newcomer.cut()
            return None
        return taken

    typed, opened = await asyncio.gather(type_keys(), asyncio.gather(*map(open_at, range(int(seconds)))))
    return {
        "keys": typed.seconds,
        "opened": [taken for taken in opened if taken is not None],
        "lost": typed.lost,
        "not_opened": opened.count(None),
    }


def _run(*arguments: str) -> str:
    """What a process of this script prints."""
    command = [sys.executable, "-m", "benchmarks.attack", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


@contextmanager
def attacked_server() -> Iterator[tuple[str, int]]:
    """A server that has nothing to do yet, as long as the block lasts; its address and its process."""
    with serve() as address:
        time.sleep(3)
        wait_until_idle(pid := server_process())
        yield address, pid


def measure(name: str, address: str, pid: int, seconds: float, after: float) -> str:
    """Attack a server; returns a row of the table."""
    start_mb = most_mb = memory_mb(pid)
    with ThreadPoolExecutor(2) as processes:
        bystanders = processes.submit(_run, "--stand-by", address, "--seconds", str(seconds + 2 * BEFORE))
        time.sleep(BEFORE)
        stranger = processes.submit(_run, "--attack", address, "--seconds", str(seconds), name)
        ended = time.monotonic()
        while not (stranger.done() and bystanders.done()) or time.monotonic() - ended < after:
            most_mb = max(most_mb, memory_mb(pid))
            if not stranger.done():
                ended = time.monotonic()
            time.sleep(0.5)
    met = json.loads(bystanders.result())
    return (
        f"| {name} | {_times(met['keys'], 1000, 0)} | {met['lost']} | {_times(met['opened'], 1, 2)} "
        f"| {met['not_opened']} | {start_mb:.0f} | {most_mb:.0f} | {held(pid)} "
        f"| {stranger.result().strip()} |"
    )


def _times(seconds: list[float], factor: int, digits: int) -> str:
    """Columns of the table: the median, what nineteen of twenty are below, and the worst."""
    if not seconds:
        return "– | – | –"
    figures = (percentile(seconds, 0.5), percentile(seconds, 0.95), max(seconds))
    return " | ".join(f"{factor * figure:.{digits}f}" for figure in figures)


def held(pid: int) -> str:
    """Columns of the table: what the server holds now."""
    n_files = len(os.listdir(f"/proc/{pid}/fd"))
    n_threads = len(os.listdir(f"/proc/{pid}/task"))
    return f"{memory_mb(pid):.0f} | {n_files} | {n_threads}"


def measure_rounds(names: list[str], rounds: int, seconds: float, after: float) -> None:
    """Attack one server in one way after the other, so many times over, and print a row for each."""
    with attacked_server() as (address, pid):
        for name in names * rounds:
            print(measure(name, address, pid, seconds, 0), flush=True)
        time.sleep(after)
        print(f"| {after:.0f} s later |{' |' * 10} {held(pid)} | |")


def main() -> None:
    """Measure each attack, or be one of its processes."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("attacks", nargs="*", metavar="attack", help="all, if none is named")
    options.add_argument("--seconds", type=float, default=25)
    options.add_argument("--after", type=float, default=150, help="seconds until memory is looked at again")
    options.add_argument("--rounds", type=int, help="one server, attacked so many times in each way")
    options.add_argument("--attack", metavar="ADDRESS", help=argparse.SUPPRESS)
    options.add_argument("--stand-by", metavar="ADDRESS", help=argparse.SUPPRESS)
    asked = options.parse_args()
    if unknown := set(asked.attacks) - set(ATTACKS):
        options.error(f"There is no attack {', '.join(sorted(unknown))}. There are {', '.join(ATTACKS)}.")
    if asked.attack:
        os.nice(_GIVES_WAY)
        came = asyncio.run(attack(asked.attacks[0], asked.attack, asked.seconds))
        print(", ".join(f"{number} {what}" for what, number in came.most_common()))
    elif asked.stand_by:
        print(json.dumps(asyncio.run(stand_by(asked.stand_by, asked.seconds))))
    else:
        os.environ["TOKEN_GROVE_PROXIES"] = "1"
        print(f"{describe_machine('streamlit', 'tiktoken')}\n")
        print(
            "| attack | key p50 ms | p95 ms | worst | lost | page opened p50 s | p95 s | worst | not opened "
            "| MB at the start | most | after | open files | threads | what the stranger met |\n"
            "|---|" + "---:|" * 13 + "---|"
        )
        names = asked.attacks or list(ATTACKS)
        if asked.rounds:
            measure_rounds(names, asked.rounds, asked.seconds, asked.after)
            return
        for name in names:
            with attacked_server() as (address, pid):
                print(measure(name, address, pid, asked.seconds, asked.after), flush=True)


if __name__ == "__main__":
    main()
