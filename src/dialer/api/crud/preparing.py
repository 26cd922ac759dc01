"""Work on given values before the transaction, such as hashing, in threads."""

from functools import lru_cache
from typing import Final

import anyio
import anyio.to_thread

from dialer.api.crud.fields import Conventions
from dialer.api.crud.resource import Resource
from dialer.api.crud.shapes import Parsed

PREPARED_AT_ONCE: Final = 8
"""Requests of one resource whose values are prepared at a time."""
_RESOURCES_MAX: Final = 256


async def prepared(resource: Resource, parsed: Parsed, conventions: Conventions) -> Parsed:
    """Return a request with the values that the resource prepares before the transaction, such as hashes.

    Each resource has threads of its own for it, so none holds up another.
    """
    if resource.prepare is None:
        return parsed
    limiter = _preparing(resource.path)
    return await anyio.to_thread.run_sync(resource.prepare, parsed, conventions, limiter=limiter)


@lru_cache(maxsize=_RESOURCES_MAX)
def _preparing(_path: str) -> anyio.CapacityLimiter:
    return anyio.CapacityLimiter(PREPARED_AT_ONCE)
