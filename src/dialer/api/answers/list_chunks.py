"""Lists that are streamed: all selected records, a chunk at a time."""

from collections.abc import AsyncIterator
from functools import partial

from dialer.api.service import ApiRequest, Service
from dialer.resources.crud.ordering import Anchor
from dialer.resources.crud.pagination import Encode, ListSelection, read_chunk
from dialer.resources.crud.resource import Resource


async def read_chunks(
    service: Service, request: ApiRequest, resource: Resource, selection: ListSelection, encode: Encode
) -> AsyncIterator[bytes]:
    """Yield all selected records in order, `CHUNK_SIZE` at a time, each chunk from a snapshot of its own.

    One thread job reads, shows and encodes a whole chunk, so that other requests do not wait.
    """
    after: Anchor | None = None
    is_first = True
    while is_first or after is not None:
        work = partial(read_chunk, resource=resource, selection=selection, after=after, encode=encode)
        chunk, after = await service.read(request, work, is_long=True)
        is_first = False
        if chunk:
            yield chunk
