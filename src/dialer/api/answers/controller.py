"""The controller of every resource: list, read, create, change and delete.

Each resource gets a subclass of its own. Its `signature_namespace` binds the names in the annotations to the shapes of
the resource, so the OpenAPI document shows them.
"""

from collections.abc import AsyncIterator
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeAlias

import msgspec
from litestar import Controller, Response, delete, get, post, route
from litestar.enums import HttpMethod
from litestar.params import FromPath, JSONBody
from litestar.response import Stream
from litestar.types import BeforeRequestHookHandler
from msgspec import Meta

from dialer.api.answers.list_chunks import read_chunks
from dialer.api.answers.single_deletion import delete_one
from dialer.api.http.answers import Answer
from dialer.api.http.body import StrictBody, expect_json
from dialer.api.http.idempotency import PostAttempt, StoredAnswer, answer_once, attempt_of
from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION, parse_parameters
from dialer.api.service import ApiRequest, Service
from dialer.domain.words.described import described
from dialer.resources.crud import records
from dialer.resources.crud.deleting import CONFIRM, delete_selected, parse_deletion
from dialer.resources.crud.fields import Conventions
from dialer.resources.crud.pagination import ListSelection, Page, parameters_of, parse_selection, read_page
from dialer.resources.crud.preparing import prepared
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Access, Columns, Given, Parsed, Shape, fields_of, parse_given, shapes_of
from dialer.resources.crud.urls import identity_in
from dialer.resources.words.headers import add_headers, preference
from dialer.resources.words.ignored import ignored_header
from dialer.resources.words.preconditions import ETAG_HEADER, parse_preconditions

if TYPE_CHECKING:
    # A subclass binds these names to the shapes of its resource; see `controllers`.
    ReadBody: TypeAlias = Shape
    ListBody: TypeAlias = Page
    CreateBody: TypeAlias = Given
    ChangeBody: TypeAlias = Given

JSON: Final = "application/json"
REMARKS_HEADER: Final = "X-Number-Remarks"
DUPLICATE_HEADER: Final = "X-Duplicate-Of"
TOTAL_HEADER: Final = "X-Total-Count"
LINK_HEADER: Final = "Link"
_NEIGHBOURS: Final = {
    "next": "https://dialer.example/rest-api/contact/?page=3&cursor=a20",
    "previous": "https://dialer.example/rest-api/contact/?page=1",
}
"""Examples of the URLs of neighbouring pages."""
PREFERENCE_APPLIED: Final = "Preference-Applied"
REPRESENTATION: Final = "return=representation"
"""The preference (RFC 7240, 4.2) with which the answer to a change is the record."""


class _ResourceController(Controller):
    """The base of the parts of a resource's controller."""

    resource: ClassVar[Resource]
    dto = StrictBody
    return_dto = None
    before_request: "BeforeRequestHookHandler | None" = expect_json


class _Reading(_ResourceController):
    """The handlers that list records and read one."""

    @get("/", opt={LISTS_OPTION: ()})
    async def list_records(self, request: ApiRequest) -> "Response[ListBody]":
        """List the records that the caller may see. Filters narrow the list; a page has 10 records by default."""
        service = request.service
        selection = parse_selection(self.resource, parse_parameters(request.scope), service.conventions(request))
        if self.resource.exported:
            whole = msgspec.structs.replace(selection, is_export=True)
            chunks = partial(read_chunks, service, request, self.resource, whole)
            exported = await service.export(request, self.resource, chunks)
            if exported is not None:
                return exported
        if self.resource.plain_array:
            return await _plain_array(service, request, self.resource, selection)
        return Answer(await service.read(request, lambda unit: read_page(unit, self.resource, selection)))

    @get("/{record_id:str}")
    async def read_record(self, request: ApiRequest, record_id: FromPath[str]) -> "Response[ReadBody]":
        """Read one record. The header `ETag` is its version; send it as `If-Match` to change only this version."""
        identity, conditions = identity_in(record_id), parse_preconditions(request.scope)
        found = await request.service.read(request, lambda unit: records.read_tagged(unit, self.resource, identity))
        headers = {ETAG_HEADER: found.tag.header}
        if conditions.is_known(found.tag):
            return Response(None, status_code=HTTPStatus.NOT_MODIFIED, headers=headers)  # type: ignore[arg-type]
        return Answer(found.content, headers=headers, media_type=JSON)  # type: ignore[arg-type] # encoded already


class _Creating(_ResourceController):
    """The handler that creates a record."""

    @post("/")
    async def create_record(self, request: ApiRequest, data: "JSONBody[CreateBody]") -> "Response[ReadBody]":
        """Create a record. The answer holds the record; its header `Location` is the URL of the record."""
        service = request.service
        parsed = await _parse(self.resource, service, request, data)
        body = _hashed_body(self.resource, data, await request.body())
        attempt = attempt_of(request, self.resource.path, body)
        with service.attempts.begin(attempt):
            answer = await service.write(request, lambda unit: _create_once(unit, self.resource, parsed, attempt))
        return answer.response(parsed.ignored)


class _Changing(_ResourceController):
    """The handler that changes a record."""

    @route("/{record_id:str}", http_method=[HttpMethod.PUT, HttpMethod.PATCH], status_code=HTTPStatus.ACCEPTED)
    async def change_record(
        self, request: ApiRequest, record_id: FromPath[str], data: "JSONBody[ChangeBody]"
    ) -> Response[bytes]:
        """Change the given fields of a record. The record with all its fields must be valid afterwards."""
        service, resource = request.service, self.resource
        identity, conditions = identity_in(record_id), parse_preconditions(request.scope)
        parsed = await _parse(resource, service, request, data)
        # A caller who may write and not read gets the answer without the record.
        may_read = request.user.may(resource.permission("GET"))
        is_shown = may_read and preference(request.scope, "return") == "representation"

        def change(unit: Unit) -> records.Tagged:
            records.change_record(unit, resource, identity, parsed, conditions)
            if is_shown:
                return records.read_tagged(unit, resource, identity)
            return records.Tagged(b"", records.tag_of(unit, resource, identity))

        changed = await service.write(request, change, is_long=resource.takes_long(parsed.values))
        headers = {ETAG_HEADER: changed.tag.header, **ignored_header(parsed.ignored)}
        headers |= _remarks_header(resource, parsed, service.conventions(request))
        if not is_shown:
            return Response(b"", status_code=HTTPStatus.ACCEPTED, headers=headers)
        add_headers(request.scope, {PREFERENCE_APPLIED: REPRESENTATION})
        return Answer(changed.content, status_code=HTTPStatus.OK, headers=headers, media_type=JSON)


class _Deleting(_ResourceController):
    """The handler that deletes a record, with an empty answer."""

    @delete("/{record_id:str}")
    async def delete_record(self, request: ApiRequest, record_id: FromPath[str]) -> None:
        """Delete a record and the records that are part of it."""
        await _delete(self.resource, request, record_id)


class Deleted(msgspec.Struct):
    """The answer to the deletion of a record for which clients expect a message."""

    data: Annotated[str, described("A message that says what was deleted.", "campaign deleted")]


class _DeletingWithMessage(_ResourceController):
    """The handler that deletes a record, with a message as the answer."""

    @delete("/{record_id:str}", status_code=HTTPStatus.OK)
    async def delete_record(self, request: ApiRequest, record_id: FromPath[str]) -> Deleted:
        """Delete a record and the records that are part of it."""
        await _delete(self.resource, request, record_id)
        return Deleted(self.resource.deleted or "")


class DeletedMany(msgspec.Struct):
    """The answer to the deletion of all records that the filters of a list select."""

    deleted: Annotated[int, Meta(description="The number of records that were deleted.", examples=[3], ge=0)]


class _DeletingMany(_ResourceController):
    """The handler that deletes all records that the filters of a list select."""

    @delete("/", status_code=HTTPStatus.OK, opt={LISTS_OPTION: (CONFIRM,)})
    async def clear_records(self, request: ApiRequest) -> DeletedMany:
        """Delete all records that the filters select, or none, if they are as many as `confirm` says."""
        service, resource = request.service, self.resource
        order = parse_deletion(resource, parse_parameters(request.scope), service.conventions(request))
        work = partial(delete_selected, resource=resource, order=order)
        return DeletedMany(await service.write(request, work, is_long=True))


def controllers(resource: Resource) -> list[type[Controller]]:
    """Make the controllers of a resource: one for each path under which it answers."""
    bases: tuple[type, ...] = (_Reading, *_writing(resource))
    name = resource.read.__name__.removesuffix("Read")
    namespace = {
        "resource": resource,
        "signature_namespace": _signature_namespace(resource, name),
        "opt": {PARAMETERS_OPTION: parameters_of(resource)},
        "tags": [resource.path],
    }
    found: list[type[Controller]] = [type(f"{name}Controller", bases, {**namespace, "path": resource.path})]
    if resource.url != resource.path:
        alias = {**namespace, "path": resource.url, "include_in_schema": False}
        found.append(type(f"{name}AliasController", bases, alias))
    return found


def _writing(resource: Resource) -> list[type[_ResourceController]]:
    if resource.write is None:
        return []
    deleting = _DeletingWithMessage if resource.deleted else _Deleting
    offered = {"POST": _Creating, "PATCH": _Changing, "DELETE": deleting}
    found: list[type[_ResourceController]] = [base for method, base in offered.items() if method in resource.methods]
    return [*found, _DeletingMany] if "DELETE" in resource.methods else found


def _signature_namespace(resource: Resource, name: str) -> dict[str, Any]:
    return {
        "ReadBody": resource.read,
        "ListBody": _list_body(resource, name),
        "CreateBody": resource.write,
        "ChangeBody": resource.shapes.change,
    }


def _list_body(resource: Resource, name: str) -> type[list[Any]] | type[msgspec.Struct]:
    read: Any = resource.read
    if resource.plain_array:
        return list[read]
    count = Annotated[int, described("Number of records on all pages.", 1)]
    neighbour: Any = {
        name: Annotated[str | None, described(f"URL of the {name} page; null if there is none.", url)]
        for name, url in _NEIGHBOURS.items()
    }
    results = Annotated[list[read], described("The records of the page, ordered by id.")]
    fields = [("count", count), *neighbour.items(), ("results", results)]
    return msgspec.defstruct(f"{name}Page", fields, namespace={"__doc__": "One page of a list."})


async def _parse(resource: Resource, service: Service, request: ApiRequest, given: Given) -> Parsed:
    if resource.write is None:
        raise TypeError(f"{resource.path} is only read")
    conventions = service.conventions(request)
    return await prepared(resource, parse_given(resource.write, given, conventions), conventions, request.user)


def _remarks_header(resource: Resource, parsed: Parsed, conventions: Conventions) -> dict[str, str]:
    """Return the header with the kinds of remarks on what was stored, or no header."""
    kinds = () if resource.remarks is None else resource.remarks(parsed.values, conventions)
    return {REMARKS_HEADER: ", ".join(dict.fromkeys(kinds))} if kinds else {}


def _create_once(unit: Unit, resource: Resource, parsed: Parsed, attempt: PostAttempt | None) -> StoredAnswer:
    """Create the record, or return the answer that an earlier request with this idempotency key got."""
    secrets: dict[str, Any] = {}

    def create() -> StoredAnswer:
        created, links = records.create_record(unit, resource, parsed), unit.conventions.links
        secrets.update(created.revealed)
        content, tag = created.answer
        headers = {"Location": links.record(resource.path, created.record_id), ETAG_HEADER: tag.header}
        if created.duplicate_of is not None:
            headers[DUPLICATE_HEADER] = links.record(resource.path, created.duplicate_of)
        headers |= _remarks_header(resource, parsed, unit.conventions)
        return StoredAnswer(HTTPStatus.CREATED, headers, content)

    answer = answer_once(unit, attempt, create)
    if not secrets:
        return answer
    # A stored answer must not hold a secret.
    shown = {**msgspec.json.decode(answer.content), **secrets}
    return msgspec.structs.replace(answer, content=msgspec.json.encode(shown))


def _hashed_body(resource: Resource, given: Given, body: bytes) -> bytes:
    """Return the part of a body by which an `Idempotency-Key` knows the request again.

    Secrets are left out: a stored hash of them could be guessed faster than the hash of a password.
    """
    secrets = {field.name for field in fields_of(resource.write or resource.read) if field.access is Access.WRITE_ONLY}
    if not secrets & given.members.keys():
        return body
    return msgspec.json.encode(sorted((name, value) for name, value in given.members.items() if name not in secrets))


async def _delete(resource: Resource, request: ApiRequest, record_id: str) -> None:
    identity, conditions = identity_in(record_id), parse_preconditions(request.scope)
    await delete_one(request, resource, identity, conditions)


async def _plain_array(
    service: Service, request: ApiRequest, resource: Resource, selection: ListSelection
) -> Response[Any]:
    """Answer with a bare array: one page if the request names one, else all records, streamed."""
    if selection.page is not None:
        page = await service.read(request, lambda unit: read_page(unit, resource, selection))
        return Answer(page.results, headers=_page_headers(page))
    chunks = read_chunks(service, request, resource, selection, partial(_encoded, resource.read))
    # Read the first chunk before the answer begins, so that an unavailable database still gives status 503.
    first = await anext(chunks, b"")
    return Stream(_array(first, chunks), media_type=JSON)


def _page_headers(page: Page) -> dict[str, str]:
    """Return the count and the neighbouring pages as headers, because a bare array has no place for them (RFC 8288)."""
    links = [f'<{url}>; rel="{name}"' for name, url in (("next", page.next), ("prev", page.previous)) if url]
    return {TOTAL_HEADER: str(page.count), **({LINK_HEADER: ", ".join(links)} if links else {})}


def _encoded(shape: type[Shape], columns: Columns) -> bytes:
    """Encode records as JSON with commas between them, without the brackets of the array."""
    return msgspec.json.encode(shapes_of(shape, columns))[1:-1]


async def _array(first: bytes, others: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield b"[" + first
    async for chunk in others:
        yield b"," + chunk
    yield b"]"
