"""Faults between a browser and the server, done for real: python -m benchmarks.faults [--pictures FOLDER]

Each is done to an app of its own, through a proxy that can be cut, in a real browser; what a person then
sees is printed, and asserted.

- **no WebSockets**: the network lets pages through, and no WebSocket. After eight seconds a message says so,
  and goes away once the connection is there.
- **cut for ten seconds while typing**: all that was typed before, during and after is there, and counted.
- **a training is killed**: what it had learned is kept, or a sentence says what to do; the form is as it was.
"""

from __future__ import annotations

import argparse
import os
import select
import signal
import socket
import threading
import time
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser import CHROMIUM_FLAGS, HOST, find_chromium, serve

CUT = 10  # seconds without a connection
SLOW = 120_000  # ms until something has to be seen, on a busy machine


class Line:
    """A TCP proxy to the server, whose line can be cut, or can refuse WebSockets."""

    def __init__(self, port: int) -> None:
        self.target, self.is_cut, self.no_websockets = port, False, False
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._listener = socket.create_server((HOST, 0))
        self.address = f"http://{HOST}:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def cut(self) -> None:
        self.is_cut = True
        for pair in list(self._pairs):
            for each in pair:
                each.close()

    def mend(self) -> None:
        self.is_cut = False

    def _listen(self) -> None:
        while True:
            client, _ = self._listener.accept()
            threading.Thread(target=self._carry, args=[client], daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client:
            try:
                head = client.recv(65536)
                if self.is_cut or not head or (self.no_websockets and b"upgrade: websocket" in head.lower()):
                    return
                with socket.create_connection((HOST, self.target)) as server:
                    server.sendall(head)
                    self._pairs.add((client, server))
                    self._pump(client, server)
            except (OSError, ValueError):
                pass  # it was cut

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        try:
            while not self.is_cut:
                for ready in select.select([client, server], [], [], 0.5)[0]:
                    data = ready.recv(1 << 16)
                    if not data:
                        return
                    if self.no_websockets and b"upgrade: websocket" in data[:4000].lower():
                        return  # a second request on the same connection
                    other[ready].sendall(data)
        finally:
            self._pairs.discard((client, server))


def without_websockets(page: Page, line: Line, pictures: Path | None) -> None:
    line.no_websockets = True
    began = time.monotonic()
    page.goto(line.address)
    note = page.locator("#grove-waiting")
    expect(note).to_be_visible(timeout=SLOW)
    print(f"no WebSockets: after {time.monotonic() - began:.0f} s: {note.inner_text()!r}")
    take(page, pictures, "no-websockets")
    line.no_websockets = False
    expect(page.locator("textarea.input")).to_be_visible(timeout=SLOW)
    expect(note).to_have_count(0)
    print("no WebSockets: mended, the page came by itself and the message went")


def cut_while_typing(page: Page, line: Line, pictures: Path | None) -> None:
    page.goto(line.address)
    field = page.locator("textarea.input")
    expect(field).to_be_visible(timeout=SLOW)
    field.fill("")
    began, typed = time.monotonic(), ""
    words = iter(f"word{n} " for n in range(10_000))
    while time.monotonic() - began < CUT + 6:
        seconds = time.monotonic() - began
        if 2 < seconds < 2 + CUT and not line.is_cut:
            line.cut()
        if seconds > 2 + CUT and line.is_cut:
            lost = page.locator("#grove-lost")
            expect(lost).to_be_visible(timeout=SLOW)
            take(page, pictures, "cut")
            print(f"cut: {lost.inner_text()!r}")
            line.mend()
        word = next(words)
        field.press_sequentially(word, delay=40)
        typed += word
    expect(field).to_have_value(typed, timeout=SLOW)
    sizes = page.locator("output.counts")
    expect(sizes).to_contain_text(f"{len(typed):,} bytes", timeout=SLOW)
    print(
        f"cut for {CUT} s: all {len(typed)} typed characters are there, and counted: {sizes.inner_text()!r}"
    )
    expect(page.locator("#grove-lost")).to_have_count(0)
    page.wait_for_timeout(2_000)  # the address follows when nobody has typed for a moment
    page.reload()
    expect(field).to_have_value(typed, timeout=SLOW)
    print("cut: and after a reload")
    take(page, pictures, "cut-after")


def kill_a_training(page: Page, line: Line, pictures: Path | None) -> None:
    page.goto(f"{line.address}/train")
    size = page.get_by_role("spinbutton", name="Vocabulary, in tokens")
    expect(size).to_be_visible(timeout=SLOW)
    size.fill("30000")
    size.press("Enter")
    for source in ("Python’s documentation", "Python’s library"):
        page.get_by_text(source, exact=True).first.click()
    page.locator(".st-key-train_grow button").click()
    worker = find_worker()
    os.kill(worker, signal.SIGKILL)
    told = page.get_by_role("alert").filter(has_text="training process").first
    expect(told).to_be_visible(timeout=SLOW)
    print(f"killed training: {told.inner_text()!r}")
    take(page, pictures, "killed")
    expect(size).to_have_value("30000")


def find_worker() -> int:
    """The process that trains, of the server that this script started.

    Raises:
        AssertionError: there is none after a minute.
    """
    for _ in range(600):
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"train_worker" in command and _is_ours(int(entry.name)):
                return int(entry.name)
        time.sleep(0.1)
    raise AssertionError("No training has begun.")


def _is_ours(pid: int) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return False


def take(page: Page, pictures: Path | None, name: str) -> None:
    if pictures is not None:
        page.screenshot(path=pictures / f"{name}.png")


FAULTS = {"websockets": without_websockets, "cut": cut_while_typing, "training": kill_a_training}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("faults", nargs="*", default=list(FAULTS), help=f"of {', '.join(FAULTS)}")
    parser.add_argument("--pictures", type=Path, help="a folder for screenshots")
    parser.add_argument("--browser", default=find_chromium())
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.browser, args=CHROMIUM_FLAGS)
        for name in options.faults:
            with serve() as address:
                context = browser.new_context(viewport={"width": 1360, "height": 840})
                context.set_default_timeout(SLOW)
                FAULTS[name](context.new_page(), Line(int(address.rpartition(":")[2])), options.pictures)
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
