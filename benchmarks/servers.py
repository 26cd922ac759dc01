"""Servers of the benchmarks, each started as its users would, and their use of processors and memory."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.load import Address

ROOT: Final = Path(__file__).resolve().parents[1]
PEERS: Final = ROOT / ".venv-peers" / "bin" / "python"
START_S: Final = 60.0
STOP_S: Final = 10.0
POLL_S: Final = 0.02
THREADS: Final = "4"
HOST: Final = "127.0.0.1"
_CLOCK_SHIFT: Final = 3
_CLOCK_OF_PROCESS: Final = 2
_UVICORN: Final = ("-m", "uvicorn", "--log-level", "warning", "--no-access-log", "--port")
_GUNICORN: Final = ("-m", "gunicorn", "--log-level", "warning", "--workers", "1")


class Kind(NamedTuple):
    """Kind of server: its name, and the command that starts it on a port."""

    name: str
    command: Callable[[int], list[str]]


def _dialer(port: int) -> list[str]:
    return [str(Path(sys.executable).with_name("dialer")), "serve", "--port", str(port)]


def _slow_names(port: int) -> list[str]:
    return [sys.executable, "-m", "benchmarks.slow_names", "serve", "--port", str(port)]


def _litestar(port: int) -> list[str]:
    return [sys.executable, *_UVICORN, str(port), "benchmarks.peers.bare_litestar:app"]


def _fastapi(port: int) -> list[str]:
    return [str(PEERS), *_UVICORN, str(port), "benchmarks.peers.fastapi_app:app"]


def _drf(port: int) -> list[str]:
    threads = ("--worker-class", "gthread", "--threads", THREADS)
    return [str(PEERS), *_GUNICORN, *threads, "--bind", f"{HOST}:{port}", "benchmarks.peers.drf_app"]


DIALER: Final = Kind("dialer", _dialer)
SLOW_NAMES: Final = Kind("dialer with slow names", _slow_names)
"""The service on a machine on which some names take long."""
LITESTAR: Final = Kind("bare Litestar", _litestar)
FASTAPI: Final = Kind("FastAPI", _fastapi)
DRF: Final = Kind("Django REST Framework", _drf)


def require_peers() -> None:
    """Exit with one line if the peers are not installed."""
    if not PEERS.exists():
        sys.exit("The frameworks to compare with are not installed: make .venv-peers/.ready")


class Server(NamedTuple):
    """Running server."""

    name: str
    process_id: int
    address: Address
    database: Path

    def cpu_s(self) -> float:
        """Return the processor seconds of the server and its child processes so far."""
        return cpu_s_of_all([self.process_id])

    def memory_bytes(self) -> int:
        """Return the memory of the server and its child processes."""
        return sum(_resident_bytes(process_id) for process_id in self._processes())

    def _processes(self) -> list[int]:
        return [self.process_id, *_children(self.process_id)]


@contextlib.contextmanager
def running(kind: Kind, database: Path, **settings: str) -> Iterator[Server]:
    """Run a server over a database with these settings, and yield it when it accepts connections."""
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("DIALER_")},
        "DIALER_DATABASE_URL": f"sqlite+aiosqlite:///{database}",
        "DIALER_SECRETS_KEY": os.environ["DIALER_SECRETS_KEY"],
        "DIALER_MEDIA_DIR": str(database.parent / "media"),
        "PEER_DATABASE": str(database),
        **{f"DIALER_{name.upper()}": value for name, value in settings.items()},
    }
    log = database.parent / "server.log"
    with (
        log.open("wb") as lines,
        subprocess.Popen(  # noqa: S603 - our own programs
            kind.command(port), cwd=ROOT, env=environ, stdout=lines, stderr=lines
        ) as process,
    ):
        try:
            if not _takes_connections(process, (HOST, port)):
                raise RuntimeError(f"{kind.name} does not start: {log.read_text()}")
            yield Server(kind.name, process.pid, (HOST, port), database)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _takes_connections(process: subprocess.Popen[bytes], address: Address) -> bool:
    until_s = time.monotonic() + START_S
    while time.monotonic() < until_s and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(address):
            return True
        time.sleep(POLL_S)
    return False


def cpu_s_of_all(process_ids: Iterable[int]) -> float:
    """Return the processor seconds of these processes and their child processes so far."""
    return sum(cpu_s_of(one) for process_id in process_ids for one in (process_id, *_children(process_id)))


def cpu_s_of(process_id: int) -> float:
    """Return the processor seconds of a process so far, which Linux counts in nanoseconds (clock_getcpuclockid(3))."""
    return time.clock_gettime((~process_id << _CLOCK_SHIFT) | _CLOCK_OF_PROCESS)


def _resident_bytes(process_id: int) -> int:
    found = re.search(r"VmRSS:\s+([0-9]+) kB", Path(f"/proc/{process_id}/status").read_text())
    return int(found[1]) * 1_024 if found else 0


def _children(process_id: int) -> list[int]:
    text = Path(f"/proc/{process_id}/task/{process_id}/children").read_text()
    return [int(child) for child in text.split()]
