"""Tests of headers in each form: long and compact names, any case, one line or several, in any order (RFC 3261 7.3)."""

from random import Random
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.sip.causes import cause_in_reason
from dialer.carriers.sip.incoming_invite import called_in, caller_in
from dialer.carriers.sip.message_bodies import description_in
from dialer.carriers.sip.messages import Received, read_message
from dialer.carriers.sip.retry_after import asked_ms
from tests.carriers.sip.network import TRUNK

COMPACT: Final = {
    "Via": "v",
    "From": "f",
    "To": "t",
    "Call-ID": "i",
    "Contact": "m",
    "Content-Type": "c",
    "Content-Length": "l",
    "Content-Encoding": "e",
    "Supported": "k",
    "Session-Expires": "x",
}
"""RFC 3261 7.3.3, and RFC 4028 for the session timer."""
BODY: Final = b"v=0\r\n"
HEADERS: Final[dict[str, list[str]]] = {
    "Via": ["SIP/2.0/UDP 192.0.2.10;branch=z9hG4bK1;rport", "SIP/2.0/UDP 192.0.2.11:5099;branch=z9hG4bK2"],
    "From": ['"Zoe, \\"the\\" <one>" <sip:+12025550999@carrier.example>;tag=zoe'],
    "To": ["<sip:+12025550199@192.0.2.1>;tag=us"],
    "Call-ID": ["a1@carrier.example"],
    "CSeq": ["7 INVITE"],
    "Contact": ["<sip:zoe@192.0.2.10:5062;transport=udp>", "<sip:zoe@192.0.2.12>;q=0.1"],
    "Record-Route": ["<sip:p1.example;lr>", '"p, 2" <sip:192.0.2.77:5099;lr>', "<sip:p3.example>"],
    "Supported": ["timer", "100rel", "path"],
    "Require": ["timer", "replaces"],
    "Session-Expires": ["1800;refresher=uac"],
    "P-Asserted-Identity": ["<sip:anna@x.example>", "<tel:+12025550141>"],
    "Reason": ['SIP;cause=200;text="a, b"', "Q.850;cause=17"],
    "Retry-After": ["120 (in a while, perhaps)"],
    "Content-Type": ["application/sdp"],
    "Content-Encoding": ["identity"],
    "Content-Length": [str(len(BODY))],
}
LISTS: Final = frozenset({"Via", "Contact", "Record-Route", "Supported", "Require", "P-Asserted-Identity", "Reason"})


def read(lines: list[str]) -> Received:
    return read_message("\r\n".join(["INVITE sip:anna@192.0.2.1:5070 SIP/2.0", *lines, "", ""]).encode() + BODY)


def meaning(message: Received) -> dict[str, object]:
    """Return everything that is read of a message."""
    return {
        "ends": (message.call_id, message.from_tag, message.to_tag, message.cseq, message.method, message.branch),
        "contact": str(message.contact),
        "route": [str(route.uri) for route in message.record_route],
        "supported": message.options("Supported"),
        "required": message.options("Require"),
        "interval": message.number_in("Session-Expires"),
        "numbers": (called_in(message, TRUNK), caller_in(message)),
        "cause": cause_in_reason(message),
        "rest": asked_ms(message),
        "body": description_in(message),
    }


PLAIN: Final = meaning(read([f"{name}: {value}" for name, values in HEADERS.items() for value in values]))


def in_any_form(chance: Random) -> list[str]:
    """Return the headers in one of their forms. The values of one header stay in their order."""
    groups = []
    for name, values in HEADERS.items():
        lines: list[list[str]] = [[]]
        for value in values:
            if lines[-1] and not (name in LISTS and chance.random() < 0.5):
                lines.append([])
            lines[-1].append(value)
        groups.append([_line(chance, name, each) for each in lines])
    found = []
    while groups:
        group = chance.choice(groups)
        found.append(group.pop(0))
        groups = [one for one in groups if one]
    return found


def _line(chance: Random, name: str, values: list[str]) -> str:
    spelled = chance.choice([name, name.lower(), name.upper(), COMPACT.get(name, name)])
    colon = chance.choice([":", ": ", " : ", ":\r\n  "])
    return spelled + colon + chance.choice([",", ", ", " ,\r\n\t"]).join(values)


def test_everything_is_read_in_the_plain_form() -> None:
    assert {
        "ends": ("a1@carrier.example", "zoe", "us", 7, "INVITE", "z9hG4bK1"),
        "contact": "sip:zoe@192.0.2.10:5062;transport=udp",
        "route": ["sip:p1.example;lr", "sip:192.0.2.77:5099;lr", "sip:p3.example"],
        "supported": frozenset({"timer", "100rel", "path"}),
        "required": frozenset({"timer", "replaces"}),
        "interval": 1_800,
        "numbers": ("+12025550199", "+12025550141"),
        "cause": 17,
        "rest": 120_000,
        "body": BODY,
    } == PLAIN


@given(st.randoms(use_true_random=False))
def test_headers_mean_the_same_in_each_form(chance: Random) -> None:
    assert meaning(read(in_any_form(chance))) == PLAIN


def test_a_uri_may_have_headers_and_a_scheme_in_capitals() -> None:
    """RFC 3261 19.1.1 and RFC 3986 3.1. The parser knows neither, and dropped such messages unread."""
    changed = {"Contact": ["<SIP:zoe@192.0.2.10:5062;transport=udp?Replaces=a%40b&Subject=x>"]}
    changed |= {"From": ["Zoe <SIP:+12025550999@carrier.example?Subject=x>;tag=zoe"], "To": ["TEL:+12025550199;tag=us"]}
    lines = [f"{name}: {value}" for name, values in (HEADERS | changed).items() for value in values]
    data = "\r\n".join(["INVITE SIP:anna@192.0.2.1:5070 SIP/2.0", *lines, "", ""]).encode() + BODY
    assert meaning(read_message(data)) == PLAIN
