"""Calls that are answered: greetings over lines, made from a seed, to tune detection with or to measure it."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from typing import Final, NamedTuple

from benchmarks.greetings import lines, texts, voices
from benchmarks.greetings.lines import Packet, Samples
from benchmarks.greetings.texts import Texts
from benchmarks.greetings.voices import SpeechError, Voice
from dialer.carriers.media.rtp import RATE_HZ

AFTER_MS: Final = 4_000
"""Silence of the callee after the greeting."""
BABBLE_VOICES: Final = 4
PAUSES_MS: Final = {False: (150, 450), True: (200, 600)}
"""Pauses within a greeting of a person, and of a machine."""
BEEP_SHARE: Final = 0.75
"""Share of the machines that beep."""
REMAINS_SHARE: Final = 0.2
"""Share of the calls in which ringing or music is heard after the answer."""
TRIES_MAX: Final = 20


class Answer(NamedTuple):
    """A call from its answer on."""

    is_machine: bool
    text: str
    voice: Voice
    line: str
    """The noise, the codec and the losses, for people."""
    packets: tuple[Packet, ...]
    packet_ms: int
    begins_ms: int
    ends_ms: int
    """The begin and the end of the greeting."""
    beep_ms: tuple[int, int] | None
    """The begin and the end of the beep."""
    length_ms: int


class Material(NamedTuple):
    """The texts, the voices and the lines of a set of calls."""

    texts: dict[str, Texts]
    voices: tuple[Voice, ...]
    noises: dict[str, Samples]
    beeps_hz: tuple[int, ...]
    remains: tuple[Samples, ...]
    """Ends of ringing and of music that are heard after the answer."""
    packets_ms: tuple[int, ...]
    losses: tuple[float, ...]


def _noises(makers: dict[str, Callable[[Random], Samples]], chance: Random) -> dict[str, Samples]:
    return {name: make(chance) for name, make in makers.items()}


def tuned(chance: Random) -> Material:
    """Return the material that detection was tuned with."""
    spoken = voices.installed(voices.TUNED)
    return Material(
        texts.TUNED,
        spoken,
        {**_noises(lines.TUNED_NOISES, chance), "babble": _babble(texts.TUNED, spoken, chance)},
        (440, 1_000, 1_400),
        (lines.tones((425,), 300, 2_000), lines.tones((440, 480), 200, 1_500), lines.tones((294, 370, 440), 350, 900)),
        (20, 20, 10, 30, 60),
        (0.0, 0.01, 0.03),
    )


def checked(chance: Random, programs: frozenset[str] = voices.PROGRAMS) -> Material:
    """Return material that detection was not tuned with. Its errors were looked at while detection was written."""
    spoken = voices.installed(tuple(one for one in voices.CHECKED if one.program in programs))
    return Material(
        texts.CHECKED,
        spoken,
        {**_noises(lines.CHECKED_NOISES, chance), "babble": _babble(texts.CHECKED, spoken, chance)},
        (400, 620, 850, 1_200, 1_633, 2_000),
        (
            lines.tones((400, 450), 250, 1_500),
            lines.tones((350,), 400, 1_800),
            [*lines.tones((523, 659), 180, 800), *lines.tones((392, 587, 784), 260, 800)],
        ),
        (20, 20, 10, 30, 60),
        (0.0, 0.01, 0.03),
    )


def held_out(chance: Random) -> Material:
    """Return texts, voices, noises, beeps and remains of ringing that were made after detection was written."""
    spoken = voices.installed(voices.HELD_OUT)
    return Material(
        texts.HELD_OUT,
        spoken,
        {**_noises(lines.HELD_OUT_NOISES, chance), "babble": _babble(texts.HELD_OUT, spoken, chance)},
        (480, 700, 950, 1_100, 1_500, 1_850),
        (
            lines.tones((425,), 350, 1_200),
            lines.tones((350, 440), 300, 1_600),
            [*lines.tones((440, 554), 220, 900), *lines.tones((349, 440, 523), 200, 700)],
        ),
        (20, 20, 10, 30, 40),
        (0.0, 0.01, 0.03),
    )


def _babble(given: dict[str, Texts], spoken: tuple[Voice, ...], chance: Random) -> Samples:
    """Return voices of the set that speak at the same time."""
    some = chance.sample(spoken, BABBLE_VOICES)
    together = [voices.speak(one, chance.choice(given[one.language].machines).replace("|", ""), chance) for one in some]
    return lines.babble([[float(sample) for sample in one] for one in together])


def answers(material: Material, chance: Random, count: int, *, is_machine: bool) -> Iterator[Answer]:
    """Yield calls by chance, as many in each language, and in each language as many by each program that speaks it."""
    for _ in range(count):
        yield _spoken_answer(material, chance, is_machine=is_machine)


def _spoken_answer(material: Material, chance: Random, *, is_machine: bool) -> Answer:
    """Return a call. Another voice and text are chosen if a program cannot speak one."""
    for _ in range(TRIES_MAX):
        language = chance.choice(sorted(material.texts))
        speaking = [one for one in material.voices if one.language == language]
        program = chance.choice(sorted({one.program for one in speaking}))
        voice = chance.choice([one for one in speaking if one.program == program])
        spoken = material.texts[language]
        text = chance.choice(spoken.machines if is_machine else spoken.people)
        with suppress(SpeechError):
            return _answer(material, chance, voice, text, is_machine=is_machine)
    raise SpeechError("No program can speak.")


def _answer(material: Material, chance: Random, voice: Voice, text: str, *, is_machine: bool) -> Answer:
    greeting = _greeting(voice, text, chance, is_machine=is_machine)
    power = 10 ** chance.uniform(2.4, 3.6)
    gain = power / max(1.0, lines.power_of(greeting))
    start, beep = _start(material, chance), list[float]()
    sound = [*start, *(gain * one for one in greeting)]
    begins_ms, ends_ms, beep_ms = _ms(start), _ms(sound), None
    if is_machine and chance.random() < BEEP_SHARE:
        hz, level = chance.choice(material.beeps_hz), chance.uniform(1, 3) * power
        beep = lines.tones((hz,), chance.randrange(200, 900), level)
        sound += lines.silence(chance.randrange(100, 1_000))
        beep_ms = (_ms(sound), _ms(sound) + _ms(beep))
    sound += beep + lines.silence(AFTER_MS)
    name = chance.choice(("quiet", *material.noises))
    noise, below_db = material.noises.get(name), chance.uniform(12, 30)
    quiet = [chance.uniform(-6, 6) for _ in range(RATE_HZ)]
    sound = lines.mixed(sound, quiet, 4) if noise is None else lines.mixed(sound, noise, power / 10 ** (below_db / 20))
    is_alaw, packet_ms, loss = (
        chance.choice((True, False)),
        chance.choice(material.packets_ms),
        chance.choice(material.losses),
    )
    line = f"{name}{'' if noise is None else f' {below_db:.0f} dB'}, {'A' if is_alaw else 'µ'}-law, loss {loss:.0%}"
    arriving = tuple(lines.packets(sound, chance, is_alaw=is_alaw, packet_ms=packet_ms, loss=loss))
    return Answer(is_machine, text, voice, line, arriving, packet_ms, begins_ms, ends_ms, beep_ms, _ms(sound))


def _ms(sound: Samples) -> int:
    return len(sound) * 1_000 // RATE_HZ


def _greeting(voice: Voice, text: str, chance: Random, *, is_machine: bool) -> Samples:
    """Return the parts of a text with pauses between them, all at one speed and pitch."""
    sound, seed = list[float](), chance.random()
    for part in text.split("|"):
        if sound:
            sound += lines.silence(chance.randrange(*PAUSES_MS[is_machine]))
        sound += voices.speak(voice, part.strip(), Random(seed))
    return sound


def _start(material: Material, chance: Random) -> Samples:
    """Return the time before the greeting, in some calls with remains of ringing."""
    remains = chance.choice(material.remains) if chance.random() < REMAINS_SHARE else []
    return [*remains, *lines.silence(chance.randrange(100, 1_200))]
