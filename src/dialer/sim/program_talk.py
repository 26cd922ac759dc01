"""Conversations of simulated callees with a program: how long they last, and how they end."""

from collections.abc import Mapping
from typing import Final

import msgspec

from dialer.domain.survey.inputs import BRANCH_MAX
from dialer.domain.survey.survey import BRANCH_INVALID, BRANCH_TIMEOUT
from dialer.sim.chance import Chance
from dialer.sim.spans import BehaviourError, Span, cumulative, draw, read_probability, read_span, refuse_unknown

ENDS_MAX: Final = 100
"""Ends of one gateway."""
_WORDS: Final = frozenset({BRANCH_TIMEOUT, BRANCH_INVALID})


class ProgramTalks(msgspec.Struct, frozen=True):
    """The conversations of a population."""

    seconds: Span
    ends: tuple[tuple[int, str], ...]
    """Cumulative thresholds of the branches. In the remaining cases the callee hangs up."""


def talk_of(talks: ProgramTalks, chance: Chance, limit_ms: int) -> tuple[int, str]:
    """Return the length of a conversation in milliseconds, and its branch; none if the callee hangs up.

    One that lasts for as long as it may, or ends with `timeout`, lasts for that long.
    """
    length_ms, branch = draw(talks.seconds, chance), chance.pick(talks.ends, "")
    if branch == BRANCH_TIMEOUT or length_ms >= limit_ms:
        return limit_ms, BRANCH_TIMEOUT
    return length_ms, branch


def read_talks(value: object) -> ProgramTalks:
    """Return the conversations that the parameter `conversation` describes.

    Raises:
        BehaviourError: an unknown key, a value out of bounds, or chances that sum to more than 1.
    """
    if not isinstance(value, Mapping):
        raise BehaviourError("conversation: Must be an object with seconds and ends.")
    refuse_unknown("conversation.", value, ("seconds", "ends"))
    given = {**DEFAULT_TALKS, **value}
    ends = given["ends"]
    if not isinstance(ends, Mapping) or len(ends) > ENDS_MAX:
        raise BehaviourError(f"conversation.ends: Must be an object of at most {ENDS_MAX} chances by branches.")
    chances = {_branch(key): read_probability("conversation.ends", chance) for key, chance in ends.items()}
    in_order = {key: chances[key] for key in sorted(chances)}
    return ProgramTalks(read_span("conversation.seconds", given["seconds"]), cumulative("conversation.ends", in_order))


DEFAULT_TALKS: Final[dict[str, object]] = {"seconds": [20, 180], "ends": {"0": 1}}
"""The parameter where it is left out, and the keys that it leaves out."""


def _branch(key: object) -> str:
    is_digits = isinstance(key, str) and key.isascii() and key.isdigit() and len(key) <= BRANCH_MAX
    if isinstance(key, str) and (is_digits or key in _WORDS):
        return key
    raise BehaviourError(f"conversation.ends: Must be branches: up to {BRANCH_MAX} digits, invalid or timeout.")
