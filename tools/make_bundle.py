"""Writes the .zip for people without a terminal, with files to double-click: make bundle.

python -m tools.make_bundle build/token_grove-*.whl build/pip-*.whl
"""

from __future__ import annotations

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tools.options import read_options

SOURCE = Path(__file__).parent.parent / "deploy" / "bundle"
FOLDER = "Token Grove"
STARTS = {"Token Grove": "", "Token Grove for a class": " --class"}
"""The files to double-click, and the words that each adds to the command."""

BAT = """\
@echo off
if exist "%~dp0files\\start.bat" goto start
echo Token Grove needs all of its files: unpack the whole .zip, and start it from there.
pause
exit /b 1
:start
call "%~dp0files\\start.bat"{option}
"""
COMMAND = """\
#!/bin/sh
exec sh "$(dirname "$0")/files/start.sh"{option}
"""
# %k is the path of this file. File managers that leave it empty or give a URL start this in its folder.
# A backslash before a quote or a dollar stands twice, as the format wants it.
DESKTOP = """\
[Desktop Entry]
Type=Application
Name={name}
Comment=See how text becomes tokens
Exec=sh -c "cd \\\\"\\\\$(dirname \\\\"\\\\$1\\\\")\\\\"; exec sh files/start.sh{option}" start %k
Terminal=true
"""
TEMPLATES = {".bat": BAT, ".command": COMMAND, ".desktop": DESKTOP}
READ_ON_WINDOWS = (".bat", ".txt")


def bundled_files(wheels: list[Path]) -> dict[str, bytes]:
    """The content of each file by its path in the .zip."""
    texts = {"README.txt": (SOURCE / "README.txt").read_text("utf-8")}
    for name, option in STARTS.items():
        for ending, template in TEMPLATES.items():
            texts[name + ending] = template.format(name=name, option=option)
    for path in sorted(SOURCE.glob("start.*")):
        texts[f"files/{path.name}"] = path.read_text("utf-8")
    files = {f"files/{wheel.name}": wheel.read_bytes() for wheel in wheels}
    for name, text in texts.items():
        line_end = "\r\n" if name.endswith(READ_ON_WINDOWS) else "\n"
        files[name] = text.replace("\n", line_end).encode()
    return files


def write_bundle(wheels: list[Path], folder: Path) -> Path:
    """Write the .zip, whose name has the version of the first wheel; returns its path."""
    version = wheels[0].name.split("-")[1]
    bundle = folder / f"token-grove-{version}.zip"
    with ZipFile(bundle, "w", ZIP_DEFLATED) as packed:
        for path, content in bundled_files(wheels).items():
            entry = ZipInfo(f"{FOLDER}/{path}")  # the same bytes at any time
            is_program = path.endswith((".sh", ".command", ".desktop"))
            entry.create_system = 3  # Unix: the mode counts
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            entry.compress_type = ZIP_DEFLATED
            packed.writestr(entry, content)
    return bundle


def main() -> None:
    """Write it to the folder of the wheels that the command line names."""
    asked = read_options(__doc__, "token_grove", "pip")
    wheels = [Path(asked.token_grove), Path(asked.pip)]
    bundle = write_bundle(wheels, wheels[0].parent)
    print(f"{bundle}: {bundle.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
