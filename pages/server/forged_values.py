"""A browser that sends what no browser of ours would send does no harm, and fills no log.

Streamlit turns what a browser says of a field into a value when the page reads it. A stranger can send
anything there: a text for a number, a place beyond the end of a list, half of a JSON. Then Streamlit raises
whatever error comes of it, in the middle of the page, with its traceback in the log, and again at each such
message. Here, a message that cannot be of its field is left out: the field stays as it was. So is one that
would become far more than it is: a JSON of very many values, a table with very many rows of its own.
"""

from __future__ import annotations

import math
from typing import Any

from streamlit.elements.arrow import DataframeSelectionSerde
from streamlit.elements.vega_charts import VegaLiteStateSerde
from streamlit.elements.widgets.data_editor import DataEditorSerde
from streamlit.elements.widgets.multiselect import MultiSelectSerde
from streamlit.elements.widgets.selectbox import SelectboxSerde
from streamlit.proto.Common_pb2 import StringArray
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.common import WidgetMetadata, unpack_widget_state_value
from streamlit.runtime.state.session_state import Serialized, Value, WStates

from pages.server.json_values import holds_too_many

MAX_ROWS = 500
"""Of a table that is edited: so many may be added, and so many changed. Streamlit adds each by itself."""

_take, _read = WStates.set_widget_from_proto, WStates.__getitem__
_OF_COMPONENTS = ("json_value", "json_trigger_value")
_READ_JSON = (DataEditorSerde, DataframeSelectionSerde, VegaLiteStateSerde)  # in a field's text
_ALSO_SENT_AS = {"double_value": "int_value"}
"""A number field with whole numbers is registered as one of real numbers; the browser sends whole ones."""


def take_no_forged_values() -> None:
    """Have each field take only what its own part of the page can send."""
    # mypy: methods are no place to assign to
    setattr(WStates, "set_widget_from_proto", _take_own)  # noqa: B010
    setattr(WStates, "__getitem__", _read_own)  # noqa: B010


def _take_own(self: WStates, widget_state: WidgetState) -> None:
    """In place of ``set_widget_from_proto``: what comes from the browser, before a run of the page."""
    metadata = self.widget_metadata.get(widget_state.id)
    own = widget_state if metadata is None else _own_part(widget_state, metadata)
    if own is not None:
        _take(self, own)


def _read_own(self: WStates, key: str) -> Any:
    """In place of ``__getitem__``: the value of a field.

    Raises:
        KeyError: there is none.
    """
    state, metadata = self.states.get(key), self.widget_metadata.get(key)
    if not isinstance(state, Serialized) or metadata is None:
        return _read(self, key)
    own = _own_part(state.value, metadata)  # the rest came before the page had the field
    if own is None:
        del self.states[key]
    elif own is not state.value:
        self.states[key] = Serialized(own)
    elif metadata.value_type in _OF_COMPONENTS:  # may be long, so it is read here, once
        try:
            if holds_too_many(getattr(state.value, metadata.value_type)):
                raise ValueError("There are too many values in it.")
            return _read(self, key)
        except Exception:  # whatever its reader stumbles over, no component of ours sent it
            self.states[key] = Value(metadata.deserializer(None))
    return _read(self, key)


def _fits(sent: WidgetState, metadata: WidgetMetadata[Any]) -> bool:
    """Whether a message has the kind of value that its field has, one that it can read, and real numbers.

    >>> number = WidgetMetadata("n", lambda value: value, lambda value: value, "double_value")
    >>> [_fits(WidgetState(id="n", **sent), number)
    ...     for sent in ({"double_value": 1.5}, {"double_value": float("nan")}, {"string_value": "1"}, {})]
    [True, False, False, True]
    >>> _fits(WidgetState(id="n", int_value=777), number)
    True
    """
    kind = sent.WhichOneof("value")
    if kind is None:  # the field was emptied
        return True
    kinds = (kind, None)  # Streamlit forgets the kind of a field that was emptied
    if metadata.value_type not in kinds and _ALSO_SENT_AS.get(metadata.value_type) != kind:
        return False
    if kind in _OF_COMPONENTS:
        return True
    if kind == "double_value" and not math.isfinite(sent.double_value):
        return False
    if kind == "double_array_value" and not all(map(math.isfinite, sent.double_array_value.data)):
        return False
    reader = getattr(metadata.deserializer, "__self__", None)
    if kind == "string_value" and isinstance(reader, _READ_JSON) and holds_too_many(sent.string_value):
        return False
    try:
        value = metadata.deserializer(unpack_widget_state_value(sent))
    except Exception:  # whatever its reader stumbles over
        return False
    return not isinstance(reader, DataEditorSerde) or _is_edit(value)


def _own_part(sent: WidgetState, metadata: WidgetMetadata[Any]) -> WidgetState | None:
    """What a field takes of a message: of a chooser's, only what it offers; None: nothing.

    Streamlit takes any text for an option, since a chooser may take new ones. None of ours does.
    """
    if not _fits(sent, metadata):
        return None
    reader = getattr(metadata.deserializer, "__self__", None)
    if isinstance(reader, SelectboxSerde) and sent.WhichOneof("value") == "string_value":
        return sent if sent.string_value in reader.formatted_option_to_option_index else None
    if isinstance(reader, MultiSelectSerde) and sent.WhichOneof("value") == "string_array_value":
        chosen = sent.string_array_value.data
        offered = [option for option in chosen if option in reader.formatted_option_to_option_index]
        if len(offered) < len(chosen):
            sent = WidgetState(id=sent.id, string_array_value=StringArray(data=offered))
    return sent


def _is_edit(value: Any) -> bool:
    """Whether a value of a table's is what can be edited in it, and not too much.

    >>> row = {"0": "user", "1": "Hello"}
    >>> _is_edit({"edited_rows": {0: row}, "added_rows": [row], "deleted_rows": [1]})
    True
    >>> _is_edit({"edited_rows": {}, "added_rows": [{}] * 501, "deleted_rows": []})
    False
    """
    edited, added, deleted = value["edited_rows"], value["added_rows"], value["deleted_rows"]
    if not (isinstance(added, list) and isinstance(deleted, list)):
        return False
    rows = [*edited.values(), *added]
    are_rows = all(isinstance(row, dict) for row in rows) and all(type(row) is int for row in deleted)
    return are_rows and len(edited) <= MAX_ROWS and len(added) <= MAX_ROWS
