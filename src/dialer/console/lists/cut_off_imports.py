"""Imports that were cut off, as by a service that was killed: what they have stored, and the rest of their lists."""

from functools import partial

import anyio.to_thread
import msgspec

from dialer.api.service import ApiRequest
from dialer.console.lists.list_reading import KINDS
from dialer.resources.crud.resource import Unit
from dialer.store.media.kept_lists import KeptList


class BegunImport(msgspec.Struct, frozen=True):
    """An import that has begun: the record into which it goes, and the newest row before it."""

    into: str
    identity: int
    is_new: bool
    """True if the import made the phonebook, for a new campaign."""
    last_id: int


class CutOffImport(msgspec.Struct, frozen=True):
    """An import that has ended without a result, and how many rows it had stored by then."""

    begun: BegunImport
    stored: int


async def note_begin(request: ApiRequest, kept: KeptList, into: str, identity: int, *, is_new: bool) -> None:
    """Keep a record of an import that begins, so that a restart can tell what was stored."""
    last_id = await request.service.read(
        request, lambda unit: KINDS[into].rows(identity, region=None).last_id(unit.connection)
    )
    record = msgspec.json.encode(BegunImport(into, identity, is_new, last_id))
    await anyio.to_thread.run_sync(kept.begin, record)


async def cut_off_import(request: ApiRequest, kept: KeptList) -> CutOffImport | None:
    """Return the last import of a list if it was cut off, and let the list be imported again; else None."""
    await anyio.to_thread.run_sync(kept.recover)
    record = await anyio.to_thread.run_sync(kept.begun)
    if record is None or not kept.path.exists():
        return None
    begun = msgspec.json.decode(record, type=BegunImport)
    return CutOffImport(begun, await request.service.read(request, partial(_stored, begun=begun)))


def _stored(unit: Unit, begun: BegunImport) -> int:
    return KINDS[begun.into].rows(begun.identity, region=None).count_since(unit.connection, begun.last_id)
