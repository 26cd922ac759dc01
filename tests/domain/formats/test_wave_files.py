"""Tests of headers of WAV files that do not know the length of the sound, as they come out of pipes and streams."""

import io
import struct
import wave

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.formats.wave_files import with_true_lengths

UNKNOWN = 0xFFFF_FFFF
LAYOUT = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8_000, 16_000, 2, 16)
SOUND = bytes(range(1, 201)) * 80
LISTED = b"LIST" + struct.pack("<I", 26) + b"INFOISFT\x0d\0\0\0Lavf61.7.103\0\0"


def wave_file(whole: int, sound: int, body: bytes = SOUND, *, before: bytes = b"", after: bytes = b"") -> bytes:
    """Return a WAV file whose header claims these lengths."""
    header = b"RIFF" + struct.pack("<I", whole) + b"WAVE" + LAYOUT + before + b"data" + struct.pack("<I", sound)
    return header + body + after


def frames(content: bytes) -> bytes:
    """Return the sound as the standard library reads it."""
    with wave.open(io.BytesIO(content), "rb") as file:
        return file.readframes(file.getnframes())


@pytest.mark.parametrize(
    ("whole", "sound"),
    [
        (0, 0),
        (UNKNOWN, UNKNOWN),
        (UNKNOWN, 0),
        (36, 0),
        (36 + len(SOUND), 0),
        (0x7FFF_F024, 0x7FFF_F000),
        (0x8000_0024, 0x8000_0000),
        (36 + len(SOUND), len(SOUND) + 4_000),
    ],
    ids=hex,
)
@pytest.mark.parametrize("before", [b"", LISTED])
def test_a_streamed_file_gets_its_true_lengths(whole: int, sound: int, before: bytes) -> None:
    mended = with_true_lengths(wave_file(whole, sound, before=before))
    assert mended == wave_file(36 + len(SOUND) + len(before), len(SOUND), before=before)
    assert frames(mended) == SOUND


def test_a_frame_that_was_cut_off_is_no_part_of_the_sound() -> None:
    mended = with_true_lengths(wave_file(0, 0, SOUND + b"\1"))
    assert mended == wave_file(37 + len(SOUND), len(SOUND), SOUND + b"\1")


@pytest.mark.parametrize(
    "content",
    [
        wave_file(36 + len(SOUND), len(SOUND)),
        wave_file(36 + len(SOUND), len(SOUND), after=LISTED),
        wave_file(36, 0, b""),
        wave_file(36 + len(LISTED), 0, b"", after=LISTED),
        b"RIFF\0\0\0\0AVI " + SOUND,
        b"",
    ],
)
def test_what_says_the_truth_or_is_none_stays_as_it_is(content: bytes) -> None:
    assert with_true_lengths(content) is content


@given(st.binary(max_size=60), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.binary(max_size=40))
def test_no_bytes_break_it_and_what_is_mended_is_true(body: bytes, whole: int, sound: int, noise: bytes) -> None:
    for content in (noise, b"RIFF" + noise, b"RIFF\0\0\0\0WAVE" + noise, wave_file(whole, sound, body)):
        mended = with_true_lengths(content)
        assert len(mended) == len(content)
        assert with_true_lengths(mended) == mended
