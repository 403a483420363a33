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
person opens the app. Both start five seconds before the attack. Each attack has a server of its own; with
--minutes, one server is attacked in all these ways, over and over. It is told of a proxy that does not exist:
visitors say themselves what address it would say. Stranger and bystanders are processes of their own; the
stranger gives way to the server, since in truth it has a machine of its own.

Memory is the server's, in MB: at the start, its most, and some time after the attack: a session whose
connection was cut is kept for two minutes, since its browser may come back. Open files and threads are those
that the server has then.
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
from contextlib import contextmanager

from websockets.exceptions import WebSocketException

from benchmarks.keystroke import sample_text
from benchmarks.machine import describe_machine, percentile
from benchmarks.page_visits import PAGES
from benchmarks.protocol import Person
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
        await person.send_key(more=numbers)


async def attack_by_dear_keys(person: Person, chance: random.Random) -> None:
    """A text that is encoded anew as a whole, a message that costs nothing, and one letter in its midst."""
    await person.open()
    for unit in itertools.cycle(["1234567890", "ab"]):
        text = unit * (_DEAR // len(unit))
        await person.send_key(text=text, encodings=_SLOW)
        await person.send_key(encodings=_SLOW)
        middle = _DEAR // 2
        await person.send_key(text=text[:middle] + "x" + text[middle:], encodings=_SLOW)


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


async def stand_by(address: str, seconds: float) -> dict[str, list[float]]:
    """Type, and open the app, for so long; returns the seconds of each key and of each opening."""
    typist = Person(address, behind=TYPIST)
    typist.text = sample_text(1_000)
    await typist.open()

    async def open_at(seconds: float) -> float:
        await asyncio.sleep(seconds)
        newcomer, began = Person(address, behind=NEWCOMER), time.monotonic()
        try:
            await asyncio.wait_for(newcomer.open(), _PATIENCE)
            await newcomer.close()
        except (TimeoutError, OSError, WebSocketException):
            newcomer.cut()
        return time.monotonic() - began

    n_keys = int(4 * seconds)
    typing = typist.type_keys((KEYS * n_keys)[:n_keys], 4, starts_at=time.perf_counter())
    opening = asyncio.gather(*map(open_at, range(int(seconds))))
    typed, opened = await asyncio.gather(typing, opening)
    return {"keys": typed.seconds, "opened": opened, "lost": [float(typed.lost)]}


def _start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.attack", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


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
    bystanders = _start("--stand-by", address, "--seconds", str(seconds + 2 * BEFORE))
    time.sleep(BEFORE)
    stranger = _start("--attack", address, "--seconds", str(seconds), name)
    while stranger.poll() is None or bystanders.poll() is None:
        most_mb = max(most_mb, memory_mb(pid))
        if stranger.poll() is None:
            ended = time.monotonic()
        time.sleep(0.5)
    while time.monotonic() - ended < after:
        most_mb = max(most_mb, memory_mb(pid))
        time.sleep(0.5)
    met = json.loads(bystanders.communicate()[0])
    keys, opened = ([1000 * value for value in met["keys"]], met["opened"])
    return (
        f"| {name} | {percentile(keys, 0.5):.0f} | {percentile(keys, 0.95):.0f} | {max(keys):.0f} "
        f"| {met['lost'][0]:.0f} | {percentile(opened, 0.5):.2f} | {max(opened):.2f} | {start_mb:.0f} "
        f"| {most_mb:.0f} | {held(pid)} | {stranger.communicate()[0].strip()} |"
    )


def held(pid: int) -> str:
    """Columns of the table: what the server holds now."""
    n_files = len(os.listdir(f"/proc/{pid}/fd"))
    n_threads = len(os.listdir(f"/proc/{pid}/task"))
    return f"{memory_mb(pid):.0f} | {n_files} | {n_threads}"


def measure_long(names: list[str], minutes: float, seconds: float, after: float) -> None:
    """Attack one server in one way after the other, over and over, and print a row for each time."""
    with attacked_server() as (address, pid):
        until = time.monotonic() + 60 * minutes
        for name in itertools.cycle(names):
            if time.monotonic() > until:
                break
            print(measure(name, address, pid, seconds, 0), flush=True)
        time.sleep(after)
        print(f"| {after:.0f} s later |{' |' * 8} {held(pid)} | |")


def main() -> None:
    """Measure each attack, or be one of its processes."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("attacks", nargs="*", metavar="attack", help="all, if none is named")
    options.add_argument("--seconds", type=float, default=25)
    options.add_argument("--after", type=float, default=150, help="seconds until memory is looked at again")
    options.add_argument("--minutes", type=float, help="one server, attacked again and again for so long")
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
            "| attack | key p50 ms | p95 ms | worst | lost | page opened p50 s | worst | MB at the start "
            "| most | after | open files | threads | what the stranger met |\n|---|" + "---:|" * 11 + "---|"
        )
        names = asked.attacks or list(ATTACKS)
        if asked.minutes:
            measure_long(names, asked.minutes, asked.seconds, asked.after)
            return
        for name in names:
            with attacked_server() as (address, pid):
                print(measure(name, address, pid, asked.seconds, asked.after), flush=True)


if __name__ == "__main__":
    main()
