r"""Rank files: a token in base64 and its rank on each line, as tiktoken reads them (.tiktoken).

A rank file holds neither its split pattern nor its special tokens. Token Grove saves one with both in a
first line (.ranks):

    token grove ranks 2 {"pattern": "gpt4", "special_tokens": {"<|endoftext|>": 2}}
    IQ== 0
    Ig== 1

Which two tokens made a token is not in the file either. For a home-trained BPE, whose first tokens are the
256 bytes in order, it follows from the ranks. Other files, such as OpenAI's, Qwen's and Llama 3's, merge by
rank on tiktoken's engine.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections.abc import Mapping, Sequence

from ..amounts import bytes_in_words
from ..bpe.byte_pairs import BytePairEncoding, Engine
from ..bpe.home import MAX_IDS, HomeEncoding, check_special_ids, check_special_tokens, find_nested_specials
from ..bpe.merge_rule import last_middle
from ..bpe.plain import MAX_TOKEN_BYTES, Pair
from ..split.dialects import spell_for_tiktoken
from ..split.patterns import find_pattern, spell_for_engine
from ..steps import Steps

Ranks = dict[bytes, int]
"""The tokens' bytes, and their ranks or ids."""

SpecialTokens = Sequence[str] | Mapping[str, int]
"""The texts of special tokens, with their ids or without."""

_LINE = re.compile(
    rb"(?=\S)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|=)?[ \t]+[0-9]{1,9}\s*"
)
_HEAD = b"token grove ranks 2 "
_BYTES = [bytes([byte]) for byte in range(256)]


def recognises(data: bytes) -> bool:
    """Whether the first line of a file, and most after it, are a token in base64 and its rank.

    >>> recognises(b"IQ== 0\\n\\nIg== 1\\n"), recognises(b"the 27\\nthat 9\\nof 3\\n")
    (True, False)
    """
    lines = [line for line in data[:2_000].splitlines() if line.strip()]
    are = [_LINE.fullmatch(line) is not None for line in lines]
    return are[:1] == [True] and sum(are) * 2 > len(are)


def recognises_with_pattern(data: bytes) -> bool:
    """Whether a file begins as a .ranks file does.

    >>> recognises_with_pattern(b"token grove ranks 2 {}\\n"), recognises_with_pattern(b"IQ== 0\\n")
    (True, False)
    """
    return data.startswith(_HEAD)


def read_ranks(data: bytes) -> Ranks:
    r"""The tokens of a .tiktoken file with their ranks, in the order of their ranks.

    Each line is read as tiktoken reads it; of a token that is there twice, the last rank counts.

    Raises:
        ValueError: a line is no token and its rank, or two tokens have one rank.

    >>> read_ranks(b"IQ== 1\naGk= 0\n")
    {b'hi': 0, b'!': 1}
    """
    ranks: Ranks = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            written, rank = line.split()
            token = base64.b64decode(written)
            if len(token) > MAX_TOKEN_BYTES or not 0 <= int(rank) < MAX_IDS:
                raise ValueError
        except ValueError:
            raise ValueError(
                f"Line {number:,} must be a token in base64, of up to {bytes_in_words(MAX_TOKEN_BYTES)}, and "
                f"its rank below {MAX_IDS:,}, not {line[:80].decode(errors='replace')!r}. Copy it again."
            ) from None
        ranks[token] = int(rank)
    if len(set(ranks.values())) < len(ranks):
        raise ValueError(
            "Two tokens have the same rank, so their ids are ambiguous. If the end of the file was cut off, "
            "copy it again."
        )
    return dict(sorted(ranks.items(), key=lambda item: item[1]))


def from_bytes(
    data: bytes, name: str, pattern: str | None, special_tokens: SpecialTokens = ()
) -> BytePairEncoding:
    """The encoding of a .tiktoken file, with what the file does not hold.

    Args:
        data: the file's content.
        name: what to call the encoding.
        pattern: the split pattern: a name in ``PATTERNS``, a regular expression, or None for no walls.
        special_tokens: with their ids; without, the ids after the ranks.

    Raises:
        ValueError: the file is damaged, or lacks a byte.
    """
    ranks = read_ranks(data)
    merges = find_merges(ranks)
    if merges is not None:
        return HomeEncoding(merges, pattern, special_tokens, name=name)
    if not isinstance(special_tokens, Mapping):
        names = check_special_tokens(special_tokens)
        special_tokens = dict(zip(names, itertools.count(max(ranks.values(), default=0) + 1), strict=False))
    head = json.dumps({"pattern": pattern, "special_tokens": dict(special_tokens)})
    return with_pattern_from_bytes(b"%b%b\n%b" % (_HEAD, head.encode(), data), name)


def with_pattern_from_bytes(data: bytes, name: str) -> RankEncoding:
    """The encoding of a .ranks file.

    Raises:
        ValueError: it is damaged, lacks a byte, or its pattern or a special token cannot be.
    """
    head, _, lines = data.partition(b"\n")
    try:
        content = json.loads(head.removeprefix(_HEAD))
        special = {text: int(token_id) for text, token_id in content["special_tokens"].items()}
        pattern = find_pattern(content["pattern"])
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
        raise ValueError(
            "Its first line does not hold its pattern and special tokens. Save or copy it again."
        ) from None
    return of_ranks(name, data, read_ranks(lines), pattern, special)


def of_ranks(
    name: str, saved: bytes, ranks: Ranks, pattern: str | None, special: Mapping[str, int]
) -> RankEncoding:
    """The encoding of ranks, a pattern and special tokens; the arguments are those of ``RankEncoding``.

    Raises:
        ValueError: a byte is missing, or a special token cannot be.

    >>> from tokenizers.description import steps_in_words
    >>> of_bytes = {bytes([byte]): byte for byte in range(256)}
    >>> both = [of_ranks("small", b"", of_bytes, None, special) for special in ({}, {"<end>": 256})]
    >>> [dict(steps_in_words(each))["Special tokens"] for each in both]
    ['none: a rank file does not list them', '<end>']
    """
    if not ranks.keys() >= set(_BYTES):
        raise ValueError(
            "Some of the 256 bytes are not among its tokens, so it cannot encode every text. If the end of "
            "the file was cut off, copy it again."
        )
    check_special_tokens(special)
    check_special_ids(special, ranks, set(ranks.values()))
    return RankEncoding(name, saved, ranks, pattern, special)


class RankEncoding(BytePairEncoding):
    """The encoding of a file of ranks and a split pattern, on tiktoken's engine.

    Args:
        name: what people call it.
        saved: the file's content, from which it can be read again.
        ranks: the tokens' bytes, and their ids. Special tokens may come first.
        pattern: the split pattern; None: no walls.
        special: the special tokens' texts, and their ids.
    """

    def __init__(
        self,
        name: str,
        saved: bytes,
        ranks: Ranks,
        pattern: str | None,
        special: Mapping[str, int],
    ) -> None:
        spelling = spell_for_engine(pattern)
        engine = Engine(name, ranks, dict(special), spelling or ".")
        # Of special tokens that begin alike, tiktoken's engine takes either.
        engine_splits = spelling is not None and not find_nested_specials(special)
        super().__init__(
            name, engine=engine, pattern=pattern, engine_splits=engine_splits, first_id=min(ranks.values())
        )
        self.keep_file(saved)
        if not special:
            self.notes = [("Special tokens", "none: a rank file does not list them")]

    def family_steps(self) -> Steps:
        return [("Normaliser", "none: a rank file does not hold one"), *super().family_steps()]


def find_merges(ranks: Ranks) -> list[Pair] | None:
    """The pair of each merge, the two tokens that lower ranks make of its bytes; None: not home-trained.

    A home-trained file has the 256 bytes in order, no gap, and no token that merges do not reach.
    """
    ids: Ranks = {}
    merges: list[Pair] = []
    for new_id, (token, rank) in enumerate(ranks.items()):
        ids[token] = new_id
        if rank != new_id or (new_id < 256 and token != _BYTES[new_id]):
            return None
        if new_id >= 256:
            middle = last_middle(token, ids)
            if not middle:
                return None
            merges.append((ids[token[:middle]], ids[token[middle:]]))
    return merges if len(ids) >= 256 else None


def to_bytes(encoding: HomeEncoding) -> bytes:
    """The content of the .tiktoken file for an encoding.

    Tokens that no text can have (only a file from elsewhere has such) are left out: by their bytes,
    tiktoken would make them.

    >>> to_bytes(HomeEncoding([(104, 105), (256, 33)])).splitlines()[-2:]
    [b'aGk= 256', b'aGkh 257']
    """
    return write_ranks(encoding.ordinary)


def write_ranks(ranks: Mapping[bytes, int]) -> bytes:
    """The content of the .tiktoken file of these ranks, in their order."""
    return b"".join(b"%b %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())


def snippet(encoding: HomeEncoding, path: str = "") -> str:
    r"""Python that loads the rank file in tiktoken, with the pattern and the special tokens.

    (tiktoken's regular expression engine is another one: ``split.find_difference`` tries a pattern in it.)
    If one special token begins with another one, tiktoken may take either, so a comment says so.

    Args:
        encoding: what the file was written from.
        path: of the file; by default NAME.tiktoken.

    >>> print(snippet(HomeEncoding([(104, 105)], "gpt2", ["<|end|>"], name="sapling")))
    import base64, pathlib, tiktoken
    lines = pathlib.Path('sapling.tiktoken').read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    encoding = tiktoken.Encoding('sapling', pat_str="...", mergeable_ranks=ranks, special_tokens={...})
    """
    pattern = spell_for_tiktoken(encoding.pattern)
    warning = []
    if nested := find_nested_specials(encoding.special_tokens):
        warning.append(
            "# Of {!r} and {!r}, tiktoken may read either: its hash table decides.".format(*nested)
        )
    return "\n".join(
        [
            *warning,
            "import base64, pathlib, tiktoken",
            f"lines = pathlib.Path({path or f'{encoding.name}.tiktoken'!r}).read_bytes().splitlines()",
            "ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}",
            f"encoding = tiktoken.Encoding({encoding.name!r}, pat_str={pattern!r}, "
            f"mergeable_ranks=ranks, special_tokens={encoding.special_tokens!r})",
        ]
    )
