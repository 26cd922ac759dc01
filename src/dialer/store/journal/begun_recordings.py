"""The rows of recordings that go on: written when a recording begins, and finished with the end of its call."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, case, literal_column, select, update

from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.calls.plans import Call
from dialer.domain.words.enums import CallRequestStatus, RecordingState
from dialer.store.database.bulk import Bulk
from dialer.store.journal.call_recordings import INSERT_RECORDINGS, RecordingRow
from dialer.store.rows.call_recordings import removed_values
from dialer.store.tables import CallRecording, CallRequest

_IN_PROGRESS: Final = RecordingState.IN_PROGRESS.value
_WAITING: Final = RecordingState.WAITING.value
_CALLIDS: Final = bindparam("callids", expanding=True, type_=CallRecording.__table__.c.callid.type)
_KNOWN: Final = select(CallRecording.callid).where(CallRecording.callid.in_(_CALLIDS))
_FIXED: Final = frozenset({"user_id", "callid", "callrequest_id", "campaign_id", "phone_number"})
_FINISHED: Final = tuple(name for name in RecordingRow._fields if name not in _FIXED)
"""The columns that the end of a call decides. An erasure in the meantime stays due."""
_is_erased: Final = CallRecording.kept_until_ms == literal_column("0")
_FINISH: Final = Bulk(
    update(CallRecording)
    .where(CallRecording.callid == bindparam("of"))
    .values(
        {
            **{name: bindparam(f"new_{name}") for name in _FINISHED},
            "kept_until_ms": case((_is_erased, CallRecording.kept_until_ms), else_=bindparam("new_kept_until_ms")),
        }
    ),
    (*(f"new_{name}" for name in _FINISHED), "of"),
)
_UNTOLD: Final = (
    update(CallRecording)
    .where(CallRecording.callid.in_(_CALLIDS), CallRecording.state == _IN_PROGRESS)
    .values(state=_WAITING)
)
AT_ONCE: Final = 500


def begun_recording(call: Call, answered_ms: int, store: SoundStore) -> RecordingRow:
    """Return the row of a recording that goes on. All that only the end of the call decides is empty."""
    return RecordingRow(
        user_id=call.plan.user_id,
        callid=call.callid,
        callrequest_id=call.id,
        campaign_id=call.plan.id,
        agent_id=None,
        queue_id=None,
        phone_number=call.subscriber.number,
        start_date=call.recording_began_ms(answered_ms),
        seconds=0,
        size=0,
        paused=None,
        refused=False,
        removed_ms=None,
        file=store.file,
        sound_key=store.key or None,
        state=_IN_PROGRESS,
        kept_until_ms=None,
    )


def note_begun(connection: Connection, begun: Sequence[RecordingRow]) -> None:
    """Write the rows of recordings that go on, unless an earlier process has."""
    known = _known(connection, [row.callid for row in begun])
    INSERT_RECORDINGS.run(connection, [row for row in begun if row.callid not in known])


def note_refused(connection: Connection, callids: Sequence[str], now_ms: int) -> None:
    """Delete the keys of recordings that go on, and whose callees have refused."""
    if callids:
        is_it = CallRecording.callid.in_(callids) & (CallRecording.state == _IN_PROGRESS)
        connection.execute(update(CallRecording).where(is_it).values(refused=True, **removed_values(now_ms)))


def write_recordings(connection: Connection, over: Sequence[RecordingRow]) -> None:
    """Write the recordings of calls that are over. Those of simulated ones have no rows before."""
    known = _known(connection, [row.callid for row in over if row.file])
    finished = [(*(getattr(row, name) for name in _FINISHED), row.callid) for row in over if row.callid in known]
    _FINISH.run(connection, finished)
    INSERT_RECORDINGS.put(connection, [row for row in over if row.callid not in known])


def end_untold(connection: Connection, callids: Sequence[str]) -> None:
    """End the recordings of calls that were given up, so that nobody knows when they were answered."""
    connection.execute(_UNTOLD, {_CALLIDS.key: list(callids)})


def end_forgotten(connection: Connection, before_ms: int) -> int:
    """End recordings from before a moment whose calls are not in progress. Return their number.

    A call is deleted with its campaign, and then nobody tells of its end.
    """
    goes_on = select(CallRequest.id).where(
        CallRequest.id == CallRecording.callrequest_id, CallRequest.status == CallRequestStatus.CALLING
    )
    is_forgotten = (CallRecording.state == _IN_PROGRESS) & (CallRecording.start_date < before_ms) & ~goes_on.exists()
    return connection.execute(update(CallRecording).where(is_forgotten).values(state=_WAITING)).rowcount


def _known(connection: Connection, callids: Sequence[str]) -> set[str]:
    """Return those of these calls whose recordings have rows."""
    found: set[str] = set()
    for at in range(0, len(callids), AT_ONCE):
        found |= set(connection.scalars(_KNOWN, {_CALLIDS.key: list(callids[at : at + AT_ONCE])}))
    return found
