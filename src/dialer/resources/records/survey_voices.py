"""The fields of a survey that say in which language, by which voice and how fast its texts are spoken."""

from typing import Final

from litestar.openapi.spec import OpenAPIType, Schema

from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.words.sentences import Sentence
from dialer.domain.words.voices import (
    CHOSEN_PATTERN,
    LANGUAGE_LENGTH_MAX,
    LANGUAGE_PATTERN,
    NAME_LENGTH_MAX,
    is_chosen_voice,
    is_language,
)
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import AmountNumber, Conventions, FieldError, Json, Text, echo

SPEED_MIN: Final = MONEY_SCALE // 2
SPEED_MAX: Final = 2 * MONEY_SCALE


class LanguageCode(Text, frozen=True):
    """A kind of field: a language (BCP 47), or nothing."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the text, if it can be a language."""
        text = super().parse(value, conventions).strip()
        if text and not is_language(text):
            raise FieldError(Sentence("%(text)s is no language. Write its code, such as de or pt-BR.", text=echo(text)))
        return text


class VoiceName(Text, frozen=True):
    """A kind of field: the name of a voice, or nothing."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the text, if it can be the name of a voice."""
        text = super().parse(value, conventions).strip()
        if text and not is_chosen_voice(text):
            raise FieldError(
                Sentence(
                    "%(text)s is no name of a voice. Use letters, digits and + _ . - ( ), such as de or af_heart.",
                    text=echo(text),
                )
            )
        return text


class Speed(AmountNumber, frozen=True):
    """A kind of field: how fast a voice speaks, from half to twice its own speed."""

    minimum: int | None = SPEED_MIN

    def parse(self, value: Json, conventions: Conventions) -> int:
        """Return the speed in units of 1e-5."""
        speed = super().parse(value, conventions)
        if speed > SPEED_MAX:
            raise FieldError(
                Sentence("Ensure this value is less than or equal to %(most)s.", most=SPEED_MAX // MONEY_SCALE)
            )
        return speed

    def accepted(self) -> Schema:
        """Return the schema of a number or of a decimal string."""
        least, most = SPEED_MIN / MONEY_SCALE, SPEED_MAX / MONEY_SCALE
        return Schema(one_of=[Schema(type=OpenAPIType.NUMBER, minimum=least, maximum=most), self.as_text()])

    def as_text(self) -> Schema:
        """Return the schema of a decimal string."""
        return Schema(type=OpenAPIType.STRING, pattern=r"^(0\.[5-9][0-9]{0,4}|1(\.[0-9]{1,5})?|2(\.0{1,5})?)$")


VOICE: Final = {
    "language": writable(
        LanguageCode(LANGUAGE_LENGTH_MAX, pattern=f"^({LANGUAGE_PATTERN})?$"),
        "The language of the texts (BCP 47), such as `de` or `pt-BR`: they are spoken by the voice that the service has"
        " for it. Empty: the language of `DIALER_SPEECH`. Default: empty.",
        example="de",
        title="Language",
        hint="Its code, such as de or pt-BR. Empty: the language of the service's voice.",
    ),
    "voice": writable(
        VoiceName(NAME_LENGTH_MAX, pattern=f"^({CHOSEN_PATTERN})?$"),
        "The voice that speaks the texts: one of espeak-ng, or of the server of speech if the service has one. Empty:"
        " that of `language`. A voice that is not there speaks nothing. Default: empty.",
        example="de+f3",
        title="Voice",
        hint="A name that the service's program or server of speech knows. Empty: the voice of the language.",
    ),
    "voice_speed": writable(
        Speed(),
        "How fast the texts are spoken, from 0.5 to 2 times as fast as the voice does by itself. Default: 1.",
        example=1,
        title="Speed of the voice",
        hint="From 0.5 to 2. 1: as the voice speaks by itself.",
    ),
}
