"""Texts that have broken tokenizers' pages before, and strategies that make more of them."""

from __future__ import annotations

from hypothesis import strategies as st

from tokenizers.data.udhr import list_languages
from tokenizers.text import Spans

NASTY: dict[str, str] = {
    "empty": "",
    "bom": "\ufeffhello",
    "lone high surrogate": "a\ud83db",
    "lone low surrogate": "a\ude00b",
    "surrogate pair": "\ud83d\ude00",
    "combining marks": "e" + "\u0301" * 4000,
    "astronaut": "👩‍🚀",
    "family": "👨‍👩‍👧‍👦 flags 🇩🇪🇫🇷🇩",
    "devanagari": "स्ते नमस्ते",
    "korean": "안녕하세요",
    "jamo": "\u1112\u1161\u11ab\u1100",
    "arabic": "مرحبا بالعالم 123 abc",
    "hebrew": "שלום עולם",
    "rlo": "abc\u202edef\u202cghi",
    "nul": "a\x00b\x01\x1f\x7f\x85",
    "crlf": "a\r\nb\r\rc\n\r\n\r\n  d\r",
    "line separators": "a\u2028b\u2029c\x0bd\x0ce",
    "spaces": " \u00a0\u2003\u3000\u200b\t  x   ",
    "special": "<|endoftext|> <|fim_prefix|><|endofprompt|> <|endoftext",
    "commas": "a,b,a,b,,aaaa",
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)>&amp;",
    "noncharacters": "\ufffe\uffff\U0010ffff",
    "long s": "it'ſ don'T IT'S",
    "flags in a row": "🇩🇪" * 5 + "🇫" + " " + "🇩🇪🇫🇷" * 60 + "\ufe0f🇩",
    "tags": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
}

any_text = st.one_of(
    st.text(st.characters()),  # lone surrogates too
    st.lists(
        st.one_of(
            st.sampled_from([t for t in NASTY.values() if len(t) < 100]),
            st.sampled_from(
                ["\u0301", "\u200d", "\r\n", "\ufe0f", "👩", " ", "  ", "\n", "the", "1234", "ñ"]
            ),
        ),
        max_size=12,
    ).map("".join),
)


def stretches(spans: Spans) -> list[str]:
    """The part of a text that each of its tokens covers."""
    return [spans.bytes_of(index).decode() for index in range(len(spans))]


def known_texts() -> dict[str, str]:
    """The texts of which other libraries' ids are kept in tests/known_answers, each by a name of its own."""
    texts = {name: text for name, text in NASTY.items() if len(text) < 1000}
    texts["spaces of all kinds"] = "  two\t\ttabs\n\n\n four    \u3000 \u00a0x \r\n"
    texts["repeated signs"] = "=" * 77 + "a" * 40 + "-" * 33 + " " * 130 + "." * 9
    texts["the one in the plan"] = "안녕하세요, naïve ½ don't 1234 👩‍🚀"
    texts["code"] = "def f(x):\n    return x**2  # naïve\n\n\nprint(f(10_000))\n"
    for language in list_languages()[::9]:
        texts[f"the declaration in {language.code}"] = language.text[:160]
    return texts
