"""Detection of people, machines and beeps in greetings that espeak-ng speaks: `python -m benchmarks.detecting`.

It measures no speed. Each greeting is spoken by five voices at three speeds and three levels, over a quiet line and one
with noise. The tables show what people and machines were taken for. Real voices are harder to tell.
"""

import json
import shutil
import statistics
import subprocess
import sys
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Final, NamedTuple

from dialer.carriers.media import g711
from dialer.carriers.media.listening import AwaitingBeep, Detecting
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES, RATE_HZ
from dialer.carriers.media.tones import tone
from dialer.carriers.voice.sound_files import decode_sound
from dialer.domain.enums import AmdStatus

PEOPLE: Final = (
    *("Hello?", "Yes?", "Smith.", "Anna Smith speaking.", "Hello, who is this?"),
    *("Good morning, this is Anna Smith.", "Smith and partners, how may I help you?"),
)
MACHINES: Final = (
    "You have reached Anna Smith. Please leave a message after the tone.",
    "Hi, this is Anna. I am not at home right now, but leave your name and number and I will call you back.",
    "The person you have called is not available. Please try again later.",
    "Welcome to the voice mail of nine one seven, five five five, zero one zero zero. Speak after the beep.",
)
VOICES: Final = ("en-us", "en-gb", "en-us+f3", "en-gb+m3", "en-us+m7")
WORDS_A_MINUTE: Final = (140, 175, 210)
LEVELS: Final = (25, 60, 100)
NOISES: Final = (1, 400)
"""Largest amplitude of the line's noise, of 32,767."""
AFTER_S: Final = 5
BEEP_HZ: Final = 1_000
BEEP_MS: Final = 400
_CHANCE: Final = Random(1)
_EACH: Final = len(VOICES) * len(WORDS_A_MINUTE) * len(LEVELS)


class Heard(NamedTuple):
    """The verdict on a greeting, and after how many milliseconds it came."""

    status: AmdStatus
    after_ms: int


def spoken(program: str, texts: tuple[str, ...]) -> Iterator[bytes]:
    """Yield each text by each voice, at each speed and level, as µ-law."""
    for text, voice, speed, level in product(texts, VOICES, WORDS_A_MINUTE, LEVELS):
        command = [program, "-v", voice, "-s", str(speed), "-a", str(level), "--stdout", text]
        yield decode_sound(subprocess.check_output(command), text)  # noqa: S603 - found in the path


def over_the_line(sound: bytes, noise: int) -> bytes:
    """Return what comes out of a line with noise, which goes on after the sound."""
    samples = g711.decode(sound) + array("h", bytes(2 * AFTER_S * RATE_HZ))
    noisy = [max(-32_768, min(32_767, one + _CHANCE.randint(-noise, noise))) for one in samples]
    return g711.encode(array("h", noisy))


def listened(activity: Detecting | AwaitingBeep, sound: bytes) -> Heard | None:
    """Return what an order finds in a sound, frame by frame; None if it finds nothing."""
    for place in range(0, len(sound) - FRAME_SAMPLES, FRAME_SAMPLES):
        activity.next_frame()
        activity.take_frame(place, sound[place : place + FRAME_SAMPLES])
        done = activity.done(0)
        if done is not None and done.status is not None:
            return Heard(done.status, place * 1_000 // RATE_HZ + FRAME_MS)
    return None


def confusion(texts: tuple[str, ...], greetings: list[bytes], noise: int) -> dict[str, object]:
    """Return what the greetings were taken for, and when, and which texts were taken for a machine's."""
    found = [listened(Detecting(1), over_the_line(one, noise)) or Heard(AmdStatus.UNSURE, 0) for one in greetings]
    taken = Counter(one.status.name.lower() for one in found)
    median_s = statistics.median(one.after_ms for one in found) / 1_000
    are_machines = [one.status is AmdStatus.MACHINE for one in found]
    by_text = {text: sum(are_machines[place * _EACH : (place + 1) * _EACH]) for place, text in enumerate(texts)}
    shown = {"greetings": len(greetings), **taken, "decided after, median s": median_s}
    return {**shown, f"taken for a machine, of {_EACH} each": by_text}


def beeps(greetings: list[bytes], noise: int) -> dict[str, object]:
    """Return how many beeps after greetings were found, how late, and how many greetings had one without a beep."""
    found, too_early, late_ms = 0, 0, list[int]()
    for greeting in greetings:
        whole = over_the_line(greeting + tone((BEEP_HZ,), BEEP_MS), noise)
        ends_ms = len(greeting) * 1_000 // RATE_HZ + BEEP_MS
        heard = listened(AwaitingBeep(1), whole)
        if heard is not None and heard.after_ms < ends_ms:
            too_early += 1
        elif heard is not None:
            found += 1
            late_ms.append(heard.after_ms - ends_ms)
    after_ms = statistics.median(late_ms) if late_ms else None
    return {"beeps": len(greetings), "found": found, "in the greeting": too_early, "after its end, median ms": after_ms}


def main() -> None:
    """Print the tables."""
    program = shutil.which("espeak-ng")
    if program is None:
        sys.stderr.write("The tables of detection are left out: they need espeak-ng (Debian: apt install espeak-ng)\n")
        return
    people, machines = list(spoken(program, PEOPLE)), list(spoken(program, MACHINES))
    for noise in NOISES:
        rows = {
            "people": confusion(PEOPLE, people, noise),
            "machines": confusion(MACHINES, machines, noise),
        }
        rows["beep"] = beeps(machines, noise)
        for name, row in rows.items():
            sys.stderr.write(f"noise {noise}, {name}: {row}\n")
        print(json.dumps({"title": "detection", "noise": noise, **rows}))


if __name__ == "__main__":
    main()
