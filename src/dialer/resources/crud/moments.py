"""Kinds of field for dates and times."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType

from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.fields import Conventions, FieldError, Json, Kind, Stored
from dialer.resources.crud.urls import Links

YEAR_MIN: Final = 1970
YEAR_MAX: Final = 2200
MINUTES_MAX: Final = 4_096
"""Minutes whose text is kept in a cache."""

YEARS: Final = "^(19[7-9][0-9]|2[01][0-9]{2}|2200)-"
"""The regular expression of the start of a moment from `YEAR_MIN` to `YEAR_MAX`."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TIME: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])(:[0-5][0-9])?\Z", re.ASCII)
_TIMESTAMP: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?\Z",
    re.ASCII | re.IGNORECASE,
)


class Timestamp(Kind, frozen=True):
    """A date and time, stored in milliseconds since the epoch."""

    column: str = ""
    """The column that holds the value. Empty if the column has the name of the field."""

    def parse(self, value: Json, conventions: Conventions) -> int:
        """Return the milliseconds since the epoch of an ISO 8601 text; without an offset, it is in the default zone."""
        if not isinstance(value, str) or not _TIMESTAMP.match(value):
            raise FieldError("Datetime has wrong format. Use YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].")
        try:
            moment = datetime.fromisoformat(value.upper().replace(",", "."))
            aware = moment if moment.tzinfo else moment.replace(tzinfo=conventions.zone)
            at_ms = (aware - _EPOCH) // timedelta(milliseconds=1)
        except (ValueError, OverflowError):
            raise FieldError(
                Sentence("%(value)r does not exist. Check the date, the time and the offset.", value=value)
            ) from None
        if not YEAR_MIN <= moment.year <= YEAR_MAX or at_ms < 0:
            raise FieldError(
                Sentence(
                    "%(value)r is out of range. Use a date from %(least)s to %(most)s.",
                    value=value,
                    least=YEAR_MIN,
                    most=YEAR_MAX,
                )
            )
        return at_ms

    def show(self, value: Stored, links: Links) -> str:  # noqa: ARG002 - has no URL
        """Return the time in ISO 8601 in UTC, with `Z`."""
        return show_timestamp(value)

    def schema(self) -> Schema:
        """Return the schema of a date-time."""
        return Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.DATE_TIME)

    def accepted(self) -> Schema:
        """Return the schema of a date-time in the years that the service knows."""
        return Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.DATE_TIME, pattern=YEARS)


def show_timestamp(at_ms: int) -> str:
    """Return a moment as the API writes it: `2026-11-20T08:00:00Z`, with microseconds if they are not zero."""
    minute, rest_ms = divmod(at_ms, 60_000)
    second, ms = divmod(rest_ms, 1_000)
    return f"{_show_minute(minute)}:{second:02d}.{ms:03d}000Z" if ms else f"{_show_minute(minute)}:{second:02d}Z"


@lru_cache(maxsize=MINUTES_MAX)
def _show_minute(minute: int) -> str:
    """Return a moment as far as its minute; the cache pays because many moments share a minute."""
    return (_EPOCH + timedelta(minutes=minute)).isoformat()[:16]


class TimeOfDay(Kind, frozen=True):
    """A local time of day, `HH:MM:SS`."""

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - callees have zones of their own
        """Return the time with its seconds; `HH:MM` gets `:00`."""
        match = _TIME.match(value) if isinstance(value, str) else None
        if match is None:
            raise FieldError("Time has wrong format. Use HH:MM:SS.")
        return value if match[3] else f"{value}:00"

    def schema(self) -> Schema:
        """Return the schema of a time of day."""
        return Schema(type=OpenAPIType.STRING, pattern="^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$")
