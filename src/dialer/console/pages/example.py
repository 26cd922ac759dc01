"""The example of a campaign: one button makes it, and one button deletes it with all that belongs to it."""

from typing import Any

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.actions.forecast import Forecaster
from dialer.api.service import ApiRequest
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.pages.campaign import check_seen, show_campaign_page
from dialer.console.pages.overview import show_overview_page
from dialer.console.parts.record_addresses import identity_in
from dialer.console.serving.errors import messages_of, status_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import ConsoleServices, go_to
from dialer.console.words.language import gettext
from dialer.resources.crud.resource import Unit
from dialer.resources.words.errors import InvalidError


@post("/overview/example", media_type="text/html")
async def make_example_campaign(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Make the example campaign of the account, and show it; or the one that is there."""
    from dialer.console.parts.example_campaign import make_example  # noqa: PLC0415 - made once in an account

    await read_fields(request)
    try:
        identity = await request.service.write(request, make_example)
    except (InvalidError, InvalidFieldsError, RefusedError) as error:
        return await show_overview_page(request, console, messages_of(error), status_of(error))
    return go_to(f"/console/campaigns/{identity}/")


@post("/campaigns/{record_id:str}/delete-example", media_type="text/html")
async def delete_example_campaign(
    request: ApiRequest,
    console: NamedDependency[ConsoleServices],
    forecaster: NamedDependency[Forecaster],
    record_id: FromPath[str],
) -> Response[Any]:
    """Delete an example campaign with its list, its survey and its carrier."""
    from dialer.console.parts.example_campaign import delete_example  # noqa: PLC0415 - done once in an account

    identity = identity_in(record_id, "campaign")
    await read_fields(request)

    def work(unit: Unit) -> bool:
        check_seen(unit, identity)
        return delete_example(unit, identity)

    services = (console, forecaster)
    try:
        is_gone = await request.service.write(request, work)
    except RefusedError as error:
        return await show_campaign_page(request, services, identity, messages_of(error), status_of(error))
    if is_gone:
        return go_to("/console/overview/")
    message = gettext("The example is stopped. Delete it when its last calls are over.")
    return await show_campaign_page(request, services, identity, [message])
