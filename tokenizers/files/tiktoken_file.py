"""Rank files, as tiktoken reads them: a token in base64 and its rank on each line.

A rank file says what the tokens are, but not which two tokens made each of them. That can be found out,
because the tokens of lower rank make it in one way only. It also leaves out the split pattern and the special
tokens, so whoever reads it has to supply them.
"""

from __future__ import annotations

import base64
import keyword
from collections.abc import Mapping, Sequence

from ..bpe.home import HomeEncoding
from ..bpe.plain import Pair
from ..bpe.reachable_merges import cut_stays
from ..bpe.special_tokens import find_nested_specials
from ..split.dialects import spell_for_tiktoken
from .ranks import tokens_by_rank

MAX_WORK = 1 << 30
"""Bytes that may be looked at to find which two tokens made each token. Text's tokens need a
thousandth of it; very many very long tokens would need hours."""


def to_bytes(encoding: HomeEncoding) -> bytes:
    """The content of the rank file for ``encoding``.

    Tokens that no text can have (only a file from elsewhere has such) are left out: by their bytes,
    tiktoken would make them.

    >>> to_bytes(HomeEncoding([(104, 105), (256, 33)])).splitlines()[-2:]
    [b'aGk= 256', b'aGkh 257']
    """
    ranks = sorted(encoding.ordinary.items(), key=lambda item: item[1])
    return b"".join(b"%b %d\n" % (base64.b64encode(token), rank) for token, rank in ranks)


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
    sapling = tiktoken.Encoding('sapling', pat_str="...", mergeable_ranks=ranks, special_tokens={...})
    """
    taken = encoding.name in ("base64", "pathlib", "tiktoken", "lines", "ranks") or keyword.iskeyword(
        encoding.name
    )
    variable = encoding.name if encoding.name.isidentifier() and not taken else "grove"
    pattern = spell_for_tiktoken(encoding.pattern)
    nested = find_nested_specials(encoding.special_tokens)
    comments = (
        [f"# Of {nested[0]!r} and {nested[1]!r} tiktoken may read either: its hash table decides."]
        if nested
        else []
    )
    return "\n".join(
        [
            *comments,
            "import base64, pathlib, tiktoken",
            f"lines = pathlib.Path({path or f'{encoding.name}.tiktoken'!r}).read_bytes().splitlines()",
            "ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}",
            f"{variable} = tiktoken.Encoding({encoding.name!r}, pat_str={pattern!r}, "
            f"mergeable_ranks=ranks, special_tokens={encoding.special_tokens!r})",
        ]
    )


def from_bytes(
    data: bytes,
    name: str = "grove",
    pattern: str | None = "gpt4",
    special_tokens: Sequence[str] | Mapping[str, int] = (),
) -> HomeEncoding:
    """The encoding that the content of a rank file describes, with what the file does not say.

    Raises:
        ValueError: a damaged file, one that numbers the bytes in another way than 0 to 255 (as OpenAI's
            do), or tokens that byte pair encoding cannot have made.
    """
    tokens = tokens_by_rank(data)
    for byte in range(256):
        if byte >= len(tokens) or tokens[byte] != bytes([byte]):
            raise ValueError(
                f"Its token {byte} is not the byte {byte}: only rank files that begin with the 256 bytes in "
                "order can be loaded, as those that were saved here."
            )
    return HomeEncoding(_merges(tokens), pattern, special_tokens, name=name, learned=True)


def _merges(tokens: Sequence[bytes]) -> list[Pair]:
    """Which two tokens of lower rank made each one: the two that are left when their turn comes."""
    ids = {token: byte for byte, token in enumerate(tokens[:256])}
    lengths = {1}
    merges: list[Pair] = []
    new_ids: dict[Pair, int] = {}
    work = 0
    for new_id, token in enumerate(tokens[256:], start=256):
        pair = None
        for middle in range(1, len(token)):
            if middle not in lengths or len(token) - middle not in lengths:
                continue
            work += len(token)
            if work > MAX_WORK:
                raise ValueError("It has so many long tokens that it would take hours to load.")
            left, right = ids.get(token[:middle]), ids.get(token[middle:])
            if left is not None and right is not None and cut_stays((left, right), new_id, merges, new_ids):
                pair = left, right
                break
        if pair is None:
            raise ValueError(
                f"Token {new_id:,}, {token[:40]!r}, is not made of two tokens of lower rank: byte pair "
                "encoding cannot have learned it."
            )
        ids[token] = new_id
        lengths.add(len(token))
        new_ids[pair] = new_id
        merges.append(pair)
    return merges
