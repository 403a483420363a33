"""llama.cpp's tokenizer, by its library's functions. Imports nothing of ours: other Pythons use it, too."""

from __future__ import annotations

import ctypes
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
    """The library.

    Args:
        package: the folder of the package xllamacpp, which has the library in it; None: the installed one.
    """

    def __init__(self, package: Path | None = None) -> None:
        if package is None:
            package = next(
                Path(each) / "xllamacpp" for each in sys.path if (Path(each) / "xllamacpp").is_dir()
            )
        [file] = package.glob("*.so")
        self._library = library = ctypes.CDLL(str(file))
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
    def opened(self, data: bytes) -> Iterator[Vocabulary]:
        """The vocabulary of a .gguf file.

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
        yield Vocabulary(self._library, self._library.llama_model_get_vocab(model))
        self._library.llama_model_free(model)


class Vocabulary:
    """A vocabulary that llama.cpp has read."""

    def __init__(self, library: Any, vocabulary: Any) -> None:
        self._library, self._vocabulary = library, vocabulary

    def encode(self, text: str, *, frame: bool = False, special: bool = False) -> list[int]:
        """The ids of a text.

        Args:
            text: any.
            frame: whether what its model asks for is put around it.
            special: whether special tokens in it are found.
        """
        data = text.encode("utf-8")
        ids = (_INT * (4 * len(data) + 8))()
        found = self._library.llama_tokenize(self._vocabulary, data, len(data), ids, len(ids), frame, special)
        return list(ids[:found])
