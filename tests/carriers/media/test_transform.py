"""The contract of transforms of sound, and that every packet of a leg passes one."""

import contextlib
import pickle
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.carriers.media import sound_leg
from dialer.carriers.media.rtcp import RtcpError, RtcpReport, write_report
from dialer.carriers.media.rtp import RtpError, RtpPacket, read_packet, write_packet
from dialer.carriers.media.sound_leg import SoundTerms
from dialer.carriers.media.sound_router import SendSound
from dialer.carriers.media.srtp import Srtp
from dialer.carriers.media.transform import Plain, Transform, transform_of
from dialer.carriers.sip.sdp import AgreedSound, Codec, LocalSound, Profile, read_sound, write_answer
from dialer.carriers.sip.sdp_security import KEY_BYTES, SoundKeys, Suite
from dialer.domain.sessions.leg_protocol import Bridge, Play
from tests.carriers.media.studio import PEER, SOUND, Studio, key_packets, sound_packet

PACKETS: Final = st.builds(
    RtpPacket,
    st.integers(0, 127),
    st.integers(0, 2**16 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.binary(max_size=200),
    st.booleans(),
)
REPORT: Final = write_report(RtcpReport(5, None, ()), "name")
_SEAL: Final = b"sealed"


class Sealed:
    """A transform whose datagrams end with a seal. Those without it are of somebody else."""

    refused: Final = 0

    def write(self, packet: RtpPacket, /) -> bytes:
        return write_packet(packet) + _SEAL

    def read(self, datagram: bytes, /) -> RtpPacket:
        if not datagram.endswith(_SEAL):
            raise RtpError("There is no seal.")
        return read_packet(datagram.removesuffix(_SEAL))

    def write_report(self, report: bytes, /) -> bytes:
        return report + _SEAL

    def read_report(self, datagram: bytes, /) -> bytes:
        if not datagram.endswith(_SEAL):
            raise RtcpError("There is no seal.")
        return datagram.removesuffix(_SEAL)


Ends = tuple[Transform, Transform]


def plain_ends() -> Ends:
    return transform_of(SOUND), transform_of(SOUND)


def ends_of(suite: Suite) -> Ends:
    """Return the transforms of both ends of a call, as their descriptions ask for them."""
    one, other = bytes(range(KEY_BYTES[suite])), bytes(range(100, 100 + KEY_BYTES[suite]))
    keys = SoundKeys(suite, 1, one, other), SoundKeys(suite, 1, other, one)
    ours, theirs = (transform_of(replace(SOUND, profile=Profile.SAVP, keys=each)) for each in keys)
    return ours, theirs


def cm_ends() -> Ends:
    return ends_of(Suite.AES_CM)


def gcm_ends() -> Ends:
    return ends_of(Suite.AES_GCM)


def sealed_ends() -> Ends:
    return Sealed(), Sealed()


ENDS: Final = (sealed_ends, plain_ends, cm_ends, gcm_ends)
"""Functions that make both ends of a call: one for each suite and profile, and one of the test's own."""


@pytest.mark.parametrize("ends", ENDS)
@given(packet=PACKETS)
def test_what_one_side_writes_the_other_reads(ends: Callable[[], Ends], packet: RtpPacket) -> None:
    ours, theirs = ends()
    for writer, reader in ((ours, theirs), (theirs, ours)):
        assert reader.read(writer.write(packet)) == packet
        assert reader.read_report(writer.write_report(REPORT)) == REPORT


@pytest.mark.parametrize("ends", ENDS)
def test_it_goes_on_in_another_process(ends: Callable[[], Ends]) -> None:
    ours, theirs = ends()
    first, *others = (RtpPacket(0, number, 2, 3, b"sound") for number in range(65_500, 65_506))
    second = RtpPacket(0, 10, 2, 3, b"sound")
    assert theirs.read(ours.write(first)) == first
    before = [ours.write(packet) for packet in others]
    moved = [pickle.loads(pickle.dumps(end)) for end in (ours, theirs)]  # noqa: S301 - our own bytes
    assert [moved[1].read(datagram) for datagram in before] == others
    # The numbers begin again, which both ends have to count.
    assert moved[1].read(moved[0].write(second)) == second


@pytest.mark.parametrize("ends", ENDS)
@given(datagram=st.binary(max_size=60))
def test_other_bytes_are_refused_and_never_break_it(ends: Callable[[], Ends], datagram: bytes) -> None:
    ours, _ = ends()
    with contextlib.suppress(RtcpError):
        ours.read_report(datagram)
    try:
        packet = ours.read(datagram)
    except RtpError:
        return
    assert isinstance(packet, RtpPacket)
    assert not isinstance(ours, Srtp)


def test_packets_that_go_as_they_are_cost_no_call() -> None:
    """A thousand calls send and hear a hundred thousand packets a second."""
    assert (Plain().read, Plain().write) == (read_packet, write_packet)


@pytest.mark.parametrize("profile", ["RTP/AVP", "RTP/AVPF"])
def test_the_description_chooses_the_transform(profile: str) -> None:
    offer = f"v=0\r\nc=IN IP4 192.0.2.10\r\nm=audio 30000 {profile} 0\r\n".encode()
    sound = read_sound(offer, (Codec.PCMU,))
    assert (sound.profile, isinstance(transform_of(sound), Plain)) == (Profile.AVP, True)
    answer = write_answer(LocalSound("192.0.2.1", 20_000, (Codec.PCMU,), 1), sound, 1)
    assert b"\r\nm=audio 20000 RTP/AVP 0\r\n" in answer


class SealedStudio(Studio):
    """A studio that opens what its legs send."""

    def _note(self, output: object) -> None:
        if isinstance(output, SendSound):
            assert output.data.endswith(_SEAL), output
            output = SendSound(output.key, output.data.removesuffix(_SEAL), output.destination, output.is_report)
        super()._note(output)  # type: ignore[arg-type] # an output as before


@pytest.mark.parametrize("packet_ms", [20, 10])
def test_every_packet_of_a_leg_passes_the_transform(monkeypatch: pytest.MonkeyPatch, packet_ms: int) -> None:
    monkeypatch.setattr(sound_leg, "transform_of", lambda *_: Sealed())
    sound = AgreedSound(*PEER, Codec.PCMU, 0, 101, packet_ms=packet_ms, packet_ms_max=packet_ms)
    studio = SealedStudio("a", "b", sound=sound)
    studio.order("a", Play(1, ()), b"\x10" * 1_600)
    studio.run(10_000)
    assert [done.done.turn for done in studio.done] == [1]
    assert all(studio.sent.values())
    assert studio.reports

    studio.order("a", Bridge(2, "b"))
    said = [sound_packet(1, b"\x20" * 160, 0), *key_packets("5", 2, 5_000)]
    assert studio.say("a", *said) == []
    passed = [studio.router.receive(studio.now_ms, "a", Sealed().write(packet), PEER) for packet in said]
    assert len([one for one in passed if one is not None and one.data.endswith(_SEAL)]) == len(said)


@pytest.mark.parametrize(("datagram", "is_gone"), [(REPORT, True), (Sealed().write_report(REPORT), False)])
def test_a_report_without_the_seal_is_no_sign_of_life(
    monkeypatch: pytest.MonkeyPatch,
    datagram: bytes,
    is_gone: bool,  # noqa: FBT001 - a parameter
) -> None:
    monkeypatch.setattr(sound_leg, "transform_of", lambda *_: Sealed())
    leg = Studio("a", terms=SoundTerms(timeout_ms=1_000)).leg("a")
    leg.watch(0)
    leg.take_report(900, datagram, PEER)
    assert leg.is_gone(1_000) is is_gone
