"""The service's own row: how far its clock has come, and which ids it has given away."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, ScalarSelect, Table, func, insert, select, update

from dialer.store.tables import CallRequest, Cdr, ServiceState, SmsMessage

_states = ServiceState.__table__
_ONLY_ROW: Final = 1
_READ: Final = select(_states.c.now_ms, _states.c.last_callrequest_id, _states.c.last_cdr_id).where(
    _states.c.id == _ONLY_ROW
)


def _highest(table: Table) -> ScalarSelect[int]:
    return select(func.coalesce(func.max(table.c.id), 0)).scalar_subquery()


_HIGHEST: Final = select(*[_highest(model.__table__) for model in (CallRequest, SmsMessage, Cdr)])
_SAVE: Final = update(_states).where(_states.c.id == _ONLY_ROW)


class State(NamedTuple):
    """Everything due until `now_ms` has happened; the ids are the last that were given away."""

    now_ms: int
    last_callrequest_id: int = 0
    last_cdr_id: int = 0


def open_state(connection: Connection, first_now_ms: int) -> State:
    """Where the service stood; on an empty database it begins at `first_now_ms`.

    Ids that rows have were given away, whatever the service's own row says: else it could never add another.
    """
    state = read_state(connection)
    if state is None:
        state = State(first_now_ms)
        connection.execute(insert(_states).values(id=_ONLY_ROW, **state._asdict()))
    request_id, message_id, cdr_id = tuple(connection.execute(_HIGHEST).one())
    last_id = max(state.last_callrequest_id, request_id, message_id)
    return State(state.now_ms, last_id, max(state.last_cdr_id, cdr_id))


def read_state(connection: Connection) -> State | None:
    """Where the service stood; None if it never ran."""
    row = connection.execute(_READ).one_or_none()
    return None if row is None else State(*row)


def save_state(connection: Connection, state: State) -> None:
    """Remember where the service stands."""
    connection.execute(_SAVE, state._asdict())
