"""The rows of recordings of whole calls, written with the ends of the calls."""

from typing import Final, NamedTuple

import msgspec

from dialer.domain.calls.call_recording import SoundStore, TapeState, silent_spans
from dialer.domain.calls.plans import Call, CallOutcome
from dialer.domain.formats.sealed_sound import CHANNELS, HEADER_BYTES, RATE_HZ
from dialer.domain.words.enums import RecordingState
from dialer.store.database.bulk import bulk_insert
from dialer.store.tables import CallRecording

SECONDS_SCALE: Final = 100
"""Multiples of 1e-5 s in a millisecond."""
_WAITING: Final = RecordingState.WAITING.value
_REMOVED: Final = RecordingState.REMOVED.value


class RecordingRow(NamedTuple):
    """The columns of a new recording."""

    user_id: int
    callid: str
    callrequest_id: int
    campaign_id: int
    agent_id: int | None
    queue_id: int | None
    phone_number: str
    start_date: int
    seconds: int
    size: int
    paused: str | None
    refused: bool
    removed_ms: int | None
    file: str
    sound_key: str | None
    state: str
    kept_until_ms: int | None


INSERT_RECORDINGS: Final = bulk_insert(CallRecording.__table__, *RecordingRow._fields)


def recording_of(call: Call, outcome: CallOutcome) -> RecordingRow | None:
    """Return the row of the recording of a call that is over; None if it was not recorded.

    Of a call whose callee refused, the row says that alone. Its file is gone, or goes as those of removed ones do.

    Simulated callees say nothing, so their recordings have no files: the length is all that there is to know. That of a
    call over a line is measured when it is stored.
    """
    plan, at_dial = call.plan, call.tape_at_dial
    answered_ms = outcome.answered_ms
    if answered_ms is None:
        # A call that was given up, because nobody told of its end: an agent has talked in it.
        answered_ms = next((one.recorded_ms for one in call.transfers if one.recorded_ms is not None), None)
    if at_dial is None or answered_ms is None:
        return None
    is_refused = outcome.is_recording_refused
    if not is_refused and call.recording_by_now.state(at_dial) is TapeState.WAITING:
        return None
    store = call.sound_store or SoundStore("", "")
    began_ms = answered_ms if is_refused else call.recording_began_ms(answered_ms)
    length_ms = 0 if is_refused else max(0, outcome.ended_ms - began_ms)
    span = began_ms - call.started_ms, outcome.ended_ms - call.started_ms
    paused = [] if is_refused else silent_spans([call.recording_orders.silences, outcome.silences], *span)
    talk = next((one for one in reversed(call.transfers) if one.agent_id is not None), None)
    return RecordingRow(
        plan.user_id,
        call.callid,
        call.id,
        plan.id,
        None if talk is None else talk.agent_id,
        None if talk is None else talk.queue_id,
        call.subscriber.number,
        began_ms,
        length_ms * SECONDS_SCALE,
        0 if is_refused else HEADER_BYTES + length_ms * RATE_HZ * CHANNELS // 1_000,
        msgspec.json.encode(paused).decode() if paused else None,
        is_refused,
        outcome.ended_ms if is_refused else None,
        store.file,
        None if is_refused else store.key or None,
        _REMOVED if is_refused else _WAITING,
        plan.recording.kept_until_ms(outcome.ended_ms),
    )
