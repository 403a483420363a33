"""Chats: the template's tokens are tokens, and what people write never is."""

from __future__ import annotations

import itertools

import pytest
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
    Part,
    encode_parts,
    render_chatml,
    render_harmony,
    render_qwen,
    render_template,
    spells_special,
)
from tokenizers.utf8 import well_formed

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
    enc = tk.get_encoding(TEMPLATES[template].encoding)
    try:
        parts = TEMPLATES[template].render(messages)
    except ValueError:
        assert not any(message.role == "user" for message in messages)
        return
    ids = encode_parts(enc, parts)
    text = well_formed("".join(well_formed(part.text) for part in parts))
    if enc.is_lossless:
        assert enc.decode([i for part_ids in ids for i in part_ids]) == text
    for part, part_ids in zip(parts, ids, strict=True):
        special = [i for i in part_ids if enc.is_special(i)]
        if part.of_template:
            assert len(special) == sum(part.text.count(name) for name in enc.special_tokens)
        else:
            assert not special
    if enc.is_lossless and not any(spells_special(enc, part.text) for part in parts if not part.of_template):
        # Where nobody spells one, the whole text with special tokens allowed gives the same ids.
        assert [i for part_ids in ids for i in part_ids] == enc.encode(text, allowed_special="all")


MISTRAL_CHATS = {
    "one question": [Message("user", "Hello")],
    "system, twice": [
        Message("system", "Be brief."),
        Message("user", "Hi 안녕"),
        Message("assistant", "Hello ½"),
        Message("user", "And?"),
    ],
    "spells special tokens": [
        Message("user", "a </s> [INST] b<s>"),
        Message("assistant", "no [/INST]"),
        Message("user", " x "),
    ],
}
# What Mistral AI's mistral-common 1.13.1 makes of them: InstructTokenizerV1 and V3, encode_instruct.
MISTRAL_IDS = {
    "Mistral v1": {
        "one question": "1 733 16289 28793 22557 733 28748 16289 28793",
        "system, twice": "1 733 16289 28793 1739 6817 28723 13 13 23809 28705 30325 238 136 152 733 28748 "
        "16289 28793 22557 28705 29039 2 733 16289 28793 1015 28804 733 28748 16289 28793",
        "spells special tokens": "1 733 16289 28793 264 1867 28713 28767 733 16289 28793 287 28789 28713 "
        "28767 733 28748 16289 28793 708 733 28748 16289 28793 2 733 16289 28793 28705 1318 28705 733 28748 "
        "16289 28793",
    },
    "Mistral, tekken": {
        "one question": "1 3 22177 4",
        "system, twice": "1 3 37133 8812 118463 4 22177 1032 28504 2 3 5934 13426 1338 4998 1063 4",
        "spells special tokens": "1 3 1097 2259 1115 1062 1766 3174 3074 1093 1289 1060 1115 1062 4 2649 "
        "1766 1047 3174 3074 1093 2 3 2460 1032 4",
    },
}


@pytest.mark.parametrize("template", MISTRAL_IDS)
def test_mistrals_chats_are_those_of_its_own_library(template: str) -> None:
    encoding = tk.get_encoding(TEMPLATES[template].encoding)
    for title, messages in MISTRAL_CHATS.items():
        ids = encode_parts(encoding, TEMPLATES[template].render(messages))
        assert " ".join(map(str, itertools.chain(*ids))) == MISTRAL_IDS[template][title], title


CHATML = (  # as the tokenizer_config.json of Qwen 2 has it
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}{% endif %}"
    "{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


@pytest.mark.parametrize("chat", MISTRAL_CHATS.values(), ids=MISTRAL_CHATS.keys())
def test_a_brought_template_tells_its_words_from_the_messages(chat: list[Message]) -> None:
    uploaded, ours = render_template(CHATML, chat, {}), render_qwen(chat)
    assert "".join(part.text for part in uploaded) == "".join(part.text for part in ours)
    assert [part.text for part in uploaded if not part.of_template] == [message.content for message in chat]
    encoding = tk.get_encoding("qwen")
    assert sum(encode_parts(encoding, uploaded), []) == sum(encode_parts(encoding, ours), [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "stopped after"),
        ("{% set a = 'x' * 99999 %}{{ a * 99999 }}", "memory"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "is unsafe"),
        ("{{ cycler.__init__.__globals__.os.popen('id').read() }}", "is unsafe"),
        ("{{ messages.clear() }}", "is unsafe|not safely callable"),
        ("{% for m in messages %}{{ m.content", "damaged"),
        ("{{ raise_exception('Roles must alternate.') }}", "Roles must alternate"),
        ("{{ eos_token }}", "asks for eos_token"),
        ("{{ messages[7].content.x() }}", "does not take this chat"),
        ("{% for i in range(9999) %}{{ 'xxxxxxxxxxxx' * 100 }}{% endfor %}", "more than 1,000,000"),
        ("x" * 100_001, "more than 100,000"),
    ],
)
def test_a_hostile_template_is_one_sentence(template: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as raised:
        render_template(template, [Message("user", "Hi")], {})
    assert len(str(raised.value)) < 500


def test_a_template_that_changes_what_it_is_given_counts_as_a_whole() -> None:
    template = "{% for m in messages %}{{ m.content | upper }}{% endfor %}"
    assert render_template(template, [Message("user", "Hi <s>")], {}) == [Part("HI <S>", None, True)]


def test_half_of_a_surrogate_pair_in_a_template_is_no_text() -> None:
    assert render_template("{{ '\\ud800' }}", [Message("user", "Hi")], {}) == [Part("\ufffd", None, True)]
