"""The lines of a campaign's page before its start: who joins it, its texts, its first call, and a missing voice."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from dialer.app.campaigns.activity import activity_if_started
from dialer.app.campaigns.line_check import lacks_voice
from dialer.app.campaigns.people_to_join import PeopleToJoin, people_to_join
from dialer.app.campaigns.placeholders import phonebooks_of_campaign
from dialer.app.campaigns.texts_to_send import TextsToSend, example_person, texts_to_send
from dialer.domain.engine.credit import message_of
from dialer.domain.rules.campaign_activity import CampaignActivity
from dialer.domain.survey.survey import Survey
from dialer.resources.crud.resource import Unit
from dialer.store.tables import SMS


class BeforeStart(NamedTuple):
    """The facts of a campaign that has not started, beside the findings of its check."""

    joining: PeopleToJoin
    """The people who are in it or join it at its start, as the start counts them."""
    texts: TextsToSend | None
    """Its texts, if it is a campaign of text messages."""
    example: tuple[str, str] | None
    """The name of one of its people, and the text message as they get it."""
    at_start: CampaignActivity | None
    """Its activity if it were started now; None without people."""
    is_silent: bool
    """True if it has simulated callees, and the service has no voice for the texts of its survey."""


def read_before_start(unit: Unit, row: Mapping[str, Any], survey: Survey, service_zone: str) -> BeforeStart:
    """Return the facts of a campaign that has not started."""
    joining = people_to_join(unit.connection, row["id"])
    return BeforeStart(
        joining,
        texts_to_send(unit.connection, row, joining.called) if row["medium"] == SMS else None,
        _example(unit, row) if row["medium"] == SMS else None,
        activity_if_started(unit.connection, row["id"], unit.now_ms, service_zone, unit.conventions.hours),
        lacks_voice(unit.connection, row, survey),
    )


def _example(unit: Unit, row: Mapping[str, Any]) -> tuple[str, str] | None:
    person = example_person(unit.connection, phonebooks_of_campaign(unit.connection, row["id"]))
    if person is None or not row["text_message"].strip():
        return None
    return person.full_name.strip() or person.number, message_of(
        row["text_message"], person.full_name, person.additional_vars, person.number
    )
