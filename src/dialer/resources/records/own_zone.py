"""The field `tz_code`: a person's own time zones."""

from typing import Final

from dialer.domain.calling_times.own_zones import is_own_zones
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.resource import Change, FieldRule
from dialer.resources.words.errors import Errors

FIELD: Final = "tz_code"
OWN_ZONE_WORDS: Final = (
    "an IANA name, or an offset such as `UTC-05:00`. `&` joins several, if the person may be in any of them; `@` and an"
    " ISO code at the end, such as `@FR`, name the country whose calling hours hold too"
)


def zone_errors(tz_code: str) -> Errors:
    """Return the error of a `tz_code` that names no time zones; no error for a valid one."""
    if is_own_zones(tz_code):
        return {}
    message = Sentence("%(tz_code)r is not a time zone. Use an IANA name, such as Europe/Madrid.", tz_code=tz_code)
    return {FIELD: [message]}


def _known_zone(change: Change) -> Errors:
    return zone_errors(change.values[FIELD])


KNOWN_ZONE: Final = FieldRule((FIELD,), _known_zone)
"""The rule that `tz_code` names time zones."""
