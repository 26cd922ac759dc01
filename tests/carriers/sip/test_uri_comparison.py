"""Tests of the comparison of URIs, against the examples of RFC 3261 19.1.4."""

import pytest

from dialer.carriers.sip.messages import address_in
from dialer.carriers.sip.uri_comparison import is_same_uri

SAME = [
    ("sip:%61lice@atlanta.com;transport=TCP", "sip:alice@AtLanTa.CoM;Transport=tcp"),
    ("sip:carol@chicago.com", "sip:carol@chicago.com;newparam=5"),
    ("sip:carol@chicago.com", "sip:carol@chicago.com;security=on"),
    ("sip:biloxi.com;transport=tcp;method=REGISTER", "sip:biloxi.com;method=REGISTER;transport=tcp"),
    ("SIP:a@[2001:DB8::1]:5060", "sip:a@[2001:db8:0:0:0:0:0:1]:5060"),
]
DIFFERENT = [
    ("SIP:ALICE@AtLanTa.CoM;Transport=udp", "sip:alice@AtLanTa.CoM;Transport=UDP"),
    ("sip:bob@biloxi.com", "sip:bob@biloxi.com:5060"),
    ("sip:bob@biloxi.com", "sip:bob@biloxi.com;transport=udp"),
    ("sip:bob@biloxi.com", "sip:bob@biloxi.com:6000;transport=tcp"),
    ("sip:bob@phone21.boxesbybob.com", "sip:bob@192.0.2.4"),
    ("sip:carol@chicago.com;security=on", "sip:carol@chicago.com;security=off"),
    ("sip:a@192.0.2.1:2162", "sip:a@192.0.2.1:21624"),
    ("sips:a@b.example", "sip:a@b.example"),
]


@pytest.mark.parametrize(("pair", "is_same"), [(pair, True) for pair in SAME] + [(pair, False) for pair in DIFFERENT])
def test_uris_are_compared_by_their_parts(pair: tuple[str, str], is_same: bool) -> None:  # noqa: FBT001 - a parameter
    one, other = (address_in(f"<{text}>").uri for text in pair)
    assert (is_same_uri(one, other), is_same_uri(other, one)) == (is_same, is_same)
