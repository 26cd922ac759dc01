"""The recordings of the demonstration, which are computed: a chime, and a voice that hums a sentence.

The voice is a train of grains, one for each pulse of the vocal cords. A grain is a sum of decaying sines, the formants
of a vowel. The sentence cannot be understood, but it has the rhythm, the melody and the length of a prompt.
"""

import io
import math
import wave
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import msgspec

RATE_HZ: Final = 8_000
"""The sample rate of telephones."""
_FULL_SCALE: Final = 32_767
_LOUDNESS: Final = 0.7
_GRAIN_S: Final = 0.02
_SYLLABLE_S: Final = 0.19
_BREATH_S: Final = 0.3
_CHIME_NOTE_S: Final = 0.22
_CHIME_DECAY: Final = 9.0
_PITCH_HZ: Final = 128.0
_PITCH_RANGE: Final = 0.22
_PITCH_FALL: Final = 0.18

Formant = tuple[float, float, float]
"""Frequency and bandwidth in Hz, and loudness."""

_VOWELS: Final[dict[str, tuple[Formant, ...]]] = {
    "a": ((750, 90, 1.0), (1_250, 110, 0.6), (2_600, 160, 0.2)),
    "e": ((480, 80, 1.0), (1_850, 110, 0.5), (2_550, 160, 0.3)),
    "i": ((300, 70, 1.0), (2_250, 120, 0.4), (2_950, 170, 0.3)),
    "o": ((480, 80, 1.0), (900, 100, 0.6), (2_450, 160, 0.1)),
    "u": ((330, 70, 1.0), (780, 100, 0.4), (2_300, 160, 0.1)),
}


class MadeRecording(msgspec.Struct, frozen=True):
    """A recording: a chime of notes in Hz, then a sentence of vowels, with a blank for a breath."""

    name: str
    chime_hz: tuple[float, ...]
    sentence: str

    @property
    def duration_ms(self) -> int:
        """The duration of the recording in milliseconds."""
        return len(_samples(self)) * 1_000 // RATE_HZ

    def wav(self) -> bytes:
        """Return the recording as a WAV file: 16-bit PCM, one channel, 8 kHz."""
        file = io.BytesIO()
        with wave.open(file, "wb") as writer:
            writer.setnchannels(1)
            writer.setsampwidth(2)
            writer.setframerate(RATE_HZ)
            writer.writeframes(_pcm(_samples(self)))
        return file.getvalue()


WELCOME: Final = MadeRecording("welcome", (523.25, 659.25, 783.99), "eo ia aeo uia eia oa ea")
DEPARTURE: Final = MadeRecording("departure", (), "ia oeu aie oa eia ou aeia iou ea oia eu aoe ia")
RATING: Final = MadeRecording("rating", (659.25,), "aie oua ei oa ueia oa ie")
TRAVELLERS: Final = MadeRecording("travellers", (587.33,), "ouia ea oie ua ioea")
THANKS: Final = MadeRecording("thanks", (783.99, 659.25, 523.25), "ea iou aoe")
CANCELLED: Final = MadeRecording("cancelled", (523.25, 440.0), "ia oe uai eoa iea ou")
CALLED_OFF: Final = MadeRecording("called-off", (440.0,), "ue aoi ea iou")
INVALID: Final = MadeRecording("invalid", (220.0, 196.0), "oe ai")
VOICEMAIL: Final = MadeRecording("voicemail", (523.25, 659.25), "eo ia aeo uia oea ie aoua ei oa")
RECORDINGS: Final = (WELCOME, DEPARTURE, RATING, TRAVELLERS, THANKS, CANCELLED, CALLED_OFF, INVALID, VOICEMAIL)
"""Every recording, in the order of the uploads."""


@lru_cache(maxsize=len(RECORDINGS))
def _samples(recording: MadeRecording) -> tuple[float, ...]:
    samples = [*_chime(recording.chime_hz), *_voice(recording.sentence)]
    loudest = max(map(abs, samples))
    return tuple(sample * _LOUDNESS / loudest for sample in samples)


def _pcm(samples: Sequence[float]) -> bytes:
    frames = array("h", (round(sample * _FULL_SCALE) for sample in samples))
    # WAV is little-endian on every machine.
    if array("H", [1]).tobytes() != b"\x01\x00":
        frames.byteswap()
    return frames.tobytes()


def _chime(notes_hz: Sequence[float]) -> Iterator[float]:
    for pitch_hz in notes_hz:
        for place in range(round(_CHIME_NOTE_S * RATE_HZ)):
            at_s = place / RATE_HZ
            overtones = math.sin(math.tau * pitch_hz * at_s) + 0.3 * math.sin(2 * math.tau * pitch_hz * at_s)
            yield overtones * math.exp(-_CHIME_DECAY * at_s)


def _voice(sentence: str) -> list[float]:
    """Return the samples of a sentence: each vowel is a syllable, and the pitch swings and falls towards the end."""
    samples = [0.0] * round((len(sentence) * _SYLLABLE_S + _BREATH_S + _GRAIN_S) * RATE_HZ)
    at_s = 0.0
    while at_s < len(sentence) * _SYLLABLE_S:
        syllable = int(at_s / _SYLLABLE_S)
        vowel = sentence[syllable]
        if vowel in _VOWELS:
            swell = math.sin(math.pi * (at_s / _SYLLABLE_S - syllable))
            _add(samples, round(at_s * RATE_HZ), _grain(vowel), swell)
        at_s += 1 / _pitch_hz(at_s, len(sentence))
    return samples


def _pitch_hz(at_s: float, syllables: int) -> float:
    through = at_s / (syllables * _SYLLABLE_S)
    swing = math.sin(math.tau * at_s / (5 * _SYLLABLE_S))
    return _PITCH_HZ * (1 + _PITCH_RANGE * swing - _PITCH_FALL * through)


@lru_cache(maxsize=len(_VOWELS))
def _grain(vowel: str) -> tuple[float, ...]:
    return tuple(
        sum(
            loudness * math.exp(-math.pi * width_hz * at_s) * math.sin(math.tau * pitch_hz * at_s)
            for pitch_hz, width_hz, loudness in _VOWELS[vowel]
        )
        for at_s in (place / RATE_HZ for place in range(round(_GRAIN_S * RATE_HZ)))
    )


def _add(samples: list[float], start: int, grain: Sequence[float], loudness: float) -> None:
    for place, sample in enumerate(grain, start):
        samples[place] += sample * loudness
