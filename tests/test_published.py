"""Vocabularies that others published: their ids, what they do to a text first, and their smaller selves."""

from __future__ import annotations

import html
import sys

import ftfy
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.judge import REWRITING
from tests.limits import processor_seconds
from tests.promises import check
from tests.refusals import refused
from tests.texts import any_text
from tokenizers.bundled import BUNDLED
from tokenizers.families import huggingface_engine
from tokenizers.text import TextMap
from tokenizers.text.mending import read_as_clip
from tokenizers.utf8 import well_formed


def test_special_tokens_and_what_is_rewritten() -> None:
    qwen, claude, clip = (tk.get_encoding(name) for name in REWRITING)
    assert qwen.encode("<|im_start|>é", allowed_special="all")[0] == 151_644
    fullwidth = "<EOT>½＜EOT＞"
    ids = claude.encode(fullwidth, allowed_special="all")
    assert ids[0] == 0 and 0 not in ids[1:]  # NFKC makes <EOT> of the second: that was not typed
    assert claude.decode(ids) == "<EOT>1⁄2<EOT>"
    spans = tk.encode_spans(clip, "<|startoftext|>A cat<|endoftext|>", allowed_special="all")
    assert spans.bytes_of(0) == b"<|startoftext|>" and spans.bytes_of(2) == b"cat"


MENDED = st.one_of(
    any_text,
    st.lists(
        st.sampled_from(
            "’ “ ” ﬁ ｱﾞ Ｗ Ã© Ã â€œ â€\x9d &amp; &lt; &amp;amp; &eacute &#769; &#x27; &notit; < e \u0301 "
            "\x1b[0m \x00 \x85 \u2028 \ufeff \r Σ İ ² ½ \u1112 \u1161 \u11ab à¤¨ 한 a Z 1".split(" ")
            + [" ", "\n", "\xa0", "\x91"]
        ),
        max_size=14,
    ).map("".join),
)


@pytest.mark.slow
@examples(150)
@given(MENDED)
@example("&amp;lt;\n<b>&amp;lt;")
def test_clip_mends_as_ftfy_and_html_do(text: str) -> None:
    clean = well_formed(text)
    mended = read_as_clip(clean)
    ours = html.unescape(html.unescape(ftfy.fix_text(clean))).lower()
    assert mended.seen.split() == ours.split()
    starts = mended.starts
    ends = mended.ends
    assert (starts <= ends).all() and (np.diff(starts) >= 0).all() and (np.diff(ends) >= 0).all()
    check(tk.get_encoding("clip"), text)


@pytest.mark.slow
def test_mending_takes_linear_time() -> None:
    with processor_seconds(10):
        for text in ("a" + "\u0301\u0323" * 20_000, "&#769;&#803;" * 20_000, "Ã©Ã¨" * 30_000, "“é”" * 20_000):
            read_as_clip(text)
        with refused("names of characters stand within one another"):
            read_as_clip("&" + "amp;" * 100_000)


def test_without_ftfy_clip_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ftfy", None)
    with pytest.raises(OSError, match="ftfy, which is not installed: pip install ftfy"):
        BUNDLED["clip"].load("clip")


def test_without_hugging_faces_library_bert_alone_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ImportError("the Hugging Face package tokenizers is not installed")

    monkeypatch.setattr(huggingface_engine, "load_huggingface", missing)
    huggingface_engine.huggingface_engine.cache_clear()
    with pytest.raises(OSError, match="is not installed. Install it: pip install tokenizers"):
        BUNDLED["bert-uncased"].load("bert-uncased")
    huggingface_engine.huggingface_engine.cache_clear()


def test_mistrals_texts_begin_with_a_token_of_their_own() -> None:
    assert [tk.get_encoding(name).frame for name in ("tekken", "mistral-v1")] == [((1,), ()), ((1,), ())]


def test_encode_spans_refuses_long_texts_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    enc = tk.get_encoding("clip")
    text_map = TextMap("a" * ((2 << 20) + 1))
    monkeypatch.setattr(enc, "place", None)  # no work
    with refused(r"clip takes texts of up to 2 MB here, .* has 2\.0 MB"):
        tk.encode_spans(enc, text_map)


def test_only_neighbours_that_change_each_other_share_a_place() -> None:
    claude, qwen = tk.get_encoding("claude-2"), tk.get_encoding("qwen")
    placed = claude.place("日本語。" * 100 + "ㅋㅜ재밌다")
    assert int((placed.ends - placed.starts).max()) <= 6, "two jamo become a syllable"
    placed = claude.place("½🦄 a🦄b")
    assert placed.starts.tolist() == [0, 0, 0, 2, 4, 5, 6, 8, 10, 11, 12], "each emoji is three tokens"
    placed = qwen.place("\u1100\u1100\u1161\u11a8")
    assert int(placed.ends[0]) <= 3 and int(placed.starts[-1]) == 3, "a lone consonant is no part of it"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["claude-2", "j2"])
def test_what_a_normaliser_makes_of_a_text_has_a_limit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One character becomes eighteen; what is typed is within the limit, and what would be cut is not."""
    enc = tk.get_encoding(name)
    assert enc.longest_text is not None
    monkeypatch.setattr(enc, "longest_text", 700_000)
    enc.place("word " * 138_000 + "\ufdfa" * 10)
    with refused("makes .* of this text before it cuts it"):
        enc.place("\ufdfa" * (enc.longest_text // 6))
