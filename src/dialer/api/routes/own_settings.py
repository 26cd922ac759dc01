"""The settings that users change for themselves, although only admins change users."""

from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import msgspec
from litestar import Controller, Response, get, patch
from litestar.params import JSONBody
from litestar.types import BeforeRequestHookHandler
from sqlalchemy import select

from dialer.api.actions.own_settings import OWN_SETTINGS_CHANGE, change
from dialer.api.http.body import StrictBody, expect_json
from dialer.api.service import ApiRequest
from dialer.domain.words.described import described
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Shape
from dialer.resources.words.ignored import ignored_header
from dialer.store.tables import User


class OwnSettings(msgspec.Struct):
    """The settings of the user who asks."""

    default_region: Annotated[
        str,
        described("The country of the user's numbers without one: an ISO 3166 code. Empty for the service's.", "DE"),
    ]
    telephone: Annotated[str, described("The user's own phone number, or extension; empty for none.", "+12025550150")]


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
        return await _read(request)

    @patch("/")
    async def change_own_settings(
        self, request: ApiRequest, data: "JSONBody[OwnSettingsChange]"
    ) -> Response[OwnSettings]:
        """Change the settings of the user who asks. They hold from the next request on."""
        given: Any = data
        ignored = await change(request, given)
        return Response(await _read(request), headers=ignored_header(ignored))


async def _read(request: ApiRequest) -> OwnSettings:
    def read(unit: Unit) -> OwnSettings:
        columns = User.default_region, User.telephone
        return OwnSettings(*unit.connection.execute(select(*columns).where(User.id == unit.actor.id)).one())

    return await request.service.read(request, read)
