"""tokenizer.json of random steps: ids, decoded texts, places and claims, by Hugging Face's library."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tokenizers as tk
from tests import any_pipeline
from tests.examples import scaled
from tokenizers.bpe.trees import forest
from tokenizers.encoding import AllowedSpecial, Encoding
from tokenizers.files import tokenizer_json
from tokenizers.split.engines import load_huggingface
from tokenizers.text import encode_spans


def answer(ask: Callable[..., Any], *question: Any, **more: Any) -> Any:
    """What is answered; None: the library breaks down on the question."""
    try:
        return ask(*question, **more)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException:  # a panic in Rust is no subclass of Exception
        return None


@pytest.mark.slow
@settings(max_examples=scaled(1000), suppress_health_check=list(HealthCheck))
@given(any_pipeline.whole_files(), st.lists(any_pipeline.texts, min_size=1, max_size=6))
def test_a_random_pipeline_is_what_the_library_makes_of_it(content: Any, texts: list[str]) -> None:
    data = json.dumps(content)
    judges = [answer(load_huggingface().Tokenizer.from_str, data) for _ in range(2)]
    try:
        enc = tokenizer_json.from_bytes(data.encode(), "random")
    except ValueError as refused:
        known = ("by chance", "times longer", "one id")
        assert judges[0] is None or any(each in str(refused) for each in known), refused
        return
    judges[0].encode_special_tokens = True  # they are plain text
    for text in texts:
        for allowed, judge in zip(((), "all"), judges, strict=True):
            found = answer(judge.encode, text, add_special_tokens=False)
            ids = answer(enc.encode, text, allowed_special=allowed)
            assert ids == (None if found is None else found.ids), text
            if ids is None:
                continue
            assert judge.encode(text).ids == [*enc.frame[0], *ids, *enc.frame[1]]
            for some in (ids, ids[::-1], ids[1::2]):
                assert answer(enc.decode, some) == answer(judge.decode, some, skip_special_tokens=False)
            check_spans(enc, text, allowed)


def check_spans(enc: Encoding, text: str, allowed: AllowedSpecial) -> None:
    """The places of tokens, what is said to come back, and the reasons."""
    spans = encode_spans(enc, text, allowed_special=allowed)
    data, ids, back = spans.text_map.data, spans.ids.tolist(), enc.decode_array(spans.ids)
    rebuilt, at = b"", 0
    for loss in spans.losses:
        rebuilt += data[at : loss.start] + loss.became.encode()
        at = loss.end
    assert rebuilt + data[at:] == back
    assert (not spans.losses) == (back == data) == spans.decodes_to_text
    assert back == data or not enc.is_lossless
    owners, starts, ends = (each.tolist() for each in spans.stretches)
    assert b"".join(data[a:b] for a, b in zip(starts, ends, strict=True)) == data
    assert [each for each in owners if each >= 0] == list(range(len(ids)))
    for owner, start, end in zip(owners, starts, ends, strict=True):
        assert owner >= 0 or is_dropped(enc, data, start, end, allowed), (start, end)
    assert all(spans.reason(place) for place in range(len(data) + 1))
    if enc.merging:
        assert all(tk.explain_cut(enc, text, place, allowed) for place in range(len(data) + 1))
        assert spans.special.any() or [root.token_id for root in forest(enc, text)] == ids
    if enc.joining and not spans.special.any() and not set(ids) & set(enc.special_tokens.values()):
        grown = answer(enc.joining.grow, text)  # None: an added token is in it
        assert grown is None or [root.token_id for root in grown.roots] == ids


def is_dropped(enc: Encoding, data: bytes, start: int, end: int, allowed: AllowedSpecial) -> bool:
    """Whether no token comes of a stretch: without it, with it twice, with a tab instead, or alone."""
    stretch = data[start:end]
    try:
        ids = enc.encode(data.decode(), allowed_special=allowed)
        others = (data[:start] + instead + data[end:] for instead in (b"", stretch * 2, b"\t"))
        same = any(enc.encode(other.decode(), allowed_special=allowed) == ids for other in others)
        return same or enc.encode(stretch.decode(), allowed_special=allowed) == []
    except UnicodeDecodeError:
        return False
