"""Chats: the template's tokens are tokens, and what people write never is."""

from __future__ import annotations

import tiktoken
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.judge import judge
from tests.texts import any_text
from tokenizers.text.chat import (
    ROLES,
    TEMPLATES,
    Message,
    encode_parts,
    render_chatml,
    render_harmony,
    spells_special,
)

messages_of = st.lists(st.builds(Message, st.sampled_from(ROLES), any_text), max_size=4)


def test_chatml_as_tiktokens_readme_builds_it() -> None:
    base = judge("cl100k_base")
    extended = tiktoken.Encoding(
        name="cl100k_im",
        pat_str=base._pat_str,
        mergeable_ranks=base._mergeable_ranks,
        special_tokens={**base._special_tokens, "<|im_start|>": 100264, "<|im_end|>": 100265},
    )
    parts = render_chatml([Message("system", "Be brief."), Message("user", "Hi 안녕")])
    text = (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi 안녕<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert "".join(part.text for part in parts) == text
    ids = [i for part_ids in encode_parts(tk.get_encoding("cl100k_im"), parts) for i in part_ids]
    assert ids == extended.encode(text, allowed_special="all")
    assert ids[0] == 100264 and ids.count(100265) == 2


def test_harmony() -> None:
    parts = render_harmony(
        [Message("developer", "Talk like a pirate."), Message("user", "2+2?"), Message("assistant", "4")]
    )
    text = (
        "<|start|>developer<|message|># Instructions\n\nTalk like a pirate.<|end|>"
        "<|start|>user<|message|>2+2?<|end|>"
        "<|start|>assistant<|channel|>final<|message|>4<|end|><|start|>assistant"
    )
    assert "".join(part.text for part in parts) == text
    ids = [i for part_ids in encode_parts(tk.get_encoding("o200k_harmony"), parts) for i in part_ids]
    assert ids == judge("o200k_harmony").encode(text, allowed_special="all")


@examples(100)
@given(messages_of, st.sampled_from(list(TEMPLATES)))
def test_what_people_write_is_never_a_special_token(messages: list[Message], template: str) -> None:
    render, name = TEMPLATES[template]
    enc = tk.get_encoding(name)
    parts = render(messages)
    ids = encode_parts(enc, parts)
    text = tk.well_formed("".join(tk.well_formed(part.text) for part in parts))
    assert enc.decode([i for part_ids in ids for i in part_ids]) == text
    for part, part_ids in zip(parts, ids, strict=True):
        special = [i for i in part_ids if enc.is_special(i)]
        if part.of_template:
            assert len(special) == sum(part.text.count(name) for name in enc.special_tokens)
        else:
            assert not special
    if not any(spells_special(enc, part.text) for part in parts if not part.of_template):
        # Where nobody spells one, the whole text with special tokens allowed gives the same ids.
        assert [i for part_ids in ids for i in part_ids] == enc.encode(text, allowed_special="all")
