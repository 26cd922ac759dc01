"""`GET /rest-api/`: where everything is."""

from typing import Final

from litestar import get
from litestar.di import NamedDependency

from dialer.api.service import ApiRequest, Service

TAG: Final = "root"


@get("/", tags=[TAG])
async def read_root(request: ApiRequest, service: NamedDependency[Service]) -> dict[str, str]:
    """List the resources: the path of each, and the URL of its list."""
    links = service.links(request)
    return {path: links.collection(path) for path in service.resources}
