"""The voice that speaks texts: one of espeak-ng, or one of a server of speech."""

from typing import Final

import msgspec

from dialer.domain.words.spoken_times import language_of_voice

PROGRAM: Final = "espeak-ng"


class SpeechServer(msgspec.Struct, frozen=True):
    """A server that speaks texts (`POST …/audio/speech`, as OpenAI's and many others do)."""

    url: str
    """The start of its URLs, without a slash at its end, such as `http://127.0.0.1:8880/v1`."""
    model: str
    voice: str
    """The name of the voice at the server."""
    api_key: str = ""


class SpeechVoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """The voice of the service; false if it has none."""

    name: str = ""
    """A voice of espeak-ng, whose language is that of the texts also with a server."""
    server: SpeechServer | None = None

    def __bool__(self) -> bool:
        """Return whether there is a voice."""
        return bool(self.name)

    @property
    def mark(self) -> str:
        """A text that tells the voice from any other one. Keys are not in it."""
        server = self.server
        return self.name if server is None else f"{self.name}\0{server.url}\0{server.model}\0{server.voice}"


NO_VOICE: Final = SpeechVoice()


NAME_LENGTH_MAX: Final = 100


def read_voices(text: str) -> dict[str, str]:
    """Return the names of a server's voices by language, as in `en=af_heart, de=thorsten`.

    Raises:
        ValueError: the text holds no such pairs, or a language twice.
    """
    pairs = [one.partition("=") for one in text.split(",")]
    voices = {language.strip(): voice.strip() for language, _, voice in pairs}
    is_right = all(_is_language(language) and is_voice(voice) for language, voice in voices.items())
    if not is_right or len(voices) < len(pairs):
        raise ValueError(text)
    return voices


def _is_language(text: str) -> bool:
    return text != "" and language_of_voice(text) == text


def is_voice(text: str) -> bool:
    """Return whether a text can be the name of a server's voice or model: printable ASCII, without blanks."""
    return 0 < len(text) <= NAME_LENGTH_MAX and text.isascii() and text.isprintable() and " " not in text
