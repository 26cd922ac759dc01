"""Tests of addresses that no gateway may name: those at which a machine finds its own credentials."""

import ipaddress
import json

import pytest

from dialer.carriers.parameters import ParametersError
from dialer.carriers.texts import forbidden_hosts
from dialer.carriers.texts.http_line import NotSentError, WebSender
from dialer.carriers.texts.parameters import read_http_parameters
from dialer.carriers.texts.requests import WebRequest
from dialer.domain.calls.plans import HTTP
from tests.carriers.texts.web_carrier import WebCarrier

INTERNAL = [
    "169.254.169.254",
    "[fe80::1]",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "metadata.google.internal",
    "METADATA.google.internal.",
    "0.0.0.0",  # noqa: S104 - an address to refuse
    "224.0.0.1",
    "100.100.100.200",
    "[64:ff9b::a9fe:a9fe]",  # Translators and tunnels lead to 169.254.169.254, too.
    "[2002:a9fe:a9fe::1]",
    "[::a9fe:a9fe]",
]


def parameters(url: str, **more: object) -> str:
    return json.dumps({"url": url, "body": {"to": "{number}", "text": "{text}"}, **more})


@pytest.mark.parametrize("host", INTERNAL)
def test_a_gateway_does_not_lead_to_the_machine_itself(host: str) -> None:
    for text in (parameters(f"http://{host}/x"), parameters("https://a.example/", callback_url=f"http://{host}:80")):
        with pytest.raises(ParametersError, match="own network"):
            read_http_parameters(HTTP, text)


@pytest.mark.parametrize(
    "host", ["carrier.example", "127.0.0.1:13013", "10.1.2.3", "[::1]", "localhost", "1and1.example"]
)
def test_carriers_and_a_kannel_in_the_same_network_are_fine(host: str) -> None:
    assert read_http_parameters(HTTP, parameters(f"http://{host}/x")).url == f"http://{host}/x"


@pytest.mark.parametrize("body", [{"auth": {"token": "abc"}}, {"list": [{"api_key": "abc"}]}])
def test_a_secret_deep_in_a_body_is_refused(body: dict[str, object]) -> None:
    whole = {"to": "{number}", "text": "{text}", **body}
    with pytest.raises(ParametersError, match="may hold a secret"):
        read_http_parameters(HTTP, json.dumps({"url": "https://a.example/", "body": whole}))


@pytest.mark.parametrize("is_internal", [False, True])
async def test_a_name_that_leads_inside_gets_no_byte(monkeypatch: pytest.MonkeyPatch, *, is_internal: bool) -> None:
    """`localhost` stands for a name of a stranger's domain, which resolves to the address of the metadata."""
    with WebCarrier(lambda _: (200, b"secret")).serving() as carrier:
        request = WebRequest("GET", carrier.url.replace("127.0.0.1", "localhost"), {}, b"")
        sender = WebSender()
        if is_internal:
            monkeypatch.setattr(forbidden_hosts, "_METADATA_ADDRESSES", {ipaddress.ip_address("127.0.0.1")})
            for _ in range(2):
                with pytest.raises(NotSentError, match="own network"):
                    await sender.send(request)
        else:
            assert (await sender.send(request)).body == b"secret"
        await sender.close()
    assert len(carrier.asked) == int(not is_internal)
