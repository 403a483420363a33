"""A server of the app whose memory and processor time are measured, perhaps behind nginx."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.browser import ROOT, free_port, serve


@dataclass(frozen=True)
class Server:
    """A server by the address at which people reach it, and its process."""

    address: str
    pid: int

    def memory_mb(self) -> float:
        """The memory that it holds, its own alone."""
        [kilobytes] = re.findall(r"Private_Dirty: +(\d+)", Path(f"/proc/{self.pid}/smaps_rollup").read_text())
        return int(kilobytes) / 1024

    def processor_seconds(self) -> float:
        """The processor time that it has taken so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serve_idle(*, is_behind_nginx: bool = False) -> Iterator[Server]:
    """A new server, once it has prepared in the background what its pages need."""
    with serve() as app, nginx(app) if is_behind_nginx else nullcontext(app) as address:
        time.sleep(20)
        yield Server(address, _server_process())


def _server_process() -> int:
    """The process of the server that this one started."""
    [child] = subprocess.check_output(["pgrep", "-P", str(os.getpid()), "-f", "streamlit"]).split()
    return int(child)


@contextmanager
def nginx(app: str) -> Iterator[str]:
    """nginx with deploy/nginx.conf, its port and folders changed, in front of the app; its address."""
    with tempfile.TemporaryDirectory() as folder:
        here = f"127.0.0.1:{free_port()}"
        config = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
        for published, replacement in (
            ("listen 80", f"listen {here}"),
            ("127.0.0.1:8501", urlsplit(app).netloc),
            ("/run/nginx.pid", f"{folder}/pid"),
            ("/var/cache/nginx", folder),
            ("/var/log/nginx/error.log", f"{folder}/log"),
        ):
            assert published in config, published
            config = config.replace(published, replacement)
        path = Path(folder, "nginx.conf")
        path.write_text(config, "utf-8")
        os.chmod(folder, 0o755)  # its workers are another user
        with subprocess.Popen(["nginx", "-c", path, "-g", "daemon off;"]) as process:
            try:
                time.sleep(1)
                yield f"http://{here}"
            finally:
                process.terminate()
