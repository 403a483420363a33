"""The command ``token-grove``: starts the app, or runs one of the library's commands."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

INSTALLED = Path(__file__).parent / "app"
APP = INSTALLED if INSTALLED.is_dir() else Path(__file__).parent.parent
"""The folder of app.py: in an installed package, or in the repository."""

COMMANDS = {
    "count": "count the tokens of files",
    "show": "show the tokens of a text",
    "chat": "count chats and requests",
    "compare": "compare two tokenizers",
    "train": "train a tokenizer on files",
}
"""The commands of the library, and what each does."""

USAGE = """token-grove [--class] [--no-browser] [OPTIONS OF STREAMLIT]
       token-grove COMMAND … (token-grove COMMAND --help says more)"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the app, or run a command; returns the exit code.

    Args:
        arguments: those of the command line; None: of this process.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.path.insert(0, str(APP))  # before Hugging Face's package tokenizers
    if COMMANDS.keys() & set(given):
        return run_command(given)
    parser = argparse.ArgumentParser(
        prog="token-grove",
        usage=USAGE,
        description="See how language models cut text into tokens: starts the app and opens the browser.",
        epilog="commands:\n" + "\n".join(f"  {name:<9} {does}" for name, does in COMMANDS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--class", action="store_true", dest="for_class", help="others in the network can open it"
    )
    parser.add_argument("--no-browser", action="store_true", help="open no browser")
    options, others = parser.parse_known_args(given)
    unknown = [each for each in others[:1] if not each.startswith("--")]
    if unknown:
        parser.error(f"there is no command {unknown[0]}. There are: {', '.join(COMMANDS)}.")
    start_app(others, for_class=options.for_class, opens_browser=not options.no_browser)
    return 0


def run_command(arguments: Sequence[str]) -> int:
    """Run a command of the library, as ``python -m tokenizers`` does in the repository."""
    exit_code: int = import_module("tokenizers.__main__").main(arguments, prog="token-grove")
    return exit_code


def start_app(options: Sequence[str], *, for_class: bool, opens_browser: bool) -> None:
    """Start the app's server, as ``python -m streamlit`` does, and wait until it ends.

    It runs in this process, so that whoever ends this one ends it, too.

    Args:
        options: of ``streamlit run``, such as ``--server.port 8600``.
        for_class: whether other computers and phones in the network can open it.
        opens_browser: whether it opens in this computer's browser.
    """
    words = ["run", "app.py", "--server.address", "0.0.0.0" if for_class else "127.0.0.1"]
    if opens_browser:
        words += ["--server.headless", "false", "--server.showEmailPrompt", "false"]
    os.chdir(APP)  # where Streamlit looks for .streamlit/config.toml
    sys.argv = ["streamlit", *words, *options]
    runpy.run_module("streamlit", run_name="__main__")
