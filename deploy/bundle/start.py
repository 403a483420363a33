"""Makes an environment for Token Grove, once, and starts the app in it: what start.sh and start.bat run.

It lies beside the package and beside pip, as tools/make_bundle.py puts them there. The environment, 850 MB,
is made in the home folder: the folder of these files may be moved, be read-only, or be copied to a cloud.
Where the home folder cannot be written, it is made beside these files.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

HERE = Path(__file__).resolve().parent
WIDTH = 76
"""Characters of the progress line: a window has 80."""
SECONDS_BETWEEN_LOOKS = 0.5


class SetupError(Exception):
    """Why the environment could not be made, in a sentence that says what to do."""


def folder_to_write() -> Path:
    """The folder for the environment: in the home folder, or else beside these files.

    Raises:
        SetupError: neither can be written.
    """
    # A school may copy a person's whole home folder at each login, but not what is local on Windows.
    home = "%LOCALAPPDATA%/token-grove" if sys.platform == "win32" else "~/.token-grove"
    for name in (home, str(HERE / "environment")):
        folder = Path(os.path.expandvars(os.path.expanduser(name)))
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "lock").touch()
            return folder
    raise SetupError(
        f"Token Grove can write neither to your home folder nor to {HERE}: copy its folder to a place where "
        "you can save files, and start it there."
    )


def the_wheel(name: str) -> Path:
    """The package of this name beside this file.

    Raises:
        SetupError: it is not there.
    """
    for wheel in HERE.glob(f"{name}-*.whl"):
        return wheel
    raise SetupError(f"Files are missing in {HERE}: unpack the whole .zip, and start Token Grove from there.")


def python_of(environment: Path) -> Path:
    """The environment's Python."""
    if sys.platform == "win32":
        return environment / "Scripts" / "python.exe"
    return environment / "bin" / "python"


def is_ready(folder: Path, content: str) -> bool:
    """Whether the environment has this package and its Python still runs."""
    with suppress(OSError):
        if (folder / "ready").read_text("utf-8") == content:
            probe = [str(python_of(folder / "environment")), "-c", ""]
            return subprocess.run(probe, stderr=subprocess.DEVNULL).returncode == 0
    return False


def lock(file: TextIO) -> None:
    """Wait until no other window sets up Token Grove. The system unlocks the file when this process ends."""
    is_waiting = False
    while True:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except (BlockingIOError, PermissionError):
            if not is_waiting:
                print("Another window sets up Token Grove: this one waits for it.", flush=True)
            is_waiting = True
            time.sleep(SECONDS_BETWEEN_LOOKS)


def run_with_progress(command: Sequence[str | Path]) -> None:
    """Run a command, and show the last line that it printed.

    Raises:
        SetupError: it failed.
    """
    lines: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.strip())
            if sys.stdout.isatty():
                print(f"\r  {lines[-1][:WIDTH]:{WIDTH}}", end="", flush=True)
    if sys.stdout.isatty():
        print(f"\r  {'':{WIDTH}}\r", end="", flush=True)
    if process.returncode:
        print(*lines[-8:], sep="\n")
        raise SetupError(
            "Token Grove could not be set up, as said above. The first start needs the internet and 1 GB of "
            "disk: look whether you have both, and start this again."
        )


def make_environment(folder: Path, wheel: Path) -> None:
    """Install the package into an environment of its own.

    Raises:
        SetupError: it could not be installed.
    """
    environment = folder / "environment"
    print("Setting up Token Grove: once, for a minute or two.", flush=True)
    try:
        (folder / "ready").unlink(missing_ok=True)
        if environment.exists():
            shutil.rmtree(environment)
    except OSError as error:
        raise SetupError(
            f"Token Grove may be open in another window: close it, and start this again. ({error})"
        ) from error
    # Debian's Python makes an environment without pip only, and pip runs as it is packed.
    run_with_progress([sys.executable, "-m", "venv", "--without-pip", environment])
    pip = [python_of(environment), the_wheel("pip") / "pip"]
    run_with_progress([*pip, "install", "--disable-pip-version-check", "--progress-bar", "off", wheel])


def main(options: Sequence[str]) -> int:
    """Start the app with these options of ``token-grove``; returns the exit code."""
    try:
        folder = folder_to_write()
        wheel = the_wheel("token_grove")
        content = hashlib.sha256(wheel.read_bytes()).hexdigest()
        with (folder / "lock").open("a") as file:
            lock(file)
            if not is_ready(folder, content):
                make_environment(folder, wheel)
                (folder / "ready").write_text(content, "utf-8")
    except SetupError as error:
        print(error, flush=True)
        return 1
    print("Token Grove starts, and opens in your browser. To end it, close this window.", flush=True)
    command = [str(python_of(folder / "environment")), "-m", "token_grove", *options]
    return subprocess.call(command, cwd=folder, env=os.environ | {"TOKEN_GROVE_BUNDLE": "1"})


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # Ctrl-C ends the app, too
        sys.exit(0)
