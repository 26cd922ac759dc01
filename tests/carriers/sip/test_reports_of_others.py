"""Public bug reports of other stacks for SIP and RTP, tried with messages of our own.

The names in the docstrings are the rows of `docs/reference/reports-of-others.md`.
"""

import hashlib
from typing import Final

import pytest

from dialer.carriers.media.dtmf_events import Rfc4733Dtmf
from dialer.carriers.media.rtp import RtpPacket, read_packet
from dialer.carriers.sip.digest_authentication import SignedRequest, authorise, read_challenge
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import Received, read_message
from dialer.carriers.sip.outputs import Send
from dialer.carriers.sip.registered_contacts import granted_s
from dialer.carriers.sip.sdp import Codec, SdpError, read_sound, write_answer
from dialer.carriers.sip.trunk import TrunkAccount
from tests.carriers.sip.calling import Calling, invitation
from tests.carriers.sip.network import HERE, OURS, SERVER, Network
from tests.carriers.sip.test_dialog_requests import Scripted, run

HEAD: Final = (
    "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK77",
    "From: <sip:anna@carrier.example>;tag=ours",
    "To: <sip:anna@carrier.example>;tag=theirs",
    "Call-ID: call",
    "CSeq: 5 REGISTER",
)
CODECS: Final = (Codec.PCMU, Codec.PCMA)


def response(status: str, *lines: str, head: tuple[str, ...] = HEAD) -> Received:
    """Return a response."""
    return read_message("\r\n".join((f"SIP/2.0 {status}", *head, *lines, "", "")).encode())


def called(data: bytes) -> Calling:
    """Let a call come in, and return the telephone."""
    phone = Calling(data=data)
    phone.network = Network(phone)
    phone.call()
    phone.network.run()
    return phone


def description(*media: str, session: str = "c=IN IP4 192.0.2.10") -> bytes:
    """Return a description with these lines of media."""
    lines = ("v=0", "o=- 1 1 IN IP4 192.0.2.10", "s=-", *((session,) if session else ()), "t=0 0", *media, "")
    return "\r\n".join(lines).encode()


# --- messages ------------------------------------------------------------------------------------------------------


def test_a_challenge_over_several_lines_is_read() -> None:
    """Q1."""
    folded = 'WWW-Authenticate: Digest realm="home.example",\r\n   nonce="bm9uY2U=",\r\n\topaque="x y"'
    folded += ",\r\n algorithm=SHA-256"
    challenge = read_challenge(response("401 Unauthorized", folded))
    assert challenge is not None
    found = (challenge.realm, challenge.nonce, challenge.opaque, challenge.algorithm)
    assert found == ("home.example", "bm9uY2U=", "x y", "SHA-256")


def test_names_of_headers_have_no_case() -> None:
    """Q2."""
    names = {"Via": "vIA", "From": "FROM", "To": "tO", "Call-ID": "call-id", "CSeq": "cseq", "Contact": "CONTACT"}
    data = invitation().decode()
    for name, other in names.items():
        data = data.replace(f"\r\n{name}:", f"\r\n{other}:")
    phone = called(data.encode())
    assert [(one.caller, phone.status) for one in phone.arrivals] == [("+12025550999", 200)]


def test_options_in_several_lines_are_one_list() -> None:
    """Q3."""
    found = response("200 OK", "Supported: replaces, 100rel", "Supported: timer", "k: path")
    assert found.options("Supported") >= {"replaces", "100rel", "timer"}


def test_bytes_behind_the_body_are_no_part_of_it() -> None:
    """Q4."""
    phone = called(invitation() + b"m=audio 9 RTP/AVP 18\r\nrubbish")
    assert phone.status == 200


def test_a_body_that_is_cut_off_is_not_used() -> None:
    """Q5."""
    phone = called(invitation()[:-30])
    assert (phone.arrivals, phone.status) == ([], 400)


def test_a_body_that_the_network_has_torn_is_repeated_whole() -> None:
    """Q5."""
    data, sent = invitation(), list[Received]()
    network = Network(Calling())
    for torn in (data[:-30], data[:-20], data):
        sent += [
            read_message(one.data) for one in network.agent.receive(1, torn, Flow(SERVER)) if isinstance(one, Send)
        ]
    assert [one.status for one in sent] == [180]


@pytest.mark.parametrize(
    "sender",
    [
        '"Zoe, \\"The Boss\\" O\'Hara" <sip:+12025550999@carrier.example>;tag=zoe',
        '"Zoe"<sip:+12025550999@carrier.example>;tag=zoe',
        "Zoe<sip:+12025550999@carrier.example>;tag=zoe",
        '"a <b@c>" <sip:+12025550999@carrier.example>;tag=zoe',
        '"" <sip:+12025550999@carrier.example>;epid=a22edc020e;tag=zoe',
        '"Zoe\\\\" <sip:+12025550999@carrier.example> ; tag = zoe',
    ],
)
def test_the_caller_is_found_behind_any_display_name(sender: str) -> None:
    """Q6, Q7, Q8, Q9, Q10."""
    data = invitation().replace(b'"Zoe" <sip:+12025550999@carrier.example>;tag=zoe', sender.encode())
    phone = called(data)
    assert [(one.caller, phone.status) for one in phone.arrivals] == [("+12025550999", 200)]


def test_a_comma_in_a_parameter_of_a_contact_is_no_second_contact() -> None:
    """Q11."""
    contact = 'Contact: <sip:zoe@192.0.2.99:5071>;+g.oma.sip-im;language="en,fr";+g.x="<urn:a,b>"'
    found = response("200 OK", contact)
    assert found.contact is not None
    assert (found.contact.host, found.contact.port) == ("192.0.2.99", 5071)


# --- routes --------------------------------------------------------------------------------------------------------


def test_two_recorded_routes_are_reversed_and_the_contact_stays_the_address() -> None:
    """Q12, Q13."""
    callee = Scripted()
    callee.answer_headers = (
        ("Record-Route", "<sip:192.0.2.78;r2=on;lr;ftag=a>"),
        ("Record-Route", "<sip:192.0.2.77;r2=on;lr;ftag=a>"),
    )
    network = run(callee)
    ack = network.sent[-1]
    routes = ["<sip:192.0.2.77;r2=on;lr;ftag=a>", "<sip:192.0.2.78;r2=on;lr;ftag=a>"]
    assert (ack.method, ack.message.headers.getlist("Route")) == ("ACK", routes)
    assert str(getattr(ack.message, "uri", "")) == f"sip:callee@{SERVER[0]}:{SERVER[1]}"


def test_a_parameter_that_begins_as_lr_makes_no_loose_router() -> None:
    """Q14."""
    callee = Scripted()
    callee.answer_headers = (("Record-Route", "<sip:192.0.2.77;lrx=1>"),)
    network = run(callee)
    ack = network.sent[-1]
    assert str(getattr(ack.message, "uri", "")) == "sip:192.0.2.77;lrx=1"
    assert ack.message.headers.getlist("Route") == [f"<sip:callee@{SERVER[0]}:{SERVER[1]}>"]


# --- registrations and digests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "granted"),
    [
        ((f"Contact: <sip:dialer@{HERE[0]}:{HERE[1]}>", "Expires: 600"), 600),
        ((f"Contact: <sip:dialer@{HERE[0]}:{HERE[1]}>;expires=60", "Expires: 600"), 60),
        ((f"Contact: <sip:dialer@{HERE[0]}:{HERE[1]}>",), 3_600),
        ((f"Contact: <sip:dialer@{HERE[0]}:{HERE[1]}>;expires=3599",), 3_599),
    ],
)
def test_the_time_of_a_registration_is_that_of_our_contact_or_of_expires(lines: tuple[str, ...], granted: int) -> None:
    """Q15, Q16."""
    found = response("200 OK", *lines)
    ours = response("200 OK", f"Contact: <sip:dialer@{HERE[0]}:{HERE[1]}>").contact
    assert ours is not None
    assert granted_s(found, ours, 3_600) == granted


def test_a_nonce_that_comes_again_is_counted() -> None:
    """Q17."""
    challenge = read_challenge(
        response("401 Unauthorized", 'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"')
    )
    assert challenge is not None
    for count in (1, 2, 10):
        said = authorise(challenge, TrunkAccount("anna", "secret"), SignedRequest("REGISTER", "sip:r"), count, "c")
        one, two = (
            hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
            for text in ("anna:r:secret", "REGISTER:sip:r")
        )
        whole = hashlib.md5(f"{one}:n:{count:08x}:c:auth:{two}".encode(), usedforsecurity=False).hexdigest()
        assert f'response="{whole}"' in said
        assert f"nc={count:08x}" in said


def test_the_first_challenge_that_can_be_answered_is() -> None:
    """Q18."""
    lines = (
        'WWW-Authenticate: Digest realm="r", nonce="a", algorithm=AKAv1-MD5',
        "WWW-Authenticate: Negotiate abc",
        'WWW-Authenticate: Digest realm="r", nonce="b", algorithm=SHA-256, qop="auth-int,auth"',
        'WWW-Authenticate: Digest realm="r", nonce="c", algorithm=MD5',
    )
    challenge = read_challenge(response("401 Unauthorized", *lines))
    assert challenge is not None
    assert (challenge.nonce, challenge.algorithm, challenge.qop) == ("b", "SHA-256", "auth")


# --- descriptions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (description("m=audio 4000 RTP/AVP 0", "c=IN IP4 192.0.2.55"), ("192.0.2.55", 4000)),
        (description("m=audio 4000 RTP/AVP 0", "c=IN IP4 192.0.2.55", session=""), ("192.0.2.55", 4000)),
        (description("m=video 0 RTP/AVP 31", "m=audio 4000 RTP/AVP 0"), ("192.0.2.10", 4000)),
        (
            description("m=video 0 RTP/AVP 31", "m=audio 4000 RTP/AVP 0", "c=IN IP4 192.0.2.55", session=""),
            ("192.0.2.55", 4000),
        ),
        (description("m=audio 30000/2 RTP/AVP 0", "a=rtpmap:0 PCMU/8000"), ("192.0.2.10", 30000)),
    ],
)
def test_the_place_of_the_sound_is_that_of_its_medium(body: bytes, place: tuple[str, int]) -> None:
    """Q19, Q20, Q21."""
    found = read_sound(body, CODECS)
    assert (found.host, found.port) == place


def test_a_changed_offer_is_answered_with_its_own_codec() -> None:
    """Q22."""
    found = read_sound(description("m=audio 45832 RTP/AVP 8 96", "a=rtpmap:8 PCMA/8000"), CODECS)
    assert b"m=audio 20000 RTP/AVP 8\r\n" in write_answer(OURS, found, 2)


@pytest.mark.parametrize("body", [description(), b"", b"v=0\r\n"])
def test_a_description_without_media_is_refused_in_words(body: bytes) -> None:
    """Q23."""
    with pytest.raises(SdpError, match="no sound"):
        read_sound(body, CODECS)


# --- RTP -------------------------------------------------------------------------------------------------------------


def packet(first: int, *, middle: bytes = b"", end: bytes = b"") -> bytes:
    """Return a packet of PCMU with a first byte, something behind its header, and something at its end."""
    return bytes((first, 0)) + b"\0\7" + b"\0\0\1\0" + b"\0\0\0\5" + middle + b"sound" + end


@pytest.mark.parametrize(
    "data",
    [
        packet(0x80),
        packet(0xA0, end=b"\0\0\0\4"),
        packet(0x90, middle=b"\xbe\xde\0\1\x10\xff\0\0"),
        packet(0x82, middle=b"\0\0\0\1\0\0\0\2"),
        packet(0xB1, middle=b"\0\0\0\1" + b"\xbe\xde\0\0", end=b"\1"),
    ],
)
def test_only_the_sound_of_a_packet_is_heard(data: bytes) -> None:
    """Q24, Q25."""
    assert read_packet(data).data == b"sound"


def events(*packets: tuple[int, int, bool, int], ssrc: int = 5, begin: int = 0) -> list[RtpPacket]:
    """Return packets of key 5: sequence, timestamp, whether it is an end, and duration."""
    return [
        RtpPacket(101, begin + sequence, stamp, ssrc, bytes((5, 0x8A if is_end else 0x0A)) + duration.to_bytes(2))
        for sequence, stamp, is_end, duration in packets
    ]


@pytest.mark.parametrize(
    "sent",
    [
        events((1, 800, False, 160), (2, 800, False, 320), (90, 800, True, 13_568)),
        events((1, 800, False, 0), (2, 800, False, 160), (3, 800, True, 320), (4, 800, True, 320)),
        events((1, 800, True, 800), (2, 800, True, 800), (3, 800, True, 800)),
        events((1, 800, True, 49_155)),
    ],
)
def test_a_key_is_one_key_however_its_packets_come(sent: list[RtpPacket]) -> None:
    """Q26, Q27, Q28, Q29."""
    dtmf = Rfc4733Dtmf()
    assert [key for key in map(dtmf.key_of, sent) if key] == ["5"]


def test_a_new_source_begins_its_count_anew() -> None:
    """Q30."""
    dtmf = Rfc4733Dtmf()
    first = events((60_000, 9_000, False, 160), (60_001, 9_000, True, 320))
    second = events((3, 160, False, 160), (4, 160, True, 320), ssrc=6)
    assert [key for key in map(dtmf.key_of, (*first, *second)) if key] == ["5", "5"]
