"""Installs the wheel into an empty environment, far from the repository, and tries the command: make wheel.

python -m tools.try_wheel build/token_grove-*.whl
"""

from __future__ import annotations

import argparse
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

TEXT = "Tokenization, unbelievably!"
STARTS_IN = 60
"""Seconds in which the app has to answer."""


def try_commands(command: Path, folder: Path) -> None:
    """Run each of the library's commands."""

    def answer(*words: str) -> str:
        done = subprocess.run([command, *words], cwd=folder, check=True, capture_output=True, text=True)
        print("token-grove", *words)
        return done.stdout

    (folder / "text.txt").write_text(TEXT * 100, "utf-8")
    (folder / "chat.json").write_text(json.dumps([{"role": "user", "content": "Hi"}]), "utf-8")
    shown = json.loads(answer("show", "cl100k_base", TEXT, "--json"))
    assert [token["id"] for token in shown["tokens"]] == [3404, 2065, 11, 40037, 89234, 0], shown
    assert "text.txt" in answer("count", "text.txt", "--in", "gpt2", "bert-uncased")
    assert "chat.json" in answer("chat", "chat.json", "--in", "qwen3")
    assert "o200k_base" in answer("compare", "cl100k_base", "o200k_base", "text.txt")
    answer("train", "gpt4o", "text.txt", "--vocab", "260", "--out", "own.json")
    assert "own.json" in answer("count", "text.txt", "--in", "own.json")


def try_app(command: Path, folder: Path) -> None:
    """Start the app, and ask for its page, a class's, and a script of that."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    started: list[str | Path] = [command, "--no-browser", "--server.port", str(port)]
    with subprocess.Popen(started, cwd=folder) as app:
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


def main() -> int:
    """Try the wheel that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    wheel = parser.parse_args().wheel.resolve()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        venv.create(folder / "venv", with_pip=True)
        scripts = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        subprocess.run([scripts / "python", "-m", "pip", "install", "-q", wheel], check=True)
        try_commands(scripts / "token-grove", folder)
        try_app(scripts / "token-grove", folder)
    print("The wheel works.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
