"""Lengths of time and chances in the parameters of simulated callees and agents: how they are given, and drawn."""

from collections.abc import Container, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final, TypeGuard, TypeVar

import msgspec

from dialer.sim.chance import Chance, threshold

_Name = TypeVar("_Name", bound=str)
SECONDS_MAX: Final = 86_400
DECILES: Final = 11
"""Numbers of a measured distribution: the least, the nine deciles, and the most."""
_NAME_SHOWN_MAX: Final = 40
"""Characters of an unknown key that an error message repeats."""


class BehaviourError(ValueError):
    """Raised for parameters that describe no valid behaviour. The message begins with the invalid key."""


class Span(msgspec.Struct, frozen=True, gc=False):
    """Distribution of a length of time in milliseconds.

    The length is uniform from `least_ms` to `most_ms`, both included, or if `mean_ms` is not 0, exponential, or else
    measured: uniform between two neighbours of `deciles_ms`, each pair with the same chance.
    """

    least_ms: int
    most_ms: int
    mean_ms: int = 0
    """Mean of the exponential or the measured distribution; 0 for a uniform length."""
    deciles_ms: tuple[int, ...] = ()


def draw(span: Span, chance: Chance) -> int:
    """Draw a duration in milliseconds from a span. A span of one length draws nothing."""
    least_ms, most_ms = span.least_ms, span.most_ms
    if span.mean_ms:
        return _draw_measured(span, chance) if span.deciles_ms else chance.exponential(span.mean_ms)
    if least_ms == most_ms:
        return least_ms
    return least_ms + ((chance.left or chance.computed()).pop() * (most_ms - least_ms + 1) >> 64)  # As `between`.


def _draw_measured(span: Span, chance: Chance) -> int:
    place = chance.between(0, DECILES - 2)
    return chance.between(span.deciles_ms[place], span.deciles_ms[place + 1])


def read_span(place: str, value: object) -> Span:
    """Return the distribution that seconds, a range of them, `{"mean": seconds}` or `{"deciles": [...]}` stand for.

    Raises:
        BehaviourError: the value is none of these, or out of bounds; `place` is the key.
    """
    if isinstance(value, Mapping):
        return _read_distribution(place, value)
    if not isinstance(value, (list, tuple)):
        exactly_ms = read_milliseconds(place, value)
        return Span(exactly_ms, exactly_ms)
    if len(value) != 2:  # noqa: PLR2004 - the minimum and the maximum
        raise BehaviourError(f"{place}: Must be a number of seconds, or a list of the minimum and the maximum.")
    least_ms, most_ms = (read_milliseconds(place, end) for end in value)
    if least_ms > most_ms:
        raise BehaviourError(f"{place}: The minimum must not exceed the maximum.")
    return Span(least_ms, most_ms)


def _read_distribution(place: str, value: Mapping[object, object]) -> Span:
    """Return an exponential span for `{"mean": seconds}`, as queueing theory assumes, or a measured one."""
    refuse_unknown(f"{place}.", value, ("mean", "deciles"))
    if "deciles" not in value:
        return Span(0, 0, mean_ms=max(1, read_milliseconds(f"{place}.mean", value.get("mean"))))
    given = value["deciles"]
    if "mean" in value or not isinstance(given, (list, tuple)) or len(given) != DECILES:
        raise BehaviourError(f"{place}: Must be a mean, or a list of {DECILES} deciles from the least to the most.")
    deciles_ms = tuple(read_milliseconds(f"{place}.deciles", one) for one in given)
    if any(later < earlier for earlier, later in pairwise(deciles_ms)):
        raise BehaviourError(f"{place}.deciles: Must not decrease.")
    return Span(deciles_ms[0], deciles_ms[-1], mean_ms=max(1, _mean(deciles_ms)), deciles_ms=deciles_ms)


def _mean(deciles_ms: Sequence[int]) -> int:
    return sum(earlier + later for earlier, later in pairwise(deciles_ms)) // (2 * (DECILES - 1))


def read_milliseconds(place: str, value: object) -> int:
    """Return a number of seconds in milliseconds; raises BehaviourError if it is none."""
    if not _number_within(value, SECONDS_MAX):
        raise BehaviourError(f"{place}: Must be a number of seconds from 0 to {SECONDS_MAX}.")
    return round(value * 1_000)


def read_chance(place: str, value: object) -> int:
    """Return the threshold of a probability; raises BehaviourError if it is none."""
    return threshold(read_probability(place, value))


def read_probability(place: str, value: object) -> float:
    """Return a value as a number from 0 to 1; raises BehaviourError for any other value."""
    if not _number_within(value, 1):
        raise BehaviourError(f"{place}: Must be a number from 0 to 1.")
    return float(value)


def cumulative(place: str, chances: Mapping[_Name, float]) -> tuple[tuple[int, _Name], ...]:
    """Return cumulative thresholds. Decimal sums make ten chances of 0.1 exactly 1."""
    total = Decimal(0)
    steps = []
    for name, probability in chances.items():
        total += Decimal(str(probability))
        steps.append((threshold(float(total)), name))
    if total > 1:
        raise BehaviourError(f"{place}: The chances sum to more than 1.")
    return tuple(steps)


def refuse_unknown(place: str, given: Iterable[object], known: Container[object]) -> None:
    """Raise BehaviourError for a key that is not known."""
    for key in given:
        if key not in known:
            raise BehaviourError(f"{place}{shown(key)}: Unknown key.")


def shown(key: object) -> str:
    """Return a client's key, shortened and escaped, for an error message."""
    return ascii(str(key)[:_NAME_SHOWN_MAX])[1:-1]


def _number_within(value: object, most: int) -> TypeGuard[int | float]:
    """Return True for a number from 0 to `most`. NaN and booleans are not accepted."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most
