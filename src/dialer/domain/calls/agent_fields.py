"""The columns that agents fill in at the desk, such as "email, interest = hot | cold", and their values."""

from typing import Final, NamedTuple

from dialer.domain.messages.templates import BUILT_IN, NAME_MAX
from dialer.domain.words.phrases import PHRASE_LENGTH_MAX, PHRASES_MAX, read_phrases
from dialer.domain.words.sentences import Sentence

FIELDS_MAX: Final = PHRASES_MAX
"""Columns that the agents of a campaign fill in."""
CHOICES_MAX: Final = 20
"""Values among which agents choose in one column."""
VALUE_MAX: Final = 255
"""Characters of a value that an agent fills in."""


class AgentField(NamedTuple):
    """A column of the list, and the values among which agents choose; no values if they write one."""

    column: str
    choices: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The field as text: `email`, or `interest = hot | cold`."""
        return f"{self.column} = {' | '.join(self.choices)}" if self.choices else self.column


def offered_fields(text: str) -> list[AgentField]:
    """Return the fields of a campaign by its text, which was checked when it was saved."""
    return [_read(phrase) for phrase in read_phrases(text)]


def read_agent_fields(text: str) -> list[AgentField]:
    """Return the fields of a text with commas or line ends between them.

    Raises:
        ValueError: there are too many, or one of them is none.
    """
    fields = offered_fields(text)
    if len(fields) > FIELDS_MAX:
        raise ValueError(
            Sentence("There are %(count)s, and at most %(most)s are allowed.", count=len(fields), most=FIELDS_MAX)
        )
    for field in fields:
        _check(field)
    columns = [field.column for field in fields]
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise ValueError(Sentence("The column %(column)r stands here twice.", column=twice))
    return fields


def _read(phrase: str) -> AgentField:
    column, sign, choices = (part.strip() for part in phrase.partition("="))
    found = dict.fromkeys(choice for part in choices.split("|") if (choice := part.strip()))
    return AgentField(column, tuple(found) or (("",) if sign else ()))


def _check(field: AgentField) -> None:
    if field.column in BUILT_IN:
        raise ValueError(
            Sentence("Agents cannot fill in %(column)r. Name another column of the list.", column=field.column)
        )
    if not 0 < len(field.column) <= NAME_MAX or set("{}|") & set(field.column):
        raise ValueError(
            Sentence(
                "%(column)r is no name of a column: it has 1 to %(most)s characters, and none of { } |.",
                column=field.column[:NAME_MAX],
                most=NAME_MAX,
            )
        )
    if "" in field.choices:
        raise ValueError(
            Sentence("Write the values of %(column)r behind the sign =, such as yes | no.", column=field.column)
        )
    if len(field.choices) > CHOICES_MAX or any(len(choice) > PHRASE_LENGTH_MAX for choice in field.choices):
        raise ValueError(
            Sentence(
                "%(column)r may have %(most)s values, of up to %(longest)s characters each.",
                column=field.column,
                most=CHOICES_MAX,
                longest=PHRASE_LENGTH_MAX,
            )
        )
