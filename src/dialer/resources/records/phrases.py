"""Fields with a few phrases in one text, with a link, or with columns of a contact."""

import json

from dialer.domain.calls.agent_fields import read_agent_fields
from dialer.domain.calls.outcomes import read_outcomes
from dialer.domain.messages.link_templates import is_link
from dialer.domain.words.phrases import PHRASE_LENGTH_MAX, PHRASES_MAX, check_phrases, read_phrases
from dialer.domain.words.sentences import Sentence, message_of
from dialer.resources.crud.fields import Conventions, FieldError, Json, JsonObject, Text, echo


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


class AgentFields(Text, frozen=True):
    """A kind of field: the columns that agents fill in, with commas or line ends between them."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the columns with their values, each in the usual form."""
        text = super().parse(value, conventions)
        try:
            return ", ".join(one.text for one in read_agent_fields(text))
        except ValueError as error:
            raise FieldError(message_of(error)) from None


class ColumnTexts(JsonObject, frozen=True):
    """A kind of field: a JSON object with texts, by the names of columns."""

    def parse(self, value: Json, conventions: Conventions) -> dict[str, str]:  # type: ignore[override]
        """Return the texts by their names."""
        texts = json.loads(super().parse(value, conventions))
        if not all(isinstance(text, str) for text in texts.values()):
            raise FieldError("Each column must be a text.")
        return dict(texts)
