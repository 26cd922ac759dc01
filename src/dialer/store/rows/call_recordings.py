"""Removal of recordings of whole calls. Their rows stay; nobody can hear them from the commit on."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, select, update

from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.enums import RecordingState, TextState
from dialer.store.tables import CallRecording, Campaign


def remove_recordings(connection: Connection, which: ColumnElement[bool], now_ms: int) -> None:
    """Remove recordings: keys and texts at once, and files soon after (`dialer.runtime.steps.kept_recordings`).

    Those under a legal hold, or of calls that go on, stay.
    """
    is_there = (CallRecording.state != RecordingState.REMOVED) & ~_stays()
    connection.execute(update(CallRecording).where(which, is_there).values(removed_values(now_ms)))


def erase_recordings(connection: Connection, which: ColumnElement[bool], now_ms: int) -> None:
    """Remove the recordings of somebody who is erased, with their number.

    A legal hold defers it to its own end, and a call that goes on to the end of the call.
    """
    remove_recordings(connection, which, now_ms)
    connection.execute(update(CallRecording).where(which, _stays()).values(kept_until_ms=0))
    connection.execute(update(CallRecording).where(which, ~_stays()).values(phone_number=ERASED))


def end_recordings(connection: Connection, which: ColumnElement[bool]) -> None:
    """Let the recordings of calls that are removed with their age be removed, too, and forget their numbers at once.

    Those under a legal hold follow when it ends.
    """
    connection.execute(update(CallRecording).where(which).values(kept_until_ms=0))
    connection.execute(update(CallRecording).where(which, ~_stays()).values(phone_number=""))


def await_texts(connection: Connection, recording_ids: Sequence[int]) -> None:
    """Let stored recordings wait to be written down, if their campaigns want that."""
    wants_it = select(Campaign.id).where(Campaign.id == CallRecording.campaign_id, Campaign.transcribe).exists()
    is_stored = CallRecording.id.in_(recording_ids) & (CallRecording.state == RecordingState.STORED)
    waiting = TextState.WAITING.value
    connection.execute(update(CallRecording).where(is_stored, wants_it).values(text_state=waiting))


def is_held() -> ColumnElement[bool]:
    """Return the condition that a recording is there, and nothing may remove it."""
    return CallRecording.legal_hold & (CallRecording.state != RecordingState.REMOVED)


def _stays() -> ColumnElement[bool]:
    """Return the condition that a recording cannot be removed now: a legal hold keeps it, or its call goes on."""
    return is_held() | (CallRecording.state == RecordingState.IN_PROGRESS)


def is_due_and_held(now_ms: int) -> ColumnElement[bool]:
    """Return the condition that a recording would be removed now, were there no legal hold."""
    return CallRecording.kept_until_ms.is_not(None) & (CallRecording.kept_until_ms <= now_ms) & is_held()


def removed_values(now_ms: int) -> dict[str, Any]:
    """Return the columns of a recording that is removed at a moment."""
    text = {"text": "", "text_language": "", "text_state": TextState.OFF.value}
    return {"state": RecordingState.REMOVED.value, "sound_key": None, "removed_ms": now_ms, **text}
