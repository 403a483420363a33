"""What the playground's component is sent; wire.py makes bytes of it.

A panel's arrays describe the text in order, as stretches of one token each: ids, byte lengths, UTF-16
lengths (left out where they equal the byte lengths) and flags. A stretch that belongs to no token has the
flag ``GAP`` and id 0. Everything here is computed from ids, never from what is drawn.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from pages.session.panels import WALLS_BYTES
from pages.session.workspace import LIVE_BYTES, WELCOME, Workspace
from pages.session.workspace_link import last_link_held_text, link_to, state_of
from pages.shared.colours import hue_of
from pages.shared.wire import Answer, counts
from tokenizers.amounts import bytes_in_words
from tokenizers.bpe import Node, merge_tree
from tokenizers.encoding import Encoding
from tokenizers.placement import Loss
from tokenizers.registry import find_entry, list_encodings
from tokenizers.text import (
    CHARSETS,
    MAX_BYTES,
    MAX_LISTED,
    Spans,
    TextMap,
    only_here,
    quote,
    spell_change,
    token_facts,
)
from tokenizers.utf8 import count_lone_surrogates

CLEAN, ONLY_HERE, WALL, SPECIAL, LOOKS_SPECIAL, BEGINS_BEFORE, GOES_ON = map(
    np.uint16, (1, 2, 4, 8, 16, 32, 64)
)
"""Flags of a token: it starts at a grapheme's edge; the cut before it is made by no other
panel; a wall is before it; it is a special token; it is plain text that spells a special
token; it began before this page; it goes on after it."""

GAP, UNKNOWN, SHARES = map(np.uint16, (128, 256, 512))
"""Flags of a stretch: no token covers it; its token stands for something that is not in the vocabulary; its
token shares bytes with those before it, and the stretch is what they left."""

MOST_IN_MESSAGE = 17 << 20
"""Bytes of a text that a browser can send in one message, in base64."""

MAX_REWRITTEN = 2_000
"""Tokens of a panel of which is said what they stand for, where that is not the text under them."""

MAX_LOSSES = 20
"""Places that are listed of a text that does not come back; all of them are counted."""

_NO_SETTINGS = ("text", "pin")  # of what a link holds: what the server, too, changes by itself

LONGEST_TREE = 64
"""Bytes of a token whose merge tree the inspector draws; Merge trees draws any."""


def build_reply(
    workspace: Workspace,
    *,
    knows_revision: int | None,
    samples: list[dict[str, str]],
    with_link: bool = False,
    in_passing: bool = False,
    patience: float | None = None,
) -> Answer:
    """Everything the component draws.

    Args:
        workspace: of the session.
        knows_revision: the text revision that the browser holds; its text is sent if it differs.
        samples: the sample buttons: label, hint, text.
        with_link: whether the link is part of it. Most browsers make it themselves: it changes as a whole at
            each key.
        in_passing: whether another answer comes as soon as nobody types. Whether a link holds the text, which
            takes as long to find out as all the rest of a long text, is then as it was.
        patience: seconds that slow panels are waited for; one that is not done by then is said to be counted.
    """
    text_map = workspace.text_map
    page_text, start = text_map, 0
    header: dict[str, Any] = {
        "seq": workspace.seq,
        "session": workspace.session,
        "revision": workspace.revision,
        "can_go_back": workspace.set_aside is not None,
        "action": workspace.last_action,
        "bytes": text_map.n_bytes,
        "chars": text_map.n_chars,
        "available": _describe_encodings(tuple(workspace.grown)),
        "samples": samples,
        "live_bytes": LIVE_BYTES,
        "max_bytes": min(MAX_BYTES, MOST_IN_MESSAGE),
        "notes": _notes(workspace),
        "guessed": _describe_guess(workspace),
        "page": None,
    }
    if workspace.is_long:
        page = workspace.pages[workspace.page]
        page_text, start = TextMap(text_map.text[page.start : page.end]), page.start_byte
        header["page"] = {
            "number": workspace.page,
            "count": len(workspace.pages),
            "start": page.start_byte,
            "end": page.end_byte,
            "text": page_text.text,
        }
    else:
        header["graphemes"] = text_map.n_graphemes
        header["is_welcome"] = workspace.text == WELCOME
        if knows_revision != workspace.revision:
            header["text"] = workspace.text
    header["clusters"] = counts(_cluster_lengths(page_text))

    whole, problems = workspace.panels.encode_all(patience)
    drawn: dict[str, Spans] = {}
    first: dict[str, int] = dict.fromkeys(whole, 0)
    for name, spans in whole.items():
        if workspace.is_long:
            drawn[name], first[name] = spans.window(page_text, start)
        else:
            drawn[name] = spans
    only = dict(zip(drawn, only_here(list(drawn.values())), strict=True))

    panels: list[dict[str, Any]] = []
    for name in workspace.encodings:
        if name in problems:
            panels.append({"name": name, "problem": problems[name]})
            continue
        if name not in whole:
            panels.append({"name": name, "counting": True})
            continue
        spans, part = whole[name], drawn[name]
        panel: dict[str, Any] = {"name": name, "tokens": len(spans), "first": first[name]}
        panel["frame"] = _describe_frame(spans.encoding) if workspace.adds_frame else [[], []]
        panel["joins"] = spans.decodes_to_text
        panel["unknown"] = int(np.count_nonzero(spans.unknown))
        panel["losses"] = len(spans.losses)
        # Having few tokens is no advantage if part of the text is lost.
        panel["best_of"] = not (spans.losses and spans.encoding.drops_text)
        panel["lost"] = [_describe_loss(text_map, loss) for loss in spans.losses[:MAX_LOSSES]]
        flags = part.clean_starts * CLEAN + only[name] * ONLY_HERE + part.special * SPECIAL
        if spans.encoding.unknown_id is not None:
            flags += part.unknown * UNKNOWN
        if workspace.walls:
            try:
                flags += _walls(workspace, spans)[first[name] :][: len(part)] * WALL
            except ValueError as problem:
                panel["walls_problem"] = str(problem)
                panel["has_walls"] = spans.encoding.splitting is not None
        if not workspace.special_as_tokens:
            flags += _looks_special(part) * LOOKS_SPECIAL
        if len(part) and int(spans.starts[first[name]]) < start:
            flags[0] |= BEGINS_BEFORE
        if len(part) and int(spans.ends[first[name] + len(part) - 1]) > start + page_text.n_bytes:
            flags[-1] |= GOES_ON
        owners, starts, ends = part.stretches
        ids = part.ids
        if not part.joins:  # a gap's owner is -1, and stands for what is appended
            flags += (part.shared > 0) * SHARES
            ids = np.append(ids, 0)[owners]
            flags = np.append(flags, GAP)[owners]
            flags += ((owners < 0) & part.text_map.is_grapheme_edge[starts]) * CLEAN
        if spans.encoding.merging is None:
            panel["stands_for"] = _stands_for(spans, first[name], first[name] + len(part))
        panel["ids"] = counts(ids)
        panel["byte_lengths"] = counts(ends - starts)
        panel["utf16_lengths"] = None if page_text.is_ascii else counts(part.utf16_lengths)
        panel["flags"] = counts(flags)
        panels.append(panel)
    header["panels"] = panels
    header["has_frames"] = any(spans.encoding.frame != ((), ()) for spans in whole.values())
    counting = [panel["name"] for panel in panels if "counting" in panel]
    header["inspector"] = _inspect(workspace, whole, counting)
    # Only now: _inspect lets go of a pin on nothing.
    if in_passing and not with_link:
        header["link_has_text"] = last_link_held_text(workspace)
    else:
        link, header["link_has_text"] = link_to(workspace)
        if with_link:
            header["link"] = link
    state = state_of(workspace)
    header["pin"] = state["pin"]
    header["settings"] = {key: value for key, value in state.items() if key not in _NO_SETTINGS}
    header["settings"]["encodings"] = list(workspace.encodings)  # an answer is kept, and must not change
    # When this changes, the browser looks again whether there is something to keep.
    kept = (workspace.own_texts.changes, 0 if header["link_has_text"] else workspace.text_changes)
    header["kept"] = "-".join(map(str, kept))
    return header


def _describe_frame(encoding: Encoding) -> list[list[dict[str, Any]]]:
    """The tokens that an encoding's publisher adds in front of a text, and those behind it."""

    def describe(token_id: int) -> dict[str, Any]:
        token = encoding.token_bytes(token_id)
        return {"id": token_id, "text": token.decode("utf-8", "replace"), "hex": token.hex(" ")}

    return [[describe(token_id) for token_id in side] for side in encoding.frame]


def _stands_for(spans: Spans, first: int, after: int) -> list[tuple[int, str, str]]:
    """The tokens in [first, after) that stand for something other than the text under them.

    Returns:
        of each, at most ``MAX_REWRITTEN``: how many tokens are between it and the one of these before it;
        what it stands for, quoted and in hex.
    """
    encoding, data = spans.encoding, spans.text_map.data
    part = slice(first, after)
    lengths = encoding.byte_lengths[spans.ids[part]]
    differs = (lengths != spans.ends[part] - spans.starts[part]) | (spans.shared[part] > 0)
    for loss in spans.losses[:MAX_REWRITTEN]:  # of as many bytes as before, perhaps
        begin, stop = spans.overlapping(loss.start, loss.end)
        differs[max(0, begin - first) : max(0, stop - first)] = True
    rewritten: list[tuple[int, str, str]] = []
    after_last = 0
    for index in np.flatnonzero(differs).tolist():
        token_id = int(spans.ids[first + index])
        token = encoding.token_bytes(token_id)
        covered = data[int(spans.starts[first + index]) : int(spans.ends[first + index])]
        if token != covered and token_id != encoding.unknown_id and not encoding.is_special(token_id):
            # Counted from the one before, so that an edit in front of it changes nothing here.
            rewritten.append((index - after_last, quote(token), token.hex(" ")))
            after_last = index + 1
            if len(rewritten) == MAX_REWRITTEN:
                break
    return rewritten


def _describe_loss(text_map: TextMap, loss: Loss) -> dict[str, Any]:
    """A place that does not come back: what is there, at most a few characters of it, and what it becomes."""
    was = text_map.data[loss.start : min(loss.end, loss.start + 80)].decode("utf-8", "ignore")
    was, became = spell_change(was, loss.became[:80])
    return {"start": loss.start, "was": was, "became": became}


@functools.lru_cache(maxsize=64)
def _describe_encodings(grown: tuple[str, ...]) -> list[dict[str, Any]]:
    """The encodings for the choosers: the app's, and those of a person. None is loaded for it."""
    own = {name: number for number, name in enumerate(grown)}
    described = []
    for name in (*list_encodings(), *grown):
        entry = None if name in own else find_entry(name)
        about = entry.about if entry else "your own"
        described.append(
            {
                "name": name,
                "about": _first_clause(about),
                "hue": hue_of(name, own.get(name)),
                "group": entry.group if entry else "your own",
            }
        )
    return described


def _first_clause(about: str) -> str:
    """What an encoding is, or which models use it, short enough for a line.

    >>> _first_clause("GPT-4o and later"), _first_clause("Every byte is a token: nothing is learned.")
    ('GPT-4o and later', 'Every byte is a token')
    """
    return re.split("[:;,.] |[.]$", about)[0]


def _notes(workspace: Workspace) -> list[dict[str, Any]]:
    """What has to be said of the text: [{text, error}]."""
    notes: list[dict[str, Any]] = []
    if workspace.note:
        notes.append({"text": workspace.note, "error": workspace.note_is_error})
    if workspace.text_map.text != workspace.text:
        lone = count_lone_surrogates(workspace.text)
        if lone:
            each = "One lone surrogate is" if lone == 1 else f"{lone:,} lone surrogates are"
            notes.append(
                {
                    "text": f"{each} in this text (half of a UTF-16 pair). UTF-8 cannot hold that, so it is "
                    "counted as U+FFFD, three bytes, as tiktoken does.",
                    "error": False,
                }
            )
    if workspace.walls and workspace.text_map.n_bytes > WALLS_BYTES:
        notes.append(
            {
                "text": f"Walls are shown for texts up to {bytes_in_words(WALLS_BYTES)}; this one is longer.",
                "error": False,
            }
        )
    return notes


def _describe_guess(workspace: Workspace) -> dict[str, Any] | None:
    """The file that the text comes from, if its character set was guessed, and the sets to choose from."""
    file = workspace.guessed_file
    if file is None:
        return None
    return {"name": file.name, "charset": file.codec, "charsets": list(CHARSETS.items())}


def _cluster_lengths(text_map: TextMap) -> npt.NDArray[Any]:
    """Graphemes of several characters, as UTF-16 (gap since the last one's end, length) in turn."""
    spans = text_map.clusters_utf16
    gaps = spans[:, 0] - np.concatenate(([0], spans[:-1, 1])) if len(spans) else spans[:, 0]
    return np.stack([gaps, spans[:, 1] - spans[:, 0]], axis=1).ravel()


def _walls(workspace: Workspace, spans: Spans) -> npt.NDArray[np.bool_]:
    if workspace.text_map.n_bytes > WALLS_BYTES:
        return np.zeros(len(spans), dtype=np.bool_)
    return spans.wall_starts


def _looks_special(spans: Spans) -> npt.NDArray[np.bool_]:
    """Shape (n,): whether the token is part of plain text that spells a special token."""
    flags = np.zeros(len(spans), dtype=np.bool_)
    names = spans.encoding.special_tokens
    text_map = spans.text_map
    # Nearly no text has any: one quick look at what they all begin with.
    starts = {name[:2] for name in names}
    if not any(start in text_map.text for start in starts):
        return flags
    for match in spans.encoding.special_pattern.finditer(text_map.text):
        begin, end = (int(text_map.byte_of_char[at]) for at in match.span())
        first, after = spans.overlapping(begin, end)
        flags[first:after] = True
    return flags


def _inspect(
    workspace: Workspace, whole: dict[str, Spans], counting: Collection[str]
) -> dict[str, Any] | None:
    """The facts of the pinned token, or None. A pin whose panel is gone is let go."""
    pin = workspace.pin
    if pin is not None and pin.encoding in counting:  # what it is on is known in a moment
        return None
    if pin is None or pin.encoding not in whole or pin.start >= workspace.text_map.n_bytes:
        workspace.pin = None
        return None
    spans = whole[pin.encoding]
    index = spans.covering(pin.start)
    if index is None:  # after an edit, no token is there
        workspace.pin = None
        return None
    others = [other for name, other in whole.items() if name != pin.encoding]
    facts = token_facts(spans, index, others, with_piece=workspace.text_map.n_bytes <= WALLS_BYTES)
    described = asdict(facts)
    described["token_bytes"] = facts.token_bytes[:MAX_LISTED].hex(" ") + " …" * bool(facts.unlisted)
    described["n_bytes"] = workspace.text_map.n_bytes
    token, covered = spans.encoding.token_bytes(facts.token_id), spans.bytes_of(index)
    is_rewritten = token != covered and not facts.special and not facts.unknown and len(token) <= MAX_LISTED
    described["stands_for"] = quote(token) if is_rewritten else None
    described["tree"] = None
    described["tree_bytes"] = None
    described["no_tree"] = spans.encoding.without_trees(": there is no tree")
    described["not_drawn"] = bool(spans.encoding.not_drawn)
    described["merges"] = spans.encoding.has_merges
    described["splits"] = spans.encoding.splitting is not None
    if spans.encoding.has_merges and not facts.special and len(facts.token_bytes) <= LONGEST_TREE:
        described["tree_bytes"] = token.hex(" ")
        described["tree"] = describe_node(merge_tree(spans.encoding, facts.token_id))
    described["why"] = []
    if workspace.text_map.n_bytes <= WALLS_BYTES:
        reasons = (spans.encoding.reason(spans, offset) for offset in (facts.start, facts.end))
        described["why"] = [reason for reason in reasons if reason]
    return described


def describe_node(node: Node, steps: Mapping[tuple[int, int], int] | None = None) -> dict[str, Any]:
    """A merge tree for the components. ``step`` is when a node is made; None: it is there from the start."""
    return {
        "id": node.token_id,
        "rank": node.rank,
        "start": node.start,
        "end": node.end,
        "step": (steps or {}).get((node.start, node.end)) if node.children else None,
        "kids": [describe_node(child, steps) for child in node.children],
    }
