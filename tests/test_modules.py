"""The components' modules by themselves, imported into an empty page of a real browser.

What needs no answer of Python's is tested in JavaScript: modules.js.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from pages.explore.playground.answer import mount_data
from pages.explore.playground.encode_route import respond
from pages.grow.train.fairness import PLAIN, race_data
from pages.learn.lessons.state import LessonsState
from pages.session.links import pack_state, unpack_state
from pages.session.workspace import Pin, Workspace
from pages.teaching.kinds import KINDS
from pages.teaching.lesson_files import list_lessons
from pages.teaching.work_out import work_out
from tests.browser import HOST, ROOT, visitor, watched_page
from tests.examples import examples
from tests.texts import NASTY
from tests.wire import Reply, read_reply
from tokenizers.bpe import counts_by_size
from tokenizers.families import learn_fair
from tokenizers.json_types import JsonObject
from tokenizers.text import spell_text
from tokenizers.utf8 import well_formed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TESTS = ROOT / "tests" / "modules.js"
COMPONENTS = "/assets/components"


class _Files(SimpleHTTPRequestHandler):
    """The project's files, and an empty page."""

    def do_GET(self) -> None:
        if urlsplit(self.path).path != "/":  # a reload also has the query of a link
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"<!doctype html><link rel=icon href=data:,><body></body>")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def modules(browser: Browser) -> Iterator[Page]:
    """A page in which ``await import("/assets/components/common/…")`` works."""
    server = ThreadingHTTPServer((HOST, 0), functools.partial(_Files, directory=str(ROOT)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://{HOST}:{server.server_port}"
        with visitor(browser, address) as context, watched_page(context) as page:
            page.goto("/")
            yield page
    finally:
        server.shutdown()
        server.server_close()


def call(page: Page, module: str, script: str, argument: Any = None) -> Any:
    """What a function gives of a module ``m`` and an argument ``x``; it may await."""
    body = f"async (x) => {{ const m = await import('{COMPONENTS}/{module}'); {script} }}"
    return page.evaluate(body, argument)


def in_javascript(page: Page, name: str, session: JsonObject | None = None) -> None:
    """Run a test of modules.js."""
    script = "async ([name, session]) => (await import('/tests/modules.js'))[name](session)"
    page.evaluate(script, [name, session])


def part(page: Page, name: str, session: JsonObject | None = None) -> Any:
    """What a part of a test gives, of ``parts`` in modules.js."""
    script = "async ([name, session]) => (await import('/tests/modules.js')).parts[name](session)"
    return page.evaluate(script, [name, session])


WRITTEN = TESTS.read_text("utf-8")


def names_of_tests(parameters: str) -> list[str]:
    return re.findall(rf"^export (?:async )?function (\w+)\({parameters}\)", WRITTEN, re.M)


def test_all_that_is_exported_is_run() -> None:
    exported = len(re.findall("^export ", WRITTEN, re.M))
    assert exported == len(names_of_tests("")) + len(names_of_tests("session")) + len(["parts"])


@pytest.mark.parametrize("name", names_of_tests(""))
def test_in_javascript(modules: Page, name: str) -> None:
    in_javascript(modules, name)


ANSWERS: list[Any] = json.loads("""[
  [{"kind": "cuts", "shows": [{"cuts": [2, 5]}]}, [[], [2], [2, 5], [1, 2, 3]]],
  [{"kind": "cuts", "shows": [{"cuts": []}]}, [[], [1]]],
  [{"kind": "choice", "right": 1}, [0, 1]],
  [{"kind": "number", "value": 4}, [1, 4, 8, 0, -4]],
  [{"kind": "number", "value": 0}, [0, 3]]
]""")
"""Slides, and answers to each."""


def test_a_score_is_that_of_python(modules: Page) -> None:
    scores = call(
        modules,
        "lesson/kinds.js",
        "return x.map(([slide, answers]) => answers.map((each) => m.kindOf(slide).score(slide, each)));",
        ANSWERS,
    )
    assert scores == [
        [KINDS[slide["kind"]].score(slide, each) for each in answers] for slide, answers in ANSWERS
    ]


def test_all_of_unicode_is_spelt_as_in_python(modules: Page) -> None:
    """Every code point but the surrogates, 4,096 at a time."""
    spelt = call(
        modules,
        "common/spelling.js",
        """const parts = [];
        for (let from = 0; from < 0x110000; from += 4096) {
          let text = "";
          for (let code = from; code < from + 4096; code++)
            if (code < 0xd800 || code > 0xdfff) text += String.fromCodePoint(code);
          parts.push(m.spellText(text));
        }
        const bytes = new TextEncoder().encode(parts.join(""));
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
        return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");""",
    )
    every = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF)
    assert spelt == hashlib.sha256(spell_text(every).encode()).hexdigest()


def arrays_of(reply: Reply) -> JsonObject:
    """The arrays of an answer, by panel and then by name."""
    arrays: JsonObject = {}
    for (panel, name), array in reply.arrays.items():
        arrays.setdefault(panel, {})[name] = array
    return arrays


UNITS = ["a", "b ", " the", "\n", "\t", "é", "e\u0301", "\u0301", "안", "👩\u200d🌾", "\u200d", "🇺🇸"]
UNITS += ["🇩", "नि", "ק", "½", "12", "!?", "<|endoftext|>", "\0", "\u202e", " \n "]
SPLICES = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from([0, 0, 0, 1, 2, 7, 1900]),
        st.lists(st.sampled_from(UNITS), max_size=3).map("".join),
    ),
    min_size=1,
    max_size=8,
)


def spliced(text: str, splices: list[tuple[float, int, str]]) -> list[str]:
    """The text, and what it becomes by each edit: at a share of it, some characters give way to others."""
    texts = [text]
    for share, n_gone, put in splices:
        text = texts[-1]
        at = round(share * len(text))
        texts.append(text[:at] + put + text[at + n_gone :])
    return texts


@examples(20)
@example("12 A", [(0.0, 4, "é a")])  # BERT has the same token at the end, over another letter
@example("\u202e" + "word " * 900, [(0.0, 1, "")])  # all that follows is turned
@example("word " * 600, [(0.1, 0, "one more ")] * 4)
@example("word " * 600, [(2004 / 3000, 0, "\u0301")])  # what is after a chunk's end joins what is before it
@given(
    st.builds(
        str.__add__,
        st.sampled_from(["", "", "A line of words.\n" * 60, "word " * 420]),
        st.lists(st.sampled_from(UNITS), max_size=30).map("".join),
    ),
    SPLICES,
)
def test_what_an_edit_leaves_is_drawn_as_if_it_were_painted_anew(
    modules: Page, text: str, splices: list[tuple[float, int, str]]
) -> None:
    """A panel that paints anew only what changed against one that is given the whole text."""
    names = ["gpt2", "grove-udhr-8k", "bert-uncased", "characters"]
    answers = []
    for each in spliced(text, splices):
        workspace = Workspace(encodings=names)
        workspace.set_text(each, by_typing=True)
        workspace.encode_slow()
        reply = respond(workspace, {})
        answers.append({"reply": base64.b64encode(reply).decode(), "text": well_formed(each)})
    differences = call(
        modules,
        "editor/panel.js",
        """const { unpack } = await import('/assets/components/editor/wire.js');
        const { DrawnText } = await import('/assets/components/common/drawn_text.js');
        const { TextTokens } = await import('/assets/components/common/text_tokens.js');
        const page = { settings: {}, edited: true, spotlight: { markChunk() {} }, choiceOf: () => ({}) };
        const still = (html) => html.replaceAll(' ripple"', '"');
        // However it is cut into chunks, at line ends.
        const seen = ({ tokens, chunks, data }) => JSON.stringify([
          [...tokens.children].map(({ innerHTML }) => still(innerHTML)).join(""),
          chunks.flatMap(({ first, elements, element }) => elements.map((drawn, i) => [
            first + i, drawn.map((e) => [still(e.outerHTML), first + e.token, element.contains(e)]) ])),
          chunks.every(({ first }, i) => first === (i ? chunks[i - 1].last + 1 : 0)),
          chunks.every(({ sealed, last, size }, i) => {
            const endsLine = data.drawn.text[data.unitEnds[last] - 1] === "\\n";
            const isLast = i === chunks.length - 1;
            return sealed === (endsLine || size >= 2000) && (sealed || size >= 500 || isLast);
          }),
        ]);
        const differences = [];
        for (const view of ["text", "ids", "bytes"]) {
          page.settings.view = view;
          const panels = x.names.map((name) => new m.Panel(page, name));
          for (const { reply, text } of x.answers) {
            const { arrays } = unpack(Uint8Array.from(atob(reply), (char) => char.charCodeAt(0)), null);
            const drawn = new DrawnText(text, arrays[""].clusters, 0);
            for (const [i, name] of x.names.entries()) {
              const info = arrays[name];
              const tokens = new TextTokens(info, drawn);
              const whole = new m.Panel(page, x.names[i]);
              for (const panel of [panels[i], whole]) {
                panel.redraw(tokens);
                for (const chunk of panel.chunks) panel.paint(chunk);
              }
              if (seen(panels[i]) !== seen(whole))
                differences.push([view, x.names[i], text, seen(panels[i]), seen(whole)]);
              whole.destroy();
            }
          }
          for (const panel of panels) panel.destroy();
        }
        return differences.slice(0, 1);""",
        {"answers": answers, "names": names},
    )
    assert differences == []


def test_unpack_reads_changes_as_they_were_written(modules: Page) -> None:
    workspace = Workspace(encodings=["gpt2", "mistral-v1"])
    for name in workspace.encodings:
        tk.get_encoding(name)
    answers = []
    expected = []
    held = Reply({"tag": None})
    for text in ["", "the cat", "the ½ cat", "the fat ½ cat 안녕", *NASTY.values(), "x" * 70_000, "end"]:
        answers.append(respond(workspace, {"text": text, "holds": held.header["tag"]}))
        held = read_reply(answers[-1], held)
        expected.append(arrays_of(held))
    read = call(
        modules,
        "editor/wire.js",
        """let held = null;
        return x.map((reply) => {
          held = m.unpack(Uint8Array.from(atob(reply), (char) => char.charCodeAt(0)), held);
          return JSON.stringify(held.arrays, (_, value) => (ArrayBuffer.isView(value) ? [...value] : value));
        });""",
        [base64.b64encode(reply).decode() for reply in answers],
    )
    assert list(map(json.loads, read)) == expected


def test_pack_state_writes_links_that_python_reads(modules: Page) -> None:
    states = [json.dumps({"text": text, "pin": None}) for text in ["", "안녕 \ud83d", *NASTY.values()]]
    links = call(
        modules,
        "editor/link.js",
        "return Promise.all(x.map((state) => m.packState(JSON.parse(state))));",
        states,
    )
    for state, link in zip(states, links, strict=True):
        assert unpack_state(link) == json.loads(state)  # JavaScript joins two halves of a pair
    assert len(links[-1]) < 1.1 * len(pack_state(json.loads(states[-1])) or "") + 9


def session_of(workspace: Workspace, *requests: JsonObject) -> JsonObject:
    """The data of a page run in a session, and the answers to its text and to these requests."""
    for name in workspace.encodings:
        workspace.spans(name)
    data = mount_data(workspace)
    answers = [respond(workspace, request) for request in ({}, *requests)]
    return {"data": data, "answers": [base64.b64encode(each).decode() for each in answers]}


def welcome() -> JsonObject:
    return session_of(Workspace(text="welcome", encodings=["gpt2"]), {"text": "a"}, {"text": "abc"})


@pytest.mark.parametrize("name", names_of_tests("session"))
def test_the_editor_in_javascript(modules: Page, name: str) -> None:
    modules.goto("/")  # without a draft of another test
    in_javascript(modules, name, welcome())


def test_a_draft_waits_for_the_page_through_any_number_of_reloads(modules: Page) -> None:
    """Whoever reloads twice, before the first reload was answered, still gets back what was typed."""
    modules.goto("/")  # without a draft of another test
    part(modules, "typeAndLeave", welcome())
    modules.reload()
    modules.reload()
    assert part(modules, "leaveAtOnce", welcome()) == ["typed last"]
    part(modules, "typeAndLeave", welcome())
    modules.goto("/")  # anew: the address alone counts
    assert part(modules, "leaveAtOnce", welcome()) == ["welcome"]


def test_slow_panel_says_that_it_is_counted_and_is_asked_for(modules: Page) -> None:
    modules.goto("/")  # without a draft of another test
    workspace = Workspace(text="one two", encodings=["gpt2", "cl100k_base"], pin=Pin("cl100k_base", 4))
    slow = session_of(workspace)
    workspace.panels._seconds["cl100k_base"] = 1.0
    workspace.set_text("one two three", by_typing=True)
    workspace.panels.shares["cl100k_base"] = 0.5
    for request in ({"text": "one two three", "holds": 1}, {"slow": True, "holds": 2}):
        slow["answers"].append(base64.b64encode(respond(workspace, request)).decode())
    part(modules, "typeBesideASlowPanel", slow)


def test_merges_are_pictured_where_nothing_should_move(modules: Page) -> None:
    modules.emulate_media(reduced_motion="reduce")
    try:
        part(modules, "mergesArePicturedWhereNothingMoves")
    finally:
        modules.emulate_media(reduced_motion="null")


def test_a_lesson_is_walked_from_predict_to_reveal(modules: Page) -> None:
    """One that asks in every way. Its quiz is answered wrongly before it, and rightly after it."""
    (lesson,) = (each for each in list_lessons() if each.slug == "languages")
    seen = call(
        modules,
        "lesson/index.js",
        """localStorage.clear();
        const root = document.body.appendChild(document.createElement("div"));
        root.innerHTML = await (await fetch("/assets/components/lesson/component.html")).text(); // ours
        const view = new m.default(root.firstElementChild), opened = [];
        view.sendEvent = (event) => opened.push(event);
        view.receive({ lesson: x, revision: 1, teaching: false, ways: [{ slug: "next" }], terms: {} });
        const all = (css) => [...root.querySelectorAll(`.slide ${css}`)];
        const on = () => root.querySelector("[data-go=on]").click();
        const answer = {
          cuts: ({ shows }) => {
            for (const place of shows[0].cuts) all(`.gap[data-place="${place}"]`)[0].click();
          },
          choice: ({ right }) => all("input")[right].click(),
          number: () => all("input")[0].click(), // where the slider stands already, in the middle
        };
        const scores = { cuts: /Score 100%/, choice: /^Right\\.$/, number: /^You guessed .* Score \\d+%/ };
        on();
        for (const { right, choices } of x.quiz) {
          all("input")[(right + 1) % choices.length].click();
          on();
        }
        const faults = [];
        for (const step of x.steps) {
          const { kind, asks, shows = [] } = step;
          const expect = (is, what) => { if (!is) faults.push(`${asks} ${what}`); };
          expect(all("h2")[0].textContent === asks, "is not there");
          if (answer[kind]) {
            answer[kind](step);
            expect(!all(":is(.right, .missed, .real, .shown, .score)").length, "is answered too early");
            on();
            expect(scores[kind].test(all(".score")[0].textContent), "has another score");
            const marks = kind === "cuts" ? shows[0].cuts.length : 1;
            expect(all(":is(.gap, .choice).right, .real").length === marks, "has other marks");
          }
          expect(all(".counts").length === Number("counts" in step), "has other counts");
          const ids = shows.flatMap(({ tokens }) => tokens.map(({ id }) => String(id)));
          const drawn = all(".shown .chip small").map((id) => id.textContent);
          expect(JSON.stringify(drawn) === JSON.stringify(ids), "has other tokens");
          on();
        }
        for (const { right } of x.quiz) {
          all("input")[right].click();
          on();
          on();
        }
        const end = all(".scores")[0].textContent;
        all(".ways button")[0].click();
        view.destroy();
        root.remove();
        return [faults, end, opened];""",
        work_out(lesson, tk.get_encoding),
    )
    end = "Right answers: 0 of 2 before the lesson, 2 of 2 after it."
    assert seen == [[], end, [{"open": "next"}]]


PROGRESS: list[Any] = json.loads("""[
  {},
  {"one": [8, 9, true]},
  {"one": [8, 9, true], "three": [2, 9, false]},
  {"two": [8, 9, true]},
  {"one": [8, 9, true], "two": [8, 9, true], "three": [8, 9, true]}
]""")
"""How far a person is in each lesson: at which slide, of how many, and whether it is finished."""


def test_the_front_page_offers_the_lesson_that_python_would(modules: Page) -> None:
    expected = []
    for progress in PROGRESS:
        state = LessonsState()
        state.progress = progress
        expected.append(state.next_lesson(["one", "two", "three"]) or None)
    offered = call(
        modules,
        "editor/toolbar.js",
        """const root = document.body.appendChild(document.createElement("div"));
        root.innerHTML = '<button data-do="lesson"></button>';
        const sent = [];
        const sendEvent = ({ slug }) => sent.push(slug ?? null);
        const toolbar = new m.Toolbar(root, { settings: {}, sendEvent });
        const words = x.map((progress) => {
          const all = Object.entries(progress).map(([slug, [at, of, done]]) => [slug, { at, of, done }]);
          localStorage.setItem("token-grove-lessons", JSON.stringify(Object.fromEntries(all)));
          toolbar.showLesson(["one", "two", "three"]);
          root.firstChild.click();
          return root.textContent;
        });
        localStorage.clear();
        root.remove();
        return [words, sent];""",
        PROGRESS,
    )
    words = ["Start lesson 1", "Start lesson 2", "Go on with lesson 3", "Start lesson 1", "All lessons"]
    assert offered == [words, expected]


def test_fairness_js_counts_as_python_does(modules: Page) -> None:
    texts = {"first": "abab cdcd", "second": "cdcd ee ee"}
    fair = learn_fair([[text] for text in texts.values()], 259)
    plain = tk.train(list(texts.values()), 259, "gpt4o")
    curves = {
        name: {title: counts_by_size(encoding, text) for title, text in texts.items()}
        for name, encoding in ((PLAIN, plain), ("fair", fair))
    }
    shown = call(
        modules,
        "common/mount.js",
        """
        const place = document.body.appendChild(document.createElement("div"));
        const root = place.attachShadow({ mode: "open" });
        const { answer } = await m.mount("fairness", root);
        answer({ data: x });
        const states = [];
        for (const go of ["first", "next", "next", "next"]) {
          root.querySelector(`[data-go=${go}]`).click();
          const counts = [...root.querySelectorAll(".count")].map((count) => Number(count.textContent));
          const worst = root.querySelector(".next .name")?.textContent ?? "";
          states.push([counts, worst]);
        }
        place.remove();
        return states;
        """,
        {"revision": "1", **race_data(fair, curves["fair"], curves[PLAIN])},
    )
    expected = []
    for step in range(4):
        counts = [curve.at(256 + step) for curve in curves["fair"].values()]
        worst = list(texts)[counts.index(max(counts))] if step < 3 else ""
        expected.append([counts, worst])
    assert shown == expected
