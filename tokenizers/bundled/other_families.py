"""The encodings that come with the app and are not plain byte pairs: loader, description and hue of each."""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Sequence

from ..data import udhr
from ..data.corpus import LANGUAGE
from ..data.models import FIRST_MODEL, read_recipe
from ..data.vocabulary_files import read_vocabulary
from ..encoding import Encoding
from ..entry import Entry
from ..families.characters import CharacterEncoding, Rest, learn_characters
from ..families.jurassic import JurassicEncoding
from ..families.longest_match import LongestMatchEncoding
from ..families.raw_bytes import ByteEncoding
from ..families.sentencepieces import SentencePieceEncoding, SentencePieces
from ..families.wordpiece import GOES_ON, describe_word_pieces
from ..families.words import WordEncoding, learn_words
from ..files.sentencepiece import parse_model
from ..files.tokenizer_json import from_content
from .rewriting import BUNDLED as REWRITING


def _all_languages() -> list[str]:
    """The keys of the declaration of human rights in every language: nearly every character in use."""
    return [LANGUAGE + language.code for language in udhr.list_languages()]


def _model_languages() -> list[str]:
    """The keys of the declaration in the languages that grove-udhr-8k learned from."""
    return [LANGUAGE + code for code in read_recipe(FIRST_MODEL).languages]


def _texts(keys: Sequence[str]) -> list[str]:
    return [udhr.get_language(key.removeprefix(LANGUAGE)).text for key in keys]


def _characters(name: str, rest: Rest) -> CharacterEncoding:
    return learn_characters(_texts(_all_languages()), None, rest, name=name)


def _words() -> WordEncoding:
    return learn_words(_texts(_model_languages()), read_recipe(FIRST_MODEL).vocab_size)


def _rwkv() -> LongestMatchEncoding:
    """RWKV's vocabulary. A line is an id, a Python literal of text or bytes, and its length."""
    tokens: dict[int, bytes] = {}
    for line in read_vocabulary("rwkv-world.txt", "rwkv-world").decode("utf-8").split("\n")[:-1]:
        token_id, rest = line.split(" ", 1)  # not splitlines: tokens hold U+2028
        literal = rest.rsplit(" ", 1)[0]
        is_plain = literal[0] in "'\"" and "\\" not in literal  # nearly all, ten times as fast
        token = literal[1:-1] if is_plain else ast.literal_eval(literal)
        tokens[int(token_id)] = token.encode("utf-8") if isinstance(token, str) else token
    listed = [tokens.get(token_id, b"") for token_id in range(max(tokens) + 1)]
    return LongestMatchEncoding(listed, name="rwkv-world")


def _sentencepiece(kind: type[SentencePieces], name: str) -> SentencePieces:
    return kind(parse_model(read_vocabulary(f"{name}.model", name)), name=name)


def _bert() -> Encoding:
    """BERT's vocabulary. In its file, ▁ is before the tokens that begin a word."""
    name = "bert-uncased"
    listed: list[str] = json.loads(read_vocabulary("bert-uncased.vocab.json", name))
    listed[1] = "[unused0]"
    tokens = [
        token.removeprefix("▁")
        if token.startswith("▁") or (token[0] == "[" and len(token) > 2)
        else GOES_ON + token
        for token in listed
    ]
    ids = {token: token_id for token_id, token in enumerate(tokens)}
    content = describe_word_pieces(ids, ("[PAD]", "[CLS]", "[SEP]", "[MASK]"))
    ends = {end: [token, ids[token]] for end, token in (("cls", "[CLS]"), ("sep", "[SEP]"))}
    content["post_processor"] = {"type": "BertProcessing", **ends}
    return from_content(content, json.dumps(content).encode("utf-8"), name)


BUNDLED: dict[str, Entry] = {
    "bytes": Entry(
        ByteEncoding, "Every byte of UTF-8 is a token: nothing is learned, and nothing is ever lost.", hue=13
    ),
    "characters": Entry(
        functools.partial(_characters, "characters", "bytes"),
        "Every character of the declaration of human rights in 532 languages is a token; the rest are bytes.",
        hue=14,
        sources=_all_languages,
    ),
    "characters-unknown": Entry(
        functools.partial(_characters, "characters-unknown", "unknown"),
        "The same characters; the rest are [UNK], and do not come back.",
        hue=15,
        sources=_all_languages,
    ),
    "words": Entry(
        _words,
        "The most frequent words of the declaration of human rights in 28 languages, 8,192 in all; "
        "the rest are [UNK], and white space is dropped.",
        hue=16,
        sources=_model_languages,
    ),
    "rwkv-world": Entry(
        _rwkv,
        "RWKV's World models, from version 4 on: 65,529 byte strings, cut by longest match, without merges.",
        hue=17,
        group="longest match",
    ),
    **REWRITING,
    "mistral-v1": Entry(
        functools.partial(_sentencepiece, SentencePieceEncoding, "mistral-v1"),
        "Mistral 7B and Mixtral, of 2023; Llama 1 and 2 cut the same way. SentencePiece BPE, 32,000 pieces, "
        "of which 125 never arise: bytes whose characters are pieces too.",
        hue=19,
        group="SentencePiece",
    ),
    "j2": Entry(
        functools.partial(_sentencepiece, JurassicEncoding, "j2"),
        "Jurassic-2 of AI21, of 2023. Unigram, 262,144 pieces, some of several words; ² becomes 2 "
        "first (NFKC), and each line begins with a space that is put there.",
        hue=20,
        group="SentencePiece",
    ),
    "bert-uncased": Entry(
        _bert,
        "BERT, Google's model of 2018, in small letters; accents and white space are dropped, and a word "
        "that cannot be put together is [UNK]. Its 994 tokens [unused…] arise in no text.",
        hue=25,
        group="WordPiece",
    ),
}
"""In the order of choosers."""
