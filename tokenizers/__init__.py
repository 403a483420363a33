"""The library of Token Grove: text to tokens and back, to the byte.

One word, one meaning, in code, in the interface and in the docs:

encoding
    Turns text into token ids and back: gpt2, cl100k_base, a home-trained one. The pages say *tokenizer*,
    with the model's name: GPT-4's tokenizer (cl100k_base).
token id, token bytes
    A token's number; what it stands for (bytes, not always whole characters).
merge, rank
    The pair (left id, right id) that becomes a new id; its place in the order in which merges were
    learned. Lower ranks merge first. (The field: merge rule; merge rank, merge priority.)
vocabulary, ``vocab_size``, ``n_vocab``
    All tokens of an encoding; how many they are, special tokens included; one more than the largest
    id, which is more where some ids are unused.
size
    On a curve over vocabulary sizes (``SizeCurve``): how many ordinary tokens there are. Special
    tokens are not counted.
ordinary token, special token
    One that a text can become; one with a meaning of its own, such as <|endoftext|>. (Added token.)
split pattern
    The regular expression that cuts a text before any merge. (Pre-tokenization pattern.)
piece, wall
    What the split pattern yields before any merge; the boundary between two pieces. (Pre-token, or
    word in papers on BPE; pre-token boundary. Of a SentencePiece model, a piece is one of its tokens.)
cut, span
    The boundary between two tokens, as a byte offset; a stretch of bytes [start, end), with the
    token that covers it. (Token boundary; offsets.)
merge tree, forest
    The binary tree of merges behind one token; behind a whole text. (Derivation of a token.)
lattice
    All tokens of a Unigram that fit a text; a path through it is a way to cut the text, and the best one
    is the encoding's. (Word lattice; segmentation.)
metric
    What can be measured, such as bytes per token.
bytes per token
    UTF-8 bytes divided by tokens. (Compression ratio, compression rate.)
premium
    Tokens for a language divided by tokens for English, on the same parallel text. (Tokenization
    premium, after Petrov et al. 2023; token tax.)
word
    A run of letters, marks, digits and underscores, apostrophes between them included. In scripts that
    put no space between words (Thai, Han, Kana, …) words are not counted.
fertility
    Tokens per word. (Subword fertility.)

In brackets are the field's other terms for the same thing. ``n_`` in a name means "how many".

Train an encoding, or take one that is there:

>>> grove = train("aaabdaaabac", vocab_size=259)
>>> grove.merges, grove.encode("aaabdaaabac")
([(97, 97), (97, 98), (256, 257)], [258, 100, 258, 97, 99])
>>> get_encoding("gpt2").encode("aaabdaaabac")
[7252, 397, 6814, 64, 397, 330]

See how a token came to be, and why a cut is where it is:

>>> merge_tree(get_encoding("gpt2"), 1169).children
(<Node 83 b't' [0, 1)>, <Node 258 b'he' [1, 3)>)
>>> print(explain_cut(get_encoding("gpt2"), "xylophone", 1).sentence)
“x” and “y” could have become “xy” (rank 5,431), but “y” and “l” became “yl” first (rank 2,645). In the
end, “x” and “yl” meet here, and there is no token “xyl”.

Measure how an encoding does on a text:

>>> metrics = measure(get_encoding("gpt2"), "the naïve xylophone")
>>> metrics.n_tokens, metrics["bytes_per_token"], metrics["words_kept_whole"]
(5, 4.0, 0.6666666666666666)

Whatever is wrong with what a person typed, chose or loaded is a ValueError (or an OSError) with a
sentence that says what to do.

The rest is in the rooms, each with a table of its contents:

bpe             byte pair encoding: the plain algorithm, training, encoding, merge trees, explanations, curves
families        SentencePiece, WordPiece, longest match, characters, words, bytes
notebook        tokens in colour, in a Jupyter notebook
alternation     a pattern that matches any of many texts
description     an encoding in words for people; steps: what it does to a text, as a list
memory          what this process takes, and giving back what is free of it
split           split patterns, and a person's own pattern in a process with limits
text            spans, graphemes, words, Unicode
measure, data   metrics, vocabularies, costs by language; corpora and parallel texts
files           reading and writing tokenizer files
bundled         the encodings that come with the app
"""

from __future__ import annotations

from .bpe.counting import count_pieces, read_texts
from .bpe.curve import counts_by_size
from .bpe.explain import explain_cut
from .bpe.home import HomeEncoding
from .bpe.plain import iter_merges
from .bpe.training import train
from .bpe.trees import forest, merge_tree, trace
from .encoding import Encoding
from .files import load, save
from .measure.metrics import measure
from .measure.vocabulary import vocabulary_of
from .notebook import show
from .registry import get_encoding, list_encodings
from .split.patterns import PATTERNS
from .text.spans import Spans, encode_spans
