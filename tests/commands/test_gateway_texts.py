"""Tests of `dialer gateway test --text`."""

import json

import pytest

from dialer.store.tables import SMS, Gateway
from tests.carriers.texts.smpp_carrier import smpp_carrier
from tests.carriers.texts.web_carrier import WebCarrier
from tests.commands.conftest import Run
from tests.commands.test_gateway import VIRTUAL
from tests.runtime.house import House

ASK = ("gateway", "test", "1", "+3545550101", "--callerid", "Shop", "--text", "Hello")


def test_a_message_over_http_is_shown_without_secrets(run: Run, house: House) -> None:
    with WebCarrier(lambda _: (200, b'{"id": "m1"}')).serving() as carrier:
        parameters = {
            "url": f"{carrier.url}/send",
            "username": "shop",
            "password": "opensesame",
            "query": {"pw": "{password}"},
            "body": {"to": "{number}", "text": "{text}", "back": "{callback}"},
            "id": "id",
            "receipts": True,
            "callback_url": "https://dialer.example.com",
            "secret": "nobody-else-knows-this",
        }
        house.add(
            Gateway, medium=SMS, name="shop", protocol="http", removeprefix="+", parameters=json.dumps(parameters)
        )
        found = run(*ASK, **VIRTUAL)
    assert found.out.splitlines()[0] == f"→ POST {carrier.url}/send?pw=%2A%2A%2A%2A%2A%2A%2A%2A%2A%2A%2A%2A%2A%2A%2A%2A"
    assert found.out.splitlines()[-1] == '← 200 {"id": "m1"}'
    assert (found.code, found.err) == (0, "Sent, 1 parts: accepted as m1\n")
    assert "opensesame" in carrier.asked[0].target
    assert not any(word in found.out for word in ("opensesame", "nobody-else"))
    assert carrier.asked[0].json["to"] == "3545550101"


def test_a_message_over_smpp_is_shown_pdu_by_pdu(run: Run, house: House) -> None:
    with smpp_carrier() as carrier:
        parameters = {"host": "127.0.0.1", "port": carrier.port, "system_id": "shop", "password": "opensesame"}
        house.add(
            Gateway, medium=SMS, name="shop", protocol="smpp", parameters=json.dumps(parameters | {"receipts": False})
        )
        found = run(*ASK, **VIRTUAL)
        assert found.out.splitlines()[1:4] == [
            "← bind_transceiver_resp 2147483647 status 0x00000000",
            "→ submit_sm 1",
            "← submit_sm_resp 1 status 0x00000000",
        ]
        assert (found.code, found.err) == (0, "Sent, 1 parts: accepted as id1\n")
        house.change(Gateway, 1, medium=SMS, parameters=json.dumps(parameters | {"password": "wrong"}))
        refused = run(*ASK, **VIRTUAL)
        assert (refused.code, refused.err) == (
            1,
            "Unsent, 1 parts: the carrier refuses the bind with status 0x0000000E\n",
        )


@pytest.mark.parametrize(
    ("number", "sent"),
    [
        ("555-0101", "3545550101"),
        ("+354 555 0101", "3545550101"),
    ],
)
def test_a_number_without_its_country_is_one_of_the_services(run: Run, house: House, number: str, sent: str) -> None:
    with WebCarrier(lambda _: (200, b'{"id": "m1"}')).serving() as carrier:
        parameters = {"url": f"{carrier.url}/send", "body": {"to": "{number}", "text": "{text}"}, "id": "id"}
        house.add(
            Gateway, medium=SMS, name="shop", protocol="http", removeprefix="+", parameters=json.dumps(parameters)
        )
        found = run(*ASK[:3], number, *ASK[4:], **VIRTUAL, DIALER_DEFAULT_REGION="IS")
    assert (found.code, carrier.asked[0].json["to"]) == (0, sent)
