"""The settings of the voice that speaks texts, and what they mean together."""

import shutil
from collections.abc import Mapping
from typing import Any, Final

from dialer.domain.words.spoken_times import code_of_voice
from dialer.domain.words.voices import (
    NO_VOICE,
    PROGRAM,
    SpeechServer,
    SpeechVoice,
    is_voice,
    read_voices,
    voice_of_language,
)
from dialer.settings_values import Setting, SettingsError, read_base_url, read_voice

MODEL: Final = "tts-1"
"""The name under which most servers know their usual model."""
KEY_LENGTH_MAX: Final = 500
FOUND_VOICE: Final = "en"
"""The voice of a service that names none, where the program is installed."""
OFF: Final = "off"
"""The word of a service that is to have no voice."""


def voice_by_default(speech: str | None, path: str) -> str | None:
    """Return the voice of a service that names `speech`: without any, `en` where espeak-ng is in a folder of `path`."""
    if speech is None:
        return FOUND_VOICE if shutil.which(PROGRAM, path=path) else None
    return None if speech == OFF else speech


def voice_of_settings(
    speech: str | None, url: str | None, api_key: str | None, model: str, voices: Mapping[str, str]
) -> SpeechVoice:
    """Return the voice that these settings name."""
    if not speech:
        return NO_VOICE
    if url is None:
        return SpeechVoice(speech)
    voice = voice_of_language(voices, code_of_voice(speech)) or ""
    return SpeechVoice(speech, SpeechServer(url, model, voice, api_key or "", dict(voices)))


def refuse_half_a_server(values: Mapping[str, Any]) -> None:
    """Check the settings of a server of speech that were given, by the names of their fields.

    Raises:
        SettingsError: one is missing.
    """
    if values.get("speech_url") is None:
        return
    if voice_of_language(values.get("speech_voices", {}), code_of_voice(values.get("speech") or "")) is None:
        raise SettingsError(
            "DIALER_SPEECH_URL is set, which needs DIALER_SPEECH, the language of the texts such as en, and a voice for"
            " it in DIALER_SPEECH_VOICES, such as en=af_heart"
        )


def _read_key(text: str) -> str:
    if len(text) > KEY_LENGTH_MAX or not (text.isascii() and text.isprintable()) or " " in text:
        raise ValueError(text)
    return text


def _read_model(text: str) -> str:
    if not is_voice(text):
        raise ValueError(text)
    return text


SPEECH_SETTINGS: Final = (
    Setting(
        variable="DIALER_SPEECH",
        field="speech",
        default="en with espeak-ng",
        meaning="the voice that speaks scripts without a recording",
        may_hold="a voice of espeak-ng, such as en or en-us+f3, or off",
        read=read_voice,
    ),
    Setting(
        variable="DIALER_SPEECH_URL",
        field="speech_url",
        default="unset",
        meaning="a server that speaks them in place of espeak-ng",
        may_hold="an http or https URL without query, before /audio/speech, such as http://127.0.0.1:8880/v1",
        read=read_base_url,
    ),
    Setting(
        variable="DIALER_SPEECH_API_KEY",
        field="speech_api_key",
        default="unset",
        meaning="the key of that server",
        may_hold=f"up to {KEY_LENGTH_MAX} printable ASCII characters without blanks",
        read=_read_key,
        is_secret=True,
    ),
    Setting(
        variable="DIALER_SPEECH_MODEL",
        field="speech_model",
        default=MODEL,
        meaning="the model of that server",
        may_hold="a name without blanks",
        read=_read_model,
    ),
    Setting(
        variable="DIALER_SPEECH_VOICES",
        field="speech_voices",
        default="unset",
        meaning="the voices of that server by language",
        may_hold="pairs with commas, such as en=af_heart, pt-BR=dora",
        read=read_voices,
    ),
)
"""The variables of speech, in the order of the help."""
