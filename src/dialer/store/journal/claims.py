"""Claims: the engine asks the journal for subscribers to call, as they are stored now."""

from typing import Any, Final

from sqlalchemy import BindParameter, Connection, Row, Select, bindparam, exists, or_, select, tuple_

from dialer.domain.calls import campaign_effects, campaign_events
from dialer.domain.calls.plans import Subscriber as Callee
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.states import OPEN_SUBSCRIBERS
from dialer.store.queries.do_not_call import held_among, is_hashed, is_without_country, lists_that_hold, on_dnc
from dialer.store.rows.joining.contact_collection import has_uncollected
from dialer.store.tables import DncContact, Subscriber


def _claimable() -> Select[*tuple[Any, ...]]:
    """Return a query of PENDING subscribers that also looks up their numbers on the campaign's do-not-call lists."""
    campaign: BindParameter[int] = bindparam("campaign")
    of_campaign = DncContact.dnc_id.in_(lists_that_hold(campaign))
    is_on_dnc = exists().where(of_campaign, DncContact.number == Subscriber.number)
    # Most lists hold no hashes of erased numbers, and no numbers without a country. Only for lists that do, and for
    # subscribers without a country, a second query compares all forms of a number. Two ranges of the index are looked
    # up, and not all of the list.
    lists_hashes = exists().where(of_campaign, is_hashed(DncContact.number))
    lists_national = exists().where(of_campaign, is_without_country(DncContact.number))
    lists_forms = or_(lists_hashes, lists_national).label("lists_forms")
    return select(
        Subscriber.id,
        Subscriber.number,
        Subscriber.zone,
        Subscriber.contact_id,
        Subscriber.count_attempt,
        Subscriber.failure_count,
        Subscriber.completion_count,
        Subscriber.due_ms,
        is_on_dnc,
        Subscriber.full_name,
        Subscriber.additional_vars,
        lists_forms,
        Subscriber.phonebook_id,
        Subscriber.skip_count,
        Subscriber.promised_agent_id,
        Subscriber.promised_until_ms,
        Subscriber.abandoned_count,
    ).where(
        Subscriber.campaign_id == campaign,
        Subscriber.status == SubscriberStatus.PENDING,
    )


# Statements are built once, as building one takes longer than running it.
_in_zone = Subscriber.zone == bindparam("zone")
_FRESH: Final = (
    _claimable()
    .where(_in_zone, Subscriber.due_ms == 0, Subscriber.id > bindparam("after_id"))
    .order_by(Subscriber.id)
    .limit(bindparam("most"))
)
_RETRIES: Final = (
    _claimable()
    .where(_in_zone, Subscriber.due_ms > 0)
    .where(tuple_(Subscriber.due_ms, Subscriber.id) > tuple_(bindparam("after_ms"), bindparam("after_id")))
    .order_by(Subscriber.due_ms, Subscriber.id)
    .limit(bindparam("most"))
)
_AGAIN: Final = _claimable().where(Subscriber.id == bindparam("subscriber"))
_of_campaign = Subscriber.campaign_id == bindparam("campaign")
_is_open = Subscriber.status.in_(sorted(OPEN_SUBSCRIBERS))
_COUNT: Final = select(exists().where(_of_campaign), exists().where(_of_campaign, _is_open))


def fresh(connection: Connection, claim: campaign_effects.ClaimFresh) -> list[Callee]:
    """Return subscribers who were never called, lowest id first."""
    asked = {"campaign": claim.campaign_id, "zone": claim.zone, "after_id": claim.after_id, "most": claim.limit}
    return _found(connection, _FRESH, asked)


def retries(connection: Connection, claim: campaign_effects.ClaimRetries) -> list[Callee]:
    """Return subscribers who wait for a retry, in the order in which they are due."""
    after = {"after_ms": claim.after_due_ms, "after_id": claim.after_id}
    asked = {"campaign": claim.campaign_id, "zone": claim.zone, "most": claim.limit, **after}
    return _found(connection, _RETRIES, asked)


def again(connection: Connection, claim: campaign_effects.ClaimAgain | campaign_effects.ClaimOffered) -> list[Callee]:
    """Return a subscriber in a list, or an empty list if the subscriber is no longer PENDING."""
    return _found(connection, _AGAIN, {"campaign": claim.campaign_id, "subscriber": claim.subscriber.id})


def count(connection: Connection, request: campaign_effects.CountSubscribers) -> campaign_events.SubscribersCounted:
    """Return whether a campaign has subscribers, and whether any of them is not final.

    Contacts that are yet to become subscribers count as not final.
    """
    campaign_id = request.campaign_id
    has_any, has_open = connection.execute(_COUNT, {"campaign": campaign_id}).one()
    has_open = has_open or has_uncollected(connection, campaign_id)
    return campaign_events.SubscribersCounted(campaign_id, has_any=bool(has_any), has_open=bool(has_open))


def _found(connection: Connection, query: Select[Any], asked: dict[str, Any]) -> list[Callee]:
    found = connection.execute(query, asked).all()
    callees = [_callee(row) for row in found]
    if any(row.lists_forms or row.number[:1] != "+" for row in found):
        called_off = on_dnc(connection, [callee.id for callee in callees])
        for callee in callees:
            callee.is_on_dnc = callee.id in called_off
    if listed := [callee.id for callee in callees if callee.is_on_dnc]:
        held = held_among(connection, listed)
        for callee in callees:
            callee.is_held = callee.id in held
    return callees


def _callee(row: Row[Any]) -> Callee:
    (
        subscriber_id,
        number,
        zone,
        contact_id,
        attempts,
        failures,
        completions,
        due_ms,
        is_on_dnc,
        full_name,
        variables,
        _,
        phonebook_id,
        skips,
        promised_agent_id,
        promised_until_ms,
        abandoned,
    ) = tuple(row)
    return Callee(
        id=subscriber_id,
        number=number,
        zone=zone,
        contact_id=contact_id,
        attempts=attempts,
        failures=failures,
        completions=completions,
        due_ms=due_ms,
        is_on_dnc=bool(is_on_dnc),
        full_name=full_name,
        additional_vars=variables,
        phonebook_id=phonebook_id,
        skips=skips,
        promised_agent_id=promised_agent_id,
        promised_until_ms=promised_until_ms,
        abandoned=abandoned,
    )
