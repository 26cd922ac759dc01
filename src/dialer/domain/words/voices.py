"""The voices that speak texts: those of espeak-ng, or those of a server of speech."""

from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.domain.words.late_pattern import LatePattern
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
    voices: dict[str, str] = {}
    """The names of its voices by language, of two letters."""


class ChosenVoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """The way in which a survey wants its texts to be spoken: false if it wants nothing."""

    language: str = ""
    """The language of its texts (BCP 47). Empty: that of the service."""
    voice: str = ""
    """A voice of espeak-ng or of the server of speech. Empty: the one of the language."""
    speed: float = 1.0
    """Its speed: 2 is twice as fast as the voice does by itself."""

    def __bool__(self) -> bool:
        """Return whether anything is chosen."""
        return self != AS_SET


AS_SET: Final = ChosenVoice()
"""No choice: the voice of the service."""


class SpeechVoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """The voice of the service; false if it has none."""

    name: str = ""
    """A voice of espeak-ng, whose language is that of the texts also with a server."""
    server: SpeechServer | None = None
    speed: float = 1.0

    def __bool__(self) -> bool:
        """Return whether there is a voice."""
        return bool(self.name)

    @property
    def mark(self) -> str:
        """A text that tells the voice from any other one. Keys are not in it."""
        server, speed = self.server, "" if self.speed == 1 else f"\0{self.speed:g}"
        name = self.name if server is None else f"{self.name}\0{server.url}\0{server.model}\0{server.voice}"
        return name + speed

    def chosen(self, wanted: "ChosenVoice") -> "SpeechVoice":
        """Return the voice that a survey wants; without a wish, the voice of the service.

        A server that has no voice for a language speaks it with the one that it has for the service's.
        """
        if not (self and wanted):
            return self
        ours, theirs = language_of_voice(self.name), language_of_voice(wanted.language.lower())
        is_ours = theirs in {"", ours}
        server = self.server
        if server is None:
            name = wanted.voice or (self.name if is_ours else wanted.language.lower())
            return SpeechVoice(name, None, wanted.speed)
        voice = wanted.voice or (server.voice if is_ours else server.voices.get(theirs, server.voice))
        name = self.name if is_ours else wanted.language.lower()
        return SpeechVoice(name, replace(server, voice=voice), wanted.speed)


NO_VOICE: Final = SpeechVoice()


NAME_LENGTH_MAX: Final = 100
LANGUAGE_LENGTH_MAX: Final = 35
LANGUAGE_PATTERN: Final = "[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}"
"""The form of a language (BCP 47), such as `de` or `pt-BR`."""
CHOSEN_PATTERN: Final = "[A-Za-z0-9][A-Za-z0-9+_().-]{0,99}"
"""The form of the name of a voice that a survey may choose: no path, and no option of a program."""
_LANGUAGE: Final = LatePattern(LANGUAGE_PATTERN)
_CHOSEN: Final = LatePattern(CHOSEN_PATTERN)


def is_language(text: str) -> bool:
    """Return whether a text can be a language (BCP 47)."""
    return _LANGUAGE.compiled.fullmatch(text) is not None


def is_chosen_voice(text: str) -> bool:
    """Return whether a text can be the name of a voice that a survey chooses."""
    return _CHOSEN.compiled.fullmatch(text) is not None


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
