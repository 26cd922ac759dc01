"""Use cases of manual dialling: an agent calls a person of their own choice, within the rules of a campaign."""

from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, RowMapping, select, update

from dialer.app.call_centre.previews import preview_of
from dialer.app.call_centre.wrap_ups import refuse_owing
from dialer.app.campaigns.refusals import refusal_of
from dialer.app.campaigns.subscribers import add_subscriber, refuse_without_contact
from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError
from dialer.app.work.events import PersonDialled
from dialer.app.work.touched_records import touched_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.queueing.plans import DeskAction, PreviewOrder
from dialer.domain.queueing.skills import NO_SKILLS, skills_of
from dialer.domain.rules.awaited_skills import QueueSkills
from dialer.domain.rules.why_waiting import why_not_now
from dialer.domain.survey.sections.table import queue_ids_of
from dialer.domain.words.enums import (
    AgentStatus,
    CallRequestStatus,
    CampaignStatus,
    Consulted,
    DialMethod,
    SubscriberStatus,
    TransferStatus,
)
from dialer.domain.words.reasons import WaitsFor
from dialer.domain.words.sentences import Moment, Sentence
from dialer.store.database.touched import Touched
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.sealed_surveys import sealed_survey
from dialer.store.queries.why_waiting import circumstances_of, people_facts
from dialer.store.tables import (
    Agent,
    CallDisposition,
    CallRequest,
    Campaign,
    Contact,
    Phonebook,
    Queue,
    Subscriber,
    Tier,
    Transfer,
)

CAMPAIGNS_MAX: Final = 50
"""The most campaigns that a desk offers for manual dialling."""
_FREE: Final = frozenset({AgentStatus.AVAILABLE, AgentStatus.AVAILABLE_ON_DEMAND})
_GOES_ON: Final = frozenset({WaitsFor.RETRY, WaitsFor.TURN})
"""The waits that do not refuse a call: it is placed at once."""
_CODES: Final = {WaitsFor.NO_CONSENT: ErrorCode.NO_CONSENT}


class Rules(NamedTuple):
    """The settings of the service and of the account by which a number is judged."""

    service_zone: str
    hours: CallingHours
    region: str | None
    """The country of numbers without a country code."""


class Chosen(NamedTuple):
    """A person of an agent's own choice: a contact, or a number."""

    campaign_id: int
    number: str = ""
    contact_id: int | None = None
    again: bool = False
    """True if the agent wants to call the person although they have completed the survey."""


class LastReached(NamedTuple):
    """The last answered call of a person: when, with which agent, and with which outcome. Empty as far as unknown."""

    at_ms: int | None
    agent: str = ""
    disposition: str = ""
    word: str = ""


class AlreadyReachedError(RefusedError):
    """An error for a person who has completed the survey, so that nobody calls them again by mistake."""

    def __init__(self, number: str, reached: LastReached) -> None:
        at_ms = reached.at_ms
        remedy = Sentence("To call them again all the same, set again to true.")
        message = Sentence("%(number)s has completed the survey. %(remedy)s", number=number, remedy=remedy)
        if at_ms is not None:
            message = Sentence(
                "%(number)s has completed the survey, and was last reached at %(when)s. %(remedy)s",
                number=number,
                when=Moment(f"{datetime.fromtimestamp(at_ms // 1_000, UTC):%Y-%m-%dT%H:%M:%SZ}"),
                remedy=remedy,
            )
        super().__init__(message, code=ErrorCode.ALREADY_REACHED)
        self.number: Final = number
        self.reached: Final = reached


class HeldBackError(RefusedError):
    """An error for a person whom contact rules hold back."""

    def __init__(self, message: Sentence, campaign_id: int, subscriber_id: int) -> None:
        super().__init__(message, code=ErrorCode.FREQUENCY)
        self.campaign_id: Final = campaign_id
        self.subscriber_id: Final = subscriber_id


class ManualCampaign(NamedTuple):
    """A campaign within whose rules an agent may dial numbers."""

    id: int
    name: str


def manual_campaigns(connection: Connection, agent_id: int) -> list[ManualCampaign]:
    """Return the started campaigns within whose rules an agent may dial numbers, in order of their names."""
    query = (
        select(Campaign.id, Campaign.name)
        .join(Agent, Agent.user_id == Campaign.user_id)
        .where(Agent.id == agent_id, Campaign.status == CampaignStatus.START)
        .where(Campaign.dial_method == DialMethod.PREVIEW, Campaign.manual_dialling)
        .order_by(Campaign.name, Campaign.id)
        .limit(CAMPAIGNS_MAX)
    )
    found = [ManualCampaign(*row) for row in connection.execute(query)]
    return [one for one in found if _serves(connection, agent_id, one.id)]


def dial_chosen(unit: UnitOfWork, agent_id: int, chosen: Chosen, rules: Rules) -> int:
    """Let an agent call a person of their own choice, and return the subscriber. A stranger becomes one.

    The person whom the agent sees before goes back to wait.

    Raises:
        AlreadyReachedError: the person has completed the survey, and is not wanted again.
        HeldBackError: contact rules hold the person back.
        InvalidFieldsError: the campaign, the contact or the number is not one that the agent may dial.
        RefusedError: the agent or the person is in a call, or the person may not be called now.
    """
    campaign = _campaign(unit.connection, agent_id, chosen.campaign_id)
    _refuse_unless_free(unit.connection, agent_id)
    person, is_done = _person(unit, campaign, chosen, rules)
    _refuse_unless_callable(unit, agent_id, person, rules)
    if is_done and not chosen.again:
        raise AlreadyReachedError(person.number, _last_reached(unit.connection, person))
    order = PreviewOrder(DeskAction.DIAL, person.campaign_id, person.id, unit.now_ms)
    document = msgspec.json.encode(order).decode()
    unit.connection.execute(update(Agent).where(Agent.id == agent_id).values(preview_order=document))
    unit.note(Touched(agents=frozenset({agent_id})), PersonDialled(agent_id, person.id))
    return int(person.id)


def _campaign(connection: Connection, agent_id: int, campaign_id: int) -> RowMapping:
    """Return the campaign within whose rules an agent wants to dial.

    Raises:
        InvalidFieldsError: the agent does not serve it, or it does not allow that.
    """
    query = select(Campaign.__table__).join(Agent, Agent.user_id == Campaign.user_id)
    row = connection.execute(query.where(Agent.id == agent_id, Campaign.id == campaign_id)).mappings().first()
    if row is None or not _serves(connection, agent_id, campaign_id):
        raise InvalidFieldsError({"campaign_id": [Sentence("The agent serves no queue of this campaign.")]})
    if row["dial_method"] != DialMethod.PREVIEW or not row["manual_dialling"]:
        problem = Sentence("The campaign does not let agents dial numbers. Set its manual_dialling and dial_method 4.")
        raise InvalidFieldsError({"campaign_id": [problem]})
    return row


def _serves(connection: Connection, agent_id: int, campaign_id: int) -> bool:
    queue_ids = _queue_ids(connection, campaign_id)
    return not queue_ids.isdisjoint(connection.scalars(select(Tier.queue_id).where(Tier.agent_id == agent_id)))


def _queue_ids(connection: Connection, campaign_id: int) -> set[int]:
    survey = sealed_survey(connection, campaign_id)
    return set() if survey is None else set(queue_ids_of(survey))


def _refuse_unless_free(connection: Connection, agent_id: int) -> None:
    agent = connection.execute(select(Agent.__table__).where(Agent.id == agent_id)).one()
    if agent.status not in _FREE:
        raise RefusedError("The agent is not logged in, or on a break.", code=ErrorCode.NOT_DIALLED)
    preview = preview_of(agent.preview)
    transfers = (
        select(Transfer.agent_id, Transfer.offers, Transfer.for_agent_id, Transfer.consulted)
        .join(CallRequest, CallRequest.id == Transfer.callrequest_id)
        .where(IS_CALLING, Transfer.status != TransferStatus.OVER, CallRequest.user_id == agent.user_id)
    )
    is_in_call = any(
        agent_id == row.agent_id
        or str(agent_id) in msgspec.json.decode(row.offers or "{}")
        or (agent_id == row.for_agent_id and row.consulted == Consulted.ASKED)
        for row in connection.execute(transfers)
    )
    if is_in_call or (preview is not None and preview.call_id is not None) or agent.preview_order:
        raise RefusedError("The agent is in a call already.", code=ErrorCode.IN_PROGRESS)
    refuse_owing(connection, agent_id)


def _person(unit: UnitOfWork, campaign: RowMapping, chosen: Chosen, rules: Rules) -> tuple[Row[Any], bool]:
    """Return the subscriber who is to be called, PENDING and due, and whether they had completed the survey.

    Somebody who is no subscriber yet becomes one.
    """
    contact = None if chosen.contact_id is None else _contact(unit.connection, campaign, chosen.contact_id)
    number = contact["number"] if contact is not None else _number(chosen.number, rules.region)
    is_it = (Subscriber.campaign_id == campaign["id"]) & (Subscriber.number == number)
    known = unit.connection.execute(select(Subscriber.__table__).where(is_it)).first()
    if known is None:
        return add_subscriber(unit, _new(unit, campaign, number, contact)), False
    if known.status == SubscriberStatus.IN_PROCESS:
        raise RefusedError("The person is in a call already.", code=ErrorCode.IN_PROGRESS)
    if known.status == SubscriberStatus.PAUSE:
        raise RefusedError("The person is not to be called for now: the status is 2.", code=ErrorCode.NOT_DIALLED)
    refuse_without_contact(known.contact_id, known.phonebook_id)
    values: dict[str, Any] = {"due_ms": min(known.due_ms, unit.now_ms), "updated_date": unit.now_ms}
    if known.status != SubscriberStatus.PENDING:
        values |= {"status": SubscriberStatus.PENDING, "status_reason": "", "halt_reason": "", "due_ms": unit.now_ms}
    if known.status == SubscriberStatus.COMPLETED:
        counted = update(Campaign).where(Campaign.id == known.campaign_id)
        unit.connection.execute(counted.values(completed=Campaign.completed - 1))
    unit.note(touched_campaigns(known.campaign_id))
    changed = update(Subscriber).where(Subscriber.id == known.id).values(values)
    row = unit.connection.execute(changed.returning(*Subscriber.__table__.c)).one()
    return row, known.status == SubscriberStatus.COMPLETED


def _last_reached(connection: Connection, person: Row[Any]) -> LastReached:
    query = (
        select(CallRequest.started_ms, Agent.name, CallDisposition.disposition, CallDisposition.word)
        .outerjoin(Transfer, Transfer.callrequest_id == CallRequest.id)
        .outerjoin(Agent, Agent.id == Transfer.agent_id)
        .outerjoin(CallDisposition, CallDisposition.callrequest_id == CallRequest.id)
        .where(CallRequest.subscriber_id == person.id, CallRequest.status == CallRequestStatus.SUCCESS)
        .order_by(CallRequest.attempt.desc(), Transfer.place.desc())
    )
    row = connection.execute(query.limit(1)).first()
    return LastReached(person.last_attempt) if row is None else LastReached(row[0], *(text or "" for text in row[1:]))


def _contact(connection: Connection, campaign: RowMapping, contact_id: int) -> RowMapping:
    query = select(Contact.__table__).join(Phonebook, Phonebook.id == Contact.phonebook_id)
    is_own = (Contact.id == contact_id) & (Phonebook.user_id == campaign["user_id"])
    row = connection.execute(query.where(is_own)).mappings().first()
    if row is None:
        raise InvalidFieldsError({"contact_id": [Sentence("There is no such contact.")]})
    return row


def _number(text: str, region: str | None) -> str:
    try:
        return normalise(text, region)
    except NumberError as error:
        raise InvalidFieldsError({"number": [str(error)]}) from None


def _new(unit: UnitOfWork, campaign: RowMapping, number: str, contact: RowMapping | None) -> dict[str, Any]:
    moments = {"created_date": unit.now_ms, "updated_date": unit.now_ms}
    whose = {"campaign_id": campaign["id"], "user_id": campaign["user_id"], "number": number}
    if contact is None:
        return {**whose, **moments, "duplicate_contact": number, "zone": zone_of_number(number)}
    copied = {name: contact[name] for name in ("zone", "full_name", "additional_vars", "phonebook_id")}
    return {**whose, **moments, **copied, "duplicate_contact": contact["contact"], "contact_id": contact["id"]}


def _refuse_unless_callable(unit: UnitOfWork, agent_id: int, person: Row[Any], rules: Rules) -> None:
    """Refuse a person who may not be called now, by the rules that every dial obeys.

    Raises:
        RefusedError: the message says why.
    """
    campaign_id = person.campaign_id
    found = circumstances_of(unit.connection, {campaign_id}, unit.now_ms, rules.service_zone, rules.hours)
    if campaign_id not in found:
        raise RefusedError("The campaign cannot be read.", code=ErrorCode.NOT_DIALLED)
    # For a place the call waits, but what else refuses it does so at once.
    place = msgspec.structs.replace(found[campaign_id].place, agents_at_ms=0, max_aleg=0, free_channels=1)
    campaign = msgspec.structs.replace(found[campaign_id], place=place, skills=())
    _refuse_without_skills(unit.connection, agent_id, person)
    people = people_facts(unit.connection, [person._mapping], {campaign_id: campaign})  # noqa: SLF001 - SQLAlchemy documents it
    wait = why_not_now(campaign, people[person.id])
    if wait.reason is WaitsFor.EMERGENCY:
        raise RefusedError(Sentence("An emergency number is never dialled."), code=ErrorCode.NOT_DIALLED)
    if wait.reason not in _GOES_ON:
        why = refusal_of(wait.reason)
        message = Sentence("The person cannot be called now: %(why)s.", why=why)
        if wait.reason is WaitsFor.FREQUENCY:
            raise HeldBackError(message, campaign_id, person.id)
        raise RefusedError(message, code=_CODES.get(wait.reason, ErrorCode.NOT_DIALLED))


def _refuse_without_skills(connection: Connection, agent_id: int, person: Row[Any]) -> None:
    """Refuse a person whose call needs skills that the agent lacks in each queue that they serve.

    An agent who has promised the call-back needs none.
    """
    if person.promised_agent_id == agent_id:
        return
    own = skills_of(connection.execute(select(Agent.skills).where(Agent.id == agent_id)).scalar_one())
    served = select(Queue.skills, Queue.skill_field).join(Tier, Tier.queue_id == Queue.id)
    served = served.where(Tier.agent_id == agent_id, Queue.id.in_(_queue_ids(connection, person.campaign_id)))
    queues = [QueueSkills(skills_of(skills), field) for skills, field in connection.execute(served.order_by(Queue.id))]
    needed = min((queue.needed_by(person.additional_vars) - own for queue in queues), key=len, default=NO_SKILLS)
    if needed:
        raise RefusedError(
            Sentence("The person needs an agent with these skills: %(skills)s.", skills=", ".join(sorted(needed))),
            code=ErrorCode.NOT_DIALLED,
        )
