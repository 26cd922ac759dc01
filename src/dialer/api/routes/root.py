"""`GET /` and `GET /rest-api/`: the entry points for a client that knows only the address."""

from typing import Final

from litestar import get
from litestar.response import Redirect

from dialer.api.service import ApiRequest

TAG: Final = "root"
SURVEY_AGGREGATE: Final = "surveyaggregate/{campaign_id}"
"""A URI template (RFC 6570), because each campaign has an aggregate and there is no list of them."""
DOCUMENTATION: Final = "/schema"


@get("/", include_in_schema=False)
async def redirect_to_documentation() -> Redirect:
    """Redirect a browser to the documentation of the API."""
    return Redirect(DOCUMENTATION)


@get("/", tags=[TAG])
async def read_root(request: ApiRequest) -> dict[str, str]:
    """List the resources by path, with the URL of each list. `surveyaggregate` has a URI template instead."""
    service = request.service
    links = service.links(request)
    besides = {"surveyaggregate": links.collection(SURVEY_AGGREGATE)}
    return links.collections([*service.resources, "clock", "events", "statistics"]) | besides
