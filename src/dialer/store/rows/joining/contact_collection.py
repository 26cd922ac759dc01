"""Collecting: the contacts of a started campaign's phonebooks become its subscribers, one for each number."""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    and_,
    bindparam,
    exists,
    func,
    literal,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.orm import aliased

from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.domain.words.states import OPEN_SUBSCRIBERS
from dialer.store.backends.expressions import without_index
from dialer.store.database.bulk import PreparedStatement
from dialer.store.rows.joining.call_again import copy_people, was_called_before
from dialer.store.rows.joining.new_subscribers import joining, subscribe
from dialer.store.tables import Campaign, CampaignPhonebook, Contact, PeopleToCopy, Subscriber

START_SLICE: Final = 200
"""Contacts that a START turns into subscribers: enough to dial at once, and few enough for others not to wait when many
campaigns start together."""
COLLECT_CHUNK: Final = 5_000
"""Contacts that a step of a virtual clock turns into subscribers of a campaign. It is the same on both databases,
because the ids of campaigns that start together depend on it."""

_UNCOLLECTED: Final = select(
    or_(
        exists().where(
            CampaignPhonebook.campaign_id == bindparam("campaign"),
            Contact.phonebook_id == CampaignPhonebook.phonebook_id,
            Contact.id > CampaignPhonebook.collected_contact_id,
        ),
        exists().where(PeopleToCopy.id == bindparam("campaign")),
    )
)
_COLLECTING: Final = select(Campaign.id).where(
    Campaign.id.in_(bindparam("ids", expanding=True)),
    or_(
        exists().where(
            CampaignPhonebook.campaign_id == Campaign.id,
            Contact.phonebook_id == CampaignPhonebook.phonebook_id,
            Contact.id > CampaignPhonebook.collected_contact_id,
        ),
        exists().where(PeopleToCopy.id == Campaign.id),
    ),
)
_STARTED: Final = (CampaignStatus.START, CampaignStatus.PAUSE)
_CALLERS: Final = (
    select(CampaignPhonebook.campaign_id)
    .join(Campaign, Campaign.id == CampaignPhonebook.campaign_id)
    .where(Campaign.status.in_([literal_column(str(int(status))) for status in _STARTED]))
    .order_by(CampaignPhonebook.campaign_id)
)
_OF_PHONEBOOK: Final = PreparedStatement(_CALLERS.where(CampaignPhonebook.phonebook_id == bindparam("phonebook")))
"""The started campaigns that name a phonebook."""
_OF_CONTACT: Final = PreparedStatement(
    _CALLERS.join(Contact, Contact.phonebook_id == CampaignPhonebook.phonebook_id).where(
        Contact.id == bindparam("contact")
    )
)
"""The started campaigns that name the phonebook of a contact."""
_other = aliased(Contact)
_LINK_OF_CONTACT: Final = (
    select(
        CampaignPhonebook.id,
        Contact.id > CampaignPhonebook.collected_contact_id,
        exists().where(
            _other.phonebook_id == CampaignPhonebook.phonebook_id,
            _other.id > CampaignPhonebook.collected_contact_id,
            _other.id < Contact.id,
        ),
    )
    .join(Contact, Contact.phonebook_id == CampaignPhonebook.phonebook_id)
    .where(CampaignPhonebook.campaign_id == bindparam("campaign"), Contact.id == bindparam("contact"))
)
"""The link of a campaign to a contact's phonebook, whether the contact is uncollected, and whether an earlier one
is."""
_uncollected = and_(
    Contact.phonebook_id == CampaignPhonebook.phonebook_id, Contact.id > CampaignPhonebook.collected_contact_id
)
_LINKS: Final = (
    select(
        CampaignPhonebook.id,
        CampaignPhonebook.phonebook_id,
        CampaignPhonebook.collected_contact_id,
        Campaign.user_id,
        Campaign.source_campaign_id,
    )
    .join(Campaign, Campaign.id == CampaignPhonebook.campaign_id)
    .where(CampaignPhonebook.campaign_id == bindparam("campaign"), exists().where(_uncollected))
    .order_by(CampaignPhonebook.id)
)
"""The links of a campaign to phonebooks with uncollected contacts."""
_first = (
    select(Contact.id)
    .where(Contact.phonebook_id == bindparam("phonebook"), Contact.id > bindparam("after"))
    .order_by(Contact.id)
    .limit(bindparam("most"))
    .subquery()
)
_SPAN: Final = select(func.count(), func.max(_first.c.id)).select_from(_first)
"""The number of a phonebook's next contacts, and the id of the last of them."""
_COLLECTED: Final = (
    update(CampaignPhonebook)
    .where(CampaignPhonebook.id == bindparam("link"))
    .values(collected_contact_id=bindparam("last"))
)
_OF_CONTACT_COLUMNS: Final = ("contact", "phonebook_id", "zone", "tz_code", "full_name", "additional_vars")
_GIVEN_UP: Final = frozenset({SubscriberReason.CONTACT_DELETED.value, SubscriberReason.NUMBER_CORRECTED.value})


def _as_subscribers(
    campaign_id: ColumnElement[int], user_id: ColumnElement[int] | ScalarSelect[int], now_ms: ColumnElement[int]
) -> Select[*tuple[Any, ...]]:
    """Return a query of contacts as rows of `COLUMNS`."""
    return select(
        campaign_id,
        user_id,
        Contact.id,
        Contact.phonebook_id,
        Contact.contact,
        Contact.number,
        Contact.zone,
        Contact.full_name,
        Contact.additional_vars,
        now_ms,
        now_ms,
        literal(int(SubscriberStatus.PENDING)),
        *[literal("")] * 3,
        Contact.tz_code,
        *[literal(0)] * 4,
    ).order_by(Contact.id)


_JOIN: Final = joining(
    _as_subscribers(
        bindparam("campaign", type_=BigInteger()),
        bindparam("user", type_=BigInteger()),
        bindparam("now", type_=BigInteger()),
    ).where(
        Contact.phonebook_id == bindparam("phonebook"),
        Contact.id > bindparam("after"),
        Contact.id <= bindparam("last"),
    )
)
"""Turns the contacts of a span into subscribers of a campaign that calls nobody again."""


def collect_campaign(connection: Connection, campaign_id: int, now_ms: int, most: int | None = None) -> bool:
    """Turn up to `most` contacts into subscribers of a campaign; return whether all contacts are collected.

    `most` is `COLLECT_CHUNK` if it is None.

    People whom the campaign calls again come first. Then phonebooks are read in the order of the campaign, and contacts
    in id order. A number that is a subscriber already stays unchanged, unless its contact was deleted or got another
    number.
    """
    left = COLLECT_CHUNK if most is None else most
    left -= copy_people(connection, campaign_id, now_ms, left)
    if left <= 0:
        return False
    for link_id, phonebook_id, after_id, user_id, source_id in connection.execute(
        _LINKS, {"campaign": campaign_id}
    ).all():
        span = {"phonebook": phonebook_id, "after": after_id}
        found, last_id = connection.execute(_SPAN, {**span, "most": left}).one()
        condition = and_(Contact.phonebook_id == phonebook_id, Contact.id.between(after_id + 1, last_id))
        if source_id is None:
            given = {**span, "last": last_id, "campaign": campaign_id, "user": user_id, "now": now_ms}
            joined = subscribe(connection, campaign_id, _JOIN, given, many=found)
        else:
            joined = _subscribe_where(connection, campaign_id, condition, now_ms, many=found)
        if joined < found:  # Else none of them was a subscriber before, with or without a contact.
            _take_up(connection, campaign_id, condition, now_ms)
        connection.execute(_COLLECTED, {"link": link_id, "last": last_id})
        left -= found
        if left <= 0:
            return False
    return True


def collect_phonebook(connection: Connection, phonebook_id: int, now_ms: int) -> list[int]:
    """Turn new contacts of a phonebook into subscribers of the started campaigns that name it; return these ids."""
    campaign_ids: list[int] = _OF_PHONEBOOK.run(connection, {"phonebook": phonebook_id})
    for campaign_id in campaign_ids:
        collect_campaign(connection, campaign_id, now_ms)
    return campaign_ids


def collect_contact(connection: Connection, contact_id: int, now_ms: int) -> list[int]:
    """Turn a contact, new or moved here, into a subscriber of each started campaign that names its phonebook.

    If earlier contacts are still uncollected, the contact is collected after them. Return the ids of the campaigns.
    """
    campaign_ids: list[int] = _OF_CONTACT.run(connection, {"contact": contact_id})
    for campaign_id in campaign_ids:
        which = {"campaign": campaign_id, "contact": contact_id}
        link_id, is_new, has_before = connection.execute(_LINK_OF_CONTACT, which).one()
        if is_new and has_before:
            continue
        condition = Contact.id == contact_id
        _take_up(connection, campaign_id, condition, now_ms)
        _subscribe_where(connection, campaign_id, condition, now_ms)
        if is_new:
            connection.execute(
                update(CampaignPhonebook).where(CampaignPhonebook.id == link_id).values(collected_contact_id=contact_id)
            )
    return campaign_ids


def campaigns_to_correct(connection: Connection, contact_id: int) -> list[int]:
    """Return the campaigns that call a contact again without its phonebook, and follow it to a corrected number."""
    names_it = exists().where(
        CampaignPhonebook.campaign_id == Campaign.id, CampaignPhonebook.phonebook_id == Contact.phonebook_id
    )
    query = (
        select(Campaign.id)
        .join(Subscriber, Subscriber.campaign_id == Campaign.id)
        .join(Contact, Contact.id == Subscriber.contact_id)
        .where(Contact.id == contact_id, Campaign.source_campaign_id.is_not(None), ~names_it)
        .where(Campaign.status.in_((CampaignStatus.NEW, *_STARTED)), Subscriber.status.in_(OPEN_SUBSCRIBERS))
        .order_by(Campaign.id)
    )
    return list(connection.scalars(query))


def collect_corrected(connection: Connection, contact_id: int, campaign_ids: list[int], now_ms: int) -> None:
    """Turn a contact with a corrected number into a subscriber of campaigns from `campaigns_to_correct`."""
    for campaign_id in campaign_ids:
        _subscribe_where(connection, campaign_id, Contact.id == contact_id, now_ms)


def has_uncollected(connection: Connection, campaign_id: int) -> bool:
    """Return whether contacts of the campaign's phonebooks, or people to call again, are not collected yet."""
    return bool(connection.scalar(_UNCOLLECTED, {"campaign": campaign_id}))


def campaigns_collecting(connection: Connection, campaign_ids: Collection[int]) -> set[int]:
    """Return those of these campaigns with contacts, or people to call again, who are not collected yet."""
    return set(connection.scalars(_COLLECTING, {"ids": list(campaign_ids)}))


def _subscribe_where(
    connection: Connection, campaign_id: int, condition: ColumnElement[bool], now_ms: int, *, many: int = 1
) -> int:
    """Turn contacts into subscribers, without those whose numbers the campaigns before this one called."""
    user_id = select(Campaign.user_id).where(Campaign.id == campaign_id).scalar_subquery()
    rows = _as_subscribers(literal(campaign_id), user_id, literal(now_ms))
    rows = rows.where(condition, ~was_called_before(campaign_id, Contact.number))
    return subscribe(connection, campaign_id, joining(rows), many=many)


def _take_up(connection: Connection, campaign_id: int, condition: ColumnElement[bool], now_ms: int) -> None:
    """Give contacts to the subscribers with their numbers whose own contacts were deleted or got another number.

    Such a subscriber is called again, unless it was done before. The attempts that it had count.
    """
    query = (
        select(
            Subscriber.__table__,
            *[Contact.__table__.c[name].label(f"its_{name}") for name in ("id", *_OF_CONTACT_COLUMNS)],
        )
        .join(Contact, Contact.number == Subscriber.number)
        .where(condition, Subscriber.campaign_id == campaign_id)
        .where(without_index(Subscriber.phonebook_id).is_not(None))
        .where(without_index(Subscriber.contact_id).is_(None))
        .order_by(Contact.id.desc())
    )
    # Of several contacts with a number, the first one counts.
    for row in {one["id"]: one for one in connection.execute(query).mappings()}.values():
        is_waiting = row["status_reason"] in _GIVEN_UP
        values = {
            **{name: row[f"its_{name}"] for name in _OF_CONTACT_COLUMNS if name != "contact"},
            "duplicate_contact": row["its_contact"],
            "contact_id": row["its_id"],
            "halt_reason": "" if row["halt_reason"] in _GIVEN_UP else row["halt_reason"],
            "updated_date": now_ms,
        }
        if is_waiting:
            due_ms = now_ms if row["count_attempt"] else 0
            values |= {"status": SubscriberStatus.PENDING, "status_reason": "", "due_ms": due_ms}
        connection.execute(update(Subscriber).where(Subscriber.id == row["id"]).values(values))
