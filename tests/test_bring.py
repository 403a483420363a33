"""The page Bring: files come in pieces, wait to be seen, and are taken or left."""

from __future__ import annotations

import base64
import gc
import json
import os
import threading
import weakref
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import streamlit as st
import tiktoken

import tokenizers as tk
from pages.grow.bring.state import TELLING_LINE, Bringing, BringState
from pages.session import incoming as incoming_module
from pages.session import waiting as waiting_module
from pages.session import workspace as workspace_module
from pages.session.incoming import MAX_FILES, Arrived, Incoming, Kinds
from pages.session.kept import Kept
from pages.session.local_file import read_path
from pages.session.records import record_of_encoding
from pages.session.waiting import KINDS, MAX_WAITING, NO_WALLS, WALLS, Tray, name_of
from pages.session.workspace import MAX_OWN, Workspace, file_bytes, own_memory
from pages.session.workspace_link import encoding_comes_back
from pages.shared import this_machine
from pages.shared.plain import plain
from pages.shared.session import key_of
from tests.browser import expect, settled
from tests.texts import NASTY
from tests.visit import Visit, components
from tokenizers.askers import Asker, BusyError, Places, asked_by
from tokenizers.bpe import HomeEncoding
from tokenizers.bundled.tiktoken_files import ENCODINGS_DIR, TIKTOKEN_ENCODINGS
from tokenizers.contents import gguf
from tokenizers.encoding import Encoding
from tokenizers.formats import (
    READERS,
    estimate_room,
    file_of,
    hub,
    installed,
    read_any,
    reading,
    storage,
)
from tokenizers.split.patterns import spell_for_engine
from tokenizers.text.byte_characters import byte_characters

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Page

SMALL = HomeEncoding([(104, 105), (32, 256)], "gpt4", ["<|x|>"])
MODEL = storage.to_bytes(SMALL)
JSON = storage.FORMATS[".json"].write(SMALL)
RANKS = storage.FORMATS[".tiktoken"].write(SMALL)
HOSTILE = "<img src=x onerror=alert(1)> **b** $x$ [a](//e) \u202egpj.model"


def arrived(name: str, data: bytes) -> Arrived:
    return Arrived(name, data, len(data))


# Files that come in pieces


class Sender:
    """What the browser's side does, without one: it says what was chosen, and sends what it is asked for."""

    def __init__(self, incoming: Incoming) -> None:
        self.incoming = incoming
        self.seq = 0
        self.sent = 0  # bytes

    def say(self, **message: Any) -> None:
        self.seq += 1
        self.incoming.hear({"seq": self.seq, "session": self.incoming.session, **message})

    def choose(self, *files: tuple[str, bytes], sizes: Iterable[int] = ()) -> list[Arrived]:
        """Choose files, and send pieces until no more are asked for."""
        sizes = [*sizes] or [len(data) for _, data in files]
        self.say(
            files=[
                {"number": number, "name": name, "size": size}
                for number, ((name, _), size) in enumerate(zip(files, sizes, strict=True))
            ]
        )
        while ask := self.incoming.next_step()["ask"]:
            assert self.incoming.next_step()["ask"] == ask  # the page was drawn again: the same piece
            piece = files[ask["file"]][1][ask["start"] : ask["start"] + ask["length"]]
            self.sent += len(piece)
            data = base64.b64encode(piece).decode()
            self.say(piece={"number": ask["number"], "data": data})
        return self.incoming.take_arrived()


def test_files_come_in_pieces_and_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming_module, "PIECE", 1000)
    monkeypatch.setattr(incoming_module, "FIRST_LOOK", 100)
    sender = Sender(Incoming(KINDS))
    files = [("a.model", os.urandom(2500)), ("b", b"x" * 1000), ("c", b""), ("d\u202e\n e", b"1")]
    there = sender.choose(*files)
    assert [(each.name, each.data) for each in there] == [
        ("a.model", files[0][1]),
        ("b", files[1][1]),
        ("d\u202e e", b"1"),
    ]
    assert sender.incoming.problems == ["c is empty."]
    assert not sender.incoming.take_arrived() and not sender.incoming.is_busy


def test_of_a_header_no_more_comes_than_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming_module, "PIECE", 1000)
    monkeypatch.setattr(incoming_module, "FIRST_LOOK", 100)
    monkeypatch.setattr(incoming_module, "FIRST_HEADER", 2000)
    kinds = Kinds(16_000, lambda data: data.startswith(b"GGUF"), lambda data: b"END" in data)
    data = b"GGUF" + b"-" * 3000 + b"END" + b"w" * 100_000
    sender = Sender(Incoming(kinds))
    (there,) = sender.choose(("m.gguf", data), sizes=[1 << 40])
    assert there.data == data[:4000] and there.size == 1 << 40
    assert sender.sent == 4000
    # A header without an end: up to the limit, and then the reader says so.
    sender = Sender(Incoming(kinds))
    (there,) = sender.choose(("m.gguf", b"GGUF" + b"-" * 50_000), sizes=[1 << 40])
    assert len(there.data) == 16_000
    # A file of another kind that is too long: its beginning alone.
    sender = Sender(Incoming(kinds))
    assert not sender.choose(("weights", b"w" * 50_000), ("ok", b"fine"), sizes=[50_000_000, 4])[1:]
    (problem,) = sender.incoming.problems
    assert "weights has 47.7 MB" in problem and "not the model’s weights" in problem
    assert sender.sent == 100 + 4


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"files": "all"},
        {"files": [None, {}, {"number": True, "size": 3}, {"number": 1, "size": -1}, {"number": 2}]},
        {"piece": {"number": 1, "data": "AAAA"}},
        {"piece": {"number": 0, "data": 7}},
        {"stop": "yes", "files": {"number": 1}},
        {"seq": True},
        {"seq": -4, "files": [{"number": 1, "name": "a", "size": 5}]},
        {"session": "another", "files": [{"number": 1, "name": "a", "size": 5}]},
    ],
)
def test_nothing_comes_of_a_forged_message(message: dict[str, Any]) -> None:
    incoming = Incoming(KINDS)
    incoming.hear({"seq": 1, "session": incoming.session, **message})
    assert incoming.next_step()["ask"] is None and not incoming.take_arrived()


@pytest.mark.parametrize("data", [None, "", "AAAA" * 100, "no base64", 5])
def test_a_piece_that_is_not_as_asked_ends_its_file_alone(data: object) -> None:
    incoming = Incoming(KINDS)
    files = [{"number": n, "name": f"f{n}", "size": 3} for n in range(2)]
    incoming.hear({"seq": 1, "session": incoming.session, "files": files})
    ask = incoming.next_step()["ask"]
    incoming.hear({"seq": 2, "session": incoming.session, "piece": {"number": ask["number"], "data": data}})
    assert incoming.problems == ["f0 did not arrive whole. Is it a folder, or did it move? Choose it again."]
    ask = incoming.next_step()["ask"]
    assert ask["file"] == 1
    piece = {"number": ask["number"], "data": base64.b64encode(b"abc").decode()}
    incoming.hear({"seq": 3, "session": incoming.session, "piece": piece})
    assert incoming.take_arrived() == [arrived("f1", b"abc")]


def test_files_that_are_too_much_together_are_refused_before_they_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(incoming_module, "PIECE", 1000)
    monkeypatch.setattr(incoming_module, "FIRST_LOOK", 100)
    monkeypatch.setattr(incoming_module, "MAX_BATCH_BYTES", 5000)
    sender = Sender(Incoming(KINDS))
    there = sender.choose(("a", b"a" * 3000), ("b", b"b" * 3000), ("c", b"c" * 2000))
    assert [each.name for each in there] == ["a", "c"]
    assert sender.incoming.problems == [
        "b is too much beside the others: up to 4.9 KB are taken at a time. Bring it by itself."
    ]
    assert sender.sent == 3000 + 100 + 2000


def test_very_many_files_and_a_stop() -> None:
    incoming = Incoming(KINDS)
    files = [{"number": n, "name": "x", "size": 3} for n in range(MAX_FILES + 5)]
    incoming.hear({"seq": 1, "session": incoming.session, "files": files})
    assert "the last 5 were left" in incoming.problems[0]
    step = incoming.next_step()
    assert step["doing"]["more"] == MAX_FILES - 1
    incoming.hear({"seq": 2, "session": incoming.session, "stop": True})
    assert incoming.next_step()["ask"] is None and not incoming.is_busy


# A path on this machine


def test_a_path_is_read_and_what_is_no_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "mine.model").write_bytes(MODEL)
    (tmp_path / "empty").touch()
    assert read_path(f' "{tmp_path}/mine.model" ', KINDS) == arrived("mine.model", MODEL)
    os.mkfifo(tmp_path / "pipe")
    for name in ("missing", "", "pipe", "a\0b", "mine.model/x"):
        with pytest.raises(ValueError, match="There is no file .* that can be read"):
            read_path(f"{tmp_path}/{name}", KINDS)
    with pytest.raises(ValueError, match="Write the whole path"):
        read_path("mine.model", KINDS)
    with pytest.raises(ValueError, match=r"^empty is empty\.$"):
        read_path(str(tmp_path / "empty"), KINDS)
    with (tmp_path / "weights").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ValueError, match="weights has 1,024 GB"):
        read_path(str(tmp_path / "weights"), KINDS)
    kinds = replace(KINDS, has_header=lambda data: True, is_whole=lambda data: True)
    there = read_path(str(tmp_path / "weights"), kinds)
    assert len(there.data) == incoming_module.FIRST_HEADER and there.size == 1 << 40


# What waits


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [("a.model", MODEL, "minbpe’s .model"), ("b.txt", JSON, "tokenizer.json"), ("c", RANKS, ".tiktoken")],
)
def test_what_waits_is_told_by_its_content_and_taken(name: str, data: bytes, kind: str) -> None:
    tray, workspace = Tray(), Workspace()
    assert tray.put([arrived(name, data)], workspace) == []
    (waiting,) = tray.waiting.values()
    assert (waiting.kind, waiting.file, waiting.n_bytes) == (kind, name, len(data))
    assert not workspace.grown
    taken = tray.take(waiting.key, workspace, answer="gpt2")
    assert taken == name_of(name) and not tray.waiting
    assert workspace.grown[taken].encode("hi hi") == [256, 257]
    assert workspace.encodings[0] == taken and workspace.growth[taken].file == name
    assert workspace.growth[taken].pattern_chosen == (kind == ".tiktoken")
    assert file_of(read_any(file_of(workspace.grown[taken]), "again")) == file_of(workspace.grown[taken])


def test_each_answer_gives_another_encoding() -> None:
    tray, workspace = Tray(), Workspace()
    assert tray.put([arrived("r.tiktoken", RANKS)], workspace) == []
    (waiting,) = tray.waiting.values()
    assert waiting.question is not None and len(waiting.question.choices) == len(tk.PATTERNS) + 1
    for answer in waiting.question.choices:
        splitting = waiting.encoding(answer).splitting
        assert splitting is not None
        assert splitting.pattern == (None if answer == "none" else tk.PATTERNS[answer])
        encoding = waiting.encoding(answer)
        for text in NASTY:
            ids = encoding.encode(text)
            assert waiting.tokens(answer, text) == [encoding.token_bytes(token_id) for token_id in ids]
    assert waiting.encoding("another") is waiting.encoding("gpt4")  # a forged answer


def test_a_tiktoken_file_may_have_the_bytes_in_any_order() -> None:
    tokens = [*(bytes([byte]) for byte in reversed(range(256))), b"hi", b" hi", b"hi hi"]
    data = b"".join(b"%b %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens))
    tray, workspace = Tray(), Workspace()
    assert tray.put([arrived("Llama-3.model", data)], workspace) == []
    (waiting,) = tray.waiting.values()
    assert waiting.question is not None and list(waiting.question.choices) == [
        name for name in WALLS.choices if name != NO_WALLS
    ]
    ranks = {token: rank for rank, token in enumerate(tokens)}
    for answer in waiting.question.choices:
        theirs = tiktoken.Encoding(
            "t", pat_str=spell_for_engine(tk.PATTERNS[answer]), mergeable_ranks=ranks, special_tokens={}
        )
        for text in NASTY:
            assert waiting.encoding(answer).encode(text) == theirs.encode_ordinary(tk.well_formed(text))
    tray.take(waiting.key, workspace, answer="gpt2")
    taken = workspace.grown["Llama-3"]
    assert taken.encode("hi hi") == [256, 257] and workspace.growth["Llama-3"].pattern_chosen
    assert read_any(file_of(taken), "again").encode("hi hi") == [256, 257]
    lines = data.splitlines(keepends=True)
    for cut, problem in (
        (data[:-1], "cut off"),
        (b"".join(lines[1:]), "no token of rank 0"),
        (b"".join(lines[:255]) + b"aGk= 255\n", "not the 256 bytes"),
    ):
        assert problem in tray.put([arrived("x", cut)], workspace)[0]
    for head in (b"token grove ranks 1 gpt9\n", b"token grove ranks 2 gpt4\n"):
        assert len(tray.put([arrived("x", head + data)], workspace)) == 1


@pytest.mark.slow
def test_openais_own_rank_file_gives_its_ids() -> None:
    (digest,) = TIKTOKEN_ENCODINGS["cl100k_base"][1]
    tray, workspace = Tray(), Workspace()
    assert tray.put([arrived("c.tiktoken", (ENCODINGS_DIR / digest).read_bytes())], workspace) == []
    ours, theirs = tray.waiting["1"].encoding("gpt4"), tk.get_encoding("cl100k_base")
    for text in NASTY:
        assert ours.encode(text) == theirs.encode(text)
    assert tk.merge_tree(ours, 24748) == tk.merge_tree(theirs, 24748)


def test_what_cannot_be_read_is_one_sentence_and_the_others_wait() -> None:
    tray, workspace = Tray(), Workspace()
    files = [("x.gif", b"GIF89a"), ("ok.model", MODEL), ("cut.tiktoken", RANKS[:-3]), (HOSTILE, b"\0")]
    problems = tray.put([arrived(name, data) for name, data in files], workspace)
    assert len(problems) == 3 and [waiting.file for waiting in tray.waiting.values()] == ["ok.model"]
    assert problems[0].startswith("x.gif cannot be loaded. It is none of these: ")
    assert "vocab.json and merges.txt" in problems[0] and ".tiktoken" in problems[0]
    assert "cut off" in problems[1]
    assert "\u202e" not in problems[2]
    many = tray.put([arrived("m.model", MODEL)] * MAX_WAITING, workspace)
    assert len(tray.waiting) == MAX_WAITING
    assert many == [f"m.model is one too many: {MAX_WAITING} wait already. Take or leave some of them first."]


LETTERS = {letter: number for number, letter in enumerate(byte_characters())}
VOCAB_JSON = json.dumps({**LETTERS, "hi": 256, "Ġhi": 257}).encode()
MERGES_TXT = "#version: 0.2\nh i\nĠ hi\n".encode()
VOCAB_TXT = "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hi", "##gh", "Hi"]).encode()


@pytest.mark.parametrize(("name", "data"), [("r.tiktoken", RANKS), ("vocab.txt", VOCAB_TXT)])
def test_of_the_answers_to_a_question_two_are_kept_in_memory(name: str, data: bytes) -> None:
    """Each takes as much as a file that asks nothing; that of all walls was counted once."""
    tray = Tray()
    tray.put([arrived(name, data)], Workspace())
    (waiting,) = tray.waiting.values()
    assert waiting.question is not None
    read = {answer: weakref.ref(waiting.encoding(answer)) for answer in waiting.question.choices}
    gc.collect()
    kept = [answer for answer, encoding in read.items() if encoding() is not None]
    assert set(kept) == {waiting.question.default, list(read)[-1]}
    assert waiting.encoding(kept[0]) is read[kept[0]]() and waiting.encoding(kept[1]) is read[kept[1]]()
    assert waiting.memory == 2 * estimate_room(data)


def test_halves_wait_for_each_other() -> None:
    tray, workspace = Tray(), Workspace()
    both = [arrived("merges.txt", MERGES_TXT), arrived("gpt.vocab.json", VOCAB_JSON)]
    assert tray.put(both, workspace) == []
    (problem,) = tray.put(both[:1], workspace)
    assert problem == "merges.txt is one half of a tokenizer: it waits for its vocab.json. Bring that, too."
    assert tray.put(both[1:], workspace) == []
    assert [each.file for each in tray.waiting.values()] == ["gpt.vocab.json + merges.txt"] * 2
    first, _ = tray.waiting.values()
    assert first.kind == "vocab.json and merges.txt" and first.n_bytes == len(VOCAB_JSON + MERGES_TXT)
    assert tray.take(first.key, workspace) == "gpt.vocab"
    assert workspace.grown["gpt.vocab"].encode("hi hi") == [256, 257]
    assert read_any(file_of(workspace.grown["gpt.vocab"]), "again").encode("hi hi") == [256, 257]
    broken = [arrived("v.json", VOCAB_JSON[:-9]), arrived("m.txt", MERGES_TXT)]
    assert tray.put(broken, workspace)[0].startswith("v.json + m.txt cannot be loaded. ")


def test_a_vocab_txt_asks_whether_it_drops_capitals() -> None:
    tray, workspace = Tray(), Workspace()
    assert tray.put([arrived("vocab.txt", VOCAB_TXT)], workspace) == []
    (waiting,) = tray.waiting.values()
    assert waiting.question is not None and list(waiting.question.choices) == ["yes", "no"]
    assert [waiting.encoding(answer).encode("Hi high") for answer in ("yes", "no")] == [[5, 5, 6], [7, 5, 6]]
    tray.take(waiting.key, workspace, answer="no")
    assert read_any(file_of(workspace.grown["vocab"]), "again").encode("Hi high") == [7, 5, 6]
    bad = VOCAB_TXT + b"\nhi\n"
    assert "is on two of its lines" in tray.put([arrived("vocab.txt", bad)], workspace)[0]


def test_a_chat_template_comes_with_its_tokenizer() -> None:
    tokenizer = json.loads(JSON)
    tokenizer["added_tokens"][0]["special"] = False  # no merges of ours: it stays as it is
    template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    config = json.dumps(
        {"tokenizer_class": "GPT2Tokenizer", "bos_token": {"content": "<s>"}, "chat_template": template}
    ).encode()
    as_it_is = json.loads(JSON)  # with merges of ours, whose own format holds no template
    for beside, described in (
        (config, tokenizer),
        (template.encode(), tokenizer),
        (config, as_it_is),
        (template.encode(), as_it_is),
    ):
        tray, workspace = Tray(), Workspace()
        files = [arrived("beside", beside), arrived("t.json", json.dumps(described).encode())]
        assert tray.put(files, workspace) == []
        (waiting,) = tray.waiting.values()
        assert waiting.file == "t.json + beside"
        assert waiting.encoding().chat_template == template
        tray.take(waiting.key, workspace)
        again, bare = (
            read_any(data, "t") for data in (file_of(workspace.grown["t"]), json.dumps(described).encode())
        )
        assert again.chat_template == template and again.encode("hi, high") == bare.encode("hi, high")
        assert again.chat_names == ({"bos_token": "<s>"} if beside is config else {})
        assert (again.training is None) == (bare.training is None)
    (problem,) = tray.put([arrived("tokenizer_config.json", config)], workspace)
    assert "tells no tokens" in problem


@pytest.mark.slow
def test_of_a_gguf_its_header_alone_comes() -> None:
    header = gguf.write_header(
        {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": ["a" * 90] * 100_000}
    )
    sender = Sender(Incoming(KINDS))
    (there,) = sender.choose(("m.gguf", header + bytes(40 << 20)), sizes=[1 << 40])
    assert len(header) <= len(there.data) <= 2 * max(len(header), incoming_module.FIRST_HEADER)
    damaged = b"GGUF" + b"\xff" * (9 << 20)
    sender = Sender(Incoming(KINDS))
    (there,) = sender.choose(("m.gguf", damaged), sizes=[1 << 40])
    (problem,) = Tray().put([there], Workspace())
    assert problem.startswith("m.gguf cannot be loaded. ")
    assert sender.sent == incoming_module.FIRST_LOOK  # more would not help


def test_there_is_room_for_so_many_encodings_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, tray = Workspace(), Tray()
    for _ in range(MAX_OWN - 1):
        workspace.add_grown(read_any(MODEL, "e"))
    tray.put([arrived("a.model", MODEL), arrived("b.model", MODEL)], workspace)
    first, second = list(tray.waiting)
    tray.take(first, workspace)
    with pytest.raises(ValueError, match="There are 40 encodings of your own"):
        tray.take(second, workspace)
    assert second in tray.waiting and len(workspace.grown) == MAX_OWN
    assert "40 encodings" in tray.put([arrived("c.model", MODEL)], workspace)[0]
    workspace.remove_grown("a")
    monkeypatch.setattr(workspace_module, "MAX_OWN_BYTES", workspace.own_bytes + file_bytes(SMALL) - 1)
    with pytest.raises(ValueError, match="remove one first"):
        tray.take(second, workspace)
    monkeypatch.setattr(workspace_module, "MAX_OWN_BYTES", workspace.own_bytes + file_bytes(SMALL))
    taken = sum(map(own_memory, workspace.grown.values()))
    monkeypatch.setattr(workspace_module, "MAX_OWN_MEMORY", taken + own_memory(SMALL) - 1)
    with pytest.raises(ValueError, match="of memory together"):
        tray.take(second, workspace)
    (problem,) = tray.put([arrived("c.model", MODEL)], workspace)  # before it is read
    assert "of memory together" in problem and len(tray.waiting) == 1
    monkeypatch.setattr(workspace_module, "MAX_OWN_MEMORY", taken + own_memory(SMALL))
    assert tray.take(second, workspace) == "b"


def test_the_limit_holds_for_what_comes_back_and_for_a_forged_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_module, "MAX_OWN", 2)
    workspace, kept = Workspace(), Kept("session")
    records = [record_of_encoding(read_any(MODEL, f"e{n}"), None) for n in range(4)]
    sent = [
        {"id": each.id, "head": each.head, "payload": base64.b64encode(each.payload).decode()}
        for each in records
    ]
    listed = [{"id": each.id, "n_bytes": len(each.payload)} for each in records]
    kept.hear({"seq": 1, "list": listed, "on": True, "records": sent}, workspace)
    assert list(workspace.grown) == ["e0", "e1"]
    lost = [problem for problem in kept.problems if "could not be brought back" in problem]
    assert len(lost) == 2 and "There are 2 encodings of your own" in lost[0]
    assert not kept.next_step(workspace)["remove"]  # they lie there on: nothing is lost
    with pytest.raises(ValueError, match="2 encodings"):
        encoding_comes_back(workspace, read_any(MODEL, "e9"), None)


# The page


def visit(*files: Arrived, **link: str) -> Visit:
    bringing, workspace = Bringing(), Workspace()
    bringing.problems = bringing.tray.put(files, workspace)
    state: dict[str, object] = {key_of(Bringing): bringing, "workspace": workspace}
    return Visit("grow/bring/page.py", dict(link), **state)


def previews(page: Visit) -> list[dict[str, Any]]:
    return [
        json.loads(proto.json)
        for proto in components(page.test)
        if proto.component_name == "token_grove.preview"
    ]


def test_the_first_screen_says_what_can_be_brought() -> None:
    page = visit()
    assert page.test.title[0].value == "Bring your own"
    assert [proto.component_name for proto in components(page.test)] == ["token_grove.files"]
    listed = page.test.markdown[1].value
    assert "**tokenizer.json**: " in listed and "**.tiktoken**: " in listed
    assert all(f"**{reader.label}**" in listed for reader in READERS)
    assert not page.test.error
    assert "bring_text" not in [field.key for field in page.test.text_input]
    assert "Up to 40 of them" in page.test.caption[-1].value


def test_what_waits_is_seen_before_it_is_taken() -> None:
    page = visit(arrived("one.model", MODEL), arrived("x.gif", b"GIF89a"), arrived("two.json", JSON))
    assert [plain("x.gif cannot be loaded.") in error.value for error in page.test.error] == [True]
    one, two = previews(page)
    assert ["Pre-tokeniser", "pieces by the split pattern gpt4", False] in one["facts"]
    assert ["File", f"minbpe’s .model, {len(MODEL):,} bytes", False] in one["facts"]
    assert ["Special tokens", "<|x|>", False] in two["facts"]
    page.test.text_input(key="bring_text").set_value("hi hi <|x|>\t½")
    page.run()
    one, _ = previews(page)
    ids = SMALL.encode("hi hi <|x|>\t½")
    assert [token[0] for token in one["tokens"]] == ids and one["count"] == len(ids)
    assert one["tokens"][0][1] == b"hi".hex() and one["places"] == 0
    assert page.test.query_params["text"] == "hi hi <|x|>\t½"
    page.test.text_input(key="bring_name_1").set_value("  my own ")
    page.test.button(key="bring_take_1").click()
    page.run()
    workspace = page.test.session_state["workspace"]
    assert list(workspace.grown) == ["my own"] and not page.test.error
    assert any("my own" in markdown.value for markdown in page.test.markdown)
    page.test.button(key="bring_leave_2").click()
    page.run()
    assert not previews(page) and list(workspace.grown) == ["my own"]
    page.test.text_input(key="bring_rename_my own").set_value("mine")
    page.run()
    assert list(workspace.grown) == ["mine"]
    page.test.button(key="bring_remove_mine").click()
    page.run()
    assert not workspace.grown


@pytest.mark.slow
def test_a_tiktoken_file_asks_which_walls_it_has() -> None:
    merges = tk.train("in the trees, in the 12345 trees " * 9, 300, "gpt2").merges
    data = storage.FORMATS[".tiktoken"].write(HomeEncoding(merges, "gpt2"))
    page = visit(arrived("gr*ve.tiktoken", data))
    walls = page.test.radio(key="bring_answer_1")
    assert all(" │ " in option for option in walls.options)
    page.test.text_input(key="bring_line_1").set_value("in the")
    page.run()
    encoding = HomeEncoding(merges, "gpt2")
    walls = page.test.radio(key="bring_answer_1")
    assert f"{len(encoding.encode('in the'))} tokens" in " ".join(walls.options)
    walls.set_value("none")
    page.run()
    assert ["Pre-tokeniser", "none: a text is one piece", False] in previews(page)[0]["facts"]
    page.test.radio(key="bring_answer_1").set_value("gpt2")
    page.test.button(key="bring_take_1").click()
    page.run()
    ((name, taken),) = page.test.session_state["workspace"].grown.items()
    assert name == "gr*ve" and taken.pattern == encoding.pattern
    train = Visit("grow/train/page.py", {}, workspace=page.test.session_state["workspace"])
    assert any("as you said" in markdown.value for markdown in train.test.markdown)


def test_each_file_asks_for_itself() -> None:
    page = visit(arrived("a.tiktoken", RANKS), arrived("vocab.txt", VOCAB_TXT), arrived("b.tiktoken", RANKS))
    page.test.text_input(key="bring_line_2").set_value("Hi high")
    page.run()
    assert [line.value for line in page.test.text_input if line.label == "A line of text"] == [
        TELLING_LINE,
        "Hi high",
        TELLING_LINE,
    ]
    assert "3 tokens, " in page.test.radio(key="bring_answer_2").options[0] and len(previews(page)) == 3


def test_hostile_names_are_text() -> None:
    page = visit(arrived(HOSTILE, MODEL), arrived(HOSTILE, b"GIF89a"))
    name = plain("<img src=x onerror=alert(1)> **b** $x$ [a](//e)")
    assert page.test.subheader[0].value == f"{name} gpj.model"
    assert page.test.error[0].value.startswith(name)
    page.test.button(key="bring_take_1").click()
    page.run()
    (taken,) = page.test.session_state["workspace"].grown
    assert f"**{plain(taken)}** can be chosen on every page now." in [
        each.value for each in page.test.markdown
    ]
    assert taken.startswith("<img src=x")


def test_a_link_holds_the_text_and_no_more_than_fits() -> None:
    assert (
        visit(arrived("a.model", MODEL), text="x" * 900).test.text_input(key="bring_text").value == "x" * 500
    )
    assert BringState().to_link() == {}


def test_a_path_is_offered_to_whoever_sits_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert [expander.label for expander in visit().test.expander] == ["From Hugging Face’s hub"]
    monkeypatch.setattr("pages.grow.bring.elsewhere.sits_here", lambda: True)
    page = visit()
    (tmp_path / "mine.model").write_bytes(MODEL)
    page.test.text_input(key="bring_path").set_value(str(tmp_path / "mine.model"))
    page.test.button(key="bring_look_path").click()
    page.run()
    assert len(previews(page)) == 1
    page.test.text_input(key="bring_path").set_value("/no/such/file")
    page.test.button(key="bring_look_path").click()
    page.run()
    assert "There is no file" in page.test.error[0].value and len(previews(page)) == 1


def test_what_is_installed_is_found_and_the_hub_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("pages.grow.bring.elsewhere.sits_here", lambda: True)
    (tmp_path / "its.model").write_bytes(MODEL)
    found = installed.Found("a-package", "1.0", tmp_path / "its.model", len(MODEL))
    monkeypatch.setattr("pages.grow.bring.elsewhere._find", lambda: [found])
    page = visit()
    assert "a-package" in page.test.selectbox(key="bring_which").options[0]
    page.test.button(key="bring_look_found").click()
    page.run()
    assert len(previews(page)) == 1

    def fetch(name: str) -> hub.Fetched:
        if name == "gone/away":
            raise OSError("Hugging Face's hub cannot be reached from here. Try again later.")
        return hub.Fetched("tokenizer.json", JSON)

    monkeypatch.setattr("pages.grow.bring.elsewhere.fetch_from_hub", fetch)
    for repository, problem in (("../etc", "is no name on"), ("gone/away", "cannot be reached")):
        page.test.text_input(key="bring_repo").set_value(repository)
        page.test.button(key="bring_fetch").click()
        page.run()
        assert problem in page.test.error[0].value and len(previews(page)) == 1
    page.test.text_input(key="bring_repo").set_value("some/Model-7B")
    page.test.button(key="bring_fetch").click()
    page.run()
    assert not page.test.error and page.test.text_input(key="bring_name_2").value == "Model-7B"
    monkeypatch.setattr("pages.grow.bring.elsewhere.MAX_FETCHES", 2)  # two were asked for
    monkeypatch.setattr("pages.grow.bring.elsewhere.sits_here", lambda: False)
    page.test.button(key="bring_fetch").click()
    page.run()
    assert "may fetch 2 files" in page.test.error[0].value and len(previews(page)) == 2


def test_whoever_asks_from_elsewhere_is_offered_no_file_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    headers = {"host": "localhost:8501"}
    listens: list[str | None] = ["127.0.0.1"]
    get_option = st.get_option
    monkeypatch.setattr(
        st, "get_option", lambda name: listens[0] if name == "server.address" else get_option(name)
    )
    monkeypatch.setattr(this_machine, "_request", lambda: (None, headers))
    monkeypatch.setattr("pages.grow.bring.elsewhere._find", list)

    def is_offered(page: Visit) -> bool:
        return "A path on this machine" in [expander.label for expander in page.test.expander]

    page = visit()
    assert is_offered(page)
    headers.clear()  # the browser connects anew
    page.run()
    assert is_offered(page)
    headers["host"] = "grove.example"
    page.run()
    assert not is_offered(page)
    headers.update({"host": "localhost", "x-forwarded-for": "203.0.113.9"})
    assert not is_offered(visit())
    del headers["x-forwarded-for"]
    assert is_offered(visit())
    listens[0] = None  # on all addresses
    assert not is_offered(visit())
    listens[0] = "127.0.0.1"
    monkeypatch.setattr(this_machine, "_request", lambda: ("203.0.113.9", headers))
    assert not is_offered(visit())
    monkeypatch.setattr(this_machine, "_request", lambda: (None, headers))
    monkeypatch.setenv(this_machine.VARIABLE, "off")
    assert not is_offered(visit())


PATHS = {
    "version": "1.0",
    "added_tokens": [],
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    "model": {
        "type": "Unigram",
        "unk_id": 0,
        "byte_fallback": False,
        "vocab": [["<unk>", 0.0], ["▁", -2.0], ["▁hi", -3.0], *([letter, -5.0] for letter in "abcdefghi")],
    },
}


ENDS = {
    "version": "1.0",
    "added_tokens": [],
    "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "model": {
        "type": "BPE",
        "end_of_word_suffix": "</w>",
        "unk_token": "u",
        "vocab": {"u": 0, "h": 1, "i</w>": 2, "a</w>": 3, "hi</w>": 4, "a": 5},
        "merges": [["h", "i</w>"]],
    },
}


@pytest.mark.parametrize(
    ("page", "link", "sentence"),
    [
        ("explore/vocabulary", {"encoding": "pieces"}, "cuts a text into word pieces and merges nothing"),
        ("explore/vocabulary", {"encoding": "paths"}, "the most probable of all ways to cut a word"),
        ("explore/merge_trees", {"encoding": "pieces", "text": "hi", "token": "hi"}, "tokens of paths fit"),
        ("measure/compression", {"encodings": "pieces,paths"}, "pieces and paths lose what is not in"),
        ("measure/languages", {"encodings": "pieces,paths"}, ""),
        (
            "measure/vocabulary_size",
            {"encodings": "pieces,paths", "left": "pieces", "right": "paths", "text": "English prose"},
            "paths has no merges",
        ),
    ],
)
@pytest.mark.slow
def test_what_a_brought_family_does_not_have_is_said(page: str, link: dict[str, str], sentence: str) -> None:
    tray, workspace = Tray(), Workspace(text="hi")
    files = [arrived("pieces.txt", VOCAB_TXT), arrived("paths.json", json.dumps(PATHS).encode())]
    assert tray.put(files, workspace) == []
    for key in list(tray.waiting):
        tray.take(key, workspace)
    test = Visit(
        f"{page}/page.py", link, workspace=workspace, merge_trees_encodings=list(workspace.grown)
    ).test
    assert not test.error
    sentences = [each.value for kind in (test.info, test.caption, test.warning) for each in kind]
    assert any(plain(sentence) in each or sentence in each for each in sentences)


@pytest.mark.parametrize(
    ("page", "link", "sentence"),
    [
        ("explore/vocabulary", {"encoding": "ends"}, ""),
        ("explore/merge_trees", {"encoding": "ends", "text": "hi", "token": "a"}, ""),
        ("measure/vocabulary_size", {"encodings": "ends", "left": "ends"}, "and there is no curve."),
    ],
)
def test_merges_that_are_not_drawn_are_no_lack_of_merges(
    page: str, link: dict[str, str], sentence: str
) -> None:
    tray, workspace = Tray(), Workspace(text="hi")
    assert tray.put([arrived("ends.json", json.dumps(ENDS).encode())], workspace) == []
    tray.take("1", workspace)
    test = Visit(f"{page}/page.py", link, workspace=workspace, merge_trees_encodings=["ends"]).test
    sentences = [each.value for kind in (test.info, test.caption) for each in kind]
    sent = [proto.json for proto in components(test)]
    shown_sentences = [each.replace("\\", "") for each in (*sentences, *sent)]
    why = "ends merges byte pairs, but its merges are not drawn here: its tokens are marked at the ends of"
    assert any(why in each and sentence in each for each in shown_sentences), shown_sentences
    assert not any("othing merges" in each or "merges nothing" in each for each in shown_sentences)
    assert not any("no merges" in each or "No merge" in each for each in shown_sentences)


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("explore/vocabulary", {"encoding": "bytes"}),  # one that little is worked out for
        ("explore/merge_trees", {"text": "hi"}),
        ("explore/unicode", {"text": "hi"}),
        ("measure/compression", {"encoding": "gpt2", "text": "prose"}),
        ("measure/languages", {"encodings": "gpt2"}),
        ("measure/vocabulary_size", {"encodings": "gpt2", "text": "udhr:kor", "beside": "none"}),
    ],
)
@pytest.mark.slow
def test_every_chooser_leads_here(page: str, link: dict[str, str]) -> None:
    links = [each.proto for each in Visit(f"{page}/page.py", link).test.get("page_link")]
    assert [(each.page, each.label) for each in links] == [("bring", "Bring your own…")]


# In a browser


def test_a_file_is_dropped_seen_taken_and_there_after_a_reload(page: Page) -> None:
    page.goto("/")
    chooser = page.get_by_label("Add an encoding")
    expect(chooser).to_be_attached()
    chooser.select_option(label="Bring your own, from a file…")
    expect(page.get_by_role("heading", name="Bring your own", level=1)).to_be_visible()
    files: list[FilePayload] = [
        {"name": "tiny.model", "mimeType": "", "buffer": MODEL},
        {"name": "picture.gif", "mimeType": "", "buffer": b"GIF89a"},
        {"name": "filler.json", "mimeType": "", "buffer": b"{" + b" " * (9 << 20)},  # of three pieces
    ]
    page.locator("input[type=file]").set_input_files(files)
    expect(page.get_by_text("picture.gif cannot be loaded.")).to_be_visible()
    expect(page.get_by_text("filler.json cannot be loaded.")).to_be_visible()
    expect(page.get_by_text("pieces by the split pattern gpt4")).to_be_visible()
    page.get_by_label("Try what waits on this text").fill("hi hi")
    page.get_by_label("Try what waits on this text").press("Enter")
    expect(page.get_by_text("2 tokens of 5 bytes")).to_be_visible()
    expect(page.get_by_text("Comes back byte for byte.")).to_be_visible()
    page.get_by_role("button", name="Take it").click()
    expect(page.get_by_text("tiny can be chosen on every page now.")).to_be_visible()
    page.get_by_role("button", name="Kept here: 1").or_(page.get_by_text("Kept here: 1")).first.wait_for()
    page.get_by_role("button", name="See it in the playground").click()
    expect(page.get_by_label("Text to tokenise")).to_be_visible()
    expect(page.locator(".panel").first).to_contain_text("tiny")
    settled(page)
    page.reload()
    expect(page.locator(".panel").first).to_contain_text("tiny")


# Reading takes turns


def test_files_are_read_for_two_at_a_time_and_for_nobody_who_has_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Any number of files that take long were read at once, and to the end, whoever had left."""
    go_on, reads = threading.Event(), list[str]()
    is_here = {"a": True, "b": True, "c": True}

    def read_slowly(data: bytes, name: str, *, file: str) -> Encoding:
        reads.append(name)
        assert go_on.wait(60)
        return read_any(data, name, file=file)

    monkeypatch.setattr(waiting_module, "read_any", read_slowly)
    trays = {key: Tray() for key in is_here}

    def put(key: str) -> None:
        with asked_by(Asker(key, lambda: is_here[key])):
            trays[key].put([arrived(f"{key}{number}.model", MODEL) for number in range(3)], Workspace())

    threads = [threading.Thread(target=put, args=(key,)) for key in is_here]
    try:
        for thread in threads:
            thread.start()
        for _ in range(3_000):
            if len(reads) + len(reading._places._line) == 3:
                break
            go_on.wait(0.01)
        assert len(reads) == 2, "the third waits"
        is_here.update(a=False, b=False, c=False)
    finally:
        go_on.set()
        for thread in threads:
            thread.join(60)
    assert len(reads) == 2, "of each, what had begun, and no more"
    assert sorted(len(tray.waiting) for tray in trays.values()) == [0, 1, 1]
    assert not reading._places._held and not reading._places._line


def test_another_answer_to_a_question_waits_for_a_place_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is read anew with it."""
    tray = Tray()
    tray.put([arrived("mine.tiktoken", RANKS)], Workspace())
    (waiting,) = tray.waiting.values()
    assert waiting.question is not None
    other = next(answer for answer in waiting.question.choices if answer != waiting.question.default)
    monkeypatch.setattr(reading, "_PATIENCE", 0.0)
    monkeypatch.setattr(reading, "_places", Places(0))
    with pytest.raises(BusyError):
        waiting.encoding(other)
    monkeypatch.setattr(reading, "_places", Places(1))
    assert waiting.encoding(other) is waiting.encoding(other)


def test_what_comes_back_while_others_read_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_PATIENCE", 0.0)
    monkeypatch.setattr(reading, "_places", Places(0))
    record = record_of_encoding(read_any(MODEL, "mine"), None)
    sent = {"id": "0" * 24, "head": record.head, "payload": base64.b64encode(record.payload).decode()}
    kept, workspace = Kept(), Workspace()
    listed = [{"id": "0" * 24, "n_bytes": 1}]
    kept.hear({"seq": 1, "list": listed, "records": [sent]}, workspace)
    assert kept.wants == ["0" * 24] and not kept.problems and not workspace.grown
    monkeypatch.setattr(reading, "_places", Places(1))
    kept.hear({"seq": 2, "list": listed, "records": [sent]}, workspace)
    assert list(workspace.grown) == ["mine"] and kept.is_settled
