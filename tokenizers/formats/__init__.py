"""Files of tokenizers: what is read from them, and what is written to them.

reading              any file, told apart by its content; and what a session keeps of an encoding
storage              .model, in minbpe's format; and ``load``, for the kinds that are written here
tiktoken_file        .tiktoken, a rank file
pipeline_file        tokenizer.json of any pipeline, checked by ``pipeline``
huggingface_file     tokenizer.json of what is grown here
sentencepiece_file   SentencePiece's .model, checked by ``sentencepiece_proto`` and ``charsmap``
"""

from __future__ import annotations

from .reading import MAX_BYTES, READERS, Reader, read_any, reader_of_saved, save

__all__ = ["MAX_BYTES", "READERS", "Reader", "read_any", "reader_of_saved", "save"]
