"""Copying the rows on which a campaign's future depends into another database.

Other campaigns and their calls in progress are left out, so the copy has the gateways to itself. The balance is copied
with its holds.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    Table,
    and_,
    exists,
    func,
    literal,
    or_,
    select,
    true,
    union,
    update,
)

from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.words.consent_words import NO_CONSENT
from dialer.store.backends.backend import backend_of
from dialer.store.database.bulk import bulk_insert, stored
from dialer.store.queries.do_not_call import is_in_another_form, is_without_country, lists_that_hold
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.tables import (
    SMS,
    VOICE,
    Agent,
    AudioFile,
    BranchingTemplate,
    CallBack,
    CallerId,
    CallerIdGroup,
    CallRequest,
    Campaign,
    CampaignDncList,
    CampaignPhonebook,
    Contact,
    ContactName,
    ContactRule,
    Did,
    DncContact,
    DncList,
    Gateway,
    Phonebook,
    Queue,
    RateCardLine,
    Row,
    SealedSurvey,
    SectionTemplate,
    ServiceState,
    SmsMessage,
    Subscriber,
    SurveyTemplate,
    Tier,
    Transfer,
    User,
    WaitingText,
)

RECENT_MS: Final = 1_000
"""Time for which an attempt counts towards the limit per second of its gateway."""
COPY_ROWS: Final = 5_000
"""Rows in memory at once."""

Part: TypeAlias = tuple[Table, ColumnElement[bool]]
"""A table, and the condition that selects the rows to copy."""


def copy_campaign(source: Connection, target: Connection, campaign_id: int, now_ms: int) -> None:
    """Copy the rows on which a campaign's future depends from `source` into the empty `target`.

    The last ids that were given are copied too, so that new rows get the ids that they would get in `source`.
    """
    Row.metadata.create_all(target)
    for table, condition in parts_of(campaign_id, now_ms):
        _copy(source, target, select(*stored(table)).where(condition), table)
    target.execute(update(User).values(password_hash=""))
    # Without late contacts, a campaign that stays open has nothing to wait for: its last call is what matters.
    # Consents are left aside, as a forecast says.
    target.execute(update(Campaign).values(end_when_done=True, requires_consent=NO_CONSENT))
    _remember_ids(source, target)


def people_of(connection: Connection, campaign_id: int) -> int:
    """Count the people to simulate: subscribers, and contacts that become subscribers at the start."""
    subscribers = select(func.count()).where(Subscriber.campaign_id == campaign_id)
    contacts = select(func.count()).select_from(Contact).where(is_uncollected(campaign_id))
    return int(connection.scalar(subscribers) or 0) + int(connection.scalar(contacts) or 0)


def parts_of(campaign_id: int, now_ms: int) -> Iterator[Part]:
    """Yield every table to copy, with the condition that selects its rows."""
    yield from _campaign_parts(campaign_id)
    yield from _survey_parts(campaign_id)
    yield from _people_parts(campaign_id)
    yield from _attempt_parts(campaign_id, _requests_of(campaign_id, now_ms), now_ms)
    # These tables are small, and only the survey and the engine know which of their rows a call may need.
    for model in (Gateway, Queue, Agent, Tier, AudioFile, ServiceState):
        yield model.__table__, true()


def _campaign_parts(campaign_id: int) -> Iterator[Part]:
    is_own_did = or_(Did.campaign_id == campaign_id, Did.campaign_id.is_(None))
    group = _of_campaign("callerid_group_id", campaign_id)
    yield Campaign.__table__, Campaign.id == campaign_id
    yield User.__table__, User.id.in_(_of_campaign("user_id", campaign_id))
    yield RateCardLine.__table__, RateCardLine.user_id.in_(_of_campaign("user_id", campaign_id))
    # Rows of law are of no account: an admin may have switched one.
    is_law = ContactRule.user_id.is_(None)
    yield ContactRule.__table__, or_(is_law, ContactRule.user_id.in_(_of_campaign("user_id", campaign_id)))
    yield CallerIdGroup.__table__, CallerIdGroup.id.in_(group)
    yield CallerId.__table__, CallerId.callerid_group_id.in_(group)
    yield Did.__table__, is_own_did


def _survey_parts(campaign_id: int) -> Iterator[Part]:
    survey = _of_campaign("object_id", campaign_id)
    sections = select(SectionTemplate.id).where(SectionTemplate.survey_id.in_(survey))
    yield SealedSurvey.__table__, SealedSurvey.id == campaign_id
    yield SurveyTemplate.__table__, SurveyTemplate.id.in_(survey)
    yield SectionTemplate.__table__, SectionTemplate.survey_id.in_(survey)
    yield BranchingTemplate.__table__, BranchingTemplate.section_id.in_(sections)


def _people_parts(campaign_id: int) -> Iterator[Part]:
    numbers = union(
        select(Subscriber.number).where(Subscriber.campaign_id == campaign_id),
        select(Contact.number).where(is_uncollected(campaign_id)),
    )
    lists = lists_that_hold(literal(campaign_id))
    matters = or_(
        DncContact.number.in_(numbers),
        is_in_another_form(DncContact.number),
        # Of people without a country, entries of every country may be the number.
        select(Subscriber.id)
        .where(Subscriber.campaign_id == campaign_id, is_without_country(Subscriber.number))
        .exists(),
        select(Contact.id).where(is_uncollected(campaign_id), is_without_country(Contact.number)).exists(),
        _sends_messages(campaign_id),
    )
    yield CampaignPhonebook.__table__, CampaignPhonebook.campaign_id == campaign_id
    yield Phonebook.__table__, Phonebook.id.in_(_phonebooks(campaign_id))
    yield Contact.__table__, is_uncollected(campaign_id)
    # A start checks the placeholders of the texts against these names.
    yield ContactName.__table__, ContactName.phonebook_id.in_(_phonebooks(campaign_id))
    yield DncList.__table__, DncList.id.in_(lists)
    yield CampaignDncList.__table__, CampaignDncList.campaign_id == campaign_id
    yield DncContact.__table__, and_(DncContact.dnc_id.in_(lists), matters)


def _sends_messages(campaign_id: int) -> ColumnElement[bool]:
    """Return the condition that calls send text messages, which may go to other people than the callees."""
    types = [number for number, definition in SECTION_TYPES.items() if definition.sends_messages]
    of_survey = SectionTemplate.survey_id.in_(_of_campaign("object_id", campaign_id))
    is_sealed = or_(*(SealedSurvey.document.contains(f'"type":{number},') for number in types))
    return or_(
        exists().where(of_survey, SectionTemplate.type.in_(types)),
        exists().where(SealedSurvey.id == campaign_id, is_sealed),
    )


def _attempt_parts(campaign_id: int, requests: CompoundSelect[int], now_ms: int) -> Iterator[Part]:
    """Yield attempts in progress, and finished ones on which a decision may still depend."""
    recent = and_(SmsMessage.gateway_id.in_(_limited(SMS)), SmsMessage.send_date > now_ms - RECENT_MS)
    # The caller of an inbound call may be the subscriber of another campaign.
    callers = select(CallRequest.subscriber_id).where(CallRequest.id.in_(requests))
    yield CallRequest.__table__, CallRequest.id.in_(requests)
    yield Transfer.__table__, Transfer.callrequest_id.in_(requests)
    yield CallBack.__table__, CallBack.id.in_(requests)
    yield SmsMessage.__table__, and_(SmsMessage.campaign_id == campaign_id, or_(SmsMessage.ended_ms.is_(None), recent))
    yield WaitingText.__table__, WaitingText.campaign_id == campaign_id
    yield Subscriber.__table__, or_(Subscriber.campaign_id == campaign_id, Subscriber.id.in_(callers))


def _limited(medium: str) -> Select[int]:
    """Select the gateways of a medium with a limit per second."""
    return select(Gateway.id).where(Gateway.medium == medium, Gateway.max_cps > 0)


def _requests_of(campaign_id: int, now_ms: int) -> CompoundSelect[int]:
    """Select the campaign's call requests on which a decision may depend.

    A call request is selected if it is in progress, if it was dialled or transferred within the last second over a
    gateway with a limit per second, if its callee is going to call back, if its callee may reclaim a place in a queue,
    or if a text message of it still waits.
    """
    limited = _limited(VOICE)
    over_limited = (CallRequest.gateway_id.in_(limited), CallRequest.started_ms > now_ms - RECENT_MS)
    own = CallRequest.campaign_id == campaign_id
    of_transfers = select(CallRequest.id).join(Transfer, Transfer.callrequest_id == CallRequest.id)
    recent_legs = (Transfer.gateway_id.in_(limited), Transfer.started_ms > now_ms - RECENT_MS)
    not_forgotten = (
        Transfer.score_from_ms > 0,
        Transfer.ended_ms >= now_ms - Queue.discard_abandoned_after * 1_000,
    )
    return union(
        select(CallRequest.id).where(own, IS_CALLING),
        select(CallRequest.id).where(own, *over_limited),
        select(CallRequest.id).join(CallBack, CallBack.id == CallRequest.id).where(own),
        select(WaitingText.callrequest_id).where(WaitingText.campaign_id == campaign_id),
        of_transfers.where(own, *recent_legs),
        of_transfers.join(Queue, Queue.id == Transfer.queue_id).where(own, *not_forgotten),
    )


def _of_campaign(column: str, campaign_id: int) -> Select[int]:
    return select(Campaign.__table__.c[column]).where(Campaign.id == campaign_id)


def _phonebooks(campaign_id: int) -> Select[int]:
    return select(CampaignPhonebook.phonebook_id).where(CampaignPhonebook.campaign_id == campaign_id)


def is_uncollected(campaign_id: int) -> ColumnElement[bool]:
    """Return the condition that a contact becomes a subscriber of a campaign at its start, or later."""
    newer = exists().where(
        CampaignPhonebook.campaign_id == campaign_id,
        CampaignPhonebook.phonebook_id == Contact.phonebook_id,
        CampaignPhonebook.collected_contact_id < Contact.id,
    )
    return and_(Contact.phonebook_id.in_(_phonebooks(campaign_id)), newer)


def _copy(source: Connection, target: Connection, query: Select[tuple[object, ...]], table: Table) -> None:
    insert = bulk_insert(table, *table.c.keys())
    result = source.execute(query.order_by(table.c.id).execution_options(yield_per=COPY_ROWS))
    for rows in result.partitions():
        insert.run(target, [tuple(row) for row in rows])


def _remember_ids(source: Connection, target: Connection) -> None:
    backend_of(target).keep_last_ids(target, backend_of(source).last_ids(source))
