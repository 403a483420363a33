"""The state of a page: typed fields, which the session stores, and which a link can hold.

A page's state is a class of ``Field``s, with the page's own ``from_link`` and ``prune``, and ``LINKED`` or
``link_values``. By itself it is an ordinary value. With the session's store, its fields are the values of the
page's widgets (``pages.shared.widgets`` ties the two together).

>>> class TeaState(PageState):
...     PAGE = "tea"
...     kind = Field("green")
...     minutes = Field(3)
...     def link_values(self) -> LinkValues:
...         return {"kind": self.kind, "minutes": str(self.minutes)}
>>> TeaState(minutes=4).to_link()
{'minutes': '4'}
>>> session = {"tea_kind": "black"}  # the value of its widget
>>> tea = TeaState.stored_in(session)
>>> tea.minutes = 5
>>> tea.kind, session
('black', {'tea_kind': 'black', 'tea_minutes': 5})
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

T = TypeVar("T")

_MOST_DIGITS = 16  # as many as JavaScript's largest whole number

LinkValues = dict[str, str | list[str]]
"""The query parameters of a URL; a list is a parameter that occurs several times."""


class Field(Generic[T]):
    """A field of a page's state.

    As an attribute of a state it is the field's value. As an attribute of the class it is the field itself,
    to tie a widget to it.

    Args:
        default: the first value. None, for a field with a widget: the widget's own default.
    """

    def __init__(self, default: T) -> None:
        self._default = default
        self._owner: type[PageState] = PageState
        self._name = ""

    def __set_name__(self, owner: type[PageState], name: str) -> None:
        self._owner = owner
        self._name = name

    @property
    def key(self) -> str:
        """Its key in the session's store: the page's name, and its own."""
        return self._owner.key(self._name)

    @property
    def default(self) -> T:
        """Its first value; a new copy each time."""
        return copy.copy(self._default)

    @overload
    def __get__(self, state: None, owner: type[PageState]) -> Field[T]: ...

    @overload
    def __get__(self, state: PageState, owner: type[PageState]) -> T: ...

    def __get__(self, state: PageState | None, owner: type[PageState]) -> Field[T] | T:
        if state is None:
            return self
        value: T | None = state.store.get(self.key)
        # A control that always has a value is None for a moment, if its page is left while it is pressed.
        return self.default if value is None else value

    def of(self, state: PageState) -> T:
        """Its value in a state, for a field that is not an attribute."""
        return self.__get__(state, type(state))

    def __set__(self, state: PageState, value: T) -> None:
        state.store[self.key] = value


class PageState:
    """The base of every page's state.

    Attributes:
        PAGE: the page's folder, which is its URL too; or the name of a part of several pages.
        LINKED: the names of the fields that a link holds; their values are texts.
        SENDS_TEXTS: whether a link holds the own texts that its values name (``linked_texts.py``).
        store: the fields' values, by their keys.
    """

    PAGE: ClassVar[str] = ""
    LINKED: ClassVar[Sequence[str]] = ()
    SENDS_TEXTS: ClassVar[bool] = False

    def __init__(self, **values: Any) -> None:
        """Make a state with its own store. A missing field has its default."""
        self.store: MutableMapping[Any, Any] = {}
        fields = self.fields()
        for name, value in values.items():
            fields[name].__set__(self, value)

    @classmethod
    def fields(cls) -> dict[str, Field[Any]]:
        """The fields by name."""
        return {name: field for name, field in vars(cls).items() if isinstance(field, Field)}

    @classmethod
    def stored_in(cls, store: MutableMapping[Any, Any]) -> Self:
        """The state in a session's store. A missing field has its default."""
        state = cls.__new__(cls)
        state.store = store
        return state

    @classmethod
    def key(cls, name: str) -> str:
        """The key of a widget of this page in the session's store.

        >>> PageState.key("try")
        '_try'
        """
        return f"{cls.PAGE}_{name}"

    @classmethod
    def field(cls, name: str, default: T) -> Field[T]:
        """Make a field at run time, such as one for each encoding's price.

        >>> state = PageState()
        >>> PageState.field("price_gpt2", 0.5).of(state), PageState.field("price_gpt2", 0.5).key
        (0.5, '_price_gpt2')
        """
        field = Field(default)
        field.__set_name__(cls, name)
        return field

    def let_go(self, field: Field[list[str]], available: Collection[str]) -> None:
        """Remove the values of a field that are not available any more. If all are, the list stays the same.

        >>> class CupState(PageState):
        ...     kinds = Field[list[str]]([])
        >>> cups = CupState(kinds=["green", "black"])
        >>> cups.let_go(CupState.kinds, {"black", "white"})
        >>> cups.kinds
        ['black']
        """
        values = field.of(self)
        if not all(value in available for value in values):
            field.__set__(self, [value for value in values if value in available])

    def link_values(self) -> LinkValues:
        """All values for a link; by default, those of ``LINKED``. A new state has those of a first visit."""
        return {name: getattr(self, name) for name in self.LINKED}

    def to_link(self) -> LinkValues:
        """The query parameters of the page's URL: the values that are not as on a first visit."""
        first = type(self)().link_values()
        now = self.link_values()
        return {name: value for name, value in now.items() if value not in (first.get(name), [])}

    def to_tab(self) -> LinkValues:
        """The values that the tab remembers over a reload, and over a restart of the server.

        Some are no part of a link, since only this session has them. ``from_link`` reads them, too.
        """
        return self.to_link()


def read_tab(sent: object) -> dict[str, LinkValues]:
    """Read the values that a tab remembers, by page. Ignores invalid ones.

    >>> read_tab({"tea": {"kind": "black", "cups": ["1", "2"], "sugar": 3}, "milk": 7})
    {'tea': {'kind': 'black', 'cups': ['1', '2']}}
    """
    pages = sent.items() if isinstance(sent, dict) else ()
    return {
        page: {name: value for name, value in values.items() if _is_link_value(value)}
        for page, values in pages
        if isinstance(values, dict)
    }


def _is_link_value(value: object) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(each, str) for each in value)
    )


def follow_encodings(state: Any, own: Sequence[str], available: Collection[str], most: int = 99) -> None:
    """Choose the session's new encodings, and let go of those that are gone.

    Args:
        state: with ``encodings``, those chosen on the page, and ``own_names``, the own ones when the page
            was last drawn.
        own: the session's own encodings now.
        available: all encodings.
        most: of chosen ones; a new one takes the place of the last.

    >>> from types import SimpleNamespace
    >>> state = SimpleNamespace(encodings=["a", "gone", "b", "c"], own_names=["b"])
    >>> follow_encodings(state, ["b", "new"], ["a", "b", "c", "new"], most=3)
    >>> state.encodings, state.own_names
    (['a', 'b', 'new'], ['b', 'new'])
    """
    chosen = [name for name in state.encodings if name in available]
    for name in own:
        if name not in state.own_names and name not in chosen:
            chosen = [*chosen[: most - 1], name]
    if chosen != state.encodings:  # else the list of the widget stays the same
        state.encodings = chosen
    state.own_names = list(own)


class Link:
    """Reads the query parameters of a URL within limits. They are client input.

    >>> link = Link({"text": "héllo", "encodings": "gpt2,,gpt2,o200k_base", "width": "10_0"})
    >>> link.text("text"), link.text("query", "all"), link.names("encodings")
    ('héllo', 'all', ['gpt2', 'o200k_base'])
    >>> link.number("width", 768, 1, 9_999), Link({"width": "123456"}).number("width", 768, 1, 9_999)
    (768, 9999)
    """

    def __init__(self, parameters: Mapping[str, str | Sequence[str]]) -> None:
        self._parameters: dict[str, list[str]] = {
            name: [values] if isinstance(values, str) else list(values) for name, values in parameters.items()
        }

    def __contains__(self, name: str) -> bool:
        return bool(self._parameters.get(name))

    def text(self, name: str, default: str = "") -> str:
        """A parameter; if it occurs several times, the last one."""
        values = self._parameters.get(name)
        return values[-1] if values else default

    def texts(self, name: str) -> list[str]:
        """The values of a parameter that may occur several times, without duplicates and empty ones."""
        return [value for value in dict.fromkeys(self._parameters.get(name, [])) if value]

    def names(self, name: str) -> list[str]:
        """The names in a parameter, separated by commas, without duplicates."""
        return [value for value in dict.fromkeys(self.text(name).split(",")) if value]

    def choice(self, name: str, choices: Collection[str], default: str) -> str:
        """A parameter if it is one of the choices, else the default."""
        value = self.text(name, default)
        return value if value in choices else default

    def number(self, name: str, default: int, low: int, high: int) -> int:
        """An integer parameter within its bounds; the default if it is missing or invalid."""
        value = self.text(name)
        if not (value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS):
            return default
        return min(max(int(value), low), high)


def what_is_missing(names: Iterable[str]) -> str:
    """A note about names in a link that do not exist here; empty: all exist.

    >>> what_is_missing(["oak", "oak"])[:36], what_is_missing([])
    ('This link names what is not here: oa', '')
    """
    missing = ", ".join(name[:40] for name in dict.fromkeys(names))[:200]
    return (
        missing
        and f"This link names what is not here: {missing}. The rest of it is shown. (A link does not carry "
        "tokenizers of your own, nor long texts.)"
    )
