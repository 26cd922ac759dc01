"""Tests of the link that signs a browser in: once, whoever else connects to its port."""

import socket

import httpx
import pytest

from dialer.dev import sign_in_link as module
from dialer.dev.sign_in_link import SESSION, sign_in_link
from dialer.local_service.server import DemoAccount

ACCOUNT = DemoAccount("anna", "a password of the test")


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_begin_session", lambda _url, _account: "the-session")


def test_a_silent_stranger_holds_up_neither_the_link_nor_its_end() -> None:
    with sign_in_link("http://127.0.0.1:8000", ACCOUNT) as link:
        url = httpx.URL(link)
        with socket.create_connection((url.host, url.port or 0)):
            answer = httpx.get(link, timeout=20, trust_env=False)
            assert (answer.status_code, answer.cookies[SESSION]) == (303, "the-session")
            again = httpx.get(link, timeout=20, trust_env=False)
            assert (again.status_code, dict(again.cookies)) == (303, {})
            stranger = socket.create_connection((url.host, url.port or 0))
    with stranger, pytest.raises(httpx.TransportError):
        httpx.get(link, timeout=20, trust_env=False)
