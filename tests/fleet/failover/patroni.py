"""Two PostgreSQL servers under Patroni, with one etcd, on this machine (Debian: `patroni`, `etcd-server`)."""

import contextlib
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.databases.cluster import USER, programs

WAIT_S: Final = 60.0
POLL_S: Final = 0.2
TTL_S: Final = 20
"""Seconds after which a primary that is silent is replaced: the least that Patroni accepts."""
_ACCOUNT: Final = "postgres"
"""The account that runs the servers, if the caller is root."""
_HOST: Final = "127.0.0.1"


class Failover:
    """The servers, by their names."""

    def __init__(self, *, is_synchronous: bool = True) -> None:
        self._is_synchronous: Final = is_synchronous
        self.folder: Final = Path(tempfile.mkdtemp(prefix="dialer-patroni-"))
        self._owner = pwd.getpwnam(_ACCOUNT) if os.geteuid() == 0 else None
        self._own(self.folder)
        client, peer, *ports = _free_ports(6)
        self._etcd_port: Final = client
        self._ports: Final = {"one": (ports[0], ports[1]), "two": (ports[2], ports[3])}
        """The ports of PostgreSQL and of Patroni's REST API."""
        self._running: Final[dict[str, subprocess.Popen[bytes]]] = {}
        self._start_etcd(peer)
        for name in self._ports:
            self.start(name)

    @property
    def url(self) -> str:
        """Return a URL that leads to the primary, whichever server that is."""
        hosts = ",".join(_HOST for _ in self._ports)
        ports = ",".join(str(port) for port, _ in self._ports.values())
        return (
            f"postgresql://{USER}@/dialer?host={hosts}&port={ports}&target_session_attrs=read-write&connect_timeout=2"
        )

    def roles(self) -> dict[str, str]:
        """Return the role of each server that runs, as Patroni knows it: `leader`, `sync_standby` or `replica`."""
        for name, (_, port) in self._ports.items():
            if name in self._running:
                with contextlib.suppress(OSError, ValueError):
                    answer = urllib.request.urlopen(f"http://{_HOST}:{port}/cluster", timeout=2)
                    members = json.load(answer)["members"]
                    return {member["name"]: member["role"] for member in members if member["state"] != "stopped"}
        return {}

    def wait_for_standby(self) -> str:
        """Wait until there are a primary and its standby, in step if they should be; return the name of the primary."""
        standby = "sync_standby" if self._is_synchronous else "replica"
        deadline_s = time.monotonic() + WAIT_S
        while time.monotonic() < deadline_s:
            roles = {role: name for name, role in self.roles().items()}
            if {"leader", standby} <= set(roles):
                return roles["leader"]
            time.sleep(POLL_S)
        raise TimeoutError(f"no standby: {self.roles()}, see {self.folder}")

    def start(self, name: str) -> None:
        """Start a server with its Patroni, again if it was lost."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        self._own(folder)
        path = folder / "patroni.yml"
        path.write_text(json.dumps(self._settings(name)))  # JSON is YAML, too.
        self._run(name, "patroni", str(path))

    def lose(self, name: str) -> None:
        """Kill a server and its Patroni, as the loss of its machine does."""
        postmaster = self._postmaster(name)
        patroni = self._running.pop(name)
        for process in (patroni.pid, postmaster, *_children(postmaster)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        patroni.wait()

    @contextlib.contextmanager
    def cut_off(self, name: str) -> Iterator[None]:
        """Let the standby of a server receive nothing while the context is entered, and lose what was on its way."""
        receivers = [
            child
            for other in self._ports
            if other != name
            for child in _children(self._postmaster(other))
            if b"walreceiver" in Path(f"/proc/{child}/cmdline").read_bytes()
        ]
        assert receivers, "the standby receives nothing"
        for receiver in receivers:
            os.kill(receiver, signal.SIGSTOP)
        try:
            yield
        finally:
            for receiver in receivers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(receiver, signal.SIGTERM)  # It ends before it reads what its socket holds.
                    os.kill(receiver, signal.SIGCONT)

    def remove(self) -> None:
        """Stop everything, and delete it."""
        for name in [name for name in self._running if name != "etcd"]:
            with contextlib.suppress(OSError, ValueError, IndexError):
                self.lose(name)
        for process in self._running.values():
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start_etcd(self, peer: int) -> None:
        own, others = f"http://{_HOST}:{self._etcd_port}", f"http://{_HOST}:{peer}"
        urls = {
            "listen-client-urls": own,
            "advertise-client-urls": own,
            "listen-peer-urls": others,
            "initial-advertise-peer-urls": others,
            "initial-cluster": f"default={others}",
            "data-dir": str(self.folder / "etcd"),
        }
        self._run("etcd", "etcd", *(f"--{name}={value}" for name, value in urls.items()))
        deadline_s = time.monotonic() + WAIT_S
        while time.monotonic() < deadline_s:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{own}/health", timeout=2).close()  # noqa: S310 - our own URL
                return
            time.sleep(POLL_S)
        raise TimeoutError(f"etcd does not answer, see {self.folder}")

    def _postmaster(self, name: str) -> int:
        return int((self.folder / name / "data" / "postmaster.pid").read_text().split()[0])

    def _settings(self, name: str) -> dict[str, Any]:
        port, rest = self._ports[name]
        parameters = {"unix_socket_directories": str(self.folder / name), "max_connections": 100}
        shared = {
            "ttl": TTL_S,
            "loop_wait": 2,
            "retry_timeout": 3,
            "synchronous_mode": self._is_synchronous,
            "postgresql": {"use_pg_rewind": True, "parameters": {"wal_log_hints": "on", "wal_keep_size": "256MB"}},
        }
        everybody = [
            "local all all trust",
            "host all all 127.0.0.1/32 trust",
            "host replication all 127.0.0.1/32 trust",
        ]
        return {
            "scope": "dialer",
            "name": name,
            "restapi": {"listen": f"{_HOST}:{rest}", "connect_address": f"{_HOST}:{rest}"},
            "etcd3": {"hosts": f"{_HOST}:{self._etcd_port}"},
            "bootstrap": {"dcs": shared, "initdb": [{"encoding": "UTF8"}, {"locale": "C"}], "pg_hba": everybody},
            "postgresql": {
                "listen": f"{_HOST}:{port}",
                "connect_address": f"{_HOST}:{port}",
                "data_dir": str(self.folder / name / "data"),
                "bin_dir": str((programs() / "initdb").resolve().parent),
                "authentication": {
                    "superuser": {"username": USER, "password": "trusted"},
                    "replication": {"username": "copier", "password": "trusted"},
                },
                "parameters": parameters,
                "pg_hba": everybody,
            },
        }

    def _run(self, name: str, program: str, *arguments: str) -> None:
        environ = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin", "HOME": str(self.folder)}
        with (self.folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [program, *arguments],
                env=environ,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                user=None if self._owner is None else self._owner.pw_uid,
                group=None if self._owner is None else self._owner.pw_gid,
                start_new_session=True,
            )

    def _own(self, folder: Path) -> None:
        if self._owner is not None:
            os.chown(folder, self._owner.pw_uid, self._owner.pw_gid)


@contextlib.contextmanager
def failover(*, is_synchronous: bool = True) -> Iterator[Failover]:
    """Start two servers, wait for their replication, and stop them at the end."""
    servers = Failover(is_synchronous=is_synchronous)
    try:
        servers.wait_for_standby()
        yield servers
    finally:
        servers.remove()


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server((_HOST, 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in sockets]


def _children(parent: int) -> list[int]:
    """Return the processes that a process has started."""
    path = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(child) for child in path.read_text().split()] if path.exists() else []
