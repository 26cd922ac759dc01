"""The voice of the service, for people who listen to a text before a call."""

from pathlib import PurePosixPath

from dialer.api.actions.speaking import NO_VOICE, SpeakText, SpeechFailedError
from dialer.carriers.voice.speech import Speaker, SpeechError
from dialer.settings import Settings
from dialer.store.media.folder import FolderMedia


def voice_of(settings: Settings) -> SpeakText:
    """Return a function that speaks texts as calls do, and keeps the sound in the same files."""
    speaker = Speaker(FolderMedia(settings.media_dir), settings.speech or "")

    async def speak(text: str) -> str:
        if not speaker.voice:
            raise SpeechFailedError(NO_VOICE)
        try:
            return PurePosixPath(await speaker.file_of(text)).name
        except SpeechError as error:
            raise SpeechFailedError(f"The text cannot be spoken: {error}.") from None

    return speak
