"""The check of a campaign's caller IDs: those that callees may be shown."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, select

from dialer.app.work.errors import FieldErrors
from dialer.domain.calls.plans import SIMULATED
from dialer.domain.engine.callerid import WILDCARD
from dialer.domain.numbers.shown import shown_number, shown_numbers, split_shown
from dialer.domain.words.sentences import FieldName, Sentence
from dialer.store.database.service_state import read_settings
from dialer.store.queries.calls_in_progress import gateway_of, gateway_row
from dialer.store.queries.regions import region_of
from dialer.store.tables import SMS, CallerId

WRONG_NAMED_MAX: Final = 5
"""Number of wrong caller IDs that an error names."""

_FOR_ALL: Final = (
    select(CallerId.id).where(CallerId.callerid_group_id == bindparam("group"), CallerId.areacode == WILDCARD).limit(1)
)


class _Shown(NamedTuple):
    """A caller ID that callees may be shown, and the field of the campaign that names it."""

    field: str
    number: str


def callerid_errors(connection: Connection, campaign: Mapping[str, Any]) -> FieldErrors:
    """Return the errors in the caller IDs of a campaign, by field. A simulated gateway takes any."""
    gateway = gateway_row(connection, gateway_of(campaign))
    if gateway is None or gateway["protocol"] == SIMULATED:
        return {}
    if lacks_callerid(connection, campaign):
        message = Sentence(
            "Callees would be shown no number. Set %(field)s, or a group with a caller ID for all numbers"
            " (%(area)s *).",
            field=FieldName("callerid"),
            area=FieldName("areacode"),
        )
        return {"callerid": [message]}
    settings = read_settings(connection)
    of_service = None if settings is None else settings.default_region
    region = region_of(connection, campaign["user_id"])
    allows_names = campaign["medium"] == SMS
    allowed = shown_numbers(split_shown(gateway["allowed_callerids"]), of_service, allows_names=allows_names)
    errors: FieldErrors = {}
    for callerid in _shown(connection, campaign):
        number = shown_number(callerid.number, region, allows_names=allows_names)
        if number is None:
            message = Sentence(
                "%(number)r is not a possible phone number. Use the country code, as in +12025550150.",
                number=callerid.number,
            )
        elif allowed and number not in allowed:
            message = Sentence(
                "%(number)r is not among the %(field)s of the carrier. Use one that is.",
                number=callerid.number,
                field=FieldName("allowed_callerids"),
            )
        else:
            continue
        messages = errors.setdefault(callerid.field, [])
        if len(messages) < WRONG_NAMED_MAX:
            messages.append(message)
    return errors


def lacks_callerid(connection: Connection, campaign: Mapping[str, Any]) -> bool:
    """Return whether some callees are shown no number: there is no caller ID of the campaign, nor for all numbers."""
    if campaign["callerid"].strip():
        return False
    group_id = campaign["callerid_group_id"]
    return group_id is None or connection.execute(_FOR_ALL, {"group": group_id}).first() is None


def _shown(connection: Connection, campaign: Mapping[str, Any]) -> list[_Shown]:
    own = [_Shown("callerid", campaign["callerid"])] if campaign["callerid"].strip() else []
    of_group = CallerId.callerid_group_id == campaign["callerid_group_id"]
    numbers = connection.scalars(select(CallerId.callerid_num).where(of_group).order_by(CallerId.id))
    return own + [_Shown("callerid_group", number) for number in numbers]
