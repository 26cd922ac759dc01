"""Texts that are spoken before a call, by the voice that speaks them in calls."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

import anyio

from dialer.domain.survey.sections.fields import SCRIPT_MAX
from dialer.domain.words.sentences import Grouped, Sentence, message_of
from dialer.domain.words.voices import AS_SET, ChosenVoice
from dialer.resources.words.errors import AnsweredError, ConflictError

SPOKEN_MAX: Final = 2 * SCRIPT_MAX
"""Characters of a text, after its placeholders are filled in."""
AT_ONCE_MAX: Final = 4
"""Texts that one process speaks for people at the same time, one for each."""
SECONDS_MAX: Final = 20
_LATER: Final = {"Retry-After": "5"}
BUSY: Final = "Other texts are being spoken. Try again in a few seconds."
NO_VOICE: Final = (
    "The service has no voice, so it cannot speak texts. An admin can set DIALER_SPEECH to a voice, such as en."
    " You can also record the text."
)


class SpeechFailedError(Exception):
    """A text cannot be spoken. The message says why, without the text."""


SpeakText = Callable[[str, ChosenVoice], Awaitable[str]]
"""Speaks a text, and returns the name of its file in the folder of speech. Raises SpeechFailedError."""


async def speak_nothing(text: str, voice: ChosenVoice) -> str:  # noqa: ARG001 - whatever it is
    """Refuse to speak, in an application that has no voice."""
    raise SpeechFailedError(NO_VOICE)


class TextSpeaker:
    """The texts that a process speaks for people who listen to them before a call."""

    def __init__(self, speak: SpeakText, *, seconds_max: float = SECONDS_MAX) -> None:
        self._speak: Final = speak
        self._seconds_max: Final = seconds_max
        self._under_way: Final[set[int]] = set()

    async def file_of(self, user_id: int, text: str, voice: ChosenVoice = AS_SET) -> str:
        """Return the name of the file, in the folder of speech, that holds a spoken text.

        Raises:
            AnsweredError: the text is empty or too long, or cannot be spoken, or others are being spoken.
        """
        if not text.strip():
            raise AnsweredError(HTTPStatus.BAD_REQUEST, "There is no text to speak. Write one first.")
        if len(text) > SPOKEN_MAX:
            detail = Sentence(
                "The text has %(count)s characters, and at most %(most)s are spoken. Shorten it.",
                count=Grouped(len(text)),
                most=Grouped(SPOKEN_MAX),
            )
            raise AnsweredError(HTTPStatus.BAD_REQUEST, detail)
        if user_id in self._under_way or len(self._under_way) >= AT_ONCE_MAX:
            raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, BUSY, _LATER)
        self._under_way.add(user_id)
        try:
            with anyio.fail_after(self._seconds_max):
                return await self._speak(text, voice)
        except TimeoutError:
            raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, BUSY, _LATER) from None
        except SpeechFailedError as error:
            raise ConflictError(message_of(error)) from None
        finally:
            self._under_way.discard(user_id)
