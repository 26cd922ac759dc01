"""People whose column `state` names no state of their country, so that rules of states do not see it."""

from typing import NamedTuple

from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel
from dialer.domain.words.sentences import counting_sentence


class UnknownStates(NamedTuple):
    """The people whose state is not understood, as far as they were looked at."""

    people: int
    example: str
    """The state of the first of them, as it is written."""


def with_unknown_state(unknown: UnknownStates) -> Finding:
    """Return the warning about states that are not understood."""
    message = counting_sentence(
        "A person has a state that is not known (%(example)s), so rules of states hold by the area code alone. Write"
        " two letters, or the English name.",
        "%(count)s people have a state that is not known (such as %(example)s), so rules of states hold by the area"
        " code alone. Write two letters, or the English name.",
        unknown.people,
        example=unknown.example,
    )
    return Finding(FindingLevel.WARNING, FindingCode.UNKNOWN_STATE, None, message, field="phonebook")
