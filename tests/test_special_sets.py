"""Any set of special tokens in a text, without another engine of the whole vocabulary."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests import any_pipeline
from tests.examples import examples
from tests.test_random_pipelines import answer
from tokenizers.families.huggingface_engine import build_engine


@examples(160)
@given(any_pipeline.files(), any_pipeline.texts, st.data())
def test_allowed_special_finds_what_an_engine_for_it_finds(
    content: dict[str, Any], text: str, data: st.DataObject
) -> None:
    try:
        enc = any_pipeline.read(content)
    except ValueError:  # some random ones cannot be read
        assume(False)
    names = [token["content"] for token in content["added_tokens"] if token["special"]]
    allowed = data.draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    added = [
        {**token, "special": token["special"] and token["content"] not in allowed}
        for token in content["added_tokens"]
    ]
    built = build_engine({**content, "added_tokens": added})
    judge = answer(built.encode, text, add_special_tokens=False)
    if judge is None:  # the library breaks down on it
        with pytest.raises(ValueError, match="cannot encode this text"):
            enc.encode(text, allowed_special=allowed)
        return
    assert enc.encode(text, allowed_special=allowed) == judge.ids
    engine, _ = enc._engine_for(allowed)
    found = engine.encode(text, add_special_tokens=False)
    assert (found.offsets, found.word_ids, found.tokens) == (judge.offsets, judge.word_ids, judge.tokens)
