"""The service's own row: the position of its clock, the last ids it gave, and the settings it started with."""

import secrets
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, ScalarSelect, SQLColumnExpression, func, insert, literal_column, select, update

from dialer.domain.words.voices import ChosenVoice, TriedVoice
from dialer.store.database.bulk import Bulk
from dialer.store.tables import CallRequest, Cdr, ServiceState, SmsMessage, WaitingText

_ONLY_ROW: Final = 1
_ACCOUNT: Final = select(ServiceState.agent_account).where(ServiceState.id == _ONLY_ROW)
_READ: Final = select(ServiceState.now_ms, ServiceState.last_callrequest_id, ServiceState.last_cdr_id).where(
    ServiceState.id == _ONLY_ROW
)
_READ_SETTINGS: Final = select(
    ServiceState.clock,
    ServiceState.timezone,
    ServiceState.default_region,
    ServiceState.media_dir,
    ServiceState.calling_hours,
    ServiceState.contact_rules,
).where(ServiceState.id == _ONLY_ROW, ServiceState.clock.is_not(None))


def _highest(column: SQLColumnExpression[int]) -> ScalarSelect[int]:
    return select(func.coalesce(func.max(column), 0)).scalar_subquery()


_HIGHEST: Final = select(
    _highest(CallRequest.id),
    _highest(SmsMessage.id),
    _highest(WaitingText.message_id),
    _highest(Cdr.id),
)
_SAVE: Final = update(ServiceState).where(ServiceState.id == _ONLY_ROW)

_ACCOUNT_BYTES: Final = 16
SPEECH_MAX: Final = 255
"""Characters of the reason why texts cannot be spoken."""
TRIED_MAX: Final = 200
"""Voices of surveys that are remembered; the ones that were tried last."""
_TRIED: Final = msgspec.json.Decoder(list[TriedVoice])


class State(NamedTuple):
    """The service's clock, until which all due events have happened, and the last ids of calls and CDRs."""

    now_ms: int
    last_callrequest_id: int = 0
    last_cdr_id: int = 0


class ServiceSettings(NamedTuple):
    """Settings that the service was last started with, and that commands that run beside it must share."""

    clock: str
    timezone: str
    default_region: str | None
    media_dir: str
    calling_hours: str | None
    contact_rules: str = ""


_SAVE_STATE: Final = Bulk(update(ServiceState).where(ServiceState.id == literal_column(str(_ONLY_ROW))), State._fields)


def open_state(connection: Connection, first_now_ms: int) -> State:
    """Return the state of the service; create it at `first_now_ms` on an empty database.

    The last ids are never below the highest ids in the tables, so that new ids are free.
    """
    state = read_state(connection)
    if state is None:
        state = State(first_now_ms)
        connection.execute(insert(ServiceState).values(id=_ONLY_ROW, **state._asdict()))
    _name_account(connection)
    *request_ids, cdr_id = tuple(connection.execute(_HIGHEST).one())
    last_id = max(state.last_callrequest_id, *request_ids)
    return State(state.now_ms, last_id, max(state.last_cdr_id, cdr_id))


def agent_account(connection: Connection) -> str:
    """Return the name of the installation for programs that talk; empty if the service never ran."""
    return connection.scalar(_ACCOUNT) or ""


def _name_account(connection: Connection) -> None:
    """Give the installation a name for programs that talk, once and for all."""
    name = f"AC{secrets.token_hex(_ACCOUNT_BYTES)}"
    connection.execute(_SAVE.where(ServiceState.agent_account.is_(None)).values(agent_account=name))


def read_state(connection: Connection) -> State | None:
    """Return the state of the service; None if the service never ran."""
    row = connection.execute(_READ).one_or_none()
    return None if row is None else State(*row)


def save_state(connection: Connection, state: State) -> None:
    """Store the state of the service."""
    _SAVE_STATE.put(connection, [state])


def read_settings(connection: Connection) -> ServiceSettings | None:
    """Return the settings that the service was last started with; None if the database was never served."""
    row = connection.execute(_READ_SETTINGS).one_or_none()
    return None if row is None else ServiceSettings._make(row)


def save_settings(connection: Connection, settings: ServiceSettings, first_now_ms: int) -> None:
    """Store the settings of a service that starts; on an empty database its clock begins at `first_now_ms`."""
    open_state(connection, first_now_ms)
    connection.execute(_SAVE, settings._asdict())


def read_speech(connection: Connection) -> str | None:
    """Return why speech is out of order; an empty text if it works, None if the service has no voice."""
    return connection.scalar(select(ServiceState.speech_down).where(ServiceState.id == _ONLY_ROW))


def save_speech(connection: Connection, why_not: str | None) -> None:
    """Store why texts cannot be spoken, for `read_speech`. The service's row exists. All voices are tried anew."""
    why_not = None if why_not is None else why_not[:SPEECH_MAX]
    connection.execute(_SAVE, {"speech_down": why_not, "voices_tried": None})


def tried_voices(connection: Connection) -> dict[ChosenVoice, TriedVoice]:
    """Return how the voices that surveys choose were found when they were tried."""
    text = connection.scalar(select(ServiceState.voices_tried).where(ServiceState.id == _ONLY_ROW))
    return {} if text is None else {tried.wanted: tried for tried in _TRIED.decode(text)}


def save_tried_voice(connection: Connection, tried: TriedVoice) -> None:
    """Store how a voice was found, for `tried_voices`. The service's row exists."""
    voices = tried_voices(connection)
    voices.pop(tried.wanted, None)
    kept = [*voices.values(), msgspec.structs.replace(tried, why_not=tried.why_not[:SPEECH_MAX])][-TRIED_MAX:]
    connection.execute(_SAVE, {"voices_tried": msgspec.json.encode(kept).decode()})
