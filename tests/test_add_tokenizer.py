"""The page Bring: files are uploaded, read, looked at, and added or discarded."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from pages.grow.add_tokenizer import upload_route
from pages.grow.add_tokenizer.state import TokenizerImport
from pages.server.requests import TICKET
from pages.session import own_encodings as own_encodings_module
from pages.session import tokenizer_files
from pages.session.own_encodings import SPLIT_SECONDS, OwnEncoding
from pages.session.pending_tokenizers import (
    MAX_PENDING,
    NOT_CHOSEN,
    PendingTokenizers,
)
from pages.session.tokenizer_files import MAX_UPLOADS, TokenizerFile, Uploads, read_path
from pages.session.workspace import Workspace
from pages.shared import this_machine
from pages.shared.markdown import escape
from pages.shared.session import key_of
from tests.browser import expect, expect_text, press, settled
from tests.gguf_cases import gguf_of
from tests.refusals import refused
from tests.test_gguf import LLAMA
from tests.visit import Visit, components
from tokenizers.bpe import HomeEncoding, home_trained
from tokenizers.bundled import ABSENT, find_absent
from tokenizers.description import steps_in_words
from tokenizers.files import LABELS, MAX_FILE_BYTES, WRITERS, file_of, finding, load, loading, minbpe
from tokenizers.json_types import JsonObject
from tokenizers.text.spelling import byte_characters

if TYPE_CHECKING:
    from playwright.sync_api import Page

SMALL = HomeEncoding([(104, 105), (32, 256)], "gpt4", ["<|x|>"])
MODEL = minbpe.to_bytes(SMALL)
JSON = WRITERS[".json"](SMALL)
RANKS = WRITERS[".tiktoken"](SMALL)
GB = 1 << 30


def uploaded(name: str, data: bytes) -> TokenizerFile:
    return TokenizerFile(name, data, len(data))


# Uploads

CLIENT = TestClient(Starlette(routes=[upload_route.route]))


def post(uploads: Uploads, name: str, data: bytes, size: object = None, **headers: str) -> int:
    """The status of an upload's answer."""
    parameters = {"name": name, "size": str(len(data) if size is None else size)}
    given = {TICKET: uploads.ticket, **headers}
    return CLIENT.post("/class/files", params=parameters, content=data, headers=given).status_code


def test_an_upload_is_a_request_for_each_file() -> None:
    uploads = Uploads()
    files = [("a.model", MODEL), ("d\u202e\n e", b"1"), ("", b"23"), ("empty", b""), ("big", b"4567")]
    for name, data in files:
        assert post(uploads, name, data, 3 * GB if name == "big" else None) == 204
    there, problems = uploads.take()
    assert there == [uploaded("a.model", MODEL), uploaded("d e", b"1"), uploaded("The file", b"23")]
    empty, big = problems
    assert empty == "empty is empty."
    assert big.startswith("big has 3 GB") and "not the model’s weights" in big
    assert post(uploads, "long", bytes(MAX_FILE_BYTES + 1)) == 413
    for size in ("", "-1", "a", "1" * 17, "²"):
        assert post(uploads, "x", b"1", size) == 400
    for ticket in ("guessed", Uploads().ticket):  # of a session that has ended
        assert post(uploads, "x", b"1", **{TICKET: ticket}) == 404
    assert uploads.take() == ([], [])


def test_files_that_are_too_many_or_too_much_together_are_refused() -> None:
    uploads = Uploads()
    for number in range(MAX_UPLOADS + 2):
        post(uploads, f"f{number}", b"123")
    files, problems = uploads.take()
    assert [each.name for each in files] == [f"f{number}" for number in range(MAX_UPLOADS)]
    assert problems[0] == "f20 is one too many: up to 20 files can be uploaded at a time."
    assert len(problems) == 2
    with patch.object(tokenizer_files, "MAX_UPLOAD_BYTES", 5000):
        for name, size in (("a", 3000), ("b", 3000), ("c", 2000)):
            post(uploads, name, bytes(size))
    files, problems = uploads.take()
    assert [each.name for each in files] == ["a", "c"]
    assert problems == [
        "b is too large to upload with the others: the limit is 4.9 KB at a time. Upload it by itself."
    ]


def test_a_path_is_read_and_what_is_no_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "mine.model").write_bytes(MODEL)
    (tmp_path / "empty").touch()
    assert read_path(f' "{tmp_path}/mine.model" ') == uploaded("mine.model", MODEL)
    os.mkfifo(tmp_path / "pipe")
    for name in ("missing", "", "pipe", "a\0b", "mine.model/x"):
        with refused("There is no readable file"):
            read_path(f"{tmp_path}/{name}")
    with refused("Write the whole path"):
        read_path("mine.model")
    with refused(r"^empty is empty\.$"):
        read_path(str(tmp_path / "empty"))
    with (tmp_path / "weights").open("wb") as file:
        file.truncate(1 << 40)
    with refused("weights has 1,024 GB"):
        read_path(str(tmp_path / "weights"))


# Pending tokenizers


def read(*files: TokenizerFile) -> tuple[PendingTokenizers, Workspace]:
    tokenizers, workspace = PendingTokenizers(), Workspace()
    assert tokenizers.read(files, workspace) == []
    return tokenizers, workspace


def test_a_persons_file_is_tried_in_a_process_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    task = tmp_path / "task.py"
    task.write_text("def load(*_):\n    raise ValueError('It would crash.')\n")
    monkeypatch.setattr(loading, "_TRIAL", task)
    new = uploaded("own.json", JSON + b" ")  # a file that passed is not tried again
    problems = PendingTokenizers().read([new], Workspace())
    assert len(problems) == 1 and "It would crash." in problems[0]


def test_no_more_tokenizers_wait_than_there_may_be() -> None:
    tokenizers = PendingTokenizers()
    file = uploaded("m.model", MODEL)
    assert tokenizers.read([file], Workspace()) == []
    problems = tokenizers.read([file] * MAX_PENDING, Workspace())
    assert len(tokenizers.pending) == MAX_PENDING
    said = f"m.model is one too many: {MAX_PENDING} are waiting. Add or discard some of them first."
    assert problems == [said]


LETTERS = {letter: number for number, letter in enumerate(byte_characters())}
VOCAB_JSON = json.dumps({**LETTERS, "hi": 256, "Ġhi": 257}).encode()
MERGES_TXT = "#version: 0.2\nh i\nĠ hi\n".encode()
VOCAB_TXT = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhi\n##gh\nHi"


@pytest.mark.slow
def test_halves_wait_for_each_other() -> None:
    merges, vocabulary = uploaded("merges.txt", MERGES_TXT), uploaded("gpt.vocab.json", VOCAB_JSON)
    tokenizers, workspace = read(merges, vocabulary)
    said = tokenizers.read([merges], workspace)
    assert said == ["merges.txt is half of a tokenizer. Add its vocab.json, too."]
    assert tokenizers.read([vocabulary], workspace) == []
    pending, _ = tokenizers.pending.values()
    assert pending.file == "gpt.vocab.json + merges.txt" and pending.kind == "vocab.json and merges.txt"
    assert pending.n_bytes == len(VOCAB_JSON + MERGES_TXT)
    assert pending.encoding("gpt2").split_timeout == SPLIT_SECONDS
    for answer, form in ((NOT_CHOSEN, "NFC"), ("gpt2", NOT_CHOSEN)):
        with refused("Choose its split pattern and normal form"):
            tokenizers.add(pending.key, workspace, answer=answer, form=form)
    assert tokenizers.add(pending.key, workspace, answer="gpt2", form="NFC") == "gpt.vocab"
    added = workspace.own_encodings["gpt.vocab"].encoding
    assert ("Normaliser", "NFC") in steps_in_words(added)
    assert load(file_of(added), "again").encode("hi hi") == [256, 257]
    (problem,) = tokenizers.read([uploaded("v.json", VOCAB_JSON[:-9]), merges], workspace)
    assert problem.startswith("v.json + merges.txt cannot be loaded. ")


@pytest.mark.slow
def test_a_vocab_txt_asks_whether_it_drops_capitals() -> None:
    tokenizers, workspace = read(uploaded("vocab.txt", VOCAB_TXT))
    (pending,) = tokenizers.pending.values()
    assert pending.question is not None
    encoded = [pending.encoding(answer).encode("Hi high") for answer in pending.question.choices]
    assert encoded == [[5, 5, 6], [7, 5, 6]]
    tokenizers.add(pending.key, workspace, answer="no")
    assert load(file_of(workspace.own_encodings["vocab"].encoding), "again").encode("Hi high") == [7, 5, 6]


TEMPLATE = "{% for message in messages %}{{ image }}{% endfor %}"


CONFIG = b"""{
    "bos_token": null,
    "eos_token": {"content": "</s>"},
    "image_token": "<image>",
    "extra_special_tokens": {"image": "<i>"},
    "add_bos_token": true,
    "chat_template": [
        {"name": "default", "template": "{% for message in messages %}{% endfor %}"},
        {"name": "tool_use", "template": "{{ tools }}"}
    ]
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("beside", "keeps_merges", "tool_use"),
    [
        ([], True, "{{ tools }}"),
        (["chat_template.jinja"], False, None),
        (["tool_use.jinja", "chat_template.jinja"], True, TEMPLATE),
    ],
    ids=["none", "one", "two"],
)
def test_pending_template_wins_over_that_of_the_config(
    beside: list[str], keeps_merges: bool, tool_use: str | None
) -> None:
    tokenizer = json.loads(JSON)
    tokenizer["added_tokens"][0]["special"] = keeps_merges  # otherwise the file itself is kept
    described = json.dumps(tokenizer).encode()
    templates = [uploaded(name, TEMPLATE.encode()) for name in beside]
    config, file = uploaded("tokenizer_config.json", CONFIG), uploaded("t.json", described)
    tokenizers, workspace = read(*templates, config, file)
    tokenizers.add("1", workspace)
    again = load(file_of(workspace.own_encodings["t"].encoding), "t")
    bare = load(described, "t")
    assert again.encode("hi, high") == bare.encode("hi, high")
    chat = again.chat_templates
    assert chat.names == {"eos_token": "</s>", "image_token": "<image>", "image": "<i>"}
    assert (chat.default == TEMPLATE) == bool(beside) and chat.default is not None
    assert chat.tool_use == tool_use
    assert (home_trained(again) is not None) == (home_trained(bare) is not None) == keeps_merges


def test_what_there_is_no_room_for_stays_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizers, workspace = read(uploaded("a.model", MODEL), uploaded("b.model", MODEL))
    tokenizers.add("1", workspace)
    monkeypatch.setattr(own_encodings_module, "MAX_OWN", 1)
    for problem in ("There are 1 tokenizers of your own", "TOKEN_GROVE_OWN_ENCODINGS_MEMORY_MB"):
        with refused(problem):
            tokenizers.add("2", workspace)
        assert problem in tokenizers.read([uploaded("c.model", MODEL)], workspace)[0]  # before it is read
        monkeypatch.setattr(own_encodings_module, "MAX_OWN", 2)
        monkeypatch.setattr(own_encodings_module, "MAX_OWN_MEMORY", 2 * OwnEncoding(SMALL).memory - 1)
    assert list(tokenizers.pending) == ["2"]
    monkeypatch.setattr(own_encodings_module, "MAX_OWN_MEMORY", 2 * OwnEncoding(SMALL).memory)
    assert tokenizers.add("2", workspace) == "b"


# The page


def visit(*files: TokenizerFile, **link: str) -> Visit:
    imports, workspace = TokenizerImport(), Workspace()
    imports.problems = imports.tokenizers.read(files, workspace)
    state: dict[str, object] = {key_of(TokenizerImport): imports, "workspace": workspace}
    return Visit("grow/add_tokenizer/page.py", dict(link), **state)


def previews(page: Visit) -> list[JsonObject]:
    return [
        json.loads(proto.json)
        for proto in components(page.test)
        if proto.component_name == "token_grove.preview"
    ]


def test_the_first_screen_says_what_can_be_brought() -> None:
    page = visit()
    assert [proto.component_name for proto in components(page.test)] == ["token_grove.upload"]
    listed = page.test.expander[-1].markdown[0].value
    assert all(f"**{label}**" in listed for label in LABELS)
    assert "add_tokenizer_text" not in [field.key for field in page.test.text_input]
    assert page.said.startswith("Add a tokenizer\n") and page.messages == ""
    assert "Each may be compressed" in page.said and "Up to 40" in page.said
    assert "A file on this computer" not in [box.label for box in page.test.expander]  # to a stranger


@pytest.mark.slow
def test_what_waits_is_seen_added_renamed_and_removed() -> None:
    files = [uploaded("one.model", MODEL), uploaded("x.gif", b"GIF89a"), uploaded("r.tiktoken", RANKS)]
    page = visit(*files, text="x" * 900)
    assert page.field("add_tokenizer_text").value == "x" * 500
    assert escape("x.gif cannot be loaded.") in page.messages
    assert len(previews(page)) == 1  # the ranks alone do not say how they split
    page.set("add_tokenizer_answer_2", "none")
    page.set("add_tokenizer_text", "hi hi <|x|>\t½")
    one, ranks = previews(page)
    assert ["Pre-tokeniser", "none: a text is one piece"] in ranks["facts"]
    assert ["File", f"minbpe’s .model, {len(MODEL):,} bytes"] in one["facts"]
    assert [token[0] for token in one["tokens"]] == SMALL.encode("hi hi <|x|>\t½")
    assert one["tokens"][0][1] == b"hi".hex() and one["count"] == len(one["tokens"]) and one["places"] == 0
    assert page.link["text"] == "hi hi <|x|>\t½"
    page.field("add_tokenizer_name_1").set_value("  *my* own ")
    page.press("add_tokenizer_add_1")
    assert f"**{escape('*my* own')}** was added. You can choose it on every page." in page.said
    page.press("add_tokenizer_add_2")
    assert not previews(page)
    page.set("add_tokenizer_rename_*my* own", "mine")
    page.press("add_tokenizer_remove_r")
    assert list(page.workspace.own_encodings) == ["mine"]


@pytest.mark.slow
def test_the_normal_form_of_two_halves_is_asked() -> None:
    page = visit(uploaded("vocab.json", VOCAB_JSON), uploaded("merges.txt", MERGES_TXT))
    page.set("add_tokenizer_answer_1", "gpt2")
    assert not previews(page), "the form is not chosen yet"
    page.set("add_tokenizer_form_1", "NFC")
    (preview,) = previews(page)
    assert ["Normaliser", "NFC"] in preview["facts"]
    page.press("add_tokenizer_add_1")
    (added,) = page.workspace.own_encodings.values()
    assert ("Normaliser", "NFC") in steps_in_words(added.encoding)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The visitor sits at the machine on which the app runs."""
    monkeypatch.setattr("pages.grow.add_tokenizer.sources.is_local_visitor", lambda: True)
    return monkeypatch


def test_a_file_by_its_path(here: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = finding.Found("a-package", tmp_path / "mine.model", len(MODEL))
    here.setattr("pages.grow.add_tokenizer.sources._find", lambda: [found])
    (tmp_path / "mine.model").write_bytes(MODEL)
    page = visit()
    for path in (str(tmp_path / "mine.model"), "/no/such/file"):
        page.field("add_tokenizer_path").set_value(path)
        page.press("add_tokenizer_look_path")
        assert len(previews(page)) == 1
    assert "There is no readable file" in page.messages
    assert "a-package" in page.field("add_tokenizer_which").options[0]
    page.press("add_tokenizer_look_found")
    assert len(previews(page)) == 2


@pytest.mark.slow
def test_a_file_of_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(name: str) -> tuple[str, bytes]:
        if name == "gone/away":
            raise OSError("Hugging Face's hub cannot be reached from here. Try again later.")
        return "tokenizer.json", JSON

    monkeypatch.setattr("pages.grow.add_tokenizer.sources.fetch_from_hub", fetch)
    page = visit()
    for repository, problem in (
        ("../etc", "is not the name of a repository"),
        ("gone/away", "cannot be reached"),
    ):
        page.field("add_tokenizer_repo").set_value(repository)
        page.press("add_tokenizer_fetch")
        assert problem in page.messages and not previews(page)
    page.field("add_tokenizer_repo").set_value("some/Model-7B")
    page.press("add_tokenizer_fetch")
    assert not page.test.error and page.field("add_tokenizer_name_1").value == "Model-7B"


def test_a_model_is_found_by_its_name(here: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fetched: list[str] = []

    def fetch(name: str) -> tuple[str, bytes]:
        fetched.append(name)
        return "tokenizer.json", JSON

    (tmp_path / "tokenizer.model").write_bytes(RANKS)
    found = [finding.Found("llama-models", tmp_path / "tokenizer.model", len(RANKS))]
    here.setattr(finding.Found, "name", "llama-models: llama4/tokenizer.model")
    here.setattr("pages.grow.add_tokenizer.sources._find", lambda: found)
    here.setattr("pages.grow.add_tokenizer.sources.fetch_from_hub", fetch)
    page = visit(find="kimi")
    for query, says, never_says in (
        ("kimi", "**Kimi K2** Moonshot AI’s licence", "Gemma 3"),
        ("gpt-4o", "**GPT-4o, GPT-5 (o200k_base)** is here.", "Kimi"),
        # No encoding that is here, though one speaks of Llama 1 and 32,000 pieces.
        ("llama 3", "**Llama 3, 3.1, 3.2, 3.3**", "is here"),
        ("no such (model)", "models?search=no%20such%20%28model%29)", "Kimi"),
    ):
        page.set("add_tokenizer_find", query)
        assert says in page.said and never_says not in page.said, query
    page.set("add_tokenizer_find", "")
    page.press("add_tokenizer_get_Kimi K2")
    assert fetched == ["moonshotai/Kimi-K2-Instruct"] and len(previews(page)) == 1
    page.press("add_tokenizer_discard_1")
    page.press("add_tokenizer_get_Llama 4")
    assert page.test.subheader[0].value == "tokenizer.model" and len(fetched) == 1


def test_what_is_absent_has_models_of_its_own_and_a_repository() -> None:
    for absent in ABSENT:
        assert find_absent(absent.models) == [absent]
        assert not absent.repository or finding.check_repository(absent.repository) == absent.repository


@pytest.mark.parametrize(
    ("listens", "address", "headers", "is_local"),
    [
        ("127.0.0.1", None, {"host": "localhost:8501"}, True),
        ("127.0.0.1", None, {}, False),  # the browser reconnects
        ("127.0.0.1", None, {"host": "grove.example"}, False),
        (None, None, {"host": "localhost"}, False),  # on all addresses
        ("127.0.0.1", "203.0.113.9", {"host": "localhost"}, False),
    ],
)
def test_files_of_the_machine_are_offered_to_nobody_else(
    listens: str | None,
    address: str | None,
    headers: dict[str, str],
    is_local: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = SimpleNamespace(
        context=SimpleNamespace(headers=headers, ip_address=address),
        get_option=lambda name: listens,
    )
    monkeypatch.setattr(this_machine, "st", here)
    assert this_machine.is_local_visitor() == is_local
    monkeypatch.setenv(this_machine.VARIABLE, "off")
    assert not this_machine.is_local_visitor()


# In a browser


def choose(page: Page, *files: str | Path) -> None:
    page.locator("input[type=file]").set_input_files(list(files))


def test_a_file_is_dropped_seen_and_added(page: Page, tmp_path: Path) -> None:
    page.goto("/")
    press(page, "+ Add a tokenizer")
    press(page, "Add a tokenizer from a file…")
    expect(page.get_by_role("heading", name="Add a tokenizer", level=1)).to_be_visible()
    (tmp_path / "tiny.model").write_bytes(MODEL)
    for name, data in (("huge.gguf", gguf_of("llama", **LLAMA)), ("weights.safetensors", b"")):
        (tmp_path / name).write_bytes(data)
        os.truncate(tmp_path / name, 3 * GB)
    choose(page, *sorted(tmp_path.iterdir()))
    expect_text(page, "weights.safetensors has 3 GB, and a tokenizer’s file may")
    expect_text(page, ".gguf, 3,221,225,472 bytes")
    field = page.get_by_label("Text to try")
    field.fill("hi hi")
    field.press("Enter")
    expect_text(page, "2 tokens for 5 bytes")
    expect_text(page, "Decoding restores the text exactly.")
    page.get_by_role("button", name="Add").last.click()
    expect_text(page, "tiny was added. You can choose it on every page.")


def test_a_long_upload_is_stopped_and_too_many_files_are_left(page: Page, tmp_path: Path) -> None:
    (tmp_path / "long.json").write_bytes(b"{" + b" " * (20 << 20))
    (tmp_path / "tiny.model").write_bytes(MODEL)
    page.goto("/add_tokenizer")
    settled(page)
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 500_000}
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", slow)
    choose(page, tmp_path / "tiny.model", tmp_path / "long.json", tmp_path / "tiny.model")
    expect_text(page, "Uploading long.json (20.0 MB), and 1 more file")
    press(page, "Stop")
    expect(page.get_by_role("heading", name="tiny.model")).to_have_count(1)
    expect(page.get_by_text("Uploading")).to_be_hidden()
    network.send("Network.emulateNetworkConditions", {**slow, "uploadThroughput": -1})
    choose(page, *[tmp_path / "tiny.model"] * (MAX_UPLOADS + 1))
    expect_text(page, "Up to 20 files can be uploaded at a time. Left out: 1 file.")
