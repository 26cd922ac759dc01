"""The people of a campaign in the archive that proves it: who was not called, who agreed, and who asked not to be."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, and_, exists, select
from sqlalchemy.orm import aliased

from dialer.app.campaigns.proof_facts import (
    ROWS_AT_ONCE,
    Batches,
    ProvedCampaign,
    Read,
    all_of,
    moments,
    pages,
)
from dialer.domain.calls.contact_rules import MadeContact, RuledCampaign
from dialer.domain.formats.proof_archive import Record
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import WaitsFor
from dialer.store.queries.contact_rules import contacts_with, ruled_campaigns
from dialer.store.queries.do_not_call import FORMS_ASKED_MAX, forms_against, is_in_another_form, lists_of
from dialer.store.tables import Cdr, Consent, ContactWait, DncContact, DncList, Subscriber
from dialer.store.timeline.parts import moment

_PEOPLE: Final = select(
    *(Subscriber.number, Subscriber.status, Subscriber.status_reason, Subscriber.updated_date),
    Subscriber.duplicate_contact,
).order_by(Subscriber.number)
_earlier: Final = aliased(Cdr)
# The first of their calls stands for all of them, so that each is found once.
_is_first: Final = ~exists().where(
    *(_earlier.phone_number == Cdr.phone_number, _earlier.campaign_id == Cdr.campaign_id),
    *(_earlier.id < Cdr.id, _earlier.consent_id.is_not(None)),
)
_is_deleted: Final = ~exists().where(Subscriber.campaign_id == Cdr.campaign_id, Subscriber.number == Cdr.phone_number)
_CALLED_WITH_CONSENT: Final = (
    select(Cdr.id, Cdr.phone_number, and_(_is_deleted, _is_first).label("is_wanted"))
    .where(Cdr.consent_id.is_not(None), Cdr.phone_number != ERASED)
    .order_by(Cdr.id)
    .limit(ROWS_AT_ONCE)
)
_WAITS: Final = (
    select(ContactWait.__table__, Subscriber.number.label("present"), Subscriber.duplicate_contact)
    .join(Subscriber, Subscriber.id == ContactWait.subscriber_id)
    .order_by(ContactWait.id)
    .limit(ROWS_AT_ONCE)
)
_FORMER: Final = (
    select(ContactWait.number)
    .distinct()
    .where(ContactWait.number != ERASED)
    .where(~exists().where(Subscriber.campaign_id == ContactWait.campaign_id, Subscriber.number == ContactWait.number))
    .order_by(ContactWait.number)
)
_ENTRY: Final = (
    *(DncContact.phone_number, DncContact.number, DncContact.source, DncContact.said, DncContact.created_date),
    *(DncContact.campaign_id, DncContact.callrequest_id, DncContact.sms_message_id, DncContact.section_id),
    *(DncList.id.label("list_id"), DncList.user_id, DncList.name, DncList.keeps_wishes_of),
)


def refusal_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield those who were refused for good."""
    for people in _people(read, campaign):
        refused = [row for row in people if row["status"] == SubscriberStatus.NOT_AUTHORIZED]
        yield [
            {**moments(row, at="updated_date"), "phone_number": _shown(row), "decision": row["status_reason"]}
            for row in refused
        ]


def wait_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield each wait for a rule that was decided, in the order of the decisions.

    One that only a call in progress decides has no `until`.
    """
    theirs = _WAITS.where(ContactWait.campaign_id == campaign.id, ContactWait.at_ms <= campaign.made_ms)
    ordered = theirs.where(ContactWait.id <= campaign.last_ids[ContactWait.__tablename__])
    for rows in pages(read, lambda connection, after: all_of(connection, ordered.where(ContactWait.id > after)), "id"):
        yield [
            {
                **moments(row, at="at_ms"),
                "phone_number": row["number"] or (row["present"] if _is_known(row) else ERASED),
                "decision": WaitsFor.FREQUENCY.value,
                **moments(row, until="until_ms"),
                "row": row["row"],
                "rule": row["rule_id"],
            }
            for row in rows
        ]


def contact_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield the contacts of other campaigns of the account with the people, as far as a rule may count them.

    Those with numbers that people had when they waited for a rule are among them.
    """
    for numbers in chain(map(_numbers, _people(read, campaign)), _former_numbers(read, campaign)):
        yield read(partial(_contacts, campaign=campaign, numbers=numbers))


def consent_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield the consents of the people that the account has, with their proof.

    Then come those of people who were called with a consent, and are deleted from the campaign.
    """
    has_any = select(exists().where(Consent.user_id == campaign.user_id))
    if not read(lambda connection: connection.scalar(has_any)):
        return
    for numbers in chain(map(_numbers, _people(read, campaign)), _deleted_callees(read, campaign)):
        is_one = Consent.user_id == campaign.user_id, Consent.number.in_(numbers)
        query = select(Consent.__table__).where(*is_one).order_by(Consent.number, Consent.id)
        yield [_consent(row) for row in read(partial(all_of, query=query))]


def wish_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield the entries of the do-not-call lists of the campaign for its people, and the wishes that it heard."""
    lists = lists_of_campaign(read, campaign)
    has_forms = select(exists().where(DncContact.dnc_id.in_(lists), is_in_another_form(DncContact.number)))
    lists_forms = bool(lists) and bool(read(lambda connection: connection.scalar(has_forms)))
    for people in _people(read, campaign) if lists else ():
        numbers = _numbers(people)
        # As for a dial: a number without a country is that of every entry whose national part it is.
        in_forms = lists_forms or any(not number.startswith("+") for number in numbers)
        yield read(partial(_wishes, campaign=campaign, lists=lists, numbers=numbers, in_forms=in_forms))
    heard = select(*_ENTRY, DncContact.id).join(DncList, DncList.id == DncContact.dnc_id)
    of_others = ~exists().where(Subscriber.campaign_id == campaign.id, Subscriber.number == DncContact.number)
    theirs = heard.where(DncContact.campaign_id == campaign.id, DncList.user_id == campaign.user_id, of_others)
    ordered = theirs.order_by(DncContact.id).limit(ROWS_AT_ONCE)
    for rows in pages(read, lambda connection, after: all_of(connection, ordered.where(DncContact.id > after)), "id"):
        yield [_wish(row, row["phone_number"], campaign) for row in rows]


def lists_of_campaign(read: Read, campaign: ProvedCampaign) -> Sequence[int]:
    """Return the do-not-call lists that hold for the campaign."""
    named: Mapping[int, int | None] = {campaign.id: campaign.row["dnc_id"]}
    return read(lambda connection: lists_of(connection, named)[campaign.id].ids)


def _people(read: Read, campaign: ProvedCampaign) -> Iterator[Sequence[RowMapping]]:
    """Yield the people of the campaign by their numbers."""
    theirs = _PEOPLE.where(Subscriber.campaign_id == campaign.id).limit(ROWS_AT_ONCE)
    return pages(
        read, lambda connection, after: all_of(connection, theirs.where(Subscriber.number > after)), "number", after=""
    )


def _deleted_callees(read: Read, campaign: ProvedCampaign) -> Iterator[Sequence[str]]:
    """Yield the numbers of those who were called with a consent, and are no people of the campaign any more."""
    theirs = _CALLED_WITH_CONSENT.where(Cdr.campaign_id == campaign.id, Cdr.id <= campaign.last_ids[Cdr.__tablename__])
    for rows in pages(read, lambda connection, after: all_of(connection, theirs.where(Cdr.id > after)), "id"):
        yield [row["phone_number"] for row in rows if row["is_wanted"]]


def _former_numbers(read: Read, campaign: ProvedCampaign) -> Iterator[Sequence[str]]:
    """Yield the numbers with which people have waited for a rule who have other ones now."""
    theirs = _FORMER.where(ContactWait.campaign_id == campaign.id).limit(ROWS_AT_ONCE)
    for rows in pages(
        read, lambda connection, after: all_of(connection, theirs.where(ContactWait.number > after)), "number", after=""
    ):
        yield [row["number"] for row in rows]


def _is_known(row: RowMapping) -> bool:
    return bool(row["duplicate_contact"] != ERASED)


def _shown(row: RowMapping) -> str:
    return str(row["number"]) if _is_known(row) else ERASED


def _numbers(people: Sequence[RowMapping]) -> list[str]:
    """Return the numbers of those people who are not erased."""
    return [row["number"] for row in people if _is_known(row)]


def _ruled(connection: Connection, campaign: ProvedCampaign) -> RuledCampaign | None:
    return ruled_campaigns(connection, [campaign.id], campaign.service_zone).get(campaign.id)


def _contacts(connection: Connection, campaign: ProvedCampaign, numbers: Sequence[str]) -> list[Record]:
    ruled = _ruled(connection, campaign)
    if ruled is None or not ruled.rules:
        return []
    made = contacts_with(connection, ruled, numbers, campaign.first_call_ms)
    return [
        _contact(number, one)
        for number in sorted(made)
        for one in sorted(made[number], key=lambda one: (one.at_ms, one.callid))
        if one.campaign_id != campaign.id and one.at_ms <= campaign.made_ms
    ]


def _contact(number: str, one: MadeContact) -> Record:
    return {
        "at": moment(one.at_ms),
        "ended": None if one.ended_ms is None else moment(one.ended_ms),
        "phone_number": number,
        "medium": one.medium,
        "callid": one.callid,
        "campaign": one.campaign_id,
        "purpose": one.purpose,
        "seller": one.seller,
        "billsec": one.billsec,
        "is_person": one.is_person,
        "is_abandoned": one.is_abandoned,
        "is_refusal": one.is_refusal,
        "call_back": None if one.call_back_ms is None else moment(one.call_back_ms),
        "is_machine": one.is_machine,
        "came_in": one.is_inbound,
        "is_simulated": one.is_simulated,
    }


def _consent(row: RowMapping) -> Record:
    return {
        "id": row["id"],
        "phone_number": row["number"],
        "kind": row["kind"],
        "purposes": row["purposes"].split(),
        "seller": row["seller"],
        **moments(row, given_date="given_date", expiration_date="expiration_date"),
        "hours": row["hours"],
        "hours_date": row["hours_date"],
        **{name: row[name] for name in ("how", "evidence", "evidence_url", "evidence_sha256")},
        "audio_file": row["audio_file_id"],
        "callrequest": row["callrequest_id"],
        **moments(row, withdrawn_date="withdrawn_date"),
        "withdrawn_how": row["withdrawn_how"],
        **moments(row, last_used_date="last_used_date", created_date="created_date", updated_date="updated_date"),
    }


def _wishes(
    connection: Connection, campaign: ProvedCampaign, lists: Sequence[int], numbers: Sequence[str], *, in_forms: bool
) -> list[Record]:
    meant = forms_against(connection, numbers) if in_forms else {number: [number] for number in numbers}
    query = select(*_ENTRY, DncContact.id).join(DncList, DncList.id == DncContact.dnc_id)
    theirs, forms = query.where(DncContact.dnc_id.in_(lists)), list(meant)
    rows = [
        row
        for start in range(0, len(forms), FORMS_ASKED_MAX)
        for row in all_of(connection, theirs.where(DncContact.number.in_(forms[start : start + FORMS_ASKED_MAX])))
    ]
    rows.sort(key=lambda row: (row["created_date"], row["id"]))
    return [_wish(row, number, campaign) for row in rows for number in meant[row["number"]]]


def _wish(row: RowMapping, number: str, campaign: ProvedCampaign) -> Record:
    """Return an entry. Of lists of others, which hold for everybody, it says the moment and nothing else."""
    is_own = row["user_id"] == campaign.user_id
    found: dict[str, Any] = {
        "phone_number": number,
        **moments(row, at="created_date"),
        "is_own": is_own,
    }
    if is_own:
        found |= {"list": row["list_id"], "list_name": row["name"]}
        proof = ("keeps_wishes_of", "source", "said", "section_id")
        found |= {name: row[name] for name in proof}
        found |= {
            "campaign": row["campaign_id"],
            "callrequest": row["callrequest_id"],
            "sms_message": row["sms_message_id"],
        }
    return found
