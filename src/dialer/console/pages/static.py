"""Static files, and the answer to addresses without a page."""

from litestar import Response, get
from litestar.params import FromPath

from dialer.console.parts.assets import find_asset
from dialer.resources.words.errors import RecordNotFoundError


@get("/static/{name:str}")
async def show_asset(name: FromPath[str]) -> Response[bytes]:
    """Return a static file. Its URL changes with its content, so a browser may keep it for ever."""
    asset = find_asset(name)
    if asset is None:
        raise RecordNotFoundError("There is no such file. Load the page again.")
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(asset.content, media_type=asset.media_type, headers=headers)


@get("/{path:path}", media_type="text/html")
async def show_nothing(path: FromPath[str]) -> None:
    """Answer 404 for an unknown page."""
    raise RecordNotFoundError(f"Nothing is at {path}. Use the navigation to find the page.")
