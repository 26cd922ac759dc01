"""Recordings of whole calls are written down: some at once, beside all calls, and a few of each account in turn.

A recording that waits for its text is claimed by the process that has it written down. One that
was never written, because the process was killed or nobody was there to write, is tried again after its claim.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import structlog
from sqlalchemy import Connection, Row, func, select, update

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
"""Time after the end of a call, a week, after which a recording that nobody could write down fails."""
PIECE_S: Final = 1_200
"""Seconds of sound, 19 MB, that are written down at once. Servers take up to 25 MB."""
RUN_S: Final = 300.0
"""Seconds for one piece."""
PIECES_MAX: Final = 5
"""Pieces of one recording that are written down: 100 minutes. The rest is left out."""
_IS_DUE: Final = (CallRecording.text_state == "waiting") & (CallRecording.state == RecordingState.STORED.value)
_log = structlog.get_logger(__name__)

Write = Callable[[bytes, str], Awaitable[Transcript]]
"""Writes down a WAV file, by the language of its survey. Raises what `dialer.carriers.voice.ears` does."""


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
        taken = await self._database.read(self._due)
        waiting, is_away = iter(taken), False

        async def write_some() -> None:
            nonlocal is_away
            for row in waiting:
                if is_away:
                    return
                is_away = not await self._write_one(row) or is_away

        async with anyio.create_task_group() as tasks:
            for _ in range(AT_ONCE):
                tasks.start_soon(write_some)
        count = select(func.count()).where(_IS_DUE)
        self._figures.texts_waiting = await self._database.read(lambda connection: connection.scalar(count) or 0)
        return AWAY_S if is_away else 0.0 if taken else LOOKS_EVERY_S

    def _due(self, connection: Connection) -> Sequence[Any]:
        """Return recordings that wait, those of all accounts in turn."""
        now_ms = self._clock.now_ms()
        is_free = CallRecording.text_claimed_ms.is_(None) | (CallRecording.text_claimed_ms <= now_ms - CLAIM_MS)
        place = func.row_number().over(partition_by=CallRecording.user_id, order_by=CallRecording.id).label("place")
        queue = select(CallRecording.id, place).where(_IS_DUE, is_free).subquery()
        columns = CallRecording.id, CallRecording.file, CallRecording.size, CallRecording.sound_key
        query = (
            select(*columns, CallRecording.start_date, CallRecording.seconds, SurveyTemplate.language)
            .join(queue, queue.c.id == CallRecording.id)
            .outerjoin(Campaign, Campaign.id == CallRecording.campaign_id)
            .outerjoin(SurveyTemplate, SurveyTemplate.id == Campaign.object_id)
            .where(queue.c.place <= SHARE)
            .order_by(queue.c.place, CallRecording.id)
            .limit(TAKEN)
        )
        return connection.execute(query).all()

    async def _write_one(self, row: Row[Any]) -> bool:
        """Have a recording written down, unless another process does. Return False if nobody is there to write."""
        from dialer.carriers.voice.ears import EarsAwayError, EarsError  # noqa: PLC0415 - most services have none

        now_ms = self._clock.now_ms()
        if not await self._database.write(lambda connection: _claim(connection, row.id, now_ms)):
            return True
        try:
            found = await self._written(row)
        except (EarsAwayError, OSError) as error:
            _log.warning("recording_not_written_down", recording=row.id, reason=str(error), is_tried_again=True)
            is_over = now_ms - (row.start_date + row.seconds // SECONDS_SCALE) >= FAILS_AFTER_MS
            if is_over:
                await self._fail(row.id)
            return False
        except EarsError as error:
            _log.warning("recording_not_written_down", recording=row.id, reason=str(error), is_tried_again=False)
            await self._fail(row.id)
            return True
        done = {"text": found.text, "text_language": found.language, "text_state": TextState.DONE.value}
        await self._database.write(lambda connection: _set(connection, row.id, done))
        return True

    async def _fail(self, recording_id: int) -> None:
        self._figures.texts_failed += 1
        failed = {"text_state": TextState.FAILED.value}
        await self._database.write(lambda connection: _set(connection, recording_id, failed))

    async def _written(self, row: Row[Any]) -> Transcript:
        """Return what a recording says, piece by piece."""
        from dialer.carriers.voice.ears import TEXT_MAX, transcript_of  # noqa: PLC0415 - most services have none

        language = (row.language or "").partition("-")[0].lower()
        texts: list[str] = []
        heard = ""
        for number in range(PIECES_MAX):
            sound = await KEEPERS.run(_piece, self._files, row, number)
            if not sound:
                break
            found = await transcript_of(self._ears, wav_header(len(sound)) + sound, language, RUN_S)
            texts.append(found.text)
            heard = heard or found.language
        return Transcript(" ".join(filter(None, texts))[:TEXT_MAX], heard or language)


def _piece(files: MediaFiles, row: Row[Any], number: int) -> bytes:
    """Return the sound of a piece of a recording, without a header; nothing after its end.

    Raises:
        EarsError: the sound cannot be read: its file or its key is gone.
        OSError: the place of the files does not say.
    """
    from dialer.carriers.voice.ears import EarsError  # noqa: PLC0415 - most services have none

    recorded = RecordedSound(row.file, opened_key(row.sound_key), row.size)
    at = HEADER_BYTES + number * PIECE_S * RATE_HZ * CHANNELS
    end = min(row.size, at + PIECE_S * RATE_HZ * CHANNELS)
    sound = bytearray()
    while at < end:
        found = read_sound(files, recorded, at)
        if not found:
            raise EarsError("its sound cannot be read")
        sound += found[: end - at]
        at += len(found)
    return bytes(sound)


def _claim(connection: Connection, recording_id: int, now_ms: int) -> bool:
    """Claim a recording, unless another process has, or it does not wait any more."""
    touch(connection, NOTHING)
    is_free = CallRecording.text_claimed_ms.is_(None) | (CallRecording.text_claimed_ms <= now_ms - CLAIM_MS)
    claim = update(CallRecording).where(CallRecording.id == recording_id, _IS_DUE, is_free)
    return connection.execute(claim.values(text_claimed_ms=now_ms)).rowcount == 1


def _set(connection: Connection, recording_id: int, values: dict[str, Any]) -> None:
    """Store the text of a recording. If it was removed meanwhile, nothing is kept."""
    touch(connection, NOTHING)
    connection.execute(update(CallRecording).where(CallRecording.id == recording_id, _IS_DUE).values(values))
