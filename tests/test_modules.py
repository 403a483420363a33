"""The components' modules by themselves, imported into an empty page of a real browser."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from pages.explore.playground.encode_route import answer
from pages.server.component_files import FOLDER
from pages.server.page_script import SCRIPT
from pages.session.links import pack_state, unpack_state
from pages.session.workspace import Pin, Workspace
from pages.shared.reply import mount_data
from pages.shared.wire import pack
from tests.browser import HOST, ROOT, visitor, watched_page
from tests.judge import byte_pairs, ids_at_size
from tests.texts import NASTY
from tests.wire import Reply, read_reply
from tokenizers.bpe import cuts_by_size
from tokenizers.text import TextMap, encode_spans, spell_text
from tokenizers.utf8 import well_formed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SPELLING: dict[str, list[dict[str, str]]] = json.loads((ROOT / "tests" / "spelling.json").read_text("utf-8"))


class _Files(SimpleHTTPRequestHandler):
    """The components' files, and an empty page."""

    def do_GET(self) -> None:
        if self.path != "/":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"<!doctype html><link rel=icon href=data:,><body></body>")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def modules(browser: Browser) -> Iterator[Page]:
    """A page in which ``await import("/common/…")`` works."""
    server = ThreadingHTTPServer((HOST, 0), functools.partial(_Files, directory=str(FOLDER)))
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
    body = f"async (x) => {{ const m = await import('/{module}'); {script} }}"
    return page.evaluate(body, argument)


@pytest.mark.parametrize(
    "path",
    sorted(set(FOLDER.rglob("*.js")) - {FOLDER / SCRIPT}),  # which exports nothing
    ids=lambda path: path.relative_to(FOLDER).as_posix(),
)
def test_every_module_loads(modules: Page, path: Any) -> None:
    name = path.relative_to(FOLDER).as_posix()
    exported = modules.evaluate("async (name) => Object.keys(await import(name))", f"/{name}")
    assert exported


FROM_HEX = "const { fromHex } = await import('/common/bytes.js'); "


def test_a_token_is_spelt_as_in_python(modules: Page) -> None:
    whole = [case for case in SPELLING["tokens"] if not case["spelt"].startswith("⟨0x")]
    spelt = call(
        modules,
        "common/spelling.js",
        FROM_HEX + "return x.map((hex) => m.spellText(m.textOf(fromHex(hex))));",
        [case["bytes"] for case in whole],
    )
    assert spelt == [case["spelt"] for case in whole]
    quoted = call(
        modules,
        "common/spelling.js",
        FROM_HEX + "return x.map((hex) => m.quote(fromHex(hex)));",
        [case["bytes"] for case in SPELLING["quotes"]],
    )
    assert quoted == [case["quoted"] for case in SPELLING["quotes"]]


def test_a_size_is_written_as_in_python(modules: Page) -> None:
    sizes = json.loads((ROOT / "tests" / "sizes.json").read_text("utf-8"))
    written = call(modules, "common/dom.js", "return x.map(m.bytesInWords);", [size for size, _ in sizes])
    assert written == [words for _, words in sizes]


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


def test_carriage_returns_pass_a_textarea(modules: Page) -> None:
    """Which makes line feeds of them."""
    texts = ["plain\n", "a\r\nb\r", "\r ␍ and \ue001"]
    back = call(
        modules,
        "common/carriage_returns.js",
        """const field = document.createElement("textarea"), returns = new m.CarriageReturns();
        return x.map((text) => {
          field.value = returns.toValue(text);
          return [returns.toText(field.value), returns.standIn];
        });""",
        texts,
    )
    assert back == [["plain\n", None], ["a\r\nb\r", "␍"], ["\r ␍ and \ue001", "\ue002"]]


def test_text_stays_text_in_an_element(modules: Page) -> None:
    text = '<img src=x onerror="alert(1)"> a\u200db\r\n\t\u202e é 👩\u200d🌾'
    written = call(
        modules,
        "common/spelling.js",
        """const element = document.createElement("s"); m.writeText(element, x);
        return [element.textContent, element.querySelectorAll("img").length,
          [...element.querySelectorAll("[data-g]")].map((mark) => mark.dataset.g)];""",
        text,
    )
    assert written == [text, 0, ["ZWJ", "CR", "⏎", "→", "RLO", "ZWJ"]]
    joined = call(
        modules,
        "common/spelling.js",
        """const element = document.createElement("s"); m.writeText(element, x, () => true);
        return [element.textContent, element.children.length];""",
        "👩\u200d🌾",
    )
    assert joined == ["👩\u200d🌾", 0]


def test_a_token_by_hand_has_one_colour_and_its_space_is_seen(modules: Page) -> None:
    drawn = call(
        modules,
        "common/mount.js",
        """const host = document.body.appendChild(document.createElement("div"));
        const root = host.attachShadow({ mode: "open" });
        const { answer, remove } = await m.mount("by_hand", root);
        answer({ data: x, setStateValue: () => {} });
        const colour = (element) => element.className.match(/\\bc\\d\\b/)[0];
        const [space, letter] = root.querySelectorAll(".bars .pair .t");
        const range = document.createRange();
        const widths = [space, ...root.querySelectorAll(".text b")].map((element) => {
          range.selectNodeContents(element);
          return range.getBoundingClientRect().width;
        });
        const result = { colours: [...root.querySelectorAll(".tok")].map(colour),
          pair: [space, letter].map(colour), widths };
        remove();
        host.remove();
        return result;""",
        {
            "revision": 1,
            "tokens": {"32": "20", "97": "61"},
            "states": [
                {"pieces": [[32, 97, 32, 97]], "pairs": [[32, 97, 2]], "winner": [32, 97]}
                | {"new_id": 256, "tied": 1, "n_pairs": 2}
            ],
            **{"step": 0, "n_bytes": 4, "ties": "first", "walls": False},
        },
    )
    assert drawn["colours"] == drawn["pair"] * 2
    assert min(drawn["widths"]) >= 6


def test_neighbours_never_share_a_colour_and_a_colour_depends_on_the_id(modules: Page) -> None:
    ids = [*range(300), *([7] * 20), *range(99_000, 100_257)]
    colours = call(
        modules, "common/colours.js", "return [[...m.colourTokens(x)], x.map(m.colourOf), m.COLOURS];", ids
    )
    beside, alone, number = colours
    assert all(one != other for one, other in zip(beside, beside[1:], strict=False))
    assert set(alone) == set(beside) == set(range(number))
    # Only beside one of the same colour does a token take another.
    for i, colour in enumerate(beside):
        assert colour == alone[i] or beside[i - 1] == alone[i]


@pytest.mark.parametrize("name", ["grove-udhr-8k", "gpt2", "o200k_base", "tekken"])
@pytest.mark.parametrize("share", [1.0, 0.5, 0.02])
def test_the_scrubber_knows_each_tokens_id(modules: Page, name: str, share: float) -> None:
    """So a token has the colour there that it has everywhere, at every size of the vocabulary."""
    text = (
        "Unbelievably, 1234567890 is four of them…\n안녕하세요, Привет! 👩\u200d🌾 नमस्ते\n\tdef add(a, b):\n"
        * 2
    )
    enc = byte_pairs(name)
    data = TextMap(text).data
    gone = cuts_by_size(enc, text)
    n_ranks = max(enc.ordinary.values()) + 1 - enc.merging.first_id
    size = max(1000, int((n_ranks - 1) * share) + 1)
    scrubbed_ids = call(
        modules,
        "scrubber/stand.js",
        """const ids = [];
        for (let start = 0, at = 1; at <= x.bytes.length; at++)
          if (x.gone[at] > x.size) {
            ids.push(m.tokenId(x.bytes, x.gone, x.byteIds, x.firstId, start, at));
            start = at;
          }
        return ids;""",
        {
            "bytes": list(data),
            "gone": gone.tolist(),
            "size": size,
            "firstId": enc.merging.first_id,
            "byteIds": [enc.ordinary[bytes([byte])] for byte in range(256)],
        },
    )
    assert scrubbed_ids == ids_at_size(enc, text, size)


def arrays_of(reply: Reply) -> dict[str, Any]:
    """The arrays of an answer, by panel and then by name."""
    arrays: dict[str, Any] = {}
    for (panel, name), array in reply.arrays.items():
        arrays.setdefault(panel, {})[name] = array
    return arrays


def unpacked(page: Page, text: str) -> Any:
    """What the browser makes of Python's answer about a text in two encodings."""
    workspace = Workspace(encodings=["gpt2", "cl100k_base"])
    workspace.set_text(text, by_typing=True)
    workspace.panels.encode_slow()
    reply = answer(workspace, {})
    return reply, call(
        page,
        "editor/wire.js",
        """const { DrawnText } = await import('/editor/drawn_text.js');
        const { PanelTokens } = await import('/editor/panel_tokens.js');
        const bytes = Uint8Array.from(atob(x.reply), (char) => char.charCodeAt(0));
        const { arrays, panels: infos } = m.unpack(bytes, null);
        const drawn = new DrawnText(x.text, arrays[""].clusters, 0);
        const panels = infos.map(({ name }) => arrays[name]).map((info) => new PanelTokens({
          ids: info.ids, lengths: info.byte_lengths, flags: info.flags,
          utf16: info.utf16_lengths ?? info.byte_lengths }, drawn));
        const plain = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);
        return { arrays: JSON.stringify(arrays, plain),
          joins: panels.map((panel) => panel.joins),
          hex: panels.map((panel) => Array.from(panel.ids, (_, i) => panel.hex(i))),
          units: panels.map((panel) => Array.from(panel.ids, (_, i) => panel.units(i))),
          cells: [...drawn.cells(0, x.text.length)].map(([start, end]) => x.text.slice(start, end)) };""",
        {"reply": base64.b64encode(reply).decode(), "text": well_formed(text)},
    )


@pytest.mark.parametrize(
    "text", ["", "the cat", "안녕 👩\u200d🌾 e\u0301 नमस्ते\r\n\t\0", *NASTY.values()], ids=ascii
)
def test_an_answer_is_unpacked_as_python_packed_it(modules: Page, text: str) -> None:
    reply, browser = unpacked(modules, text)
    expected = read_reply(reply)
    assert json.loads(browser["arrays"]) == arrays_of(expected)
    assert browser["joins"] == [True, True]
    assert "".join(browser["cells"]) == well_formed(text)
    for panel, name in enumerate(("gpt2", "cl100k_base")):
        enc = tk.get_encoding(name)
        spans = encode_spans(enc, text)
        assert browser["hex"][panel] == [enc.token_bytes(token).hex(" ") for token in spans.ids.tolist()]
        # Each token's units hold the characters in which it has bytes.
        data = TextMap(text).data
        ends = np.cumsum([len(enc.token_bytes(token)) for token in spans.ids.tolist()]).tolist()
        starts = [0, *ends[:-1]] if ends else []
        for (start, end), (begin, stop) in zip(
            browser["units"][panel], zip(starts, ends, strict=True), strict=True
        ):
            part = well_formed(text).encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")
            assert data[begin:stop] in part.encode(), (name, begin)


UNITS = [
    *(
        "a",
        "b ",
        " the",
        "\n",
        "\t",
        "é",
        "e\u0301",
        "\u0301",
        "안",
        "👩\u200d🌾",
        "\u200d",
        "🇺🇸",
        "🇩",
        "नि",
        "ק",
        "½",
    ),
    *("12", "!?", "<|endoftext|>", "\0", "\u202e", " \n "),
]
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
        workspace.panels.encode_slow()
        reply = answer(workspace, {})
        answers.append({"reply": base64.b64encode(reply).decode(), "text": well_formed(each)})
    differences = call(
        modules,
        "editor/panel.js",
        """const { unpack } = await import('/editor/wire.js');
        const { DrawnText } = await import('/editor/drawn_text.js');
        const { PanelTokens } = await import('/editor/panel_tokens.js');
        const page = { settings: {}, edited: true, spotlight: { markChunk() {} } };
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
              const tokens = new PanelTokens({ ids: info.ids, lengths: info.byte_lengths, flags: info.flags,
                utf16: info.utf16_lengths ?? info.byte_lengths }, drawn);
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


def test_an_edit_keeps_the_elements_of_the_tokens_around_it(modules: Page) -> None:
    kept = call(
        modules,
        "editor/panel.js",
        """const { DrawnText } = await import('/editor/drawn_text.js');
        const { PanelTokens } = await import('/editor/panel_tokens.js');
        let marked = 0;
        const page = { settings: { view: "text" }, edited: true, spotlight: { markChunk() { marked++; } } };
        const panel = new m.Panel(page, "gpt2");
        const show = (words) => panel.redraw(new PanelTokens({ ids: words.map(({ length }) => length),
          lengths: words.map(({ length }) => length), utf16: words.map(({ length }) => length),
          flags: words.map(() => 1) }, new DrawnText(words.join(""), [], 0)));
        show(["one", " two", " three", " fourth"]);
        const before = [...panel.tokens.querySelectorAll(".t")];
        before[0].classList.add("lit", "ripple");
        show(["one", " two", "x", "yz", " three", " fourth"]);
        const after = [...panel.tokens.querySelectorAll(".t")];
        panel.destroy();
        return [marked, ...after.map((e) => [before.indexOf(e), e.token, e.matches(".ripple, .lit")])];""",
    )
    new = [[-1, 2, True], [-1, 3, True]]
    assert kept == [2, [0, 0, False], [1, 1, False], *new, [2, 4, False], [3, 5, False]]


def test_a_token_that_shares_bytes_says_so(modules: Page) -> None:
    described = call(
        modules,
        "editor/panel_tokens.js",
        """const SHARES = (await import('/editor/wire.js')).SHARES;
        const tokens = new m.PanelTokens({ ids: [1, 2, 3, 4], lengths: [2, 0, 1, 1], utf16: [1, 0, 1, 1],
          flags: [1, SHARES, 1 | SHARES, 1], drawn: null }, { text: '½ab' });
        return [0, 1, 2, 3].map((i) => tokens.describe(i));""",
    )
    assert described == [
        "“½”, id 1, 2 bytes",
        "id 2, which shares all its bytes with the token before",
        "“a”, id 3, 1 byte, and shares more with the token before",
        "“b”, id 4, 1 byte",
    ]


CHUNKS = """
  const tokens = (text, n) => { // n tokens a line, each of one letter, and the line end
    const ids = [...text].map((char) => char.charCodeAt(0));
    const ones = Uint32Array.from(ids, () => 1);
    return { n: ids.length, flags: Uint8Array.from(ids, () => 1), unitEnds: ones.map((_, i) => i + 1),
      unitStart: (i) => i, drawn: { text } };
  };
"""


def test_chunks_cover_all_tokens_and_end_at_line_ends(modules: Page) -> None:
    text = ("x" * 99 + "\n") * 30 + "y" * 4500
    chunks = call(modules, "editor/chunks.js", CHUNKS + "return m.cutChunks(tokens(x), 0, x.length);", text)
    assert [chunk["first"] for chunk in chunks] == [0, *(chunk["last"] + 1 for chunk in chunks[:-1])]
    assert chunks[-1]["last"] == len(text) - 1
    lengths = [chunk["last"] + 1 - chunk["first"] for chunk in chunks]
    assert lengths == [500, 500, 500, 500, 500, 500, 2000, 2000, 500]
    assert [chunk["sealed"] for chunk in chunks] == [True] * 8 + [False]


def test_no_chunk_has_many_more_tokens_where_each_is_a_part_of_a_letter(modules: Page) -> None:
    """Each is an element: 40,000 letters of three tokens were 96,000 elements before anything was seen."""
    chunks = call(
        modules,
        "editor/chunks.js",
        """const n = 3 * x, unitEnds = Uint32Array.from({ length: n }, (_, i) => Math.floor(i / 3) + 1);
        const tokens = { n, unitEnds, flags: Uint8Array.from({ length: n }, (_, i) => Number(i % 3 === 0)),
          unitStart: (i) => Math.floor(i / 3), drawn: { text: "ⴰ".repeat(x) } };
        const chunks = m.cutChunks(tokens, 0, n);
        return {
          sizes: chunks.map(({ first, last }) => last + 1 - first), atOnce: m.countAtOnce(chunks),
        };""",
        4_000,
    )
    assert max(chunks["sizes"]) == 2001, "whole letters, of about 2,000 tokens"
    assert sum(chunks["sizes"]) == 12_000
    assert chunks["atOnce"] == 1


def test_of_small_chunks_several_are_painted_at_once(modules: Page) -> None:
    script = "return m.countAtOnce(x.map((size) => ({ size })));"
    for sizes, count in [([], 0), ([10], 1), ([500, 500, 500], 2), ([400, 400, 400, 400], 3), ([2000, 9], 1)]:
        assert call(modules, "editor/chunks.js", script, sizes) == count, sizes


def test_an_edit_keeps_the_chunks_before_and_after_it(modules: Page) -> None:
    text = ("x" * 99 + "\n") * 30
    script = (
        CHUNKS
        + "const { length } = x.text;"
        + "return m.keepChunks(m.cutChunks(tokens(x.text), 0, length), length, x.prefix, x.suffix);"
    )
    for prefix, suffix, kept in [(0, 0, [0, 6]), (1200, 1700, [2, 3]), (3000, 0, [6, 6]), (0, 2999, [0, 1])]:
        asked = {"text": text, "prefix": prefix, "suffix": suffix}
        assert call(modules, "editor/chunks.js", script, asked) == kept, (prefix, suffix)


def test_what_two_lists_have_in_common(modules: Page) -> None:
    script = "return m.commonEnds(x[0].length, x[1].length, (i, j) => x[0][i] === x[1][j]);"
    for one, other, expected in [
        ("abc", "abc", [3, 0]),
        ("aaa", "aa", [2, 0]),
        ("abcde", "abXde", [2, 2]),
        ("", "a", [0, 0]),
        ("xa", "a", [0, 1]),
    ]:
        assert call(modules, "common/bytes.js", script, [one, other]) == expected


def test_searching_and_counting_bytes(modules: Page) -> None:
    assert call(modules, "common/bytes.js", "return [0, 1, 2, 9].map((v) => m.above([1, 1, 2, 5], v));") == [
        0,
        2,
        3,
        4,
    ]
    text = "aé€👩\u200d🌾"
    lengths = call(modules, "common/bytes.js", "return m.utf8Length(x, 0, x.length);", text)
    assert lengths == len(text.encode())
    assert call(modules, "common/bytes.js", "return m.toHex(m.fromHex('00 ff0a …'));") == "00 ff 0a"


CLOCK = """
  let next = null, stopped = 0;
  const timing = { request: (act) => ((next = act), 1), cancel: () => { next = null; } };
  const run = (times) => { for (const now of times) { const act = next; next = null; act?.(now); } };
"""


def test_a_clock_hands_out_the_time_between_frames_and_stops(modules: Page) -> None:
    seen = call(
        modules,
        "common/playback.js",
        CLOCK
        + """const elapsed = [], states = [];
        const clock = new m.Clock((ms) => { elapsed.push(ms); return elapsed.length < 3; },
          () => states.push(clock.running), timing);
        clock.start(); clock.start(); run([100, 116, 150, 999]);
        return { elapsed, states, running: clock.running };""",
    )
    assert seen == {"elapsed": [0, 16, 34], "states": [True, False], "running": False}


def test_steps_are_due_by_the_time_that_went_by(modules: Page) -> None:
    due = call(
        modules,
        "common/playback.js",
        "return [[0, 60], [59, 60], [60, 60], [200, 60]].map((a) => m.stepsDue(...a));",
    )
    assert due == [[0, 0], [0, 59], [1, 0], [3, 20]]


def test_a_speed_of_two_takes_half_the_time_of_any_number_of_steps(modules: Page) -> None:
    paces = call(
        modules,
        "common/playback.js",
        "return x.map(([steps, speed]) => m.paceOf(steps, { total: 24, pace: [12, 900] }, speed));",
        [[10, 1], [10, 2], [100, 1], [100, 0.5], [1800, 1], [1800, 16], [0, 1]],
    )
    assert paces == pytest.approx([900, 450, 240, 480, 24000 / 1800, 1500 / 1800, 900])


CONTROLS = """
  const field = document.createElement("textarea"), root = document.createElement("div");
  for (const key of ["first", "back", "play", "next", "last"]) {
    const button = document.createElement("button");
    button.dataset.go = key;
    root.append(button);
  }
  root.insertAdjacentHTML("beforeend", '<input type="range" class="slider"><output class="at"></output>');
  document.body.append(field, root);
  const playback = new m.Playback(root, { show() {}, pace: [9000, 9000], total: 24, speeds: [1] });
  const press = (key) => {
    const button = root.querySelector(`[data-go=${key}]`);
    button.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    field.blur();
    button.click();
  };
  const end = () => { playback.destroy(); field.remove(); root.remove(); };
"""


def test_a_press_that_ends_typing_is_obeyed_with_the_states_of_what_was_typed(modules: Page) -> None:
    """The field sends its text at the press, and the states of that text come after it."""
    seen = call(
        modules,
        "common/playback.js",
        CONTROLS
        + """playback.load(3, 0); field.focus(); press("next"); playback.load(9, 0);
        const next = playback.step;
        playback.load(5, 0);
        const later = playback.step;
        field.focus(); press("play"); playback.load(9, 0);
        const running = playback.clock.running;
        press("last"); playback.load(4, 0);
        const other = playback.step;
        end();
        return { next, later, running, other };""",
    )
    assert seen == {"next": 1, "later": 0, "running": True, "other": 0}


def test_an_axis_has_two_figures_at_least(modules: Page) -> None:
    sizes, values = call(
        modules,
        "common/axes.js",
        "return [x.map((most) => m.sizesAt(256, most)), [1.5, 2, 4.7, 7].map(m.valuesTo)];",
        [300, 512, 2048, 100_256],
    )
    assert sizes == [[256, 300], [256, 512], [256, 512, 1024, 2048], [256, 1024, 4096, 16384, 65536]]
    assert values == [[1, 1.5], [1, 2], [1, 2, 3, 4], [1, 3, 5, 7]]


def test_changes_and_links_are_read_as_they_were_written(modules: Page) -> None:
    workspace = Workspace(encodings=["gpt2", "mistral-v1"])
    for name in workspace.encodings:
        tk.get_encoding(name)
    answers, expected, held = [], [], Reply({"number": None})
    for text in ["", "the cat", "the ½ cat", "the fat ½ cat 안녕", *NASTY.values(), "x" * 70_000, "end"]:
        answers.append(answer(workspace, {"text": text, "holds": held.header["number"]}))
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

    states = [
        {"text": text, "encodings": ["gpt2"], "pin": None} for text in ["", "안녕 \ud83d", *NASTY.values()]
    ]
    links = call(
        modules,
        "editor/link.js",
        "return Promise.all(x.map((state) => m.packState(JSON.parse(state))));",
        list(map(json.dumps, states)),
    )
    for state, link in zip(states, links, strict=True):
        assert unpack_state(link) == json.loads(json.dumps(state))  # JavaScript joins two halves of a pair
        assert len(link) < 1.1 * len(pack_state(state) or "") + 9


SERVER = """
  const realFetch = window.fetch, asked = [], waiting = [];
  // The server answers when the test says so.
  window.fetch = (url, { body }) => new Promise((done, fail) => {
    asked.push(body && JSON.parse(body));
    waiting.push({ done, fail });
  });
  const tick = (milliseconds = 0) => new Promise((done) => setTimeout(done, milliseconds));
  const reply = async (bytes, status = 200) => {
    waiting.shift().done(new Response(status === 200 ? bytes : null, { status }));
    await tick(20);
  };
  const bytesOf = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const end = () => { window.fetch = realFetch; };
"""
CONNECTION = (
    SERVER
    + """
  const drawn = [], events = [];
  const page = { text: "", state: () => ({ text: page.text }), draft: null,
    adopt: ({ text }) => { page.text = text; }, startOver() {}, drawChoosers() {},
    frame: { showBusy() {}, refuse: (sentence) => drawn.push(sentence) },
    sendEvent: (event) => events.push(event),
    draw: (answer, isNewest, isEdit) => drawn.push([answer.text, isNewest, isEdit]) };
  const connection = new m.Connection(page);
  const type = (text) => { page.text = text; connection.ask(); };
  const data = (ticket, revision = 1) => ({ ticket, revision, text: "welcome" });
"""
)
ANSWER = base64.b64encode(pack(1, {"panels": []}, {}, {})).decode()


def test_one_request_is_under_way_and_the_newest_state_goes_next(modules: Page) -> None:
    seen = call(
        modules,
        "editor/connection.js",
        CONNECTION
        + """connection.receive(data("a")); await reply(bytesOf(x));
        type("a"); type("ab"); type("abc");
        await reply(bytesOf(x)); await reply(bytesOf(x)); await tick(600);
        connection.destroy(); end();
        return { asked: asked.map(({ text }) => text), drawn, told: events.length };""",
        ANSWER,
    )
    assert seen["asked"] == ["welcome", "a", "abc"]
    assert seen["drawn"] == [["welcome", True, None], ["a", False, True], ["abc", True, True]]
    assert seen["told"] == 1


def test_what_the_server_did_not_hear_is_sent_again_and_to_a_new_session(modules: Page) -> None:
    seen = call(
        modules,
        "editor/connection.js",
        CONNECTION
        + """connection.receive(data("a")); await reply(bytesOf(x));
        type("a"); waiting.shift().fail(new TypeError()); await tick(400);
        page.text = "ab"; await reply(null, 502); await tick(700);
        await reply(null, 404); await tick(1500);
        const before = asked.length;
        connection.receive(data("b")); await tick(20); await reply(bytesOf(x));
        type("abc"); await reply(null, 500);
        connection.destroy(); end();
        return { asked: asked.map(({ text }) => text), before, drawn };""",
        ANSWER,
    )
    assert seen["asked"] == ["welcome", "a", "a", "ab", "ab", "abc"] and seen["before"] == 4
    assert seen["drawn"][1:] == [["ab", True, None], "The server did not answer. Try it again."]


def test_a_draft_waits_for_the_page_through_any_number_of_reloads(modules: Page) -> None:
    """Whoever reloads twice, before the first reload was answered, still gets back what was typed."""
    leave = """page.draft = { text: "typed last" }; connection.receive(data("a"));
        dispatchEvent(new Event("pagehide")); connection.data = null; end(); return null;"""
    call(modules, "editor/connection.js", CONNECTION + leave)
    script = """dispatchEvent(new Event("pagehide"));
        connection.receive(data("b")); await reply(bytesOf(x)); connection.destroy(); end();
        return asked.map(({ text }) => text);"""
    modules.reload()
    modules.reload()
    assert call(modules, "editor/connection.js", CONNECTION + script, ANSWER) == ["typed last"]
    call(modules, "editor/connection.js", CONNECTION + leave)
    modules.goto("/")  # anew: the address alone counts
    assert call(modules, "editor/connection.js", CONNECTION + script, ANSWER) == ["welcome"]


def test_a_pin_follows_its_token(modules: Page) -> None:
    texts = ["xx one two", "one two!", "one tw", "", "three four", "on two", "öne two", "👩\u200d🚀one two"]
    starts = call(
        modules,
        "editor/index.js",
        "return x.map((text) => m.followPin({ start: 4 }, 'one two', text)?.start ?? null);",
        texts,
    )
    assert starts == [7, 4, 4, None, None, 3, 5, 15]


EDITOR = (
    SERVER
    + """
  const root = document.body.appendChild(document.createElement("div"));
  root.innerHTML = await (await realFetch("/editor/component.html")).text(); // ours
  const editor = new m.default(root.firstElementChild);
  editor.sendEvent = () => {};
  const panel = (at = 1) => root.querySelectorAll(".panel")[at];
  const answers = x.answers.map(bytesOf);
"""
)


def test_a_slow_panel_says_that_it_is_counted_and_is_asked_for_beside_the_keys(modules: Page) -> None:
    workspace = Workspace(text="one two", encodings=["gpt2", "cl100k_base"], pin=Pin("cl100k_base", 4))
    data = mount_data(workspace)
    for name in workspace.encodings:
        workspace.spans(name)
    answers = [answer(workspace, {})]
    workspace.panels._seconds["cl100k_base"] = 1.0
    answers.append(answer(workspace, {"text": "one two three", "holds": 1}))
    answers.append(answer(workspace, {"slow": True, "holds": 2}))
    script = """const seen = [];
        const look = () => seen.push([panel().classList.contains("counting"),
          panel().querySelector(".figures").textContent, panel(0).querySelectorAll(".t").length,
          panel().querySelectorAll(".t").length, panel(0).querySelector(".changed").textContent,
          root.querySelector(".inspector").getAttribute("aria-busy")]);
        editor.receive(x.data); await reply(answers[0]); look();
        const before = editor.input.text;
        editor.input.set("one two three"); editor.typed(before);
        await reply(answers[1]); look();
        panel().querySelector(".tokens").click();
        await reply(answers[2]); look();
        editor.destroy(); root.remove(); end();
        return [seen, asked];"""
    encoded = [base64.b64encode(each).decode() for each in answers]
    (ready, counting, counted), asked = call(
        modules, "editor/index.js", EDITOR + script, {"data": data, "answers": encoded}
    )
    assert ready[0] is False and ready[2:] == [2, 2, "", "false"]
    assert counting[0] is True and "counting…" in counting[1]
    assert counting[2:] == [3, 2, "1 changed", "true"]  # of the text before
    assert counted[0] is False and counted[2:] == [3, 3, "1 changed", "false"]
    assert asked[2] == {"slow": True, "holds": 2}


def test_a_text_from_right_to_left_stands_and_is_walked_so(modules: Page) -> None:
    walked = call(
        modules,
        "lesson/cuts.js",
        """const box = document.body.appendChild(document.createElement("div"));
        const ends = [];
        for (const clusters of x) {
          m.drawCuts(box, { clusters, shows: [{ cuts: [], why: {} }] }, [], false, () => {});
          const line = box.lastChild, buttons = [...line.querySelectorAll("button")];
          buttons[0].focus();
          const press = (key) =>
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          press("ArrowLeft");
          const left = buttons.indexOf(document.activeElement);
          press("End");
          const last = buttons.indexOf(document.activeElement);
          const [first, second] = buttons.map((button) => button.getBoundingClientRect().left);
          ends.push([line.dir, left, last, first > second]);
        }
        box.remove();
        return ends;""",
        [list("abcd"), list("\u05d0\u05d1\u05d2\u05d3")],
    )
    assert walked == [["ltr", 0, 2, False], ["rtl", 1, 2, True]]


def test_a_place_between_two_graphemes_is_named_for_those_who_hear_it(modules: Page) -> None:
    names = call(
        modules,
        "lesson/cuts.js",
        """const box = document.createElement("div");
        const slide = { clusters: x, shows: [{ cuts: [1], why: {} }] };
        m.drawCuts(box, slide, [2], false, () => {});
        return [...box.querySelectorAll("button")].map((button) => button.getAttribute("aria-label"));""",
        ["a", " ", "\n", "e\u0301", "\u200b"],
    )
    assert names == [
        "No cut between a and a space",
        "Cut between a space and a line’s end",
        "No cut between a line’s end and e\u0301",
        "No cut between e\u0301 and ⟨ZWSP⟩",
    ]


def test_the_newest_lesson_on_the_page_hears_the_keys(modules: Page) -> None:
    """Streamlit may put the same lesson on the page a second time, and take one of them away."""
    lesson = {"slug": "f", "title": "T", "question": "Q?", "quiz": [], "steps": [], "texts": [], "notes": []}
    seen = call(
        modules,
        "lesson/index.js",
        """const html = await (await fetch("/lesson/component.html")).text();
        const press = (key, target = document) =>
          target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        const put = () => {
          const root = document.body.appendChild(document.createElement("div"));
          root.innerHTML = html; // ours
          const view = new m.default(root.firstElementChild);
          view.receive({ lesson: x, revision: 1, teaching: true });
          return { view, root };
        };
        const places = [];
        const one = put(), other = put();
        press("PageDown");
        other.root.remove(); other.view.destroy();
        places.push([one.view.visit.at, one.view.$(".slide").dataset.kind]);
        // The switch that has just turned the teacher's view on keeps the focus, and hears the space bar.
        const toggle = document.body.appendChild(document.createElement("input"));
        toggle.type = "checkbox";
        for (const key of [" ", "PageUp"]) {
          press(key, toggle);
          places.push([one.view.visit.at, one.view.$(".slide").dataset.kind]);
        }
        toggle.remove(); one.view.destroy(); one.root.remove();
        return places;""",
        lesson,
    )
    assert seen == [[1, "end"], [1, "end"], [0, "title"]]


def test_what_is_typed_while_there_is_no_editor_is_put_where_the_caret_was(modules: Page) -> None:
    seen = call(
        modules,
        "editor/meanwhile.js",
        """const meanwhile = new m.Meanwhile({ text: "a👩‍🚀 cut b" }, 7, 10); // "cut" is selected
        const heard = [];
        const page = (event) => heard.push(event.key);
        document.addEventListener("keydown", page);
        const press = (key, more = {}, target = document.body) =>
          target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
        for (const key of ["x", "Backspace", "Backspace", "Backspace", "é", "Enter", "Shift"]) press(key);
        press("c", { ctrlKey: true });
        press("Tab");
        const { text, start, end } = meanwhile;
        const field = document.body.appendChild(document.createElement("input"));
        press("y", {}, field); // the person has gone on elsewhere
        press("z");
        document.removeEventListener("keydown", page);
        field.remove();
        return [text, start, end, meanwhile.stop().text === text, heard];""",
    )
    # A joiner and what it joins go one by one, as in a text field.
    text = "a👩\u200dé\n b"
    assert seen == [text, 6, 6, True, ["Shift", "c", "Tab", "y", "z"]]
