"""The export of an account as a file."""

from typing import Final, NamedTuple

import anyio.to_thread
from msgspec.structs import replace
from sqlalchemy import Row, select

from dialer.api.service import ApiRequest
from dialer.domain.credentials.usernames import username_key
from dialer.files.exchange import FileBeside
from dialer.files.exporting import LOADED_MAX, Document, Exporter, ExportError
from dialer.files.linked_files import LinkedFiles
from dialer.files.yaml_text import write_yaml
from dialer.resources.crud.resource import Unit
from dialer.resources.words.errors import ConflictError, InvalidError
from dialer.store.tables import User

USERNAME: Final = "username"
UNKNOWN_USER: Final = "There is no such user, or you may not export the account."


class Exported(NamedTuple):
    """The records of an account as a file, and the files that it names."""

    username: str
    content: str
    beside: list[FileBeside]


class _Found(NamedTuple):
    username: str
    document: Document
    beside: list[FileBeside]


async def export(request: ApiRequest, username: str | None, name: str | None, *, is_text: bool) -> Exported:
    """Return all records of an account in YAML. As text, it names no files.

    Raises:
        InvalidError: there is no such user, or the caller may not name them.
        ConflictError: the account is too large, or cannot be written as a file.
    """
    try:
        found = await request.service.read(
            request, lambda unit: _export(unit, username, name, is_text=is_text), is_long=True
        )
    except ExportError as error:
        raise ConflictError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
    content = await anyio.to_thread.run_sync(write_yaml, found.document)
    return Exported(found.username, content, found.beside)


def _export(unit: Unit, username: str | None, name: str | None, *, is_text: bool) -> _Found:
    owner = _owner(unit, username)
    region = owner.default_region or unit.conventions.region
    own = replace(unit, conventions=replace(unit.conventions, region=region))
    linked = None if is_text else LinkedFiles(f"{name or owner.username}-files", unit.conventions.links)
    document = Exporter(own, owner.id, linked, LOADED_MAX).account()
    return _Found(owner.username, document, [] if linked is None else linked.found)


def _owner(unit: Unit, username: str | None) -> Row[int, str, str]:
    """Return the user whose records are exported: the caller, their manager, or for an admin anybody.

    Raises:
        InvalidError: there is no such user, or the caller may not name them.
    """
    query = select(User.id, User.username, User.default_region)
    own = unit.connection.execute(query.where(User.id == unit.actor.sees_as)).one()
    if username is None or username_key(username) == username_key(own.username):
        return own
    may_be_known = unit.actor.is_admin and "\0" not in username  # PostgreSQL refuses to look for a null character.
    by_name = query.where(User.username_key == username_key(username))
    found = unit.connection.execute(by_name).one_or_none() if may_be_known else None
    if found is None:
        raise InvalidError({USERNAME: [UNKNOWN_USER]})
    return found
