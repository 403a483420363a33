"""What the words mean: one meaning for each, on every page, with a page that shows it or who says so."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from pages.session.links import pack_state
from pages.session.menu import MENU
from pages.shared.markdown import escape


@dataclass(frozen=True, slots=True)
class Word:
    """A word and what it means.

    Attributes:
        name: the word.
        meaning: in a sentence or two.
        example: one; empty: none.
        address: of a page that shows it, with what it has to show; empty: none does.
        source: who says so, and where.
    """

    name: str
    meaning: str
    example: str = ""
    address: str = ""
    source: tuple[str, str] | None = None

    @property
    def page(self) -> str:
        """The page that shows it, one of ``MENU``."""
        return self.address.removeprefix("./").partition("?")[0] or "playground"

    def holds(self, wanted: str) -> bool:
        """Whether the word, its meaning or its example has this in it, in capitals or not."""
        return wanted.casefold() in f"{self.name}\n{self.meaning}\n{self.example}".casefold()

    def in_markdown(self) -> str:
        """The entry, as the page draws it.

        >>> print(Word("rank", "The order of merges.", "2 * 3", "./by_hand?text=a b").in_markdown())
        **rank**
        The order of merges.
        *2 \\* 3*
        :small[[Grow · By hand](./by_hand?text=a b)]
        """
        lines = [f"**{escape(self.name)}**", escape(self.meaning)]
        if self.example:
            lines.append(f"*{escape(self.example)}*")
        links = [f"[{MENU[self.page]}]({self.address})"] if self.address else []
        if self.source:
            links.append(f"[{escape(self.source[0])}]({self.source[1]})")
        if links:
            lines.append(f":small[{' · '.join(links)}]")
        return "  \n".join(lines)


def _on(page: str, **parameters: str) -> str:
    return f"{page}?{urlencode(parameters)}"


def _playground(text: str, *encodings: str) -> str:
    return f"./?s={pack_state({'text': text, 'encodings': list(encodings)})}"


_UNICODE = ("The Unicode Standard", "https://www.unicode.org/versions/latest/")

WORDS = (
    Word(
        "language model",
        "A program that reads tokens and says which token is likely to come next. So it writes, one token "
        "after the other.",
        "GPT-2, GPT-4o",
        _playground("Hello, world", "gpt2", "o200k_base"),
    ),
    Word(
        "prompt",
        "The text that is given to a language model.",
        "it should not end with a space",
        _on("./lessons", lesson="spaces"),
    ),
    Word(
        "tokenization",
        "Cutting a text into tokens. Also: tokenizing, encoding a text.",
        "Hello|, |·world",
        _playground("Hello, world", "gpt2"),
    ),
    Word(
        "vocabulary",
        "All tokens of an encoding.",
        "gpt2’s has 50,257",
        _on("./vocabulary", encoding="gpt2"),
    ),
    Word(
        "glitch token",
        "A token that a model hardly ever met while it learned, and does not know what to do with.",
        "“·SolidGoldMagikarp” in gpt2",
        _on("./lessons", lesson="glitch"),
        ("Land and Bartolo 2024", "https://arxiv.org/abs/2405.05417"),
    ),
    Word(
        "script",
        "A set of letters and marks in which languages are written. Common ones are used with several "
        "scripts; inherited ones are of the script of the character before them.",
        "Latin, Hangul, Devanagari",
        _on("./unicode", text="a 안 न"),
        ("Unicode Standard Annex 24", "https://www.unicode.org/reports/tr24/"),
    ),
    Word(
        "category",
        "What kind of character it is: a letter, a mark, a number, punctuation, a symbol, a separator.",
        "Ll: letter, lowercase",
        _on("./unicode", text="a1!"),
        _UNICODE,
    ),
    Word(
        "hexadecimal",
        "A way to write bytes: two digits each, 0 to 9 and a to f.",
        "é is c3 a9",
        _on("./unicode", text="é"),
    ),
    Word(
        "JSON, YAML, CSV",
        "Three ways to write tables and lists as text, for programs.",
        "name,age is a line of CSV",
        _on("./lessons", lesson="formats"),
    ),
    Word(
        "token",
        "A bit of text that has a number: a word, a part of one, a symbol, or some bytes. A language model "
        "reads and writes these numbers.",
        "“·world” is one token in gpt2",
        _playground("Hello, world", "gpt2"),
    ),
    Word(
        "byte",
        "The unit in which a computer stores text: a number from 0 to 255.",
        "é takes two in UTF-8",
        _on("./unicode", text="é"),
    ),
    Word(
        "Unicode",
        "The list in which each character of the world’s scripts, and each emoji, has a number.",
        "é is number 233, written U+00E9",
        _on("./unicode", text="é"),
        _UNICODE,
    ),
    Word(
        "byte pair encoding (BPE)",
        "A way to learn tokens: begin with bytes or characters, and join the two neighbours that stand side "
        "by side most often, again and again.",
        "gpt2, cl100k_base; step by step under By hand",
        "./by_hand",
        ("Sennrich, Haddow and Birch 2016", "https://arxiv.org/abs/1508.07909"),
    ),
    Word(
        "Unigram",
        "A way to learn tokens: begin with very many, drop those that are needed least, and cut a "
        "text into the most probable ones.",
        "j2, T5",
        _on("./lessons", lesson="ways"),
        ("Kudo 2018", "https://arxiv.org/abs/1804.10959"),
    ),
    Word(
        "encoding",
        "A list of tokens with their numbers, and the rule that cuts a text into them: it turns text into "
        "token ids, and back. Also: tokenizer.",
        "gpt2, cl100k_base, grove-udhr-8k",
        _playground("Hello, world", "gpt2", "cl100k_base", "grove-udhr-8k"),
    ),
    Word(
        "token id",
        "A token's number in its encoding.",
        "995 in gpt2",
        _on("./vocabulary", encoding="gpt2", by="id", query="995"),
    ),
    Word(
        "token bytes",
        "What a token stands for: bytes, not always whole characters.",
        "20 77 6f 72 6c 64, “·world”",
        _on("./vocabulary", encoding="gpt2", by="bytes", query="20 77 6f 72 6c 64"),
    ),
    Word(
        "merge",
        "A pair of tokens that becomes a new token. Also: merge rule.",
        "(97, 98) → 257",
        "./by_hand",
    ),
    Word(
        "rank",
        "The order in which a merge was learned; lower ranks merge first. Also: merge rank, merge priority.",
        "“·t” long before “·weather”",
        _on("./merge_trees", text="the weather", encoding="gpt2", token=" weather"),
    ),
    Word(
        "vocabulary size",
        "All tokens, special ones included. A size on a curve leaves those out.",
        "50,257 in gpt2, 50,256 on its curve",
        "./vocabulary_size",
    ),
    Word(
        "piece",
        "What the split pattern yields before any merge happens. Also: pre-token; and the splitting: "
        "pre-tokenization. (Of a SentencePiece model: one of its tokens.)",
        "“·Unbelievably”",
        _on("./merge_trees", text="Unbelievably, it works"),
    ),
    Word(
        "wall",
        "Stands between two pieces: no token reaches across it. Also: pre-token boundary.",
        "between “words” and “.”",
        _playground("These are words.", "gpt2"),
    ),
    Word(
        "cut",
        "The boundary between two tokens, as a byte offset. Also: token boundary.",
        "after “Hello”, at byte 5 of “Hello, world”",
        _on("./lessons", lesson="token"),
    ),
    Word(
        "only-here cut",
        "A cut that no other panel makes.",
        "drawn with a thick edge in the playground",
        _playground("Unbelievably antidisestablishmentarian", "gpt2", "o200k_base"),
    ),
    Word(
        "character",
        "What Unicode gives a number to: a letter, a mark, a symbol or a command. The number is its code "
        "point.",
        "👩‍🚀 is three",
        _on("./unicode", text="👩‍🚀"),
    ),
    Word(
        "grapheme",
        "What a reader sees as one letter or symbol; one or more characters.",
        "👩‍🚀 is one",
        _on("./unicode", text="👩‍🚀"),
        ("Unicode Standard Annex 29", "https://www.unicode.org/reports/tr29/"),
    ),
    Word(
        "code point",
        "The number that Unicode gives to a character.",
        "U+00E9 is é",
        _on("./unicode", text="é"),
        _UNICODE,
    ),
    Word(
        "UTF-8, UTF-16, UTF-32",
        "Three ways to write code points in a file or in memory: in units of one, two or four bytes. A code "
        "point takes one to four units of UTF-8, one or two of UTF-16 (two: a surrogate pair), one of "
        "UTF-32.",
        "👩 is f0 9f 91 a9, d83d dc69, 0001f469",
        _on("./unicode", text="👩"),
        _UNICODE,
    ),
    Word(
        "normal form",
        "One of the ways to write a text that can be written in several. NFC joins letters and marks, NFD "
        "takes them apart; NFKC and NFKD also drop what is only another look. Bringing a text into one: "
        "normalization.",
        "x² is x2 in NFKC",
        _on("./unicode", text="x² é e\u0301"),
        ("Unicode Standard Annex 15", "https://www.unicode.org/reports/tr15/"),
    ),
    Word(
        "lane",
        "Under a grapheme that is split over tokens: one bar for each token.",
        "안 in gpt2: three lanes",
        _playground("안녕", "gpt2"),
    ),
    Word(
        "special token",
        "A token with a meaning of its own, which no text should spell by accident. Also: added token, "
        "control token.",
        "<|endoftext|>",
        _on("./lessons", lesson="injection"),
    ),
    Word(
        "bytes per token",
        "UTF-8 bytes ÷ tokens: how far an encoding compresses a text. Also: compression ratio.",
        "3.62 for the playground’s first text in o200k_base",
        "./compression",
    ),
    Word(
        "premium",
        "Tokens for a language ÷ tokens for English, on the same parallel text. Also: tokenization premium, "
        "token tax.",
        "Korean in gpt2: 4.9",
        "./languages",
        ("Petrov et al. 2023", "https://arxiv.org/abs/2305.15425"),
    ),
    Word(
        "word",
        "A run of letters, marks, digits and underscores, apostrophes between them included. In scripts "
        "without spaces between words (Thai, Chinese, …), words are not counted.",
        "don’t is one, 3.14 two",
        "./compression",
    ),
    Word(
        "fertility",
        "Tokens per word. Also: subword fertility.",
        "English prose in gpt2: 1.26",
        "./compression",
        ("Rust et al. 2021", "https://arxiv.org/abs/2012.15613"),
    ),
    Word(
        "NSL",
        "Normalized sequence length: tokens in an encoding ÷ in a baseline. Below 1, it takes fewer.",
        "0.5: half as many as the baseline",
        "./compression",
        ("Dagan, Synnaeve and Rozière 2024", "https://arxiv.org/abs/2402.01035"),
    ),
    Word(
        "Rényi efficiency",
        "How evenly a text uses the vocabulary: the Rényi entropy of its tokens (order 2.5) ÷ the most that "
        "it could be. 1: all tokens equally often.",
        "0.4: a few tokens make up most of the text",
        "./compression",
        ("Zouhar et al. 2023", "https://arxiv.org/abs/2306.16842"),
    ),
    Word(
        "held out",
        "Text that an encoding did not learn from, and on which it is measured, as on any text to come.",
        "lines of a source that training left out",
        "./train",
    ),
    Word(
        "split pattern",
        "The regular expression that cuts a text into pieces. Also: pre-tokenizer.",
        "gpt2’s keeps a space with the word after it",
        "./train",
    ),
    Word(
        "look-up",
        "tiktoken takes a piece that is a token as a whole, without merging.",
        "a token whose tree has three parts or more at its root",
        "./merge_trees",
    ),
    Word(
        "corpus",
        "The texts that an encoding learns from.",
        "the declaration of human rights in 28 languages",
        "./train",
    ),
    Word(
        "home-trained",
        "An encoding that was grown here: one that comes with Token Grove, or your own.",
        "grove-udhr-8k",
        "./train",
    ),
    Word(
        "width",
        "How many numbers stand for a token inside a model. Also: d_model, hidden size.",
        "768 in the smallest GPT-2",
        "./vocabulary_size",
    ),
)
