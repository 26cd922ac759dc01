"""The voice of the service, for people who listen to a text before a call."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread
import structlog

from dialer.api.actions.speaking import NO_VOICE, SpeakText, SpeechFailedError
from dialer.domain.words.voices import ChosenVoice, SpeechVoice
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.database.service_state import save_speech
from dialer.store.media.folder import FolderMedia

if TYPE_CHECKING:
    from dialer.carriers.voice.speech import Speaker

AGAIN_S: Final = 60.0
"""Time between two looks at a server of speech that is out of order."""
STILL_S: Final = 600.0
"""Time between two looks at one that works: each look costs it a word."""
_log = structlog.get_logger(__name__)


@asynccontextmanager
async def watching_speech(voice: SpeechVoice, database: Database) -> AsyncIterator[None]:
    """Store whether a server of speech works, for the checks of campaigns, while the context is entered."""
    async with anyio.create_task_group() as tasks:
        if voice.server is not None:
            tasks.start_soon(watch_speech, voice, database)
        yield
        tasks.cancel_scope.cancel()


async def watch_speech(
    voice: SpeechVoice, database: Database, sleep: Callable[[float], Awaitable[None]] = anyio.sleep
) -> None:
    """Look at a server of speech again and again, until cancelled. It was looked at before."""
    from dialer.carriers.voice.speech import why_silent  # noqa: PLC0415 - most services have no voice

    why_not, pause_s = None, AGAIN_S
    while True:
        await sleep(pause_s)
        try:
            before, why_not = why_not, await anyio.to_thread.run_sync(why_silent, voice, abandon_on_cancel=True)
            if why_not != before:
                await database.write(partial(save_speech, why_not=why_not))
                _log.info("speech_looked_at", problem=why_not)
        except Exception:  # noqa: BLE001 - all else of the service goes on
            _log.exception("speech_not_looked_at")
            why_not = None
        pause_s = STILL_S if why_not == "" else AGAIN_S


async def tried_voice(voice: SpeechVoice, wanted: ChosenVoice) -> tuple[str, bool]:
    """Return why the voice that a survey chooses speaks no word, and whether that of another language speaks."""
    return await anyio.to_thread.run_sync(tried_voice_now, voice, wanted, abandon_on_cancel=True)


def tried_voice_now(voice: SpeechVoice, wanted: ChosenVoice) -> tuple[str, bool]:
    """As `tried_voice`, for commands."""
    from dialer.carriers.voice.speech import why_silent  # noqa: PLC0415 - most services have no voice

    return why_silent(voice.chosen(wanted)), voice.lacks(wanted)


def voice_of(settings: Settings) -> SpeakText:
    """Return a function that speaks texts as calls do, and keeps the sound in the same files."""
    speaker = cache(partial(_speaker, settings))

    async def speak(text: str, voice: ChosenVoice) -> str:
        if not settings.speech:
            raise SpeechFailedError(NO_VOICE)
        from dialer.carriers.voice.speech import SpeechError  # noqa: PLC0415 - see `_speaker`

        try:
            return PurePosixPath(await speaker().file_of(text, voice)).name
        except SpeechError as error:
            raise SpeechFailedError(f"The text cannot be spoken: {error}.") from None

    return speak


def _speaker(settings: Settings) -> "Speaker":
    # Most services have no voice.
    from dialer.carriers.voice.speech import Speaker  # noqa: PLC0415

    return Speaker(FolderMedia(settings.media_dir), settings.voice)
