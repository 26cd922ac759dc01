"""The sheet of a campaign's people: a row a person, with the columns of their list and a column for each question."""

from collections.abc import Collection, Iterable
from enum import Enum
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, select

from dialer.app.campaigns.readiness import survey_of
from dialer.domain.messages.templates import BUILT_IN
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SubscriberStatus
from dialer.store.queries.results_by_person import (
    PersonGiven,
    PersonResult,
    ResultsChunk,
    phonebooks_of_people,
    read_results,
)
from dialer.store.rows.contact_names import names_of_phonebooks
from dialer.store.tables import SMS, Campaign

LIST_COLUMNS_MAX: Final = 100
"""Columns of lists in a sheet."""


class PeopleSheet(NamedTuple):
    """The columns of a sheet of people that depend on its campaign, and its first rows."""

    sections: list[Section]
    """Those whose answers are columns."""
    list_columns: list[str]
    """The columns of the list."""
    first: ResultsChunk
    is_sms: bool
    """True if the people get texts, in which nothing is asked."""


def begin_sheet(connection: Connection, campaign_id: int) -> PeopleSheet:
    """Return the columns of a campaign's sheet, and its first rows."""
    row = connection.execute(select(Campaign.__table__).where(Campaign.id == campaign_id)).mappings().one()
    survey, _ = survey_of(connection, dict(row))
    sections = [section for section in survey.sections if definition_of(section).has_answers]
    known = names_of_phonebooks(connection, phonebooks_of_people(connection, campaign_id))
    first = read_results(connection, campaign_id)
    # The first people have the columns in the order of their list.
    names = [*(name for person in first.people for name in person.variables), *sorted(known.names)]
    listed = [name for name in dict.fromkeys(names) if name not in BUILT_IN][:LIST_COLUMNS_MAX]
    return PeopleSheet(sections, listed, first, row["medium"] == SMS)


def records_voices(section: Section) -> bool:
    """Return whether the answers to a section are recordings."""
    return definition_of(section).records_voices


class Silence(Enum):
    """The two kinds of people who took a call and answered none of its questions."""

    COMPLETED = "completed"
    """They came to the end of the survey."""
    LEFT = "left"
    """They did not, as if they had hung up before the first question."""


class Silences:
    """Tells how people took a call and answered none of a campaign's questions.

    Answers go with the calls that are removed after a while, so nothing is known of somebody who has no call any more.
    A transfer may have led around all questions, so its result counts as an answer; that of a text message, which is
    sent whatever was said, does not. Nobody with whom an agent has talked has just left.
    """

    def __init__(self, sections: Collection[Section]) -> None:
        kinds = {section.id: definition_of(section) for section in sections}
        voices = any(records_voices(section) for section in sections)
        self._is_asked: Final = voices or any(kind.asks or kind.converses for kind in kinds.values())
        self._telling: Final = frozenset(identity for identity, kind in kinds.items() if not kind.sends_messages)

    def of(self, person: PersonGiven | PersonResult) -> Silence | None:
        """Return how a person was silent; None if they answered, or nothing is known."""
        if not (self._is_asked and person.has_calls) or not self._telling.isdisjoint(person.answers):
            return None
        if person.status == SubscriberStatus.COMPLETED:
            return Silence.COMPLETED
        has_left = person.status == SubscriberStatus.SENT and not person.reason and not person.agent
        return Silence.LEFT if has_left else None


def distinct_heads(names: Iterable[str]) -> list[str]:
    """Return the heads of columns, of which equal ones have a number behind them."""
    heads: dict[str, None] = {}
    for name in names:
        head, number = name, 1
        while head in heads:
            number += 1
            head = f"{name} ({number})"
        heads[head] = None
    return list(heads)


def list_value(value: Any) -> str:  # noqa: ANN401 - of JSON
    """Return a value of a list's column as a cell."""
    if value is None or isinstance(value, str):
        return value or ""
    return msgspec.json.encode(value).decode()
