"""Model files: what is written to them, and what is read from them.

storage             .model, in minbpe's format; and ``load``, which tells the three apart
tiktoken_file       .tiktoken, a rank file
huggingface_file    tokenizer.json
"""

from __future__ import annotations

__all__ = []
