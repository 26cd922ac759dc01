"""The desk of an agent: the own state, and the call that the agent has taken, with what is known of the callee."""

from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, String, bindparam, case, cast, func, literal, select
from sqlalchemy.orm import aliased

from dialer.app.call_centre.break_reasons import break_reasons_of
from dialer.app.call_centre.consultations import ThirdPerson, can_consult, third_person
from dialer.app.call_centre.contact_fields import FIELD_COLUMNS, IS_CONTACT, FieldsOfCall, fields_in
from dialer.app.call_centre.dispositions import (
    SAID_COLUMNS,
    TERM_COLUMNS,
    CallBackTerm,
    Disposed,
    disposed_in,
    term_in,
)
from dialer.app.call_centre.previews import note_on
from dialer.app.call_centre.variables import variables_of
from dialer.app.call_centre.wrap_ups import figures_in, longer_wrap_up_ms, owes_outcome
from dialer.domain.engine.desk_transfers import AGENT
from dialer.domain.messages.link_templates import fill_link
from dialer.domain.messages.templates import fill, name_of, values_of
from dialer.domain.queueing.activity import AgentClock
from dialer.domain.words.enums import AgentActivity, CallRequestStatus, Consulted, TransferStatus
from dialer.store.tables import (
    Agent,
    CallDisposition,
    CallRequest,
    Campaign,
    Contact,
    LiveLeg,
    Queue,
    Subscriber,
    SurveyResult,
    Transfer,
)

_CLOCK: Final = [Agent.__table__.c[name] for name in AgentClock.__struct_fields__]
_of_login = select(Agent.id).where(Agent.login_id == bindparam("login")).order_by(Agent.id).limit(1)
_ASKING: Final = aliased(Agent)
_THIRD: Final = aliased(Transfer)
_AGENT: Final = (
    _of_login.add_columns(
        *(Agent.user_id, Agent.name, Agent.break_cause, Agent.figures),
        *(Agent.preview, Agent.preview_order, Agent.placed_call_id),
        _ASKING.name.label("asking"),
        func.coalesce(_THIRD.started_ms, _THIRD.joined_ms).label("asked_ms"),
        _THIRD.answered_ms.is_not(None).label("has_answered"),
        *_CLOCK,
    )
    # The agents of the account are fewer than its calls, and those who consult somebody name them.
    .outerjoin(
        _ASKING,
        (_ASKING.user_id == Agent.user_id)
        & _ASKING.consulted_call_id.is_not(None)
        & (_ASKING.consultation_to == literal(AGENT) + cast(Agent.id, String)),
    )
    .outerjoin(
        _THIRD,
        (_THIRD.callrequest_id == _ASKING.consulted_call_id)
        & (_THIRD.for_agent_id == Agent.id)
        & (_THIRD.consulted == Consulted.ASKED)
        & (_THIRD.status != TransferStatus.OVER),
    )
    .order_by(_THIRD.id.is_(None))
)
_NUMBER: Final = case((CallRequest.attempt < 0, CallRequest.callerid), else_=CallRequest.phone_number)
_SUMMARY: Final = (
    select(SurveyResult.summary)
    .where(SurveyResult.callrequest_id == CallRequest.id, SurveyResult.summary != "")
    .order_by(SurveyResult.id.desc())
    .limit(1)
    .scalar_subquery()
)
"""The last words of a program about its talk in a call that is over."""
_CALL: Final = (
    select(
        CallRequest.id.label("call_id"),
        CallRequest.status.label("call_status"),
        Transfer.status.label("leg_status"),
        Subscriber.id,
        _NUMBER.label("number"),
        Subscriber.full_name,
        Subscriber.additional_vars,
        Subscriber.zone,
        Campaign.name.label("campaign"),
        Campaign.agent_script,
        Campaign.crm_url,
        Campaign.id.label("campaign_id"),
        Queue.name.label("queue"),
        Transfer.answered_ms,
        Transfer.on_hold_from_ms,
        note_on(_NUMBER, CallRequest.user_id),
        _SUMMARY.label("summary"),
        LiveLeg.standing,
        *FIELD_COLUMNS,
        *SAID_COLUMNS,
        *TERM_COLUMNS,
    )
    .join_from(CallRequest, Transfer, CallRequest.id == Transfer.callrequest_id)
    .outerjoin(Subscriber, Subscriber.id == CallRequest.subscriber_id)
    .join(Campaign, Campaign.id == CallRequest.campaign_id)
    .outerjoin(Queue, Queue.id == Transfer.queue_id)
    .outerjoin(CallDisposition, CallDisposition.callrequest_id == CallRequest.id)
    .outerjoin(Contact, IS_CONTACT)
    .outerjoin(LiveLeg, (LiveLeg.call_id == CallRequest.id) & (LiveLeg.place == 0))
    .where(Transfer.agent_id == bindparam("agent"), Transfer.answered_ms.is_not(None))
    .order_by(Transfer.id.desc())
    .limit(1)
)


class _Answer(msgspec.Struct):
    """The answer to a section, in the stored session of a call."""

    summary: str = ""


class _Answers(msgspec.Struct):
    """The answers of a call, as its session is stored."""

    results: list[_Answer] = []


class AskedBy(NamedTuple):
    """The agent who consults this one, or whose consultation rings."""

    name: str
    since_ms: int
    """The time since which the telephone rings, or rang."""
    has_answered: bool
    """True once they talk, or one of them has the other on hold."""


class CallOnDesk(NamedTuple):
    """The newest call of an agent, as the desk shows it."""

    id: int
    subscriber_id: int | None
    """None for a caller who is no subscriber."""
    number: str
    full_name: str
    variables: list[tuple[str, str]]
    zone_key: str
    """The zone key of the callee; empty if it is not known."""
    campaign: str
    script: str
    """The campaign's `agent_script`, filled for this callee. Empty if it has none."""
    filled: FieldsOfCall
    """The columns of the contact that the agent may fill in."""
    crm_url: str
    """The address of the callee in another program; empty if the campaign has none."""
    queue: str
    answered_ms: int
    on_hold_from_ms: int | None
    """The time since which the callee is on hold; None if not."""
    is_over: bool
    disposed: Disposed | None
    term: CallBackTerm | None
    """Until when the callee can be called back."""
    may_consult: bool
    """True if the carrier of the call can connect a third person."""
    third: ThirdPerson | None
    """The third person whom the agent consults, or consulted last in the call."""
    noted: str = ""
    """The account's note on the number; empty for nothing."""
    summary: str = ""
    """The words about its talk of a program that has talked with the callee before; empty for none."""

    @property
    def is_consulting(self) -> bool:
        """Return whether a third person is in the call, or is being called."""
        return self.third is not None and self.third.mode is not None


class Desk(NamedTuple):
    """An agent's desk at one moment: activity, call, preview and queues."""

    agent_id: int
    user_id: int
    """The account of the agent."""
    name: str
    status: int
    """The `AgentStatus` that was ordered last. During a call it may wait for its end."""
    activity: AgentActivity
    after_call: AgentActivity | None
    """The activity that was ordered during the call, and begins when it is over; None without such an order."""
    since_ms: int
    break_reason: str
    break_cause: str
    """The `BreakCause` of a break that the service has ordered; empty for another one."""
    break_reasons: list[str]
    """The reasons among which the agent chooses; none if the agent writes one."""
    wraps_until_ms: int
    owes_outcome: bool
    """True if the agent has to say the outcome of the last call before the next one."""
    longer_ms: int
    """The time by which the agent can make the present wrap-up time longer; 0: not at all, or not again."""
    call: CallOnDesk | None
    """The newest call; None before the first one."""
    preview: str
    """The preview in the agent's row, and below it the agent's order (`dialer.app.call_centre.previews`)."""
    preview_order: str
    has_placed_call: bool
    """True if the agent has placed a call themselves."""
    asked_by: AskedBy | None
    """The agent who consults this one; None for nobody."""

    @property
    def is_talking(self) -> bool:
        """Return whether the newest call is in progress."""
        return self.call is not None and not self.call.is_over

    @property
    def is_in_call(self) -> bool:
        """Return whether the agent talks in a call: their own, or that of an agent who consults them."""
        return self.is_talking or (self.asked_by is not None and self.asked_by.has_answered)

    @property
    def shows_call(self) -> bool:
        """Return whether the newest call belongs on the desk: it is in progress, or there is something to say of it."""
        if self.call is None:
            return False
        return self.is_talking or self.activity is AgentActivity.WRAPPING_UP or self.call.disposed is None


def agent_at_desk(connection: Connection, login_id: int) -> int | None:
    """Return the agent who signs in as a user; None if no agent does."""
    return connection.scalar(_of_login, {"login": login_id})


def read_desk(connection: Connection, login_id: int, now_ms: int) -> Desk | None:
    """Return the desk of the agent who signs in as a user; None if no agent does."""
    row = connection.execute(_AGENT, {"login": login_id}).first()
    if row is None:
        return None
    clock = AgentClock(*row[-len(_CLOCK) :])
    figures, is_wrapping_up = figures_in(row.figures), clock.activity(now_ms) is AgentActivity.WRAPPING_UP
    call = _call_of(connection, row.id)
    may_lengthen = is_wrapping_up and not figures.is_wrap_up_longer
    return Desk(
        row.id,
        row.user_id,
        row.name,
        clock.status,
        clock.activity(now_ms),
        clock.after_call(),
        clock.since_ms(now_ms),
        clock.break_reason,
        row.break_cause,
        break_reasons_of(connection, row.id),
        clock.wraps_until_ms,
        is_wrapping_up and owes_outcome(connection, figures),
        longer_wrap_up_ms(connection, row.id) if may_lengthen else 0,
        call,
        row.preview,
        row.preview_order,
        row.placed_call_id is not None,
        None if row.asked_ms is None else AskedBy(row.asking, row.asked_ms, row.has_answered),
    )


def _call_of(connection: Connection, agent_id: int) -> CallOnDesk | None:
    row = connection.execute(_CALL, {"agent": agent_id}).first()
    if row is None:
        return None
    values = tuple(row)
    term_at = len(values) - len(TERM_COLUMNS)
    said_at = term_at - len(SAID_COLUMNS)
    is_over = row.call_status != CallRequestStatus.CALLING or row.leg_status != TransferStatus.CONNECTED
    return CallOnDesk(
        row.call_id,
        row.id,
        row.number,
        name_of(row.full_name or "", row.additional_vars or ""),
        _variables(row.additional_vars),
        row.zone or "",
        row.campaign,
        fill(row.agent_script, row.full_name or "", row.additional_vars or "", row.number),
        fields_in(values[:said_at][-len(FIELD_COLUMNS) :]),
        _crm_url(row, agent_id),
        row.queue or "",
        row.answered_ms,
        row.on_hold_from_ms,
        is_over,
        disposed_in(values[said_at:term_at]),
        term_in(values[term_at:]),
        *_consultation_in(connection, row.call_id, agent_id, is_over=is_over),
        row.noted or "",
        row.summary or _summary_in(row.standing or ""),
    )


def _summary_in(standing: str) -> str:
    """Return what a program has said of its talk in a call that goes on, from the stored session of the call."""
    if '"summary"' not in standing:  # As in most calls.
        return ""
    return next(
        (one.summary for one in reversed(msgspec.json.decode(standing, type=_Answers).results) if one.summary), ""
    )


def _consultation_in(
    connection: Connection, call_id: int, agent_id: int, *, is_over: bool
) -> tuple[bool, ThirdPerson | None]:
    """Return whether a third person can be called, and who is or was the last one; no one once the call is over."""
    if is_over:
        return False, None
    return can_consult(connection, call_id), third_person(connection, call_id, agent_id)


def _crm_url(row: Row[Any], agent_id: int) -> str:
    ids = {
        "call_id": row.call_id,
        "campaign_id": row.campaign_id,
        "subscriber_id": "" if row.id is None else row.id,
        "agent_id": agent_id,
    }
    of_person = values_of(row.full_name or "", row.additional_vars or "", row.number)
    return fill_link(row.crm_url, of_person | {name: str(value) for name, value in ids.items()})


def _variables(text: str) -> list[tuple[str, str]]:
    """Return variables as texts; none if they are not readable."""
    return [(str(name), str(value)) for name, value in variables_of(text).items()]
