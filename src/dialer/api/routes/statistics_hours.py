"""The hours that a request for statistics asks about."""

from collections.abc import Mapping
from typing import Final

from dialer.api.crud.fields import Conventions, FieldError
from dialer.api.crud.moments import Timestamp
from dialer.api.http.errors import Errors
from dialer.domain.statistics import HOUR_MS
from dialer.store.queries.statistics import Hours

AFTER, BEFORE = "starting_date_after", "starting_date_before"
_LAST_HOUR: Final = 2**40


def parse_hours(given: Mapping[str, str], conventions: Conventions, errors: Errors) -> Hours:
    """Return the hours from `AFTER` to `BEFORE`, those of both moments included; all hours without them.

    A wrong moment is added to the errors.
    """
    hours = [0, _LAST_HOUR]
    for place, name in enumerate((AFTER, BEFORE)):
        if name in given:
            try:
                hours[place] = Timestamp().parse(given[name], conventions) // HOUR_MS + place
            except FieldError as error:
                errors[name] = [str(error)]
    return Hours(*hours)
