"""Firefox and WebKit as Debian has them, driven by the commands of WebDriver.

Firefox takes them over its own socket (Marionette), WebKit over HTTP: so neither needs a package besides.
What a command finds and does in a page is JavaScript: ``in_page.js``, which each page loads first.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from tests.browser import HOST, PATIENCE, free_port
from tokenizers.json_types import JsonObject

ATTEMPT = 2_000
"""Milliseconds that one script looks for something. Then another one does: the page may have been left."""

LARGE = (1280, 900)
NARROW = (447, 900)
"""The narrowest window that WebKit's MiniBrowser has."""
LANDSCAPE = (844, 428)
"""Of a phone, with the 38 pixels of MiniBrowser's bar."""
PROJECTOR = (1920, 1000)

_PATHS = {
    "Back": "back",
    "Navigate": "url",
    "ExecuteScript": "execute/sync",
    "ExecuteAsyncScript": "execute/async",
    "PerformActions": "actions",
    "SetWindowRect": "window/rect",
}
"""The commands that are sent, and where WebKit takes them."""

_QUIET = {
    "marionette.port": 0,  # any that is free; Firefox writes it into its profile
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.events.testing.asyncClipboard": True,  # a test reads what was copied
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
    "app.normandy.enabled": False,
}


class Browser(ABC):
    """A browser with one window. Its pages are those of a server of ``served.py``."""

    address = ""
    """Of the server whose pages are opened, as http://host:port."""

    folder: Path
    """In which it keeps its data, and what it downloads."""

    @abstractmethod
    def send(self, command: str, **parameters: Any) -> Any:
        """What the browser answers to a command of WebDriver.

        Raises:
            AssertionError: it could not do it.
        """

    def go(self, path: str) -> None:
        """Open a page, and wait until it is drawn; of those in Streamlit, until no run of it goes on."""
        self.send("Navigate", url=self.address + path)
        self.wait("return test.isDrawn()")

    def forget(self) -> None:
        """Clear what pages have stored, from one that stores nothing."""
        self.send("Navigate", url=f"{self.address}/_stcore/health")
        self.wait(
            """sessionStorage.clear();
            localStorage.clear();
            document.cookie = "token_grove_keeps=; path=/; max-age=0";
            return new Promise((done) => {
              indexedDB.deleteDatabase("token-grove").onsuccess = () => done(true);
            });"""
        )

    def run(self, script: str, *args: Any) -> Any:
        """What a function body in JavaScript returns, of ``args``."""
        return self.send(
            "ExecuteScript", script=f"return (function (...args) {{{script}}})(...arguments)", args=args
        )

    def wait(self, script: str, *args: Any) -> Any:
        """What a function body returns, once that is no longer false or an error.

        Raises:
            AssertionError: it is false for ``PATIENCE``; the last error is named.
        """
        looking = f"""const done = arguments[arguments.length - 1], until = performance.now() + {ATTEMPT};
            const args = [...arguments].slice(0, -1), check = async () => {{{script}}};
            (async () => {{
              let value, problem;
              do {{
                try {{ value = await check(); problem = ""; }} catch (error) {{ problem = String(error); }}
                if (value) return done({{ value }});
                await new Promise((next) => setTimeout(next, 30));
              }} while (performance.now() < until);
              done({{ problem: problem || "it did not happen" }});
            }})();"""
        problem = ""
        for _ in range(PATIENCE // ATTEMPT):
            try:
                result = self.send("ExecuteAsyncScript", script=looking, args=args)
            except AssertionError as left:  # a page that is left meanwhile says so, or never answers
                if "unload" not in str(left) and "script timeout" not in str(left):
                    raise
                result = None
            if result and "value" in result:
                return result["value"]
            problem = result["problem"] if result else "the page was left"
        raise AssertionError(f"{problem}: {script} {args}")

    def find(self, css: str, text: str = "") -> None:
        """Wait for an element that is seen and has this text in it."""
        self.wait("return Boolean(test.find(...args))", css, text)

    def gone(self, css: str) -> None:
        """Wait until no such element is seen."""
        self.wait("return !test.find(...args)", css)

    def point(self, css: str, text: str = "") -> tuple[int, int]:
        """Where in the window the middle of an element is, once it stands still and nothing lies over it."""
        x, y = self.wait("return test.point(...args)", css, text)
        return round(x), round(y)

    def press(self, point: tuple[int, int]) -> None:
        """Press the mouse at a point, and let go."""
        move = {"type": "pointerMove", "x": point[0], "y": point[1]}
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self._act("pointer", [move, down, {"type": "pause", "duration": 60}, up])

    def click(self, css: str, text: str = "") -> None:
        self.press(self.point(css, text))

    def hover(self, css: str, text: str = "") -> tuple[int, int]:
        x, y = self.point(css, text)
        self._act("pointer", [{"type": "pointerMove", "x": x, "y": y}])
        return x, y

    def type(self, keys: str) -> None:
        """Press keys, those without a character as WebDriver has them: ``ENTER``, ``ESCAPE``."""
        self._act("key", [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")])

    def _act(self, kind: str, actions: list[JsonObject]) -> None:
        self.send("PerformActions", actions=[{"type": kind, "id": kind, "actions": actions}])

    def resize(self, size: tuple[int, int]) -> None:
        self.send("SetWindowRect", width=size[0], height=size[1])


ENTER, ESCAPE = "\ue007", "\ue00c"


class Firefox(Browser):
    def __init__(self, connection: socket.socket, answers: BinaryIO) -> None:
        self._connection, self._answers = connection, answers
        self._read()  # it greets
        self._ask("NewSession")
        self._ask("SetTimeouts", script=2 * ATTEMPT)

    def send(self, command: str, **parameters: Any) -> Any:
        answer = self._ask(command, **parameters)
        return answer["value"] if "value" in answer else answer

    def _ask(self, command: str, **parameters: Any) -> JsonObject:
        message = json.dumps([0, 0, f"WebDriver:{command}", parameters]).encode()
        self._connection.sendall(b"%d:%b" % (len(message), message))
        _, _, error, answer = self._read()
        assert error is None, f"{command}: {error}"
        return dict(answer)

    def _read(self) -> Any:
        digits = b""
        while (byte := self._answers.read(1)) != b":":
            assert byte, "Firefox has ended."
            digits += byte
        return json.loads(self._answers.read(int(digits)))


class WebKit(Browser):
    def __init__(self, port: int) -> None:
        options = {"binary": str(find_mini_browser()), "args": ["--automation"]}
        wanted = {"timeouts": {"script": 2 * ATTEMPT}, "webkitgtk:browserOptions": options}
        self._session = f"http://{HOST}:{port}/session"
        answer = self._ask("", capabilities={"alwaysMatch": wanted})
        self._session += f"/{answer['sessionId']}"

    def send(self, command: str, **parameters: Any) -> Any:
        return self._ask(f"/{_PATHS[command]}", **parameters)

    def _ask(self, path: str, **parameters: Any) -> Any:
        try:
            with urllib.request.urlopen(self._session + path, json.dumps(parameters).encode()) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as problem:
            raise AssertionError(f"{path}: {problem.read().decode()}") from None


def find_mini_browser() -> Path | None:
    """WebKit's browser without a name, which Debian's webkit2gtk-driver brings."""
    return next(iter(sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), reverse=True)), None)


def why_not(engine: str) -> str:
    """How to get an engine; empty: it is here."""
    if engine == "firefox":
        return "" if shutil.which("firefox-esr") else "There is no Firefox: apt install firefox-esr."
    is_here = find_mini_browser() and shutil.which("WebKitWebDriver") and shutil.which("Xvfb")
    return "" if is_here else "There is no WebKit: apt install webkit2gtk-driver xvfb."


@contextmanager
def firefox(folder: Path, preferences: Mapping[str, Any] | None = None) -> Iterator[Firefox]:
    """Firefox with a new profile in a folder, for as long as the block lasts.

    Args:
        folder: in which it also puts what it downloads.
        preferences: of the profile, as in about:config.
    """
    downloads = {"browser.download.folderList": 2, "browser.download.dir": str(folder)}
    preferences = {**_QUIET, **downloads, **(preferences or {})}
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in preferences.items()]
    (folder / "user.js").write_text("\n".join(lines))
    with _process("firefox-esr", "--headless", "--marionette", "--profile", str(folder)) as process:
        active = folder / "MarionetteActivePort"
        while not (active.exists() and active.read_text()):
            assert process.poll() is None, "Firefox did not start."
            time.sleep(0.05)
        with (
            socket.create_connection((HOST, int(active.read_text()))) as connection,
            connection.makefile("rb") as answers,
        ):
            browser = Firefox(connection, answers)
            browser.folder = folder
            yield browser


@contextmanager
def webkit(folder: Path) -> Iterator[WebKit]:
    """WebKit on a screen that nobody sees, for as long as the block lasts; it keeps its data in a folder."""
    readable, writable = os.pipe()
    screen = ("-displayfd", str(writable), "-screen", "0", "2000x1200x24", "-nolisten", "tcp")
    with _process("Xvfb", *screen, pass_fds=[writable]):
        display = os.read(readable, 16).decode().strip()
        port = free_port()
        where = {"DISPLAY": f":{display}", "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}
        with _process("WebKitWebDriver", f"--port={port}", env={**os.environ, **where}) as process:
            while True:
                assert process.poll() is None, "WebKit's driver did not start."
                with suppress(OSError), socket.create_connection((HOST, port)):
                    break
                time.sleep(0.05)
            browser = WebKit(port)
            browser.folder = folder
            yield browser


@contextmanager
def _process(
    *command: str, pass_fds: Sequence[int] = (), env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, pass_fds=pass_fds, env=env) as process:
        try:
            yield process
        finally:
            process.terminate()
