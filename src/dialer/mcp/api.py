"""The REST API as the tools of an assistant use it."""

from collections.abc import Mapping
from typing import Any, Final

import httpx
from mcp.server.mcpserver.exceptions import ToolError

TIMEOUT_S: Final = 120.0
"""A forecast takes a while."""
ANSWER_MAX: Final = 1_000_000
"""Bytes of an answer that an assistant is given."""
TOTAL_HEADER: Final = "X-Total-Count"
_MESSAGE_MAX: Final = 1_000


class Api:
    """The REST API of a service, with the permissions of a key. Every failure is a message for the assistant."""

    def __init__(self, url: str, key: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._client: Final = httpx.AsyncClient(
            base_url=f"{url.rstrip('/')}/rest-api/",
            headers={"Authorization": f"Bearer {key}"},
            timeout=TIMEOUT_S,
            transport=transport,
        )

    async def get(self, path: str, **parameters: str | int) -> Any:  # noqa: ANN401 - JSON
        """Return the JSON of a path of the API; raises ToolError if the service refuses the request."""
        return await self._ask("GET", path, parameters, None)

    async def send(self, method: str, path: str, **members: Any) -> Any:  # noqa: ANN401 - JSON
        """Send a JSON object, and return the answer; raises ToolError if the service refuses."""
        return await self._ask(method, path, {}, members)

    async def close(self) -> None:
        """Close the connections to the service."""
        await self._client.aclose()

    async def _ask(
        self, method: str, path: str, parameters: Mapping[str, str | int], members: Mapping[str, Any] | None
    ) -> Any:  # noqa: ANN401 - JSON
        kept = {name: value for name, value in parameters.items() if value != ""}
        try:
            answer = await self._client.request(method, path, params=kept, json=members)
        except httpx.HTTPError as error:
            raise ToolError(f"The service does not answer: {type(error).__name__}.") from None
        if not answer.is_success:
            raise ToolError(f"The service refuses ({answer.status_code}): {answer.text[:_MESSAGE_MAX]}")
        if len(answer.content) > ANSWER_MAX:
            raise ToolError("The answer is too long. Ask for less.")
        try:
            found = answer.json() if answer.content else {}
        except ValueError:
            raise ToolError("The service answers with something else than JSON. Check the address.") from None
        if isinstance(found, list):  # Some lists are bare arrays, with their count in a header.
            return {"count": int(answer.headers.get(TOTAL_HEADER, len(found))), "results": found}
        return found
