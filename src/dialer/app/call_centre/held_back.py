"""People whom agents wanted to call, and whom contact rules held back: that is kept, as a proof."""

from sqlalchemy import select

from dialer.app.call_centre.chosen_people import HeldBackError
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.touched import NOTHING
from dialer.store.journal.contact_waits import KEEP_WAITS, not_kept_yet, waits_of
from dialer.store.queries.contact_rules import contacts_with, held_spans, ruled_campaigns
from dialer.store.tables import Subscriber


def keep_refusal(unit: UnitOfWork, held: HeldBackError, service_zone: str) -> None:
    """Keep the wait of a person who was held back, each rule and end once. A stranger became no subscriber."""
    unit.note(NOTHING)
    connection, campaign_id = unit.connection, held.campaign_id
    person = connection.execute(select(Subscriber.__table__).where(Subscriber.id == held.subscriber_id)).first()
    ruled = ruled_campaigns(connection, [campaign_id], service_zone).get(campaign_id)
    if person is None or ruled is None:
        return
    number = person.number
    made = contacts_with(connection, ruled, [number], unit.now_ms).get(number, ())
    spans = held_spans(ruled, number, person.zone, person.additional_vars, made)
    waits = waits_of(campaign_id, person.id, spans, unit.now_ms)
    KEEP_WAITS.run(connection, not_kept_yet(connection, waits, number))
