"""llama.cpp's tokenizer, by its library's functions. Imports nothing of ours: other Pythons use it, too."""

from __future__ import annotations

import ctypes
import functools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import files
from typing import Any

Encode = Callable[..., list[int]]
_POINTER, _INT, _BOOL = ctypes.c_void_p, ctypes.c_int32, ctypes.c_bool


class Parameters(ctypes.Structure):
    """``llama_model_params`` of llama.h."""

    _fields_ = (
        *((f"pointer{number}", _POINTER) for number in range(2)),
        *((f"number{number}", _INT) for number in range(5)),
        *((f"pointer{number}", _POINTER) for number in range(2, 6)),
        ("vocab_only", _BOOL),
        *((f"flag{number}", _BOOL) for number in range(5)),
    )


class LlamaCpp:
    """The library, from the package xllamacpp."""

    def __init__(self) -> None:
        installed = files("xllamacpp") or []
        [path] = [str(file.locate()) for file in installed if file.suffix == ".so"]
        self._library = library = ctypes.CDLL(path)
        library.llama_model_default_params.restype = Parameters
        library.llama_model_load_from_file.restype = library.llama_model_get_vocab.restype = _POINTER
        library.llama_model_load_from_file.argtypes = [ctypes.c_char_p, Parameters]
        library.llama_model_get_vocab.argtypes = library.llama_model_free.argtypes = [_POINTER]
        library.llama_tokenize.argtypes = [_POINTER, ctypes.c_char_p, _INT, _POINTER, _INT, _BOOL, _BOOL]
        # What keeps its log silent has to live as long as the library.
        self._silence = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, _POINTER)(lambda *_: None)
        library.llama_log_set(self._silence, None)
        library.llama_backend_init()

    @contextmanager
    def opened(self, data: bytes) -> Iterator[Encode]:
        """The function that encodes with a .gguf file: see ``_encode``.

        Raises:
            ValueError: llama.cpp does not read it.
        """
        parameters = self._library.llama_model_default_params()
        parameters.vocab_only = True
        with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
            file.write(data)
            file.flush()
            model = self._library.llama_model_load_from_file(file.name.encode(), parameters)
        if not model:
            raise ValueError("llama.cpp does not read the file.")
        yield functools.partial(self._encode, self._library.llama_model_get_vocab(model))
        self._library.llama_model_free(model)

    def _encode(self, vocabulary: Any, text: str, *, frame: bool = False, special: bool = False) -> list[int]:
        """The ids of a text.

        Args:
            vocabulary: of the model.
            text: any.
            frame: whether what its model asks for is put around it.
            special: whether special tokens in it are found.
        """
        data = text.encode("utf-8")
        ids = (_INT * (4 * len(data) + 8))()
        n_ids = self._library.llama_tokenize(vocabulary, data, len(data), ids, len(ids), frame, special)
        return list(ids[:n_ids])
