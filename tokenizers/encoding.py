"""What an encoding is, whatever family it belongs to.

An encoding turns text into token ids and back, and says where each token is in the text as typed.
Families differ in how they cut: byte pairs merge (``bpe/byte_pairs.py``), others look a text up byte by
byte, character by character or word by word (``families/``). What only some of them have, such as merges or
a split pattern, is a **capability**: a small object that is None for the others. Modules that draw trees or
count sizes import this one, never the other way.

    encoding.merging      merges and their ranks: merge trees, parents and children, smaller vocabularies
    encoding.splitting    a split pattern: walls and pieces
    encoding.joining      merges of pieces by score, as in SentencePiece: merge trees, parents and children

How an encoding is told to people is in ``description.py``; the steps of a family in ``steps.py``.

To add a family: a subclass with ``family``, ``n_vocab``, ``ordinary``, ``token_bytes`` and ``place``, in a
module of ``families/``, and its encodings that come with the app in ``bundled/table.py``.
"""

from __future__ import annotations

import abc
import functools
import operator
import re
import threading
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np
import regex

from .alternation import any_of
from .amounts import bytes_in_words
from .arrays import I32, U32, Flags
from .placement import Frame, Loss, Placement, find_losses
from .placement import Ids as Ids
from .placement import Offsets as Offsets
from .progress import report
from .split.patterns import cut_safely, pattern_name
from .steps import MODEL, PRE_TOKENISER, Steps, first_few
from .utf8 import utf8_length, well_formed

if TYPE_CHECKING:
    from .bpe.merge_rule import Merging
    from .families.piece_merges import PieceMerges

ASSETS = Path(__file__).resolve().parent.parent / "assets"

AllowedSpecial = Literal["all"] | Collection[str]
"""Which special tokens to recognise in a text: all, or those with these names. The rest is plain text."""

PART_LENGTH = 1 << 17
"""Characters of a part of a long text, about."""

Made = TypeVar("Made")


class Splitting(Protocol):
    """The capability of encodings that split a text by a pattern before anything else.

    Attributes:
        pattern: the split pattern as its authors published it; None: there are no walls, or no single
            pattern that is known here makes them. ``pieces`` tells.
        exact_pattern: the pattern that ``pieces`` uses.
    """

    pattern: str | None
    exact_pattern: str | None

    def pieces(self, text: str) -> list[str]:
        """What the split pattern yields; ``"".join(pieces) == text``."""

    def confirms_pieces(self, text: str, ids: Ids) -> bool:
        """Whether ``pieces`` cuts this text as it was cut when it was given these ids."""


@dataclass(frozen=True)
class ChatTemplates:
    """The capability of encodings whose file says how a conversation is written, in Jinja's language.

    Attributes:
        default: the template; None: not known.
        tool_use: the template of chats with tools, if it is another one.
        names: the special tokens that a template asks for, by the names that it uses (bos_token). They may
            be known without a template.
    """

    default: str | None = None
    tool_use: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def are_known(self) -> bool:
        """Whether there is a template."""
        return bool(self.default or self.tool_use)


class Encoding(abc.ABC):
    """Text to token ids and back, of any family.

    Args:
        name: what people call it.
        special_tokens: text: id.

    Attributes:
        family: the kind of encoding it is, as people see it.
        knows_special_tokens: whether its publisher's special tokens are known here.
        unknown_id: the token that stands for whatever is not in the vocabulary; None: there is none.
        is_lossless: whether every text comes back from its ids, byte for byte.
        drops_text: whether it drops text or puts an unknown token in its place, so that few tokens can mean a
            loss. (Text that is only rewritten still costs tokens.)
        puts_space_in_front: whether a text is read with a space in front of it.
        longest_text: the most bytes of a text, or of a part of one, that ``place`` takes; None: no limit.
        part_begin: where a long text can be cut, so that each part has the tokens that it has in the whole;
            None: no such place is known.
        inside_words: the tokens that occur only within a word, so that no text becomes one of them alone.
        frame: the ids that its publisher's own tokenizer puts before and after a text, if asked to, such as
            <s> or [CLS]; no method here puts them there.
        chat_templates: how its publisher writes a conversation.
        not_drawn: why its merges are not drawn, worded to follow "not drawn:"; empty: they are drawn, or
            there are none.
        declared: what its file says of it, as ``description.steps_in_words`` has it.
        notes: what else there is to say of it, in the same form.
        memory: bytes that it took in the process with limits that tried its file; 0: not known.
        split_timeout: seconds that a person's own pattern may take to split a text; fewer are set where
            people wait for the answer.
    """

    family: str
    knows_special_tokens: bool = True
    unknown_id: int | None = None
    is_lossless: bool = True
    drops_text: bool = False
    puts_space_in_front: bool = False
    longest_text: int | None = None
    part_begin: regex.Pattern[str] | None = None
    inside_words: frozenset[int] = frozenset()
    frame: Frame = ((), ())
    chat_templates: ChatTemplates = ChatTemplates()
    not_drawn: str = ""
    declared: Sequence[tuple[str, str]] = ()
    notes: Sequence[tuple[str, str]] = ()
    memory: int = 0
    split_timeout: float = 10.0

    def __init__(self, name: str, special_tokens: Mapping[str, int] | None = None) -> None:
        self.name = name
        self.special_tokens: dict[str, int] = dict(special_tokens or {})
        self._file: bytes | None = None
        self._cache: dict[Callable[[Any], Any], Any] = {}
        self._cache_lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}, {self.n_vocab:,} ids>"

    # What every family has

    @property
    @abc.abstractmethod
    def n_vocab(self) -> int:
        """One more than the largest id. Some ids below it may be unused, as in cl100k_base."""

    @property
    def n_tokens(self) -> int:
        """How many tokens it has, special ones included: some of its ids may stand for none.

        >>> from tokenizers import get_encoding
        >>> get_encoding("cl100k_base").n_tokens, get_encoding("cl100k_base").n_vocab
        (100261, 100277)
        """
        return int(np.count_nonzero(self.byte_lengths)) + (b"" in self.ordinary)

    @property
    @abc.abstractmethod
    def ordinary(self) -> Mapping[bytes, int]:
        """The tokens that a text can become, without special and unknown ones: id by bytes."""

    @abc.abstractmethod
    def token_bytes(self, token_id: int) -> bytes:
        """What one token stands for: bytes, not always whole characters.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """

    @abc.abstractmethod
    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, and where each one is in it.

        Special tokens in it are plain text unless allowed. Lone surrogates are encoded as U+FFFD (see
        ``well_formed``), and places are those in the text that ``well_formed`` gives.
        """

    # What only some families have

    @property
    def merging(self) -> Merging | None:
        """Merges and their ranks; None: the tokens of this family are not made by such merges."""
        return None

    @property
    def joining(self) -> PieceMerges | None:
        """Merges of pieces by their scores; None: this family has none."""
        return None

    @property
    def has_merges(self) -> bool:
        """Whether its tokens are made by merges of any kind, so that each has a tree."""
        return self.merging is not None or self.joining is not None

    @property
    def way(self) -> str:
        """How it cuts a text, worded to follow its name in a sentence.

        >>> from tokenizers import get_encoding
        >>> get_encoding("words").way, get_encoding("rwkv-world").way
        ('cuts a text into words', 'cuts a text by longest match')
        """
        return f"cuts a text into {self.family}"

    @property
    def splitting(self) -> Splitting | None:
        """The split pattern and its pieces; None: this family has no such pattern."""
        return None

    @property
    def saved(self) -> bytes | None:
        """The content of the file that it was read from; None: there is none, see ``files.file_of``."""
        return None if self._file is None else zlib.decompress(self._file)

    def keep_file(self, content: bytes) -> None:
        """Remember the content of the file that it was read from, compressed."""
        self._file = zlib.compress(content, 1)

    def family_steps(self) -> Steps:
        """The steps that the family knows, in words for people (see ``description.steps_in_words``)."""
        steps = []
        if self.splitting is not None:
            pattern = self.splitting.pattern
            how_split = f"pieces by the split pattern {pattern_name(pattern) or pattern}"
            steps.append((PRE_TOKENISER, how_split if pattern else "none: a text is one piece"))
        steps.append((MODEL, f"{self.family}, {self.n_tokens:,} tokens"))
        if self.special_tokens or not self.knows_special_tokens:
            steps.append(("Special tokens", first_few(list(self.special_tokens)) or "not known here"))
        return steps

    def in_parts(self, text: str) -> Iterator[str]:
        """A text in parts, to be encoded one by one, which have the tokens that they have in it.

        >>> from tokenizers import get_encoding
        >>> lines = "A line.\\n" * 50_000
        >>> [len(part) for part in get_encoding("j2").in_parts(lines)]
        [131072, 131072, 131072, 6784]
        """
        done = 0
        for part in self._cut(text):
            yield part
            done += len(part)
            report(done / max(len(text), 1))

    def _cut(self, text: str) -> Iterable[str]:
        return cut_safely(text, PART_LENGTH, self.part_begin) if self.part_begin else (text,)

    def check_length(self, text: str) -> None:
        """Refuse a text that would take this encoding too much memory and time, before any work starts.

        Raises:
            ValueError: it has more bytes than ``longest_text``, and no place to cut it.

        >>> from tokenizers import get_encoding
        >>> words = "word " * 600_000
        >>> get_encoding("qwen").check_length(words)
        >>> get_encoding("clip").check_length(words)
        Traceback (most recent call last):
        ...
        ValueError: clip takes texts of up to 2 MB here, ...
        """
        if self.longest_text is None:
            return
        n_bytes = max(map(utf8_length, self._cut(text)))
        if n_bytes > self.longest_text:
            where = " without a place to cut it" if self.part_begin else ""
            raise ValueError(
                f"{self.name} takes texts of up to {bytes_in_words(self.longest_text)} here, since it needs "
                "more than a hundred times a text's memory, or much time; this one has "
                f"{bytes_in_words(n_bytes)}{where}. Take a part of it, or another tokenizer."
            )

    def check_rewritten(self, n_bytes: int) -> None:
        """Refuse a text that a normaliser has made much longer than ``longest_text``, before it is cut.

        Args:
            n_bytes: of the text after its normalisation.

        Raises:
            ValueError: it has more than twice as many as a text may have.
        """
        if self.longest_text is not None and n_bytes > 2 * self.longest_text:
            raise ValueError(
                f"{self.name} makes {bytes_in_words(n_bytes)} of this text before it cuts it, and takes "
                f"up to {bytes_in_words(2 * self.longest_text)} here. Take a part of the text, or another "
                "tokenizer."
            )

    def losses_in(self, text: str, placed: Placement) -> list[Loss]:
        """The places of a well-formed text that decoding its tokens does not give back.

        >>> from tokenizers import get_encoding
        >>> enc = get_encoding("words")
        >>> enc.losses_in("the  law", enc.place("the  law"))
        [Loss(start=3, end=5, became=' ')]
        """
        if self.is_lossless:
            return []
        return find_losses(text, placed, self.given_back(placed.ids.tolist()), self.unknown_id)

    def seen(self, text: str) -> str:
        """The text that the encoding cuts: the text itself, unless the family rewrites it first.

        >>> from tokenizers import get_encoding
        >>> get_encoding("gpt2").seen("½"), get_encoding("claude-2").seen("½")
        ('½', '1⁄2')
        """
        return well_formed(text)

    # Text to ids

    def encode(self, text: str, *, allowed_special: AllowedSpecial = ()) -> list[int]:
        """The ids of ``text``; special tokens in it are plain text unless allowed.

        Lone surrogates are encoded as U+FFFD (see ``well_formed``).

        >>> from tokenizers import get_encoding
        >>> get_encoding("gpt2").encode("hello world")
        [31373, 995]
        >>> get_encoding("gpt2").encode("<|endoftext|>", allowed_special="all")
        [50256]
        """
        ids: list[int] = self.encode_array(text, allowed_special=allowed_special).tolist()
        return ids

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        return self.place(text, allowed_special=allowed_special).ids

    def encode_each(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """The ids of many short texts, in order; many families do this faster than ``encode`` for each.

        Args:
            texts: the texts.
            timeout: seconds that a person's own split pattern may take on all of them.
        """
        return map(self.encode, texts)

    def encode_inside(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """As ``encode_each``, for texts as parts of a longer one.

        This differs where a family puts something in front of a text.

        >>> from tokenizers import get_encoding
        >>> enc = get_encoding("mistral-v1")
        >>> [inside] = enc.encode_inside(["he"])
        >>> enc.decode_array(enc.encode_array("he")), [enc.token_bytes(token_id) for token_id in inside]
        (b'he', [b'he'])
        """
        return self.encode_each(texts, timeout=timeout)

    def _allowed(self, allowed_special: AllowedSpecial) -> set[str]:
        """The special tokens to recognise; names that this encoding does not have are ignored."""
        if allowed_special == ():
            return set()
        if isinstance(allowed_special, str):
            if allowed_special == "all":
                return set(self.special_tokens)
            raise ValueError(
                f'Give allowed_special as a list, [{allowed_special!r}], or as "all" for every special token.'
            )
        return {name for name in allowed_special if name in self.special_tokens}

    def cut_at_specials(self, text: str, allowed: AllowedSpecial = "all") -> Iterator[tuple[str, int | None]]:
        """The stretches of a text, special tokens apart: (stretch, its special id or None).

        >>> from tokenizers import get_encoding
        >>> list(get_encoding("gpt2").cut_at_specials("a<|endoftext|>"))
        [('a', None), ('<|endoftext|>', 50256), ('', None)]
        """
        names = self._allowed(allowed)
        end = 0
        if names:
            pattern = self.special_pattern if len(names) == len(self.special_tokens) else any_of(names)
            for match in pattern.finditer(text):
                yield text[end : match.start()], None
                yield match.group(), self.special_tokens[match.group()]
                end = match.end()
        yield text[end:], None

    @functools.cached_property
    def special_pattern(self) -> re.Pattern[str]:
        """Matches a special token in a text, the longest where several fit; nothing, if there are none.

        >>> from tokenizers import get_encoding
        >>> get_encoding("gpt2").special_pattern.findall("a<|endoftext|>b")
        ['<|endoftext|>']
        """
        return any_of(self.special_tokens)

    # Ids to text

    def given_back(self, ids: Sequence[int]) -> list[bytes]:
        """What each of these tokens gives back when they are decoded together: for most, its own bytes.

        Raises:
            ValueError: an id that this encoding does not have; names it.

        >>> from tokenizers import get_encoding
        >>> enc = get_encoding("mistral-v1")
        >>> ids = enc.encode("hi there")
        >>> [enc.token_bytes(token_id) for token_id in ids], enc.given_back(ids)
        ([b' hi', b' there'], [b'hi', b' there'])
        """
        return [self.token_bytes(token_id) for token_id in ids]

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """What ``ids`` give back, in UTF-8.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        return b"".join(self.given_back(list(ids)))

    def decode_array(self, ids: Ids) -> bytes:
        """As ``decode_bytes``, faster and without checks: for ids that this encoding returned."""
        return self.decode_bytes(ids.tolist())

    def decode(self, ids: Iterable[int]) -> str:
        """The text that ``ids`` stand for; bytes that are not valid UTF-8 become U+FFFD.

        Raises:
            ValueError: an id that this encoding does not have; names it.

        >>> from tokenizers import get_encoding
        >>> get_encoding("gpt2").decode([31373, 995])
        'hello world'
        >>> get_encoding("gpt2").decode([50257])
        Traceback (most recent call last):
        ...
        ValueError: gpt2 has no token 50257: its ids run from 0 to 50256.
        """
        return self.decode_bytes(ids).decode("utf-8", errors="replace")

    # One token

    def token_id(self, token_bytes: bytes) -> int | None:
        """The id of the ordinary token that stands for exactly these bytes, or None.

        >>> from tokenizers import get_encoding
        >>> get_encoding("gpt2").token_id(b" world"), get_encoding("gpt2").token_id(b"gibberish")
        (995, None)
        """
        return self.ordinary.get(token_bytes)

    def rank(self, token_id: int) -> int | None:
        """The order in which the token's merge was learned; None for bytes, special tokens, other families.

        Ranks are numbered as in a .tiktoken file, the 256 bytes first. A rank equals its id, unless special
        tokens come first. Of pieces that are joined by score, it is the score's place among all, 0 the best.
        """
        self.token_bytes(token_id)  # raises if there is no such id
        return self.joining.rank(token_id) if self.joining is not None else None

    def is_special(self, token_id: int) -> bool:
        """Whether the id is a special token's."""
        return 0 <= token_id < self.n_vocab and bool(self.is_special_id[token_id])

    @functools.cached_property
    def is_special_id(self) -> Flags:
        """Shape (n_vocab,): whether the id is a special token's."""
        table = np.zeros(self.n_vocab, bool)
        table[list(self.special_tokens.values())] = True
        return table

    @functools.cached_property
    def byte_lengths(self) -> U32:
        """Bytes in each token, shape (n_vocab,), indexed by id; 0: no such token.

        If several special tokens share an id, like 200018 in o200k_harmony, this is the length of the last
        one. ``lengths_in`` looks at the text and is right for all of them.

        From the ids of a byte pair encoding to byte offsets is one look-up and one running sum:

        >>> from tokenizers import get_encoding
        >>> enc = get_encoding("gpt2")
        >>> enc.byte_lengths[enc.encode_array("hello world")].cumsum().tolist()
        [5, 11]
        """
        lengths = np.zeros(self.n_vocab, np.uint32)
        ordinary = self.ordinary
        ids = np.fromiter(ordinary.values(), dtype=np.int64, count=len(ordinary))
        lengths[ids] = np.fromiter(map(len, ordinary), dtype=np.uint32, count=len(ordinary))
        for special, token_id in self.special_tokens.items():
            lengths[token_id] = utf8_length(special)
        if self.unknown_id is not None:
            lengths[self.unknown_id] = len(self.token_bytes(self.unknown_id))
        return lengths

    @functools.cached_property
    def _special_names(self) -> dict[int, list[bytes]]:
        """The ids that several special tokens share, such as o200k_harmony's 200018, with their bytes."""
        names: dict[int, list[bytes]] = {}
        for special, token_id in self.special_tokens.items():
            names.setdefault(token_id, []).append(special.encode())
        return {token_id: spellings for token_id, spellings in names.items() if len(spellings) > 1}

    def lengths_in(self, ids: Ids, data: bytes) -> I32:
        """Bytes that each of ``ids`` covers in the text ``data`` which they encode, shape (n,)."""
        lengths = self.byte_lengths.view(np.int32)[ids]
        if self._special_names:
            starts = np.cumsum(lengths, dtype=np.int64) - lengths
            shift = 0  # how far the tokens so far were longer than assumed
            for i in np.flatnonzero(np.isin(ids, list(self._special_names))):
                for name in self._special_names[int(ids[i])]:
                    if data.startswith(name, int(starts[i]) + shift):
                        shift += len(name) - int(lengths[i])
                        lengths[i] = len(name)
                        break
        return lengths

    # Caching

    def cached(self, make: Callable[[Encoding], Made]) -> Made:
        """``make(self)``, computed once and cached as long as the encoding exists.

        This is the one cache of an encoding, for what pages and other modules compute from its vocabulary.
        The function or class is the key.

        >>> from tokenizers import get_encoding
        >>> def longest(encoding):
        ...     return int(encoding.byte_lengths.max())
        >>> get_encoding("gpt2").cached(longest), get_encoding("gpt2").cached(longest)
        (128, 128)
        """
        if make not in self._cache:
            with self._cache_lock:
                if make not in self._cache:
                    self._cache[make] = make(self)
        value: Made = self._cache[make]
        return value

    def fingerprint_data(self) -> Iterator[bytes]:
        """The data that determines how many tokens a text has: the family, and the ordinary tokens by id."""
        yield f"{self.family} {self.unknown_id} {len(self.ordinary)}\n".encode()
        yield from self._table_data()

    def _table_data(self) -> Iterator[bytes]:
        """The ordinary tokens by id: the ids, the lengths, and all bytes in a row."""
        ordered = sorted(self.ordinary.items(), key=operator.itemgetter(1))
        yield np.array([token_id for _, token_id in ordered], "<u4").tobytes()
        yield np.array([len(token) for token, _ in ordered], "<u4").tobytes()
        yield b"".join(token for token, _ in ordered)

    def no_such_token(self, token_id: int) -> ValueError:
        """The error for an id that this encoding does not have."""
        last = self.n_vocab - 1
        unused = ", and this is one of the unused ones" if 0 <= token_id <= last else ""
        return ValueError(f"{self.name} has no token {token_id}: its ids run from 0 to {last}{unused}.")
