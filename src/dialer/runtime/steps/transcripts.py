"""Recordings of whole calls are written down: some at once, beside all calls, and a few of each account in turn.

A recording that waits for its text is claimed by the process that has it written down. One that
was never written, because the process was killed or nobody was there to write, is tried again after its claim. One
that did not work, and nobody knows why, is tried again some times.
"""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from enum import Enum, auto
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple

import anyio
import structlog
from sqlalchemy import ColumnElement, Connection, Row, and_, case, func, select, update

from dialer.domain.formats.media_files import MediaFiles
from dialer.domain.formats.sealed_sound import CHANNELS, HEADER_BYTES, RATE_HZ, wav_header
from dialer.domain.words.enums import RecordingState, TextState
from dialer.domain.words.transcripts import Ears, Transcript
from dialer.runtime.steps.clock import Clock
from dialer.runtime.steps.recording_figures import RecordingFigures
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, touch
from dialer.store.journal.call_recordings import SECONDS_SCALE
from dialer.store.media.call_recordings import RecordedSound, read_sound
from dialer.store.media.store_threads import KEEPERS
from dialer.store.tables import CallRecording, Campaign, SurveyTemplate
from dialer.store.tables.key_ring import opened_key

AT_ONCE: Final = 2
"""Recordings that one process has written down at the same time."""
SHARE: Final = 2
"""Recordings of one account among those that are taken together."""
TAKEN: Final = 20
"""Recordings that are taken together."""
LOOKS_EVERY_S: Final = 10.0
AWAY_S: Final = 60.0
"""Pause after nobody was there to write."""
CLAIM_MS: Final = 1_800_000
"""Time, half an hour, after which a recording that was claimed and not written is tried again."""
FAILS_AFTER_MS: Final = 604_800_000
"""Time after the end of a call, or after somebody asked anew, after which a recording that nobody writes down fails:
a week."""
PIECE_S: Final = 1_200
"""Seconds of sound, 19 MB, that are written down at once. Servers take up to 25 MB."""
TAIL_S: Final = 1
"""Seconds of sound that are too few for a piece of their own: they go with the piece before."""
LEAST_RUN_S: Final = 30.0
RUN_S: Final = 300.0
"""Seconds for a piece of `PIECE_S`. A shorter one has fewer, but `LEAST_RUN_S`."""
TRIES_MAX: Final = 8
"""Attempts that fail, maybe by the recording itself, after which it fails. Each waits twice as long as the one before:
the last is made two days and a half after the first."""
STORE_AWAY_S: Final = (1.0, 5.0, 25.0)
"""Pauses after which a text is stored again, if the store is away."""
GIVES_BACK_S: Final = 5.0
"""Seconds in which a process that ends gives back what it has claimed."""
PIECES_MAX: Final = 5
"""Pieces of one recording that are written down: 100 minutes. The rest is left out."""
_IS_UNWANTED: Final = (
    select(Campaign.id).where(Campaign.id == CallRecording.campaign_id, ~Campaign.transcribe).correlate(CallRecording)
).exists()
"""The condition that the campaign of a recording does not want texts any more."""
_IS_DUE: Final = and_(
    CallRecording.text_state == TextState.WAITING.value,
    CallRecording.state == RecordingState.STORED.value,
    ~_IS_UNWANTED,
)
_log = structlog.get_logger(__name__)


class _End(Enum):
    """The end of an attempt to write down a recording."""

    SETTLED = auto()
    """There is nothing more to do: it has a text or none, or is somebody else's."""
    UNSURE = auto()
    """It did not work, maybe by the recording itself."""
    AWAY = auto()
    """Nobody writes down anything."""


class _Claimed(NamedTuple):
    """A recording that this process has claimed."""

    row: Row[Any]
    claimed_ms: int
    said: list[Transcript]
    """Its pieces, as far as they are written down."""

    def stands(self) -> ColumnElement[bool]:
        """Return the condition that the recording still waits for its text, and is ours."""
        return and_(CallRecording.id == self.row.id, CallRecording.text_claimed_ms == self.claimed_ms, _IS_DUE)


class Transcripts:
    """A task that has recordings written down."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        files: MediaFiles,
        ears: Ears,
        figures: RecordingFigures,
        *,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        """Prepare it, to do nothing if there are no ears."""
        self._database: Final = database
        self._clock: Final = clock
        self._files: Final = files
        self._ears: Final = ears
        self._figures: Final = figures
        self._sleep: Final = sleep
        self._served = 0
        """The account that had its turn last."""

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Have recordings written down in the background while the context is entered."""
        async with anyio.create_task_group() as tasks:
            if self._ears:
                tasks.start_soon(self._write_forever)
            yield
            tasks.cancel_scope.cancel()

    async def _write_forever(self) -> None:
        while True:
            pause_s = LOOKS_EVERY_S
            try:
                pause_s = await self.work()
            except StorageUnavailableError as error:
                _log.warning("recordings_not_written_down", reason=str(error))
            except Exception:  # noqa: BLE001 - all else of the service goes on
                _log.exception("recordings_not_written_down")
            if pause_s:
                await self._sleep(pause_s)

    async def work(self) -> float:
        """Have some recordings written down. Return the seconds until the next look; 0 if there may be more."""
        taken = await self._database.read(self._due) if self._figures.is_in_place else []
        waiting, ends = iter(taken), set[_End]()

        async def write_some() -> None:
            for row in waiting:
                if _End.AWAY in ends:
                    return
                self._served = row.user_id
                ends.add(await self._write_one(row))

        async with anyio.create_task_group() as tasks:
            for _ in range(AT_ONCE):
                tasks.start_soon(write_some)
        count = select(func.count()).where(_IS_DUE)
        self._figures.texts_waiting = await self._database.read(lambda connection: connection.scalar(count) or 0)
        return AWAY_S if _End.AWAY in ends else 0.0 if _End.SETTLED in ends else LOOKS_EVERY_S

    def _due(self, connection: Connection) -> Sequence[Any]:
        """Return recordings that wait, those of all accounts in turn, from the one behind the last that had a turn."""
        place = func.row_number().over(partition_by=CallRecording.user_id, order_by=CallRecording.id).label("place")
        queue = select(CallRecording.id, place).where(_IS_DUE, _is_free(self._clock.now_ms())).subquery()
        columns = CallRecording.id, CallRecording.user_id, CallRecording.file, CallRecording.size
        more = CallRecording.sound_key, CallRecording.start_date, CallRecording.seconds
        asked = CallRecording.text_tries, CallRecording.text_asked_ms
        had_its_turn = case((CallRecording.user_id <= self._served, 1), else_=0)
        query = (
            select(*columns, *more, *asked, SurveyTemplate.language)
            .join(queue, queue.c.id == CallRecording.id)
            .outerjoin(Campaign, Campaign.id == CallRecording.campaign_id)
            .outerjoin(SurveyTemplate, SurveyTemplate.id == Campaign.object_id)
            .where(queue.c.place <= SHARE)
            .order_by(queue.c.place, had_its_turn, CallRecording.user_id, CallRecording.id)
            .limit(TAKEN)
        )
        return connection.execute(query).all()

    async def _write_one(self, row: Row[Any]) -> _End:
        """Have a recording written down, unless another process does. A failure holds up no other."""
        claimed = _Claimed(row, self._clock.now_ms(), [])
        try:
            return await self._write_claimed(claimed) if await self._stored(partial(_claim, claimed)) else _End.SETTLED
        except StorageUnavailableError as error:
            _log.warning("recordings_not_written_down", reason=str(error))
            return _End.AWAY
        except Exception:  # noqa: BLE001 - the others are written down
            _log.exception("recording_not_written_down", recording=row.id)
            return _End.UNSURE
        except anyio.get_cancelled_exc_class():
            with anyio.move_on_after(GIVES_BACK_S, shield=True), contextlib.suppress(StorageUnavailableError):
                await self._database.write(partial(_set, claimed, {"text_claimed_ms": None}))
            raise

    async def _write_claimed(self, claimed: _Claimed) -> _End:
        from dialer.carriers.voice.ears import (  # noqa: PLC0415 - most services have none
            EarsAwayError,
            EarsError,
            EarsUnsureError,
        )

        try:
            is_whole = await self._listen(claimed)
        except (EarsAwayError, OSError) as error:
            row = claimed.row
            since_ms = max(row.start_date + row.seconds // SECONDS_SCALE, row.text_asked_ms or 0)
            is_over = claimed.claimed_ms - since_ms >= FAILS_AFTER_MS
            await self._end(claimed, _ended(claimed) if is_over else {}, error)
            return _End.AWAY
        except EarsUnsureError as error:
            tries = claimed.row.text_tries + 1
            again = {"text_tries": tries, "text_claimed_ms": claimed.claimed_ms + CLAIM_MS * (2 ** (tries - 1) - 1)}
            await self._end(claimed, again if tries < TRIES_MAX else _ended(claimed) | {"text_tries": tries}, error)
            return _End.UNSURE
        except EarsError as error:
            await self._end(claimed, _ended(claimed), error)
            return _End.SETTLED
        if is_whole:
            await self._stored(partial(_set, claimed, _text(claimed)))
        return _End.SETTLED

    async def _end(self, claimed: _Claimed, values: dict[str, Any], error: Exception) -> None:
        """Note that a recording could not be written down, unless it was removed or taken meanwhile."""
        values = values or {"text_claimed_ms": claimed.claimed_ms}
        if not await self._stored(partial(_set, claimed, values)):
            return
        is_over = "text_state" in values
        self._figures.texts_failed += values.get("text_state") == TextState.FAILED.value
        _log.warning(
            "recording_not_written_down", recording=claimed.row.id, reason=str(error), is_tried_again=not is_over
        )

    async def _stored(self, work: Callable[[Connection], bool]) -> bool:
        """Write to the database, and again if it is away for a moment.

        Raises:
            StorageUnavailableError: it is away for longer.
        """
        for pause_s in STORE_AWAY_S:
            try:
                return await self._database.write(work)
            except StorageUnavailableError:
                await self._sleep(pause_s)
        return await self._database.write(work)

    async def _listen(self, claimed: _Claimed) -> bool:
        """Have each piece of a recording written down. Return False if it was removed or taken meanwhile.

        Raises:
            EarsError: one cannot be written down, or the sound cannot be read.
            OSError: the place of the files does not say.
        """
        from dialer.carriers.voice.ears import transcript_of  # noqa: PLC0415 - most services have none

        language = (claimed.row.language or "").partition("-")[0].lower()
        still = select(CallRecording.id).where(claimed.stands())
        for span in _spans(claimed.row.size):
            if await self._database.read(lambda connection: connection.scalar(still)) is None:
                return False
            sound = await KEEPERS.run(_piece, self._files, claimed.row, span)
            run_s = max(LEAST_RUN_S, RUN_S * len(sound) / (PIECE_S * RATE_HZ * CHANNELS))
            found = await transcript_of(self._ears, wav_header(len(sound)) + sound, language, run_s)
            claimed.said.append(found if found.language else Transcript(found.text, language))
        return True


def _spans(size: int) -> list[range]:
    """Return the bytes of each piece of a WAV file of this size. A short tail goes with the piece before."""
    step, tail = (seconds * RATE_HZ * CHANNELS for seconds in (PIECE_S, TAIL_S))
    if size <= HEADER_BYTES:
        return []
    starts = [HEADER_BYTES, *range(HEADER_BYTES + step, size - tail + 1, step)][:PIECES_MAX]
    end = starts[-1] + step
    return [range(*ends) for ends in pairwise([*starts, size if size < end + tail else end])]


def _piece(files: MediaFiles, row: Row[Any], span: range) -> bytes:
    """Return the sound of a piece of a recording, without a header.

    Raises:
        EarsUnsureError: the sound cannot be read: its file or its key is not at hand.
        OSError: the place of the files does not say.
    """
    from dialer.carriers.voice.ears import EarsUnsureError  # noqa: PLC0415 - most services have none

    recorded = RecordedSound(row.file, opened_key(row.sound_key), row.size)
    at = span.start
    sound = bytearray()
    while at < span.stop:
        found = read_sound(files, recorded, at)
        if not found:
            raise EarsUnsureError("its sound cannot be read")
        sound += found[: span.stop - at]
        at += len(found)
    return bytes(sound)


def _text(claimed: _Claimed) -> dict[str, Any]:
    """Return the columns of a recording that is written down, as far as it is."""
    from dialer.carriers.voice.ears import TEXT_MAX  # noqa: PLC0415 - most services have none

    text = " ".join(filter(None, (one.text for one in claimed.said)))[:TEXT_MAX]
    language = next((one.language for one in claimed.said if one.language), "")
    return {"text": text, "text_language": language, "text_state": TextState.DONE.value}


def _ended(claimed: _Claimed) -> dict[str, Any]:
    """Return the columns of a recording of which no more is written down: those of its first pieces, if any say so."""
    found = _text(claimed)
    return found if found["text"] else {"text_state": TextState.FAILED.value}


def _is_free(now_ms: int) -> ColumnElement[bool]:
    """Return the condition that nobody has claimed a recording, or long ago."""
    return CallRecording.text_claimed_ms.is_(None) | (CallRecording.text_claimed_ms <= now_ms - CLAIM_MS)


def _claim(claimed: _Claimed, connection: Connection) -> bool:
    """Claim a recording, unless another process has, or it does not wait any more."""
    touch(connection, NOTHING)
    claim = update(CallRecording).where(CallRecording.id == claimed.row.id, _IS_DUE, _is_free(claimed.claimed_ms))
    return connection.execute(claim.values(text_claimed_ms=claimed.claimed_ms)).rowcount == 1


def _set(claimed: _Claimed, values: dict[str, Any], connection: Connection) -> bool:
    """Set columns of a recording that is claimed. If it was removed or taken meanwhile, nothing is kept."""
    touch(connection, NOTHING)
    return connection.execute(update(CallRecording).where(claimed.stands()).values(values)).rowcount == 1
