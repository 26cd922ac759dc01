"""`GET /rest-api/export/`: an account as a file that `POST /rest-api/apply/` takes."""

from dataclasses import dataclass
from typing import Any, Final

from litestar import Response, get
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, Operation, Schema
from litestar.openapi.spec.enums import OpenAPIType

from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.routes.exports import accepted_type
from dialer.api.service import ApiRequest
from dialer.files.exchange import ExportAnswer, ExportedText
from dialer.resources.words.errors import InvalidError

JSON: Final = "application/json"
YAML: Final = "application/yaml"
FORMATS: Final = {"json": JSON, "yaml": YAML}
USERNAME, NAME, FORMAT = "username", "name", "format"
NAME_MAX: Final = 100
"""Characters of the name of an exported file."""
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
    from dialer.api.actions.exporting import export  # noqa: PLC0415 - few services are asked for it

    media_type = _wanted(request)
    username, name = (request.query_params.get(key) for key in (USERNAME, NAME))
    if name is not None and (not name or len(name) > NAME_MAX or "/" in name or not name.isprintable()):
        raise InvalidError({NAME: [f"Give 1 to {NAME_MAX} characters, none of which is a slash."]})
    found = await export(request, username, name, is_text=media_type == YAML)
    if media_type == YAML:
        headers = {"Content-Disposition": 'attachment; filename="account.yaml"', "Vary": "Accept"}
        text: Response[Any] = Response(found.content.encode(), media_type=YAML, headers=headers)
        return text
    file = ExportedText(f"{name or found.username}.yaml", found.content)
    return Response(ExportAnswer(found.username, [file], found.beside), headers={"Vary": "Accept"})


def _wanted(request: ApiRequest) -> str:
    given = request.query_params.get(FORMAT)
    if given is None:
        return accepted_type(request, [JSON, YAML])
    if given not in FORMATS:
        raise InvalidError({FORMAT: [f"{given!r} is not a format. Use one of {', '.join(FORMATS)}."]})
    return FORMATS[given]
