"""Findings: what can be wrong with a survey."""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

import msgspec

Path: TypeAlias = tuple[tuple[int, str], ...]
"""From the first section on: each section, and the key of the branch that is taken there."""


class FindingLevel(StrEnum):
    """How bad a finding is: a survey with an error is not started."""

    ERROR = "error"
    WARNING = "warning"


class FindingCode(StrEnum):
    """What is wrong."""

    NO_SECTIONS = "no_sections"
    TOO_MANY_SECTIONS = "too_many_sections"
    UNREACHABLE = "unreachable"
    UNKNOWN_TARGET = "unknown_target"
    DEAD_END = "dead_end"
    LOOP = "loop"
    NEVER_TAKEN = "never_taken"
    AFTER_THE_END = "after_the_end"
    MISSING_PROMPT = "missing_prompt"
    MISSING_TEXT = "missing_text"
    NO_ANSWER = "no_answer"
    NO_DESTINATION = "no_destination"


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong: where, and how a call gets there in the fewest branches.

    `section_id` is None for what concerns the survey as a whole. `path` is empty for the first section, and for one
    that no call can reach.
    """

    level: FindingLevel
    code: FindingCode
    section_id: int | None
    message: str
    path: Path = ()


class Remark(NamedTuple):
    """A finding without its place."""

    level: FindingLevel
    code: FindingCode
    message: str
