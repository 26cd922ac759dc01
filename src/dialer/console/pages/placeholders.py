"""The placeholders that a text can have: built-in names, and the columns of the phonebooks that it concerns."""

from typing import Any, Final

from litestar import Response, get

from dialer.api.service import ApiRequest
from dialer.app.campaigns.placeholders import BUILT_IN_OFFERED, offered_names
from dialer.console.parts.text_phonebooks import phonebooks_of_text
from dialer.console.serving.services import page
from dialer.resources.crud.resource import Unit

PLACE: Final = "surveys"


@get("/placeholders", media_type="text/html")
async def show_placeholders(request: ApiRequest) -> Response[Any]:
    """Show the placeholders for a survey, for a campaign of text messages, or for any text of the viewer's."""

    def read(unit: Unit) -> list[str]:
        return offered_names(unit.connection, phonebooks_of_text(unit, request.query_params))

    names = await request.service.read(request, read)
    return page(request, "placeholders.html", PLACE, names=names, has_columns=len(names) > len(BUILT_IN_OFFERED))
