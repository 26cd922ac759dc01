"""Findings: the faults that a survey or a campaign can have."""

from typing import NamedTuple, TypeAlias

import msgspec

from dialer.domain.words.enum_descriptions import DescribedText

Path: TypeAlias = tuple[tuple[int, str], ...]
"""The way from the first section on: the id of each section, and the key of the branch that is taken there."""


class FindingLevel(DescribedText):
    """The severity of a finding. A campaign with an error cannot be started."""

    ERROR = "error", "The campaign cannot be started."
    WARNING = "warning", "The campaign can be started, but it may not do what its author expects."


class FindingCode(DescribedText):
    """The kind of a fault in a survey or a campaign."""

    NO_SECTIONS = "no_sections", "The survey has no sections."
    TOO_MANY_SECTIONS = "too_many_sections", "The survey has more sections than can be played."
    UNREACHABLE = "unreachable", "No call can reach the section."
    UNKNOWN_TARGET = "unknown_target", "A branch leads to a section that does not exist."
    DEAD_END = "dead_end", "The call ends at a transfer or a question, and the survey has unreachable sections."
    LOOP = "loop", "The call can go round in a loop."
    NEVER_TAKEN = "never_taken", "No input takes the branch."
    AFTER_THE_END = "after_the_end", "The section ends the call, so its branches are never taken."
    MISSING_PROMPT = "missing_prompt", "The section has neither a recording nor a script."
    UNKNOWN_PLACEHOLDER = "unknown_placeholder", "A text has a placeholder for which no contact has a value."
    EMPTY_PLACEHOLDER = "empty_placeholder", "Some contacts have no value for a placeholder."
    WRONG_PLACEHOLDER = "wrong_placeholder", "A text has braces that make no placeholder, so people get the braces."
    MISSING_TEXT = "missing_text", "The section sends a text message without a text."
    NO_ANSWER = "no_answer", "No input can be a valid answer to the section."
    NARROW_RANGE = "narrow_range", "The section asks for more digits than its range of numbers holds."
    NO_DESTINATION = "no_destination", "The transfer has neither a number nor a queue."
    COMPLETED_EARLY = "completed_early", "The section marks people completed before an agent has taken their call."
    NO_PROGRAM = "no_program", "The section names no program to talk with the callee."
    WRONG_PROGRAM = "wrong_program", "The address of the program that talks with the callee is wrong."
    NO_DISCLOSURE = "no_disclosure", "Callees are not told that a program talks with them."
    NO_AGENTS = "no_agents", "The transfer goes to a queue that no agent serves."
    NOBODY_ON_DUTY = "nobody_on_duty", "No agent of the queue of the transfer is on duty."
    NO_SKILL = "no_skill", "Calls need a skill that no agent of their queue has."
    EXPIRED = "expired", "The campaign has expired."
    NO_TEXT = "no_text", "The campaign of text messages has no text."
    NO_QUEUE = "no_queue", "The dial method needs a survey that transfers calls to a queue."
    NO_SMS_GATEWAY = "no_sms_gateway", "The survey sends text messages, and the campaign has no gateway for them."
    NO_CALLERID = "no_callerid", "Callees are shown no number."
    WRONG_CALLERID = "wrong_callerid", "A caller ID is missing, impossible, or not allowed by the gateway."
    WRONG_CLOCK = "wrong_clock", "The gateway calls people, but the clock of the service is not real."
    UNPLAYABLE = "unplayable", "The carrier of the gateway cannot play a section of the survey."
    LANGUAGE_MISSING = "language_missing", "The server of speech has no voice for the language of the survey."
    NOT_RECORDABLE = "not_recordable", "Calls over the carrier of the gateway cannot be recorded."
    NOBODY_WRITES = "nobody_writes", "Recorded calls are to be written down, and the service has nothing that writes."
    RECORDING_WITHOUT_NOTICE = (
        "recording_without_notice",
        "The campaign records calls, and callees are not told.",
    )
    NO_LIST_FOR_STOP = (
        "no_list_for_stop",
        "The campaign texts people and names no list; STOP goes on the account's own.",
    )
    NO_LIST_FOR_WISHES = (
        "no_list_for_wishes",
        "The campaign names no list; wishes not to be called go on the account's own.",
    )
    ABANDON_LIMIT = "abandon_limit", "The campaign may abandon more calls than the law allows."
    FIXED_PACE = "fixed_pace", "Calls for agents are placed at a fixed pace, whether an agent is free or not."
    NO_WEEKDAY = "no_weekday", "No weekday is set, so nobody is called."
    OVER_MIDNIGHT = "over_midnight", "The daily window spans midnight."
    WIDER_THAN_CALLING_HOURS = (
        "wider_than_calling_hours",
        "The daily window is wider than the calling hours of the service.",
    )
    NEVER_OPEN = "never_open", "The daily window is outside the calling hours of the service."
    NO_COMMON_HOUR = "no_common_hour", "People have no hour that suits all their time zones, so nobody calls them."
    RETRIES_TOO_LATE = "retries_too_late", "Some retries cannot fall into the window before the campaign expires."
    USED_UP_BY_CARRIER = (
        "used_up_by_carrier",
        "People whose call the carrier cannot place are not called again, although no telephone rang.",
    )
    SHORT_FOR_CALL_BACKS = (
        "short_for_call_backs",
        "Agents can promise call-backs, and the campaign ends within two days of its start.",
    )
    NO_CONSENT = "no_consent", "People of the campaign have not given the consent that it needs, and are refused."
    NO_PURPOSE = "no_purpose", "The campaign does not say what it is for, so every contact rule binds it."
    NO_PHONEBOOK = "no_phonebook", "The campaign has no phonebook and no subscribers."
    NO_CONTACTS = "no_contacts", "The phonebooks of the campaign have no contacts."
    NO_COUNTRY = "no_country", "Numbers have no country code."
    UNKNOWN_STATE = "unknown_state", "People have a state that is not known, so rules of states do not see it."
    UNKNOWN_AREA = "unknown_area", "Numbers have an area code whose place is not known."
    PROTECTS_NOBODY = "protects_nobody", "Numbers on do-not-call lists are too short, or the numbers of nobody."
    LIST_WITHOUT_COUNTRY = "list_without_country", "Numbers on do-not-call lists have no country."
    DESTINATION = "destination", "The account may not call some of the numbers."
    PLAIN_HTTP = "plain_http", "The gateway for messages sends its password over http://, which others can read."
    EXPIRES_TOO_EARLY = "expires_too_early", "By the forecast, the campaign expires before it is done."
    RULES_TOO_STRICT = "rules_too_strict", "By the forecast, a contact rule holds people back past the campaign's end."
    NO_BALANCE = "no_balance", "The free balance of the owner pays for no call."
    LOW_BALANCE = "low_balance", "By the forecast, the campaign costs more than the balance."


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
