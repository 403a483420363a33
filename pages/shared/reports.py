"""Reports to take along: what a page shows, with its charts and how it was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from pages.shared.charts import TitledChart, on_paper, picture_of
from pages.shared.tables import offer_files
from tokenizers.measure import Report, report_as_html
from tokenizers.text import encode_file


def files_of(name: str, report: str, charts: Mapping[str, TitledChart]) -> dict[str, bytes]:
    """A report in Markdown and in HTML, by the names of the files.

    Args:
        name: of the files, without their endings.
        report: in Markdown.
        charts: by the headings that they stand under. Only the HTML has them.
    """
    pictures = {heading: picture_of(chart, "svg").decode() for heading, chart in charts.items()}
    files = {f"{name}.md": report, f"{name}.html": report_as_html(report, pictures)}
    return {file: encode_file(file, text) for file, text in files.items()}


def offer_report(write: Callable[[], tuple[Report, Mapping[str, TitledChart]]], key: str, name: str) -> None:
    """Draw a popover with a report of what the page shows.

    Args:
        write: makes the report and its charts, by the headings of their tables, while the popover is open.
        key: of the popover, unique on the page.
        name: of the files.
    """

    def write_files() -> dict[str, bytes]:
        today = datetime.now().astimezone()
        with on_paper():
            report, charts = write()
            return files_of(name, report.to_markdown(f"{today.day} {today:%B %Y}"), charts)

    offer_files("Write a report", write_files, key, "The HTML has the charts, too.")
