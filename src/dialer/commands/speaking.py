"""The voice of the service, for people who listen to a text before a call."""

from functools import cache, partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dialer.api.actions.speaking import NO_VOICE, SpeakText, SpeechFailedError
from dialer.settings import Settings
from dialer.store.media.folder import FolderMedia

if TYPE_CHECKING:
    from dialer.carriers.voice.speech import Speaker


def voice_of(settings: Settings) -> SpeakText:
    """Return a function that speaks texts as calls do, and keeps the sound in the same files."""
    speaker = cache(partial(_speaker, settings))

    async def speak(text: str) -> str:
        if not settings.speech:
            raise SpeechFailedError(NO_VOICE)
        from dialer.carriers.voice.speech import SpeechError  # noqa: PLC0415 - see `_speaker`

        try:
            return PurePosixPath(await speaker().file_of(text)).name
        except SpeechError as error:
            raise SpeechFailedError(f"The text cannot be spoken: {error}.") from None

    return speak


def _speaker(settings: Settings) -> "Speaker":
    # Most services have no voice.
    from dialer.carriers.voice.speech import Speaker  # noqa: PLC0415

    return Speaker(FolderMedia(settings.media_dir), settings.voice)
