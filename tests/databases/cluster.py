"""A PostgreSQL cluster of the run's own, in a temporary folder, reached by a Unix socket only."""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

USER: Final = "dialer"
_UNPRIVILEGED: Final = "postgres"
"""The account that runs the server where the tests run as root, which the server refuses. Debian's package makes it."""
_OPTIONS: Final = (
    "-c listen_addresses= -c shared_buffers=64MB -c max_connections=200 -c max_wal_size=256MB"
    " -c wal_level=minimal -c max_wal_senders=0 -c autovacuum_naptime=10s -c unix_socket_directories="
)
"""No option switches the durability off, which dialer refuses. The tests' own connections do not wait for it."""


class ClusterError(Exception):
    """PostgreSQL is not installed."""


class Cluster:
    """A cluster in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self._programs: Final = programs()
        self._data: Final = str(folder / "data")

    @classmethod
    def made(cls) -> "Cluster":
        """Create a cluster, and start it.

        Raises:
            ClusterError: PostgreSQL is not installed.
        """
        cluster = cls(Path(tempfile.mkdtemp(prefix="dialer-pg-")))
        if os.geteuid() == 0:
            account = pwd.getpwnam(_UNPRIVILEGED)
            os.chown(cluster.folder, account.pw_uid, account.pw_gid)
        given = ("--locale=C", "-E", "UTF8", "-U", USER, "-A", "trust", "--no-sync")
        cluster._run("initdb", "-D", cluster._data, *given)
        cluster.start()
        return cluster

    def url(self, name: str) -> str:
        """Return the URL of a database of the cluster."""
        return f"postgresql+psycopg://{USER}@/{name}?host={self.folder}"

    @property
    def process_id(self) -> int:
        """Return the id of the server's first process."""
        return int((Path(self._data) / "postmaster.pid").read_text().split()[0])

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", self._data, "-l", log, "-w", "-o", f"{_OPTIONS}{self.folder}", "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server: `fast` ends all connections, `immediate` is as a crash."""
        self._run("pg_ctl", "-D", self._data, "-m", mode, "-w", "stop")

    def remove(self) -> None:
        """Stop the server, and delete the cluster."""
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        user = _UNPRIVILEGED if os.geteuid() == 0 else None
        command = [str(self._programs / program), *arguments]
        # A server that inherits the pipe of its output would keep it open.
        subprocess.run(command, check=True, user=user, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def programs() -> Path:
    """Return the folder of the newest server's programs.

    Raises:
        ClusterError: there is none.
    """
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).parent
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if not found:
        raise ClusterError("PostgreSQL is missing (Debian and Ubuntu: apt install --no-install-recommends postgresql)")
    return max(found, key=lambda path: int(re.sub(r"\D", "", path.parent.name) or 0))
