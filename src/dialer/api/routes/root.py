"""`GET /rest-api/`: where everything is."""

from typing import Final

from litestar import get

from dialer.api.service import ApiRequest

TAG: Final = "root"


@get("/", tags=[TAG])
async def read_root(request: ApiRequest) -> dict[str, str]:
    """List the resources: the path of each, and the URL of its list."""
    service = request.service
    return service.links(request).collections(service.resources)
