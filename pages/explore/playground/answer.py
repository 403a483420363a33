"""Builds the answer to a request of the editor: the values for each panel, the inspector and the notes.

A panel's arrays describe the text in order, as stretches of one token each: ids, byte lengths, UTF-16
lengths (omitted where they equal the byte lengths) and flags. A stretch without a token has the flag ``GAP``
and id 0. Everything is computed from token ids.

Next for a key: ``pack`` in ``wire.py``.
"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import numpy.typing as npt

from pages.explore.playground.introduction import describe_introduction
from pages.explore.playground.wire import Array, Arrays, counts
from pages.session.catalogue import read_samples
from pages.session.panels import LIVE_BYTES, WALLS_BYTES
from pages.session.workspace import WELCOME, Pin, Workspace
from pages.shared.colours import css_hue_in
from pages.shared.trees import LONGEST_TREE, describe_node
from pages.teaching.lesson_files import list_lessons
from tokenizers.amounts import bytes_in_words
from tokenizers.bpe import merge_tree
from tokenizers.bundled import ABSENT
from tokenizers.description import why_no_trees
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonMapping, JsonObject
from tokenizers.placement import Loss
from tokenizers.registry import FIRST_ENCODINGS, encoding_title, find_entry
from tokenizers.text import (
    MAX_LISTED,
    MAX_TEXT_BYTES,
    Spans,
    TextMap,
    explain_plainly,
    only_here,
    quote,
    spell_change,
    token_facts,
)
from tokenizers.utf8 import count_lone_surrogates

# Flags of a token.
CLEAN = np.uint16(1)  # it starts at a grapheme's edge
ONLY_HERE = np.uint16(2)  # no other panel makes the cut before it
WALL = np.uint16(4)  # a wall is before it
SPECIAL = np.uint16(8)  # it is a special token
LOOKS_SPECIAL = np.uint16(16)  # it is plain text that spells a special token
BEGINS_BEFORE = np.uint16(32)  # it begins before this page
GOES_ON = np.uint16(64)  # it ends after this page

# Flags of a stretch.
GAP = np.uint16(128)  # no token covers it
UNKNOWN = np.uint16(256)  # its token is the unknown token
SHARES = np.uint16(512)  # its token shares bytes with earlier tokens, and the stretch has only the rest

_MAX_PREPARED = 20
_MAX_PREPARED_BYTES = 2_000

MAX_REWRITTEN = 2_000
"""The most tokens of a panel whose own text is sent, where it differs from the text under them."""

MAX_LOSSES = 20
"""The most lossy spans that are listed for a panel; all of them are counted."""


def mount_data(workspace: Workspace, locale: str | None = None) -> JsonObject:
    """The data that the editor gets from a page run: the state of the workspace, and what no key changes.

    Args:
        workspace: the session's workspace.
        locale: the browser's language, such as "pt-BR"; None: unknown.
    """
    introduction = describe_introduction(workspace.text, locale)
    with workspace.lock:
        return {
            "introduction": introduction,
            "state": editor_state(workspace),
            "note": workspace.note,
            "ticket": workspace.ticket,
            "is_welcome": workspace.text == WELCOME and workspace.encodings == list(FIRST_ENCODINGS),
            "available": [_describe_choice(workspace, name) for name in workspace.encoding_names()],
            "absent": [asdict(each) for each in ABSENT],
            "own": workspace.own_encodings.marks(workspace.encoding_names()),
            "samples": read_samples(),
            "prepared": _prepared_texts(workspace),
            "lessons": [lesson.slug for lesson in list_lessons()],
            "live_bytes": LIVE_BYTES,
            "max_bytes": MAX_TEXT_BYTES,
        }


def _prepared_texts(workspace: Workspace) -> list[dict[str, str]]:
    """The texts that a presenter steps through: the person's own short ones, or else the samples."""
    own = [
        {"text": each.text, "hint": each.title}
        for each in workspace.own_texts.uploaded
        if each.n_bytes <= _MAX_PREPARED_BYTES
    ]
    samples = [{"text": sample["text"], "hint": sample["hint"]} for sample in read_samples()]
    return own[:_MAX_PREPARED] or samples


def editor_state(workspace: Workspace, known: JsonMapping | None = None) -> JsonObject:
    """The fields of the editor's state and their versions (``versions.py``). The browser takes what is newer.

    Args:
        workspace: the session's workspace.
        known: the fields that the browser has, and their "versions". What is the same is not sent again.
    """
    fields = workspace.state
    workspace.versions.note(fields)
    versions = workspace.versions.to_dict()
    if workspace.is_long:
        fields["text"] = None  # the answer has a page of it
    known = known or {}
    known_versions = known.get("versions")
    if isinstance(known_versions, dict):
        versions = {
            name: version for name, version in versions.items() if known_versions.get(name) != version
        }
    fields = {name: value for name, value in fields.items() if name not in known or known[name] != value}
    return {"fields": fields, "versions": versions}


def build_answer(workspace: Workspace, *, skips_slow: bool) -> tuple[JsonObject, Arrays]:
    """Encode the workspace's text, and describe the result as values and arrays (``wire.py``).

    Args:
        workspace: the session's workspace. The caller holds its lock.
        skips_slow: see ``Panels.encode``. A panel without a result is "counting".
    """
    text_map = workspace.text_map
    shown = text_map
    start = 0
    values: JsonObject = {"bytes": text_map.n_bytes, "chars": text_map.n_chars, "page": None}
    if workspace.is_long:
        page = workspace.pages[workspace.page]
        shown = TextMap(text_map.text[page.start : page.end])
        start = page.start_byte
        values["page"] = {
            "number": workspace.page,
            "count": len(workspace.pages),
            "text": shown.text,
            "start": start,
            "end": page.end_byte,
        }
    else:
        values["graphemes"] = text_map.n_graphemes
    whole, problems = workspace.panels.encode(
        workspace.encodings, special=workspace.special_as_tokens, skips_slow=skips_slow
    )
    parts = {
        name: spans.window(shown, start) if workspace.is_long else (spans, 0) for name, spans in whole.items()
    }
    only = dict(zip(parts, only_here([part for part, _ in parts.values()]), strict=True))
    panels: list[JsonObject] = []
    arrays: Arrays = {("", "clusters"): counts(shown.cluster_lengths)}
    for name in workspace.encodings:
        if name in problems:
            panels.append({"name": name, "problem": problems[name]})
        elif name not in whole:
            panels.append({"name": name, "counting": True})
            if share := workspace.panels.shares.get(name, 0):
                panels[-1]["share"] = share
        else:
            part, first = parts[name]
            panel, flags = _describe_panel(workspace, whole[name], part, first, start)
            panels.append({"name": name, **panel})
            described = _describe_stretches(part, flags + only[name] * ONLY_HERE)
            arrays |= {(name, key): counts(array) for key, array in described.items()}
    values |= {
        "panels": panels,
        "inspector": _inspect(workspace, whole),
        "notes": _notes(workspace),
        "can_go_back": workspace.set_aside is not None,
    }
    return values, arrays


def _describe_panel(
    workspace: Workspace, spans: Spans, part: Spans, first: int, start: int
) -> tuple[JsonObject, Array]:
    """The values of a panel, and the flags of its tokens.

    Args:
        workspace: the session's workspace.
        spans: the tokens of the whole text.
        part: the tokens of the page, from byte ``start`` and token ``first`` on.
    """
    encoding = spans.encoding
    after = first + len(part)
    panel: JsonObject = {
        "tokens": len(spans),
        "first": first,
        "frame": _describe_frame(encoding) if workspace.adds_frame else [[], []],
        "joins": spans.decodes_to_text,
        "unknown": int(np.count_nonzero(spans.unknown)),
        "losses": len(spans.losses),
        # Having few tokens is no advantage if part of the text is lost.
        "best_of": not (spans.losses and encoding.drops_text),
        "lost": [_describe_loss(spans.text_map, loss) for loss in spans.losses[:MAX_LOSSES]],
    }
    flags = part.clean_starts * CLEAN + part.special * SPECIAL
    if encoding.unknown_id is not None:
        flags += part.unknown * UNKNOWN
    if workspace.walls and spans.text_map.n_bytes <= WALLS_BYTES:
        try:
            flags += spans.wall_starts[first:after] * WALL
        except ValueError as problem:
            panel |= {"walls_problem": str(problem), "has_walls": encoding.splitting is not None}
    if not workspace.special_as_tokens:
        flags += _looks_special(part) * LOOKS_SPECIAL
    if len(part) and int(spans.starts[first]) < start:
        flags[0] |= BEGINS_BEFORE
    if len(part) and int(spans.ends[after - 1]) > start + part.text_map.n_bytes:
        flags[-1] |= GOES_ON
    if encoding.merging is None:
        panel["stands_for"] = _stands_for(spans, first, after)
    return panel, flags


def _describe_stretches(part: Spans, flags: Array) -> dict[str, Array]:
    """The arrays of a panel."""
    owners, starts, ends = part.stretches
    ids = part.ids
    if not part.joins:  # a gap's owner is -1, the index of the appended entry
        flags = flags + (part.shared > 0) * SHARES
        ids = np.append(ids, 0)[owners]
        flags = np.append(flags, GAP)[owners]
        flags += ((owners < 0) & part.text_map.is_grapheme_edge[starts]) * CLEAN
    arrays = {"ids": ids, "byte_lengths": ends - starts, "flags": flags}
    return arrays if part.text_map.is_ascii else {**arrays, "utf16_lengths": part.utf16_lengths}


def _describe_frame(encoding: Encoding) -> list[list[JsonObject]]:
    """The tokens that an encoding's publisher adds before a text, and those after it."""

    def describe(token_id: int) -> JsonObject:
        token = encoding.token_bytes(token_id)
        return {"id": token_id, "text": token.decode("utf-8", "replace"), "hex": token.hex(" ")}

    return [[describe(token_id) for token_id in side] for side in encoding.frame]


def _stands_for(spans: Spans, first: int, after: int) -> list[tuple[int, str, str]]:
    """The tokens in [first, after) whose own text differs from the text under them.

    Returns:
        (index from ``first``, its own text, its bytes in hex) for each, up to ``MAX_REWRITTEN``.
    """
    encoding = spans.encoding
    data = spans.text_map.data
    part = slice(first, after)
    lengths = encoding.byte_lengths[spans.ids[part]]
    differs = (lengths != spans.ends[part] - spans.starts[part]) | (spans.shared[part] > 0)
    for loss in spans.losses[:MAX_REWRITTEN]:  # the rewritten text may have as many bytes
        begin, stop = spans.overlapping(loss.start, loss.end)
        differs[max(0, begin - first) : max(0, stop - first)] = True
    rewritten = []
    for index in np.flatnonzero(differs)[:MAX_REWRITTEN].tolist():
        token_id = int(spans.ids[first + index])
        token = encoding.token_bytes(token_id)
        covered = data[int(spans.starts[first + index]) : int(spans.ends[first + index])]
        if token != covered and token_id != encoding.unknown_id and not encoding.is_special(token_id):
            rewritten.append((index, quote(token), token.hex(" ")))
    return rewritten


def _describe_loss(text_map: TextMap, loss: Loss) -> JsonObject:
    """A lossy span: the beginning of its text, and of the text that decoding gives instead."""
    was = text_map.data[loss.start : min(loss.end, loss.start + 80)].decode("utf-8", "ignore")
    was, became = spell_change(was, loss.became[:80])
    return {"start": loss.start, "was": was, "became": became}


def _describe_choice(workspace: Workspace, name: str) -> JsonObject:
    """An encoding as the choosers show it. This does not load it."""
    entry = None if name in workspace.own_encodings else find_entry(name)
    models = name
    search = about = maker = "not here" if name in workspace.own_encodings.awaited else "your own"
    if entry:
        models = entry.models or name
        search = entry.about
        maker = entry.maker
        about = f"{maker}, {entry.year}" if entry.year else search.partition(":")[0]
    return {
        "name": name,
        "title": encoding_title(name),
        "models": models,
        "about": about,
        "search": search,
        "hue": css_hue_in(workspace, name),
        "group": maker,
    }


def _notes(workspace: Workspace) -> list[JsonObject]:
    """The notes about the text: [{text, error}]."""
    texts = []
    lone = count_lone_surrogates(workspace.text) if workspace.text_map.text != workspace.text else 0
    if lone:
        texts.append(
            f"Lone surrogates (halves of UTF-16 pairs) in this text: {lone:,}. UTF-8 cannot hold them, so "
            "each is counted as U+FFFD, three bytes, as tiktoken does."
        )
    if workspace.walls and workspace.text_map.n_bytes > WALLS_BYTES:
        texts.append(f"Walls are shown for texts up to {bytes_in_words(WALLS_BYTES)}; this one is longer.")
    notes = [{"text": workspace.note, "error": workspace.note_is_error}] if workspace.note else []
    return notes + [{"text": text, "error": False} for text in texts]


def _looks_special(spans: Spans) -> npt.NDArray[np.bool_]:
    """Shape (n,): whether the token is part of plain text that spells a special token."""
    flags = np.zeros(len(spans), dtype=np.bool_)
    names = spans.encoding.special_tokens
    text_map = spans.text_map
    # Few texts have any, so look for their first two characters before the slower search.
    starts = {name[:2] for name in names}
    if not any(start in text_map.text for start in starts):
        return flags
    for match in spans.encoding.special_pattern.finditer(text_map.text):
        begin, end = (int(text_map.byte_of_char[at]) for at in match.span())
        first, after = spans.overlapping(begin, end)
        flags[first:after] = True
    return flags


def _inspect(workspace: Workspace, whole: dict[str, Spans]) -> JsonObject | None:
    """The inspector's values for the pinned token. Drops a pin that is on no token."""
    pin = workspace.pin
    if pin is None:
        return None
    if pin.encoding not in whole:
        if pin.encoding not in workspace.encodings:
            workspace.pin = None
        return None  # its panel is counting, or has a problem
    spans = whole[pin.encoding]
    encoding = spans.encoding
    index = spans.covering(pin.start) if pin.start < workspace.text_map.n_bytes else None
    if index is None:  # after an edit, no token is there
        workspace.pin = None
        return None
    others = [other for name, other in whole.items() if name != pin.encoding]
    facts = token_facts(spans, index, others, with_piece=workspace.text_map.n_bytes <= WALLS_BYTES)
    workspace.pin = Pin(pin.encoding, facts.start)
    listed = facts.token_bytes[:MAX_LISTED].hex(" ")
    token = encoding.token_bytes(facts.token_id)
    covered = spans.bytes_of(index)
    is_rewritten = token != covered and not facts.special and not facts.unknown and len(token) <= MAX_LISTED
    has_tree = encoding.has_merges and not facts.special and len(facts.token_bytes) <= LONGEST_TREE
    edges = (facts.start, facts.end) if workspace.text_map.n_bytes <= WALLS_BYTES else ()
    return {
        **asdict(facts),
        "token_bytes": f"{listed} …" if facts.unlisted else listed,
        "n_bytes": workspace.text_map.n_bytes,
        "stands_for": quote(token) if is_rewritten else None,
        "tree": describe_node(merge_tree(encoding, facts.token_id)) if has_tree else None,
        "tree_bytes": token.hex(" ") if has_tree else None,
        "no_tree": why_no_trees(encoding, ": there is no tree"),
        "not_drawn": bool(encoding.not_drawn),
        "merges": encoding.has_merges,
        "splits": encoding.splitting is not None,
        "why": [spans.reason(offset) for offset in edges],
        "why_plain": [explain_plainly(spans, offset) for offset in edges],
    }
