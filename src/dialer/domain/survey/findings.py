"""Findings: the faults that a survey or a campaign can have."""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

import msgspec

Path: TypeAlias = tuple[tuple[int, str], ...]
"""The way from the first section on: the id of each section, and the key of the branch that is taken there."""


class FindingLevel(StrEnum):
    """The severity of a finding. A campaign with an error cannot be started."""

    ERROR = "error"
    WARNING = "warning"


class FindingCode(StrEnum):
    """The kind of a fault in a survey or a campaign."""

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
    NARROW_RANGE = "narrow_range"
    NO_DESTINATION = "no_destination"
    NO_AGENTS = "no_agents"
    EXPIRED = "expired"
    NO_TEXT = "no_text"
    NO_QUEUE = "no_queue"
    NO_SMS_GATEWAY = "no_sms_gateway"
    NO_CALLERID = "no_callerid"
    WRONG_CALLERID = "wrong_callerid"
    WRONG_CLOCK = "wrong_clock"
    UNPLAYABLE = "unplayable"
    NO_LIST_FOR_STOP = "no_list_for_stop"
    NO_LIST_FOR_WISHES = "no_list_for_wishes"
    NO_WEEKDAY = "no_weekday"
    OVER_MIDNIGHT = "over_midnight"
    WIDER_THAN_CALLING_HOURS = "wider_than_calling_hours"
    NEVER_OPEN = "never_open"
    RETRIES_TOO_LATE = "retries_too_late"
    NO_PHONEBOOK = "no_phonebook"
    NO_CONTACTS = "no_contacts"
    NO_COUNTRY = "no_country"
    DESTINATION = "destination"
    PLAIN_HTTP = "plain_http"
    EXPIRES_TOO_EARLY = "expires_too_early"
    LOW_BALANCE = "low_balance"


class Finding(msgspec.Struct, frozen=True):
    """One fault of a survey or a campaign: its section, and the shortest way for a call to reach that section.

    `section_id` is None for a finding about the whole survey or the campaign. `path` is empty for the first section,
    and for a section that no call can reach. `field` is the campaign's field that is wrong; empty for others.
    """

    level: FindingLevel
    code: FindingCode
    section_id: int | None
    message: str
    path: Path = ()
    field: str = ""


class Remark(NamedTuple):
    """A finding without its section and path."""

    level: FindingLevel
    code: FindingCode
    message: str
