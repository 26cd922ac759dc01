"""The recording of a whole call on the page of the call: its waveform, and the moments of the call on it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, bindparam, select

from dialer.api.service import ApiRequest
from dialer.console.charts.waveform import HEIGHT, Waveform, draw_waveform
from dialer.domain.formats.media_files import MediaFiles
from dialer.domain.words.enums import RecordingState
from dialer.domain.words.roles import Permission
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.visibility import query_for, visible
from dialer.resources.records.call_recordings import CALL_RECORDINGS
from dialer.store.journal.call_recordings import SECONDS_SCALE
from dialer.store.media.call_recordings import RecordedSound, loudness
from dialer.store.media.store_threads import HEARERS
from dialer.store.tables import CallRecording
from dialer.store.tables.key_ring import opened_key
from dialer.store.timeline.happenings import Happening, happenings_of
from dialer.store.timeline.parts import AttemptPart

PARTS_MAX: Final = 240
"""Parts of a waveform, and blocks of half a second that are read for it."""
MOMENTS_MAX: Final = 200
"""Moments beside a player; a call has at most 100 sections."""
_SECOND_MS: Final = 1_000
_SILENT: Final = (RecordingState.REMOVED, RecordingState.IN_PROGRESS)
"""The states of recordings that nobody can hear."""
_MINUTE_S: Final = 60


class HeardMoment(NamedTuple):
    """A moment of a call, and its place in the recording."""

    at_s: float
    place: float
    """The place on the waveform, from 0 to its width."""
    happening: Happening | None
    """None for the answer, and for the beginning of a recording that somebody wanted later."""

    @property
    def shown(self) -> str:
        """Return the place in minutes and seconds, such as `1:05`."""
        return f"{int(self.at_s) // _MINUTE_S}:{int(self.at_s) % _MINUTE_S:02}"


class RecordedCall(NamedTuple):
    """The recording of a call that the viewer may hear."""

    id: int
    start_ms: int
    seconds: float
    sound: RecordedSound
    text: str
    """The words that are said in it; empty if nobody has written it down."""


class CallPlayer(NamedTuple):
    """A recording as it is shown."""

    recording: RecordedCall
    waveform: Waveform | None
    """None if the file cannot be read now."""
    moments: Sequence[HeardMoment]
    begins_later: bool
    """True if it begins a second or more after the answer, or if nobody knows when the answer was."""
    height: int = HEIGHT


def recorded_call(unit: Unit, callrequest_id: int | None, callid: str, number: str) -> RecordedCall | None:
    """Return the recording of a call; None if there is none any more, or if the viewer may not hear it.

    The call request of an older call may be deleted, with its campaign.
    """
    if not unit.actor.may(Permission.RECORDINGS):
        return None

    def query() -> Select[*tuple[Any, ...]]:
        of_older = (CallRecording.phone_number == bindparam("number")) & (CallRecording.callid == bindparam("callid"))
        is_it = of_older if callrequest_id is None else CallRecording.callrequest_id == bindparam("call")
        is_seen = visible(CALL_RECORDINGS, unit.actor, unit.resources)
        return select(CallRecording.__table__).where(is_it, is_seen, CallRecording.state.not_in(_SILENT)).limit(1)

    asked = {"number": number, "callid": callid} if callrequest_id is None else {"call": callrequest_id}
    kept = query_for(unit.actor, f"recording of a call by {', '.join(asked)}", query)
    row = unit.connection.execute(kept, {**asked, "actor_id": unit.actor.sees_as}).one_or_none()
    if row is None:
        return None
    seconds = row.seconds / SECONDS_SCALE / _SECOND_MS
    sound = RecordedSound(row.file, opened_key(row.sound_key), row.size)
    return RecordedCall(row.id, row.start_date, seconds, sound, row.text)


async def player_of(
    request: ApiRequest, recording: RecordedCall | None, attempt: AttemptPart | None
) -> CallPlayer | None:
    """Return a recording with its waveform, which is read in a thread, and the moments of its call in it.

    Moments of a call are known to the second, so those of the second before the recording are moments at its beginning.
    """
    if recording is None:
        return None
    parts = await HEARERS.run(_parts, request.service.recordings, recording.sound)
    waveform = None if parts is None else draw_waveform(parts)
    width = 0 if waveform is None else waveform.width
    earliest_ms = recording.start_ms - _SECOND_MS
    heard = [] if attempt is None else [one for one in happenings_of(attempt) if _ms(one.at) > earliest_ms]
    moments = [_moment(one, recording, width) for one in (None, *heard[:MOMENTS_MAX])]
    answered = None if attempt is None else attempt.answered
    return CallPlayer(recording, waveform, moments, answered is None or _ms(answered) <= earliest_ms)


def _parts(files: MediaFiles, sound: RecordedSound) -> list[tuple[int, int]] | None:
    try:
        return loudness(files, sound, PARTS_MAX)
    except OSError:
        return None


def _ms(at: datetime) -> float:
    return at.timestamp() * _SECOND_MS


def _moment(happening: Happening | None, recording: RecordedCall, width: int) -> HeardMoment:
    """Return a moment within the recording: what came later, such as an outcome, is at its end."""
    at_ms = recording.start_ms if happening is None else _ms(happening.at)
    at_s = min(max(0.0, (at_ms - recording.start_ms) / _SECOND_MS), recording.seconds)
    place = width * at_s / recording.seconds if recording.seconds else 0
    return HeardMoment(round(at_s, 1), round(place, 1), happening)
