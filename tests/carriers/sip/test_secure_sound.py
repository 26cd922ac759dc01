"""Tests of the keys of encrypted sound: required, offered, off, changed, and who tries to talk it down."""

import base64
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.carriers.sip.leg import read_handle
from dialer.carriers.sip.messages import Received
from dialer.carriers.sip.outputs import LegAnswered, LegArrived, LegOver, Output, SoundAgreed
from dialer.carriers.sip.parameters import read_sip_parameters
from dialer.carriers.sip.sdp import AgreedSound, LocalSound, Profile, SdpError, read_sound, write_answer, write_offer
from dialer.carriers.sip.sdp_security import KEY_BYTES, PLAIN, Security, Suite, fresh_security
from tests.carriers.sip.calling import Calling, invitation, order_for
from tests.carriers.sip.network import OURS, SERVER, THEIRS, Callee, Network, dialling

CODECS: Final = OURS.codecs


def side(local: LocalSound, mode: str, letter: str) -> LocalSound:
    return replace(local, security=fresh_security(mode, lambda size: letter.encode() * size))


def line(suite: str = "AES_CM_128_HMAC_SHA1_80", key: bytes = b"t" * 30, *, tag: str = "1", rest: str = "") -> str:
    return f"a=crypto:{tag} {suite} inline:{base64.b64encode(key).decode()}{rest}"


def described(*lines: str, profile: str = "RTP/SAVP") -> bytes:
    head = ["v=0", "o=- 2 1 IN IP4 192.0.2.10", "s=-", "c=IN IP4 192.0.2.10", "t=0 0", f"m=audio 30000 {profile} 0 8"]
    return "\r\n".join([*head, *lines, ""]).encode()


REQUIRED: Final = side(OURS, "required", "o")
SECURE_TO_ITS_END: Final = Security(((Suite.AES_CM, b"o" * 30),), takes_plain=False)


class Secret(Callee):
    """A telephone with keys. It answers with `answer`, or as its own description says."""

    def __init__(self, mode: str = "required", answer: bytes | None = None, **habits: int) -> None:
        super().__init__(**habits)
        self.local = side(THEIRS, mode, "t")
        self._answer = answer
        self.offers: list[bytes] = []
        self.refusals: dict[Profile, int] = {}
        """The statuses with which it refuses offers."""
        self.invites = 0

    def heard(self, output: Output) -> None:
        if isinstance(output, LegAnswered):
            self.network.take(self.network.agent.acknowledge(self.network.now_ms, output.key))

    def _invited(self, message: Received) -> None:
        body = message.message.body
        profile = Profile.SAVP if b"SAVP" in body else Profile.AVP
        self.offers.append(body)
        self.invites += 1
        if profile in self.refusals and not message.to_tag:
            self.respond(message, self.refusals[profile])
        else:
            super()._invited(message)

    def answer(self) -> None:
        if self.invite is not None:
            body = self._answer
            if body is None:
                sound = read_sound(self.invite.message.body, self.local.codecs, self.local.security)
                body = write_answer(self.local, sound, 1)
            contact = (("Contact", f"<sip:callee@{SERVER[0]}:{SERVER[1]}>"), ("Content-Type", "application/sdp"))
            self.respond(self.invite, 200, contact, body)


def call(callee: Callee, local: LocalSound) -> Network:
    network = Network(callee)
    network.take(network.agent.dial(0, dialling(talk_ms=5_000), local))
    network.run()
    return network


def sound_of(network: Network) -> AgreedSound:
    return [one.sound for one in network.told if isinstance(one, SoundAgreed)][-1]


def test_a_call_has_a_key_for_each_direction() -> None:
    callee = Secret()
    network = call(callee, REQUIRED)
    assert network.ends == [("k1", 16)]
    (offer,) = callee.offers
    assert b"\r\nm=audio 20000 RTP/SAVP 0 8 101\r\n" in offer
    assert [one for one in offer.decode().split("\r\n") if "crypto" in one] == [
        line(key=b"o" * 30),
        line("AEAD_AES_128_GCM", b"o" * 28, tag="2"),
    ]
    keys = sound_of(network).keys
    assert keys is not None
    assert (keys.suite, keys.ours, keys.theirs) == (Suite.AES_CM, b"o" * 30, b"t" * 30)
    (handle,) = [read_handle(one.handle) for one in network.told if isinstance(one, LegAnswered)]
    assert (handle.sound.keys, handle.local.security) == (keys, SECURE_TO_ITS_END)


@pytest.mark.parametrize("tag", ["2", "1"])
def test_the_callee_chooses_the_suite(tag: str) -> None:
    network = call(Secret(answer=described(line("AEAD_AES_128_GCM", b"t" * 28, tag=tag))), REQUIRED)
    keys = sound_of(network).keys
    assert keys is not None
    assert (keys.suite, keys.ours, keys.theirs) == (Suite.AES_GCM, b"o" * 28, b"t" * 28)


UNFIT: Final = {
    "no encryption": described(profile="RTP/AVP"),
    "a key without encryption": described(line(), profile="RTP/AVP"),
    "no key": described(),
    "another suite": described(line("AES_CM_128_HMAC_SHA1_32")),
    "the key of another suite": described(line("AEAD_AES_128_GCM")),
    "a short key": described(line(key=b"t" * 29)),
    "a long key": described(line(key=b"t" * 31)),
    "no Base64": described("a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:!!!!"),
    "no method": described("a=crypto:1 AES_CM_128_HMAC_SHA1_80 " + base64.b64encode(b"t" * 30).decode()),
    "our own key": described(line(key=b"o" * 30)),
    "packets that name their key": described(line(rest="|2^20|1:4")),
    "several keys": described(line(rest="|2^20|1:4;inline:" + base64.b64encode(b"u" * 30).decode() + "|2^20|2:4")),
    "no encryption of packets": described(line(rest=" UNENCRYPTED_SRTP")),
    "no proof of packets": described(line(rest=" UNAUTHENTICATED_SRTP")),
    "keys that follow from it": described(line(rest=" KDR=1")),
    "no tag": described(line(tag="x")),
    "too few words": described("a=crypto:1 AES_CM_128_HMAC_SHA1_80"),
}


@pytest.mark.parametrize("mode", ["required", "offered"])
@pytest.mark.parametrize("case", UNFIT)
def test_an_answer_without_a_key_that_fits_ends_the_call_with_cause_88(case: str, mode: str) -> None:
    """Somebody on the way who leaves out the key does not get at the sound."""
    network = call(Secret(answer=UNFIT[case]), side(OURS, mode, "o"))
    assert (network.ends, network.lines) == ([("k1", 88)], ["INVITE", "ACK", "BYE"])
    assert [one for one in network.told if isinstance(one, SoundAgreed)] == []


FIT: Final = (line(), line(rest="|2^31"), line(rest="|4294967296 WSH=64 KDR=0 -OPTIONAL"))


@pytest.mark.parametrize("crypto", FIT)
def test_a_key_may_have_a_lifetime_and_what_changes_nothing(crypto: str) -> None:
    unknown = line("F8_128_HMAC_SHA1_80", b"x" * 30)
    network = call(Secret(answer=described(unknown, crypto)), REQUIRED)
    keys = sound_of(network).keys
    assert keys is not None
    assert (network.ends, keys.theirs) == ([("k1", 16)], b"t" * 30)


@given(text=st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=80))
def test_no_line_is_read_as_another_key(text: str) -> None:
    try:
        keys = read_sound(described(f"a=crypto:{text}"), CODECS, REQUIRED.security).keys
    except SdpError:
        return
    assert keys is not None
    assert len(keys.theirs) == KEY_BYTES[keys.suite]


@pytest.mark.parametrize("status", [415, 488, 606])
def test_sound_that_is_offered_goes_without_encryption_to_who_refuses_it(status: int) -> None:
    callee = Secret("off")
    callee.refusals[Profile.SAVP] = status
    network = call(callee, side(OURS, "offered", "o"))
    assert network.lines == ["INVITE", "ACK", "INVITE", "ACK", "BYE"]
    assert (network.ends, sound_of(network).keys) == ([("k1", 16)], None)
    first, second = (one for one in network.sent if one.method == "INVITE")
    assert (first.call_id, first.header("From"), first.cseq) == (second.call_id, second.header("From"), 1)
    assert (second.cseq, b"crypto" in second.message.body) == (2, False)
    assert b"\r\nm=audio 20000 RTP/AVP 0 8 101\r\n" in second.message.body
    assert [type(one).__name__ for one in network.told].count("LegOver") == 1


@pytest.mark.parametrize(
    ("mode", "status", "lines", "cause"),
    [
        ("offered", 488, ["INVITE", "ACK", "INVITE", "ACK"], 88),
        ("offered", 486, ["INVITE", "ACK"], 17),
        ("required", 488, ["INVITE", "ACK"], 88),
        ("required", 415, ["INVITE", "ACK"], 79),
        ("off", 488, ["INVITE", "ACK"], 88),
    ],
)
def test_nothing_is_offered_twice_without_need(mode: str, status: int, lines: list[str], cause: int) -> None:
    callee = Secret("off")
    callee.refusals = {Profile.SAVP: status, Profile.AVP: status}
    network = call(callee, side(OURS, mode, "o"))
    assert (network.lines, network.ends) == (lines, [("k1", cause)])


@pytest.mark.parametrize(("mode", "cancelled"), [("offered", [1, 2, 3, 4]), ("required", [1, 2])])
def test_a_call_of_a_dead_process_is_cancelled_in_each_form_that_it_may_have_gone_out(
    mode: str, cancelled: list[int]
) -> None:
    """Both offers may have been challenged, so the last INVITE of an `offered` call is the fourth."""
    network = Network(Secret(mode, answers_ms=10**8))
    network.take(network.agent.withdraw(0, dialling(), side(OURS, mode, "o")))
    network.run(until_ms=100)
    assert sorted({one.cseq for one in network.sent if one.method == "CANCEL"}) == cancelled


def test_an_offer_that_is_taken_stays_encrypted() -> None:
    network = call(Secret(), side(OURS, "offered", "o"))
    assert (network.lines, sound_of(network).profile) == (["INVITE", "ACK", "BYE"], Profile.SAVP)


def test_without_encryption_all_is_as_before() -> None:
    callee = Secret("off")
    network = call(callee, OURS)
    assert (network.ends, callee.offers) == ([("k1", 16)], [write_offer(OURS)])
    assert b"crypto" not in callee.offers[0]


def accepting(local: LocalSound) -> Callable[[Calling, LegArrived], None]:
    def accept(phone: Calling, arrived: LegArrived) -> None:
        phone.network.take(phone.network.agent.answer(phone.network.now_ms, order_for(arrived), local))

    return accept


def called(body: bytes, mode: str, acks_with: bytes = b"") -> tuple[Network, Calling]:
    """Let a telephone call us with an offer."""
    phone = Calling(
        decides=accepting(side(OURS, mode, "o")),
        data=invitation(body=body),
        acks_with=("application/sdp", acks_with),
    )
    network = Network(phone)
    phone.call()
    network.run()
    return network, phone


SECRET_OFFER: Final = described(line("AEAD_AES_128_GCM", b"t" * 28, tag="7"), line(tag="8"))
PLAIN_OFFER: Final = described(profile="RTP/AVP")


@pytest.mark.parametrize(
    ("mode", "body", "status"),
    [
        ("required", SECRET_OFFER, 200),
        ("required", PLAIN_OFFER, 488),
        ("required", described(line(), profile="RTP/AVP"), 488),
        ("required", UNFIT["a short key"], 488),
        ("offered", SECRET_OFFER, 200),
        ("offered", PLAIN_OFFER, 200),
        ("offered", UNFIT["a short key"], 488),
        ("off", SECRET_OFFER, 488),
        ("off", PLAIN_OFFER, 200),
    ],
)
def test_a_call_that_comes_in_is_answered_or_refused(mode: str, body: bytes, status: int) -> None:
    network, phone = called(body, mode)
    assert (phone.status, network.ends[0][1]) == (status, 16 if status == 200 else 88)
    if status == 200:
        answer = next(one for one in network.sent if one.status == 200).message.body
        cryptos = [one for one in answer.decode().split("\r\n") if "crypto" in one]
        is_secret = body is SECRET_OFFER
        assert cryptos == ([line("AEAD_AES_128_GCM", b"o" * 28, tag="7")] if is_secret else [])
        assert (sound_of(network).profile is Profile.SAVP) is is_secret


def test_of_two_media_the_one_that_may_be_is_taken() -> None:
    both = PLAIN_OFFER + b"m=audio 30002 RTP/SAVP 0\r\n" + line().encode() + b"\r\n"
    found = {mode: read_sound(both, CODECS, side(OURS, mode, "o").security) for mode in ("required", "offered", "off")}
    assert {mode: sound.port for mode, sound in found.items()} == {"required": 30_002, "offered": 30_000, "off": 30_000}
    answer = write_answer(REQUIRED, found["required"], 1)
    assert b"\r\nm=audio 0 RTP/AVP 0\r\nm=audio 20000 RTP/SAVP 0\r\n" in answer


@pytest.mark.parametrize(
    ("mode", "ack", "cause"),
    [
        ("required", SECRET_OFFER, 16),
        ("required", PLAIN_OFFER, 88),
        ("required", b"", 88),
        ("offered", PLAIN_OFFER, 16),
        ("offered", SECRET_OFFER, 88),
    ],
)
def test_a_call_that_comes_in_without_an_offer_gets_ours(mode: str, ack: bytes, cause: int) -> None:
    network, _ = called(b"", mode, ack)
    offer = next(one for one in network.sent if one.status == 200).message.body
    assert (b"RTP/SAVP" in offer) is (mode == "required")
    assert network.ends[0][1] == cause


class Changing(Secret):
    """A telephone that sends another offer in mid call."""

    def __init__(self, offer: bytes) -> None:
        super().__init__(talks_ms=3_000)
        self._offer = offer
        self.responses: list[Received] = []

    def receive(self, message: Received) -> None:
        is_first_ack = message.method == "ACK" and not self.is_acknowledged
        super().receive(message)
        if is_first_ack:
            headers = (("Contact", f"<sip:callee@{SERVER[0]}>"), ("Content-Type", "application/sdp"))
            self.request("INVITE", 1, "again", headers, self._offer)
        elif message.status and message.method == "INVITE":
            self.responses.append(message)


def test_the_other_side_may_change_its_key_and_ours_stays() -> None:
    callee = Changing(described(line("AEAD_AES_128_GCM", b"n" * 28), line(key=b"n" * 30, tag="4")))
    network = call(callee, REQUIRED)
    answer = callee.responses[0]
    assert answer.status == 200
    assert line(key=b"o" * 30, tag="4") in answer.message.body.decode().split("\r\n")
    keys = [one.sound.keys for one in network.told if isinstance(one, SoundAgreed)]
    assert [(one.ours, one.theirs) for one in keys if one] == [(b"o" * 30, b"t" * 30), (b"o" * 30, b"n" * 30)]


class Renewed(Changing):
    """A telephone that answers a re-INVITE with the key that it has now."""

    def _invited(self, message: Received) -> None:
        if message.to_tag:
            sound = read_sound(message.message.body, self.local.codecs, self.local.security)
            self.respond(message, 200, (("Content-Type", "application/sdp"),), write_answer(self.local, sound, 2))
        else:
            super()._invited(message)


def test_a_process_that_takes_a_call_up_learns_the_key_that_the_other_side_has_now() -> None:
    """The handle is of the answer, and has the key of that time. The refresh at the begin asks for the one of now."""
    callee = Renewed(described(line(key=b"n" * 30)))
    network = Network(callee)
    network.take(network.agent.dial(0, dialling(), REQUIRED))
    network.run(until_ms=1_000)
    (handle,) = (one.handle for one in network.told if isinstance(one, LegAnswered))
    callee.local = side(THEIRS, "required", "n")
    network.restart()
    network.take(network.agent.take_up(1_000, dialling(), read_handle(handle)))
    network.run(until_ms=2_000)
    keys = [one.sound.keys for one in network.told if isinstance(one, SoundAgreed)]
    assert [(one.ours, one.theirs) for one in keys[1:] if one] == [
        (b"o" * 30, b"n" * 30),
        (b"o" * 30, b"t" * 30),
        (b"o" * 30, b"n" * 30),
    ]


@pytest.mark.parametrize("mode", ["required", "offered"])
@pytest.mark.parametrize("case", ["no encryption", "no key", "the key of another suite", "our own key"])
def test_nobody_talks_a_call_down_after_its_answer(case: str, mode: str) -> None:
    callee = Changing(UNFIT[case])
    network = call(callee, side(OURS, mode, "o"))
    assert callee.responses[0].status == 488
    assert len([one for one in network.told if isinstance(one, SoundAgreed)]) == 1
    assert [one.cause for one in network.told if isinstance(one, LegOver)] != [88]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('"transport": "tls"', "required"),
        ('"transport": "tls", "srtp": "offered"', "offered"),
        ('"transport": "tls", "srtp": "off"', "off"),
        ('"transport": "tcp"', "off"),
        ('"codecs": ["PCMU"]', "off"),
        ('"srtp": "required"', "required"),
    ],
)
def test_encryption_is_required_over_tls_unless_the_admin_says_otherwise(given: str, expected: str) -> None:
    parameters = read_sip_parameters(f'{{"server": "sip.carrier.example", {given}}}')
    assert parameters.encryption == expected
    assert (fresh_security(expected, bytes) == PLAIN) is (expected == "off")
