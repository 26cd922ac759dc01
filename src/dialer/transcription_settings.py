"""The settings of those who write down what recordings say."""

import shlex
from collections.abc import Mapping
from typing import Any, Final

from dialer.domain.words.voices import is_voice
from dialer.settings_values import Setting, SettingsError, read_base_url

WRITER: Final = "whisper-1"
"""The name under which most servers know their usual model."""
KEY_LENGTH_MAX: Final = 500


def refuse_two_ears(values: Mapping[str, Any]) -> None:
    """Check the settings of a server and of a program that write down recordings.

    Raises:
        SettingsError: both are given.
    """
    if values.get("transcription_url") and values.get("transcription_command"):
        raise SettingsError("DIALER_TRANSCRIPTION_URL and DIALER_TRANSCRIPTION_COMMAND are set: unset one of them")


def _read_command(text: str) -> tuple[str, ...]:
    command = tuple(shlex.split(text))
    if not command or "\0" in text:
        raise ValueError(text)
    return command


def _read_key(text: str) -> str:
    if len(text) > KEY_LENGTH_MAX or not (text.isascii() and text.isprintable()) or " " in text:
        raise ValueError(text)
    return text


def _read_model(text: str) -> str:
    if not is_voice(text):
        raise ValueError(text)
    return text


TRANSCRIPTION_SETTINGS: Final = (
    Setting(
        variable="DIALER_TRANSCRIPTION_URL",
        field="transcription_url",
        default="unset",
        meaning="a server that writes down what recordings say",
        may_hold="an http or https URL without query, before /audio/transcriptions, such as http://127.0.0.1:8000/v1",
        read=read_base_url,
    ),
    Setting(
        variable="DIALER_TRANSCRIPTION_COMMAND",
        field="transcription_command",
        default="unset",
        meaning="a program that does so in place of a server",
        may_hold="a program with its arguments",
        read=_read_command,
    ),
    Setting(
        variable="DIALER_TRANSCRIPTION_API_KEY",
        field="transcription_api_key",
        default="unset",
        meaning="the key of that server",
        may_hold=f"up to {KEY_LENGTH_MAX} printable ASCII characters without blanks",
        read=_read_key,
        is_secret=True,
    ),
    Setting(
        variable="DIALER_TRANSCRIPTION_MODEL",
        field="transcription_model",
        default=WRITER,
        meaning="the model of that server",
        may_hold="a name without blanks",
        read=_read_model,
    ),
)
"""The variables of transcription, in the order of the help."""
