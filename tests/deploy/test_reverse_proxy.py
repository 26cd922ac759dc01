"""Tests of the configurations of nginx and Caddy: both are valid, and both serve dialer as it is."""

import contextlib
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

import httpx
import pytest

from dialer.store.media.files import AUDIO_BYTES_MAX
from tests.deploy.proxies import DEPLOY, NAME, PROXIES, Proxied, nginx_configuration
from tests.end_to_end.service import wav
from tests.optional_tools import find_tool
from tests.patience import ANSWER_S_MAX
from tests.test_server import ADMIN, PASSWORD, VIRTUAL, serving

ROOT_USER: Final = ("root", PASSWORD)
CONTACTS: Final = 20_000
BEHIND: Final = b"the server behind"


@pytest.fixture(scope="module", params=PROXIES)
def proxied(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    """Run a server behind a proxy."""
    find_tool(request.param)
    with serving(tmp_path_factory.mktemp("service"), **ADMIN, **VIRTUAL) as served:
        upstream = f"127.0.0.1:{served.client.base_url.port}"
        with PROXIES[request.param](tmp_path_factory.mktemp("proxy"), upstream) as proxied:
            yield proxied


def test_nginx_finds_nothing_wrong_with_its_configuration(tmp_path: Path) -> None:
    main = nginx_configuration(tmp_path, "127.0.0.1:8000", port=8443, plain=8080)
    checked = subprocess.run(
        [find_tool("nginx"), "-t", "-c", main, "-p", tmp_path, "-e", "stderr"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, "warn" in checked.stderr) == (0, False), checked.stderr


@pytest.mark.parametrize("command", [["validate"], ["fmt", "--diff"]])
def test_caddy_finds_nothing_wrong_with_its_configuration(command: list[str], tmp_path: Path) -> None:
    file = ["--config", DEPLOY / "Caddyfile"] if command == ["validate"] else [DEPLOY / "Caddyfile"]
    checked = subprocess.run(
        [find_tool("caddy"), *command, *file],
        env={"XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    changes = [line for line in checked.stdout.splitlines() if line.startswith(("+ ", "- "))]
    assert (checked.returncode, changes) == (0, []), checked.stderr


def test_an_upload_arrives_and_urls_are_those_of_the_proxy(proxied: Proxied) -> None:
    """A client cannot choose the address and the scheme that the service believes."""
    content = wav(10)
    forged = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "http"}
    answer = proxied.client.post(
        "/rest-api/audio-files/",
        auth=ROOT_USER,
        data={"name": "hello"},
        files={"audio_file": ("hello.wav", content, "audio/wav")},
        headers=forged,
    )
    assert answer.status_code == 201, answer.text
    url = f"https://{NAME}/rest-api/audio-files/{answer.json()['id']}/"
    assert (answer.json()["url"], answer.headers["location"]) == (url, url)
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_an_import_and_an_export_of_many_contacts_lose_nothing(proxied: Proxied) -> None:
    assert proxied.client.post("/rest-api/phonebook/", auth=ROOT_USER, json={"name": "book"}).status_code == 201
    numbers = [f"+1202{number:07}" for number in range(5_550_000, 5_550_000 + CONTACTS)]
    content = "\n".join(["contact", *numbers, ""]).encode()
    headers = {"Content-Type": "text/csv"}
    report = proxied.client.post("/rest-api/phonebook/1/import/", auth=ROOT_USER, content=content, headers=headers)
    assert (report.status_code, report.json()["imported"]) == (200, CONTACTS)
    exported = proxied.client.get("/rest-api/contact/", auth=ROOT_USER, params={"format": "ndjson"})
    assert [line.split('"contact":"')[1].split('"')[0] for line in exported.text.splitlines()] == numbers


def test_metrics_are_for_the_machine_itself_and_health_is_for_everybody(proxied: Proxied) -> None:
    statuses = [proxied.client.get(path).status_code for path in ("/metrics", "/health/ready", "/schema")]
    assert statuses == [404, 200, 200]


@pytest.mark.parametrize("name", PROXIES)
def test_a_proxy_hides_metrics_in_every_spelling(name: str, tmp_path: Path) -> None:
    """The server behind it answers under every path. Unlike httpx, curl sends these paths as they are."""
    find_tool(name)
    hidden = [
        "/metrics",
        "/metrics/",
        "//metrics",
        "/metrics%2f",
        "/%6detrics",
        "/x/../metrics",
        "/metrics?x",
        "/METRICS",
    ]
    with answering_everything() as upstream, PROXIES[name](tmp_path, upstream) as proxied:
        found = {path: is_passed_on(proxied, path) for path in [*hidden, "/health/live"]}
    assert found == {**dict.fromkeys(hidden, False), "/health/live": True}


def is_passed_on(proxied: Proxied, path: str) -> bool:
    """Return whether the answer is that of the server behind the proxy."""
    silent = ("-sS", "-k", "--path-as-is", "-H", f"Host: {NAME}")
    url = f"{str(proxied.client.base_url).rstrip('/')}{path}"
    return subprocess.run([find_tool("curl"), *silent, url], capture_output=True, check=True).stdout == BEHIND


@contextlib.contextmanager
def answering_everything() -> Iterator[str]:
    """Run a server that answers every GET alike, and yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(BEHIND)))
            self.end_headers()
            self.wfile.write(BEHIND)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def test_a_body_beyond_its_limit_is_refused_by_the_service(proxied: Proxied) -> None:
    """A client that waits for permission (`Expect: 100-continue`), as curl does, sends nothing of it."""
    upload = ("-F", "name=large", "-F", "audio_file=@-;filename=large.wav")
    silent = ("-sS", "-k", "-o", "/dev/null", "-w", "%{http_code}", "-u", ":".join(ROOT_USER), "-H", f"Host: {NAME}")
    url = str(proxied.client.base_url.join("/rest-api/audio-files/"))
    done = subprocess.run(
        [find_tool("curl"), *silent, *upload, url], input=b"x" * (AUDIO_BYTES_MAX * 2), capture_output=True, check=False
    )
    assert done.stdout == b"413", done.stderr


@pytest.mark.parametrize("proxied", ["nginx"], indirect=True)
def test_nginx_sends_a_request_without_tls_to_the_address_with_tls(proxied: Proxied) -> None:
    """Caddy does it by itself, on port 80."""
    answer = httpx.get(f"{proxied.plain}/schema?x=1", headers={"Host": NAME}, trust_env=False, timeout=ANSWER_S_MAX)
    assert (answer.status_code, answer.headers["location"]) == (301, f"https://{NAME}/schema?x=1")
