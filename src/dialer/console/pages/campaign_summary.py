"""The answers to a campaign in sentences and charts, each person once, and by any column of the list."""

from typing import Any

from litestar import Response, get
from litestar.params import FromPath

from dialer.api.answers.long_tables import FORMAT
from dialer.api.service import ApiRequest
from dialer.console.pages.campaign import check_seen
from dialer.console.pages.campaigns import PLACE
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.zones import zone_of
from dialer.console.serving.services import page


@get("/campaigns/{record_id:str}/summary", media_type="text/html")
async def show_summary(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show how people answered, in words, and by the column of the list that the query names; as a PDF if wanted."""
    # The first report imports what a start does without.
    from dialer.console.parts.told_answers import tell_answers  # noqa: PLC0415

    identity, service = identity_in(record_id, "campaign"), request.service
    await service.read(request, lambda unit: check_seen(unit, identity))
    told = await tell_answers(service.database, identity, request.query_params.get("by", ""))
    if request.query_params.get(FORMAT) == "pdf":
        from dialer.console.reports.paper import Imprint, answer_pdf  # noqa: PLC0415

        now_ms = service.worker.clock.now_ms()
        imprint = Imprint(identity, request.user.username, now_ms, zone_of(request))
        return await answer_pdf(request, told, imprint)
    return page(request, "campaign_summary.html", PLACE, identity=identity, **told._asdict())
