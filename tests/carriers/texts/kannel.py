"""Kannel of Debian, between a gateway of ours and a carrier over HTTP that the test plays."""

import socket
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen
from threading import Thread
from typing import Final
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from tests.carriers.texts.web_carrier import Asked
from tests.optional_tools import find_tool
from tests.patience import ANSWER_S_MAX

USER: Final = "tester"
PASSWORD: Final = "foobar"
FAR: Final = "/far"
RECEIVED: Final = "/received"
"""The path at which Kannel delivers text messages that came in."""
_READY: Final = {"bearerbox": b"Start-up done", "smsbox": b"Connected to bearerbox"}
_CONFIGURATION: Final = """
group = core
admin-port = {admin}
admin-password = bar
smsbox-port = {boxes}
admin-interface = 127.0.0.1
smsbox-interface = 127.0.0.1
dlr-storage = internal
log-level = 1

group = smsc
smsc = http
smsc-id = far
system-type = kannel
port = {near}
send-url = {carrier}/far
dlr-url = "http://127.0.0.1:{near}/?username=u&password=p"
smsc-username = u
smsc-password = p

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = {sends}
sendsms-interface = 127.0.0.1

group = sendsms-user
username = {user}
password = {password}
concatenation = true
max-messages = 9

group = sms-service
keyword = default
catch-all = true
get-url = "{carrier}/received?from=%p&text=%a"
max-messages = 0
"""


class Kannel:
    """A running Kannel."""

    def __init__(self, near: int, sends: int, client: httpx.Client) -> None:
        self.url: Final = f"http://127.0.0.1:{sends}/cgi-bin/sendsms"
        self._near: Final = near
        self._client: Final = client

    def receive(self, number: str, text: str) -> None:
        """Let the carrier behind Kannel hand over a text message from a number."""
        fields = {"username": "u", "password": "p", "from": number, "to": "+3545550199", "text": text}
        assert self._client.get(f"http://127.0.0.1:{self._near}/?{urlencode(fields)}").is_success

    def report(self, asked: Asked, status: int) -> None:
        """Let the carrier behind Kannel report what became of a message."""
        (target,) = parse_qs(urlsplit(asked.target).query)["dlr-url"]
        assert self._client.get(target.replace("%d", str(status))).is_success


@contextmanager
def kannel(folder: Path, carrier: str) -> Iterator[Kannel]:
    """Run Kannel, which sends to a carrier at an address."""
    programs = {name: find_tool(name) for name in _READY}
    admin, boxes, near, sends = _free_ports(4)
    ports = {"admin": admin, "boxes": boxes, "near": near, "sends": sends}
    path = folder / "kannel.conf"
    path.write_text(_CONFIGURATION.format(**ports, carrier=carrier, user=USER, password=PASSWORD), "utf-8")
    with ExitStack() as stack:
        for name, program in programs.items():
            process = stack.enter_context(Popen([program, str(path)], stdout=PIPE, stderr=STDOUT, cwd=folder))
            assert process.stdout is not None
            lines = iter(process.stdout.readline, b"")
            assert any(_READY[name] in line for line in lines), f"{name} did not start"
            drain = Thread(target=deque, args=(lines, 0))  # A full pipe would stop the program.
            drain.start()
            stack.callback(drain.join)
            stack.callback(process.kill)
        # Nothing is encrypted, and reading certificates takes time.
        yield Kannel(near, sends, stack.enter_context(httpx.Client(verify=False, timeout=ANSWER_S_MAX)))  # noqa: S501


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        found = []
        for _ in range(count):
            probe = stack.enter_context(socket.socket())
            probe.bind(("127.0.0.1", 0))
            found.append(int(probe.getsockname()[1]))
        return found
