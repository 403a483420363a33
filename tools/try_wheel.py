"""Installs the wheel into an empty environment, far from the repository, and tries the command: make wheel.

python -m tools.try_wheel build/token_grove-*.whl
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from pathlib import Path

from tools.options import read_options

COMMANDS = {
    "show cl100k_base Tokenization! --json": '"id": 3404',
    "count text.txt --in gpt2 bert-uncased": "text.txt",
    "chat chat.json --in qwen3": "chat.json",
    "compare cl100k_base o200k_base text.txt": "o200k_base",
    "train gpt4o text.txt --vocab 260 --out own.json": "",
    "count text.txt --in own.json": "own.json",
}
"""Each of the library's commands, and what is in its output."""

STARTS_IN = 60
"""Seconds in which the app has to answer."""


def try_commands(command: Path, folder: Path) -> None:
    """Run each command in a folder with a text and a chat."""
    (folder / "text.txt").write_text("Tokenization, unbelievably! " * 100, "utf-8")
    (folder / "chat.json").write_text(json.dumps([{"role": "user", "content": "Hi"}]), "utf-8")
    for words, expected in COMMANDS.items():
        print("token-grove", words)
        output = subprocess.check_output([command, *words.split()], cwd=folder, text=True)
        assert expected in output, output


def try_app(command: Path, folder: Path) -> None:
    """Start the app, and ask for its page, a class's, and a script of that."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with subprocess.Popen([command, "--no-browser", "--server.port", str(port)], cwd=folder) as app:
        try:
            app_url = f"http://127.0.0.1:{port}"
            assert ask(f"{app_url}/_stcore/health") == b"ok" and b"<title>" in ask(f"{app_url}/vocabulary")
            scripts = re.findall(r'src="\.\.(/components/[^"]+)"', ask(f"{app_url}/class/").decode())
            assert scripts and all(ask(app_url + script) for script in scripts)
            print("The app answers.")
        finally:
            app.terminate()


def ask(url: str) -> bytes:
    """What the app answers, once it has started."""
    last = time.monotonic() + STARTS_IN
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                content: bytes = answer.read()
                return content
        except OSError:
            if time.monotonic() > last:
                raise
            time.sleep(0.3)


def main() -> None:
    """Try the wheel that the command line names."""
    wheel = Path(read_options(__doc__, "wheel").wheel).resolve()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        venv.create(folder / "venv", with_pip=True)
        scripts = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        subprocess.run([scripts / "python", "-m", "pip", "install", "-q", wheel], check=True)
        try_commands(scripts / "token-grove", folder)
        try_app(scripts / "token-grove", folder)
    print("The wheel works.")


if __name__ == "__main__":
    main()
