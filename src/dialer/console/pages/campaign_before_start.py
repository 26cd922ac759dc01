"""The lines of a campaign's page before its start: who joins it, its texts, its first call, and a missing voice."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import select

from dialer.app.campaigns.activity import activity_if_started
from dialer.app.campaigns.keep_forecast import kept_forecast
from dialer.app.campaigns.line_check import lacks_voice
from dialer.app.campaigns.people_to_join import PeopleToJoin, people_to_join
from dialer.app.campaigns.placeholders import phonebooks_of_campaign
from dialer.app.campaigns.texts_to_send import TextsToSend, example_person, texts_to_send
from dialer.domain.engine.credit import message_of
from dialer.domain.rules.campaign_activity import CampaignActivity
from dialer.domain.survey.findings import Finding
from dialer.domain.survey.survey import Survey
from dialer.forecast.findings import finding_of_cost, finding_of_rule, finding_of_texts
from dialer.resources.crud.resource import Unit
from dialer.store.queries.rates import has_rate
from dialer.store.tables import SMS, User


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
    too_dear: list[Finding]
    """The warning that the balance does not pay for all of it, if that is known."""
    too_strict: list[Finding]
    """The warnings of its newest forecast that contact rules hold people back past its end."""
    is_cost_unknown: bool
    """True if it costs money, and only a forecast can say whether the balance suffices."""


def read_before_start(unit: Unit, row: Mapping[str, Any], survey: Survey, service_zone: str) -> BeforeStart:
    """Return the facts of a campaign that has not started."""
    joining = people_to_join(unit.connection, row["id"])
    texts = texts_to_send(unit.connection, row, joining.called) if row["medium"] == SMS else None
    too_dear = _too_dear(unit, row, texts)
    return BeforeStart(
        joining,
        texts,
        _example(unit, row) if row["medium"] == SMS else None,
        activity_if_started(unit.connection, row["id"], unit.now_ms, service_zone, unit.conventions.hours),
        lacks_voice(unit.connection, row, survey),
        too_dear or [],
        _too_strict(unit, row["id"], joining),
        too_dear is None,
    )


def _too_dear(unit: Unit, row: Mapping[str, Any], texts: TextsToSend | None) -> list[Finding] | None:
    """Return the warning that the balance does not suffice, or none; None if only a forecast knows."""
    owner = unit.connection.execute(select(User.balance, User.held).where(User.id == row["user_id"])).first()
    if owner is None or not has_rate(unit.connection, row["user_id"]):
        return []
    free, kept = owner.balance - owner.held, kept_forecast(unit.connection, row["id"])
    if kept is not None and kept.cost_if_paid is not None:
        return list(finding_of_cost(kept.cost_if_paid, free))
    if row["medium"] != SMS:
        return None
    return [] if texts is None or texts.cost is None else list(finding_of_texts(texts.cost, free))


def _too_strict(unit: Unit, campaign_id: int, joining: PeopleToJoin) -> list[Finding]:
    kept = kept_forecast(unit.connection, campaign_id)
    rules = [] if kept is None else kept.held
    return [found for one in rules for found in finding_of_rule(one.name, one.too_late, joining.people)]


def _example(unit: Unit, row: Mapping[str, Any]) -> tuple[str, str] | None:
    person = example_person(unit.connection, phonebooks_of_campaign(unit.connection, row["id"]))
    if person is None or not row["text_message"].strip():
        return None
    return person.full_name.strip() or person.number, message_of(
        row["text_message"], person.full_name, person.additional_vars, person.number
    )
