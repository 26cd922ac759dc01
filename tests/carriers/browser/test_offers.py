"""Tests of the offers of browsers, and of our answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.browser.offers import BrowserOffer, LocalTelephone, OfferError, read_offer, write_answer
from tests.carriers.browser.browsers import FINGERPRINT, OFFER

LOCAL = LocalTelephone("192.0.2.1", 5_004, "ours", "secret", bytes(range(32, 64)), 7, 9)
NO_SOUND = "The description has no audio over UDP/TLS/RTP/SAVPF with PCMU (payload type 0)."
VIDEO = "m=video 9 UDP/TLS/RTP/SAVPF 96 97\r\nc=IN IP4 0.0.0.0\r\na=mid:1\r\na=recvonly\r\n"


def test_the_sound_of_an_offer_is_answered_and_the_rest_refused() -> None:
    offer = read_offer(OFFER + VIDEO)
    media = (("audio 0 UDP/TLS/RTP/SAVPF 111", "0"), ("video 0 UDP/TLS/RTP/SAVPF 96", "1"))
    assert offer == BrowserOffer("abcd", FINGERPRINT, "0", 0, media, 126)
    named = ":".join(f"{byte:02X}" for byte in range(32, 64))
    assert write_answer(offer, LOCAL).split("\r\n") == [
        *("v=0", "o=- 9 1 IN IP4 192.0.2.1", "s=-", "t=0 0", "a=ice-lite", "a=group:BUNDLE 0"),
        *("m=audio 5004 UDP/TLS/RTP/SAVPF 0 126", "c=IN IP4 192.0.2.1", "a=rtpmap:0 PCMU/8000"),
        *("a=rtpmap:126 telephone-event/8000", "a=fmtp:126 0-15", "a=ptime:20", "a=rtcp-mux", "a=mid:0", "a=sendrecv"),
        *("a=ice-ufrag:ours", "a=ice-pwd:secret", f"a=fingerprint:sha-256 {named}", "a=setup:passive"),
        *("a=ssrc:7 cname:dialer", "a=candidate:1 1 udp 2130706431 192.0.2.1 5004 typ host", "a=end-of-candidates"),
        *("m=video 0 UDP/TLS/RTP/SAVPF 96", "c=IN IP4 192.0.2.1", "a=inactive", "a=mid:1", ""),
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("v=0\r\n", "", "The body is no session description with media."),
        (
            "SAVPF 111 0 8",
            "SAVPF 111 8",
            NO_SOUND,
        ),
        (
            "UDP/TLS/RTP/SAVPF",
            "RTP/AVP",
            NO_SOUND,
        ),
        ("a=rtcp-mux\r\n", "", "The audio lacks a=rtcp-mux."),
        ("a=setup:actpass", "a=setup:passive", "The browser must begin DTLS: a=setup:actpass."),
        ("a=fingerprint:sha-256", "a=fingerprint:sha-1", "The description lacks a=fingerprint:sha-256."),
        ("a=ice-ufrag:abcd\r\n", "", "The description lacks a=ice-ufrag."),
        ("a=ice-ufrag:abcd", "a=ice-ufrag:a:b c", "The description has a wrong a=ice-ufrag."),
        ("v=0", "v=0\r\n" + "a=x\r\n" * 1_000, "The description has too many lines."),
        ("v=0", "v=0\r\na=" + "x" * 33_000, "The description is too long."),
        ("m=audio", "m=audio 9 UDP/TLS/RTP/SAVPF 1\r\n" * 16 + "m=audio", "The description has too many media."),
    ],
)
def test_a_wrong_offer_is_refused_with_a_reason(old: str, new: str, message: str) -> None:
    with pytest.raises(OfferError) as refused:
        read_offer(OFFER.replace(old, new, 1))
    assert str(refused.value) == message


@given(
    start=st.integers(0, len(OFFER)),
    length=st.integers(0, 40),
    put=st.text(st.characters(codec="utf-8"), max_size=20),
)
def test_an_answer_has_one_line_for_each_thing_whatever_is_offered(start: int, length: int, put: str) -> None:
    """Nothing of an offer begins a line of its own in the answer."""
    try:
        offer = read_offer(OFFER[:start] + put + OFFER[start + length :])
    except OfferError:
        return
    answer = write_answer(offer, LOCAL)
    assert all(line[1:2] == "=" and line[:1] in "vostamc" for line in answer.split("\r\n")[:-1])
    assert answer.isascii()
    assert answer.count("m=audio 5004 UDP/TLS/RTP/SAVPF 0") == 1
