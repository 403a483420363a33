"""The files to double-click: what their .zip holds, what they find and say. Windows' are only read."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from deploy.bundle import start
from tools.make_bundle import FOLDER, STARTS, write_bundle

unix = pytest.mark.skipif(sys.platform == "win32", reason="these files are for Linux and macOS")
PYTHONS = ("python3", "python3.14", "python3.13", "python3.12", "python3.11")
ECHO = '#!/bin/sh\n[ "$1" = -c ] || echo "$(basename "$0")" "$@"\n'
FAILS = "#!/bin/sh\nexit 1\n"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """The .zip, with two wheels that hold nothing."""
    wheels = [tmp_path / "token_grove-1.2.3-py3-none-any.whl", tmp_path / "pip-4-py3-none-any.whl"]
    for wheel in wheels:
        wheel.write_bytes(wheel.name.encode())
    return write_bundle(wheels, tmp_path)


@pytest.fixture
def folder(bundle: Path, tmp_path: Path) -> Path:
    """The unpacked folder, below one whose name has a blank and an é."""
    with ZipFile(bundle) as packed:
        packed.extractall(tmp_path / "Zoë’s files é")
    return tmp_path / "Zoë’s files é" / FOLDER


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder for the PATH: no Python or uv in it works."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "dirname", "basename", "uname"):
        (programs / name).symlink_to(str(shutil.which(name)))
    for name in (*PYTHONS, "uv"):
        put(programs / name, FAILS)
    return programs


def put(program: Path, text: str) -> None:
    program.write_text(text, "utf-8")
    program.chmod(0o755)


def run(
    command: list[str | Path], programs: Path, cwd: Path | None = None, **variables: str
) -> tuple[int, str]:
    """The exit code, and what was printed: started as a file manager does, without a terminal."""
    done = subprocess.run(
        command,
        env={"PATH": str(programs), "HOME": str(programs), **variables},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
    )
    return done.returncode, done.stdout


LISTING = """\
0o100644 CRLF README.txt
0o100644 CRLF Token Grove for a class.bat
0o100755 LF   Token Grove for a class.command
0o100755 LF   Token Grove for a class.desktop
0o100644 CRLF Token Grove.bat
0o100755 LF   Token Grove.command
0o100755 LF   Token Grove.desktop
0o100644 LF   files/pip-4-py3-none-any.whl
0o100644 CRLF files/start.bat
0o100644 LF   files/start.py
0o100755 LF   files/start.sh
0o100644 LF   files/token_grove-1.2.3-py3-none-any.whl
"""
"""What the .zip holds: the permissions of each file, the ends of its lines, and its name."""


def test_the_zip_holds_what_each_system_starts(bundle: Path) -> None:
    assert bundle.name == "token-grove-1.2.3.zip"
    listing = ""
    with ZipFile(bundle) as packed:
        for entry in sorted(packed.infolist(), key=lambda entry: entry.filename):
            content = packed.read(entry)
            ends = "CRLF" if b"\r" in content else "LF"
            assert content.count(b"\n") == content.count(b"\r\n") or ends == "LF", entry.filename
            assert content.isascii() or not entry.filename.endswith(".bat"), entry.filename
            name = entry.filename.removeprefix(f"{FOLDER}/")
            listing += f"{entry.external_attr >> 16:#o} {ends:4} {name}\n"
    assert listing == LISTING


def test_the_bats_quote_each_path_and_have_each_label(folder: Path) -> None:
    for path in folder.rglob("*.bat"):
        text = path.read_text("ascii")
        assert re.findall(r"%~dp0", text) == re.findall(r"(?<=\")%~dp0(?=[\w\\.]+\")", text), path.name
        assert set(re.findall(r"goto (\w+)", text)) <= set(re.findall(r"^:(\w+)", text, re.MULTILINE))
        assert text.count("pause") == 1, "a window that says what is missing stays open"
    assert (folder / "Token Grove for a class.bat").read_text("ascii").count("--class") == 1
    assert "--class" not in (folder / "Token Grove.bat").read_text("ascii")


@unix
@pytest.mark.parametrize(
    ("there", "runs"),
    [
        (["python3", "python3.12", "uv"], "python3"),
        (["python3.12", "uv"], "python3.12"),
        (["uv"], "uv run --no-project --python 3.13"),
    ],
)
def test_start_finds_python_or_uv(folder: Path, programs: Path, there: list[str], runs: str) -> None:
    for name in there:
        put(programs / name, ECHO)
    for name, option in STARTS.items():
        exit_code, printed = run(["sh", folder / f"{name}.command"], programs)
        assert (exit_code, printed.splitlines()[-1]) == (0, f"{runs} {folder}/files/start.py{option}")


@unix
def test_start_says_that_there_is_no_python(folder: Path, programs: Path) -> None:
    exit_code, printed = run(["sh", folder / "Token Grove.command"], programs)
    assert exit_code == 1
    assert "needs Python 3.11 to 3.14, which was not found here: get 3.13 from https://" in printed


@unix
def test_start_opens_a_window_if_it_has_none(folder: Path, programs: Path) -> None:
    put(programs / "x-terminal-emulator", ECHO)
    printed = run(["sh", folder / "Token Grove for a class.command"], programs, DISPLAY=":0")[1]
    assert printed == f"x-terminal-emulator -e sh {folder}/files/start.sh --class\n"


@unix
@pytest.mark.parametrize("place", ["path", "", "file:///a/url"])
def test_the_desktop_files_start_it(folder: Path, programs: Path, place: str) -> None:
    """Some file managers tell a file where it is, others start it in its folder."""
    put(programs / "python3", ECHO)
    for name, option in STARTS.items():
        path = folder / f"{name}.desktop"
        (line,) = re.findall(r"^Exec=(.+)", path.read_text("utf-8"), re.MULTILINE)
        words = [word.replace("\\$", "$") for word in shlex.split(line.replace("\\\\", "\\"))]
        assert words.pop() == "%k"
        command: list[str | Path] = [*words, str(path) if place == "path" else place]
        exit_code, printed = run(command, programs, cwd=programs if place == "path" else folder)
        assert (exit_code, printed) == (0, f"python3 files/start.py{option}\n")


@pytest.fixture
def commands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What start.py would run, each without the program. Its home folder is beside the files' folder."""
    commands: list[list[str]] = []

    def call(command: list[str | Path], **_: object) -> int:
        commands.append([str(word) for word in command[1:]])
        return 0

    monkeypatch.setattr(start, "HERE", folder / "files")
    monkeypatch.setattr(start, "run_with_progress", call)
    monkeypatch.setattr("subprocess.call", call)
    monkeypatch.setenv("HOME", str(folder.parent))
    monkeypatch.setenv("USERPROFILE", str(folder.parent))
    return commands


def test_start_sets_up_once_for_each_version(
    folder: Path, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = folder.parent / ".token-grove"
    python = start.python_of(home / "environment")
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    monkeypatch.setattr("shutil.rmtree", lambda _: None)
    wheel = folder / "files" / "token_grove-1.2.3-py3-none-any.whl"

    def run_start() -> list[list[str]]:
        commands.clear()
        assert start.main(["--class"]) == 0
        return commands

    make, install, *starts = run_start()
    assert make == ["-m", "venv", "--without-pip", str(home / "environment")]
    assert install[:2] == [str(folder / "files" / "pip-4-py3-none-any.whl" / "pip"), "install"]
    assert install[-1] == str(wheel) and starts == [["-m", "token_grove", "--class"]]
    assert run_start() == starts
    python.unlink()  # as after an upgrade of the system
    assert len(run_start()) == 3
    python.symlink_to(sys.executable)
    wheel.write_bytes(b"a newer one")
    assert len(run_start()) == 3


def test_start_says_what_is_in_its_way(
    folder: Path, commands: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    home = folder.parent / ".token-grove"
    home.write_text("a file")  # where no folder can be made
    assert start.folder_to_write() == folder / "files" / "environment"
    shutil.rmtree(folder / "files" / "environment")
    (folder / "files" / "environment").write_text("a file")
    assert start.main([]) == 1
    assert "can write neither to your home folder nor to" in capsys.readouterr().out
    home.unlink()
    (folder / "files" / "token_grove-1.2.3-py3-none-any.whl").unlink()
    assert start.main([]) == 1
    assert "unpack the whole .zip" in capsys.readouterr().out and not commands


def test_start_shows_why_a_step_failed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(start.SetupError, match="needs the internet and 1 GB"):
        start.run_with_progress([sys.executable, "-c", "print('no such host'); raise SystemExit(1)"])
    assert "no such host" in capsys.readouterr().out


def test_start_waits_for_another_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with (tmp_path / "lock").open("a") as other, (tmp_path / "lock").open("a") as own:
        start.lock(other)
        waits = iter([lambda: None, other.close])
        monkeypatch.setattr("time.sleep", lambda _: next(waits)())
        start.lock(own)
        assert other.closed
    assert capsys.readouterr().out.count("this one waits") == 1
