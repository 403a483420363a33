"""What a notebook draws: tokens in colour, and text that is never HTML."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import tokenizers as tk
from tests.refusals import refused
from tests.texts import NASTY
from tokenizers.text.html import MOST_DRAWN
from tokenizers.text.spelling import spell_token


def drawn(text: str, name: str) -> list[tuple[str, str]]:
    """The tag and the text of what is drawn for each stretch."""
    spans = tk.encode_spans(tk.get_encoding(name), text)
    tree = ElementTree.fromstring(spans._repr_html_().replace("<br>", "<br/>"))
    return [(each.tag, each.text or "") for each in tree.iter() if each.tag in ("span", "s")]


@pytest.mark.parametrize("text", [*NASTY, "<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>"])
def test_draw_spans_writes_text_never_html(text: str) -> None:
    spans = tk.encode_spans(tk.get_encoding("gpt2"), text)
    tokens = map(spans.encoding.token_bytes, spans.ids.tolist()[:MOST_DRAWN])
    assert drawn(text, "gpt2") == [("span", spell_token(token)) for token in tokens]


def test_draw_spans_breaks_a_line_after_its_token() -> None:
    shown = tk.show("a.\nb", "cl100k_base")._repr_html_()
    assert shown.count("<br>") == 1 and shown.index("<br>") < shown.index(">b<")


def test_draw_spans_says_how_many_more_there_are() -> None:
    shown = tk.show("a " * MOST_DRAWN, "bytes")._repr_html_()
    assert shown.count("<span") == MOST_DRAWN and f"… and {MOST_DRAWN:,} tokens more" in shown


def test_draw_spans_counts_tokens_alone_as_more() -> None:
    text = "the " * MOST_DRAWN  # the words' spaces belong to no token
    assert f"… and {MOST_DRAWN // 2:,} tokens more" in tk.show(text, "words")._repr_html_()


def test_show_names_each_encoding() -> None:
    own = tk.train("hug hug", 258, name="<b>mine")
    shown = tk.show("hug", "gpt2", own)._repr_html_()
    assert "GPT-2" in shown and "<b>&lt;b&gt;mine</b>: 1 token<p" in shown
    assert [len(spans) for spans in tk.show("hi").rows] == [1, 1]


def test_show_says_which_encoding_there_is_not() -> None:
    with refused("There is no tokenizer 'gpt'", longest=400):
        tk.show("hi", "gpt")
