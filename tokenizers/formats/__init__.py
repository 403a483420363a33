"""Files of tokenizers: what is read from them, and what is written to them.

reading             any file, recognised by its content; and what a session keeps of an encoding
storage             .model, in minbpe's format; and ``load``, for the kinds that are written here
tiktoken_file       .tiktoken, a rank file
walled_ranks_file   a rank file with its split pattern, in a format of our own
huggingface_file    tokenizer.json, of what is grown here
pipeline_file       tokenizer.json of any pipeline; vocab.json with merges.txt, and vocab.txt
pipeline_steps      the steps that one may have, and what they do, in words
chat_template       a chat template, and the tokens that it names
template_file       a chat template that lies beside a tokenizer.json
pipeline            what a tokenizer.json holds: checked, and described
sentencepiece_file  SentencePiece's .model, of every kind
sentencepiece_proto what such a file contains, checked before its library sees it
charsmap            the table of its normaliser, checked
gguf_file           .gguf: the tokenizer in the header of a model
gguf_pairs          those of the kind gpt2: what the name of a pre-tokeniser stands for
gguf                what such a header contains, by key
tekken_file         tekken.json, of Mistral AI's models
listed_file         a vocabulary of characters or of words, in a format of our own
installed           files of tokenizers in the packages that are installed here
hub                 a file of a tokenizer from Hugging Face's hub
hub_task            the same, in a process with limits
"""

from __future__ import annotations

from .reading import (
    MAX_BYTES,
    READERS,
    Reader,
    estimate_room,
    file_of,
    has_header,
    is_whole_header,
    read_any,
    reader_of_saved,
)

__all__ = [
    "MAX_BYTES",
    "READERS",
    "Reader",
    "has_header",
    "is_whole_header",
    "estimate_room",
    "read_any",
    "reader_of_saved",
    "file_of",
]
