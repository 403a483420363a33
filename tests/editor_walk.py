"""A random walk through the editor: what a person does, and a network that delivers in any order.

The editor is the real one (assets/components/editor), in a page of its own without Streamlit. The server's
side is the real one, too: ``encode_route.answer`` and ``replaced``, called here. In between, a walk decides
which request arrives next, twice, or never, when its answer comes, and when the page runs.

Beside them stands a model, which knows only what the person and the pages did, and in which order they
knew of each other. When all is delivered, editor, server and model must agree.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit

import tokenizers as tk
from pages.explore.playground import answer
from pages.explore.playground.answer import mount_data
from pages.explore.playground.encode_route import replaced, respond
from pages.session import panels, workspace
from pages.session.editor_request import state_of
from pages.session.links import unpack_state
from pages.session.workspace import Workspace
from pages.session.workspace_link import restore
from tokenizers.json_types import JsonObject
from tokenizers.text import paginate

if TYPE_CHECKING:
    from playwright.sync_api import Page

LIVE_BYTES, PAGE_CHARS = 48, 20
ENCODINGS = ["gpt2", "cl100k_base", "grove-udhr-8k", "words"]
WORDS = ["the ", "cat", " sat\n", "안녕", "é", " 42", "👩‍🚀"]
STEPS = 40
ROUNDS = 60  # until all is delivered

START = """async () => {
  const { default: Editor } = await import("/assets/components/editor/index.js");
  const { mount } = await import("/assets/components/common/mount.js"); // its styles are not needed
  const answerOf = (status, base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const headers = new Headers({ "Content-Type": "text/plain" });
    const arrayBuffer = async () => bytes.buffer, text = async () => "No.";
    return { ok: status === 200, status, headers, arrayBuffer, text };
  };
  const walk = { requests: [], bodies: [], waiting: new Map(), events: [], isDown: false, last: 0 };
  window.walk = walk;
  window.reportError = () => {}; // of answers that are not ours
  const realFetch = window.fetch;
  window.fetch = async (url, { body, headers, keepalive } = {}) => {
    const path = String(url).slice(location.origin.length + 1);
    if (!path.startsWith("encode") && !path.startsWith("text")) return realFetch(url);
    if (walk.isDown) throw new TypeError("down");
    const id = ++walk.last, ticket = headers["Grove-Ticket"];
    const answered = new Promise((done, fail) => walk.waiting.set(id, { done, fail }));
    const take = (text) => walk.requests.push({ id, path, ticket, body: text });
    walk.bodies.push(new Response(body).text().then(take));
    return answered;
  };
  walk.settle = (id, status, base64) => {
    const { done, fail } = walk.waiting.get(id);
    walk.waiting.delete(id);
    if (status) done(answerOf(status, base64));
    else fail(new TypeError("lost"));
  };
  const html = await (await realFetch("/assets/components/editor/component.html")).text(); // ours
  walk.open = (data) => {
    const root = document.body.appendChild(document.createElement("div"));
    root.attachShadow({ mode: "open" }).innerHTML = html;
    const editor = new Editor(root.shadowRoot.firstElementChild);
    editor.sendEvent = (event) => walk.events.push(event);
    editor.receive(data);
    const close = () => { editor.destroy(); root.remove(); walk.close = () => {}; };
    Object.assign(walk, { editor, root: root.shadowRoot, close });
  };
  walk.look = LOOK;
  walk.input = () => walk.root.querySelector(".input");
  walk.files = (name, bytes) => {
    const files = new DataTransfer();
    files.items.add(new File([bytes], name));
    const field = walk.root.querySelector(".file");
    field.files = files.files;
    field.dispatchEvent(new Event("change"));
  };
  walk.paste = (text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    walk.input().dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
  };
}"""

# What the editor shows, and its new requests, once nothing is left that it does at once.
LOOK = """async () => {
  do {
    await Promise.all(window.walk.bodies.splice(0));
    for (let turn = 0; turn < 20; turn += 1) await null;
  } while (window.walk.bodies.length);
  const { walk } = window, { editor } = walk, input = walk.input();
  const requests = walk.requests.splice(0), events = walk.events.splice(0).length;
  const { fields, versions } = editor.state, { status, outbox, data } = editor.connection;
  const $ = (selector) => walk.root.querySelector(selector);
  return { requests, events, ticket: data.ticket, status, fields,
    version: versions.text, waits: outbox.length,
    hasRun: editor.state.has(data.state.versions), isLost: editor.root.matches(".lost"),
    value: editor.input.returns.toText(input.value), isReadOnly: input.readOnly,
    counts: $(".counts").textContent, canGoBack: !$("[data-do=back]").hidden,
    drawn: Object.fromEntries([...editor.panels].map(([name, { count }]) => [name, count.textContent])) };
}"""


@dataclass
class Message:
    """A request, or its answer on the way back.

    Attributes:
        knows: how many of the pages' texts the server had when it made the answer.
    """

    request: JsonObject
    status: int | None = None
    body: bytes = b""
    knows: int = 0


@dataclass
class Expected:
    """What the model expects of the text: the text, or None while only the server can tell.

    Attributes:
        version: of the replacement that makes the text.
    """

    text: str | None
    version: int | None = None


@contextmanager
def small_pages() -> Iterator[None]:
    """Have texts above ``LIVE_BYTES`` shown in pages, so that walks are quick."""
    with (
        patch.object(panels, "LIVE_BYTES", LIVE_BYTES),
        patch.object(answer, "LIVE_BYTES", LIVE_BYTES),
        patch.object(workspace, "paginate", lambda text: paginate(text, PAGE_CHARS)),
        patch.object(panels, "SLOW_SECONDS", 10.0),
    ):
        yield


class Walk:
    """One walk.

    Args:
        page: an empty page that has the components' files and a clock that stands still.
        seed: of all that is chosen.
    """

    def __init__(self, page: Page, seed: int) -> None:
        self.page, self.seed = page, seed
        self.choose = random.Random(seed)
        for name in ENCODINGS:
            tk.get_encoding(name)
        self.server = Workspace(text="begin here", encodings=ENCODINGS[:2])
        self.expected = Expected(self.server.text)
        self.encodings = list(self.server.encodings)
        self.written: set[str | None] = {None, self.server.text}
        self.trail: list[str] = []
        self.on_the_way: list[Message] = []
        self.runs: list[tuple[JsonObject, int]] = []
        self.sent: list[str | None] = []
        self.sent_requests: list[JsonObject] = []
        self.n_texts = 0
        self.known_texts = 0
        self.is_down = False

    def run(self) -> None:
        """Walk, and compare whenever all is quiet.

        Raises:
            AssertionError: editor, server and model differ; the message names the seed and each step.
        """
        with small_pages():
            try:
                self._start()
                for _ in range(STEPS):
                    self._step()
                    if self.choose.random() < 0.06:
                        self._calm()
                self._calm()
            except AssertionError as difference:
                steps = "\n  ".join(self.trail)
                raise AssertionError(f"walk {self.seed}: {difference}\n  {steps}") from difference
            finally:
                self.page.evaluate("() => window.walk.close()")

    def _start(self) -> None:
        self.page.evaluate(START.replace("LOOK", LOOK))
        self._act("walk.open(x);", mount_data(self.server))

    def _look(self) -> JsonObject:
        return self._act("")

    def _act(self, script: str, argument: Any = None) -> JsonObject:
        """Do something, see what the editor shows then, and take its new requests onto the way."""
        if argument is not None:
            self.trail.append(f"  {argument!r:.200}")
        body = f"const {{ walk }} = window, {{ editor }} = walk; {script}"
        seen: JsonObject = self.page.evaluate(
            f"async (x) => {{ await (async () => {{ {body} }})(); return window.walk.look(); }}", argument
        )
        for request in seen["requests"]:
            self.on_the_way.append(Message(request))
            self.sent_requests.append(request)
            if request["path"] == "encode":
                self.sent.append(json.loads(request["body"]).get("text"))
        for _ in range(seen["events"]):
            self._run_page()
        return seen

    # What a person does

    def _step(self) -> None:
        texts = [self._type] * 3 + [self._paste, self._paste_long, self._open_file, self._clear]
        texts += [self._go_back, self._undo]
        settings = [self._turn, self._switch, self._choose_models]
        network = [self._deliver] * 12 + [self._wait] * 5
        network += [self._lose, self._repeat, self._refuse, self._mend]
        rarely = [self._leave_page, self._reload, self._restart]
        acts = [*texts, *settings, *network, self._tool, self.choose.choice(rarely)]
        act = self.choose.choice(acts)
        self.trail.append(act.__name__.strip("_"))
        act()
        for text in self.sent:
            assert text in self.written, f"nobody wrote the text that was sent: {text!r}"
        self.sent.clear()

    def _wrote(self, seen: JsonObject, text: str | None) -> None:
        """The person changed the text: to this one, or to one that the server will know."""
        if text is not None:
            self.written.add(text)
        if self.known_texts == self.n_texts:  # else a page changed it, and the person did not know
            self.expected = Expected(text, seen["version"])

    def _wrote_if_changed(self, before: JsonObject, seen: JsonObject) -> None:
        text = seen["fields"]["text"]
        if text != before["fields"]["text"]:
            self._wrote(seen, text)

    def _some_words(self, *counts: int) -> str:
        """A text that no act before has made, of one of these numbers of words."""
        words = self.choose.choices(WORDS, k=self.choose.choice(counts))
        return "".join(words) + str(self.choose.random())

    def _insert(self, text: str) -> None:
        before = self._look()
        script = """const input = walk.input(); input.focus();
          if (input.readOnly) return;
          input.setSelectionRange(x.from, x.to); document.execCommand("insertText", false, x.text);"""
        length = len(before["value"])
        start = self.choose.randint(0, length)
        end = min(length, start + self.choose.choice([0, 0, 1, 3]))
        seen = self._act(script, {"text": text, "from": start, "to": end})
        self._wrote_if_changed(before, seen)

    def _type(self) -> None:
        self._insert(self.choose.choice("abc \n"))

    def _paste(self) -> None:
        text = "".join(self.choose.choices(WORDS, k=2))
        if self._look()["isReadOnly"]:
            self._wrote(self._act("walk.paste(x);", text), text)
        else:
            self._insert(text)

    def _paste_long(self) -> None:
        text = self._some_words(30)
        before = self._look()
        seen = self._act("const input = walk.input(); input.select(); walk.paste(x);", text)
        assert before["isReadOnly"] or seen["fields"]["text"] is None, "a long text is the server's"
        self._wrote_on_server(seen, text)

    def _open_file(self) -> None:
        text = self._some_words(1, 3, 40)
        self._wrote_on_server(self._act("walk.files('a.txt', x);", text), text)

    def _wrote_on_server(self, seen: JsonObject, text: str) -> None:
        """The person chose a text that the editor has only once the server has answered."""
        self.written.add(text)
        self._wrote(seen, None)
        if self.expected.version == seen["version"]:
            self.expected.text = text

    def _clear(self) -> None:
        self._wrote(self._act("editor.clear();"), "")

    def _go_back(self) -> None:
        if self._look()["canGoBack"]:
            self._wrote(self._act("walk.root.querySelector('[data-do=back]').click();"), None)

    def _turn(self) -> None:
        step = self.choose.choice(["next", "previous"])
        self._act("walk.root.querySelector(`[data-do=${x}]:enabled`)?.click();", step)

    def _switch(self) -> None:
        self._act("editor.set('view', x);", self.choose.choice(["text", "ids", "bytes"]))

    def _choose_models(self) -> None:
        self.encodings = self.choose.sample(ENCODINGS, self.choose.randint(1, 3))
        self._act("editor.setEncodings(x);", self.encodings)

    def _undo(self) -> None:
        before = self._look()
        seen = self._act(
            "if (!walk.input().readOnly) { walk.input().focus(); document.execCommand('undo'); }"
        )
        self._wrote_if_changed(before, seen)

    # What happens around

    def _wait(self) -> None:
        milliseconds = self.choose.choice([1, 100, 350, 520, 1100, 3100])
        self.trail.append(f"  {milliseconds} ms")
        self.page.clock.run_for(milliseconds)
        self._look()

    def _deliver(self) -> None:
        if self.runs and (not self.on_the_way or self.choose.random() < 0.3):
            data, knows = self.runs.pop(0)  # a WebSocket keeps the order
            self.known_texts = max(self.known_texts, knows)
            self._act("editor.receive(x);", data)
            return
        if not self.on_the_way:
            return
        message = self.choose.choice(self.on_the_way)
        if message.status is None:
            self._arrive(message)
            return
        self.on_the_way.remove(message)
        self.known_texts = max(self.known_texts, message.knows)
        self._settle(message)

    def _settle(self, message: Message) -> None:
        body = base64.b64encode(message.body).decode()
        self._act("walk.settle(...x);", [message.request["id"], message.status, body])

    def _arrive(self, message: Message) -> None:
        """Have the server work on a request."""
        request = message.request
        self.trail.append(f"  request {request['id']} arrives")
        if request["ticket"] != self.server.ticket:
            message.status, message.body = 404, b""
            return
        message.knows = self.n_texts
        if request["path"] == "encode":
            message.body = respond(self.server, json.loads(request["body"]))
        else:
            query = {key: values[0] for key, values in parse_qs(urlsplit(request["path"]).query).items()}
            before = self.server.set_aside if query["do"] == "back" else None
            wanted = request["body"] or (before.text if before else self.server.text)
            message.body = json.dumps(replaced(self.server, query, request["body"].encode())).encode()
            if self.expected.version == int(query["version"]) and self.expected.text is None:
                self.expected.text = wanted
                self.written.add(wanted)
        message.status = 200 if message.body else 204

    def _refuse(self) -> None:
        """A request does not reach the server: a proxy refuses it, or answers in our place."""
        unheard = [message for message in self.on_the_way if message.status is None]
        if not unheard:
            return
        message = self.choose.choice(unheard)
        query = parse_qs(urlsplit(message.request["path"]).query)
        message.status = self.choose.choice([200, 429, 502, 408])
        if query.get("do", ["keep"]) != ["keep"] and self.choose.random() < 0.25:
            message.status = 413
            if query["version"] == [str(self.expected.version)]:
                self.expected = Expected(None)
        message.body = b"<html>Sign in to this network</html>"
        self.on_the_way.remove(message)
        self._settle(message)

    def _repeat(self) -> None:
        """A request arrives a second time; its answer goes nowhere."""
        if self.sent_requests:
            self._arrive(Message(self.choose.choice(self.sent_requests[-6:])))

    def _lose(self) -> None:
        """A request, or its answer, is lost."""
        if self.on_the_way:
            message = self.on_the_way.pop(self.choose.randrange(len(self.on_the_way)))
            message.status = None
            self._settle(message)

    def _mend(self) -> None:
        """The connection goes, or comes back."""
        self.is_down = not self.is_down
        script = "walk.isDown = x; if (!x) dispatchEvent(new CustomEvent('grove:reconnected'));"
        self._act(script, self.is_down)

    def _run_page(self) -> None:
        """The page runs on the server; what it says is on the way."""
        self.runs.append((mount_data(self.server), self.n_texts))

    def _tool(self) -> None:
        """A button below the panels puts a text into the editor."""
        if self._look()["ticket"] != self.server.ticket:
            return  # the page of this session is not there yet
        text = self._some_words(2, 40)
        self.server.take(text)
        self.n_texts += 1
        self.written.add(text)
        self.expected = Expected(text)
        self._run_page()

    def _leave_page(self) -> None:
        """The person opens another page, and comes back."""
        self._act("walk.close();")
        self.runs.clear()
        if self.choose.random() < 0.5:
            self._deliver()
        self.known_texts = self.n_texts
        self._act("walk.open(x);", mount_data(self.server))

    def _reload(self) -> None:
        before = self._look()
        self._act("dispatchEvent(new Event('pagehide'));")
        link = parse_qs(urlsplit(self.page.url).query).get("s", [""])[0]
        self.page.reload()
        self._begin_session(before)
        if link:
            restore(self.server, unpack_state(link))
            self.written.add(self.server.text)
        self.on_the_way.clear()
        self.is_down = False
        self._start()
        if before["fields"]["text"] is None:  # a long one comes from saved items, which are not here
            self.expected = Expected(None)

    def _restart(self) -> None:
        """The server is restarted: the old session's requests are refused, and the page runs in a new one."""
        for message in [each for each in self.on_the_way if each.status is not None]:
            self.on_the_way.remove(message)
            message.status = None
            self._settle(message)
        self._begin_session(self._look())
        self._run_page()

    def _begin_session(self, before: JsonObject) -> None:
        self.server = Workspace(text="a new session", encodings=ENCODINGS[:2])
        self.written.add(self.server.text)
        self.runs.clear()
        self.n_texts = 0
        self.known_texts = 0
        for message in self.on_the_way:
            message.knows = 0
        self.encodings = []
        self.expected = Expected(before["fields"]["text"])

    # What has to be so in the end

    def _calm(self) -> None:
        """Deliver all, and compare."""
        self.trail.append("calm")
        if self.is_down:
            self._mend()
        quiet = 0
        for _ in range(ROUNDS):
            while self.on_the_way or self.runs:
                self._deliver()
            self.page.clock.run_for(1100)
            seen = self._look()
            quiet = 0 if self.on_the_way or self.runs or seen["waits"] else quiet + 1
            if quiet == 3:
                break
        assert quiet == 3, "it does not come to rest"
        self._compare(seen)

    def _compare(self, seen: JsonObject) -> None:
        text = self.server.text
        if self.expected.text is None:
            self.expected = Expected(text)
        assert text == self.expected.text, (
            f"the server has {text!r}, and the person wrote {self.expected.text!r}"
        )
        n_bytes = f"{len(text.encode()):,} byte"
        assert seen["counts"].startswith(n_bytes), f"it counts {seen['counts']}, and there are {n_bytes}s"
        if self.encodings:
            assert self.server.encodings == self.encodings, f"{self.encodings} were chosen"
        self.encodings = list(self.server.encodings)
        expected: JsonObject = {
            "value": text,
            "isReadOnly": self.server.is_long,
            "status": "idle",
            "isLost": False,
            "hasRun": True,
            "drawn": {name: f"{len(tk.get_encoding(name).encode(text)):,}" for name in self.encodings},
            "fields": {**state_of(self.server), "page": self.server.page},
        }
        if self.server.is_long:
            part = self.server.pages[self.server.page]
            expected["value"] = text[part.start : part.end]
            expected["fields"]["text"] = None
        shown = {key: seen[key] for key in expected}
        assert shown == expected, f"the editor has {shown} instead of {expected}"
