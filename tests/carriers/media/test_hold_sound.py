"""Tests of the sound that callees hear on hold: nobody, and no telephone, takes it for ringing, busy or a key."""

import pickle
from typing import Final

from dialer.carriers.media import g711
from dialer.carriers.media.dtmf_inband import InbandDtmf
from dialer.carriers.media.frequencies import energy, power
from dialer.carriers.media.hold_sound import hold_sound
from dialer.carriers.media.orders_in_progress import PlayingHoldSound
from dialer.carriers.media.rtp import FRAME_SAMPLES, RATE_HZ
from dialer.domain.sessions.leg_protocol import Bridge, Hold
from tests.carriers.media.studio import Studio

NETWORK_HZ: Final = (350, 400, 425, 440, 450, 480, 620)
"""The frequencies of ringing, busy, congestion and dialling."""
HALF: Final = RATE_HZ // 2


def test_it_has_no_frequency_of_a_network_no_pause_and_no_steady_tone() -> None:
    samples = g711.decode(hold_sound())
    halves = [samples[at : at + HALF] for at in range(0, len(samples), HALF)]
    energies = [energy(half) for half in halves]
    for half, total in zip(halves, energies, strict=True):
        assert max(power(half, hz) for hz in NETWORK_HZ) * 2 < 0.02 * total * len(half)
    assert min(energies) > 100**2 * HALF
    assert all(first > 3 * then for first, then in zip(energies[::2], energies[1::2], strict=True))
    assert max(map(abs, samples)) < 2_500


def test_no_key_is_heard_in_it() -> None:
    finder, sound = InbandDtmf(), hold_sound()
    heard = [finder.key_of(sound[at : at + FRAME_SAMPLES]) for at in range(0, len(sound), FRAME_SAMPLES)]
    assert set(heard) == {None}


def test_music_begins_again_after_its_end_which_is_filled_with_silence() -> None:
    first, rest = bytes(range(FRAME_SAMPLES)), b"\x11" * 7
    playing = PlayingHoldSound(1, first + rest)
    frames = [playing.next_frame() for _ in range(5)]
    last = rest + b"\xff" * (FRAME_SAMPLES - len(rest))
    assert frames == [first, last, first, last, first]


def test_the_notes_are_heard_where_there_is_no_music() -> None:
    assert PlayingHoldSound(1, b"").next_frame() == hold_sound()[:FRAME_SAMPLES]


def test_a_leg_that_moves_takes_no_music_along_and_hears_its_next_order() -> None:
    """Ten minutes of music would fill the way to the process that carries the leg from then on."""
    studio = Studio("callee", "agent")
    studio.order("callee", Hold(4, file="music.wav"), bytes(600 * RATE_HZ))
    studio.run(100)
    moved = studio.router.release("callee")
    assert moved is not None
    moving = pickle.dumps(moved)
    assert len(moving) < 20_000
    studio.router.add(pickle.loads(moving))  # noqa: S301 - our own
    studio.order("callee", Hold(4, file="music.wav"), bytes(RATE_HZ))
    assert not isinstance(studio.leg("callee").activity, PlayingHoldSound)
    studio.order("callee", Bridge(5, "agent"))
    assert studio.leg("callee").bridged is studio.leg("agent")
