"""A stranger attacks the app through nginx, somebody else types: python -m benchmarks.attack [texts …]

The stranger has one address, and does what costs most, as fast as nginx lets through:

    connections  opens connections without end, and says nothing
    trickle      sends requests whose heads or bodies come a few bytes at a time
    sessions     opens a tab and closes it, again and again
    pages        opens sixty tabs, and asks each for page after page
    texts        opens a tab and gives it a text of the largest size, again and again

Meanwhile somebody at another address types four keys a second in a text of 1 KB, from five seconds before
the attack until five seconds after it. Each attack has a server of its own, behind deploy/nginx.conf with
its ports and folders changed, and takes texts of 2 MB, as in deploy/compose.yaml. Everything is on this
machine, on loopback addresses; the stranger gives way to the server, since in truth it has a machine of
its own. Memory is the app's, in MB: at the start, its most, and --after seconds after the attack, when
the stranger's sessions have ended.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.keystroke import sample_text
from benchmarks.machine import describe_machine, options_of, percentile
from benchmarks.protocol import Person
from benchmarks.room import KEYS, memory_mb, server_process, wait_until_idle
from tests.browser import PAGES, ROOT, serve

STRANGER = "127.0.0.7"
PORT = 18_500  # nginx's
BEFORE = 5.0  # seconds of typing before the attack, and after it
TEXT = 2 << 20

Attack = Callable[[str, random.Random], Awaitable[object]]


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
    in_body = chance.random() < 0.5
    writer.write(f"POST /encode HTTP/1.1\r\nHost: {place.netloc}\r\n".encode())
    writer.write(b"Content-Length: 1000000\r\n\r\n" if in_body else b"")
    for _ in range(2000):
        writer.write(b"x" * 50 if in_body else b"X-More: x\r\n")
        await writer.drain()
        with suppress(TimeoutError):
            await asyncio.wait_for(reader.read(1), 0.05)
            break  # nginx has answered, or ended the connection
    writer.close()


@asynccontextmanager
async def tab(address: str) -> AsyncIterator[Person]:
    """A tab of the stranger's, as long as the block lasts."""
    person = Person(address, source=STRANGER)
    try:
        await person.open()
        yield person
    finally:
        person.cut()


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


async def attack(name: str, address: str, seconds: float) -> Counter[str]:
    """Attack for so long; returns how often the attack ended in which way."""
    once, n_tasks = ATTACKS[name]
    ends, came = asyncio.get_running_loop().time() + seconds, Counter[str]()

    async def repeat(number: int) -> None:
        chance = random.Random(number)
        while asyncio.get_running_loop().time() < ends:
            try:
                async with asyncio.timeout_at(ends):
                    await once(address, chance)
                came["done"] += 1
            except Exception as problem:  # whatever nginx and the app do with a stranger
                came[type(problem).__name__] += 1
                await asyncio.sleep(0.1)

    await asyncio.gather(*map(repeat, range(n_tasks)))
    return came


async def type_keys(address: str, seconds: float) -> dict[str, object]:
    """Type for so long; returns the seconds of each key, and how many keys were lost."""
    typist, n_keys = Person(address), int(4 * seconds)
    typist.text = sample_text(1_000)
    await typist.open()
    typed = await typist.type_keys((KEYS * n_keys)[:n_keys], 4, starts_at=time.perf_counter())
    await typist.close()
    return {"seconds": typed.seconds, "lost": typed.lost}


@contextmanager
def nginx(app: str) -> Iterator[str]:
    """nginx with deploy/nginx.conf in front of the app; its address."""
    with tempfile.TemporaryDirectory() as folder:
        config = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
        for ours, here in (
            ("listen 80", f"listen 127.0.0.1:{PORT}"),
            ("127.0.0.1:8501", urlsplit(app).netloc),
            ("/run/nginx.pid", f"{folder}/pid"),
            ("/var/cache/nginx", folder),
            ("/var/log/nginx/error.log", f"{folder}/log"),
        ):
            assert ours in config, ours
            config = config.replace(ours, here)
        path = Path(folder, "nginx.conf")
        path.write_text(config, "utf-8")
        os.chmod(folder, 0o755)  # its workers are another user
        with subprocess.Popen(["nginx", "-c", path, "-g", "daemon off;"]) as process:
            try:
                time.sleep(1)
                yield f"http://127.0.0.1:{PORT}"
            finally:
                process.terminate()


def measure(name: str, seconds: float, after: float) -> str:
    """Attack a new server; returns a row of the table."""
    row = f"| {name} | the server did not start |"
    with suppress(AssertionError), serve() as app, nginx(app) as address:  # its log may have tracebacks
        time.sleep(3)
        wait_until_idle(pid := server_process())
        start_mb = most_mb = memory_mb(pid)
        with ThreadPoolExecutor(2) as processes:
            typist = processes.submit(_run, "--type", address, "--seconds", str(seconds + 2 * BEFORE))
            time.sleep(BEFORE)
            stranger = processes.submit(_run, "--attack", address, "--seconds", str(seconds), name)
            while not (stranger.done() and typist.done()):
                most_mb = max(most_mb, memory_mb(pid))
                time.sleep(0.2)
        met = json.loads(typist.result())
        time.sleep(after)
        keys = [1000 * each for each in met["seconds"]] or [0.0]
        row = (
            f"| {name} | {percentile(keys, 0.5):.0f} | {percentile(keys, 0.95):.0f} | {max(keys):.0f} "
            f"| {met['lost']} | {start_mb:.0f} | {most_mb:.0f} | {memory_mb(pid):.0f} "
            f"| {stranger.result().strip()} |"
        )
    return row


def _run(*arguments: str) -> str:
    """What a process of this script prints."""
    command = [sys.executable, "-m", "benchmarks.attack", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def main() -> None:
    """Measure each attack, or be one of its processes."""
    options = options_of(__doc__)
    options.add_argument("attacks", nargs="*", choices=[*ATTACKS, []], help="all, if none is named")
    options.add_argument("--seconds", type=float, default=20)
    options.add_argument("--after", type=float, default=150)
    options.add_argument("--attack", metavar="ADDRESS", help=argparse.SUPPRESS)
    options.add_argument("--type", metavar="ADDRESS", help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.attack:
        os.nice(10)
        came = asyncio.run(attack(asked.attacks[0], asked.attack, asked.seconds))
        print(", ".join(f"{number} {what}" for what, number in came.most_common()))
    elif asked.type:
        print(json.dumps(asyncio.run(type_keys(asked.type, asked.seconds))))
    else:
        os.environ["TOKEN_GROVE_TEXT_MB"] = str(TEXT >> 20)
        print(f"{describe_machine('streamlit', 'tiktoken')}\n")
        print("| attack | key p50 ms | p95 ms | worst | lost | MB at start | most | after | stranger met |")
        print("|---|" + "---:|" * 7 + "---|")
        for name in asked.attacks or ATTACKS:
            print(measure(name, asked.seconds, asked.after), flush=True)


if __name__ == "__main__":
    main()
