"""The voices that speak texts: those of espeak-ng, or those of a server of speech."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.domain.words.late_pattern import LatePattern
from dialer.domain.words.spoken_times import code_of_voice, language_of_voice

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
    """The names of its voices by language, in small letters, such as `de` or `pt-br`."""


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
        """A text that tells the voice from any other one, whatever text follows it. Keys are not in it."""
        server = self.server
        place = ("", "", "") if server is None else (server.url, server.model, server.voice)
        return "\0".join((self.name, *place, f"{self.speed:g}"))

    def chosen(self, wanted: "ChosenVoice") -> "SpeechVoice":
        """Return the voice that a survey wants; without a wish, the voice of the service.

        espeak-ng has a voice for a region that the service's voice lacks, such as `pt-br` beside `pt`. A server that
        has no voice for a language speaks it with the one that it has for the service's.
        """
        if not (self and wanted):
            return self
        language, server = wanted.language.lower(), self.server
        if server is None:
            is_ours = f"{code_of_voice(self.name)}-".startswith(f"{language}-") or not language
            return SpeechVoice(wanted.voice or (self.name if is_ours else language), None, wanted.speed)
        voice = wanted.voice or voice_of_language(server.voices, language) or server.voice
        name = self.name if self._speaks(language) else language
        return SpeechVoice(name, replace(server, voice=voice), wanted.speed)

    def lacks(self, wanted: "ChosenVoice") -> bool:
        """Return whether a server speaks the language that a survey wants with the voice of another language."""
        if self.server is None or wanted.voice or self._speaks(wanted.language.lower()):
            return False
        return voice_of_language(self.server.voices, wanted.language.lower()) is None

    def _speaks(self, language: str) -> bool:
        return not language or language_of_voice(language) == language_of_voice(self.name)


class TriedVoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """The finding about a voice that a survey chooses, from the last word that it spoke as a trial."""

    wanted: ChosenVoice
    tried_ms: int
    why_not: str = ""
    """Why it speaks nothing; empty if it speaks."""
    lacks_language: bool = False
    """True if the voice of another language speaks."""


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


def voice_of_language(voices: Mapping[str, str], code: str) -> str | None:
    """Return the voice of a language with a region, such as `pt-br`, else that of the language; None without both."""
    return voices.get(code, voices.get(language_of_voice(code)))


def read_voices(text: str) -> dict[str, str]:
    """Return the names of a server's voices by language in small letters, as in `en=af_heart, pt-BR=dora`.

    Raises:
        ValueError: the text holds no such pairs, or a language twice.
    """
    pairs = [one.partition("=") for one in text.split(",")]
    voices = {language.strip().lower(): voice.strip() for language, _, voice in pairs}
    is_right = all(is_language(language) and is_voice(voice) for language, voice in voices.items())
    if not is_right or len(voices) < len(pairs):
        raise ValueError(text)
    return voices


def is_voice(text: str) -> bool:
    """Return whether a text can be the name of a server's voice or model: printable ASCII, without blanks."""
    return 0 < len(text) <= NAME_LENGTH_MAX and text.isascii() and text.isprintable() and " " not in text
