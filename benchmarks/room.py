"""A room of people on one server: python -m benchmarks.room

Thirty people type four keys a second each, in a text of 1 KB and then of 10 KB, in four encodings. Three of
them sit at real browsers; the others speak the protocol, as browsers do: a key has a request of its own
(--by-page: a run of the page). Meanwhile, in two more browsers, one trains a vocabulary of 32,768 tokens on
10 MB, again and again, and one walks through Measure. Server, browsers and the people's program share this
machine's cores. In a room, the browsers run on machines of their own: here they give way to the server
(nice 10), or, with --equal, they do not.

What memory long texts and long hours leave behind is measured alone, without any of that:

    python -m benchmarks.room --long          ten people set a text of 5 MB each, replace it, and leave
    python -m benchmarks.room --minutes 60    ten people come, type, set a text of 200 KB, leave, come again

The time runs from a key to the end of the answer that covers it; in a browser, until its tokens are painted,
which the other browsers on this machine delay too. Memory is the server's, in MB: at the start,
with everybody there, and a minute after they have left.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.browsers import TYPISTS, VOCABULARY, Browsers, open_browsers
from benchmarks.keystroke import ENCODINGS, sample_text
from benchmarks.machine import describe_machine, percentile
from benchmarks.protocol import Person, Typed
from tests.browser import serve

REACH_MS, REACH_BYTES = 100, {1: 6_000, 10: 8_000}
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
    """What a process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def open_all(people: list[Person]) -> list[float]:
    """All open the page at once; the seconds of each until its editor is there."""
    return list(await asyncio.gather(*(person.open() for person in people)))


async def type_all(
    people: list[Person], five: Browsers | None, text: str, seconds: float, per_second: float
) -> tuple[list[Typed], list[tuple[list[float], int]]]:
    """All have this text, in four encodings, and type: what came of it by the protocol, and in browsers."""
    for number, person in enumerate(people):
        person.text = f"{number} {text}"  # a text of one's own
        await person.say(text=person.text, encodings=ENCODINGS)
    if five:
        await five.open_text(text)
    n_keys = int(seconds * per_second)
    keys = (KEYS * (n_keys // len(KEYS) + 1))[:n_keys]
    begin = time.perf_counter() + 0.5
    in_browsers = asyncio.create_task(five.type_all(keys, per_second, 0.5)) if five else None
    typed = await asyncio.gather(
        *(
            person.type_keys(keys, per_second, starts_at=begin + number / len(people) / per_second)
            for number, person in enumerate(people)
        )
    )
    return list(typed), await in_browsers if in_browsers else []


def report(kb: int, typed: list[Typed], server: float, seconds: float) -> str:
    """A row of the table."""
    times = [1000 * each for one in typed for each in one.seconds]
    sizes = [float(each) for one in typed for each in one.sizes]
    lost = sum(one.lost for one in typed)
    return (
        f"| {kb} KB | {percentile(times, 0.5):.0f} | {percentile(times, 0.95):.0f} | {max(times):.0f} | "
        f"{REACH_MS} | {percentile(sizes, 0.5) / 1000:.1f} | {REACH_BYTES[kb] / 1000:.0f} | {len(times):,} | "
        f"{len(sizes):,} | {sum(one.by_page for one in typed):,} | {lost} | {server / seconds:.2f} | "
        f"{1000 * server / len(sizes):.1f} |"
    )


def report_browsers(five: Browsers, painted: list[tuple[int, list[tuple[list[float], int]]]]) -> str:
    """What was seen in the browsers."""
    lines = []
    for kb, in_browsers in painted:
        times = [each for times, _ in in_browsers for each in times]
        lines.append(
            f"In the {len(in_browsers)} browsers at {kb} KB, until the tokens are painted: "
            f"p50 {percentile(times, 0.5):.0f}, p95 {percentile(times, 0.95):.0f}, "
            f"worst {max(times):.0f} ms; {len(times):,} keys, {sum(lost for _, lost in in_browsers)} lost."
        )
    lines.append(
        f"Meanwhile {five.trained} encodings of {VOCABULARY:,} tokens were grown "
        f"and {five.walked} pages of Measure opened. {' '.join(five.problems)}"
    )
    return "\n".join(["", *lines])


async def measure(address: str, pid: int, asked: argparse.Namespace) -> None:
    """Print the tables."""
    start_mb = memory_mb(pid)
    by_protocol = max(1, asked.people - (TYPISTS if asked.browsers else 0))
    people = [Person(address, by_page=asked.by_page) for _ in range(by_protocol)]
    opened = await open_all(people)
    print(
        f"{by_protocol} people open the playground at once: p50 {percentile(opened, 0.5):.2f} s, "
        f"the last {max(opened):.2f} s.\n"
    )
    print(
        "| text | p50 ms | p95 ms | worst | reach | KB an answer | reach | keys | answers | by page | lost | "
        "cores | processor ms an answer |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    )
    async with AsyncExitStack() as stack:
        five = None
        if asked.browsers:
            five = await stack.enter_async_context(open_browsers(address, give_way=not asked.equal))
            await asyncio.sleep(15)  # the trainer and the walker are at it
        painted = []
        for kb in REACH_BYTES:
            before, begun = processor_seconds(pid), time.perf_counter()
            text = sample_text(kb * 1000)
            typed, in_browsers = await type_all(people, five, text, asked.seconds, asked.keys)
            taken = time.perf_counter() - begun
            print(report(kb, typed, processor_seconds(pid) - before, taken), flush=True)
            painted.append((kb, in_browsers))
    if five:
        print(report_browsers(five, painted))
    there_mb = memory_mb(pid)
    for person in people:
        await person.close()
    if asked.typing:
        return
    await asyncio.sleep(60)
    print(
        f"\nMemory: {start_mb:.0f} MB at the start, {there_mb:.0f} with all, "
        f"{memory_mb(pid):.0f} a minute after."
    )

    before = memory_mb(pid)
    idle = [Person(address) for _ in range(asked.idle)]
    for begin in range(0, len(idle), 10):
        await open_all(idle[begin : begin + 10])
    await asyncio.sleep(5)
    seconds = processor_seconds(pid)
    await asyncio.sleep(20)
    print(
        f"{asked.idle} who do nothing: {(memory_mb(pid) - before) / max(1, asked.idle):.2f} MB each, "
        f"{(processor_seconds(pid) - seconds) / 20:.3f} of a core."
    )
    for person in idle:
        await person.close()


LONG_PEOPLE, LONG_BYTES = 10, 5_000_000


async def measure_long(address: str, pid: int) -> None:
    """Print the server's memory while long texts come and go."""
    text = (
        (sample_text(1_000_000) * (LONG_BYTES // 1_000_000 + 1))
        .encode()[:LONG_BYTES]
        .decode("utf-8", "ignore")
    )
    print("| | MB |\n|---|---:|")

    def tell(stage: str) -> None:
        print(f"| {stage} | {memory_mb(pid):.0f} |", flush=True)

    tell("at the start")
    people = [Person(address) for _ in range(LONG_PEOPLE)]
    await open_all(people)
    tell(f"{len(people)} people are there")
    for person in people:
        await person.open_text(text)
    tell("each has a text of 5 MB in four encodings")
    for person in people:
        await person.open_text("a short text")
    tell("each has a short text; the long one can be brought back")
    for person in people:
        await person.open_text("another text")
    tell("and one more: nothing can be brought back")
    for person in people:
        await person.close()
    await asyncio.sleep(40)
    tell("they have left, 40 seconds ago")


async def measure_hours(address: str, pid: int, minutes: float) -> None:
    """Print the server's memory while people come and go."""
    until, texts = time.monotonic() + 60 * minutes, (sample_text(1_000), sample_text(200_000))
    visits = keys = 0

    async def come_and_go(number: int) -> None:
        nonlocal visits, keys
        await asyncio.sleep(number)
        while time.monotonic() < until:
            person = Person(address)
            await person.open()
            person.text = f"{visits} {texts[0]}"
            typed = await person.type_keys(KEYS[:40], 4, starts_at=time.perf_counter())
            await person.open_text(f"{visits} {texts[1]}")
            await person.open_text(texts[0])
            await person.close()
            visits, keys = visits + 1, keys + len(typed.seconds)

    async def look() -> None:
        print("| minute | MB | visits so far | keys |\n|---:|---:|---:|---:|")
        for part in range(5):
            print(f"| {minutes * part / 4:.1f} | {memory_mb(pid):.0f} | {visits} | {keys:,} |", flush=True)
            await asyncio.sleep(15 * minutes if part < 4 else 0)

    await asyncio.gather(look(), *(come_and_go(number) for number in range(LONG_PEOPLE)))
    await asyncio.sleep(40)
    print(f"| 40 seconds later | {memory_mb(pid):.0f} | {visits} | {keys:,} |", flush=True)


def wait_until_idle(pid: int) -> None:
    """Wait until the server has prepared in the background what its pages need."""
    taken = -1.0
    while (now := processor_seconds(pid)) - taken > 0.1:
        taken = now
        time.sleep(3)


def main() -> None:
    """Start a server, and the people."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--people", type=int, default=30)
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--keys", type=float, default=4, help="a second, of each")
    options.add_argument("--idle", type=int, default=100)
    options.add_argument("--by-page", action="store_true", help="each key is a run of the page")
    options.add_argument("--typing", action="store_true", help="no more than that")
    options.add_argument("--no-browsers", dest="browsers", action="store_false")
    options.add_argument("--equal", action="store_true", help="the browsers do not give way to the server")
    options.add_argument("--long", action="store_true", help="memory alone: texts of 5 MB come and go")
    options.add_argument("--minutes", type=float, default=0, help="memory alone: people come and go so long")
    asked = options.parse_args()
    print(f"{describe_machine('streamlit', 'tiktoken', 'numpy')}\n")
    with serve() as address:
        time.sleep(5)
        wait_until_idle(pid := server_process())
        if asked.long:
            asyncio.run(measure_long(address, pid))
        elif asked.minutes:
            asyncio.run(measure_hours(address, pid, asked.minutes))
        else:
            asyncio.run(measure(address, pid, asked))


if __name__ == "__main__":
    main()
