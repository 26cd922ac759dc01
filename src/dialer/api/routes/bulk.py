"""Bulk creation: up to `BULK_RECORDS_MAX` contacts, consents, or numbers not to be called, in one request."""

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from typing import Annotated, Final, TypeVar

import anyio.to_thread
import msgspec
from litestar import Response, post
from litestar.openapi.spec import OpenAPIMediaType, Reference, Schema
from litestar.openapi.spec.enums import OpenAPIType

from dialer.api.answers.streams import describe_bodies
from dialer.api.http.body import read_whole
from dialer.api.http.error_answers import encode_plain
from dialer.api.http.idempotency import StoredAnswer, answer_once, attempt_of
from dialer.api.service import ApiRequest
from dialer.domain.words.described import described
from dialer.resources.crud.fields import Conventions
from dialer.resources.crud.resource import Unit
from dialer.resources.records.bulk import (
    CONTACTS_IN_BULK,
    DNC_CONTACTS_IN_BULK,
    BulkKind,
    BulkResult,
    Draft,
    create_all,
    ignored_in,
    read_drafts,
)
from dialer.resources.records.bulk_consents import create_consents, ignored_among, read_consents
from dialer.resources.records.consents import CONSENTS
from dialer.resources.records.contacts import CONTACTS, DNC_CONTACTS
from dialer.resources.words.errors import AnsweredError, MalformedError

BULK_BYTES_MAX: Final = 16 * 1024 * 1024
BULK_RECORDS_MAX: Final = 10_000
BULK_COMMAS_MAX: Final = 1_000_000
"""Commas in one body. They bound the elements that the parser creates before the records are counted."""
JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
_EITHER: Final = f"Send the records as {JSON}, in one array, or as {NDJSON}, one on a line."
_CONTACT: Final = {"phonebook": "/rest-api/phonebook/1/", "contact": "+12025550100"}
_ENTRY: Final = {"dnc": "/rest-api/dnc/1/", "phone_number": "+12025550100"}
_CONSENT: Final = {"phone_number": "+33142345601", "kind": "express", "evidence": "Box ticked: yes, call me"}
_LINE_END: Final = b"\n"
_GAP: Final = re.compile(r"\s*(?:,\s*(?=[^\s,])|\Z)")
"""The text between two elements of an array, or after the last one."""

Record = TypeVar("Record")
"""A record of a request that was read."""


class BulkAnswer(msgspec.Struct):
    """The answers to the records of one request."""

    created: Annotated[int, described("Records that were stored.", 1)]
    rejected: Annotated[int, described("Records that were not stored.", 1)]
    results: Annotated[list[BulkResult], described("One answer for each record, in the order of the request.")]


def _bodies(write: str, record: dict[str, str], refused: dict[str, str]) -> dict[str, OpenAPIMediaType]:
    records = Schema(
        type=OpenAPIType.ARRAY, items=Reference(ref=f"#/components/schemas/{write}"), max_items=BULK_RECORDS_MAX
    )
    lines = Schema(type=OpenAPIType.STRING, description="One record on a line, each a JSON object.")
    line = f"{msgspec.json.encode(record).decode()}\n"
    return {
        JSON: OpenAPIMediaType(schema=records, example=[record, refused]),
        NDJSON: OpenAPIMediaType(schema=lines, example=line),
    }


SHORT_MAX: Final = 100
"""The most records whose unit of work others share. One with more lets those pass that wait."""


@post(
    "/contact/bulk",
    tags=[CONTACTS.path],
    status_code=HTTPStatus.OK,
    request_max_body_size=BULK_BYTES_MAX,
    operation_class=describe_bodies(
        _bodies("ContactWrite", _CONTACT, {**_CONTACT, "phonebook": "/rest-api/phonebook/999/"})
    ),
)
async def add_contacts(request: ApiRequest) -> Response[BulkAnswer]:
    """Create many contacts at once, up to 10,000. Each record has its own answer, and wrong ones undo no others.

    All good records are stored together. Contacts of a started campaign become its subscribers, as with single
    requests. An `Idempotency-Key` makes it safe to send the request again.
    """
    return await _create(request, CONTACTS_IN_BULK)


@post(
    "/dnc-contact/bulk",
    tags=[DNC_CONTACTS.path],
    status_code=HTTPStatus.OK,
    request_max_body_size=BULK_BYTES_MAX,
    operation_class=describe_bodies(_bodies("DncContactWrite", _ENTRY, {**_ENTRY, "dnc": "/rest-api/dnc/999/"})),
)
async def add_dnc_contacts(request: ApiRequest) -> Response[BulkAnswer]:
    """Put many numbers on do-not-call lists at once, up to 10,000. Each record has its own answer.

    All good records are stored together; a wrong record does not undo the others. A number that is on its list
    already is an error of its record. An `Idempotency-Key` makes it safe to send the request again.
    """
    return await _create(request, DNC_CONTACTS_IN_BULK)


@post(
    "/consent/bulk",
    tags=[CONSENTS.path],
    status_code=HTTPStatus.OK,
    request_max_body_size=BULK_BYTES_MAX,
    operation_class=describe_bodies(_bodies("ConsentWrite", _CONSENT, {**_CONSENT, "user": "/rest-api/users/999/"})),
)
async def add_consents(request: ApiRequest) -> Response[BulkAnswer]:
    """Create many consents at once, up to 10,000. Each record has its own answer, and wrong ones undo no others.

    All good records are stored together. One that says the same as a stored consent has its id, and the status 200.
    """
    return await _create_by(request, CONSENTS.path, read_consents, create_consents, ignored_among)


async def _create(request: ApiRequest, kind: BulkKind) -> Response[BulkAnswer]:
    read, create = partial(read_drafts, kind), partial(_create_all, kind)
    return await _create_by(request, kind.resource.path, read, create, ignored_in)


def _create_all(kind: BulkKind, unit: Unit, drafts: Sequence[Draft]) -> list[BulkResult]:
    return create_all(unit, kind, drafts)


async def _create_by(
    request: ApiRequest,
    path: str,
    read: Callable[[Sequence[bytes], Conventions], list[Record]],
    create: Callable[[Unit, Sequence[Record]], list[BulkResult]],
    ignored: Callable[[Sequence[Record]], list[str]],
) -> Response[BulkAnswer]:
    """Read the records of a body, store the good ones, and answer."""
    service, body = request.service, await _body(request)
    attempt = attempt_of(request, f"{path}/bulk", body)
    is_lines = request.content_type[0].strip().lower() == NDJSON
    conventions = service.conventions(request)
    with service.attempts.begin(attempt):
        records = await anyio.to_thread.run_sync(lambda: read(_documents(body, is_lines=is_lines), conventions))

        def store_once(unit: Unit) -> StoredAnswer:
            return answer_once(unit, attempt, lambda: _stored(create(unit, records)))

        answer = await service.write(request, store_once, is_long=len(records) > SHORT_MAX)
    return answer.response(ignored(records))


async def _body(request: ApiRequest) -> bytes:
    if request.content_type[0].strip().lower() not in {JSON, NDJSON}:
        raise AnsweredError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, _EITHER)
    return await read_whole(request)


def _documents(body: bytes, *, is_lines: bool) -> Sequence[bytes]:
    """Return the records of a body as they are; raise MalformedError if they cannot be told apart, or are too many."""
    if body.count(b",") > BULK_COMMAS_MAX:
        raise MalformedError(f"The body has more than {BULK_COMMAS_MAX:,} commas. Send fewer records at once.")
    documents = _lines(body) if is_lines else _elements(body)
    if len(documents) > BULK_RECORDS_MAX:
        raise MalformedError(f"The body has {len(documents):,} records. Send at most {BULK_RECORDS_MAX:,} at once.")
    return documents


def _lines(body: bytes) -> Sequence[bytes]:
    if body.count(_LINE_END) > BULK_COMMAS_MAX:
        raise MalformedError(f"The body has more than {BULK_COMMAS_MAX:,} lines. Send fewer records at once.")
    return [line for line in body.split(_LINE_END) if line.strip()]


def _elements(body: bytes) -> Sequence[bytes]:
    try:
        found = msgspec.json.decode(body, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        # The parser refuses half of a surrogate pair in any record. Taken apart, only that record is wrong.
        apart = _apart(body) if b"\\ud" in body.lower() else None
        if apart is None:
            raise MalformedError(f"JSON parse error - {error}. {_EITHER}") from None
        return apart
    return [bytes(one) for one in found]


def _apart(body: bytes) -> Sequence[bytes] | None:
    """Return the elements of a JSON array whose texts may have half of a surrogate pair; None if it is no array."""
    decode, found = json.JSONDecoder().raw_decode, list[bytes]()
    try:
        text = body.decode().strip()
        if not (text.startswith("[") and text.endswith("]")):
            return None
        text, place = text[1:-1].strip(), 0
        while place < len(text) and len(found) <= BULK_RECORDS_MAX:
            _, end = decode(text, place)
            found.append(text[place:end].encode())
            gap = _GAP.match(text, end)
            if gap is None:
                return None
            place = gap.end()
    except (ValueError, RecursionError):
        return None
    return found


def _stored(results: list[BulkResult]) -> StoredAnswer:
    created = sum(one.status == HTTPStatus.CREATED for one in results)
    rejected = sum(one.id is None for one in results)
    content = encode_plain(BulkAnswer(created, rejected, results))
    return StoredAnswer(HTTPStatus.OK, {}, content)
