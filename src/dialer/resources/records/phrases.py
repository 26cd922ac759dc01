"""Fields with a few phrases in one text, or with a link."""

from dialer.domain.calls.outcomes import read_outcomes
from dialer.domain.messages.link_templates import is_link
from dialer.domain.words.phrases import PHRASE_LENGTH_MAX, PHRASES_MAX, check_phrases, read_phrases
from dialer.domain.words.sentences import Sentence, message_of
from dialer.resources.crud.fields import Conventions, FieldError, Json, Text, echo


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


class LinkTemplate(Text, frozen=True):
    """A kind of field: an http or https address with placeholders behind its host."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the address, if it may be shown as a link."""
        text = super().parse(value, conventions).strip()
        if text and not is_link(text):
            raise FieldError(
                Sentence(
                    "%(text)s is no address that may be opened. Write one such as %(example)s, with placeholders only"
                    " behind the name of the server.",
                    text=echo(text),
                    example="https://crm.example/?phone={phone_number}",
                )
            )
        return text


class Outcomes(Phrases, frozen=True):
    """A kind of field: outcomes of calls with commas or line ends between them."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the outcomes, each once, in the usual form."""
        try:
            return ", ".join(one.text for one in read_outcomes(super().parse(value, conventions)))
        except ValueError as error:
            raise FieldError(message_of(error)) from None
