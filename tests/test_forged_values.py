"""What no browser of ours would send: it changes nothing, raises nothing and fills no log."""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from streamlit.elements.vega_charts import VegaLiteStateSerde
from streamlit.elements.widgets.data_editor import DataEditorSerde
from streamlit.proto.Common_pb2 import StringArray
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState, WStates

from pages.server.forged_values import MAX_ROWS, take_no_forged_values
from pages.server.json_values import holds_too_many
from tests.limits import peak_bytes, processor_seconds
from tests.visit import Visit

SELECTION = '{"selection": {"points": [[{"x": 1}]], "rows": [99999], "columns": [["no"]]}}'


@pytest.fixture(scope="module", autouse=True)
def _as_in_the_app() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("__getitem__", "set_widget_from_proto"):
            patch.setattr(WStates, name, getattr(WStates, name))  # so that they are put back
        take_no_forged_values()
        yield


def fields_of(visit: Visit) -> dict[str, WidgetMetadata[Any]]:
    """The fields that a page has drawn, by their ids."""
    state: Any = visit.test.session_state
    while not isinstance(state, SessionState):
        state = object.__getattribute__(state, "_state")
    return dict(state._new_widget_state.widget_metadata)


@functools.cache
def all_fields() -> dict[str, WidgetMetadata[Any]]:
    """Those of two pages. It is no fixture, since Hypothesis would write all of it down."""
    return {
        id_: field
        for page in ("grow/train/page.py", "measure/compression/page.py")
        for id_, field in fields_of(Visit(page, {})).items()
    }


numbers = st.floats() | st.sampled_from([-1e300, 1e300, -1.0, 0.5])
words = st.text(max_size=20) | st.sampled_from([SELECTION, "[" * 5000, '{"a":', "null", "3"])
sent = st.one_of(
    st.builds(lambda value: {"string_value": value}, words),
    st.builds(lambda value: {"double_value": value}, numbers),
    st.builds(lambda value: {"int_value": value}, st.integers(-(2**31), 2**31)),
    st.builds(lambda value: {"bool_value": value}, st.booleans()),
    st.builds(lambda value: {"trigger_value": value}, st.booleans()),
    st.builds(lambda value: {"json_value": value}, words),
    st.builds(lambda value: {"json_trigger_value": value}, words),
    st.builds(lambda value: {"string_array_value": {"data": value}}, st.lists(words, max_size=4)),
    st.builds(lambda value: {"double_array_value": {"data": value}}, st.lists(numbers, max_size=4)),
    st.just({}),
)


@pytest.mark.slow
@settings(max_examples=150)
@example(place=110, value={"string_value": SELECTION})  # for a component, which takes JSON
@given(place=st.integers(0, 10_000), value=sent)
def test_any_message_is_a_value_of_its_field_or_left_out(place: int, value: dict[str, Any]) -> None:
    fields = all_fields()
    id_ = list(fields)[place % len(fields)]
    message = WidgetState(id=id_, **value)
    before, late = WStates(), WStates()
    before.set_widget_metadata(fields[id_])
    before.set_widget_from_proto(message)
    late.set_widget_from_proto(message)  # as after a reload: the page has not drawn its fields yet
    assert late.get(id_) is None
    late.set_widget_metadata(fields[id_])
    untouched = fields[id_].deserializer(None)
    assert repr(late.get(id_)) in (repr(before.get(id_)), repr(untouched))
    whole = fields[id_].value_type == "double_value" and message.HasField("int_value")
    if message.WhichOneof("value") not in (None, fields[id_].value_type) and not whole:
        assert before.get(id_) is None


def test_what_our_pages_send_arrives() -> None:
    taken = 0
    for id_, field in all_fields().items():
        value = {"double_value": 3.0, "bool_value": True, "trigger_value": True}.get(field.value_type)
        if value is not None:
            states = WStates()
            states.set_widget_metadata(field)
            filled: Any = {field.value_type: value}
            empty: dict[str, Any] = {}
            for each in (filled, empty, filled):
                states.set_widget_from_proto(WidgetState(id=id_, **each))
                states.get(id_)
            assert states[id_] == value
            taken += 1
    assert taken > 5


def test_a_chooser_takes_what_it_offers_alone() -> None:
    """Streamlit takes any text: on Train, one of no language ended in a traceback."""
    visit = Visit("grow/train/page.py", {})
    (languages,) = [each for each in visit.test.multiselect if each.label.startswith("Languages")]
    french = next(each for each in languages.options if each.startswith("French"))
    for sent, arrives in (([french, "no language"], ["fra"]), (["none"], []), ([french], ["fra"])):
        states = WStates()
        states.set_widget_metadata(fields_of(visit)[languages.proto.id])
        forged = WidgetState(id=languages.proto.id, string_array_value=StringArray(data=sent))
        states.set_widget_from_proto(forged)
        assert states[languages.proto.id] == arrives
        late = WStates()  # as after a reload: the page has not drawn its fields yet
        late.set_widget_from_proto(forged)
        late.set_widget_metadata(fields_of(visit)[languages.proto.id])
        assert late[languages.proto.id] == arrives
    (walls,) = [each for each in visit.test.selectbox if each.label.startswith("Walls")]
    states = WStates()
    states.set_widget_metadata(fields_of(visit)[walls.proto.id])
    for sent_wall in (walls.options[0], "no walls of ours"):
        states.set_widget_from_proto(WidgetState(id=walls.proto.id, string_value=sent_wall))
        assert states.states[walls.proto.id].value.string_value == walls.options[0]


def test_a_field_of_whole_numbers_is_sent_whole_numbers() -> None:
    """As the browser does for st.number_input, though the field is registered as one of real numbers."""
    visit = Visit("grow/train/page.py", {})
    (size,) = [each for each in visit.test.number_input if each.label == "Vocabulary, in tokens"]
    field = fields_of(visit)[size.proto.id]
    assert field.value_type == "double_value"
    visit.test._run(WidgetStates(widgets=[WidgetState(id=size.proto.id, int_value=777)]))
    (size,) = [each for each in visit.test.number_input if each.label == "Vocabulary, in tokens"]
    assert size.value == 777


def test_a_json_of_very_many_values_is_not_read() -> None:
    """Two megabytes of empty lists would become 54 MB of objects."""
    component = WidgetMetadata[Any]("c", lambda value: value, json.dumps, "json_value")
    states = WStates()
    states.set_widget_metadata(component)
    skeleton = "[" + "[]," * 700_000 + "0]"
    states.set_widget_from_proto(WidgetState(id="c", json_value=skeleton))
    assert peak_bytes(lambda: states["c"]) < 4 * len(skeleton) and states["c"] is None
    text = json.dumps({"message": {"text": '[],\\"' * 700_000, "ids": list(range(50_000))}})
    states.set_widget_from_proto(WidgetState(id="c", json_value=text))
    assert states["c"] == json.loads(text)
    names = "{" + ",".join('"":0' for _ in range(300_000)) + "}"
    for many in (names, '"\\"' + "[]," * 300_000, '"' * 3_000_000 + "," * 300_000, "[" * 300_000):
        with processor_seconds(2):
            assert holds_too_many(many) is not many.startswith('"\\')


def test_the_json_in_a_field_is_counted_before_it_is_read() -> None:
    """A table that is edited, a table or a chart that is clicked: theirs comes as a text."""
    skeleton = '{"added_rows": [' + "[]," * 700_000 + "0]}"
    for serde in (DataEditorSerde().deserialize, VegaLiteStateSerde(["points"]).deserialize):
        states = WStates()
        states.set_widget_metadata(WidgetMetadata[Any]("t", serde, json.dumps, "string_value"))
        message = WidgetState(id="t", string_value=skeleton)
        assert peak_bytes(lambda: states.set_widget_from_proto(message)) < 4 * len(skeleton)  # noqa: B023
        assert states.get("t") is None


def test_a_json_of_quotes_alone_is_not_taken_apart() -> None:
    many = '"",' * 3_000_000
    assert peak_bytes(lambda: holds_too_many(many)) < 2 * len(many) and holds_too_many(many)


def test_a_table_takes_no_more_rows_than_a_person_adds() -> None:
    table = WidgetMetadata[Any]("t", DataEditorSerde().deserialize, json.dumps, "string_value")
    states = WStates()
    states.set_widget_metadata(table)

    def edit(**changes: object) -> Any:
        states.set_widget_from_proto(WidgetState(id="t", string_value=json.dumps(changes)))
        return dict(states["t"])

    row = {"0": "user", "1": "Hello"}
    taken = edit(added_rows=[row] * MAX_ROWS, edited_rows={"0": row}, deleted_rows=[1])
    assert len(taken["added_rows"]) == MAX_ROWS and taken["edited_rows"] == {0: row}
    no_edits: list[dict[str, object]] = [
        {"added_rows": [row] * 100_000},
        {"edited_rows": dict.fromkeys(map(str, range(MAX_ROWS + 1)), row)},
        {"added_rows": "abc"},
        {"added_rows": [[]]},
        {"edited_rows": {"0": 5}},
        {"deleted_rows": ["a"]},
        {"added_rows": [{}] * 300_000},
    ]
    for forged in no_edits:
        assert edit(**forged) == taken


@pytest.mark.slow
def test_a_page_stays_as_it_was_and_writes_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    visit = Visit("grow/by_hand/page.py", {})
    fields = fields_of(visit)
    captions = [caption.value for caption in visit.test.caption]
    forged = [WidgetState(id=id_, string_value=SELECTION) for id_ in fields]
    forged += [WidgetState(id=id_, double_value=float("nan")) for id_ in fields]
    forged += [WidgetState(id=id_, json_value="[" * 5000) for id_ in fields]
    kinds = {id_: field.value_type for id_, field in fields.items()}
    messages = [each for each in forged if each.WhichOneof("value") != kinds[each.id]]
    with caplog.at_level(logging.ERROR):
        visit.test._run(WidgetStates(widgets=messages))
    assert not visit.test.exception and "Traceback" not in caplog.text
    assert [caption.value for caption in visit.test.caption] == captions
