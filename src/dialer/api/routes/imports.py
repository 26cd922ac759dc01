"""Imports: CSV files fill phonebooks and do-not-call lists while they arrive."""

from http import HTTPStatus
from typing import Final

from litestar import Response, post
from litestar.params import FromPath

from dialer.api.actions.imports import CONTACTS, NUMBERS, ImportKind, run_import
from dialer.api.routes.import_requests import KNOWN_PARAMETERS, answer, describe_import, parse_request
from dialer.api.service import ApiRequest
from dialer.app.imports.imports import IMPORT_BYTES_MAX
from dialer.app.imports.report import ImportReport
from dialer.resources.crud.urls import identity_in

PLANNED: Final = "0"
"""The id of a record that is yet to be made, in a dry run."""


@post(
    "/phonebook/{record_id:str}/import",
    tags=[CONTACTS.parents.path],
    status_code=HTTPStatus.OK,
    request_max_body_size=IMPORT_BYTES_MAX,
    opt=KNOWN_PARAMETERS,
    operation_class=describe_import(CONTACTS.rows.column),
)
async def import_contacts(request: ApiRequest, record_id: FromPath[str]) -> Response[ImportReport]:
    """Import contacts. `contact` is the number, `full_name` the name; every other column becomes a variable.

    A column `additional_vars` holds a JSON object of further variables. The result of `GET
    /rest-api/contact/?format=csv` can be imported unchanged; its columns `id`, `url`, `phonebook`, `created_date` and
    `updated_date` are ignored. Emergency numbers are rejected. Numbers that are impossible in their country are
    imported and listed under `warnings`. A dry run may have `0` for a phonebook that is yet to be made.
    """
    return await _import(request, record_id, CONTACTS)


@post(
    ["/dnc-list/{record_id:str}/import", "/dnc/{record_id:str}/import"],
    tags=[NUMBERS.parents.path],
    status_code=HTTPStatus.OK,
    request_max_body_size=IMPORT_BYTES_MAX,
    opt=KNOWN_PARAMETERS,
    operation_class=describe_import(NUMBERS.rows.column),
)
async def import_dnc_contacts(request: ApiRequest, record_id: FromPath[str]) -> Response[ImportReport]:
    """Import numbers that must not be called, from the column `phone_number`. Other columns are ignored.

    The result of `GET /rest-api/dnc-contact/?format=csv` can be imported unchanged. Emergency numbers are accepted
    here. Numbers that are impossible in their country are listed under `warnings`. A dry run may have `0` for
    a list that is yet to be made.
    """
    return await _import(request, record_id, NUMBERS)


async def _import(request: ApiRequest, record_id: str, kind: ImportKind) -> Response[ImportReport]:
    """Import the body of a request into a record."""
    asked = parse_request(request, request.service.conventions(request))
    is_planned = record_id == PLANNED and asked.options.is_dry
    identity = 0 if is_planned else identity_in(record_id)
    report = await run_import(request, kind, identity, asked.options, asked.body)
    return answer(report, is_csv=asked.is_csv)
