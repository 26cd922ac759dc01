"""Tests of encrypted sound: what is heard, what never is, and how both directions go on after a move or a restart."""

import pickle
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.carriers.media.rtcp import RtcpError, RtcpReport, write_report
from dialer.carriers.media.rtp import SEQUENCES, RtpError, RtpPacket, write_packet
from dialer.carriers.media.srtp import SOURCES_MAX, Srtp
from dialer.carriers.sip.sdp import AgreedSound, Codec, Profile
from dialer.carriers.sip.sdp_security import KEY_BYTES, SoundKeys, Suite
from dialer.domain.sessions.leg_protocol import Bridge, Play
from tests.carriers.media.studio import PEER, Studio, key_packets

WORD: Final = bytes(range(160))
REPORT: Final = write_report(RtcpReport(7, None, ()), "name")


def keys_of(suite: Suite, seed: int = 1) -> SoundKeys:
    chance = Random(seed)  # noqa: S311 - the same keys each time
    return SoundKeys(suite, 1, chance.randbytes(KEY_BYTES[suite]), chance.randbytes(KEY_BYTES[suite]))


def other_end(keys: SoundKeys) -> SoundKeys:
    return replace(keys, ours=keys.theirs, theirs=keys.ours)


def sound_at(index: int, ssrc: int = 7, data: bytes = WORD) -> RtpPacket:
    return RtpPacket(0, index % SEQUENCES, 160 * index % 2**32, ssrc, data)


def is_heard(end: Srtp, datagram: bytes) -> bool:
    try:
        end.read(datagram)
    except RtpError:
        return False
    return True


def moved(end: Srtp) -> Srtp:
    """Return the end as it is in another process."""
    copy = pickle.loads(pickle.dumps(end))  # noqa: S301 - our own bytes
    assert isinstance(copy, Srtp)
    return copy


def speaker_at(keys: SoundKeys, index: int) -> Srtp:
    """Return the other end of a call that has sent packets up to an index."""
    speaker = Srtp(other_end(keys))
    for passed in range(0, index, 30_000):
        speaker.write(sound_at(passed))
    return speaker


@pytest.mark.parametrize("suite", Suite)
def test_forged_packets_and_those_of_other_keys_are_not_heard_and_counted(suite: Suite) -> None:
    keys = keys_of(suite)
    us, them, stranger = Srtp(keys), Srtp(other_end(keys)), Srtp(other_end(keys_of(suite, 2)))
    datagram = them.write(sound_at(1))
    for place in range(len(datagram)):
        assert not is_heard(us, datagram[:place] + bytes([datagram[place] ^ 1]) + datagram[place + 1 :])
    assert not is_heard(us, stranger.write(sound_at(2)))
    assert not is_heard(us, write_packet(sound_at(3)))
    assert not is_heard(us, datagram[:-1])
    assert us.refused == len(datagram) + 3
    assert us.read(datagram) == sound_at(1)
    assert us.refused == len(datagram) + 3


@pytest.mark.parametrize("suite", Suite)
@given(order=st.lists(st.integers(0, 59), min_size=1, max_size=120), moves=st.sets(st.integers(0, 119), max_size=3))
def test_no_packet_is_heard_twice(suite: Suite, order: list[int], moves: set[int]) -> None:
    """Packets may come in any order, and the call may move to another process at any of them."""
    keys = keys_of(suite)
    us, them = Srtp(keys), Srtp(other_end(keys))
    datagrams = [them.write(sound_at(SEQUENCES - 30 + number)) for number in range(60)]
    heard: list[int] = []
    for place, number in enumerate(order):
        if place in moves:
            us = moved(us)
        if is_heard(us, datagrams[number]):
            heard.append(number)
    assert len(heard) == len(set(heard))
    assert heard[0] == order[0]


@pytest.mark.parametrize("suite", Suite)
def test_reports_are_encrypted_and_not_taken_twice(suite: Suite) -> None:
    keys = keys_of(suite)
    us, them = Srtp(keys), Srtp(other_end(keys))
    first, second = (them.write_report(REPORT) for _ in range(2))
    assert b"name" not in first
    assert us.read_report(first) == REPORT
    us, them = moved(us), moved(them)
    assert us.read_report(second) == REPORT
    third = them.write_report(REPORT)
    assert third not in {first, second}
    assert us.read_report(third) == REPORT
    for datagram in (first, second, third, REPORT, b"", third[:-1]):
        with pytest.raises(RtcpError):
            us.read_report(datagram)


@pytest.mark.parametrize("suite", Suite)
@pytest.mark.parametrize("index", [0, 40_000, 65_535, 65_536, 131_080, 290_000, 8 * SEQUENCES - 2])
def test_after_a_restart_the_other_side_is_found_wherever_its_numbers_are(suite: Suite, index: int) -> None:
    keys = keys_of(suite)
    speaker, us = speaker_at(keys, index), Srtp(keys)
    first, second = speaker.write(sound_at(index)), speaker.write(sound_at(index + 1))
    assert not is_heard(us, first[:-1] + bytes([first[-1] ^ 1]))
    assert (us.read(first), us.read(second)) == (sound_at(index), sound_at(index + 1))
    assert [is_heard(us, one) for one in (first, second)] == [False, False]


@pytest.mark.parametrize("suite", Suite)
def test_an_old_packet_after_a_restart_does_not_shut_out_the_new_ones(suite: Suite) -> None:
    keys = keys_of(suite)
    speaker, us = speaker_at(keys, 100), Srtp(keys)
    old = speaker.write(sound_at(100))
    speaker = speaker_at(keys, 200_000)
    assert is_heard(us, old)
    assert us.read(speaker.write(sound_at(200_000))) == sound_at(200_000)
    assert not is_heard(us, old)


def test_forged_packets_without_end_do_not_shut_out_the_other_side() -> None:
    keys = keys_of(Suite.AES_CM)
    speaker, us = speaker_at(keys, 100_000), Srtp(keys)
    stranger = Srtp(other_end(keys_of(Suite.AES_CM, 2)))
    for number in range(200):
        assert not is_heard(us, stranger.write(sound_at(number)))
    assert any(is_heard(us, speaker.write(sound_at(number))) for number in range(100_000, 100_040))


def test_the_same_key_never_encrypts_two_packets_with_one_number() -> None:
    """Both would have the same key stream: their difference is that of what was said."""
    us = Srtp(keys_of(Suite.AES_CM))
    first = us.write(sound_at(5))
    for end in (us, moved(us)):
        assert (bool(first), end.write(sound_at(5, data=WORD[::-1]))) == (True, b"")


@pytest.mark.parametrize("suite", Suite)
@pytest.mark.parametrize("moves", [False, True])
def test_a_further_source_takes_the_place_of_the_one_heard_longest_ago(suite: Suite, *, moves: bool) -> None:
    """Exchanges take another source with each hold. None of them is heard twice, and each may come back."""
    keys = keys_of(suite)
    us, them = Srtp(keys), Srtp(other_end(keys))
    first = [
        Srtp(other_end(keys)).write(sound_at(number, ssrc)) for ssrc in range(SOURCES_MAX * 2) for number in (1, 2)
    ]
    assert [is_heard(us, one) for one in first] == [True] * len(first)
    if moves:
        us = moved(us)
    assert [is_heard(us, one) for one in first] == [False] * len(first)
    assert [is_heard(us, them.write(sound_at(3, ssrc))) for ssrc in range(SOURCES_MAX * 2)] == [True] * SOURCES_MAX * 2


def test_a_source_that_is_heard_all_the_time_stays() -> None:
    keys = keys_of(Suite.AES_CM)
    speaker, us = speaker_at(keys, 200_000), Srtp(keys)
    for number in range(SOURCES_MAX * 2):
        assert is_heard(us, speaker.write(sound_at(200_000 + number)))
        assert is_heard(us, Srtp(other_end(keys)).write(sound_at(1, 100 + number)))
    refused = us.refused
    assert is_heard(us, speaker.write(sound_at(200_100)))
    assert us.refused == refused


@pytest.mark.parametrize("suite", Suite)
def test_a_source_that_comes_back_after_its_numbers_began_again_is_heard_but_not_twice(suite: Suite) -> None:
    keys = keys_of(suite)
    speaker, us = speaker_at(keys, 65_530), Srtp(keys)
    before = [speaker.write(sound_at(number)) for number in range(65_530, 65_542)]
    assert [is_heard(us, one) for one in before] == [True] * 12
    for ssrc in range(100, 100 + SOURCES_MAX):
        assert is_heard(us, Srtp(other_end(keys)).write(sound_at(1, ssrc)))
    assert [is_heard(us, one) for one in before] == [False] * 12
    after = [speaker.write(sound_at(number)) for number in range(65_542, 65_560)]
    assert [is_heard(us, one) for one in after + before] == [True] * 18 + [False] * 12


def test_reports_of_a_source_that_had_to_go_are_not_taken_twice() -> None:
    keys = keys_of(Suite.AES_CM)
    us, them = Srtp(keys), Srtp(other_end(keys))
    report = them.write_report(REPORT)
    assert us.read_report(report) == REPORT
    for ssrc in range(100, 100 + SOURCES_MAX):
        assert is_heard(us, them.write(sound_at(1, ssrc)) or Srtp(other_end(keys)).write(sound_at(1, ssrc)))
    with pytest.raises(RtcpError):
        us.read_report(report)
    assert us.read_report(them.write_report(REPORT)) == REPORT


@pytest.mark.parametrize("suite", Suite)
def test_late_packets_of_the_key_before_do_not_mislead_about_the_new_one(suite: Suite) -> None:
    """The numbers of the new key begin again after them, and a move follows those of the new key only."""
    before = keys_of(suite)
    after = replace(before, theirs=keys_of(suite, 2).theirs)
    us, old, new = Srtp(before), Srtp(other_end(before)), Srtp(other_end(after))
    assert is_heard(us, old.write(sound_at(65_529)))
    us.agreed(after)
    assert is_heard(us, old.write(sound_at(65_530)))
    assert [is_heard(us, new.write(sound_at(number))) for number in range(4)] == [True] * 4
    us = moved(us)
    assert [is_heard(us, new.write(sound_at(number))) for number in range(4, 50)] == [True] * 46


def test_packets_that_the_bridge_repeats_are_not_counted_as_sent() -> None:
    studio = SecretStudio(keys_of(Suite.AES_CM))
    studio.order("a", Bridge(1, "b"))
    leg, packet = studio.leg("b"), sound_at(1)
    passed = [leg.relay(packet, is_key=False) for _ in range(3)]
    assert [one is not None and bool(one[0]) for one in passed] == [True, False, False]
    assert leg.packets_sent == 1


def test_a_long_packet_is_cut_off_and_heard() -> None:
    keys = keys_of(Suite.AES_CM)
    us, them = Srtp(keys), Srtp(other_end(keys))
    assert us.read(them.write(sound_at(1, data=bytes(1_488)))).data == bytes(1_340)


def test_keys_are_in_no_text() -> None:
    keys = keys_of(Suite.AES_CM)
    assert str(AgreedSound(*PEER, Codec.PCMU, 0, 101, keys=keys)).endswith(
        "keys=SoundKeys(AES_CM_128_HMAC_SHA1_80, [not shown]))"
    )


def secure(keys: SoundKeys) -> AgreedSound:
    return AgreedSound(*PEER, Codec.PCMU, 0, 101, profile=Profile.SAVP, keys=keys)


class SecretStudio(Studio):
    """A studio whose telephones have keys."""

    def __init__(self, keys: SoundKeys) -> None:
        self.ends = {"a": Srtp(other_end(keys)), "b": Srtp(other_end(keys))}
        self.sounds: dict[str, list[bytes]] = {"a": [], "b": []}
        super().__init__("a", "b", sound=secure(keys))

    def _note(self, output: object) -> None:
        key, data = getattr(output, "key", ""), getattr(output, "data", b"")
        if not data:
            super()._note(output)  # type: ignore[arg-type] # an output as before
        elif getattr(output, "is_report", False):
            self.ends[key].read_report(data)
        else:
            self.sounds[key].append(self.ends[key].read(data).data)

    def hear(self, key: str, datagram: bytes) -> bytes | None:
        """Let a telephone send a datagram, and return what the other one hears of it."""
        passed = self.router.receive(self.now_ms, key, datagram, PEER)
        return None if passed is None else self.ends[passed.key].read(passed.data).data


@pytest.mark.parametrize("suite", Suite)
def test_a_leg_plays_and_passes_on_what_only_the_other_end_can_read(suite: Suite) -> None:
    studio = SecretStudio(keys_of(suite))
    studio.order("a", Play(1, ()), WORD * 3)
    studio.run(10_000)
    assert studio.sounds["a"][:3] == [WORD] * 3
    studio.order("a", Bridge(2, "b"))
    datagram = studio.ends["a"].write(sound_at(1))
    assert studio.hear("a", datagram) == WORD
    assert studio.hear("a", datagram) is None
    assert studio.hear("a", write_packet(sound_at(2))) is None
    key = replace(key_packets("5", 3, 5_000)[0], ssrc=7)
    assert studio.hear("a", write_packet(key)) is None
    assert studio.hear("a", studio.ends["a"].write(key)) == key.data
    assert (
        "; 3 packets were refused: not encrypted with the agreed key, or repeated" in studio.leg("a").quality_in_words()
    )


def test_the_other_side_may_change_its_key_in_mid_call() -> None:
    """Packets with the key before, which are on their way, are heard for a second."""
    before = keys_of(Suite.AES_CM)
    after = replace(before, theirs=keys_of(Suite.AES_CM, 2).theirs)
    studio, old, new = SecretStudio(before), Srtp(other_end(before)), Srtp(other_end(after))
    studio.order("a", Bridge(1, "b"))
    assert studio.hear("a", old.write(sound_at(1))) == WORD
    assert studio.hear("a", new.write(sound_at(2))) is None
    studio.leg("a").agree(studio.now_ms, secure(after))
    late = [studio.hear("a", old.write(sound_at(number))) for number in range(2, 80)]
    assert late == [WORD] * 50 + [None] * 28
    assert studio.hear("a", new.write(sound_at(80))) == WORD
    # Ours is as before, and its numbers go on.
    studio.leg("b").agree(studio.now_ms, secure(before))
    assert studio.hear("a", new.write(sound_at(81))) == WORD
