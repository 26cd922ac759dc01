"""The people of a campaign who have given the consent that it needs, counted."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec
from sqlalchemy import Connection, exists, func, select

from dialer.app.campaigns.people_to_join import numbers_to_call
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.calls.consents import NeededConsent, good_at, good_spans
from dialer.domain.words.described import described
from dialer.domain.words.enums import CampaignStatus
from dialer.store.queries.consents import consents_of, needed_consent
from dialer.store.queries.contact_rules import zones_of
from dialer.store.tables import Consent

JUDGED_MAX: Final = 100_000
"""People with a consent of any kind that are judged. Of further ones, each counts as covered."""
JUDGED_AT_ONCE: Final = 1_000
_OVER: Final = (CampaignStatus.ABORT, CampaignStatus.END)


class CoveredPeople(msgspec.Struct, frozen=True):
    """The people of a campaign that needs a consent of everybody."""

    needed: Annotated[int, described("People of the campaign, each of whom needs a consent.", 500)]
    covered: Annotated[int, described("Those of them who have given one that is good now.", 412)]


def covered_people(
    connection: Connection, campaign: Mapping[str, Any], now_ms: int, service_zone: str
) -> CoveredPeople | None:
    """Count the people of a campaign, and those with a consent that covers it now; None if it needs none or is over."""
    needed = needed_consent(campaign["requires_consent"], campaign["purpose"], campaign["seller"])
    if needed is None or campaign["status"] in _OVER:
        return None
    numbers = numbers_to_call(campaign["id"]).subquery()
    people = connection.scalar(select(func.count()).select_from(numbers)) or 0
    theirs = (Consent.user_id == campaign["user_id"]) & (Consent.number == numbers.c.number)
    with_one = select(numbers.c.number).where(exists().where(theirs))
    count = connection.scalar(select(func.count()).select_from(with_one.subquery())) or 0
    judged = connection.scalars(with_one.order_by(numbers.c.number).limit(JUDGED_MAX)).all()
    lacking = sum(
        _lacking(connection, campaign["user_id"], needed, some, now_ms, service_zone)
        for some in (judged[place : place + JUDGED_AT_ONCE] for place in range(0, len(judged), JUDGED_AT_ONCE))
    )
    return CoveredPeople(people, count - lacking)


def _lacking(
    connection: Connection, user_id: int, needed: NeededConsent, numbers: Sequence[str], now_ms: int, service_zone: str
) -> int:
    """Return how many of some numbers have no consent that is good now."""
    given = consents_of(connection, user_id, numbers)
    spans = (
        good_spans(given.get(one, ()), needed, one, zones_of(zone_of_number(one), service_zone)) for one in numbers
    )
    return sum(not good_at(found, now_ms) for found in spans)
