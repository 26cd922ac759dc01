"""Tests of what the carrier is told of the caller, from the parameters of a gateway to the INVITE."""

import json

import pytest

from dialer.carriers.parameters import ParametersError
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.leg import draft_of
from dialer.carriers.sip.masking import kept_message
from dialer.carriers.sip.parameters import read_sip_parameters
from tests.carriers.sip.network import dialling

HERE = "192.0.2.9", 5060
CALLER = "12025550199"


def sent(callerid: str = CALLER, **parameters: object) -> bytes:
    """Return the INVITE of a call over a gateway with these parameters."""
    values = read_sip_parameters(json.dumps({"server": "192.0.2.1", "domain": "x.example", **parameters}))
    trunk = values.trunk(Flow(("192.0.2.1", 5060)), HERE)
    order = dialling()
    return draft_of(trunk, type(order)(order.key, order.number, callerid, 30_000, 60_000), b"").encode()


def told(invite: bytes) -> dict[str, str]:
    """Return the headers that say who calls."""
    lines = (line.partition(": ") for line in invite.decode().split("\r\n"))
    wanted = {"From", "P-Asserted-Identity", "Privacy", "Diversion"}
    return {name: value.partition(";tag=")[0] for name, _, value in lines if name in wanted or name[:2] == "X-"}


def test_a_carrier_is_told_the_caller_id() -> None:
    own = f"<sip:{CALLER}@x.example>"
    assert told(sent()) == {"From": own, "P-Asserted-Identity": own}
    assert told(sent("")) == {"From": "<sip:anonymous@x.example>"}


def test_a_withheld_caller_is_known_to_the_carrier_alone() -> None:
    assert told(sent(privacy=True)) == {
        "From": '"Anonymous" <sip:anonymous@anonymous.invalid>',
        "P-Asserted-Identity": f"<sip:{CALLER}@x.example>",
        "Privacy": "id",
    }


def test_a_carrier_gets_the_numbers_and_headers_that_it_asks_for() -> None:
    headers = {"X-Account": "47 11"}
    invite = sent(asserted_identity="+12025550100", diversion="+12025550101", headers=headers)
    assert told(invite) == {
        "From": f"<sip:{CALLER}@x.example>",
        "P-Asserted-Identity": "<sip:+12025550100@x.example>",
        "Diversion": "<sip:+12025550101@x.example>;reason=unconditional",
        "X-Account": "47 11",
    }


def test_kept_messages_mask_the_numbers_of_these_headers() -> None:
    kept = kept_message(sent(asserted_identity="+12025550100", diversion="+12025550101", headers={"X-Account": "4711"}))
    assert "12025550" not in kept
    assert "X-Account: [not kept]" in kept


@pytest.mark.parametrize(
    "headers",
    [
        {"Via": "SIP/2.0/UDP x"},
        {"X-A\r\nVia": "1"},
        {"X-A": "1\r\nVia: x"},
        {"X-A": ""},
        {"X-A": "ä"},
        {"X-A": "1", "x-a": "2"},
        {f"X-{number}": "1" for number in range(17)},
        {"X-A": "1" * 256},
    ],
)
def test_a_header_that_would_be_more_than_one_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(ParametersError, match="header"):
        sent(headers=headers)


@pytest.mark.parametrize("number", ["+", "12 02", "anna", "1" * 33, "+1\r\n"])
def test_a_number_that_is_none_is_refused(number: str) -> None:
    for name in ("asserted_identity", "diversion"):
        with pytest.raises(ParametersError):
            read_sip_parameters(json.dumps({"server": "192.0.2.1", name: number}))
