"""Inputs, as Python writes them, and below them what comes of each: tests/known_answers/answers.txt."""

from __future__ import annotations

import ast
import base64
import io
import json
import re
import shlex
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from typing import Any

import pandas as pd
import pytest

import tokenizers as tk
from pages.explore.playground.introduction import describe_introduction
from pages.grow.train.form import forecast
from pages.grow.train.progress import curve_so_far, run_in_words, share_done
from pages.measure.compression import charts
from pages.server import host_check, start_check
from pages.session.own_encodings import OwnEncoding
from pages.session.pending_tokenizers import PendingTokenizers
from pages.session.train_methods import Method
from pages.session.train_plan import Recipe, bundled_bytes
from pages.session.train_run import Run
from pages.session.workspace import WELCOME, Workspace
from pages.shared.warnings import training_warnings
from pages.teaching.drawn_tokens import draw_tokens
from pages.teaching.formulas import FUNCTIONS
from pages.teaching.kinds import CLASS_KINDS
from pages.teaching.lesson_files import FOLDER as LESSONS
from tests.commands import exit_code
from tests.gguf_cases import cases
from tests.test_add_tokenizer import uploaded
from tests.test_api import ON, access_of, ask, client_of
from tests.test_chat_counts import ASKED, WEATHER, count
from tests.test_chat_requests import notes_of
from tests.test_compare import pair
from tests.test_faults import listen, opened_in_browser
from tests.test_gguf import small_gguf
from tests.test_host_check import who_is_let_in
from tests.test_kinds_of_files import tokenizer_json
from tests.test_lessons import link_of, value
from tests.test_notebook import drawn
from tests.test_own_texts import files
from tests.test_page_state import kept_of
from tests.test_pipelines import (
    OF_PIECES,
    PIECES,
    PIPELINES,
    added,
    bpe,
    content,
    of_bytes,
    read,
    why_not_drawn,
)
from tests.test_pipelines import encoding as encoding_of_pipeline
from tests.test_premiums import declare
from tests.test_warnings import trained_from
from tests.test_ways import open_tool
from tests.texts import stretches
from tests.trained import from_ranks
from tests.visit import Parameters, Visit
from tests.written import read_sections
from tokenizers.bpe import HomeEncoding
from tokenizers.bpe.explain import explain_cut
from tokenizers.bpe.plain import Ties, step_through
from tokenizers.data.parallel import why_left_out
from tokenizers.description import steps_in_words
from tokenizers.encoding import ChatTemplates, Encoding
from tokenizers.families.huggingface_engine import build_engine
from tokenizers.files import format_of, load
from tokenizers.files.gguf import from_bytes
from tokenizers.files.tokenizer_json_steps import DECODERS, NORMALISERS, PRE_TOKENISERS, describe_steps
from tokenizers.json_types import JsonObject
from tokenizers.measure import METRICS, search_tokens, vocabulary_of
from tokenizers.measure.chat_counts import count_chat
from tokenizers.text import Spans, code_point, encode_spans, explain_plainly, find_kinds, mixed_words
from tokenizers.text.chat import Chat, Message, render_harmony
from tokenizers.text.chat_json import parse_chat
from tokenizers.text.facts import utf8_state
from tokenizers.text.files import decode_file
from tokenizers.text.scripts import script_of_token
from tokenizers.text.tool_schemas import tools_in_typescript
from tokenizers.text.uploaded_chat import render_template
from tokenizers.text.words import find_words
from tools.known_answers import FOLDER

OF_CHARSMAP = PIPELINES["xlm-roberta"]["file"]["normalizer"]["normalizers"]
CHARSMAP = next(step for step in OF_CHARSMAP if "precompiled_charsmap" in step)


def describe(known: JsonObject) -> Callable[[Any], str]:
    return lambda step: "\n".join(describe_steps(step, known, "step"))


def place_in(marked: tuple[Any, str]) -> tuple[Spans, int]:
    """The spans of a text without its bar, and where that stood, in bytes.

    The encoding is the app's, one of test_pipelines.py, or made of merges, a pattern and special tokens.
    """
    encoding, text = marked
    if not isinstance(encoding, str):
        enc: Encoding = HomeEncoding(*encoding)
    elif encoding in tk.list_encodings():
        enc = tk.get_encoding(encoding)
    else:
        enc = encoding_of_pipeline(encoding)
    before, after = text.split("|", 1)
    return encode_spans(enc, before + after, allowed_special="all"), len(before.encode())


def reason_at(marked: tuple[Any, str]) -> object:
    spans, place = place_in(marked)
    return spans.reason(place)


def kind_at(marked: tuple[Any, str]) -> str:
    spans, place = place_in(marked)
    why = explain_cut(spans.encoding, spans.text_map.text, place, allowed_special="all")
    return f"{why.kind}: {why.sentence}"


def covered(spans: Spans) -> str:
    return repr("|".join(stretches(spans)))


def covers(asked: tuple[str, str]) -> str:
    encoding, text = asked
    return covered(encode_spans(tk.get_encoding(encoding), text, allowed_special="all"))


def losses_of(asked: tuple[str, str]) -> str:
    encoding, text = asked
    losses = encode_spans(tk.get_encoding(encoding), text, allowed_special="all").losses
    data = text.encode()
    return ", ".join(f"{data[loss.start : loss.end].decode()!r} > {loss.became!r}" for loss in losses)


def without_unknown(asked: tuple[str, JsonObject, JsonObject]) -> str:
    """What tokens cover where a BPE leaves out what it does not know. The ids are the library's."""
    text, parts, model = asked
    file = content(model=bpe(**model), added_tokens=[added("<s>", 9)], **parts)
    spans = encode_spans(read(file), text, allowed_special="all")
    judge = build_engine(file)
    judge.encode_special_tokens = False
    assert spans.ids.tolist() == judge.encode(text).ids
    return covered(spans)


def covers_of_changed(asked: tuple[list[JsonObject], str]) -> str:
    """What tokens of single characters cover after these normalisers. Precompiled is that of XLM-RoBERTa."""
    steps, text = asked
    steps = [CHARSMAP if step["type"] == "Precompiled" else step for step in steps]
    normalizer = {"type": "Sequence", "normalizers": steps}
    seen = build_engine({"model": bpe(), "normalizer": normalizer}).normalizer.normalize_str(text)
    model = bpe(vocab={char: number for number, char in enumerate(sorted(set(seen)))}, merges=[])
    file = content(model=model, normalizer=normalizer, decoder={"type": "Fuse"})
    return covered(encode_spans(read(file), text))


def given_back(tokens: str) -> list[bytes]:
    enc = read(content(**OF_PIECES))
    return enc.given_back(list(map(PIECES.index, tokens.split())))


def family_of(model: JsonObject) -> str:
    enc = read(content(model=model))
    return f"{enc.family}: {enc.encode('a')}"


def found_in_gpt2(search: JsonObject) -> str:
    words = vocabulary_of(tk.get_encoding("gpt2"))
    found = search_tokens(words, **search, timeout=60).tolist()
    script = search.get("script")
    assert script is None or {*map(words.script_of, found)} <= {script}
    return f"{len(found)} tokens, the last {found[-1]}" if found else "no tokens"


def facts_of_token(token: str | bytes) -> str:
    data = token.encode() if isinstance(token, str) else token
    words = vocabulary_of(from_ranks([data]))
    assert words.token_bytes[256] == data and words.script_of(256) == script_of_token(data)
    flags = ("leading_space", "whitespace", "digits", "not_utf8", "special")
    true = [flag for flag in flags if getattr(words, flag)[256]]
    lengths = f"{words.byte_lengths[256]} bytes, {words.char_lengths[256]} characters"
    return ", ".join([repr(words.texts[256]), lengths, words.script_of(256), *true])


def steps_of_training(asked: tuple[str, Ties, str | None]) -> str:
    """The ids before each merge, the pairs that could be merged, and the merge."""
    stepping = step_through(*asked)
    lines = [f"{stepping.n_bytes} bytes"]
    for state in stepping.states:
        lines.append(str([*map(list, state.pieces)]))
        lines.append(f"    {dict(state.pairs)}: {state.winner} becomes {state.new_id}")
    return "\n".join(lines)


def biography_of(asked: tuple[str, int]) -> str:
    encoding, token_id = asked
    others = [tk.get_encoding(name) for name in ("cl100k_base", "bert-uncased")]
    told = vocabulary_of(tk.get_encoding(encoding)).biography(token_id, others)
    facts = ("rank", "special", "script", "variants", "elsewhere", "encodes_to", "encodes_to_itself")
    lines = [f"{fact}: {getattr(told, fact)}" for fact in facts]
    return "\n".join([*lines, f"in {len(told.containing)} other tokens"])


def forecast_of(settings: JsonObject) -> str:
    recipe = Recipe(**settings)
    return forecast(recipe, {key: bundled_bytes(key) for key, _ in recipe.parts})


def training_so_far(asked: tuple[Method, JsonObject, int]) -> str:
    """A training of 10 merges so far: its share, words and curve. Each merge takes 5 of 100 tokens away."""
    method, stage, done = asked
    run = Run(Recipe(method=method, vocab_size=266), {}, print)
    run.stage = stage
    run.n_bytes = 100
    run.merges = [(97, 98)] * done
    run.n_tokens = [*range(95, 0, -5)]
    return f"{share_done(run):.2f}: {run_in_words(run, done)} {curve_so_far(run, done)}"


def drawn_with_token(asked: tuple[str, bool]) -> str:
    """Into how many tokens a new one is cut, that no merge makes, and why its merges are not drawn."""
    token, looks_up = asked
    file = of_bytes("a b", "c d")
    file["model"] |= {"vocab": {**file["model"]["vocab"], token: 258}, "ignore_merges": looks_up}
    file["added_tokens"][0]["id"] = 259
    enc = read(file)
    assert (enc.merging is None) == bool(enc.not_drawn)
    return f"{len(enc.encode(token))}: {enc.not_drawn or 'they are drawn'}"


def told_of_learned(asked: tuple[list[str], dict[str, list[str]]]) -> str:
    """What is said of encodings and texts where one has learned from Korean and from the first own text."""
    workspace = Workspace()
    workspace.own_texts.add("mine", "as it was")
    trained_from(workspace, "udhr:kor", **{"own-7": "as it was"})
    return "\n".join(training_warnings(workspace, *asked))


def messages_of(asked: tuple[str, str, object]) -> str:
    """What a page says once a person has given a field this value."""
    page, field, value = asked
    visit = Visit(f"{page}/page.py", {}, **{f"{page.split('/')[1]}_{field}": value})
    assert not visit.test.error
    return visit.messages


def said_of_link(asked: tuple[str, Parameters]) -> str:
    page, link = asked
    visit = Visit(f"{page}/page.py", link)
    return f"{visit.heading}: {visit.messages}"


def drawn_in_notebook(asked: tuple[str, str]) -> str:
    """The tag and the text of what is drawn for each stretch."""
    return "\n".join(f"{tag}: {text}" for tag, text in drawn(*asked))


def kinds_of(characters: str) -> str:
    """Of each character its kind, by which it is found behind others, too."""
    kinds = [code_point(char).kind for char in characters]
    for char, kind in zip(characters, kinds, strict=True):
        assert list(find_kinds(f"ab{char}")) == ([2] if kind else [])
    return ", ".join(kind or "none" for kind in kinds)


def after_lesson(slug: str) -> str:
    sent = Visit("learn/lessons/page.py", {"lesson": slug}).sent
    ways = ", ".join(way["slug"] for way in sent["ways"])
    return f"number {sent['number']} of {sent['of']}, then {ways or 'nothing'}"


def words_in(text: str) -> str:
    words = find_words(text)
    data = text.encode()
    found = [data[start:end].decode() for start, end in zip(words.starts, words.ends, strict=True)]
    return repr("|".join(found))


def steps_of(case: str) -> str:
    return "\n".join(f"{step}: {words}" for step, words in steps_in_words(from_bytes(cases()[case], case)))


def ids_in(enc: Encoding, text: str) -> str:
    """The ids of a text, what is decoded from them, whether that is the text, and what is said of ids."""
    spans = encode_spans(enc, text, allowed_special="all")
    assert enc.encode(text, allowed_special="all") == spans.ids.tolist()
    steps = dict(steps_in_words(enc))
    notes = [f"{step}: {steps[step]}" for step in ("Ids", "Left out", "In llama.cpp") if step in steps]
    exact = f"{spans.ids.tolist()} {enc.decode(spans.ids)!r}, exact: {spans.decodes_to_text}"
    beside = f"{enc.n_tokens} tokens, unknown: {enc.unknown_id}, frame: {enc.frame}"
    return "\n".join([exact, beside, *notes])


def ids_in_small_gguf(asked: Any) -> str:
    kind, keys, text = asked
    return ids_in(from_bytes(small_gguf(kind, keys), "x"), text)


def ids_in_tokenizer_json(asked: Any) -> str:
    tokens, parts, text = asked
    return ids_in(load(tokenizer_json(added_tokens=[added(*each) for each in tokens], **parts)), text)


USAGE = re.compile(r"usage: .*?\[-h\].*?\n(?=python)", re.DOTALL)
"""How a command is used, as argparse writes it: each Python breaks its lines in another way."""


def printed_by(line: str) -> str:
    """What a command prints beside the files in tests/known_answers/commands, and its errors.

    The tokenizer.json there is ``tk.train("hello hello", 258, "gpt4o", ["<|turn|>", "<s>"])``.
    """
    with (
        chdir(FOLDER / "commands"),
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as errors,
    ):
        code = exit_code(*shlex.split(line))
    assert errors.getvalue()[-1:] in ("", "\n"), "its last line has an end"
    return f"{out.getvalue()}exit code {code}: {USAGE.sub('', errors.getvalue())}".rstrip()


def tokens_by_api(request: JsonObject) -> str:
    answer = ask(client_of(ON), "encode", request)
    tokens = answer.pop("tokens")
    return "\n".join(map(json.dumps, [*tokens, answer]))


def records_of(texts: tuple[str, ...]) -> str:
    """The sizes of what a class types, and the numbers of the texts that the wall calls a record.

    A special token is text, and a space is no letter.
    """
    kind = CLASS_KINDS["typed"]
    answers: list[Any] = [kind.accept({}, text) for text in texts]
    sizes = [f"{len(each['tokens'])} tokens, {each['n_letters']} letters" for each in answers]
    picture = kind.picture({}, answers)
    records = [f"{name}: {picture.get(name)}" for name in ("most", "fewest", "most_for_letters")]
    return "\n".join([*sizes, *records])


def text_of_file(asked: tuple[str, str, str | None]) -> str:
    """The text of a file that is a text in a character set, which a person may choose."""
    text, codec, chosen = asked
    decoded = decode_file(text.encode(codec), "a.txt", chosen)
    return f"{decoded.text!r}\n{decoded.codec}, {decoded.charset}, {decoded.how}, guess: {decoded.is_guess}"


def names_given(names: tuple[str, ...]) -> str:
    own = Workspace().own_encodings
    return "\n".join(own.add(OwnEncoding(HomeEncoding([(97, 98)], name=name))) for name in names)


def drawn_in_lesson(asked: tuple[str, str]) -> str:
    encoding, text = asked
    drawn = draw_tokens(tk.get_encoding(encoding), text, ())
    return "|".join(token["text"] for token in drawn["tokens"])


def format_in_words(text: str) -> str:
    form = format_of(text.encode())
    return form.label if form else "none"


def added_tokenizers(pairs: list[tuple[str, bytes]]) -> str:
    tokenizers = PendingTokenizers()
    problems = tokenizers.read([uploaded(name, data) for name, data in pairs], Workspace())
    waiting = [f"{each.file}: {each.kind}" for each in tokenizers.pending.values()]
    return "\n".join([*waiting, *problems])


def added_texts(pairs: list[tuple[str, bytes]]) -> str:
    own = Workspace().own_texts
    added = own.add_files(files(*pairs))
    texts = [f"{own[key].title}: {own[key].text} ({own[key].how})" for key in added.keys]
    return "\n".join([*texts, *added.notes, *added.problems])


def compared(vocabularies: Any) -> str:
    """What is said of two vocabularies, and of their merges; and which tokens they share, or have alone.

    That llama.cpp differs is no step of its own.
    """
    comparison = pair(*vocabularies)
    comparison.b.notes = [("In llama.cpp", "counts can differ: it merges otherwise")]
    ordinary = comparison.ordinary
    counted = f"only a, only b, same, moved: {ordinary.counts}, by length: {comparison.count_by('length')}"
    which = f"moved: {sorted(ordinary.moved.tolist())}, only a: {ordinary.only_a[:, 0].tolist()}"
    return "\n".join(filter(None, [comparison.sentence, comparison.merges_sentence, counted, which]))


def in_typescript(schema: JsonObject) -> str:
    """The line of a parameter."""
    parameters = {"type": "object", "properties": {"a": schema}}
    request = {"messages": [], "tools": [{"name": "f", "parameters": parameters}]}
    _, _, said = tools_in_typescript(parse_chat(json.dumps(request)).tools).partition("(_: {\n")
    return said.removesuffix("\n}) => any;\n\n} // namespace functions")


def chat_as_read(pasted: str) -> str:
    """Each message: by whom, its text and the names of its calls, and what a template gets; and the rest."""
    chat = parse_chat(pasted)
    lines: list[str] = []
    for each in chat.messages:
        lines.append(f"{each.role} {each.name} {each.content!r} {[call.name for call in each.calls]}")
        lines.append(json.dumps(each.as_json()))
    lines.append(f"{len(chat.tools)} tools, {chat.n_others} others")
    return "\n".join([*lines, f"{chat.settings.variables}, unused: {chat.settings.unused}"])


def problem_of_template(template: str) -> str:
    with pytest.raises(ValueError) as problem:
        render_template(template, Chat([Message("user", "Hi")]), {})
    return str(problem.value)


def title_of_bars(asked: Any) -> str:
    rows, lossy = asked
    table = pd.DataFrame(rows, columns=["text", "tokenizer", "bytes_per_token"])
    return charts.bars_title(table, "bytes_per_token", METRICS["bytes_per_token"], lossy)


def ways_to_reach(asked: Any) -> str:
    """The addresses for a class, and the words: from a terminal, by a double-click, and behind a proxy."""
    options, is_in_container = asked
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start_check, "local_addresses", lambda: ["172.17.0.2"])
        patch.setattr(start_check, "is_in_container", lambda: is_in_container)
        patch.setattr(start_check, "class_command", lambda: "token-grove --class")
        listen(patch, **options)
        lines = [f"URLs: {start_check.class_urls()}", *start_check.how_others_reach_it()]
        patch.setenv(start_check.BUNDLE, "1")
        lines += start_check.how_others_reach_it()
        patch.setenv(host_check.VARIABLE, "grove.example")
        lines += start_check.how_others_reach_it()
    return "\n".join(filter(None, lines))


def chat_counted(asked: Any) -> str:
    """Each part's tokens by OpenAI's formulas and in a template, and why they differ; and the notes."""
    template, messages = asked
    counted = count(Chat([Message(*each) for each in messages]), template)
    rows = [f"{row.part}: {row.published}, here {row.rendered}. {row.why}".rstrip() for row in counted.rows]
    return "\n".join([*rows, *counted.notes])


def languages_shown(locale: str | None) -> str:
    languages = describe_introduction(WELCOME, locale)["pairs"][2]
    return f"{languages['sides'][1]['shown']}: {languages['sentence']}"


def tools_in_template(templates: Any) -> str:
    """The tokens of tools, where a template has another one for chats with tools; and the notes."""
    own = HomeEncoding([], "gpt4o", ["<|end|>"])
    own.chat_templates = ChatTemplates(*templates)
    chat = parse_chat(json.dumps({"messages": ASKED, "tools": [WEATHER]}))
    counted = count_chat(chat, "own", own, tk.get_encoding)
    (tools,) = [row.rendered for row in counted.rows if row.part == "tools"]
    return "\n".join([f"{tools} tokens", *counted.notes])


def messages_for_harmony(messages: Any) -> str:
    return repr("".join(part.text for part in render_harmony(Chat([Message(*each) for each in messages]))))


ANSWERS: dict[str, Callable[[Any], object]] = {
    "why there is a cut at the bar, or none": reason_at,
    "why, in plain words": lambda marked: explain_plainly(*place_in(marked)),
    "of which kind a cut is, or none, where pairs are merged": kind_at,
    "what each token covers": covers,
    "what decoding does not restore": losses_of,
    "what tokens cover where nothing is unknown": without_unknown,
    "a normaliser in words": describe(NORMALISERS),
    "a pre-tokeniser in words": describe(PRE_TOKENISERS),
    "a decoder in words": describe(DECODERS),
    "the steps of a .gguf file in words": steps_of,
    "the ids of a text by a .gguf file": lambda asked: ids_in(from_bytes(cases()[asked[0]], "x"), asked[1]),
    "the ids of a text by a small .gguf file of this kind with these keys": ids_in_small_gguf,
    "the ids of a text by a byte-level tokenizer.json with these tokens and parts": ids_in_tokenizer_json,
    "a file that is this text in this character set, where another one may be chosen": text_of_file,
    "the state of a token's bytes": utf8_state,
    "the words in a text": words_in,
    "what a chat's template does not use": lambda asked: "\n".join(notes_of(asked[0], **asked[1])),
    "the format of a file that begins so": format_in_words,
    "the tokens that a lesson draws": drawn_in_lesson,
    "the link of a lesson's step with these lines": link_of,
    "what becomes of these files on Add a tokenizer": added_tokenizers,
    "what becomes of these files as own texts": added_texts,
    "the records of texts that a class types": records_of,
    "the names that new encodings get": names_given,
    "what a command prints": printed_by,
    "what a slow command prints": printed_by,
    "what the API says of each token": tokens_by_api,
    "what each token covers of a text that is changed first": covers_of_changed,
    "the bytes that each token of a text gives back": given_back,
    "why merges of pieces are not drawn": why_not_drawn,
    "the family of a model that does not say its type, and its ids of a": family_of,
    "what a search of the tokens of gpt2 finds": found_in_gpt2,
    "the script of a token, its length, and what it is": facts_of_token,
    "a training by hand": steps_of_training,
    "where a lesson's end leads": after_lesson,
    "what a page still chooses of this once the rest is gone": kept_of,
    "what is said of encodings that have learned from these texts": told_of_learned,
    "what a page says where it has nothing to show": messages_of,
    "what a page says of a link to what is not here": said_of_link,
    "what a notebook draws": drawn_in_notebook,
    "the words that mix scripts": lambda text: "\n".join(map(str, mixed_words(text))),
    "what the tool Ways says": lambda asked: open_tool(*asked).said.strip(),
    "the kinds of characters that cannot be seen": kinds_of,
    "a token's biography": biography_of,
    "the forecast of a training": forecast_of,
    "a training by a method, in a stage, after some merges": training_so_far,
    "why a declaration with these parts is left out": lambda parts: why_left_out(declare(**parts)),
    "why merges of ab and cd are not drawn beside this token": drawn_with_token,
    "what is said of two vocabularies of these tokens": compared,
    "a tool whose parameter has this schema, in TypeScript": in_typescript,
    "a pasted chat, as it is read": chat_as_read,
    "what a slow or hostile template of a chat comes to": problem_of_template,
    "the title of bars of these texts, some encodings of which lose text": title_of_bars,
    "how a class reaches a server that listens so, in a container or not": ways_to_reach,
    "the tokens of tools by this template, and that for chats with tools": tools_in_template,
    "the status of the JSON interface's answer, and who may read it": access_of,
    "who is let in, with these headers, where these names are allowed": who_is_let_in,
    "the tokens of messages, by this template": chat_counted,
    "the languages of the introduction, in this locale": languages_shown,
    "what is opened in a browser, with this display and these options of the server": opened_in_browser,
    "messages by the template harmony": messages_for_harmony,
    "the line of a text that the introduction shows": lambda text: repr(
        base64.b64decode(describe_introduction(text, None)["line"]["bytes"]).decode()
    ),
    "a formula's value": lambda formula: repr(value(formula)),
}
SECTIONS = read_sections("answers.txt")


SLOW = (
    "what a slow command prints",
    "what a page says where it has nothing to show",
    "what a page says of a link to what is not here",
    "what the tool Ways says",
    "what a slow or hostile template of a chat comes to",
)
KINDS = [pytest.param(kind, marks=pytest.mark.slow) if kind in SLOW else kind for kind in SECTIONS]


def test_every_section_has_an_answer() -> None:
    assert SECTIONS.keys() == ANSWERS.keys() and set(SLOW) <= SECTIONS.keys()


@pytest.mark.parametrize("kind", KINDS)
def test_answers(kind: str, subtests: pytest.Subtests) -> None:
    for paragraph in SECTIONS[kind]:
        asked = paragraph.split("\n")[0]
        with subtests.test(asked):
            answer = str(ANSWERS[kind](ast.literal_eval(asked))) or "nothing"
            assert "\n  ".join([asked, *answer.split("\n")]) == paragraph


def test_what_tokens_cover_of_a_long_text() -> None:
    text = "xx" * 50_000 + "a " * 20_000
    covered_by = without_unknown((text, {"pre_tokenizer": {"type": "WhitespaceSplit"}}, {}))
    assert covered_by == repr("a|" * 19_999 + "a")


def test_each_function_of_formulas_is_tried_and_described() -> None:
    readme = (LESSONS / "README.md").read_text("utf-8")
    formulas = "\n".join(SECTIONS["a formula's value"])
    for name in FUNCTIONS:
        assert f"{name}(" in formulas, name
        assert f"`{name}(" in readme, name
