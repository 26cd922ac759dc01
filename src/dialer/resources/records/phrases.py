"""Fields with a few phrases in one text."""

from dialer.domain.calls.outcomes import read_outcomes
from dialer.domain.words.phrases import PHRASE_LENGTH_MAX, PHRASES_MAX, check_phrases, read_phrases
from dialer.domain.words.sentences import message_of
from dialer.resources.crud.fields import Conventions, FieldError, Json, Text


class Phrases(Text, frozen=True):
    """A kind of field: phrases with commas or line ends between them."""

    max_length: int = PHRASES_MAX * (PHRASE_LENGTH_MAX + 2)

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the phrases, each once, with a comma and a blank between them."""
        phrases = read_phrases(super().parse(value, conventions))
        try:
            check_phrases(phrases)
        except ValueError as error:
            raise FieldError(message_of(error)) from None
        return ", ".join(phrases)


class Outcomes(Phrases, frozen=True):
    """A kind of field: outcomes of calls with commas or line ends between them."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the outcomes, each once, in the usual form."""
        try:
            return ", ".join(one.text for one in read_outcomes(super().parse(value, conventions)))
        except ValueError as error:
            raise FieldError(message_of(error)) from None
