"""A hundred phones in a class: python -m benchmarks.classroom

The students answer within five seconds, while the wall is shown and three people type in the playground. All
speak to the server as browsers do; the server and they share this machine's cores. The time of an answer runs
until the wall has it.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import time
from contextlib import nullcontext
from typing import Any

import httpx2

from benchmarks.attack import nginx
from benchmarks.keystroke import sample_text
from benchmarks.machine import options_of, percentile
from benchmarks.protocol import Person
from benchmarks.room import (
    measure_server,
    memory_mb,
    open_all,
    print_memory,
    processor_seconds,
    type_all,
)

LESSON = "token"
ANSWERING = 5.0  # seconds in which all students answer


async def open_room(address: str) -> tuple[str, str]:
    """Open a room for a lesson as a teacher does; returns its URL and the teacher's key."""
    teacher = Person(address)
    await teacher.open()
    link = await teacher.find_link("lessons", f"lesson={LESSON}")
    async with httpx2.AsyncClient() as browser:
        response = await browser.get(f"{address}/{link}")
    await teacher.close()
    code, key = re.findall(r"\.\./(\w+)/wall#(.+)", response.headers["location"])[0]
    return f"{address}/class/{code}", key


class Wall:
    """The teacher's wall: polls, and notes when each number of answers was first shown."""

    def __init__(self, room: str, key: str) -> None:
        self.room = room
        self.view: dict[str, Any] = {}
        self.shown: list[float] = []  # the time at which the wall had one answer, two, …
        self._browser = httpx2.AsyncClient(headers={"Grove-Teacher": key}, timeout=30)

    async def follow(self) -> None:
        """Draw what comes until the class is over."""
        while not self.view.get("over"):
            response = await self._browser.get(f"{self.room}/all?after={self.view.get('version', 0)}")
            if response.status_code == 200:
                self.view = response.json()
                new = self.view.get("answered", 0) - len(self.shown)
                self.shown += [time.perf_counter()] * new

    async def act(self, deed: str, at: int = 0) -> None:
        """Do as the teacher does."""
        self.shown.clear()
        (await self._browser.post(f"{self.room}/pace", json={"do": deed, "at": at})).raise_for_status()


class Phone:
    """A student's phone."""

    def __init__(self, room: str) -> None:
        self.room = room
        self.seen: dict[int, float] = {}  # when it had each slide
        self._browser = httpx2.AsyncClient(timeout=30)
        self._view: dict[str, Any] = {}

    async def join(self) -> None:
        """Load the page, and join."""
        (await self._browser.get(self.room)).raise_for_status()
        self._browser.headers["Grove-Student"] = (await self._browser.post(f"{self.room}/join")).json()[
            "token"
        ]

    async def follow(self) -> None:
        """Draw what comes until the class is over."""
        while not self._view.get("over"):
            response = await self._browser.get(f"{self.room}/state?after={self._view.get('pace', 0)}")
            if response.status_code == 200:
                self._view = response.json()
                self.seen.setdefault(self._view["at"], time.perf_counter())

    @property
    def is_asked(self) -> bool:
        """Whether its slide is a question."""
        return bool(self._view["slide"]["kind"] != "say")

    async def answer(self, at: int, pause: float) -> float:
        """Answer after a while; returns the time at which it was sent."""
        await asyncio.sleep(pause)
        slide = self._view["slide"]
        value: Any = {"choice": 0, "number": slide.get("low")}.get(slide["kind"])
        if slide["kind"] == "cuts":
            value = [place for place in range(1, len(slide["clusters"])) if random.random() < 0.2]
        began = time.perf_counter()
        response = await self._browser.post(f"{self.room}/answer", json={"at": at, "value": value})
        response.raise_for_status()
        return began


async def measure(address: str, pid: int, asked: argparse.Namespace) -> None:
    """Print the table, and the memory."""
    start_mb = memory_mb(pid)
    room, key = await open_room(address)
    wall, phones = Wall(room, key), [Phone(room) for _ in range(asked.phones)]
    following = [asyncio.create_task(wall.follow())]
    began = time.perf_counter()
    await asyncio.gather(*(phone.join() for phone in phones))
    print(f"{len(phones)} phones join at once in {time.perf_counter() - began:.2f} s.")
    following += [asyncio.create_task(phone.follow()) for phone in phones]
    typists = [Person(address) for _ in range(asked.typists)]
    await open_all(typists)
    typing = asyncio.create_task(type_all(typists, sample_text(1000), asked.steps * (ANSWERING + 2), 4))
    before, begun = processor_seconds(pid), time.perf_counter()
    on_wall: list[float] = []
    on_phones: list[float] = []
    for at in range(asked.steps):
        went = time.perf_counter()
        await wall.act("go", at)
        async with asyncio.timeout(30):
            while not all(at in phone.seen for phone in phones):
                await asyncio.sleep(0.05)
        on_phones += [phone.seen[at] - went for phone in phones]
        if not phones[0].is_asked:
            continue
        sent = await asyncio.gather(*(phone.answer(at, random.random() * ANSWERING) for phone in phones))
        async with asyncio.timeout(30):
            while len(wall.shown) < len(phones):
                await asyncio.sleep(0.05)
        assert wall.view["answered"] == len(phones), wall.view
        # The wall shows numbers alone: the n-th answer that was sent is on it once it says n, or later.
        on_wall += [shown - began for began, shown in zip(sorted(sent), wall.shown, strict=True)]
    cores = (processor_seconds(pid) - before) / (time.perf_counter() - begun)
    keys = [1000 * seconds for typed in await typing for seconds in typed.seconds]
    there_mb = memory_mb(pid)
    await wall.act("end")
    await asyncio.gather(*following)
    for person in typists:
        await person.close()
    print(
        f"All {len(on_wall):,} answers are on the wall, each once.\n\n"
        "| | p50 | p95 | worst | reach, p95 |\n|---|---:|---:|---:|---:|"
    )
    for name, times, reach in (
        ("an answer on the wall, s", on_wall, 2.0),
        ("a step on the phones, s", on_phones, 2.0),
        ("a key in the playground, ms", keys, 100.0),
    ):
        p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
        print(f"| {name} | {p50:.2f} | {p95:.2f} | {max(times):.2f} | {reach:g} |")
    print(f"\nThe server took {cores:.2f} cores.")
    await print_memory(pid, start_mb, there_mb)


def main() -> None:
    """Start a server, and the class."""
    options = options_of(__doc__)
    options.add_argument("--phones", type=int, default=100)
    options.add_argument("--typists", type=int, default=3)
    options.add_argument("--steps", type=int, default=6)
    options.add_argument("--nginx", action="store_true", help="behind deploy/nginx.conf, at one address")
    asked = options.parse_args()
    measure_server(measure, asked, nginx if asked.nginx else nullcontext)


if __name__ == "__main__":
    main()
