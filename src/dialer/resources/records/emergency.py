"""The rule that no record has an emergency number as a number to dial."""

from collections.abc import Callable

from dialer.domain.numbers.emergency import emergency_error, spells_emergency
from dialer.domain.words.sentences import message_of
from dialer.resources.crud.resource import Change, FieldRule
from dialer.resources.words.errors import Errors


def no_emergency_number(field: str, spells: Callable[[str, str | None], bool] = spells_emergency) -> FieldRule:
    """Return the rule that a field must not get an emergency number; one that is stored already may stay.

    `spells` tells from a text and the service's default region whether it is one.
    """

    def errors(change: Change) -> Errors:
        number = change.values[field]
        if not number or not change.moves(field) or not spells(number, change.unit.conventions.region):
            return {}
        return {field: [message_of(emergency_error(number))]}

    return FieldRule((field,), errors)
