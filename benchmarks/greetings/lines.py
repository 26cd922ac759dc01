"""Lines of telephones: their noises, their remains of ringing, their codecs and their losses."""

import math
from array import array
from collections.abc import Callable, Iterator
from random import Random
from typing import Final, NamedTuple

from dialer.carriers.media import g711
from dialer.carriers.media.rtp import RATE_HZ

BED_S: Final = 8
DROP_SHARE: Final = 0.005
"""Share of the samples of rain at which a drop falls."""
Samples = list[float]


class Packet(NamedTuple):
    """A packet of sound that arrives: its timestamp, and its µ-law."""

    timestamp: int
    data: bytes


def silence(length_ms: int) -> Samples:
    """Return nothing."""
    return [0.0] * (RATE_HZ * length_ms // 1_000)


def tones(frequencies_hz: tuple[float, ...], length_ms: int, level: float) -> Samples:
    """Return tones together; `level` is the amplitude of each."""
    steps = [2 * math.pi * hz / RATE_HZ for hz in frequencies_hz]
    return [level * sum(math.sin(step * at) for step in steps) for at in range(RATE_HZ * length_ms // 1_000)]


def _white(chance: Random) -> Samples:
    return [chance.uniform(-1, 1) for _ in range(BED_S * RATE_HZ)]


def _room(chance: Random) -> Samples:
    """Return the low noise of a room."""
    state, found = 0.0, []
    for one in _white(chance):
        state += 0.2 * (one - state)
        found.append(state)
    return found


def _street(chance: Random) -> Samples:
    """Return the noise of a street, which swells and fades."""
    return [one * (1.2 + math.sin(at / 3_100) + 0.5 * math.sin(at / 870)) for at, one in enumerate(_room(chance))]


def _hum(hz: float) -> Callable[[Random], Samples]:
    """Return the maker of a hum with its harmonics."""

    def make(chance: Random) -> Samples:
        harmonics = [(2 * math.pi * hz * each / RATE_HZ, chance.uniform(0.2, 1) / each) for each in (1, 2, 3, 5)]
        hiss = _white(chance)
        return [sum(a * math.sin(w * at) for w, a in harmonics) + 0.02 * hiss[at] for at in range(BED_S * RATE_HZ)]

    return make


def _fan(chance: Random) -> Samples:
    """Return the noise of a fan: low, and with its blades."""
    return [one * (1 + 0.4 * math.sin(at / 57)) for at, one in enumerate(_room(chance))]


def _rain(chance: Random) -> Samples:
    """Return drops, each a short burst, over a hiss."""
    level, found = 0.0, []
    for one in _white(chance):
        level = chance.uniform(1, 4) if chance.random() < DROP_SHARE else 0.97 * level
        found.append(one * (0.3 + level))
    return found


TUNED_NOISES: Final = {"white": _white, "room": _room, "hum of 50 Hz": _hum(50)}
CHECKED_NOISES: Final = {"street": _street, "hum of 60 Hz": _hum(60)}
HELD_OUT_NOISES: Final[dict[str, Callable[[Random], Samples]]] = {"fan": _fan, "rain": _rain}


def power_of(samples: "Samples | array[int]") -> float:
    """Return the root of the mean square."""
    return math.sqrt(sum(one * one for one in samples) / max(1, len(samples)))


def mixed(sound: Samples, noise: Samples, power: float) -> Samples:
    """Return a sound with noise of a power all along, which begins anew after its end."""
    gain = power / max(1e-9, power_of(noise))
    times = -(-len(sound) // len(noise))
    return [one + gain * two for one, two in zip(sound, noise * times, strict=False)]


def babble(voices: list[Samples]) -> Samples:
    """Return voices that speak at the same time, again and again."""
    length = BED_S * RATE_HZ
    endless = [voice * (1 + length // max(1, len(voice))) for voice in voices]
    return [sum(each) for each in zip(*(one[:length] for one in endless), strict=True)]


def packets(sound: Samples, chance: Random, *, is_alaw: bool, packet_ms: int, loss: float) -> Iterator[Packet]:
    """Yield the packets that arrive, coded once with the codec of the line. Losses come alone or in twos."""
    ulaw = g711.encode(array("h", [max(-32_768, min(32_767, round(one))) for one in sound]))
    if is_alaw:
        ulaw = ulaw.translate(g711.ALAW_OF_ULAW).translate(g711.ULAW_OF_ALAW)
    size, lost = packet_ms * RATE_HZ // 1_000, 0
    for start in range(0, len(ulaw) - size + 1, size):
        if not lost and chance.random() < loss:
            lost = chance.choice((1, 1, 2))
        if lost:
            lost -= 1
        else:
            yield Packet(start, ulaw[start : start + size])
