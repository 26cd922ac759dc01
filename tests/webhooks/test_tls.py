"""Tests of deliveries over TLS: the name of the address is verified, at the address that was checked."""

import ssl
from typing import Final

import pytest

from dialer.webhooks.addresses import AddressGuard
from tests.deploy.proxies import NAME, Certificate, make_certificate
from tests.webhooks.outbox import Outbox
from tests.webhooks.receivers import Receiver

GUARD: Final = AddressGuard(("127.0.0.0/8",), lambda _host, _port: ["127.0.0.1"])


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.mark.parametrize(
    ("name", "is_known", "expected"),
    [
        (NAME, True, ("received", 1, 204)),
        ("other.example.com", True, ("waiting", 1, None)),
        (NAME, False, ("waiting", 1, None)),
    ],
)
async def test_an_event_reaches_whom_the_certificate_names_and_nobody_else(
    outbox: Outbox, certificate: Certificate, name: str, *, is_known: bool, expected: tuple[str, int, int | None]
) -> None:
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    served.load_cert_chain(*certificate)
    known = ssl.create_default_context(cafile=certificate.chain) if is_known else None
    receiver = Receiver()
    async with receiver.listening(served):
        webhook_id = outbox.webhook(receiver.url.replace("127.0.0.1", name))
        ids = outbox.write(1)
        await outbox.process(guard=GUARD, tls=known).deliver_due()
    assert outbox.deliveries(webhook_id) == [(ids[0], *expected)]
    assert receiver.ids == (ids if expected[0] == "received" else [])


async def test_a_proxy_of_the_environment_is_not_used(outbox: Outbox, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, receiver = Receiver(), Receiver()
    async with proxy.listening(), receiver.listening():
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        outbox.webhook(receiver.url)
        ids = outbox.write(1)
        await outbox.process().deliver_due()
    assert (proxy.got, receiver.ids) == ([], ids)
