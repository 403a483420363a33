"""Learn · Words and sources: what the words mean, how exact the figures are, where the data is from."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

import tokenizers as tk
from pages.learn.words.state import MAX_QUERY, WordsState
from pages.shared.plain import plain
from pages.shared.question import draw_question
from pages.shared.widgets import open_state, tied, write_link
from tokenizers.encoding import ASSETS
from tokenizers.registry import find_entry

# word, meaning, example
WORDS = [
    (
        "token",
        "A bit of text that has a number: a word, a part of one, a sign, or some bytes. A language model "
        "reads "
        "and writes these numbers.",
        "“·world” is one token in gpt2",
    ),
    ("byte", "The unit in which a computer stores text: a number from 0 to 255.", "é takes two in UTF-8"),
    (
        "Unicode",
        "The list in which each character of the world’s scripts, and each emoji, has a number.",
        "é is number 233, written U+00E9",
    ),
    (
        "byte pair encoding (BPE)",
        "A way to learn tokens: begin with bytes or characters, and join the two neighbours that stand "
        "side by "
        "side most often, again and again.",
        "gpt2, cl100k_base; step by step under By hand",
    ),
    (
        "Unigram",
        "A way to learn tokens: begin with very many pieces, drop those that are needed least, and cut a "
        "text "
        "into the most probable ones.",
        "j2, T5",
    ),
    ("encoding", "Turns text into token ids and back.", "gpt2, cl100k_base, grove-udhr-8k"),
    ("token id", "A token's number in its encoding.", "995 in gpt2"),
    (
        "token bytes",
        "What a token stands for: bytes, not always whole characters.",
        "20 77 6f 72 6c 64, “·world”",
    ),
    ("merge", "A pair of tokens that becomes a new token. Also: merge rule.", "(97, 98) → 257"),
    (
        "rank",
        "The order in which a merge was learned; lower ranks merge first. Also: merge rank, merge priority.",
        "“th” long before “·the·”",
    ),
    (
        "vocabulary size",
        "All tokens, special ones included. A size on a curve leaves those out.",
        "50,257 in gpt2, 50,256 on its curve",
    ),
    (
        "piece",
        "What the split pattern yields before any merge happens. Also: pre-token; and the splitting: "
        "pre-tokenization.",
        "“·Unbelievably”",
    ),
    (
        "wall",
        "Stands between two pieces: no token reaches across it. Also: pre-token boundary.",
        "between “words” and “.”",
    ),
    ("cut", "The boundary between two tokens, as a byte offset. Also: token boundary.", "byte 25"),
    ("only-here cut", "A cut that no other panel makes.", "the thick edges"),
    ("character", "A Unicode code point.", "👩‍🚀 is three"),
    ("grapheme", "What a reader sees as one sign; one or more characters.", "👩‍🚀 is one"),
    (
        "code point",
        "A number that Unicode gives to a letter, a mark, a sign or a command. Also: character.",
        "U+00E9 is é",
    ),
    (
        "UTF-8, UTF-16, UTF-32",
        "Three ways to write code points in a file or in memory: in units of one, two or four bytes. "
        "A code point takes one to four units of UTF-8, one or two of UTF-16 (two: a surrogate pair), "
        "one of UTF-32.",
        "👩 is f0 9f 91 a9, d83d dc69, 0001f469",
    ),
    (
        "normal form",
        "One of the ways to write a text that can be written in several. NFC joins letters and marks, NFD "
        "takes them apart; NFKC and NFKD also drop what is only another look.",
        "x² is x2 in NFKC",
    ),
    ("lane", "Under a grapheme that is split over tokens: one bar for each token.", "안 in gpt2: two lanes"),
    (
        "special token",
        "A token with a meaning of its own, which no text should spell by accident. Also: added token, "
        "control token.",
        "<|endoftext|>",
    ),
    (
        "bytes per token",
        "UTF-8 bytes ÷ tokens: how far an encoding compresses a text. Also: compression ratio.",
        "3.62 on the first screen",
    ),
    (
        "premium",
        "Tokens for a language ÷ tokens for English, on the same parallel text. Also: tokenization premium, "
        "token tax.",
        "Korean in gpt2: 4.9",
    ),
    (
        "word",
        "A run of letters, marks, digits and underscores, apostrophes between them included. In scripts "
        "without spaces between words (Thai, Chinese, …), words are not counted.",
        "don’t is one, 3.14 two",
    ),
    ("fertility", "Tokens per word. Also: subword fertility.", "English prose in gpt2: 1.26"),
    (
        "NSL",
        "Normalized sequence length: tokens in an encoding ÷ in a baseline. Below 1, it takes fewer.",
        "0.5: half as many as the baseline",
    ),
    (
        "Rényi efficiency",
        "How evenly a text uses the vocabulary: the Rényi entropy of its tokens (order 2.5) ÷ the most that "
        "it could be. 1: all tokens equally often.",
        "0.4: a few tokens make up most of the text",
    ),
    (
        "held out",
        "Text that an encoding did not learn from, and on which it is measured, as on any text to come.",
        "lines of a source that training left out",
    ),
    (
        "split pattern",
        "The regular expression that cuts a text into pieces. Also: pre-tokenizer.",
        "gpt2’s keeps a space with the word after it",
    ),
    (
        "look-up",
        "tiktoken takes a piece that is a token as a whole, without merging.",
        "a token whose tree has three parts or more at its root",
    ),
    (
        "corpus",
        "The texts that an encoding learns from.",
        "the declaration of human rights in 28 languages",
    ),
    (
        "home-trained",
        "An encoding that was grown here: one that comes with Token Grove, or your own.",
        "grove-udhr-8k",
    ),
    (
        "width",
        "How many numbers stand for a token inside a model. Also: d_model, hidden size.",
        "768 in the smallest GPT-2",
    ),
]

EXACT = """
- **Ids and counts** are those of the encoding itself: tiktoken's own engine for tiktoken's encodings and for
  the home-trained ones, which a plain textbook BPE checks in the tests.
- **✓ exact** in a panel means that its ids were decoded again and gave your text, byte for byte.
- **Lone surrogates** (half of a UTF-16 pair) cannot be written in UTF-8. Each counts as U+FFFD, three
  bytes, as in tiktoken; the page says so when it happens.
- **Carriage returns** are kept. A browser's editor cannot hold them, so ␍ stands for them there.
- **Stacks of more than 16 combining marks** on one character are drawn mark by mark. Their tokens are exact.
- **Nothing that you type leaves this machine.** Only if you ask Bring for a name on Hugging Face’s hub,
  that file is fetched.
"""


def _draw_words(entries: Sequence[str]) -> None:
    """Entries in Markdown, in two columns, which a phone puts under each other."""
    half = (len(entries) + 1) // 2
    for column, part in zip(st.columns(2, gap="large"), (entries[:half], entries[half:]), strict=True):
        with column:
            for entry in part:
                st.markdown(entry)


def _in_markdown(word: str, meaning: str, example: str) -> str:
    return f"**{plain(word)}**  \n{plain(meaning)}" + (f"  \n*{plain(example)}*" if example else "")


def _encodings() -> list[tuple[str, str, str]]:
    """As ``WORDS``: the encodings that stand in every chooser."""
    entries = ((name, find_entry(name)) for name in tk.list_encodings())
    return [(name, f"{entry.group}: {entry.about}", "") for name, entry in entries if entry]


def _draw_found(query: str) -> None:
    """The entries that hold what is looked for, in capitals or not."""
    wanted = query.strip().casefold()
    hits = [entry for entry in [*WORDS, *_encodings()] if wanted in "\n".join(entry).casefold()]
    if hits:
        _draw_words([_in_markdown(*entry) for entry in hits])
    else:
        st.info(
            plain(f"No word here, and no encoding, has “{query.strip()}” in it. Empty the field for all.")
        )


def words() -> None:
    """The page."""
    state = open_state(WordsState, WordsState.from_link)
    st.title("Words and sources")
    draw_question(
        WordsState,
        "What does a word mean here, and where do the figures come from?",
        "Each word has one meaning on every page, and you also see what others call it.",
        "find “pre-token”",
        state.look_for,
        ("pre-token",),
    )
    st.text_input("Find a word or an encoding", max_chars=MAX_QUERY, **tied(WordsState.find))
    write_link(state)
    if state.find.strip():
        _draw_found(state.find)
        return
    _draw_words([_in_markdown(*entry) for entry in WORDS])
    st.header("How exact it is")
    st.markdown(EXACT)
    st.header("Encodings")
    st.write("You can choose these on every page; none needs a network.")
    _draw_words([_in_markdown(*entry) for entry in _encodings()])
    st.header("Sources and licences")
    with st.expander("What Token Grove ships from others"):
        st.markdown((ASSETS.parent / "THIRD_PARTY.md").read_text(encoding="utf-8"))


words()
