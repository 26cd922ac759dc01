"""Tests of supervision: who hears whom, measured by tones of three pitches in the packets that are sent."""

import pickle
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.carriers.media import g711
from dialer.carriers.media.dtmf_inband import tone
from dialer.carriers.media.rtp import RtpPacket, read_packet
from dialer.carriers.sip.sdp import AgreedSound, Codec
from dialer.domain.sessions.leg_protocol import Bridge, Confer, Done, Hold, Play, Supervise
from dialer.domain.words.enums import SupervisionMode
from tests.carriers.media.studio import PEER, Studio, key_packets, sound_packet
from tests.carriers.pitches import PITCHES, voice, voices_in

LISTEN, WHISPER, JOIN = SupervisionMode.LISTEN, SupervisionMode.WHISPER, SupervisionMode.JOIN
ULAW: Final = AgreedSound(PEER[0], PEER[1], Codec.PCMU, 0, 101)
FRAMES: Final = 25


class Call:
    """A callee and an agent who are bridged, and a supervisor."""

    def __init__(self, sound: AgreedSound = ULAW) -> None:
        self.sound = sound
        self.studio = Studio(*PITCHES, sound=sound)
        self.studio.order("callee", Bridge(1, "agent"))
        self.turn = 0
        self.numbers = dict.fromkeys(PITCHES, 0)
        self.passed: dict[str, list[RtpPacket]] = {who: [] for who in PITCHES}

    def supervise(self, mode: SupervisionMode) -> None:
        self.turn += 1
        self.studio.order("supervisor", Supervise(self.turn, "callee", "agent", mode))

    def talk(self, *speakers: str, frames: int = FRAMES) -> dict[str, set[str]]:
        """Let some people talk, and return whom each of the others has heard in the second half of it."""
        begun = {who: len(self.studio.sent[who]) for who in PITCHES}
        passed = {who: len(self.passed[who]) for who in PITCHES}
        said = {who: voice(who, frames) for who in speakers}
        for place in range(frames):
            for who in speakers:
                self.say(who, said[who][place])
            self.studio.run(20)
        heard = {}
        for who in PITCHES:
            packets = self.studio.sent[who][begun[who] :] + self.passed[who][passed[who] :]
            frames_heard = [self.plain(packet.data) for packet in packets if packet.payload == self.sound.payload]
            heard[who] = voices_in(b"".join(frames_heard[len(frames_heard) // 2 :]))
        return heard

    def plain(self, data: bytes) -> bytes:
        return data.translate(g711.ULAW_OF_ALAW) if self.sound.codec is Codec.PCMA else data

    def say(self, who: str, ulaw: bytes) -> None:
        data = ulaw.translate(g711.ALAW_OF_ULAW) if self.sound.codec is Codec.PCMA else ulaw
        self.numbers[who] += 1
        self.note(who, sound_packet(self.numbers[who], data, self.sound.payload))

    def note(self, who: str, packet: RtpPacket) -> None:
        for sent in self.studio.say(who, packet):
            self.passed[sent.key].append(read_packet(sent.data))


ALAW: Final = AgreedSound(PEER[0], PEER[1], Codec.PCMA, 8, 101)
EVERYBODY: Final = tuple(PITCHES)
HEARD: Final = {
    LISTEN: {"callee": {"agent"}, "agent": {"callee"}},
    WHISPER: {"callee": {"agent"}, "agent": {"callee", "supervisor"}},
    JOIN: {"callee": {"agent", "supervisor"}, "agent": {"callee", "supervisor"}},
}


@pytest.mark.parametrize("sound", [ULAW, ALAW], ids=["PCMU", "PCMA"])
@pytest.mark.parametrize("mode", list(SupervisionMode))
def test_each_hears_those_whom_the_mode_allows(mode: SupervisionMode, sound: AgreedSound) -> None:
    call = Call(sound)
    call.supervise(mode)
    assert call.talk(*EVERYBODY) == {**HEARD[mode], "supervisor": {"callee", "agent"}}


def test_the_mode_changes_while_all_talk() -> None:
    call = Call()
    for mode in (LISTEN, JOIN, WHISPER, LISTEN, WHISPER):
        call.supervise(mode)
        assert call.talk(*EVERYBODY) == {**HEARD[mode], "supervisor": {"callee", "agent"}}


@pytest.mark.parametrize(("mode", "hearers"), [(LISTEN, set()), (WHISPER, {"agent"}), (JOIN, {"callee", "agent"})])
def test_a_supervisor_is_heard_while_nobody_else_says_anything(mode: SupervisionMode, hearers: set[str]) -> None:
    """RFC 3551 4.1: who is silent may send no packets, so there is nothing to which the voice could be added."""
    call = Call()
    call.supervise(mode)
    heard = call.talk("supervisor")
    assert {who for who in PITCHES if heard[who] == {"supervisor"}} == hearers
    assert call.talk(*EVERYBODY) == {**HEARD[mode], "supervisor": {"callee", "agent"}}
    for who in hearers:
        timestamps = [packet.timestamp for packet in call.studio.sent[who] + call.passed[who]]
        assert len(set(timestamps)) == len(timestamps)


Steps = list[tuple[str, int]]
STEPS: Final[st.SearchStrategy[Steps]] = st.lists(
    st.tuples(
        st.sampled_from([*PITCHES, "keys", "time", *SupervisionMode, "stop", "hold", "bridge"]), st.integers(1, 4)
    ),
    max_size=60,
)


def after(steps: Steps, modes: set[str]) -> Call:
    """Return a call after some steps, in which a supervisor does only what is in some modes."""
    call, turn = Call(), 1
    sound = {who: voice(who, 1)[0] for who in PITCHES}
    for step, count in steps:
        turn += 1
        if step in PITCHES and (step != "supervisor" or modes):
            for _ in range(count):
                call.say(step, sound[step])
        elif step == "keys":
            for packet in key_packets("5", 100 + 10 * turn, 160 * turn):
                call.note("callee", packet)
        elif step in modes:
            call.supervise(SupervisionMode(step))
        elif step == "stop" and modes:
            call.turn += 1
            call.studio.order("supervisor", Hold(call.turn))
        elif step == "hold":
            call.studio.order("callee", Hold(turn))
            call.studio.order("agent", Hold(turn, is_silent=True))
        elif step == "bridge":
            call.studio.order("callee", Bridge(turn, "agent"))
        call.studio.run_quarters(count)
    return call


def packets_to(who: str, call: Call) -> tuple[list[RtpPacket], list[RtpPacket]]:
    """Return the packets that were passed on to somebody, and those that were made for them."""
    return call.passed[who], call.studio.sent[who]


@given(STEPS)
@settings(deadline=None, max_examples=150)
def test_a_supervisor_who_listens_changes_no_packet_of_anybody(steps: Steps) -> None:
    alone, supervised = after(steps, set()), after(steps, {LISTEN})
    for who in ("callee", "agent"):
        assert packets_to(who, supervised) == packets_to(who, alone)


@given(STEPS)
@settings(deadline=None, max_examples=150)
def test_a_supervisor_who_whispers_changes_no_packet_of_the_callee(steps: Steps) -> None:
    alone, supervised = after(steps, set()), after(steps, {LISTEN, WHISPER})
    assert packets_to("callee", supervised) == packets_to("callee", alone)


@given(STEPS)
@settings(deadline=None, max_examples=150)
def test_a_supervisor_who_joins_delays_and_loses_no_packet(steps: Steps) -> None:
    """Each packet of the two is passed on at once, with the same length, whatever is added to it."""
    alone, supervised = after(steps, set()), after(steps, set(SupervisionMode))
    for who in ("callee", "agent"):
        shapes = [[(one.payload, len(one.data)) for one in call.passed[who]] for call in (alone, supervised)]
        assert shapes[1] == shapes[0]


@pytest.mark.parametrize("ptime_ms", [10, 20, 30, 60])
def test_a_voice_is_added_to_packets_of_any_length(ptime_ms: int) -> None:
    call, size = Call(), 8 * ptime_ms
    call.supervise(WHISPER)
    callee, supervisor = tone((PITCHES["callee"],), 1_200), voice("supervisor", 60)
    for place in range(60):
        call.say("supervisor", supervisor[place])
        for at in range(place * 160, (place + 1) * 160, 80):
            if at % size == 0:
                call.note("callee", RtpPacket(0, at // size, 1_000 + at, 5, callee[at : at + size]))
        call.studio.run(20)
    heard = call.passed["agent"]
    assert {len(packet.data) for packet in heard} == {size}
    assert voices_in(b"".join(packet.data for packet in heard[len(heard) // 2 :])) == {"callee", "supervisor"}


def test_nobody_hears_the_supervisor_while_the_callee_is_on_hold() -> None:
    call = Call()
    call.supervise(JOIN)
    call.studio.order("callee", Hold(2))
    call.studio.order("agent", Hold(2, is_silent=True))
    heard = call.talk(*EVERYBODY)
    assert [who for who in ("callee", "agent") if heard[who] & {"callee", "agent", "supervisor"}] == []
    assert heard["supervisor"] == set()
    call.studio.order("callee", Bridge(3, "agent"))
    assert call.talk(*EVERYBODY) == {**HEARD[JOIN], "supervisor": {"callee", "agent"}}


@pytest.mark.parametrize("gone", ["callee", "agent"])
def test_the_order_is_done_when_one_of_the_two_is_gone(gone: str) -> None:
    call = Call()
    call.supervise(JOIN)
    call.studio.router.remove(gone)
    call.studio.run(20)
    assert [one.done for one in call.studio.done if one.key == "supervisor"] == [Done(1, 0)]


@pytest.mark.parametrize(("callee", "agent"), [("nobody", "agent"), ("callee", "nobody"), ("supervisor", "agent")])
def test_a_supervisor_of_a_missing_leg_is_done_at_once(callee: str, agent: str) -> None:
    call = Call()
    call.studio.order("supervisor", Supervise(1, callee, agent, JOIN))
    call.studio.run(20)
    assert [one.done for one in call.studio.done] == [Done(1, 0)]
    assert call.talk(*EVERYBODY)["agent"] == {"callee"}


@pytest.mark.parametrize("how", ["gone", "moved", "playing", "conference"])
def test_the_two_go_on_when_the_supervisor_is_gone(how: str) -> None:
    call = Call()
    call.supervise(JOIN)
    call.talk(*EVERYBODY)
    if how == "gone":
        call.studio.router.remove("supervisor")
    elif how == "moved":
        moved = call.studio.router.release("supervisor")
        assert moved is not None
        call.studio.router.add(pickle.loads(pickle.dumps(moved)))  # noqa: S301 - our own
    else:
        call.studio.order("supervisor", Play(9, ()) if how == "playing" else Confer(9, "room"))
    heard = call.talk("callee", "agent", "supervisor")
    assert {who: heard[who] for who in ("callee", "agent")} == HEARD[LISTEN]
    assert call.studio.leg("callee").supervision is call.studio.leg("agent").supervision is None


def test_a_second_supervisor_takes_the_place_of_the_first() -> None:
    call = Call()
    call.supervise(JOIN)
    other = Studio("other", sound=ULAW).router.release("other")
    assert other is not None
    call.studio.router.add(other)
    call.studio.sent["other"] = []
    call.studio.order("other", Supervise(1, "callee", "agent", LISTEN))
    call.studio.run(20)
    assert [one.key for one in call.studio.done] == ["supervisor"]
    assert {who: call.talk(*EVERYBODY)[who] for who in ("callee", "agent")} == HEARD[LISTEN]
