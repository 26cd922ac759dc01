"""The rules by which agents dial numbers of their own choice, for the API and the console."""

from typing import Final

from dialer.app.call_centre.chosen_people import Rules
from dialer.resources.crud.resource import Unit

NUMBER_MAX: Final = 64
"""The most characters of a number in a request."""


def rules_of(unit: Unit) -> Rules:
    """Return the rules by which the numbers of a caller are judged."""
    conventions = unit.conventions
    return Rules(str(conventions.zone), conventions.hours, conventions.region)
