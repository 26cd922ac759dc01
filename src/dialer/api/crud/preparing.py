"""The work on a request that takes too long for a transaction, and for the event loop."""

import anyio.to_thread

from dialer.api.crud.resource import Resource
from dialer.api.crud.shapes import Parsed


async def prepared(resource: Resource, parsed: Parsed) -> Parsed:
    """Return a request with the values that the resource prepares before the transaction, such as hashes."""
    if resource.prepare is None:
        return parsed
    return await anyio.to_thread.run_sync(resource.prepare, parsed)
