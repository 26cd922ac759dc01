"""Use cases of the recording of a call that goes on: it is started, paused and resumed."""

from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Row, bindparam, func, select, update

from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.call_recording import (
    PAUSES_MAX,
    RecordingOrders,
    TapeState,
    recording_plan,
    with_silence,
)
from dialer.domain.sessions.leg_protocol import Leg, Texting
from dialer.domain.words.sentences import Sentence
from dialer.store.database.touched import Touched
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.ordered_recordings import orders_in
from dialer.store.tables import CallRequest, Campaign, LiveLeg, Transfer

_CALL: Final = (
    select(
        CallRequest.callid,
        CallRequest.started_ms,
        CallRequest.is_simulated,
        CallRequest.recording_orders,
        Campaign.record,
        select(func.min(Transfer.recorded_ms))
        .where(Transfer.callrequest_id == CallRequest.id)
        .scalar_subquery()
        .label("recorded_ms"),
        LiveLeg.dialling,
        LiveLeg.standing,
    )
    .join(Campaign, Campaign.id == CallRequest.campaign_id)
    .outerjoin(LiveLeg, (LiveLeg.call_id == CallRequest.id) & (LiveLeg.place == 0))
    .where(CallRequest.id == bindparam("call"), IS_CALLING)
)
_OVER: Final = "The call is over, so its recording cannot be changed."
_NOT_RECORDED: Final = "The call is not recorded."
_REFUSED: Final = "The callee has refused to be recorded."
_NOT_WANTED: Final = "The call is not recorded yet. Start its recording first."
_TOO_OFTEN: Final = Sentence(
    "The recording was paused %(times)s times, so the rest of the call is silent in it.", times=PAUSES_MAX
)


class RecordingOrder(StrEnum):
    """The orders about the recording of a call."""

    START = "start"
    PAUSE = "pause"
    RESUME = "resume"


def order_recording(unit: UnitOfWork, callrequest_id: int, order: RecordingOrder) -> None:
    """Start, pause or resume the recording of a call. The row of the call keeps the order. A repeated one does nothing.

    Raises:
        RefusedError: the call is over, nothing of it is recorded, or it was paused too often.
    """
    row = unit.connection.execute(_CALL, {"call": callrequest_id}).first()
    if row is None:
        raise RefusedError(_OVER, code=ErrorCode.NOT_RECORDED)
    at_dial = _state_at_dial(row)
    if at_dial is None or (at_dial is TapeState.FOR_AGENT and row.recorded_ms is None):
        raise RefusedError(_NOT_RECORDED, code=ErrorCode.NOT_RECORDED)
    if _standing(row).is_recording_refused:
        raise RefusedError(_REFUSED, code=ErrorCode.NOT_RECORDED)
    before = _orders(row)
    after = _ordered(before, at_dial, order, unit.now_ms - row.started_ms)
    if after != before:
        text = msgspec.json.encode(after).decode()
        call = update(CallRequest).where(CallRequest.id == callrequest_id)
        unit.connection.execute(call.values(recording_orders=text))
        unit.note(Touched(calls=frozenset({callrequest_id})))


class RecordingNow(NamedTuple):
    """The recording of a call that goes on."""

    state: TapeState
    is_paused: bool
    """True if somebody has paused it; a section of the survey may do so by itself."""


class _Standing(msgspec.Struct):
    """The silences of sections, and whether the callee has refused, as the session of a call is stored."""

    silences: tuple[int, ...] = ()
    is_recording_refused: bool = False


def recording_now(connection: Connection, callrequest_id: int) -> RecordingNow | None:
    """Return what becomes of the sound of a call now; None if it is over, or nothing of it is recorded by now."""
    row = connection.execute(_CALL, {"call": callrequest_id}).first()
    at_dial = None if row is None else _state_at_dial(row)
    if row is None or at_dial is None:
        return None
    standing, is_early = _standing(row), at_dial is TapeState.FOR_AGENT and row.recorded_ms is None
    if standing.is_recording_refused or is_early:
        return None
    orders = _orders(row)
    return RecordingNow(orders.state(at_dial, standing.silences), orders.is_silent)


def _standing(row: Row[*tuple[Any, ...]]) -> _Standing:
    return msgspec.json.decode(row.standing or "{}", type=_Standing)


def _orders(row: Row[*tuple[Any, ...]]) -> RecordingOrders:
    """Return the orders about the recording of a call, which the answer of an agent may have begun, too."""
    return orders_in(row.recording_orders).begun([row.recorded_ms], row.started_ms)


def _state_at_dial(row: Row[*tuple[Any, ...]]) -> TapeState | None:
    """Return the state of its recording with which a call began; None if it is never recorded."""
    if row.dialling is None:
        by_campaign = recording_plan(row.record, 0).state_at_dial(row.callid) if row.is_simulated else None
        return TapeState.FOR_AGENT if by_campaign is None and row.recorded_ms is not None else by_campaign
    try:
        leg: Leg = msgspec.json.decode(row.dialling, type=Leg)
    except msgspec.DecodeError:
        return None
    return None if isinstance(leg, Texting) or leg.sound_store is None else leg.sound_store.state


def _ordered(before: RecordingOrders, at_dial: TapeState, order: RecordingOrder, at_ms: int) -> RecordingOrders:
    is_waiting = before.state(at_dial) is TapeState.WAITING
    if order is RecordingOrder.START:
        return replace(before, began_ms=at_ms) if is_waiting else before
    if is_waiting:
        raise RefusedError(_NOT_WANTED, code=ErrorCode.NOT_RECORDED)
    is_silent = order is RecordingOrder.PAUSE
    if not is_silent and before.is_silent and len(before.silences) >= 2 * PAUSES_MAX - 1:
        raise RefusedError(_TOO_OFTEN, code=ErrorCode.LIMIT_REACHED)
    return replace(before, silences=with_silence(before.silences, max(0, at_ms), is_silent=is_silent))
