"""Voices of programs that speak: espeak-ng, and flite and festival if they are installed."""

import shutil
import subprocess
from array import array
from random import Random
from typing import Final, NamedTuple

import miniaudio  # type: ignore[import-untyped]

from dialer.carriers.media.rtp import RATE_HZ

PROGRAMS: Final = frozenset({"espeak-ng", "flite", "text2wave"})
"""Programs that speak. `text2wave` belongs to festival."""
TIMEOUT_S: Final = 30


class SpeechError(Exception):
    """A program cannot speak a text."""


class Voice(NamedTuple):
    """A voice of a program, and its language."""

    program: str
    language: str
    name: str


def _espeak(language: str, accents: tuple[str, ...], variants: tuple[str, ...]) -> tuple[Voice, ...]:
    return tuple(Voice("espeak-ng", language, one + variant) for one in accents for variant in variants)


_TUNED_VARIANTS: Final = ("", "+f2", "+m3", "+m7")
_OTHER_VARIANTS: Final = ("+f1", "+f3", "+f5", "+m1", "+m4", "+m8", "+Annie", "+Andy")
TUNED: Final = (
    *_espeak("en", ("en-us", "en-gb"), _TUNED_VARIANTS),
    *_espeak("de", ("de",), _TUNED_VARIANTS),
    *_espeak("es", ("es",), _TUNED_VARIANTS),
)
CHECKED: Final = (
    *_espeak("en", ("en-gb-scotland", "en-029", "en-gb-x-rp"), _OTHER_VARIANTS),
    *(voice for language in ("nl", "pl", "fi") for voice in _espeak(language, (language,), _OTHER_VARIANTS)),
    *_espeak("fr", ("fr-fr",), _OTHER_VARIANTS),
    *_espeak("it", ("it",), _OTHER_VARIANTS),
    *(Voice("flite", "en", name) for name in ("kal16", "slt", "awb", "rms")),
    *(Voice("text2wave", "en", name) for name in ("kal_diphone", "ked_diphone", "cmu_us_slt_arctic_hts")),
    *(Voice("text2wave", "it", name) for name in ("lp_diphone", "pc_diphone")),
    Voice("text2wave", "fi", "suo_fi_lj_diphone"),
)
"""Voices that detection is checked with. Those of flite and festival are left out where these are missing."""
_HELD_OUT_VARIANTS: Final = ("+f4", "+m2", "+m5", "+m6", "+belinda", "+caleb", "+grandma", "+antonio")
HELD_OUT: Final = (
    *_espeak("en", ("en-us-nyc", "en-gb-x-gbclan", "en-gb-x-gbcwmd"), _HELD_OUT_VARIANTS),
    *(
        voice
        for language in ("pt-br", "sv", "da", "cs", "ca")
        for voice in _espeak(language, (language,), _HELD_OUT_VARIANTS)
    ),
    Voice("flite", "en", "kal"),
    Voice("text2wave", "ca", "upc_ca_ona_hts"),
)
"""Voices of which nothing was heard while detection was written."""


def installed(voices: tuple[Voice, ...]) -> tuple[Voice, ...]:
    """Return the voices whose programs are installed."""
    programs = {program for program in {one.program for one in voices} if shutil.which(program)}
    return tuple(one for one in voices if one.program in programs)


def speak(voice: Voice, text: str, chance: Random) -> "array[int]":
    """Return a text as 16-bit samples, without silence at its ends, at a speed and a pitch by chance.

    Raises:
        SpeechError: the program cannot speak it.
    """
    command, given = _command(voice, text, chance)
    try:
        done = subprocess.run(command, input=given, check=True, capture_output=True, timeout=TIMEOUT_S)  # noqa: S603
        spoken = trimmed(_samples_of(voice, done.stdout))
    except (subprocess.SubprocessError, miniaudio.MiniaudioError) as error:
        raise SpeechError(f"{voice.program} cannot speak {text!r}: {error}.") from None
    if not spoken:
        raise SpeechError(f"{voice.program} makes silence of {text!r}.")
    return spoken


def _command(voice: Voice, text: str, chance: Random) -> tuple[list[str], bytes | None]:
    speed, pitch = chance.uniform(0.8, 1.25), chance.randrange(25, 75)
    match voice.program:
        case "espeak-ng":
            words_a_minute = str(round(170 * speed))
            return ["espeak-ng", "-v", voice.name, "-s", words_a_minute, "-p", str(pitch), "--stdout", text], None
        case "flite":
            stretch = f"duration_stretch={1 / speed:.2f}"
            return ["flite", "-voice", voice.name, "--setf", stretch, "-t", text, "-o", "/dev/stdout"], None
        case _:
            settings = f"(begin (voice_{voice.name}) (Parameter.set 'Duration_Stretch {1 / speed:.2f}))"
            return ["text2wave", "-eval", settings, "-F", str(RATE_HZ), "-otype", "raw", "-o", "-"], text.encode(
                "latin-1", "replace"
            )


def _samples_of(voice: Voice, spoken: bytes) -> "array[int]":
    if voice.program == "text2wave":
        return array("h", spoken[: len(spoken) - len(spoken) % 2])
    samples: array[int] = miniaudio.decode(spoken, nchannels=1, sample_rate=RATE_HZ).samples
    return samples


def trimmed(samples: "array[int]") -> "array[int]":
    """Return a sound without the silence at its begin and its end."""
    least = max(map(abs, samples), default=0) // 50
    loud = [place for place, sample in enumerate(samples) if abs(sample) > least]
    return samples[loud[0] : loud[-1] + 1] if loud else array("h")
