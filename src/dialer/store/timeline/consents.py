"""The consents in a story: those of the number that the account has, and which are good now."""

from sqlalchemy import Connection, RowMapping

from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.calls.consents import good_at, good_span
from dialer.store.queries.consents import consents_of, needed_consent
from dialer.store.queries.contact_rules import zones_of
from dialer.store.timeline.parts import ConsentPart


def consents_of_person(
    connection: Connection, campaign: RowMapping, number: str, now_ms: int, service_zone: str
) -> list[ConsentPart]:
    """Return the consents of a number that the account of a campaign has. One is good that covers the campaign now."""
    given = consents_of(connection, campaign["user_id"], [number]).get(number, ())
    needed = needed_consent(campaign["requires_consent"], campaign["purpose"], campaign["seller"])
    zones = zones_of(zone_of_number(number), service_zone)
    spans = [good_span(one, given, number, zones) for one in given if needed is None or one.covers(needed)]
    good = set(good_at(spans, now_ms))
    return [ConsentPart(one.id, one.kind, one.id in good) for one in given]
