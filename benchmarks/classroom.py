"""A hundred phones in a class: python -m benchmarks.classroom

With ``--plan``, a class of five lessons, in which each phone sleeps, reloads, loses the network for up to a
minute, or comes late. It ends with an error unless each answer that arrived is counted once. With
``--nginx``, all come through deploy/nginx.conf, from one address.

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
from collections.abc import Callable
from typing import Any

import httpx2

from benchmarks.machine import describe_machine, print_head, print_row, spread_ms
from benchmarks.room import open_all, type_all
from benchmarks.server import Server, serve_idle
from benchmarks.texts import sample_text
from tools.options import read_options

LESSON = "token"
PLAN = "plan?parts=name,token,spelling,digits,languages,next_token"
PAUSE = 0.7  # seconds between what the teacher does in a plan
ANSWERING = 5.0  # seconds in which all students answer


def choose(slide: dict[str, Any]) -> Any:
    """An answer to a question."""
    if slide["kind"] == "cuts":
        return [place for place in range(1, len(slide["clusters"])) if random.random() < 0.2]
    return {"choice": 0, "next": 0, "number": slide.get("low"), "typed": "Ada"}.get(slide["kind"])


async def wait_until(is_met: Callable[[], bool]) -> None:
    """Wait until a condition is met, for half a minute at most."""
    async with asyncio.timeout(30):
        while not is_met():
            await asyncio.sleep(0.05)


class Screen:
    """A browser that draws what a class shows.

    Args:
        room: the URL of the class.
        path: where it asks for what is new, after the number of what it has.
    """

    def __init__(self, room: str, path: str, number: str) -> None:
        self.room = room
        self.view: dict[str, Any] = {}
        self.history: list[tuple[float, dict[str, Any]]] = []  # what it showed, and since when
        self._path, self._number = path, number
        self._browser = httpx2.AsyncClient(timeout=30)

    async def poll(self) -> bool:
        """Ask for what is new; whether something was."""
        after = self.view.get(self._number, 0)
        response = await self._browser.get(f"{self.room}/{self._path}?after={after}")
        if response.status_code == 200:
            self.view = response.json()
        return response.status_code == 200

    async def follow(self) -> None:
        """Draw what comes until the class is over."""
        while not self.view.get("over"):
            if await self.poll():
                self.history.append((time.perf_counter(), self.view))

    async def time_of(self, at: int, n_answers: int = 0) -> float:
        """When it first showed a slide, with so many answers; waits for that, half a minute at most."""
        async with asyncio.timeout(30):
            while True:
                for seconds, view in self.history:
                    if view["at"] == at and view.get("answered", 0) >= n_answers:
                        return seconds
                await asyncio.sleep(0.05)


class Wall(Screen):
    """The teacher's wall."""

    def __init__(self, room: str, key: str) -> None:
        super().__init__(room, "all", "version")
        self._browser.headers["Grove-Teacher"] = key

    async def act(self, deed: str, **fields: int) -> None:
        """Do as the teacher does."""
        (await self._browser.post(f"{self.room}/pace", json={"do": deed, **fields})).raise_for_status()

    async def go(self, at: int) -> None:
        """Go to a slide, and wait until the wall shows it."""
        await self.act("go", at=at)
        await wait_until(lambda: self.view.get("at") == at)


class Phone(Screen):
    """A student's phone."""

    def __init__(self, room: str) -> None:
        super().__init__(room, "state", "pace")

    async def join(self) -> None:
        """Load the page, and join."""
        (await self._browser.get(self.room)).raise_for_status()
        joined = await self._browser.post(f"{self.room}/join")
        self._browser.headers["Grove-Student"] = joined.json()["token"]

    async def send(self, number: int, slide: dict[str, Any]) -> bool:
        """Answer a question; whether the answer was taken."""
        answer = {"number": number, "value": choose(slide)}
        return (await self._browser.post(f"{self.room}/answer", json=answer)).is_success

    async def answer(self) -> float:
        """Answer the question that it shows after a while; returns the time at which it was sent."""
        await asyncio.sleep(random.random() * ANSWERING)
        began = time.perf_counter()
        assert await self.send(self.view["number"], self.view["slide"])
        return began


class AwayPhone(Phone):
    """A phone that is not always there."""

    def __init__(self, room: str) -> None:
        super().__init__(room)
        self.answered: set[int] = set()  # the numbers of the slides to which an answer of its has arrived
        self.is_put_away = False

    async def take_part(self) -> None:
        """Come late, perhaps; then follow the class until the phone is put away, with interruptions."""
        await asyncio.sleep(random.choice([0, 0, 0, 0, random.uniform(0, 60)]))
        await self.join()
        while not self.is_put_away:
            match random.choice(("here", "here", "here", "sleeps", "reloads", "lost")):
                case "sleeps":
                    await asyncio.sleep(random.uniform(0, 10))
                case "reloads":
                    (await self._browser.get(self.room)).raise_for_status()
                    self.view = {}
                case "lost":
                    await self._answer_late(random.uniform(0, 60))
            if await self.poll():
                await self._answer_late(random.uniform(0, 2 * PAUSE))

    async def _answer_late(self, seconds: float) -> None:
        """Answer the present question after a while, twice, as a phone does that has not heard the reply."""
        asked = self.view
        if not asked.get("slide") or asked["revealed"]:
            return
        await asyncio.sleep(seconds)
        for _ in range(2):
            if not self.is_put_away and await self.send(asked["number"], asked["slide"]):
                self.answered.add(asked["number"])


async def open_class(server: Server, what: str) -> Wall:
    """Open a class as a teacher does."""
    async with httpx2.AsyncClient(timeout=60) as browser:
        response = await browser.get(f"{server.address}/class/open/{what}")
    [(code, key)] = re.findall(r"\.\./(\w+)/wall#(.+)", response.headers["location"])
    return Wall(f"{server.address}/class/{code}", key)


async def measure(server: Server, asked: argparse.Namespace) -> None:
    """Print the table, and the memory."""
    start_mb = server.memory_mb()
    wall = await open_class(server, LESSON)
    phones = [Phone(wall.room) for _ in range(asked.phones)]
    await asyncio.gather(*(phone.join() for phone in phones))
    following = [asyncio.create_task(screen.follow()) for screen in (wall, *phones)]
    typists = await open_all(server, asked.typists)
    n_seconds = asked.steps * (ANSWERING + 2)
    typing = asyncio.create_task(type_all(typists, sample_text(1000), n_seconds, 4))
    on_wall: list[float] = []
    on_phones: list[float] = []
    for at in range(asked.steps):
        went = time.perf_counter()
        await wall.act("go", at=at)
        on_phones += [await phone.time_of(at) - went for phone in phones]
        if phones[0].view["slide"]["kind"] == "say":
            continue
        sent = await asyncio.gather(*(phone.answer() for phone in phones))
        # The wall shows numbers alone: the n-th answer that was sent is on it once it says n, or later.
        on_wall += [await wall.time_of(at, number) - began for number, began in enumerate(sorted(sent), 1)]
        assert wall.view["answered"] == len(phones), wall.view
    keys = await typing
    there_mb = server.memory_mb()
    await wall.act("end")
    await asyncio.gather(*following)
    print(f"All {len(on_wall):,} answers are on the wall, each once.\n")
    print_head("", "p50 ms", "p95 ms", "worst", "reach, p95")
    print_row("an answer on the wall", *spread_ms(on_wall), 2000)
    print_row("a step on the phones", *spread_ms(on_phones), 2000)
    print_row("a key in the playground", *spread_ms(keys), 100)
    print(f"\nMemory: {start_mb:.0f} MB at the start, {there_mb:.0f} with all.")


async def measure_plan(server: Server, asked: argparse.Namespace) -> None:
    """Go through a plan, and compare what the phones have sent with what the wall has counted."""
    wall = await open_class(server, PLAN)
    phones = [AwayPhone(wall.room) for _ in range(asked.phones)]
    following = asyncio.create_task(wall.follow())
    taking_part = [asyncio.create_task(phone.take_part()) for phone in phones]
    await wall.go(0)
    while "report" not in wall.view:
        number = wall.view["number"]
        for deed in ("picture", "reveal"):
            await asyncio.sleep(PAUSE)
            await wall.act(deed, number=number)
        await asyncio.sleep(1)
        await wall.act("go on", number=number)
        await wait_until(lambda number=number: wall.view["number"] != number)  # type: ignore[misc]
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
    asked = read_options(__doc__, phones=100, typists=3, steps=6, nginx=False, plan=False)
    print(describe_machine(), end="\n\n")
    with serve_idle(is_behind_nginx=asked.nginx) as server:
        asyncio.run((measure_plan if asked.plan else measure)(server, asked))


if __name__ == "__main__":
    main()
