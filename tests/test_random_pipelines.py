"""tokenizer.json of random steps: ids, decoded texts, places and claims, by Hugging Face's library."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import any_pipeline
from tests.examples import ALL, scaled
from tests.test_pipelines import check_spans
from tokenizers.files import tokenizer_json
from tokenizers.split.engines import load_huggingface


def answer(ask: Callable[..., Any], *question: Any, **more: Any) -> Any:
    """What is answered; None: the library breaks down on the question."""
    try:
        return ask(*question, **more)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException:  # a panic in Rust is no subclass of Exception
        return None


@pytest.mark.slow
@settings(max_examples=scaled(1000), derandomize=not ALL, suppress_health_check=list(HealthCheck))
@given(any_pipeline.whole_files(), st.lists(any_pipeline.texts, min_size=1, max_size=6))
def test_a_random_pipeline_is_what_the_library_makes_of_it(content: Any, texts: list[str]) -> None:
    data = json.dumps(content)
    judges = [answer(load_huggingface().Tokenizer.from_str, data) for _ in range(2)]
    try:
        enc = tokenizer_json.from_bytes(data.encode(), "random")
    except ValueError as refused:
        known = ("by chance", "for ever", "times longer", "one id")
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
