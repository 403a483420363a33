"""Files that hold a part of a tokenizer, and the tokenizer.json that says the same.

vocab.json with merges.txt, BERT's vocab.txt, and a tokenizer.json with a chat template beside it: that of a
tokenizer_config.json, or of a file of its own.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping

from ..bpe.home import check_special_tokens
from ..families.huggingface_engine import describe_added
from ..families.wordpiece import describe_ends, describe_word_pieces
from ..json_types import json_bytes
from ..numbered import numbered
from ..text.spelling import byte_characters
from .known import Way
from .ranks import SpecialTokens
from .tokenizer_json import describe_pairs, read_json, templates_in

_NUMBERED = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[0-9]+\s*[,}]')
_OF_MERGES = re.compile(rb'(?:"\xc4\xa0|"\\u0120|</w>)"\s*:')
"""Matches a token that merges begin or end with: the byte of a space, and the end of a word."""


def is_vocab_json(data: bytes) -> bool:
    """Whether this may be a vocab.json that a merges.txt belongs to: ids of tokens made of bytes or letters.

    >>> is_vocab_json('{"!": 0, "Ġ": 220}'.encode()), is_vocab_json(b'{"[UNK]": 0, "un": 1}')
    (True, False)
    """
    return _NUMBERED.match(data[:4_000]) is not None and _OF_MERGES.search(data) is not None


def numbers_words(data: bytes) -> bool:
    """Whether the first lines number words, as counts of words and the tokens.txt of k2 and of Kaldi do.

    >>> numbers_words(b"the 295\\nof 604\\n"), numbers_words(b"  9 of\\n"), numbers_words(b"t h\\n")
    (True, True, False)
    """
    pairs = [line.decode("utf-8", "replace").split() for line in _first_lines(data)]
    if any(len(pair) != 2 for pair in pairs):
        return False
    columns = zip(*pairs, strict=True)
    # Merges may be of digits alone.
    return sum(all(map(_DIGITS.fullmatch, column)) for column in columns) == 1


_DIGITS = re.compile(r"[0-9]{1,18}")


def _first_lines(data: bytes) -> list[bytes]:
    lines = data[:2_000].split(b"\n")[:20]
    whole = lines[:-1] or lines
    return [line.rstrip(b"\r") for line in whole if line and not line.startswith(b"#version")]


def is_merges_txt(data: bytes) -> bool:
    """Whether this may be a merges.txt: two tokens on each line, after a line with the version perhaps.

    Those on the first line are single characters: nothing was made before.

    >>> is_merges_txt(b"#version: 0.2\\n\\xc4\\xa0 t\\nin g\\n"), is_merges_txt(b"[PAD]\\n[UNK]\\n")
    (True, False)
    >>> is_merges_txt(b"John Smith\\nAnn Lee\\n"), is_merges_txt(b"# Title\\n\\nHello you\\n")
    (False, False)
    """
    if data.startswith(b"#version:"):
        return True
    pairs = [line.decode("utf-8", "replace").split(" ") for line in _first_lines(data)]
    if not pairs or any(len(pair) != 2 for pair in pairs) or numbers_words(data):
        return False
    first_parts = [part.removesuffix("</w>") for part in pairs[0]]
    return all(len(part) == 1 for part in first_parts)


def is_vocab_txt(data: bytes) -> bool:
    """Whether this may be BERT's vocab.txt: a token on each line, [UNK] among the first.

    >>> is_vocab_txt(b"[PAD]\\n[UNK]\\nthe\\n##ing\\n"), is_vocab_txt(b"a\\nb\\n")
    (True, False)
    """
    return any(line.strip() == b"[UNK]" for line in data[:20_000].split(b"\n"))


def read_merges(merges: bytes) -> list[str]:
    """The lines of a merges.txt, without its header.

    Raises:
        ValueError: it is no text, or a line is not two tokens.

    >>> read_merges(b"#version: 0.2\\nh i\\n")
    ['h i']
    """
    lines = [line for line in _lines(merges, "merges.txt") if line and not line.startswith("#version")]
    for line in lines:
        if line.count(" ") != 1:
            raise ValueError(
                f"Each line of merges.txt must be two tokens, but one is {line[:80]!r}. Copy it again."
            )
    return lines


_SPECIAL = ("<|endoftext|>", "<s>", "<pad>", "</s>", "<unk>", "<mask>")
"""The special tokens of GPT-2 and of RoBERTa."""


def join_vocab_and_merges(vocab: bytes, merges: bytes, way: Way, special_tokens: SpecialTokens = ()) -> bytes:
    """The tokenizer.json that a vocab.json and its merges.txt stand for: byte-level BPE.

    Args:
        vocab, merges: the files' content.
        way: how a text is cut before anything merges, which they do not tell.
        special_tokens: those that are not in the vocab.json; without ids, they get the next ones.

    Raises:
        ValueError: they are damaged or do not belong together, or the tokens are not made of bytes.

    >>> from .known import way_of
    >>> letters = numbered(byte_characters())
    >>> vocab = json.dumps({**letters, "hi": 256}).encode()
    >>> joined = join_vocab_and_merges(vocab, b"#version: 0.2\\nh i\\n", way_of("gpt2"))
    >>> from .tokenizer_json import from_bytes
    >>> from_bytes(joined, "small").encode("hi!")
    [256, 33]
    """
    vocabulary = read_json(vocab)
    if not isinstance(vocabulary, dict) or any(type(number) is not int for number in vocabulary.values()):
        raise ValueError(
            "It is not a vocab.json, which gives each token its id. Choose the file of that name."
        )
    pairs = [line.split(" ") for line in read_merges(merges)]
    has_bytes = all(letter in vocabulary for letter in byte_characters())
    if not has_bytes or any("</w>" in token for pair in pairs[:1_000] for token in pair):
        raise ValueError(
            "Its tokens are not made of bytes, or end in </w>, and the two files do not say how to split "
            "words. Add its tokenizer.json instead."
        )
    names = [name for name in _SPECIAL if name in vocabulary]
    next_id = itertools.count(max(vocabulary.values()) + 1)
    given_ids = special_tokens if isinstance(special_tokens, Mapping) else {}
    for name in check_special_tokens(special_tokens):
        given = given_ids.get(name)
        token_id = vocabulary.setdefault(name, next(next_id) if given is None else given)
        if given is not None and given != token_id:
            raise ValueError(f"vocab.json gives {name[:80]!r} the id {token_id:,}, not {given:,}.")
        if name not in names:
            names.append(name)
    names.sort(key=vocabulary.__getitem__)
    added = [describe_added(vocabulary[name], name) for name in names]
    content = describe_pairs(
        vocabulary,
        pairs,
        added,
        way.steps,
        normalizer={"type": way.form} if way.form else None,
        ignore_merges=way.looks_up,
    )
    return json_bytes(content)


def from_vocab_txt(data: bytes, lowercase: bool) -> bytes:
    """The tokenizer.json that BERT's vocab.txt stands for: WordPiece, cut as BERT cuts.

    Args:
        data: the file's content: a token on each line, whose number is its id.
        lowercase: whether capitals and accents are dropped, as in bert-base-uncased. The file does not say.

    Raises:
        ValueError: it is damaged, or no vocab.txt.

    >>> from .tokenizer_json import from_bytes
    >>> small = from_bytes(from_vocab_txt(b"[PAD]\\n[UNK]\\nun\\n##able\\n!\\n", True), "small")
    >>> ids = small.encode("Unable! 1")
    >>> ids, small.decode(ids)
    ([2, 3, 4, 1], 'unable! [UNK]')
    """
    lines = _lines(data, "vocab.txt")
    vocabulary = numbered(lines)
    if "[UNK]" not in vocabulary:
        raise ValueError(
            "It has no [UNK], so it is not the vocab.txt of a WordPiece. Choose the file of that name."
        )
    if len(vocabulary) < len(lines):
        raise ValueError("The same token is on two lines, so its id is ambiguous. Copy the file again.")
    names = [name for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") if name in vocabulary]
    content = describe_word_pieces(vocabulary, names, small_letters=lowercase)
    if "[CLS]" in vocabulary and "[SEP]" in vocabulary:
        content["post_processor"] = describe_ends(vocabulary)
    content["decoder"]["cleanup"] = True
    return json_bytes(content)


def _lines(data: bytes, what: str) -> list[str]:
    return [line.removesuffix("\r") for line in _decode(data, what).removesuffix("\n").split("\n")]


def _decode(data: bytes, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ValueError(
            f"It is not UTF-8 text, as a {what} must be. Choose the file of that name."
        ) from None


# A chat template in a file beside a tokenizer.json

MAX_CONFIG_BYTES = 8 << 20
"""No tokenizer_config.json is longer: it may list all added tokens."""

_CONFIG = re.compile(
    rb'"(?:chat_template|tokenizer_class|added_tokens_decoder|model_max_length|add_bos_token)"\s*:'
)
_MODEL = re.compile(rb'"architectures"\s*:')
"""In the config.json of a model, which may name its tokenizer's class, too."""


def is_config(data: bytes) -> bool:
    """Whether this may be a tokenizer_config.json or a chat template.

    >>> is_config(b'{"chat_template": "{{ x }}"}'), is_config(b"{% for message in messages %}{% endfor %}")
    (True, True)
    >>> is_config(b'{"version": "1.0"}'), is_config(b"GIF89a")
    (False, False)
    """
    if len(data) > MAX_CONFIG_BYTES:
        return False
    is_json = data[:100].lstrip().startswith(b"{") and _MODEL.search(data) is None
    return _is_template(data) or (is_json and _CONFIG.search(data) is not None)


def _is_template(data: bytes) -> bool:
    """Whether this is a template by itself: statements in Jinja's language, about messages."""
    begins_as_other = re.match(rb"\s*(\{\s*[\"}]|<!|<html)", data) is not None  # JSON, or a web page
    # RWKV's vocabulary and manuals have {% and the word, but no statement.
    has_statement = re.search(rb"\{%[-+]?\s*(for|if|set|macro)\b", data) is not None
    return has_statement and not begins_as_other and b"messages" in data and b"\0" not in data


def join_configs(files: Mapping[str, bytes]) -> bytes:
    """The content of one tokenizer_config.json for several files beside a tokenizer.json, by their names.

    As in transformers, a template by itself (chat_template.jinja) wins over those in a tokenizer_config.json,
    and that in tool_use.jinja is for chats with tools.

    Raises:
        ValueError: a file is damaged.

    >>> print(join_configs({"x": b"{% if messages %}", "y": b'{"eos_token": "</s>"}'}).decode())
    {"chat_template": {"default": "{% if messages %}"}, "extra_special_tokens": {"eos_token": "</s>"}}
    """
    said = templates_in({})
    by_itself = {}
    for name, data in files.items():
        if _is_template(data):
            use = "tool_use" if name.startswith("tool_use") else "default"
            by_itself[use] = _decode(data, "chat template")
        else:
            for key, of_file in templates_in(read_json(data)).items():
                said[key] = {**said[key], **of_file}
    if "default" in by_itself:
        said["chat_template"] = by_itself
    else:
        said["chat_template"] = {**said["chat_template"], **by_itself}
    return json_bytes(said)


def join_template(tokenizer: bytes, beside: bytes) -> bytes:
    """The content of a tokenizer.json, with the chat template of the file beside it.

    Raises:
        ValueError: one of the two is damaged.

    >>> json.loads(join_template(b'{"version": "1.0"}', b'{"chat_template": "{{ x }}"}'))["chat_template"]
    {'default': '{{ x }}'}
    """
    content = read_json(tokenizer)
    if not isinstance(content, dict):
        raise ValueError("It is not a tokenizer.json. Copy the file again.")
    content |= json.loads(join_configs({"": beside}))
    return json_bytes(content)
