"""Tests of sound: codecs, keys, orders, bridges and rooms, with packets made by hand."""

from array import array
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.carriers.media import g711
from dialer.carriers.media.conference_rooms import BUFFER_FRAMES
from dialer.carriers.media.dtmf_events import KEYS, Rfc4733Dtmf
from dialer.carriers.media.dtmf_inband import COLUMNS_HZ, PAD, ROWS_HZ, InbandDtmf, silence, tone
from dialer.carriers.media.recording import RECORDING_SILENCE_MS
from dialer.carriers.media.rtp import RtpPacket, read_packet, write_packet
from dialer.carriers.media.sound_router import OrderDone
from dialer.carriers.sip.sdp import Codec, Direction
from dialer.domain.sessions.leg_protocol import Ask, Bridge, Confer, Done, Hold, Play, Record
from tests.carriers.media.studio import PEER, SOUND, Studio, key_packets, sound_packet


def test_a_law_and_mu_law_stay_within_a_step_of_each_sample() -> None:
    samples = array("h", range(-32_000, 32_001, 7))
    ulaw = g711.encode(samples)
    through_alaw = ulaw.translate(g711.ALAW_OF_ULAW).translate(g711.ULAW_OF_ALAW)
    for decoded in (g711.decode(ulaw), g711.decode(through_alaw)):
        assert max(abs(one - two) / (abs(two) + 100) for one, two in zip(decoded, samples, strict=True)) < 0.11
    assert bytes(g711.ALAW_OF_ULAW[byte] for byte in (0xFF, 0x00, 0x80)) == bytes([0xD5, 0x2A, 0xAA])


@given(st.integers(0, 127), st.integers(0, 65_535), st.integers(0, 2**32 - 1), st.binary(max_size=200), st.booleans())
def test_a_packet_is_read_as_it_was_written(
    payload: int,
    sequence: int,
    timestamp: int,
    data: bytes,
    is_marked: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    packet = RtpPacket(payload, sequence, timestamp, 9, data, is_marked)
    assert read_packet(write_packet(packet)) == packet
    padded = write_packet(packet)[:12] + b"\0\0\0\1abcd" + data + b"\0\0\3"
    assert read_packet(bytes([0xB0]) + padded[1:]) == packet


@given(st.text(KEYS, max_size=12), st.sets(st.integers(0, 120)))
def test_each_key_counts_once_even_if_packets_are_lost(keys: str, lost: set[int]) -> None:
    """A key of which every packet is lost does not count. Two equal keys differ by their timestamp."""
    reader, sequence, wanted, found = Rfc4733Dtmf(), 0, "", ""
    for number, key in enumerate(keys):
        packets = key_packets(key, sequence, number * 2_000)
        arrived = [packet for packet in packets if packet.sequence not in lost]
        sequence += len(packets)
        wanted += key if arrived else ""
        found += "".join(reader.key_of(packet) or "" for packet in arrived)
    assert found == wanted


@pytest.mark.parametrize("is_marked", [True, False])
def test_keys_that_all_have_one_timestamp_count_each(is_marked: bool) -> None:  # noqa: FBT001 - a parameter
    """RFC 4733 2.2.1 forbids it, and some senders do it. Late packets of the first key are none of the second."""
    reader = Rfc4733Dtmf()
    first, second = key_packets("1", 1, 700), key_packets("1", 90, 700)
    second[0] = replace(second[0], is_marked=is_marked)
    found = [reader.key_of(packet) for packet in (*first, first[2], first[-1], *second, *second[-2:])]
    assert "".join(key or "" for key in found) == "11"
    assert [place for place, key in enumerate(found) if key] == [0, len(first) + 2]


def test_a_key_whose_timestamp_moves_counts_once() -> None:
    reader = Rfc4733Dtmf()
    moving = [replace(packet, timestamp=number * 160) for number, packet in enumerate(key_packets("5", 1, 0))]
    again = [replace(packet, timestamp=9_000 + number) for number, packet in enumerate(key_packets("5", 20, 0))]
    assert [reader.key_of(packet) for packet in (*moving[:5], moving[7])].count("5") == 1
    assert [reader.key_of(packet) for packet in again[:5]].count("5") == 1


def test_keys_in_the_sound_are_found_and_speech_like_sound_is_not() -> None:
    reader, found = InbandDtmf(), ""
    for row, hz in enumerate(ROWS_HZ):
        for column, other in enumerate(COLUMNS_HZ):
            sound = tone((hz, other), 80, level=3_000) + silence(60)
            heard = [reader.key_of(sound[at : at + 160]) or "" for at in range(0, len(sound), 160)]
            assert "".join(heard) == PAD[row][column]
            found += "".join(heard)
    assert len(found) == 16
    speech = tone((300, 900, 1_500, 2_100), 400, level=3_000) + tone((697,), 200) + tone((1_209,), 200)
    assert [reader.key_of(speech[at : at + 160]) for at in range(0, len(speech), 160)] == [None] * 40


@pytest.mark.parametrize(("key_ms", "pause_ms"), [(40, 40), (50, 50), (60, 30), (100, 100), (250, 250)])
@pytest.mark.parametrize("hiss", [0, 100])
def test_keys_of_40_ms_and_more_are_found_wherever_frames_begin(key_ms: int, pause_ms: int, hiss: int) -> None:
    """Equal keys count each, in silence and in noise: one package hears them right in noise only (`findings/`)."""
    pressed, sound = ((0, 0), (0, 0), (3, 1), (3, 1), (1, 1), (2, 2), (3, 3)), silence(100)
    for row, column in pressed:
        sound += tone((ROWS_HZ[row], COLUMNS_HZ[column]), key_ms, level=3_000) + silence(pause_ms)
    noise = Random(1)  # noqa: S311 - chance makes noise, never a secret
    noisy = g711.encode(array("h", [round(sample + noise.uniform(-hiss, hiss)) for sample in g711.decode(sound)]))
    for begin in range(0, 160, 16):
        reader = InbandDtmf()
        heard = [reader.key_of(noisy[at : at + 160]) or "" for at in range(begin, len(noisy), 160)]
        assert "".join(heard) == "".join(PAD[row][column] for row, column in pressed), begin


def test_a_prompt_is_sent_whole_and_then_it_is_done() -> None:
    studio = Studio("a")
    prompt = tone((440,), 90)
    studio.order("a", Play(1, ()), prompt)
    studio.run(200)
    sent = studio.sent["a"]
    played = b"".join(packet.data for packet in sent).translate(g711.ULAW_OF_ALAW)
    assert played[: len(prompt)] == prompt.translate(g711.ALAW_OF_ULAW).translate(g711.ULAW_OF_ALAW)
    assert [one.timestamp - sent[0].timestamp for one in sent] == [160 * at for at in range(10)]
    assert [(one.sequence - sent[0].sequence, one.payload) for one in sent] == [(at, 8) for at in range(10)]
    assert studio.done == [OrderDone("a", Done(1, 0))]


def test_a_call_on_hold_gets_no_sound_and_the_prompt_goes_on_afterwards() -> None:
    studio = Studio("a", sound=replace(SOUND, direction=Direction.RECVONLY))
    studio.order("a", Play(1, ()), tone((440,), 100))
    studio.run(1_000)
    assert (studio.sent["a"], studio.done) == ([], [])
    studio.leg("a").agree(studio.now_ms, SOUND)
    studio.run(200)
    assert (len(studio.sent["a"]), len(studio.done)) == (10, 1)


@pytest.mark.parametrize(
    ("keys", "digits_max", "found"), [("", 1, ""), ("7", 1, "7"), ("12#4", 9, "12#"), ("1234", 3, "123")]
)
def test_keys_are_collected(keys: str, digits_max: int, found: str) -> None:
    """A key from before the order does not count, and the first key stops the prompt."""
    studio = Studio("a")
    studio.say("a", *key_packets("9", 0, 0))
    studio.order("a", Ask(1, (), digits_max, 3_000), tone((440,), 1_000))
    studio.run(100)
    for number, key in enumerate(keys):
        studio.say("a", *key_packets(key, 100 + 10 * number, 5_000 * (number + 1)))
    studio.run(5_000)
    assert studio.done == [OrderDone("a", Done(1, 0, answer=found))]


def test_keys_in_the_sound_count_where_nothing_better_was_agreed() -> None:
    studio = Studio("a", sound=replace(SOUND, keys_payload=None))
    studio.order("a", Ask(1, (), 1, 3_000))
    sound = tone((770, 1_336), 60).translate(g711.ALAW_OF_ULAW)
    studio.say("a", *[sound_packet(at, sound[160 * at : 160 * at + 160]) for at in range(3)])
    studio.run(20)
    assert studio.done == [OrderDone("a", Done(1, 0, answer="5"))]


def test_a_recording_has_each_packet_at_its_time_and_silence_in_gaps() -> None:
    studio = Studio("a")
    studio.order("a", Record(1, "r.wav"))
    loud = tone((440,), 20).translate(g711.ALAW_OF_ULAW)
    studio.say("a", sound_packet(0, loud), sound_packet(3, loud), sound_packet(1, loud), sound_packet(3, loud))
    studio.say("a", *key_packets("#", 50, 999))
    studio.run(20)
    heard = loud.translate(g711.ULAW_OF_ALAW)
    sound = heard + heard + b"\xff" * 160 + heard
    assert studio.done == [OrderDone("a", Done(1, 0, recording_ms=80), ("r.wav", sound))]


def test_a_recording_ends_with_silence_and_with_its_leg() -> None:
    studio = Studio("a", "b")
    for key in ("a", "b"):
        studio.order(key, Record(1, f"{key}.wav"))
    quiet = silence(20).translate(g711.ALAW_OF_ULAW)
    studio.say("b", sound_packet(0, quiet))
    for at in range(RECORDING_SILENCE_MS // 20):
        studio.say("a", sound_packet(at, quiet))
        studio.run(20)
    assert [one.done for one in studio.done] == [Done(1, 0, recording_ms=RECORDING_SILENCE_MS)]
    assert studio.router.remove("b") == ("b.wav", quiet.translate(g711.ULAW_OF_ALAW))


def test_a_bridge_passes_on_sound_and_keys_until_the_other_leg_is_gone() -> None:
    studio = Studio("a", "b")
    studio.leg("b").agree(studio.now_ms, replace(SOUND, codec=Codec.PCMU, payload=0, keys_payload=96))
    studio.order("b", Hold(1))
    studio.order("a", Bridge(1, "b"))
    loud = tone((440,), 40)
    passed = studio.say("a", sound_packet(5, loud[:160]), sound_packet(6, loud[160:]), *key_packets("1", 7, 3_000, 1))
    packets = [read_packet(one.data) for one in passed]
    assert [one.payload for one in packets] == [0, 0, 96, 96, 96, 96]
    assert packets[0].data == loud[:160].translate(g711.ULAW_OF_ALAW)
    assert [packets[1].timestamp - packets[0].timestamp, packets[1].sequence - packets[0].sequence] == [160, 1]
    assert [one.key for one in studio.say("b", sound_packet(1, loud[:160], payload=0))] == ["a"]
    studio.run(100)
    assert (studio.sent, studio.done) == ({"a": [], "b": []}, [])
    studio.router.remove("b")
    studio.run(20)
    assert studio.done == [OrderDone("a", Done(1, 0))]


def test_members_of_a_room_hear_the_others_and_not_themselves() -> None:
    studio = Studio("a", "b", "c")
    for key in ("a", "b", "c"):
        studio.order(key, Confer(1, "room"))
    parts = {"a": array("h", [1_000] * 160), "b": array("h", [300] * 160)}
    for number in range(BUFFER_FRAMES):
        for key, samples in parts.items():
            studio.say(key, sound_packet(number, g711.encode(samples).translate(g711.ALAW_OF_ULAW)))
    studio.run(20)
    heard = {key: g711.decode(packets[-1].data.translate(g711.ULAW_OF_ALAW))[0] for key, packets in studio.sent.items()}
    assert [abs(heard[key] - wanted) < 80 for key, wanted in (("a", 300), ("b", 1_000), ("c", 1_300))] == [True] * 3


def test_sound_from_strangers_and_bytes_that_are_no_rtp_are_dropped() -> None:
    studio = Studio("a")
    studio.order("a", Ask(1, (), 1, 3_000))
    studio.say("a", sound_packet(0, b"\xd5" * 160))
    for data in (b"", b"x" * 12, b"\x80", b"\x8f" + b"\0" * 11, b"\xa0\x08" + b"\0" * 10 + b"\xff", b"\x80" * 2_000):
        assert studio.router.receive(0, "a", data, PEER) is None
    for packet in key_packets("4", 1, 1):
        studio.router.receive(0, "a", write_packet(packet), ("198.51.100.7", 1))
    studio.run(100)
    assert studio.done == []
