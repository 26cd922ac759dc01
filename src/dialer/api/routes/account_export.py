"""`GET /rest-api/export/`: an account as a file that `POST /rest-api/apply/` takes."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import anyio.to_thread
from litestar import Response, get
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, Operation, Schema
from litestar.openapi.spec.enums import OpenAPIType
from msgspec.structs import replace
from sqlalchemy import Row, select

from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.routes.exports import accepted_type
from dialer.api.service import ApiRequest
from dialer.domain.credentials.usernames import username_key
from dialer.files.exchange import ExportAnswer, ExportedText, FileBeside
from dialer.files.exporting import LOADED_MAX, Document, Exporter, ExportError
from dialer.files.linked_files import LinkedFiles
from dialer.files.yaml_text import write_yaml
from dialer.resources.crud.resource import Unit
from dialer.resources.words.errors import ConflictError, InvalidError
from dialer.store.tables import User

JSON: Final = "application/json"
YAML: Final = "application/yaml"
FORMATS: Final = {"json": JSON, "yaml": YAML}
USERNAME, NAME, FORMAT = "username", "name", "format"
NAME_MAX: Final = 100
"""Characters of the name of an exported file."""
UNKNOWN_USER: Final = "There is no such user, or you may not export the account."
EXAMPLE: Final = "surveys:\n- name: Reminder\n"


@dataclass
class _ExportOperation(Operation):
    """The description of the export, whose answer may be YAML, too."""

    def __post_init__(self) -> None:
        for answer in (self.responses or {}).values():
            if isinstance(answer, OpenAPIResponse) and answer.content is not None and JSON in answer.content:
                text = Schema(type=OpenAPIType.STRING, description="The file alone.")
                answer.content[YAML] = OpenAPIMediaType(schema=text, example=EXAMPLE)


@get(
    "/export",
    tags=["apply"],
    operation_class=_ExportOperation,
    opt={LISTS_OPTION: (), PARAMETERS_OPTION: (USERNAME, NAME, FORMAT)},
)
async def export_account(request: ApiRequest) -> Response[ExportAnswer]:
    """Export all records of an account as a file.

    It is the file of `dialer export account`, which `POST /rest-api/apply/` takes. The list that the service keeps of
    wishes not to be called is left out. Recordings, and lists of more than 2,000 people, are links. As YAML, the answer
    is the file alone: it has recordings by their names only, and no such lists.
    """
    media_type = _wanted(request)
    username, name = (request.query_params.get(key) for key in (USERNAME, NAME))
    if name is not None and (not name or len(name) > NAME_MAX or "/" in name or not name.isprintable()):
        raise InvalidError({NAME: [f"Give 1 to {NAME_MAX} characters, none of which is a slash."]})
    try:
        found = await request.service.read(
            request, lambda unit: _export(unit, username, name, is_text=media_type == YAML), is_long=True
        )
    except ExportError as error:
        raise ConflictError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
    content = await anyio.to_thread.run_sync(write_yaml, found.document)
    if media_type == YAML:
        headers = {"Content-Disposition": 'attachment; filename="account.yaml"', "Vary": "Accept"}
        text: Response[Any] = Response(content.encode(), media_type=YAML, headers=headers)
        return text
    file = ExportedText(f"{name or found.username}.yaml", content)
    return Response(ExportAnswer(found.username, [file], found.beside), headers={"Vary": "Accept"})


def _wanted(request: ApiRequest) -> str:
    given = request.query_params.get(FORMAT)
    if given is None:
        return accepted_type(request, [JSON, YAML])
    if given not in FORMATS:
        raise InvalidError({FORMAT: [f"{given!r} is not a format. Use one of {', '.join(FORMATS)}."]})
    return FORMATS[given]


class _Exported(NamedTuple):
    """The records of an account as a document, and the files that it names."""

    username: str
    document: Document
    beside: list[FileBeside]


def _export(unit: Unit, username: str | None, name: str | None, *, is_text: bool) -> _Exported:
    owner = _owner(unit, username)
    region = owner.default_region or unit.conventions.region
    own = replace(unit, conventions=replace(unit.conventions, region=region))
    linked = None if is_text else LinkedFiles(f"{name or owner.username}-files", unit.conventions.links)
    document = Exporter(own, owner.id, linked, LOADED_MAX).account()
    return _Exported(owner.username, document, [] if linked is None else linked.found)


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
