"""Tests of the demonstration's recordings: telephone sound, different lengths, reproducible."""

import io
import wave
from array import array

import pytest

from dialer.demo.recordings import RECORDINGS, WELCOME, MadeRecording
from dialer.store.media.audio import AudioRecording as Judged
from dialer.store.media.audio import judge

named = pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.name)


@named
def test_a_recording_has_the_format_that_the_service_plays(recording: MadeRecording) -> None:
    assert judge(recording.wav()) == Judged("pcm_s16le", channels=1, rate_hz=8_000, duration_ms=recording.duration_ms)


@named
def test_a_recording_can_be_heard_and_does_not_crackle(recording: MadeRecording) -> None:
    with wave.open(io.BytesIO(recording.wav())) as reader:
        samples = array("h", reader.readframes(reader.getnframes()))
    assert max(map(abs, samples)) == round(0.7 * 32_767)


def test_no_two_recordings_are_equally_long() -> None:
    assert len({recording.duration_ms for recording in RECORDINGS}) == len(RECORDINGS)


def test_a_chime_and_a_sentence_take_their_time() -> None:
    """Three notes of 220 ms, 23 syllables and breaths of 190 ms, and a decay of 320 ms."""
    assert WELCOME.duration_ms == 3 * 220 + 23 * 190 + 320


def test_the_same_recording_is_made_again() -> None:
    once = MadeRecording("a", (440.0,), "ai ou")
    assert once.wav() == MadeRecording("a", (440.0,), "ai ou").wav()
