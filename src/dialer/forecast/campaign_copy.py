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

from dialer.domain.enums import CallRequestStatus
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.store.backends.backend import backend_of
from dialer.store.bulk import bulk_insert, stored
from dialer.store.queries.do_not_call import is_hashed, lists_that_hold
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

_campaigns = Campaign.__table__
_links = CampaignPhonebook.__table__
_contacts = Contact.__table__
_subscribers = Subscriber.__table__
_sections = SectionTemplate.__table__
_sealed = SealedSurvey.__table__
_requests = CallRequest.__table__
_messages = SmsMessage.__table__
_gateways = Gateway.__table__
_transfers = Transfer.__table__
_call_backs = CallBack.__table__
_queues = Queue.__table__
_users = User.__table__
_waiting = WaitingText.__table__


def copy_campaign(source: Connection, target: Connection, campaign_id: int, now_ms: int) -> None:
    """Copy the rows on which a campaign's future depends from `source` into the empty `target`.

    The last ids that were given are copied too, so that new rows get the ids that they would get in `source`.
    """
    Row.metadata.create_all(target)
    for table, condition in parts_of(campaign_id, now_ms):
        _copy(source, target, select(*stored(table)).where(condition), table)
    target.execute(update(_users).values(password_hash=""))
    _remember_ids(source, target)


def people_of(connection: Connection, campaign_id: int) -> int:
    """Count the people to simulate: subscribers, and contacts that become subscribers at the start."""
    subscribers = select(func.count()).where(_subscribers.c.campaign_id == campaign_id)
    contacts = select(func.count()).select_from(_contacts).where(_is_uncollected(campaign_id))
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
    is_own_did = or_(Did.__table__.c.campaign_id == campaign_id, Did.__table__.c.campaign_id.is_(None))
    group = _of_campaign("callerid_group_id", campaign_id)
    yield _campaigns, _campaigns.c.id == campaign_id
    yield _users, _users.c.id.in_(_of_campaign("user_id", campaign_id))
    yield RateCardLine.__table__, RateCardLine.__table__.c.user_id.in_(_of_campaign("user_id", campaign_id))
    yield CallerIdGroup.__table__, CallerIdGroup.__table__.c.id.in_(group)
    yield CallerId.__table__, CallerId.__table__.c.callerid_group_id.in_(group)
    yield Did.__table__, is_own_did


def _survey_parts(campaign_id: int) -> Iterator[Part]:
    survey = _of_campaign("object_id", campaign_id)
    sections = select(_sections.c.id).where(_sections.c.survey_id.in_(survey))
    yield _sealed, _sealed.c.id == campaign_id
    yield SurveyTemplate.__table__, SurveyTemplate.__table__.c.id.in_(survey)
    yield _sections, _sections.c.survey_id.in_(survey)
    yield BranchingTemplate.__table__, BranchingTemplate.__table__.c.section_id.in_(sections)


def _people_parts(campaign_id: int) -> Iterator[Part]:
    numbers = union(
        select(_subscribers.c.number).where(_subscribers.c.campaign_id == campaign_id),
        select(_contacts.c.number).where(_is_uncollected(campaign_id)),
    )
    lists = lists_that_hold(literal(campaign_id))
    on_dnc = DncContact.__table__.c
    matters = or_(on_dnc.number.in_(numbers), is_hashed(on_dnc.number), _sends_messages(campaign_id))
    yield _links, _links.c.campaign_id == campaign_id
    yield Phonebook.__table__, Phonebook.__table__.c.id.in_(_phonebooks(campaign_id))
    yield _contacts, _is_uncollected(campaign_id)
    yield DncList.__table__, DncList.__table__.c.id.in_(lists)
    yield CampaignDncList.__table__, CampaignDncList.__table__.c.campaign_id == campaign_id
    yield DncContact.__table__, and_(on_dnc.dnc_id.in_(lists), matters)


def _sends_messages(campaign_id: int) -> ColumnElement[bool]:
    """Return the condition that calls send text messages, which may go to other people than the callees."""
    types = [number for number, definition in SECTION_TYPES.items() if definition.sends_messages]
    of_survey = _sections.c.survey_id.in_(_of_campaign("object_id", campaign_id))
    is_sealed = or_(*(_sealed.c.document.contains(f'"type":{number},') for number in types))
    return or_(
        exists().where(of_survey, _sections.c.type.in_(types)), exists().where(_sealed.c.id == campaign_id, is_sealed)
    )


def _attempt_parts(campaign_id: int, requests: CompoundSelect[int], now_ms: int) -> Iterator[Part]:
    """Yield attempts in progress, and finished ones on which a decision may still depend."""
    recent = and_(_messages.c.gateway_id.in_(_limited(SMS)), _messages.c.send_date > now_ms - RECENT_MS)
    # The caller of an inbound call may be the subscriber of another campaign.
    callers = select(_requests.c.subscriber_id).where(_requests.c.id.in_(requests))
    yield _requests, _requests.c.id.in_(requests)
    yield _transfers, _transfers.c.callrequest_id.in_(requests)
    yield _call_backs, _call_backs.c.id.in_(requests)
    yield _messages, and_(_messages.c.campaign_id == campaign_id, or_(_messages.c.ended_ms.is_(None), recent))
    yield _waiting, _waiting.c.campaign_id == campaign_id
    yield _subscribers, or_(_subscribers.c.campaign_id == campaign_id, _subscribers.c.id.in_(callers))


def _limited(medium: str) -> Select[int]:
    """Select the gateways of a medium with a limit per second."""
    return select(_gateways.c.id).where(_gateways.c.medium == medium, _gateways.c.max_cps > 0)


def _requests_of(campaign_id: int, now_ms: int) -> CompoundSelect[int]:
    """Select the campaign's call requests on which a decision may depend.

    A call request is selected if it is in progress, if it was dialled or transferred within the last second over a
    gateway with a limit per second, if its callee is going to call back, if its callee may reclaim a place in a queue,
    or if a text message of it still waits.
    """
    limited = _limited(VOICE)
    over_limited = (_requests.c.gateway_id.in_(limited), _requests.c.started_ms > now_ms - RECENT_MS)
    own = _requests.c.campaign_id == campaign_id
    of_transfers = select(_requests.c.id).join(_transfers, _transfers.c.callrequest_id == _requests.c.id)
    recent_legs = (_transfers.c.gateway_id.in_(limited), _transfers.c.started_ms > now_ms - RECENT_MS)
    not_forgotten = (
        _transfers.c.score_from_ms > 0,
        _transfers.c.ended_ms >= now_ms - _queues.c.discard_abandoned_after * 1_000,
    )
    return union(
        select(_requests.c.id).where(own, _requests.c.status == CallRequestStatus.CALLING),
        select(_requests.c.id).where(own, *over_limited),
        select(_requests.c.id).join(_call_backs, _call_backs.c.id == _requests.c.id).where(own),
        select(_waiting.c.callrequest_id).where(_waiting.c.campaign_id == campaign_id),
        of_transfers.where(own, *recent_legs),
        of_transfers.join(_queues, _queues.c.id == _transfers.c.queue_id).where(own, *not_forgotten),
    )


def _of_campaign(column: str, campaign_id: int) -> Select[int]:
    return select(_campaigns.c[column]).where(_campaigns.c.id == campaign_id)


def _phonebooks(campaign_id: int) -> Select[int]:
    return select(_links.c.phonebook_id).where(_links.c.campaign_id == campaign_id)


def _is_uncollected(campaign_id: int) -> ColumnElement[bool]:
    newer = exists().where(
        _links.c.campaign_id == campaign_id,
        _links.c.phonebook_id == _contacts.c.phonebook_id,
        _links.c.collected_contact_id < _contacts.c.id,
    )
    return and_(_contacts.c.phonebook_id.in_(_phonebooks(campaign_id)), newer)


def _copy(source: Connection, target: Connection, query: Select[tuple[object, ...]], table: Table) -> None:
    insert = bulk_insert(table, *table.c.keys())
    found = source.execute(query.order_by(table.c.id).execution_options(yield_per=COPY_ROWS))
    for rows in found.partitions():
        insert.run(target, [tuple(row) for row in rows])


def _remember_ids(source: Connection, target: Connection) -> None:
    backend_of(target).keep_last_ids(target, backend_of(source).last_ids(source))
