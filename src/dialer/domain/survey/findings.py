"""Findings: the faults that a survey can have."""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

import msgspec

Path: TypeAlias = tuple[tuple[int, str], ...]
"""The way from the first section on: the id of each section, and the key of the branch that is taken there."""


class FindingLevel(StrEnum):
    """The severity of a finding. A survey with an error cannot be started."""

    ERROR = "error"
    WARNING = "warning"


class FindingCode(StrEnum):
    """The kind of a fault in a survey."""

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
    """One fault of a survey: its section, and the shortest way for a call to reach that section.

    `section_id` is None for a finding about the whole survey. `path` is empty for the first section, and for a section
    that no call can reach.
    """

    level: FindingLevel
    code: FindingCode
    section_id: int | None
    message: str
    path: Path = ()


class Remark(NamedTuple):
    """A finding without its section and path."""

    level: FindingLevel
    code: FindingCode
    message: str
