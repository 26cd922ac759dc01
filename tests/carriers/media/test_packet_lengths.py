"""Tests of the lengths of packets that the other side wants (RFC 8866 6.4, 6.5), and of the place of its reports."""

from itertools import pairwise
from typing import Final

import pytest
from msgspec.structs import replace

from dialer.carriers.media.dtmf_inband import tone
from dialer.carriers.media.rtp import RtpPacket, read_packet
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.sip.offer_answer import agree_on
from dialer.carriers.sip.sdp import AgreedSound, Codec, read_sound, write_offer
from dialer.domain.sessions.leg_protocol import Bridge, Play
from tests.carriers.media.studio import PEER, Studio
from tests.carriers.media.test_streams import packets
from tests.carriers.sip.network import OURS, THEIRS, TRUNK

BOTH: Final = (Codec.PCMU, Codec.PCMA)
PROMPT: Final = tone((440,), 400)


def described(*attributes: str, host: str = PEER[0]) -> AgreedSound:
    """Return the sound of a description with these attributes."""
    offer = write_offer(replace(THEIRS, host=host, port=PEER[1], codecs=(Codec.PCMU,)))
    lines = "".join(f"{attribute}\r\n" for attribute in attributes).encode()
    return read_sound(offer.replace(b"a=ptime:20\r\n", lines), BOTH)


def is_whole(sent: list[RtpPacket]) -> bool:
    """Return whether packets follow each other without a gap."""
    return all(
        (later.sequence, later.timestamp) == (earlier.sequence + 1, earlier.timestamp + len(earlier.data))
        for earlier, later in pairwise(sent)
    )


@pytest.mark.parametrize(
    ("attributes", "length_ms"),
    [
        ((), 20),
        (("a=ptime:20", "a=maxptime:150"), 20),
        (("a=ptime:30", "a=maxptime:60"), 20),
        (("a=ptime:10", "a=maxptime:10"), 10),
        (("a=ptime:10",), 10),
        (("a=maxptime:15",), 10),
        (("a=maxptime: 5",), 5),
        (("a=ptime:1",), 5),
        (("a=ptime:none",), 20),
    ],
)
def test_a_prompt_is_sent_in_packets_that_the_other_side_takes(attributes: tuple[str, ...], length_ms: int) -> None:
    studio = Studio("a", sound=described(*attributes))
    studio.order("a", Play(1, ()), PROMPT)
    each_quarter = []
    for _ in range(400 // 5):
        before = len(studio.sent["a"])
        studio.run_quarters(1)
        each_quarter.append(len(studio.sent["a"]) - before)
    sent = studio.sent["a"]
    assert {len(packet.data) for packet in sent} == {8 * length_ms}
    assert b"".join(packet.data for packet in sent) == PROMPT
    assert is_whole(sent)
    assert [packet.is_marked for packet in sent] == [True] + [False] * (len(sent) - 1)
    # They are sent evenly, and not all at once.
    assert max(each_quarter) == 1


@pytest.mark.parametrize("ptime_ms", [10, 20, 30, 60])
@pytest.mark.parametrize("longest_ms", [5, 10, 20, 40])
def test_a_bridge_cuts_packets_that_are_too_long_for_the_other_side(ptime_ms: int, longest_ms: int) -> None:
    studio = Studio("a", sound=described())
    other = SoundLeg("b", 9 << 60, SoundTerms())
    other.agree(0, described(f"a=maxptime:{longest_ms}"))
    studio.router.add(other)
    studio.sent["b"] = []
    studio.order("a", Bridge(1, "b"))
    for packet in packets(tone((440,), 600), ptime_ms):
        studio.sent["b"] += [read_packet(one.data) for one in studio.say("a", packet)]
        studio.run_quarters(ptime_ms // 5)
    studio.run(80)
    sent = studio.sent["b"]
    assert max(len(packet.data) for packet in sent) == 8 * min(ptime_ms, longest_ms)
    assert b"".join(packet.data for packet in sent) == tone((440,), 600)
    assert is_whole(sent)


@pytest.mark.parametrize(
    ("attribute", "destination"),
    [
        ("a=sendrecv", (PEER[0], PEER[1] + 1)),
        ("a=rtcp:53020", (PEER[0], 53_020)),
        (f"a=rtcp:53020 IN IP4 {PEER[0]}", (PEER[0], 53_020)),
        ("a=rtcp:53020 IN IP4 198.51.100.9", ("198.51.100.9", 53_020)),
        # Nothing goes to this machine, to many, to another network, or to a name.
        ("a=rtcp:53020 IN IP4 127.0.0.1", (PEER[0], PEER[1] + 1)),
        ("a=rtcp:53020 IN IP4 224.0.1.1", (PEER[0], PEER[1] + 1)),
        ("a=rtcp:53020 IN IP6 2001:db8::1", (PEER[0], PEER[1] + 1)),
        ("a=rtcp:53020 IN IP4 phone.example", (PEER[0], PEER[1] + 1)),
        ("a=rtcp:0", (PEER[0], PEER[1] + 1)),
        ("a=rtcp:99999", (PEER[0], PEER[1] + 1)),
    ],
)
def test_reports_go_where_the_other_side_wants_them(attribute: str, destination: tuple[str, int]) -> None:
    offer = write_offer(replace(THEIRS, port=PEER[1])).replace(b"a=ptime:20", attribute.encode())
    leg = SoundLeg("a", 7 << 60, SoundTerms())
    leg.agree(0, agree_on(offer, OURS, TRUNK))
    found = leg.look(60_000)
    assert found is not None
    assert found[1] == destination


def test_a_port_that_has_no_next_one_gets_no_reports() -> None:
    leg = SoundLeg("a", 7 << 60, SoundTerms())
    leg.agree(0, replace(described(), port=65_535))
    assert leg.look(60_000) is None
