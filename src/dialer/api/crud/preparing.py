"""The work on a request that takes too long for a transaction."""

import anyio.to_thread
import msgspec

from dialer.api.crud.resource import Resource
from dialer.api.crud.shapes import Parsed


async def prepared(resource: Resource, parsed: Parsed) -> Parsed:
    """Return a request with the values that the resource prepares before the transaction, such as hashes."""
    if resource.prepare is None or parsed.errors:
        return parsed
    return msgspec.structs.replace(parsed, values=await anyio.to_thread.run_sync(resource.prepare, parsed.values))
