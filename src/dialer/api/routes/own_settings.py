"""The settings that users change for themselves, although only admins change users."""

from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import msgspec
from litestar import Controller, Response, get, patch
from litestar.params import JSONBody
from litestar.types import BeforeRequestHookHandler

from dialer.api.http.body import StrictBody, expect_json
from dialer.api.service import ApiRequest
from dialer.app.accounts.users import change_default_region
from dialer.domain.words.described import described
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.shapes import Shape, parse_whole, request_shape
from dialer.resources.records.accounts import OneCountry
from dialer.resources.words.errors import InvalidError
from dialer.resources.words.ignored import ignored_header


class OwnSettings(msgspec.Struct):
    """The settings of the user who asks."""

    default_region: Annotated[
        str,
        described("The country of the user's numbers without one: an ISO 3166 code. Empty for the service's.", "DE"),
    ]


OWN_SETTINGS_CHANGE: Final = request_shape(
    "OwnSettingsChange",
    {
        "default_region": writable(
            OneCountry(2),
            "The country of numbers that the user writes without a country code: an ISO 3166 code. Empty for the"
            " service's default region.",
            example="DE",
        )
    },
    "The settings to change.",
)
_NAMES: Final[dict[str, Any]] = {"OwnSettingsChange": OWN_SETTINGS_CHANGE}
if TYPE_CHECKING:
    OwnSettingsChange: TypeAlias = Shape


class OwnSettingsController(Controller):
    """The handlers of the caller's own settings."""

    path = "/own-settings"
    tags = ("own-settings",)
    signature_namespace = _NAMES
    dto = StrictBody
    return_dto = None
    before_request: "BeforeRequestHookHandler | None" = expect_json

    @get("/")
    async def read_own_settings(self, request: ApiRequest) -> OwnSettings:
        """Read the settings of the user who asks."""
        return OwnSettings(request.user.default_region)

    @patch("/")
    async def change_own_settings(
        self, request: ApiRequest, data: "JSONBody[OwnSettingsChange]"
    ) -> Response[OwnSettings]:
        """Change the settings of the user who asks. They hold from the next request on."""
        given: Any = data
        service = request.service
        parsed = parse_whole(OWN_SETTINGS_CHANGE, given, service.conventions(request))
        if parsed.errors:
            raise InvalidError(parsed.errors)
        region = str(parsed.values["default_region"])
        await service.write(request, lambda unit: change_default_region(unit, unit.actor.id, region))
        return Response(OwnSettings(region), headers=ignored_header(parsed.ignored))
