"""The table of section types: all differences between types are read from here."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from dialer.domain.survey.sections.call_transfer import CallTransfer
from dialer.domain.survey.sections.capture_digits import CaptureDigits
from dialer.domain.survey.sections.conference import Conference
from dialer.domain.survey.sections.conversation import Conversation
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.dnc import Dnc
from dialer.domain.survey.sections.fields import TIMEOUT, SectionField
from dialer.domain.survey.sections.hang_up import HangUpSection
from dialer.domain.survey.sections.multi_choice import CHOICES, MultiChoice
from dialer.domain.survey.sections.play_message import PlayMessage
from dialer.domain.survey.sections.rating import Rating
from dialer.domain.survey.sections.record_message import RecordMessage
from dialer.domain.survey.sections.sms import Sms
from dialer.domain.survey.survey import Section, Survey

SECTION_TYPES: Final[dict[int, SectionDefinition]] = {
    definition.type: definition
    for definition in (
        PlayMessage(),
        MultiChoice(),
        Rating(),
        CaptureDigits(),
        RecordMessage(),
        CallTransfer(),
        HangUpSection(),
        Conference(),
        Dnc(),
        Sms(),
        Conversation(),
    )
}
"""All types by the number that the API and the rows use, in the order of `SectionType`."""


def definition_of(section: Section) -> SectionDefinition:
    """Return the type of a section."""
    return SECTION_TYPES[section.type]


def section_fields() -> Iterator[SectionField]:
    """Yield the fields of all types, each once."""
    yield from dict.fromkeys(field for definition in SECTION_TYPES.values() for field in definition.fields)


def pauses_recordings(kind: int) -> bool:
    """Return whether recordings keep silence in place of sections of a type, unless their author wants the sound."""
    return kind in SECTION_TYPES and SECTION_TYPES[kind].pauses_recordings


def default_timeout(kind: int) -> int:
    """Return the `timeout` of a section of a type that says nothing of it, in seconds."""
    return SECTION_TYPES[kind].default_timeout_s if kind in SECTION_TYPES else SectionDefinition.default_timeout_s


def settings_of(kind: int, read: Callable[[SectionField], Any]) -> dict[str, Any]:
    """Return the settings of a section of a type, from the values that `read` returns for the fields of all types.

    A section has the settings of all types, whatever its own type. Prompts are not among them: they come from
    recordings.
    """
    settings = {
        field.setting: field.sealed(read(field))
        for field in section_fields()
        if field.setting in Section.__struct_fields__
    }
    if settings["record_pause"] is None:
        settings["record_pause"] = pauses_recordings(kind)
    if read(TIMEOUT) is None:
        settings[TIMEOUT.setting] = TIMEOUT.sealed(default_timeout(kind))
    return {**settings, "key_labels": {digit: label for digit, field in CHOICES.items() if (label := read(field))}}


def queue_ids_of(survey: Survey) -> frozenset[int]:
    """Return the ids of the queues to which the survey's transfers go."""
    transfers = (section for section in survey.sections if definition_of(section).transfers)
    return frozenset(section.queue_id for section in transfers if section.queue_id is not None)


def transfers_to_number(survey: Survey) -> bool:
    """Return whether a section of the survey transfers the call to a number, and not to a queue."""
    return any(definition_of(section).transfers and section.queue_id is None for section in survey.sections)


def converses(survey: Survey) -> bool:
    """Return whether a section of the survey lets a program talk."""
    return any(definition_of(section).converses for section in survey.sections)


def keeps_wishes(survey: Survey) -> bool:
    """Return whether a section of the survey takes the wish not to be called again."""
    return any(definition_of(section).keeps_wishes for section in survey.sections)


def sends_messages(survey: Survey) -> bool:
    """Return whether a section of the survey sends text messages."""
    return any(definition_of(section).sends_messages for section in survey.sections)
