"""All tokens of a text, as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json

from .spans import Spans

COLUMNS = ("index", "id", "bytes_hex", "text", "start_byte", "end_byte", "start_char", "end_char", "special")
"""Of a row. ``text`` is empty where the bytes are not whole characters; ``bytes_hex`` never is."""


def token_rows(spans: Spans) -> list[tuple[int, int, str, str, int, int, int, int, bool]]:
    """One row of ``COLUMNS`` for each token. A character index is of the character that holds the byte.

    >>> from tokenizers import encode_spans, get_encoding
    >>> token_rows(encode_spans(get_encoding("gpt2"), "hello world"))[1]
    (1, 995, '20776f726c64', ' world', 5, 11, 5, 11, False)
    """
    data, char_at = spans.text_map.data, spans.text_map.char_at
    rows = []
    columns = zip(
        spans.ids.tolist(), spans.starts.tolist(), spans.ends.tolist(), spans.special.tolist(), strict=True
    )
    for index, (token_id, start, end, special) in enumerate(columns):
        raw = data[start:end]
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = ""
        rows.append(
            (index, token_id, raw.hex(), text, start, end, int(char_at[start]), int(char_at[end]), special)
        )
    return rows


def tokens_csv(spans: Spans) -> str:
    """The rows as CSV with a header. Read it with a CSV reader: texts hold quotes and line ends."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows(token_rows(spans))
    return out.getvalue()


def tokens_json(many: list[Spans]) -> str:
    """The text, and each encoding's tokens."""
    text = many[0].text_map if many else None
    return json.dumps(
        {
            "text": text.text if text else "",
            "bytes": text.n_bytes if text else 0,
            "encodings": [
                {
                    "name": spans.encoding.name,
                    "token_count": len(spans),
                    "ids": spans.ids.tolist(),
                    "tokens": [dict(zip(COLUMNS, row, strict=True)) for row in token_rows(spans)],
                }
                for spans in many
            ],
        },
        ensure_ascii=False,
        indent=1,
    )
