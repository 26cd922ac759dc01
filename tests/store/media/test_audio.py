"""Tests of the check of audio files, which reads only their bytes."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.formats.wave_files import CHUNKS_MAX
from dialer.store.media.audio import AudioError, AudioRecording, judge

PCM, ALAW, MULAW, EXTENSIBLE, FLOAT = 1, 6, 7, 0xFFFE, 3


def chunk(name: bytes, body: bytes, size: int | None = None) -> bytes:
    length = len(body) if size is None else size
    return name + struct.pack("<I", length) + body + b"\0" * (length % 2)


def layout(tag: int = PCM, channels: int = 1, rate: int = 8_000, bits: int = 16, frame: int | None = None) -> bytes:
    frame_bytes = channels * bits // 8 if frame is None else frame
    return chunk(b"fmt ", struct.pack("<HHIIHH", tag, channels, rate, rate * frame_bytes, frame_bytes, bits))


def wav(*chunks: bytes, size: int | None = None) -> bytes:
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body) if size is None else size) + body


SECOND = b"\0" * 16_000
GOOD = wav(layout(), chunk(b"data", SECOND))


@pytest.mark.parametrize(
    ("content", "recording"),
    [
        (GOOD, AudioRecording("pcm_s16le", 1, 8_000, 1_000)),
        (wav(layout(bits=8), chunk(b"data", SECOND)), AudioRecording("pcm_u8", 1, 8_000, 2_000)),
        (
            wav(layout(bits=24, rate=48_000), chunk(b"data", b"\0" * 144)),
            AudioRecording("pcm_s24le", 1, 48_000, 1),
        ),
        (wav(layout(bits=32, channels=2), chunk(b"data", SECOND)), AudioRecording("pcm_s32le", 2, 8_000, 250)),
        (wav(layout(ALAW, bits=8), chunk(b"data", b"\0" * 801)), AudioRecording("pcm_alaw", 1, 8_000, 101)),
        (
            wav(layout(MULAW, bits=8, channels=2), chunk(b"data", SECOND)),
            AudioRecording("pcm_mulaw", 2, 8_000, 1_000),
        ),
    ],
)
def test_every_encoding_that_is_played_is_known(content: bytes, recording: AudioRecording) -> None:
    assert judge(content) == recording


def test_the_extensible_form_says_the_encoding_later() -> None:
    guid = bytes.fromhex("0700000000001000800000aa00389b71")
    form = struct.pack("<HHIIHHHHI", EXTENSIBLE, 1, 8_000, 8_000, 1, 8, 22, 8, 0) + guid
    assert judge(wav(chunk(b"fmt ", form), chunk(b"data", SECOND))) == AudioRecording("pcm_mulaw", 1, 8_000, 2_000)


@pytest.mark.parametrize("claimed", [2**32 - 1, 2**31, 16_002])
def test_the_length_is_that_of_the_bytes_that_are_there(claimed: int) -> None:
    assert judge(wav(layout(), chunk(b"data", SECOND, size=claimed))).duration_ms == 1_000


@pytest.mark.parametrize("unknown", [0, 2**32 - 1])
def test_a_file_that_was_written_into_a_pipe_is_measured(unknown: int) -> None:
    assert judge(wav(layout(), b"data\0\0\0\0" + SECOND, size=unknown)).duration_ms == 1_000


def test_other_chunks_are_passed_over_even_those_of_odd_length() -> None:
    tags = [
        chunk(b"LIST", b"odd"),
        layout(),
        chunk(b"fact", b"1234"),
        chunk(b"data", SECOND),
        chunk(b"id3 ", b"x"),
    ]
    assert judge(wav(*tags)).duration_ms == 1_000


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "this is an empty file. It holds no sound"),
        (b"<html>", "this is a web page. It holds no sound"),
        (b"ID3\x04" + SECOND, "this is an MP3 file"),
        (b"\xff\xfb\x90\x44" + SECOND, "this is an MP3 file"),
        (b"OggS" + SECOND, "this is an Ogg file"),
        (b"RIFF\0\0\0\0AVI " + SECOND, "this is an AVI file. Open it in a sound editor"),
        (wav(), "holds no sound"),
        (wav(layout()), "holds no sound"),
        (wav(layout(), chunk(b"data", b"\0")), "holds no sound"),
        (wav(layout(), chunk(b"data", b""), chunk(b"LIST", SECOND)), "holds no sound"),
        (wav(chunk(b"data", SECOND), layout()), "sound before its format"),
        (wav(chunk(b"fmt ", b"\1\0\1\0"), chunk(b"data", SECOND)), "format of the WAV file is cut off"),
        (wav(layout(FLOAT, bits=32), chunk(b"data", SECOND)), "a WAV file with floating-point sound. Open it"),
        (wav(layout(EXTENSIBLE), chunk(b"data", SECOND)), "encoding that is not played"),
        (wav(layout(bits=12), chunk(b"data", SECOND)), "encoding that is not played"),
        (wav(layout(channels=3), chunk(b"data", SECOND)), "One or two channels"),
        (wav(layout(channels=0), chunk(b"data", SECOND)), "One or two channels"),
        (wav(layout(rate=0), chunk(b"data", SECOND)), "8,000 to 48,000 Hz"),
        (wav(layout(rate=96_000), chunk(b"data", SECOND)), "8,000 to 48,000 Hz"),
        (wav(layout(frame=0), chunk(b"data", SECOND)), "contradicts itself"),
        (wav(*[chunk(b"junk", b"")] * (CHUNKS_MAX + 1)), "more than 1000 chunks"),
    ],
)
def test_anything_else_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(AudioError, match=reason):
        judge(content)


@given(st.binary(max_size=200), st.integers(0, len(GOOD)), st.integers(0, 60))
def test_no_bytes_at_all_break_the_judge(noise: bytes, cut: int, at: int) -> None:
    for content in (noise, wav(noise), GOOD[:cut], GOOD[:at] + noise + GOOD[at + len(noise) :]):
        try:
            recording = judge(content)
        except AudioError:
            continue
        assert 0 < recording.duration_ms <= len(content)
