"""Generated population: phone numbers that match patterns, equal for equal seeds."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice, zip_longest
from math import gcd
from typing import Final

from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.sim.chance import Chance

PLACES_MAX: Final = 9
"""Limit of generated digits in a pattern."""
ZONE_BLOCK_DIGITS: Final = 4
"""Trailing digits that do not affect a number's zone, according to the numbering plans."""
_SHAPE: Final = re.compile(rf"(\+?[0-9]+)(x{{1,{PLACES_MAX}}})\Z")
_NAME: Final = 0
"""Campaign id in the name of the chance. No campaign has this id."""


class PopulationError(ValueError):
    """Raised for a pattern that matches no valid number. The message is meant for the author of the pattern."""


def capacity_of(patterns: tuple[str, ...]) -> int:
    """Return the number of phone numbers that the patterns can produce.

    Raises:
        PopulationError: a pattern is not a number in normal form whose last digits are `x`.
    """
    return sum(int(10 ** len(_split(pattern)[1])) for pattern in patterns)


def numbers_of(patterns: tuple[str, ...], size: int, seed: int) -> Iterator[str]:
    """Yield `size` numbers in normal form, one of each pattern in turn until it is exhausted.

    The numbers of one pattern are all different. They step through its range by a step that is coprime to its size.
    """
    walks = [_walk(pattern, seed, index) for index, pattern in enumerate(patterns)]
    in_turn = chain.from_iterable(zip_longest(*walks))
    return islice((number for number in in_turn if number is not None), size)


def zone_of_made_up(number: str) -> str:
    """Return the zone key of a generated number.

    Zones are cached by block of numbers, because a million lookups take long.
    """
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
        is_normal = match is not None and normalise(sample, None) == sample
    except NumberError:
        is_normal = False
    if match is None or not is_normal:
        raise PopulationError(f"A pattern is a number with 1 to {PLACES_MAX} x at its end, such as +1202555xxxx.")
    return match[1], match[2]
