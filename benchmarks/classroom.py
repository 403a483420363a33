"""A hundred phones in a class: python -m benchmarks.classroom

With ``--plan``, a class of five lessons, in which each phone sleeps, reloads, loses the network for up to a
minute, or comes late. It ends with an error unless each answer that arrived is counted once.

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
PLAN = "name,token,spelling,digits,languages,next_token"
PAUSE = 0.7  # seconds between what the teacher does in a plan
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


def choose(slide: dict[str, Any]) -> Any:
    """An answer to a question."""
    if slide["kind"] == "cuts":
        return [place for place in range(1, len(slide["clusters"])) if random.random() < 0.2]
    return {"choice": 0, "next": 0, "number": slide.get("low"), "typed": "Ada"}.get(slide["kind"])


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

    async def act(self, deed: str, **fields: int) -> None:
        """Do as the teacher does."""
        self.shown.clear()
        (await self._browser.post(f"{self.room}/pace", json={"do": deed, **fields})).raise_for_status()

    async def go(self, at: int) -> None:
        """Go to a slide, and wait until the wall shows it."""
        await self.act("go", at=at)
        async with asyncio.timeout(30):
            while self.view.get("at") != at:
                await asyncio.sleep(0.05)


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

    async def answer(self, pause: float) -> float:
        """Answer after a while; returns the time at which it was sent."""
        await asyncio.sleep(pause)
        number = self._view["number"]
        value = choose(self._view["slide"])
        began = time.perf_counter()
        response = await self._browser.post(f"{self.room}/answer", json={"number": number, "value": value})
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
        await wall.act("go", at=at)
        async with asyncio.timeout(30):
            while not all(at in phone.seen for phone in phones):
                await asyncio.sleep(0.05)
        on_phones += [phone.seen[at] - went for phone in phones]
        if not phones[0].is_asked:
            continue
        sent = await asyncio.gather(*(phone.answer(random.random() * ANSWERING) for phone in phones))
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


class AwayPhone(Phone):
    """A phone that is not always there."""

    def __init__(self, room: str) -> None:
        super().__init__(room)
        self.answered: set[int] = set()  # the numbers of the slides to which an answer of its has arrived
        self.is_put_away = False

    async def take_part(self, seconds: float) -> None:
        """Come late, perhaps; then follow the class until the phone is put away, with interruptions."""
        if random.random() < 0.2:
            await asyncio.sleep(random.uniform(0, seconds))
        await self.join()
        while not self.is_put_away:
            match random.choice(("here", "here", "here", "sleeps", "reloads", "lost")):
                case "sleeps":
                    await asyncio.sleep(random.uniform(0, 10))
                case "reloads":
                    (await self._browser.get(self.room)).raise_for_status()
                    self._view = {}
                case "lost":
                    await self._answer_late(random.uniform(0, 60))
            response = await self._browser.get(f"{self.room}/state?after={self._view.get('pace', 0)}")
            if response.status_code == 200:
                self._view = response.json()
                await self._answer_late(random.uniform(0, 2 * PAUSE))

    async def _answer_late(self, seconds: float) -> None:
        """Answer the present question after a while, twice, as a phone does that has not heard the reply."""
        number = self._view.get("number", -1)
        slide = self._view.get("slide")
        if slide is None or self._view["revealed"]:
            return
        await asyncio.sleep(seconds)
        for _ in range(0 if self.is_put_away else 2):
            value = choose(slide)
            response = await self._browser.post(
                f"{self.room}/answer", json={"number": number, "value": value}
            )
            if response.status_code == 200:
                self.answered.add(number)


async def measure_plan(address: str, pid: int, asked: argparse.Namespace) -> None:
    """Go through a plan, and compare what the phones have sent with what the wall has counted."""
    async with httpx2.AsyncClient(timeout=60) as browser:
        response = await browser.get(f"{address}/class/open/plan?parts={PLAN}")
    code, key = re.findall(r"\.\./(\w+)/wall#(.+)", response.headers["location"])[0]
    wall = Wall(f"{address}/class/{code}", key)
    phones = [AwayPhone(wall.room) for _ in range(asked.phones)]
    following = asyncio.create_task(wall.follow())
    taking_part = [asyncio.create_task(phone.take_part(60)) for phone in phones]
    await wall.go(0)
    while "report" not in wall.view:
        number = wall.view["number"]
        for deed in ("picture", "reveal"):
            await asyncio.sleep(PAUSE)
            await wall.act(deed, number=number)
        await asyncio.sleep(1)
        await wall.act("go on", number=number)
        async with asyncio.timeout(30):
            while wall.view["number"] == number:
                await asyncio.sleep(0.05)
    for phone in phones:
        phone.is_put_away = True
    await asyncio.gather(*taking_part)
    counted = {}
    for at in range(wall.view["slides"]):  # now, since a question before a lesson stays open for a while
        await wall.go(at)
        counted[wall.view["number"]] = wall.view["answered"]
    await wall.act("end")
    await following
    sent = {number: sum(number in phone.answered for phone in phones) for number in counted}
    assert sent == counted, (sent, counted)
    n_sent = sum(sent.values())
    print(f"{len(counted)} slides, {n_sent:,} answers of {len(phones)} phones: each is counted once.")


def main() -> None:
    """Start a server, and the class."""
    options = options_of(__doc__)
    options.add_argument("--phones", type=int, default=100)
    options.add_argument("--typists", type=int, default=3)
    options.add_argument("--steps", type=int, default=6)
    options.add_argument("--nginx", action="store_true", help="behind deploy/nginx.conf, at one address")
    options.add_argument(
        "--plan", action="store_true", help="five lessons, and phones that are not always there"
    )
    asked = options.parse_args()
    measure_server(measure_plan if asked.plan else measure, asked, nginx if asked.nginx else nullcontext)


if __name__ == "__main__":
    main()
