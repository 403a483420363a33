#!/bin/sh
# Finds Python or uv, and runs start.py with it: on Linux and macOS. Words come after it: --class.

# A file manager's PATH has no folders of a person, nor those in which macOS has programs.
PATH="${PATH:-/usr/bin:/bin}:${HOME:-}/.local/bin:/opt/homebrew/bin:/usr/local/bin"
export PATH
start=$(dirname -- "$0")/start.py

# Without a window for its words, it opens one.
if [ ! -t 1 ] && [ -z "${TOKEN_GROVE_WINDOW:-}" ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  export TOKEN_GROVE_WINDOW=1
  command -v xdg-terminal-exec > /dev/null && exec xdg-terminal-exec sh "$0" "$@"
  for terminal in x-terminal-emulator konsole xfce4-terminal xterm; do
    command -v "$terminal" > /dev/null && exec "$terminal" -e sh "$0" "$@"
  done
fi

is_right() {
  # Without its developer tools, macOS's own python3 only opens a window that offers them. With them, it is too old.
  [ "$(uname):$(command -v "$1")" != Darwin:/usr/bin/python3 ] &&
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2> /dev/null
}

run() {
  for python in python3 python3.13 python3.14 python3.12 python3.11; do
    if is_right "$python"; then
      "$python" "$start" "$@"
      return
    fi
  done
  if command -v uv > /dev/null && uv python install 3.13; then
    uv run --no-project --python 3.13 "$start" "$@"
    return
  fi
  echo "Token Grove needs Python 3.11 to 3.14, which was not found here: get 3.13 from https://www.python.org/downloads/ and start this again."
  return 1
}

run "$@"
code=$?
if [ "$code" -ne 0 ] && [ -t 0 ]; then
  printf 'Press Enter to close this window. '
  read -r _
fi
exit "$code"
