"""Calls in which a program talks, as the program sees and ends them over Twilio's REST resource of a call."""

import hmac
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, bindparam, select, update

from dialer.domain.sessions.session_state import SessionState, Stage
from dialer.store.database.service_state import agent_account
from dialer.store.database.touched import Touched, touch
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.ordered_recordings import orders_in
from dialer.store.tables import CallRequest, LiveLeg, SealedSurvey

_CALL: Final = (
    select(
        CallRequest.id,
        CallRequest.callid,
        CallRequest.phone_number,
        CallRequest.callerid,
        CallRequest.started_ms,
        CallRequest.attempt,
        CallRequest.recording_orders,
        LiveLeg.standing,
        SealedSurvey.agent_secrets,
    )
    .join(LiveLeg, (LiveLeg.call_id == CallRequest.id) & (LiveLeg.place == 0))
    .join(SealedSurvey, SealedSurvey.id == CallRequest.campaign_id)
    .where(CallRequest.callid == bindparam("callid"), IS_CALLING)
)


class WrongSecretError(Exception):
    """Raised for the wrong account or the wrong secret."""


class UnknownTalkError(Exception):
    """Raised for a call that is not there, or in which no program talks now."""


class AgentCall(NamedTuple):
    """A call in which a program talks."""

    id: int
    callid: str
    visited: int
    """The place of the conversation in the call."""
    is_completed: bool
    started_ms: int
    to: str
    caller: str
    """The number from which it was called."""
    is_inbound: bool


def agent_call(connection: Connection, account: str, secret: str, callid: str) -> AgentCall:
    """Return a call in which the program talks that knows the account and the secret.

    Raises:
        WrongSecretError: the account or the secret is another one.
        UnknownTalkError: there is no such call, or no program talks in it now.
    """
    if not account or not hmac.compare_digest(account.encode(), agent_account(connection).encode()):
        raise WrongSecretError
    row = connection.execute(_CALL, {"callid": callid}).first()
    state = None if row is None else _state(row.standing)
    if row is None or state is None or state.place is None or state.stage is not Stage.CONVERSING:
        raise UnknownTalkError
    secrets: dict[str, str] = msgspec.json.decode(row.agent_secrets) if row.agent_secrets else {}
    own = secrets.get(str(state.place.section_id), "")
    if not own or not hmac.compare_digest(own.encode(), secret.encode()):
        raise WrongSecretError
    visited = state.place.visited
    is_completed = orders_in(row.recording_orders).talk_completed == visited
    numbers = (row.phone_number, row.callerid)
    return AgentCall(row.id, row.callid, visited, is_completed, row.started_ms, *numbers, row.attempt < 0)


def complete_agent_call(connection: Connection, account: str, secret: str, callid: str) -> AgentCall:
    """End the talk of a program with a call, and return the call. Its row keeps the order. A repeated one does nothing.

    Raises:
        WrongSecretError: as for `agent_call`.
        UnknownTalkError: as for `agent_call`.
    """
    call = agent_call(connection, account, secret, callid)
    if not call.is_completed:
        is_it = CallRequest.id == call.id
        before = orders_in(connection.scalar(select(CallRequest.recording_orders).where(is_it)))
        text = msgspec.json.encode(replace(before, talk_completed=call.visited)).decode()
        connection.execute(update(CallRequest).where(is_it).values(recording_orders=text))
        touch(connection, Touched(calls=frozenset({call.id})))
    return call._replace(is_completed=True)


def _state(text: str | None) -> SessionState | None:
    try:
        return msgspec.json.decode(text or "", type=SessionState)
    except msgspec.DecodeError:
        return None
