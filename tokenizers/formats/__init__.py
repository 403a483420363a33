"""Files of tokenizers: what is read from them, and what is written to them.

reading             any file, told apart by its content; and what a session keeps of an encoding
storage             .model, in minbpe's format; and ``load``, for the kinds that are written here
tiktoken_file       .tiktoken, a rank file
huggingface_file    tokenizer.json
sentencepiece_file  SentencePiece's .model, of every kind
sentencepiece_proto what stands in such a file, checked before its library sees it
charsmap            the table of its normaliser, checked
gguf_file           .gguf: the tokenizer in the header of a model
gguf                what stands in such a header, by key
"""

from __future__ import annotations

from .reading import MAX_BYTES, READERS, Reader, read_any, reader_of_saved, save

__all__ = ["MAX_BYTES", "READERS", "Reader", "read_any", "reader_of_saved", "save"]
