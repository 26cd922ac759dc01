"""Tests of sound as carriers really send it: other lengths of packets, silence that is not sent, jumps, reordering."""

from array import array
from itertools import pairwise, permutations
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.carriers.media import g711
from dialer.carriers.media.conference_rooms import BUFFER_FRAMES, JitterBuffer
from dialer.carriers.media.dtmf_events import KEYS, Rfc4733Dtmf
from dialer.carriers.media.dtmf_inband import silence, tone
from dialer.carriers.media.rtcp import REPORT_MS, Block, RtcpError, RtcpReport, Sent, read_reports, write_report
from dialer.carriers.media.rtp import RtpPacket, read_packet, samples_between
from dialer.carriers.media.rtp_frames import Framer
from dialer.carriers.media.sound_leg import COMFORT_NOISE, SoundTerms
from dialer.carriers.sip.sdp import AgreedSound, Codec, Direction, read_sound
from dialer.domain.calls.sound_quality import SoundQuality, Stream
from dialer.domain.sessions.leg_protocol import Ask, Bridge, Confer, Done, Play, Record
from tests.carriers.media.studio import PEER, Studio, key_packets

ULAW: Final = AgreedSound(PEER[0], PEER[1], Codec.PCMU, 0, None)
VOICE: Final = tone((440,), 1_000)
CHANCE: Final = Random(3)  # noqa: S311 - chance reorders packets, never a secret


def packets(sound: bytes, ptime_ms: int = 20, first: int = 0, timestamp: int = 1_000, ssrc: int = 5) -> list[RtpPacket]:
    """Return sound as PCMU in packets of one length."""
    size = 8 * ptime_ms
    return [
        RtpPacket(0, (first + number) % 65_536, (timestamp + at) % 2**32, ssrc, sound[at : at + size])
        for number, at in enumerate(range(0, len(sound), size))
    ]


def speak(studio: Studio, key: str, *said: RtpPacket, ptime_ms: int = 20) -> None:
    """Send packets while the time passes."""
    for number, packet in enumerate(said):
        studio.say(key, packet)
        if (number + 1) * ptime_ms % 20 == 0 or ptime_ms > 20:
            studio.run(max(20, ptime_ms // 20 * 20 + (20 if ptime_ms % 20 and number % 2 else 0)))


# --- lengths of packets -------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 90), min_size=1, max_size=30), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_sound_is_the_same_whatever_the_lengths_of_its_packets(lengths_ms: list[int], begin: int) -> None:
    """RFC 3551 4.2 and 4.5.14: a packet may have any length. All but the last frame have 20 ms."""
    framer, sound, at = Framer(), CHANCE.randbytes(8 * sum(lengths_ms)), 0
    found: list[tuple[int, bytes]] = []
    for length_ms in lengths_ms:
        found += framer.frames((begin + at) % 2**32, sound[at : at + 8 * length_ms])
        at += 8 * length_ms
    whole = len(sound) // 160 * 160
    assert b"".join(frame for _, frame in found) == sound[:whole]
    assert [timestamp for timestamp, _ in found] == [(begin + place) % 2**32 for place in range(0, whole, 160)]


@pytest.mark.parametrize("ptime_ms", [10, 20, 30, 40, 60])
def test_keys_in_the_sound_are_found_in_packets_of_any_length(ptime_ms: int) -> None:
    """RFC 8866 6.4: the other side chooses its ptime."""
    studio = Studio("a", sound=ULAW)
    studio.order("a", Ask(1, (), 3, 30_000))
    sound = b"".join(tone(pair, 100) + silence(80) for pair in ((697, 1_209), (770, 1_336), (941, 1_477)))
    studio.say("a", *packets(sound, ptime_ms))
    studio.run(20)
    assert [one.done.answer for one in studio.done] == ["15#"]


@pytest.mark.parametrize("ptime_ms", [10, 20, 30, 60])
def test_a_recording_ends_after_the_same_silence_at_any_length_of_packets(ptime_ms: int) -> None:
    studio = Studio("a", sound=ULAW)
    studio.order("a", Record(1, "r.wav"))
    for packet in packets(VOICE + silence(7_000), ptime_ms):
        studio.say("a", packet)
        studio.run_quarters(ptime_ms // 5)
    assert [abs((one.done.recording_ms or 0) - 6_000) <= 260 for one in studio.done] == [True]


@pytest.mark.parametrize("ptime_ms", [10, 20, 30, 60])
def test_a_room_hears_packets_of_any_length(ptime_ms: int) -> None:
    studio = Studio("a", "b", sound=ULAW)
    for key in ("a", "b"):
        studio.order(key, Confer(1, "room"))
    loud = g711.encode(array("h", [5_000] * 8_000))
    for packet in packets(loud, ptime_ms):
        studio.say("a", packet)
        studio.run_quarters(ptime_ms // 5)
    heard = sum(abs(g711.decode(packet.data)[0]) > 4_000 for packet in studio.sent["b"])
    assert heard >= 1_000 // 20 - 8


# --- silence that is not sent, and jumps --------------------------------------------------------------------------


@pytest.mark.parametrize("noise_every_ms", [None, 200])
def test_a_recording_ends_with_silence_that_is_not_sent(noise_every_ms: int | None) -> None:
    """RFC 3389 and RFC 3551 4.1: in silence, a side sends comfort noise now and then, or nothing at all."""
    studio = Studio("a", sound=ULAW)
    studio.order("a", Record(1, "r.wav"))
    speak(studio, "a", *packets(VOICE))
    for number in range(300):
        if noise_every_ms and number * 20 % noise_every_ms == 0:
            studio.say("a", RtpPacket(COMFORT_NOISE, 50 + number, 1_000 + 160 * (50 + number), 5, b"\x40"))
        studio.run(20)
    assert [(one.done, one.recording) for one in studio.done] == [
        (Done(1, 0, recording_ms=1_000), ("r.wav", VOICE)),
    ]


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("host", [PEER[0], "0.0.0.0"])  # noqa: S104 - nothing is bound to it
def test_a_recording_ends_with_silence_whatever_makes_it_silent(direction: Direction, host: str) -> None:
    """RFC 3264 8.4: a side that holds a call may send nothing. Nothing is sent to it either, and the time goes on."""
    studio = Studio("a", sound=ULAW)
    studio.order("a", Record(1, "r.wav"))
    speak(studio, "a", *packets(VOICE))
    studio.leg("a").agree(studio.now_ms, replace(ULAW, direction=direction, host=host))
    studio.run(6_000)
    assert [one.done.recording_ms for one in studio.done] == [1_000]


@pytest.mark.parametrize("direction", [Direction.SENDRECV, Direction.INACTIVE])
@pytest.mark.parametrize("first", [0, 1])
def test_a_recording_on_a_busy_machine_ends_with_silence(direction: Direction, first: int) -> None:
    """There is no time for every other frame, so two pass between two looks."""
    studio = Studio("a", sound=ULAW)
    studio.order("a", Record(1, "r.wav"))
    speak(studio, "a", *packets(VOICE))
    studio.run(20 * first)
    studio.leg("a").agree(studio.now_ms, replace(ULAW, direction=direction))
    for _ in range(150):
        studio.router.skip(1)
        studio.run(20)
    assert [one.done.recording_ms for one in studio.done] == [1_000]


@pytest.mark.parametrize("hold_ms", [400, 900, 3_000, 4_500])
@pytest.mark.parametrize("is_counted", [True, False])
def test_a_recording_goes_on_after_a_short_hold_and_ends_after_the_next_silence(hold_ms: int, is_counted: bool) -> None:  # noqa: FBT001 - a parameter
    """The other side may or may not count the hold in its timestamps."""
    studio = Studio("a", sound=ULAW)
    studio.order("a", Record(1, "r.wav"))
    speak(studio, "a", *packets(VOICE))
    studio.leg("a").agree(studio.now_ms, replace(ULAW, direction=Direction.INACTIVE))
    studio.run(hold_ms)
    studio.leg("a").agree(studio.now_ms, ULAW)
    speak(studio, "a", *packets(VOICE, first=50, timestamp=9_000 + 8 * hold_ms * is_counted))
    assert studio.done == []
    studio.leg("a").agree(studio.now_ms, replace(ULAW, direction=Direction.INACTIVE))
    studio.run(6_000)
    assert len(studio.done) == 1
    assert (studio.done[0].done.recording_ms or 0) >= 1_900


def test_a_recording_without_any_packet_ends() -> None:
    studio = Studio("a", sound=ULAW)
    studio.order("a", Record(1, "r.wav"))
    studio.run(6_000)
    assert [one.done.recording_ms for one in studio.done] == [0]


@pytest.mark.parametrize("jump", [7_000_000, -7_000_000, 2**31, 20_000])
@pytest.mark.parametrize("ssrc", [5, 6])
def test_a_recording_goes_on_after_a_jump_of_timestamps(jump: int, ssrc: int) -> None:
    """RFC 3550 5.1, 8: another source begins with other numbers, and some sources do so by themselves."""
    studio = Studio("a", sound=ULAW)
    studio.order("a", Record(1, "r.wav"))
    speak(studio, "a", *packets(VOICE))
    speak(studio, "a", *packets(VOICE, first=50, timestamp=(9_000 + jump) % 2**32, ssrc=ssrc))
    speak(studio, "a", *packets(silence(6_000), first=100, timestamp=(17_000 + jump) % 2**32, ssrc=ssrc))
    recorded_ms = [one.done.recording_ms or 0 for one in studio.done]
    assert [abs(one - 7_000) <= 300 for one in recorded_ms] == [True]
    _, sound = studio.done[0].recording or ("", b"")
    loud_ms = sum(byte not in {0xFF, 0x7F} for byte in sound) / 8
    assert loud_ms >= 1_850


def test_a_recording_stays_together_when_the_delay_changes() -> None:
    """A route with another delay shifts the packets by less than a second, and their timestamps not at all."""
    studio = Studio("a", sound=ULAW)
    studio.order("a", Record(1, "r.wav"))
    sound = tone((440,), 3_000)
    said = packets(sound)
    speak(studio, "a", *said[:50])
    studio.run(400)
    speak(studio, "a", *said[50:100])
    studio.say("a", *said[100:])
    studio.say("a", *key_packets("#", 900, 99_000))
    studio.leg("a").agree(studio.now_ms, replace(ULAW, keys_payload=101))
    studio.say("a", *key_packets("#", 920, 99_000))
    studio.run(20)
    assert [one.recording for one in studio.done] == [("r.wav", sound)]


# --- keys ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("theirs", "sent"), [(96, 101), (96, 96), (101, 101)])
def test_keys_have_our_payload_type_or_theirs(theirs: int, sent: int) -> None:
    """RFC 3264 5.1: each side names the payload type that it wants to receive. They may differ."""
    body = (
        f"v=0\r\no=- 1 1 IN IP4 {PEER[0]}\r\ns=-\r\nc=IN IP4 {PEER[0]}\r\nt=0 0\r\n"
        f"m=audio {PEER[1]} RTP/AVP 0 {theirs}\r\na=rtpmap:{theirs} telephone-event/8000\r\n"
    )
    studio = Studio("a", sound=read_sound(body.encode(), (Codec.PCMU, Codec.PCMA)))
    studio.order("a", Ask(1, (), 2, 30_000))
    for number, key in enumerate("12"):
        studio.say("a", *[replace(one, payload=sent) for one in key_packets(key, 10 * number, 4_000 * number)])
    studio.run(20)
    assert [one.done.answer for one in studio.done] == ["12"]


def test_reordered_packets_double_no_key() -> None:
    """RFC 4733 2.5.1.5: the last packet of an event may come after the first ones of the next."""
    said = [packet for number, key in enumerate("1234") for packet in key_packets(key, 8 * number, 4_000 * number)]
    for number in (7, 15, 23):
        said[number], said[number + 1] = said[number + 1], said[number]
    reader = Rfc4733Dtmf()
    assert "".join(reader.key_of(packet) or "" for packet in said) == "1234"


@given(st.text(KEYS, min_size=1, max_size=8), st.data())
@settings(deadline=None)
def test_each_key_counts_once_in_its_order_though_packets_change_places_and_come_twice(
    keys: str, data: st.DataObject
) -> None:
    """Packets that change places by up to three do not change what was pressed."""
    said = [packet for number, key in enumerate(keys) for packet in key_packets(key, 8 * number, 4_000 * number)]
    late = data.draw(st.lists(st.integers(0, 3), min_size=len(said), max_size=len(said)))
    arrived = [packet for _, packet in sorted(enumerate(said), key=lambda one: one[0] + late[one[0]])]
    doubled = [one for packet in arrived for one in [packet] * data.draw(st.integers(1, 2))]
    reader = Rfc4733Dtmf()
    assert "".join(reader.key_of(packet) or "" for packet in doubled) == keys


def test_a_key_that_is_held_for_longer_than_an_event_may_last_counts_once() -> None:
    """RFC 4733 2.5.1.3: a long event goes on as another one that begins at its end."""
    studio = Studio("a", sound=replace(ULAW, keys_payload=101))
    studio.order("a", Ask(1, (), 2, 3_000))
    event = key_packets("5", 0, 0)[0].data[:2]
    number = 0
    for begin in (0, 65_535):
        for duration in (*range(400, 65_535, 400), 65_535):
            data = event + duration.to_bytes(2)
            studio.say("a", RtpPacket(101, number, begin, 5, data))
            number += 1
            studio.run_quarters(10)
    studio.run(4_000)
    assert [one.done.answer for one in studio.done] == ["5"]


@pytest.mark.parametrize("is_tone", [True, False])
def test_the_time_for_the_next_key_begins_at_the_end_of_a_key(is_tone: bool) -> None:  # noqa: FBT001 - a parameter
    """A key that is held for longer than the time-out of its section does not end the input."""
    studio = Studio("a", sound=ULAW if is_tone else replace(ULAW, keys_payload=101))
    studio.order("a", Ask(1, (), 2, 1_000))
    held = key_packets("1", 0, 0, count=200)[:200]
    for number, packet in enumerate(packets(tone((697, 1_209), 4_000)) if is_tone else held):
        studio.say("a", packet if is_tone else replace(packet, sequence=number))
        studio.run(20)
    assert studio.done == []
    studio.run(500)
    last = packets(tone((697, 1_336), 60), first=500, timestamp=70_000) if is_tone else key_packets("2", 500, 70_000)
    studio.say("a", *last)
    studio.run(20)
    assert [one.done.answer for one in studio.done] == ["12"]


def test_keys_in_the_sound_count_beside_events_if_the_gateway_says_so() -> None:
    """Some carriers agree on events, and let keys pass in the sound. A key that comes in both ways counts once."""
    both = replace(ULAW, keys_payload=101)
    for hears, wanted in ((False, ""), (True, "5")):
        studio = Studio("a", sound=both, terms=SoundTerms(hears_tones=hears))
        studio.order("a", Ask(1, (), 9, 1_000))
        studio.say("a", *packets(tone((770, 1_336), 80) + silence(40)))
        studio.run(1_100)
        assert [one.done.answer for one in studio.done] == [wanted]
    studio = Studio("a", sound=both, terms=SoundTerms(hears_tones=True))
    studio.order("a", Ask(1, (), 9, 1_000))
    for number in range(3):
        sound = tone((770, 1_336), 80) + silence(120)
        studio.say("a", *packets(sound, first=50 * number, timestamp=8_000 * number))
        studio.say("a", *key_packets("5", 50 * number + 20, 8_000 * number))
        studio.run(200)
    studio.run(1_100)
    assert [one.done.answer for one in studio.done] == ["555"]


# --- bridges ------------------------------------------------------------------------------------------------------


def bridged(*said: RtpPacket) -> list[RtpPacket]:
    studio = Studio("a", "b", sound=replace(ULAW, keys_payload=101))
    studio.run(100)
    studio.order("a", Bridge(1, "b"))
    sent = [read_packet(one.data) for one in studio.say("a", *said)]
    before = studio.sent["b"][-1]
    assert samples_between(before.timestamp, min(one.timestamp for one in sent)) > 0
    return sent


def test_a_bridge_keeps_the_order_the_gaps_and_the_markers() -> None:
    """RFC 3550 7.1: who passes on a stream keeps its timing, so that the receiver can put packets in order."""
    first = packets(VOICE)[:8]
    key = [replace(one, is_marked=not at) for at, one in enumerate(key_packets("1", 8, 2_280))]
    said = [first[0], first[2], first[1], *first[4:], *key]
    sent = bridged(*said)
    assert [one.sequence - sent[0].sequence for one in sent] == [one.sequence for one in said]
    assert [one.timestamp - sent[0].timestamp for one in sent] == [one.timestamp - 1_000 for one in said]
    assert [one.is_marked for one in sent[7:]] == [True] + [False] * 7
    assert {one.ssrc for one in sent} == {sent[0].ssrc}


def test_a_bridge_goes_on_after_another_source_begins() -> None:
    """RFC 3550 8: the receiver sees one stream, whose numbers go on, though its source has changed."""
    one = packets(VOICE)[:10]
    two = packets(VOICE, first=40_000, timestamp=4_000_000_000, ssrc=9)[:10]
    sent = bridged(*one, *two)
    steps = [(b.sequence - a.sequence, b.timestamp - a.timestamp) for a, b in pairwise(sent)]
    assert steps == [(1, 160)] * (len(sent) - 1)
    assert len(sent) == 17


# --- a process that starves, reports, and a side that is gone --------------------------------------------------------


def test_a_prompt_skips_what_there_was_no_time_to_send() -> None:
    """RFC 3550 5.1: timestamps go with the time. A prompt ends when it would have ended, instead of being stretched."""
    studio = Studio("a", sound=ULAW)
    prompt = tone((440,), 1_000)
    studio.order("a", Play(1, ()), prompt)
    studio.run(200)
    studio.router.skip(25)
    studio.run(300)
    sent = studio.sent["a"]
    assert [one.timestamp - sent[0].timestamp for one in sent] == [160 * at for at in (*range(10), *range(35, 50))]
    assert [one.sequence - sent[0].sequence for one in sent] == list(range(25))
    assert [one.is_marked for one in sent] == [True] + [False] * 9 + [True] + [False] * 14
    assert b"".join(one.data for one in sent) == prompt[:1_600] + prompt[35 * 160 :]
    assert len(studio.done) == 1


def test_a_side_that_sends_nothing_is_gone_after_a_while() -> None:
    """Comfort noise and reports are signs of life, and nothing is expected of a side that holds the call."""
    terms = SoundTerms(timeout_ms=30_000)
    studio = Studio("a", "b", "c", "d", "e", sound=ULAW, terms=terms)
    for key in "abcd":
        studio.leg(key).watch(0)
    report = write_report(RtcpReport(5, None, ()), "x")
    for number in range(45):
        studio.router.receive(studio.now_ms, "e", b"", PEER)
        studio.say("b", RtpPacket(0, number, number, 5, b"\xff" * 160) if not number else noise(number))
        studio.leg("c").take_report(studio.now_ms, report, PEER)
        studio.run(1_000)
        if number == 2:
            studio.leg("d").agree(studio.now_ms, replace(ULAW, direction=Direction.RECVONLY))
    assert studio.lost == ["a"]
    studio.leg("d").agree(studio.now_ms, ULAW)
    studio.run(29_000)
    assert studio.lost == ["a"]
    studio.run(32_000)
    assert sorted(studio.lost) == ["a", "b", "c", "d"]


def noise(number: int) -> RtpPacket:
    return RtpPacket(COMFORT_NOISE, number, 160 * number, 5, b"\x40")


def test_reports_have_what_was_sent_and_heard() -> None:
    """RFC 3550 6.4.1, A.3: one of four packets is lost, and the others come evenly."""
    studio = Studio("a", sound=ULAW)
    for number, packet in enumerate(packets(tone((440,), 8_000))):
        if number % 4 != 3:
            studio.say("a", packet)
        studio.run(20)
    first = studio.reports[0]
    assert first.sent is not None
    assert first.sent.packets * 160 == first.sent.octets
    assert [(one.ssrc, one.jitter) for one in first.blocks] == [(5, 0)]
    assert abs(first.blocks[0].lost_share - 0.25) < 0.02
    assert len(studio.reports) in {1, 2}
    middle = (REPORT_MS * 65_536 // 1_000) & 0xFFFFFFFF
    far = Block(first.ssrc, 0.1, 12, 9, 80, middle, 65_536 // 2)
    studio.leg("a").take_report(
        studio.now_ms, write_report(RtcpReport(5, Sent(1, 2, 3, 4), (far,)), "them"), (PEER[0], PEER[1] + 1)
    )
    assert studio.leg("a").quality_in_words() == (
        "sound: 400 packets sent, 300 received, 99 lost (24.8 %), jitter 0 ms; "
        "the other side lost 12, jitter 10 ms, round trip 2500 ms"
    )
    assert studio.leg("a").figures() == SoundQuality(Stream(399, 99, 0), Stream(400, 12, 10), 2_500)
    assert Studio("b", sound=ULAW).leg("b").figures() is None


@given(st.binary(max_size=200))
def test_bytes_that_are_no_report_are_refused(datagram: bytes) -> None:
    try:
        read_reports(datagram)
    except RtcpError:
        return


@given(st.integers(0, 2**32 - 1), st.floats(0, 0.99), st.integers(0, 2**23 - 1), st.text("ab", max_size=9))
def test_a_report_is_read_as_it_was_written(ssrc: int, share: float, lost: int, name: str) -> None:
    report = RtcpReport(7, Sent(5_000, ssrc, 3, 4), (Block(ssrc, int(share * 256) / 256, lost, ssrc, 8, 1, 2),))
    read = read_reports(write_report(report, name))
    assert [(one.ssrc, one.blocks) for one in read] == [(7, report.blocks)]
    assert read_reports(write_report(RtcpReport(7, None, ()), name)) == [RtcpReport(7, None, ())]


def test_a_jitter_buffer_puts_frames_in_order_and_leaves_gaps() -> None:
    for order in permutations(range(BUFFER_FRAMES)):
        buffer = JitterBuffer()
        for number in order:
            buffer.put(160 * number, bytes([number]) * 160)
        buffer.put(160 * (BUFFER_FRAMES + 1), b"\x09" * 160)
        taken = [buffer.take() for _ in range(BUFFER_FRAMES + 2)]
        assert [None if one is None else one[0] for one in taken] == [*range(BUFFER_FRAMES), None, 9]
        buffer.put(0, b"\x01" * 160)
        assert buffer.take() is None


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.booleans()), max_size=60))
def test_a_jitter_buffer_takes_any_timestamps_and_never_grows(steps: list[tuple[int, bool]]) -> None:
    buffer = JitterBuffer()
    for timestamp, takes in steps:
        buffer.put(timestamp, b"\x01" * 160)
        assert len(buffer) <= 10
        if takes:
            assert len(buffer.take() or b"\xff" * 160) == 160
