"""Trainers of other libraries: SentencePiece's of BPE and Unigram, Hugging Face's of WordPiece.

BPE begins with single characters and joins the pair that occurs side by side most often, again and again.
Unigram begins with very many pieces, gives each a probability, and drops those that the text needs least,
until few enough are left. WordPiece learns as BPE does, of words that are cleaned as BERT's are; its
vocabulary is used by longest match, not by its merges (``wordpiece.py``).

Sources: Kudo and Richardson 2018, SentencePiece, arXiv:1808.06226; Kudo 2018, arXiv:1804.10959; the settings:
https://github.com/google/sentencepiece/blob/master/doc/options.md. Of WordPiece:
https://huggingface.co/docs/tokenizers/api/trainers; Devlin et al. 2018, BERT, arXiv:1810.04805.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..shipped import require
from ..utf8 import well_formed
from .counted import UNKNOWN
from .huggingface_engine import huggingface_engine
from .wordpiece import GOES_ON, describe_word_pieces

Normalisation = Literal["identity", "nfkc", "nmt_nfkc", "nmt_nfkc_cf"]
"""What a text goes through first: the library's own names."""

NORMALISATIONS: tuple[Normalisation, ...] = ("identity", "nfkc", "nmt_nfkc", "nmt_nfkc_cf")

LEAST_COVERAGE = 0.98
"""SentencePiece takes no smaller share."""

LONGEST_LINE = 4192
"""Bytes of a line; SentencePiece's own default."""

LEFT_OUT = "▅"
"""U+2585: the one character that SentencePiece cannot learn."""

_PART = re.compile(rb"(.{1,%d})(?: |$)|(.{1,%d})(?![\x80-\xbf])" % (LONGEST_LINE, LONGEST_LINE), re.DOTALL)


def cut_lines(texts: Iterable[str]) -> Iterator[str]:
    """The lines of some texts; longer ones are cut at their last space within the limit, if there is one.

    SentencePiece learns from lines. It leaves out, without an error, each line of more bytes than its limit,
    and each that holds a ▅, which it uses itself for unknown characters. So longer lines are cut here, and a
    line is split at each ▅: nothing else of the text is left out.

    >>> list(cut_lines(["one two\\n\\nfour▅five"]))
    ['one two', 'four', 'five']
    >>> list(map(len, cut_lines(["word " * 1_000])))
    [4189, 810]
    """
    for text in texts:
        for line in well_formed(text).replace(LEFT_OUT, "\n").split("\n"):
            for part in _PART.finditer(line.encode()):
                yield (part[1] or part[2]).decode()


@dataclass(frozen=True, slots=True)
class Learning:
    """How far a trainer is.

    Attributes:
        n_tokens: tokens of the vocabulary so far. Those of a Unigram fall.
        newest: the piece that was learned last; empty: the library does not say.
    """

    n_tokens: int
    newest: str = ""


def learn_pieces(
    texts: Iterable[str],
    vocab_size: int,
    kind: Literal["bpe", "unigram"],
    *,
    coverage: float = 0.9995,
    byte_fallback: bool = True,
    normalisation: Normalisation = "identity",
    split_digits: bool = True,
    special_tokens: Sequence[str] = (),
    on_progress: Callable[[Learning], object] | None = None,
) -> bytes:
    """The content of a SentencePiece model that was learned from some texts.

    The same texts and settings give the same pieces and scores: one thread learns them, from all lines. If
    the text does not hold as many pieces, the model has fewer.

    Args:
        texts: what to learn from. They are cut into lines, see ``cut_lines``.
        vocab_size: tokens in all: <unk>, <s>, </s>, the special tokens, the bytes, characters and pieces.
        kind: of the model.
        coverage: the share of the characters of the text that get a piece of their own, from 0.98 to 1; the
            rarest are left out.
        byte_fallback: whether a character without a piece becomes its bytes, which are 256 tokens. Otherwise
            it is unknown.
        normalisation: what a text goes through first. With "identity", spaces stay as they are too.
        split_digits: whether every digit is a piece of its own.
        special_tokens: control pieces, which no text becomes by itself.
        on_progress: called while it learns. It listens to the process's standard error, so this is for
            processes that do nothing else.

    Raises:
        ValueError: the vocabulary is too small for these texts, or there is nothing in them; says what to do.
        OSError: the library is not installed.

    >>> model = learn_pieces(["a rose is a rose is a rose"], 273, "bpe")
    >>> from tokenizers.files.sentencepiece import from_bytes
    >>> enc = from_bytes(model, "rose")
    >>> enc.n_vocab, [enc.token_bytes(token_id) for token_id in enc.encode("a rose")]
    (273, [b' a', b' rose'])
    """
    check_piece_specials(special_tokens)
    if not LEAST_COVERAGE <= coverage <= 1:
        raise ValueError("The pieces can cover from 98% to 100% of the characters of the text.")
    is_plain = normalisation == "identity"
    model = io.BytesIO()
    settings: dict[str, Any] = {
        "sentence_iterator": cut_lines(texts),
        "model_writer": model,
        "model_type": kind,
        "vocab_size": vocab_size,
        "character_coverage": coverage,
        "byte_fallback": byte_fallback,
        "normalization_rule_name": normalisation,
        "split_digits": split_digits,
        # Code has spaces at a line's start, and several in a row. The library would drop them by default, as
        # a part of its default normalisation.
        "remove_extra_whitespaces": not is_plain,
        "allow_whitespace_only_pieces": is_plain,
        "control_symbols": list(special_tokens),
        "hard_vocab_limit": False,  # fewer pieces, if there are no more, in place of an error
        "max_sentence_length": LONGEST_LINE,
        "num_threads": 1,  # the model of a Unigram depends on how many there are
        "minloglevel": 2 if on_progress is None else 0,
    }
    n_given = len(special_tokens) + 3 + 256 * byte_fallback
    log = contextlib.nullcontext() if on_progress is None else _follow_log(n_given, on_progress)
    trainer = require("sentencepiece").SentencePieceTrainer
    try:
        with log:
            trainer.train(**settings)
    except (RuntimeError, OSError) as problem:
        raise ValueError(_in_words(str(problem), byte_fallback)) from None
    return model.getvalue()


_OWN_PIECES = re.compile(r"<unk>|<s>|</s>|<0x[0-9A-Fa-f]{2}>")


def check_piece_specials(special_tokens: Iterable[str]) -> None:
    """Refuse special tokens that SentencePiece has pieces of its own for.

    >>> check_piece_specials(["<|end|>", "<s>"])
    Traceback (most recent call last):
    ...
    ValueError: SentencePiece has a <s> of its own. Rename the special token, or leave it out.
    """
    for special in special_tokens:
        if _OWN_PIECES.fullmatch(special):
            raise ValueError(
                f"SentencePiece has a {special} of its own. Rename the special token, or leave it out."
            )


_PROGRESS = re.compile(r"Merged: .*merges=(\d+) piece=(.*)|EM sub_iter=\d+ size=(\d+)")


@contextlib.contextmanager
def _follow_log(n_given: int, on_progress: Callable[[Learning], object]) -> Iterator[None]:
    """Read what the library writes to the process's standard error while it learns, in another thread.

    Args:
        n_given: tokens that are there before anything is learned: special ones and bytes.
        on_progress: see ``learn_pieces``.
    """
    reading, writing = os.pipe()
    before = os.dup(2)
    os.dup2(writing, 2)
    os.close(writing)

    def listen() -> None:
        n_characters = 0
        with open(reading, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if match := re.search(r"Alphabet size=(\d+)", line):
                    n_characters = int(match[1])
                elif match := _PROGRESS.search(line):
                    n_learned = int(match[1] or match[3])
                    on_progress(Learning(n_given + n_characters + n_learned, match[2] or ""))

    listener = threading.Thread(target=listen, name="library log", daemon=True)
    listener.start()
    try:
        yield
    finally:
        os.dup2(before, 2)  # closes the last descriptor that writes to the pipe
        os.close(before)
        listener.join()


def _in_words(problem: str, byte_fallback: bool) -> str:
    """What the library's trainer says, as a sentence that says what to do.

    >>> print(_in_words("INTERNAL: x.cc(638) [a <= b] Vocabulary size is smaller than required_chars. "
    ...                 "20 vs 65. Increase vocab_size or decrease character_coverage", False))
    Every covered character needs a token. With the special tokens, this takes 65 tokens, and the vocabulary \
has 20. Choose 66 or more, or a smaller character coverage.
    >>> print(_in_words("INTERNAL: src/trainer.cc(1) [(a) > (b)] Something is odd.", True))
    SentencePiece’s trainer gave up: “Something is odd.” Change the text or the settings.
    """
    if match := re.search(r"smaller than required_chars\. (\d+) vs (\d+)", problem):
        given, needed = map(int, match.groups())
        also = "the special tokens and the 256 bytes" if byte_fallback else "the special tokens"
        return (
            f"Every covered character needs a token. With {also}, this takes {needed:,} tokens, and the "
            f"vocabulary has {given:,}. Choose {needed + 1:,} or more, or a smaller character coverage."
        )
    if "!sentences_.empty()" in problem or "all_chars_count" in problem:
        return "There is nothing to learn: the text has only white space. Choose more text."
    if match := re.search(r"(\S.*) is already defined", problem.partition("INTERNAL: ")[2]):
        return f"SentencePiece has a token {match[1]} already. Rename the special token, or leave it out."
    sentence = re.sub(r"^[A-Z_]+: (?:\S+\(\d+\) )?(?:\[.*\] ?)?", "", problem).strip() or problem.strip()
    return f"SentencePiece’s trainer gave up: “{sentence[:300]}” Change the text or the settings."


LONGEST_PART = 8_000
"""Characters that the library gets at a time: it takes more than a hundred times their memory."""

_WHOLE_WORDS = re.compile(rf".{{1,{LONGEST_PART - 1}}}(?:[ \n]|$)|.{{1,{LONGEST_PART}}}", re.DOTALL)


def learn_word_pieces(
    texts: Iterable[str], vocab_size: int, *, small_letters: bool = True, special_tokens: Sequence[str] = ()
) -> bytes:
    """The content of a tokenizer.json with a WordPiece that was learned from some texts.

    The library alone numbers the characters that words go on with in the order of a hash table, another one
    in each process, and so learns another vocabulary each time. Here they are given to it in order: the same
    texts and settings give the same vocabulary.

    Args:
        texts: what to learn from, read twice. A word of more than 8,000 characters is cut.
        vocab_size: tokens in all: [UNK], the special tokens, all characters, and parts of words.
        small_letters: whether capitals become small, and accents are taken off.
        special_tokens: they follow [UNK].

    Raises:
        ValueError: the vocabulary is too small for the characters of these texts; says what to do.
        OSError: the library is not installed.

    >>> data = learn_word_pieces(["Rose is a rose is a rose."], 14)
    >>> list(json.loads(data)["model"]["vocab"])[:6]
    ['[UNK]', '##e', '##o', '##s', '.', 'a']
    """
    if UNKNOWN in special_tokens:
        raise ValueError(f"WordPiece has {UNKNOWN} already. Leave it out of the special tokens.")
    texts = list(texts)
    specials = [UNKNOWN, *special_tokens]

    def tokenizer_of(ids: dict[str, int], special: Iterable[str] = ()) -> Any:
        content = describe_word_pieces(ids, special, small_letters=small_letters)
        return huggingface_engine().Tokenizer.from_str(json.dumps(content))

    learner = tokenizer_of({UNKNOWN: 0})
    characters, inside = _letters(learner, _parts(texts))
    if not characters:
        raise ValueError("There is nothing to learn: the text has only white space. Choose more text.")
    given = [*specials, *(GOES_ON + character for character in inside)]
    needed = len({*given, *characters})
    if needed > vocab_size:
        raise ValueError(
            "WordPiece needs every character twice: at the start of a word and inside it. With the special "
            f"tokens, this takes {needed:,} tokens, and the vocabulary has {vocab_size:,}. Choose "
            f"{needed + 1:,} or more, or a text with fewer scripts."
        )
    trainer = huggingface_engine().trainers.WordPieceTrainer(
        vocab_size=vocab_size, show_progress=False, special_tokens=given, continuing_subword_prefix=GOES_ON
    )
    learner.train_from_iterator(_parts(texts), trainer)
    ids: dict[str, int] = learner.get_vocab(with_added_tokens=True)
    return str(tokenizer_of(ids, specials).to_str()).encode()


def _parts(texts: Iterable[str]) -> Iterator[str]:
    """Texts in parts that the library takes at a time, cut at white space, which ends a word anyway."""
    for text in map(well_formed, texts):
        yield from (part[0] for part in _WHOLE_WORDS.finditer(text))


def _letters(tokenizer: Any, parts: Iterable[str]) -> tuple[set[str], list[str]]:
    """The characters of words, and those that a word goes on with, in order of code points."""
    seen: set[str] = set()
    pairs: set[tuple[str, str]] = set()
    for part in parts:
        normal = tokenizer.normalizer.normalize_str(part)
        seen.update(normal)
        pairs.update(itertools.pairwise(normal))
    # A letter leaves one word, white space two; a punctuation mark is a word of its own between two.
    n_words = {char: len(tokenizer.pre_tokenizer.pre_tokenize_str(f"a{char}a")) for char in seen}
    inside = {right for left, right in pairs if n_words[left] == n_words[right] == 1}
    return {char for char in seen if n_words[char] != 2}, sorted(inside)
