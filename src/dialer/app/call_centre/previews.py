"""Use cases of previews: the person whom an agent sees before the call, and what the agent orders about them.

The worker writes whom an agent sees to the row of the agent, and reads orders with that row.
"""

from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from sqlalchemy import Connection, Label, SQLColumnExpression, bindparam, exists, select, update
from sqlalchemy.orm import aliased

from dialer.app.call_centre.variables import variables_of
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.events import PersonCalled, PersonSkipped
from dialer.app.work.unit import UnitOfWork
from dialer.domain.messages.templates import name_of
from dialer.domain.queueing.plans import DeskAction, Preview, PreviewOrder
from dialer.domain.words.reasons import SubscriberReason
from dialer.store.database.touched import Touched
from dialer.store.tables import Agent, CallRequest, Campaign, NumberNote, Subscriber, Transfer


def note_on(number: SQLColumnExpression[Any], user_id: SQLColumnExpression[int]) -> Label[Any]:
    """Return the note of an account on a number as a column `noted` of a query; null for none."""
    query = select(NumberNote.text).where(NumberNote.user_id == user_id, NumberNote.number == number)
    return query.scalar_subquery().label("noted")


_Kind = TypeVar("_Kind", Preview, PreviewOrder)
_PREVIEW: Final = select(Agent.preview, Agent.preview_order).where(Agent.id == bindparam("agent"))
_PERSON: Final = (
    select(
        Subscriber.__table__,
        Campaign.name.label("campaign"),
        Campaign.preview_calls,
        note_on(Subscriber.number, Subscriber.user_id),
    )
    .join(Campaign, Campaign.id == Subscriber.campaign_id)
    .where(Subscriber.id == bindparam("subscriber"))
)
_connected, _later = aliased(Transfer), aliased(Transfer)
_FAILED: Final = (
    select(
        CallRequest.id,
        CallRequest.phone_number,
        Subscriber.full_name,
        CallRequest.hangup_cause_q850,
        CallRequest.status_reason,
        CallRequest.ended_ms,
        Subscriber.additional_vars,
    )
    .join(Agent, Agent.placed_call_id == CallRequest.id)
    .outerjoin(Subscriber, Subscriber.id == CallRequest.subscriber_id)
    .where(Agent.id == bindparam("agent"), CallRequest.ended_ms.is_not(None))
    .where(~exists().where(_connected.callrequest_id == CallRequest.id, _connected.answered_ms.is_not(None)))
    .where(~exists().where(_later.agent_id == bindparam("agent"), _later.callrequest_id > CallRequest.id))
)


class PreviewedPerson(NamedTuple):
    """A person that an agent previews, or has called after the preview."""

    subscriber_id: int
    campaign_id: int
    campaign: str
    number: str
    full_name: str
    variables: dict[str, Any]
    attempts: int
    skips: int
    from_ms: int
    until_ms: int
    """The time at which the agent has to have decided."""
    calls_then: bool
    """True if the person is called at that time by itself."""
    call_id: int | None
    """The call, once it is placed."""
    is_wanted: bool
    """True if the agent has ordered the call."""
    noted: str = ""
    """The account's note on the number; empty for nothing."""


class FailedCall(NamedTuple):
    """A call that an agent has placed, and in which they talked with nobody."""

    id: int
    number: str
    full_name: str
    cause: int
    is_machine: bool
    """True if an answering machine answered it."""
    ended_ms: int


def preview_of(document: str) -> Preview | None:
    """Return the preview in an agent's row; None without a preview, or if the text is invalid."""
    return _decoded(document, Preview)


def _decoded(document: str, kind: type[_Kind]) -> _Kind | None:
    try:
        return msgspec.json.decode(document, type=kind) if document else None
    except msgspec.DecodeError:
        return None


def read_preview(connection: Connection, agent_id: int) -> PreviewedPerson | None:
    """Return the person that an agent previews; None without one."""
    row = connection.execute(_PREVIEW, {"agent": agent_id}).first()
    return None if row is None else previewed_in(connection, row.preview, row.preview_order)


def previewed_in(connection: Connection, preview_document: str, order_document: str) -> PreviewedPerson | None:
    """Return the person of a preview in an agent's row; None without one. The row has the agent's order, too."""
    preview = preview_of(preview_document)
    if preview is None:
        return None
    order = _decoded(order_document, PreviewOrder)
    is_wanted = order is not None and order.action is DeskAction.CALL
    person = connection.execute(_PERSON, {"subscriber": preview.subscriber_id}).first()
    if person is None:
        return None
    return PreviewedPerson(
        person.id,
        person.campaign_id,
        person.campaign,
        person.number,
        name_of(person.full_name, person.additional_vars),
        variables_of(person.additional_vars),
        person.count_attempt,
        person.skip_count,
        preview.from_ms,
        preview.until_ms,
        person.preview_calls,
        preview.call_id,
        is_wanted or preview.call_id is not None,
        person.noted or "",
    )


def failed_call_of(connection: Connection, agent_id: int) -> FailedCall | None:
    """Return the last call that an agent has placed, if it came to nothing and was the agent's last; else None."""
    row = connection.execute(_FAILED, {"agent": agent_id}).first()
    if row is None:
        return None
    is_machine = row.status_reason == SubscriberReason.MACHINE
    name = name_of(row.full_name or "", row.additional_vars or "")
    return FailedCall(row[0], row[1], name, row[3] or 0, is_machine, row[5] or 0)


def call_previewed(unit: UnitOfWork, agent_id: int, subscriber_id: int) -> None:
    """Order the call to the person that an agent previews. A repeated order does nothing more.

    Raises:
        RefusedError: the agent does not see this person.
    """
    preview = _seen(unit.connection, agent_id, subscriber_id)
    if preview.call_id is None:
        _order(unit, agent_id, preview, DeskAction.CALL)
        unit.note(Touched(agents=frozenset({agent_id})), PersonCalled(agent_id, subscriber_id))


def skip_previewed(unit: UnitOfWork, agent_id: int, subscriber_id: int) -> None:
    """Skip the person that an agent previews, so that the agent sees another one.

    Raises:
        RefusedError: the agent does not see this person, calls them already, or has ordered the call.
    """
    preview = _seen(unit.connection, agent_id, subscriber_id)
    if preview.call_id is not None or _is_call_ordered(unit.connection, agent_id, preview):
        raise RefusedError("The agent calls this person already. Hang up the call instead.", code=ErrorCode.IN_PROGRESS)
    _order(unit, agent_id, preview, DeskAction.SKIP)
    unit.note(Touched(agents=frozenset({agent_id})), PersonSkipped(agent_id, subscriber_id))


def _seen(connection: Connection, agent_id: int, subscriber_id: int) -> Preview:
    document = connection.scalar(select(Agent.preview).where(Agent.id == agent_id))
    preview = preview_of(document or "")
    if preview is None or preview.subscriber_id != subscriber_id:
        raise RefusedError(
            "The agent does not see this person now. Read the preview again.", code=ErrorCode.NOT_PREVIEWED
        )
    return preview


def _is_call_ordered(connection: Connection, agent_id: int, preview: Preview) -> bool:
    """Return whether the agent has ordered the call of this preview, which the worker places in a moment."""
    document = connection.scalar(select(Agent.preview_order).where(Agent.id == agent_id))
    order = _decoded(document or "", PreviewOrder)
    same = (preview.campaign_id, preview.subscriber_id, preview.from_ms)
    return (
        order is not None
        and order.action is DeskAction.CALL
        and (order.campaign_id, order.subscriber_id, order.given_ms) == same
    )


def _order(unit: UnitOfWork, agent_id: int, preview: Preview, action: DeskAction) -> None:
    order = PreviewOrder(action, preview.campaign_id, preview.subscriber_id, preview.from_ms)
    document = msgspec.json.encode(order).decode()
    unit.connection.execute(update(Agent).where(Agent.id == agent_id).values(preview_order=document))
