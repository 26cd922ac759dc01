"""Archives of a campaign's recorded calls: which ones, under which names, and who is noted to have them."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import anyio.from_thread
from litestar.response import Stream
from sqlalchemy import ColumnElement, Connection, RowMapping, and_, func, select

from dialer.api.answers.controller import LINK_HEADER
from dialer.api.answers.csv_lines import write_csv
from dialer.api.answers.downloads import in_threads, no_content
from dialer.api.service import ApiRequest, Service
from dialer.app.work.events import RecordingHeard
from dialer.domain.words.enums import RecordingState
from dialer.resources.crud import records
from dialer.resources.crud.moments import show_timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.visibility import visible
from dialer.resources.records.call_recordings import CALL_RECORDINGS, names_of_recordings
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.words.headers import is_head
from dialer.store.database.touched import NOTHING
from dialer.store.journal.call_recordings import SECONDS_SCALE
from dialer.store.media.archive import ArchivedFile, ArchivedSound, RecordingArchive, unique_names
from dialer.store.media.call_recordings import RecordedSound, read_sound, readable
from dialer.store.tables import Agent, CallDisposition, CallRecording, Queue
from dialer.store.tables.key_ring import opened_key

CALLS_MAX: Final = 500
"""Recordings in one archive. Each is an entry of the audit log."""
_INDEX: Final = (
    *("file", "call_recording", "callid", "phone_number", "agent", "queue", "disposition", "start_date", "seconds"),
    *("is_complete", "text"),
)
"""The columns of an archive's index."""
_GONE: Final = ("", "")
"""The number and the text of a recording whose account is deleted."""
PARTS_MAX: Final = 40
"""Archives of one campaign that are offered at once, the first ones."""
ZIP: Final = "application/zip"
AFTER: Final = "after"


class ArchivePart(NamedTuple):
    """One of the archives of a campaign: the id behind which it begins, and its first and last recording by number."""

    after: int
    first: int
    last: int


class CallArchive(NamedTuple):
    """An archive that is made as it is read, and the id of its last recording if there are more."""

    made: RecordingArchive
    next_after: int | None


async def calls_to_archive(request: ApiRequest, campaign_id: int, after: int) -> CallArchive:
    """Return the archive of a campaign's recorded calls behind an id, which notes who gets each of them.

    Raises:
        RecordNotFoundError: there is no such campaign, or it is not the caller's.
    """
    service = request.service
    found = await service.read(request, lambda unit: _rows(unit, campaign_id, after), is_long=True)
    part = found[:CALLS_MAX]
    files = [ArchivedFile(one["name"], one["start_date"], partial(_heard, request, one["id"])) for one in part]
    more = len(found) > len(part)
    return CallArchive(RecordingArchive(files, partial(_index, service, part)), part[-1]["id"] if more else None)


async def answer_call_archive(request: ApiRequest, campaign_id: int, after: int, address: str = "") -> Stream:
    """Answer with the archive of a campaign's recorded calls behind an id; with `address`, `Link` names the next one.

    Raises:
        RecordNotFoundError: there is no such campaign, or it is not the caller's.
    """
    archive = await calls_to_archive(request, campaign_id, after)
    headers = {"Content-Disposition": f'attachment; filename="campaign-{campaign_id}-call-recordings.zip"'}
    if address and archive.next_after is not None:
        headers[LINK_HEADER] = f'<{address}?{AFTER}={archive.next_after}>; rel="next"'
    content = no_content() if is_head(request.scope) else in_threads(archive.made.pieces())
    return Stream(content, media_type=ZIP, headers=headers)


def archive_parts(unit: Unit, campaign_id: int) -> list[ArchivePart]:
    """Return the archives that hold the recordings of a campaign that the caller may hear, at most `PARTS_MAX`."""
    place = func.row_number().over(order_by=CallRecording.id).label("place")
    numbered = select(CallRecording.id, place).where(_is_archived(unit, campaign_id)).order_by(CallRecording.id)
    found = numbered.limit(PARTS_MAX * CALLS_MAX).subquery()
    count = unit.connection.scalar(select(func.count()).select_from(found)) or 0
    ends = select(found.c.id).where(found.c.place % CALLS_MAX == 0).order_by(found.c.id)
    starts = [0, *unit.connection.scalars(ends)]
    firsts = range(1, count + 1, CALLS_MAX)
    return [
        ArchivePart(after, first, min(first + CALLS_MAX - 1, count))
        for after, first in zip(starts, firsts, strict=False)
    ]


def _is_archived(unit: Unit, campaign_id: int) -> ColumnElement[bool]:
    """Return the condition that a recording of a campaign has sound, and that the caller may hear it."""
    has_sound = CallRecording.state.not_in((RecordingState.REMOVED, RecordingState.IN_PROGRESS))
    is_seen = visible(CALL_RECORDINGS, unit.actor, unit.resources)
    return and_(is_seen, CallRecording.campaign_id == campaign_id, has_sound)


def _rows(unit: Unit, campaign_id: int, after: int) -> list[dict[str, Any]]:
    """Return the recordings that the caller may hear, one more than an archive has, with names that are unique."""
    records.require_seen(unit, CAMPAIGNS, campaign_id)
    said = CallDisposition.callrequest_id == CallRecording.callrequest_id
    query = (
        select(
            *(one for one in CallRecording.__table__.columns if one.name != CallRecording.text.key),
            Agent.name.label("agent"),
            Queue.name.label("queue"),
            CallDisposition.disposition,
        )
        .outerjoin_from(CallRecording, Agent, Agent.id == CallRecording.agent_id)
        .outerjoin(Queue, Queue.id == CallRecording.queue_id)
        .outerjoin(CallDisposition, said)
        .where(_is_archived(unit, campaign_id), CallRecording.id > after)
        .order_by(CallRecording.id)
        .limit(CALLS_MAX + 1)
    )
    rows: Sequence[RowMapping] = unit.connection.execute(query).mappings().all()
    names = unique_names(names_of_recordings(unit, rows[:CALLS_MAX]))
    return [dict(row, name=name) for row, name in zip(rows, [*names, ""], strict=False)]


def _heard(request: ApiRequest, recording_id: int) -> ArchivedSound | None:
    """Look for a recording when its turn comes, in a thread, and note it before any of it is sent."""
    sound = _found(request.service, recording_id)
    if sound is not None:
        anyio.from_thread.run(_note, request, recording_id)
    return sound


async def _note(request: ApiRequest, recording_id: int) -> None:
    await request.service.write(request, lambda unit: unit.note(NOTHING, RecordingHeard(recording_id)))


def _found(service: Service, recording_id: int) -> ArchivedSound | None:
    """Look for a recording, in a thread. It may have been removed since the archive was begun, or be out of reach."""

    def read(connection: Connection) -> RecordedSound | None:
        is_it = (CallRecording.id == recording_id) & (CallRecording.state != RecordingState.REMOVED)
        row = connection.execute(select(CallRecording.__table__).where(is_it)).one_or_none()
        return None if row is None else RecordedSound(row.file, opened_key(row.sound_key), row.size)

    kept = anyio.from_thread.run(service.database.read, read)
    try:
        sound = None if kept is None else readable(service.recordings, kept, is_measured=False)
    except OSError:
        return None
    return None if sound is None else ArchivedSound(sound.size, partial(read_sound, service.recordings, sound))


def _index(service: Service, part: Sequence[dict[str, Any]], is_complete: Sequence[bool]) -> bytes:
    """Return the index, in a thread. Texts and numbers are those of now: some may be erased since the beginning."""
    begin = write_csv([[name] for name in _INDEX])
    if not part:
        return begin
    columns = CallRecording.id, CallRecording.phone_number, CallRecording.text
    query = select(*columns).where(CallRecording.id.in_([one["id"] for one in part]))
    rows = anyio.from_thread.run(service.database.read, lambda connection: connection.execute(query).all())
    now: dict[int, tuple[str, str]] = {row.id: (row.phone_number, row.text) for row in rows}
    lines = [
        (
            *(one["name"], one["id"], one["callid"], now.get(one["id"], _GONE)[0]),
            *(one["agent"] or "", one["queue"] or "", one["disposition"] or ""),
            *(show_timestamp(one["start_date"]), f"{one['seconds'] / SECONDS_SCALE / 1_000:.1f}"),
            *("yes" if has_all else "no", now.get(one["id"], _GONE)[1]),
        )
        for one, has_all in zip(part, is_complete, strict=True)
    ]
    return begin + write_csv(list(zip(*lines, strict=True)))
