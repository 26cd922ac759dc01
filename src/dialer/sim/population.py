"""A made-up population: numbers that fill patterns, the same for the same seed."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice, zip_longest
from math import gcd
from typing import Final

from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.zones import zone_of_number
from dialer.sim.chance import Chance

PLACES_MAX: Final = 9
"""Digits of a pattern that are made up."""
ZONE_BLOCK_DIGITS: Final = 4
"""Numbers that differ in the last so many digits only are in one zone, as far as numbering plans tell."""
_SHAPE: Final = re.compile(rf"(\+?[0-9]+)(x{{1,{PLACES_MAX}}})\Z")
_NAME: Final = 0
"""Where campaigns have their id in the name of a chance; none has this one."""


class PopulationError(ValueError):
    """Raised for a pattern that no number can fill; the message is for its author."""


def capacity_of(patterns: tuple[str, ...]) -> int:
    """How many numbers patterns have room for.

    Raises:
        PopulationError: one of them is not a number in normal form whose last digits are `x`.
    """
    return sum(int(10 ** len(_split(pattern)[1])) for pattern in patterns)


def numbers_of(patterns: tuple[str, ...], size: int, seed: int) -> Iterator[str]:
    """`size` numbers in normal form, one of each pattern in turn while it has any; all of one pattern's are different.

    A pattern's numbers are a walk through all it has room for, in steps of a length that shares no factor with that.
    """
    walks = [_walk(pattern, seed, index) for index, pattern in enumerate(patterns)]
    in_turn = chain.from_iterable(zip_longest(*walks))
    return islice((number for number in in_turn if number is not None), size)


def zone_of_made_up(number: str) -> str:
    """The zone key of a made-up number: looked up once for each block of numbers, as a million look-ups take long."""
    return _zone_of_block(number[:-ZONE_BLOCK_DIGITS]) if number.startswith("+") else ""


@lru_cache(maxsize=65_536)
def _zone_of_block(prefix: str) -> str:
    return zone_of_number(prefix + "0" * ZONE_BLOCK_DIGITS)


def _walk(pattern: str, seed: int, index: int) -> Iterator[str]:
    prefix, places = _split(pattern)
    capacity = 10 ** len(places)
    chance = Chance(seed, _NAME, index, 0)
    serial, step = chance.between(0, capacity - 1), chance.between(1, capacity - 1)
    while gcd(step, capacity) != 1:
        step += 1
    for _ in range(capacity):
        yield f"{prefix}{serial:0{len(places)}d}"
        serial = (serial + step) % capacity


def _split(pattern: str) -> tuple[str, str]:
    match = _SHAPE.match(pattern)
    sample = pattern.replace("x", "0")
    try:
        is_normal = match is not None and normalise(sample) == sample
    except NumberError:
        is_normal = False
    if match is None or not is_normal:
        raise PopulationError(f"A pattern is a number with 1 to {PLACES_MAX} x at its end, such as +1202555xxxx.")
    return match[1], match[2]
