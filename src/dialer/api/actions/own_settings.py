"""The settings that users change for themselves, although only admins change users."""

from typing import Final

from dialer.api.service import ApiRequest
from dialer.app.accounts.users import change_own_settings
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Text
from dialer.resources.crud.shapes import REQUIRED, Given, parse_given, request_shape
from dialer.resources.records.accounts import OneCountry
from dialer.resources.words.errors import InvalidError

OWN_SETTINGS_CHANGE: Final = request_shape(
    "OwnSettingsChange",
    {
        "default_region": writable(
            OneCountry(2),
            "The country of numbers that the user writes without a country code: an ISO 3166 code. Empty for the"
            " service's default region.",
            default=None,
            example="DE",
        ),
        "telephone": writable(
            Text(),
            "The user's own phone number, or extension: calls of agents are heard there, and tests of campaigns over"
            " simulated carriers may reach it at any hour. Not an emergency number. Empty for none.",
            default=None,
            example="+12025550150",
        ),
    },
    "The settings to change. Those that are left out stay.",
)


async def change(request: ApiRequest, given: Given) -> tuple[str, ...]:
    """Change settings of the user who asks; return the names of fields that were ignored.

    Raises:
        InvalidError: a setting has a wrong value, or none is given.
        InvalidFieldsError: the telephone is an emergency number.
    """
    service = request.service
    conventions = service.conventions(request)
    parsed = parse_given(OWN_SETTINGS_CHANGE, given, conventions)
    if not parsed.values and not parsed.errors:
        raise InvalidError({"default_region": [REQUIRED]})
    if parsed.errors:
        raise InvalidError(parsed.errors)
    await service.write(
        request, lambda unit: change_own_settings(unit, unit.actor.id, parsed.values, conventions.region)
    )
    return parsed.ignored
