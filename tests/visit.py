"""A visit to a page without a browser, in a session of its own."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from tests.browser import ROOT


class Visit:
    """A page, run as a browser would run it.

    Args:
        page: its path below pages/.
        link: the parameters of its address.
        state: what the session holds already.
    """

    def __init__(self, page: str, link: dict[str, str] | dict[str, str | list[str]], **state: object) -> None:
        self.test = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=120)
        for key, held in state.items():
            self.test.session_state[key] = held
        for key, value in link.items():
            self.test.query_params[key] = value
        self.test.switch_page(page)
        # Before its first run, AppTest takes a file's name for the page's address. Here that is the folder's.
        self.test._page_hash = calc_hash(Path(page).parent.name)
        self.run()

    def run(self) -> None:
        """Run the page again.

        Raises:
            AssertionError: there is an exception on it.
        """
        self.test.run()
        assert not self.test.exception, self.test.exception[0].value
