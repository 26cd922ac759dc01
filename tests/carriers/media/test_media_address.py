"""Tests of where sound goes and from where it is believed: strangers, forgers, and packets under way after a move."""

from collections.abc import Callable

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.carriers.media.media_address import LEARNING_PACKETS, MOVING_MS, QUIET_MS, Address
from dialer.carriers.media.rtcp import Block, RtcpReport, write_report
from dialer.carriers.media.rtp import RtpPacket, read_packet, write_packet
from dialer.carriers.media.sound_leg import COMFORT_NOISE
from dialer.carriers.sip.sdp import AgreedSound, Codec, Direction
from tests.carriers.media.studio import PEER, SOUND, key_packets, sound_packet
from tests.vopr.sound import (
    AGREED,
    CARRIER,
    LOUD,
    MOVED,
    NATTED,
    PLACES,
    PUBLIC,
    SAME_HOST,
    SOUND_PLANTED,
    STRANGER,
    Call,
    Event,
    play,
)


def sounds(count: int, first: int = 0, ssrc: int = 5, payload: int = 8) -> list[RtpPacket]:
    return [replace(sound_packet(first + at, LOUD, payload), ssrc=ssrc) for at in range(count)]


def test_a_stranger_gets_no_sound_and_presses_no_key_even_before_the_first_packet() -> None:
    """RFC 3550 9.1: anybody can send to a port. The first packet of a stranger is as strange as any other."""
    call = Call()
    assert call.send(STRANGER, *sounds(50), *key_packets("1", 100, 9_000)) == [False] * 58
    assert (call.goes_to, call.keys) == (PEER, "")
    assert call.send(PEER, *sounds(2), *key_packets("2", 100, 9_000)) == [True] * 10
    assert (call.goes_to, call.keys) == (PEER, "2")


@pytest.mark.parametrize("source", [SAME_HOST, CARRIER])
def test_sound_goes_to_another_port_of_the_host_and_to_the_carrier_if_they_send(source: Address) -> None:
    """RFC 4961: symmetric RTP. The address of the description takes over again whenever it sends."""
    call = Call()
    assert call.send(source, *sounds(1)) == [True]
    assert call.goes_to == source
    assert call.send(PEER, *sounds(1, ssrc=6)) == [True]
    assert call.goes_to == PEER
    assert call.send(source, *sounds(1, 1)) == [False]
    assert call.goes_to == PEER


def test_sound_of_a_leg_that_is_not_symmetric_goes_to_the_description_only() -> None:
    """RFC 3264 5.1: the description says where sound is received, not where it is sent from."""
    call = Call(is_symmetric=False)
    assert call.send(SAME_HOST, *sounds(1)) == [True]
    assert call.send(CARRIER, *sounds(50)) == [False] * 50
    assert call.goes_to == PEER


def test_a_side_behind_nat_is_learnt_from_packets_in_a_row() -> None:
    """Its description has a private address (RFC 1918), so its sound comes from one that nobody has told."""
    call = Call(NATTED)
    assert call.send(PUBLIC, *sounds(LEARNING_PACKETS)) == [False] * (LEARNING_PACKETS - 1) + [True]
    assert call.goes_to == PUBLIC
    assert call.send(STRANGER, *sounds(50, ssrc=9)) == [False] * 50
    call.now_ms += 10 * QUIET_MS
    assert call.send(STRANGER, *sounds(50, 50, ssrc=9)) == [False] * 50
    assert call.goes_to == PUBLIC
    assert call.send(CARRIER, *sounds(1, ssrc=3)) == [True]
    assert call.goes_to == CARRIER


def test_a_side_behind_nat_comes_back_after_a_stray_packet_of_the_carrier() -> None:
    """One packet, which may be forged, does not silence the call for good. A stranger gains nothing by it."""
    call = Call(NATTED)
    call.send(PUBLIC, *sounds(LEARNING_PACKETS))
    call.send(CARRIER, *sounds(1, ssrc=3))
    assert call.goes_to == CARRIER
    call.now_ms += QUIET_MS
    call.send(STRANGER, *sounds(50, ssrc=9))
    assert call.goes_to == CARRIER
    call.send(PUBLIC, *sounds(LEARNING_PACKETS + 1, 200))
    assert call.goes_to == PUBLIC


def test_a_side_behind_nat_is_learnt_though_a_stranger_sends_in_between() -> None:
    """Strangers who send single packets from many ports do not disturb the counting."""
    call = Call(NATTED)
    for number in range(LEARNING_PACKETS):
        for port in range(40):
            call.send((STRANGER[0], 1_000 + 40 * number + port), *sounds(1, ssrc=port))
        call.send(PUBLIC, *sounds(1, number))
    assert call.goes_to == PUBLIC


def test_packets_of_other_payload_types_lead_nowhere() -> None:
    """Only sound and keys that were agreed on tell where the other side is."""
    call = Call()
    for payload in (COMFORT_NOISE, 0, 18, 96):
        assert call.send(SAME_HOST, *sounds(9, payload=payload)) == [False] * 9
    assert call.goes_to == PEER
    call = Call(NATTED)
    call.send(PUBLIC, *sounds(9, payload=96))
    assert call.goes_to == NATTED


@pytest.mark.parametrize("moved", [MOVED, ("192.0.2.200", 30_000)])
def test_packets_under_way_after_a_new_description_hold_nothing_back(moved: Address) -> None:
    """RFC 3264 8.3.1: a 200 after a 183, or a re-INVITE, moves the sound, and packets of the old port still come."""
    call = Call()
    call.send(PEER, *sounds(5))
    call.agree(moved)
    call.send(PEER, *sounds(3, 5))
    assert call.goes_to == moved
    assert call.send(moved, *sounds(1, ssrc=8), *key_packets("7", 100, 9_000)[:3])[0]
    assert call.goes_to == moved
    call.send(PEER, *sounds(50, 8))
    assert call.goes_to == moved


def test_a_side_that_sends_from_one_port_and_names_another_is_heard_after_a_move() -> None:
    """RFC 3264 5.1: the port of a description is where it receives. It may send from another, the same as before."""
    call = Call()
    call.send(SAME_HOST, *sounds(5))
    call.agree(MOVED)
    assert call.send(SAME_HOST, *sounds(5, 5)) == [True] * 5
    assert call.goes_to == MOVED
    call.now_ms += MOVING_MS
    call.send(SAME_HOST, *sounds(1, 500))
    assert call.goes_to == SAME_HOST


def test_a_trusted_place_takes_over_from_a_silent_one_after_packets_in_a_row() -> None:
    """A carrier's media server may move within its host without a word."""
    call = Call()
    call.send(SAME_HOST, *sounds(5))
    other = (PEER[0], 41_000)
    assert call.send(other, *sounds(5, ssrc=8)) == [False] * 5
    call.now_ms += QUIET_MS
    call.send(other, *sounds(1, 100, ssrc=8))
    assert call.goes_to == SAME_HOST
    call.send(other, *sounds(LEARNING_PACKETS, 101, ssrc=8))
    assert call.goes_to == other


def test_a_forged_packet_with_another_ssrc_is_not_believed() -> None:
    """RFC 3550 8.2: who forges the source does not know the SSRC. Another one is believed after packets in a row."""
    call = Call()
    call.send(PEER, *sounds(3))
    forged = [replace(one, ssrc=666) for one in key_packets("9", 900, 77_000)]
    assert call.send(PEER, forged[0], *sounds(1, 3), forged[7]) == [False, True, False]
    assert call.keys == ""
    assert call.send(PEER, *sounds(LEARNING_PACKETS + 1, 0, ssrc=8)) == [False] * (LEARNING_PACKETS - 1) + [True] * 2


@pytest.mark.parametrize("nowhere", ["0.0.0.0", "::"])  # noqa: S104 - nothing is bound to it
def test_a_held_call_sends_no_report_to_nowhere(nowhere: str) -> None:
    """RFC 3264 8.4: this address means hold. Systems take packets to it for packets to this machine."""
    call = Call()
    call.send(PEER, *sounds(3))
    call.leg.agree(call.now_ms, replace(SOUND, host=nowhere, direction=Direction.INACTIVE))
    assert (call.goes_to, call.leg.look(call.now_ms + 60_000)) == (None, None)
    call.agree(PEER)
    report = call.leg.look(call.now_ms + 120_000)
    assert report is not None
    assert report[1] == (PEER[0], PEER[1] + 1)


def test_keys_may_have_an_ssrc_of_their_own() -> None:
    """RFC 4733 2.5.1.2 lets events be a stream of their own. Sound goes on beside it."""
    call = Call()
    for number, key in enumerate("42"):
        keys = [replace(one, ssrc=77) for one in key_packets(key, 10 * number, 5_000 * number)]
        for place, packet in enumerate(keys):
            assert call.send(PEER, *sounds(1, 10 * number + place)) == [True]
            call.send(PEER, packet)
    assert call.keys == "42"


def test_reports_are_believed_from_the_host_that_is_heard_and_of_the_carrier() -> None:
    call = Call()
    heard = write_report(RtcpReport(5, None, (Block(0, 0.5, 40, 9, 160),)), "x")
    for source in (STRANGER, PEER, CARRIER):
        call.leg.take_report(0, heard, (source[0], 1))
    assert "the other side lost 40" in call.leg.quality.in_words(1)
    call = Call()
    call.leg.take_report(0, heard, STRANGER)
    assert "the other side" not in call.leg.quality.in_words(1)


# --- any sequence of moves and packets, from anybody --------------------------------------------------------------

events = st.one_of(
    st.tuples(st.just("move"), st.sampled_from(AGREED)),
    st.tuples(
        st.just("sound"),
        st.sampled_from(PLACES),
        st.sampled_from((0, 8, 13, 96)),
        st.integers(0, 3),
        st.sampled_from((-3, 0, 1, 1, 1, 2, 7, 900)),
        st.integers(1, 9),
    ),
    st.tuples(st.just("key"), st.sampled_from(PLACES), st.sampled_from("0123456789*#"), st.integers(0, 3)),
    st.tuples(st.just("wait"), st.sampled_from((20, 500, 2_000, 60_000))),
    st.tuples(st.just("torn"), st.sampled_from(PLACES), st.binary(max_size=40)),
)


any_history = st.lists(events, max_size=40)


@given(any_history)
@settings(max_examples=300, deadline=None)
def test_sound_goes_to_the_agreed_address_or_nowhere_and_keys_come_only_from_there(history: list[Event]) -> None:
    play(history)


@pytest.mark.parametrize("plant", SOUND_PLANTED.values(), ids=SOUND_PLANTED)
def test_the_property_finds_planted_bugs(plant: Callable[[pytest.MonkeyPatch], None]) -> None:
    """The property is worth something: it fails when one rule is missing."""

    @given(any_history)
    @settings(max_examples=2_000, deadline=None, derandomize=True, database=None, phases=(Phase.generate,))
    def search(history: list[Event]) -> None:
        play(history)

    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        with pytest.raises(AssertionError):
            search()


def test_a_packet_is_read_with_its_marker() -> None:
    packet = RtpPacket(8, 1, 2, 3, b"x", is_marked=True)
    assert read_packet(write_packet(packet)) == packet


def test_the_other_codec_of_an_answer_is_heard() -> None:
    """RFC 3264 6.1: each codec of the answer may be used, so `0 8` may bring PCMA. We send the first."""
    spoken = ((0, Codec.PCMU), (8, Codec.PCMA))
    call = Call()
    call.leg.agree(0, AgreedSound(*PEER, Codec.PCMU, 0, None, spoken=spoken))
    tone_of_5 = sounds(1, payload=8)[0]
    found = call.leg.receive(0, write_packet(tone_of_5), PEER)
    assert found is not None
    assert found.data != LOUD
