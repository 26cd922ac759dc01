"""The proxies of `deploy/`, run with a certificate and ports of their own in front of a server."""

import contextlib
import os
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import httpx

from tests.optional_tools import find_tool

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
NAME: Final = "dialer.example.com"
UPSTREAM: Final = "127.0.0.1:8000"
STARTED: Final = "serving initial configuration"
SUBJECT: Final = f"/CN={NAME}"
NAMES: Final = f"subjectAltName=DNS:{NAME},IP:127.0.0.1"


class Proxied(NamedTuple):
    """A client that reaches a server through a proxy, and the address of the proxy without TLS, if it has one."""

    client: httpx.Client
    plain: str | None


class Certificate(NamedTuple):
    """A certificate of the name, and its key."""

    chain: Path
    key: Path


def make_certificate(folder: Path) -> Certificate:
    """Create a certificate that signs itself."""
    made = Certificate(folder / "fullchain.pem", folder / "privkey.pem")
    kind = (
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
        "-subj",
        SUBJECT,
        "-addext",
        NAMES,
    )
    files = ("-keyout", made.key, "-out", made.chain)
    subprocess.run([find_tool("openssl"), "req", *kind, *files], check=True, capture_output=True)
    return made


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def replaced(text: str, **by: str) -> str:
    """Replace parts of a configuration, each of which must be there."""
    for old, new in by.items():
        assert old in text
        text = text.replace(old, new)
    return text


def nginx_configuration(folder: Path, upstream: str, *, port: int, plain: int) -> Path:
    """Write a configuration of nginx that includes ours, with other ports and files."""
    certificate = make_certificate(folder)
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    text = "\n".join(line for line in text.splitlines() if "[::]" not in line)
    others = {
        UPSTREAM: upstream,
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ": f"listen 127.0.0.1:{port} ",
        "/etc/ssl/dialer/fullchain.pem": str(certificate.chain),
        "/etc/ssl/dialer/privkey.pem": str(certificate.key),
    }
    (folder / "dialer.conf").write_text(replaced(text, **others), "utf-8")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    user = "user root; " if os.geteuid() == 0 else ""
    main = f"{user}worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}\n"
    (folder / "main.conf").write_text(f"{main}http {{ access_log off; {temporary} include {folder}/dialer.conf; }}\n")
    return folder / "main.conf"


@contextlib.contextmanager
def nginx(folder: Path, upstream: str) -> Iterator[Proxied]:
    """Run nginx in front of a server."""
    port, plain = free_port(), free_port()
    main = nginx_configuration(folder, upstream, port=port, plain=plain)
    command = [find_tool("nginx"), "-c", str(main), "-p", str(folder), "-e", str(folder / "error.log")]
    subprocess.run(command, check=True, capture_output=True)  # It returns when its ports are open.
    try:
        with client_of(port, folder) as client:
            yield Proxied(client, f"http://127.0.0.1:{plain}")
    finally:
        subprocess.run([*command, "-s", "stop"], check=True, capture_output=True)


@contextlib.contextmanager
def caddy(folder: Path, upstream: str) -> Iterator[Proxied]:
    """Run Caddy in front of a server."""
    port, certificate = free_port(), make_certificate(folder)
    text = (DEPLOY / "Caddyfile").read_text("utf-8")
    site = f"https://{NAME}:{port} {{\n\ttls {certificate.chain} {certificate.key}\n"
    text = replaced(text, **{f"\n{NAME} {{\n": f"\n{site}", UPSTREAM: upstream})
    (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{text}", "utf-8")
    with subprocess.Popen(
        [find_tool("caddy"), "run", "--config", folder / "Caddyfile"],
        env={**os.environ, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            assert any(STARTED in line for line in process.stderr), "Caddy did not start"
            with client_of(port, folder) as client:
                yield Proxied(client, None)
        finally:
            process.terminate()
            process.communicate()


def client_of(port: int, folder: Path) -> httpx.Client:
    """Return a client that trusts the certificate."""
    trust = ssl.create_default_context(cafile=str(folder / "fullchain.pem"))
    address = f"https://127.0.0.1:{port}"
    return httpx.Client(base_url=address, headers={"Host": NAME}, verify=trust, trust_env=False, timeout=60)


PROXIES: Final[dict[str, Callable[[Path, str], contextlib.AbstractContextManager[Proxied]]]] = {
    "nginx": nginx,
    "caddy": caddy,
}
