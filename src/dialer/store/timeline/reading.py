"""Reading a story: the rows of a campaign and of a number in it."""

import contextlib
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from msgspec import structs
from sqlalchemy import Connection, Row, RowMapping, bindparam, select

from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.calling_times.calling_windows import window_at
from dialer.domain.calling_times.country_hours import narrowing
from dialer.domain.calling_times.zones import countries_of_key, is_zone_key
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.rules.why_waiting import Circumstances, why_not_now
from dialer.domain.words.enums import CampaignStatus, Cause, SubscriberStatus
from dialer.domain.words.sentences import Sentence, message_of
from dialer.store.queries.campaigns import find_campaign
from dialer.store.queries.currencies import CURRENCIES_OF_VIEWER
from dialer.store.queries.do_not_call import lists_of, proofs_on
from dialer.store.queries.why_waiting import circumstances_of, people_facts
from dialer.store.tables import SMS, CampaignPhonebook, Contact, DncList, Phonebook, User
from dialer.store.tables import Subscriber as SubscriberRow
from dialer.store.timeline.attempts import calls_from, calls_of, calls_of_each, messages_of
from dialer.store.timeline.consents import consents_of_person
from dialer.store.timeline.contact_rules import rules_for_person
from dialer.store.timeline.parts import (
    AttemptPart,
    CampaignStory,
    ContactStory,
    DncPart,
    Story,
    SubscriberPart,
    WindowPart,
    moment,
    moment_or_none,
)
from dialer.store.timeline.received import texts_to, with_texts
from dialer.store.timeline.what_follows import with_what_follows

_CAUSES: Final = frozenset(Cause)
CONTACTS_MAX: Final = 100
"""Maximum number of contacts in a story: a phonebook may hold a number many times."""
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# Statements are built once, as building one takes longer than running it.
_SUBSCRIBER: Final = select(SubscriberRow.__table__).where(
    SubscriberRow.campaign_id == bindparam("campaign"), SubscriberRow.number == bindparam("number")
)
_PEOPLE: Final = select(SubscriberRow.id).where(
    SubscriberRow.campaign_id.in_(bindparam("campaigns", expanding=True)),
    SubscriberRow.number.in_(bindparam("numbers", expanding=True)),
)
_CONTACTS: Final = (
    select(Contact.__table__, Phonebook.name.label("phonebook"))
    .join(Phonebook, Phonebook.id == Contact.phonebook_id)
    .join(CampaignPhonebook, CampaignPhonebook.phonebook_id == Phonebook.id)
    .where(CampaignPhonebook.campaign_id == bindparam("campaign"), Contact.number == bindparam("number"))
    .order_by(Contact.id)
    .limit(CONTACTS_MAX)
)
_OWNER: Final = select(User.username, CURRENCIES_OF_VIEWER[0].label("currency")).where(User.id == bindparam("user"))
_DNC_LISTS: Final = select(DncList.__table__).where(DncList.id.in_(bindparam("lists", expanding=True)))


class UnknownNumberError(Exception):
    """The campaign does not have the number; the message is one line."""


class KnownStories(NamedTuple):
    """The facts that the stories of a number in several campaigns share, read at once."""

    circumstances: Mapping[int, Circumstances]
    """The circumstances of the campaigns, by their ids."""
    calls: Mapping[int, list[AttemptPart]] | None = None
    """The calls of the person, from `calls_of_people`; None if they were not read."""


def read_story(
    connection: Connection,
    campaign: str,
    number: str,
    *,
    now_ms: int,
    region: str | None,
    service_zone: str,
    hours: CallingHours = CallingHours(),  # noqa: B008 - it is immutable
    known: KnownStories | None = None,
) -> Story:
    """Return the story of a number, in any spelling, in a campaign, given by id or code.

    `known` has what was read already, to read the stories of several campaigns at once.

    Raises:
        UnknownCampaignError: there is no such campaign.
        UnknownNumberError: the campaign does not have the number, or it is not a phone number.
    """
    row = find_campaign(connection, campaign)
    if known is None:
        known = KnownStories(circumstances_of(connection, [row["id"]], now_ms, service_zone, hours))
    circumstances = known.circumstances.get(row["id"])
    for spelling in spellings(number, region):
        subscriber = _subscriber(connection, row["id"], spelling)
        contacts = _contacts_with(connection, row["id"], spelling)
        window = None
        if subscriber is not None and circumstances is not None:
            window = _window_part(row, subscriber, circumstances)
        called = [] if subscriber is not None else calls_from(connection, row["id"], spelling)
        if subscriber is not None or contacts or called:
            lists = _dnc_parts(connection, row, spelling)
            texts = texts_to(connection, row["id"], row["user_id"], spelling)
            if subscriber is not None:
                called = _attempts(connection, row, subscriber, known.calls)
            attempts = _with_wishes(called, lists)
            return Story(
                now=moment(now_ms),
                number=spelling,
                campaign=_campaign_part(connection, row),
                contacts=contacts,
                dnc=next((one for one in lists if one.since is not None), lists[0] if lists else None),
                dnc_lists=lists,
                window=window,
                subscriber=None if subscriber is None else _part_of(connection, subscriber, circumstances),
                attempts=with_texts(attempts, texts),
                received=[] if attempts else texts,
                purpose=row["purpose"],
                rules=rules_for_person(connection, subscriber, circumstances),
                consents=consents_of_person(connection, row, spelling, now_ms, service_zone),
            )
    raise UnknownNumberError(
        Sentence(
            "campaign %(campaign)s (%(code)s) has no number %(number)s",
            campaign=row["id"],
            code=row["campaign_code"],
            number=number,
        )
    )


def calls_of_people(
    connection: Connection, campaign_ids: Collection[int], numbers: Collection[str]
) -> dict[int, list[AttemptPart]]:
    """Return the calls of a number, given by its normal forms, in several campaigns, by the ids of its subscribers."""
    asked = {"campaigns": list(campaign_ids), "numbers": list(numbers)}
    return calls_of_each(connection, connection.scalars(_PEOPLE, asked).all())


def spellings(number: str, region: str | None) -> list[str]:
    """Return the normal forms that a number may stand for: as given, and as an international number without its `+`.

    Raises:
        UnknownNumberError: it is not a phone number.
    """
    try:
        given = normalise(number, region)
    except NumberError as error:
        raise UnknownNumberError(
            Sentence("%(number)s is not a phone number: %(error)s", number=number, error=message_of(error))
        ) from None
    bare = given.lstrip("+")
    found = [given]
    with contextlib.suppress(NumberError):
        found.append(normalise(f"+{bare.removeprefix('00')}", None))
    return list(dict.fromkeys([*found, bare]))


def _subscriber(connection: Connection, campaign_id: int, number: str) -> RowMapping | None:
    return connection.execute(_SUBSCRIBER, {"campaign": campaign_id, "number": number}).mappings().one_or_none()


def _contacts_with(connection: Connection, campaign_id: int, number: str) -> list[ContactStory]:
    asked = {"campaign": campaign_id, "number": number}
    return [
        ContactStory(row["id"], row["contact"], row["full_name"], row["phonebook"], moment(row["created_date"]))
        for row in connection.execute(_CONTACTS, asked).mappings()
    ]


def _campaign_part(connection: Connection, row: RowMapping) -> CampaignStory:
    owner = connection.execute(_OWNER, {"user": row["user_id"]}).one()
    return CampaignStory(
        id=row["id"],
        campaign_code=row["campaign_code"],
        name=row["name"],
        medium=row["medium"],
        user=owner.username,
        currency=owner.currency,
        status=CampaignStatus(row["status"]).name,
        status_reason=row["status_reason"],
        startingdate=moment(row["startingdate"]),
        expirationdate=moment(row["expirationdate"]),
        maxretry=row["maxretry"],
        completion_maxretry=row["completion_maxretry"],
    )


def _dnc_parts(connection: Connection, campaign: RowMapping, number: str) -> list[DncPart]:
    dnc_ids = lists_of(connection, {campaign["id"]: campaign["dnc_id"]})[campaign["id"]].ids
    if not dnc_ids:
        return []
    entries = proofs_on(connection, dnc_ids, number)
    rows = {row.id: row for row in connection.execute(_DNC_LISTS, {"lists": list(dnc_ids)})}
    return [_dnc_part(rows[dnc_id], entries.get(dnc_id)) for dnc_id in dnc_ids]


def _dnc_part(row: Row[Any], entry: RowMapping | None) -> DncPart:
    if entry is None:
        return DncPart(row.name, None, row.is_global, row.keeps_wishes_of)
    proof = {name: entry[name] for name in ("source", "campaign_id", "callrequest_id", "sms_message_id", "said")}
    return DncPart(row.name, moment(entry["created_date"]), row.is_global, row.keeps_wishes_of, **proof)


def _with_wishes(attempts: list[AttemptPart], lists: list[DncPart]) -> list[AttemptPart]:
    """Return attempts, each with the list that has the number because of what was said in it."""
    said = {(one.callrequest_id, one.sms_message_id): one for one in reversed(lists)}
    found = []
    for attempt in attempts:
        wish = said.get((attempt.id, None)) or said.get((None, attempt.id))
        found.append(attempt if wish is None else structs.replace(attempt, wishes=[wish]))
    return found


def _state(status: int) -> str:
    """Return the name of a subscriber's status; `UNKNOWN` with the number for a status outside `SubscriberStatus`."""
    try:
        return SubscriberStatus(status).name
    except ValueError:
        return f"UNKNOWN ({status})"


def _window_part(row: RowMapping, subscriber: RowMapping, campaign: Circumstances) -> WindowPart:
    zone = subscriber["zone"] or campaign.service_zone
    is_known = is_zone_key(zone)
    calendar, hours = campaign.calendar, campaign.hours
    window = window_at(calendar, zone, campaign.now_ms, hours) if is_known else None
    countries = narrowing(countries_of_key(zone)) if hours is not None else []
    return WindowPart(
        zone=zone,
        zone_from=_zone_from(subscriber) if is_known else "an unknown zone",
        daily_start_time=row["daily_start_time"],
        daily_stop_time=row["daily_stop_time"],
        weekdays=[day for day in WEEKDAYS if row[day]],
        calling_hours=None if hours is None else f"{hours.start:%H:%M}-{hours.stop:%H:%M}",
        country_hours=[f"{one.name}: {one.in_words} ({one.source})" for one in countries],
        is_open=window is not None and window.is_open,
        until=None if window is None or (calendar.is_always and hours is None) else moment(window.until_ms),
    )


def _zone_from(subscriber: RowMapping) -> str:
    if subscriber["tz_code"]:
        return "its tz_code"
    if subscriber["gmt_offset"]:
        return "its gmt_offset"
    return "the region of the number" if subscriber["zone"] else "the default of the service"


def _part_of(connection: Connection, row: RowMapping, campaign: Circumstances | None) -> SubscriberPart:
    waits_for, waits_until_ms = "", None
    if row["status"] == SubscriberStatus.PENDING and campaign is not None:
        person = people_facts(connection, [row], {row["campaign_id"]: campaign})[row["id"]]
        wait = why_not_now(campaign, person)
        waits_for, waits_until_ms = wait.reason.value, wait.until_ms
    return SubscriberPart(
        id=row["id"],
        created_date=moment(row["created_date"]),
        status=_state(row["status"]),
        status_reason=row["status_reason"],
        count_attempt=row["count_attempt"],
        waits_for=waits_for,
        waits_until=moment_or_none(waits_until_ms),
    )


def _attempts(
    connection: Connection,
    campaign: RowMapping,
    subscriber: RowMapping,
    calls: Mapping[int, list[AttemptPart]] | None,
) -> list[AttemptPart]:
    identity = subscriber["id"]
    if campaign["medium"] == SMS:
        found = messages_of(connection, identity)
    else:
        found = calls_of(connection, identity) if calls is None else calls.get(identity, [])
    return with_what_follows(found, campaign, subscriber)


def cause_in_words(cause: int) -> str:
    """Return the name of a Q.850 cause in words, such as `user busy`."""
    return Cause(cause).name.replace("_", " ").lower() if cause in _CAUSES else f"cause {cause}"
