"""Parameters of operations in the OpenAPI document: of the path, of the query, and the idempotency key."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialer.api.http.idempotency import KEY_LENGTH_MAX, KEY_PATTERN
from dialer.api.openapi import examples
from dialer.api.openapi.answer_headers import (
    AFTER_PARAMETER,
    DRY_RUN_PARAMETER,
    EVENTS_PARAMETERS,
    EXPORT_PARAMETERS,
    FORECAST_PARAMETER,
    TABLE_FORMAT_PARAMETER,
)
from dialer.api.openapi.parts import Json, parameter
from dialer.api.openapi.staffing_plan_example import PLAN_PARAMETERS
from dialer.api.openapi.statistics_example import STATISTICS_PARAMETERS
from dialer.app.imports.variables import OBJECT_COLUMN
from dialer.resources.crud.deleting import CONFIRM, DELETED_AT_ONCE_MAX
from dialer.resources.crud.enumerations import DESCRIPTIONS, VARNAMES, text_schema
from dialer.resources.crud.fields import INT32_MAX, NOT_BLANK, Amount, Boolean, TextChoice
from dialer.resources.crud.filters import Filter, filters_of
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.ordering import ORDERED_BY_MAX, ORDERING, orderings_of
from dialer.resources.crud.pagination import PAGE_SIZE, PAGE_SIZE_MAX, VARIABLES
from dialer.resources.crud.properties import answered
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.searching import SEARCH, SEARCH_MAX, is_searchable
from dialer.resources.crud.shapes import Field, fields_of
from dialer.resources.crud.urls import ID_MAX

_NOUNS: Final[Mapping[str, str]] = {
    "callerid": "caller ID",
    "callerid-group": "caller ID group",
    "audio-files": "recording",
    "dnc-list": "DNC list",
    "dnc-contact": "DNC contact",
    "number-note": "note on a number",
    "cdr": "CDR",
    "callrequest": "call request",
    "users": "user",
    "campaigns": "voice campaign",
    "sms-campaigns": "SMS campaign",
    "sms-gateway": "SMS gateway",
    "sms-message": "SMS message",
    "sms-received": "received text",
    "subscriber-list": "subscriber",
    "did": "DID",
    "ledger": "balance change",
    "rate-card": "prefix rate",
    "contact-rule": "contact rule",
}
"""Names of records in summaries, by path, where the path itself is not the name."""
_BOUNDS: Final = {
    "after": "at or after this moment",
    "before": "at or before this moment",
    "min": "this value or more",
    "max": "this value or less",
}
_FORMATS: Final = {
    "csv": "CSV with a header line; null is an empty cell.",
    "ndjson": "One JSON object a line.",
    "xlsx": "A spreadsheet, whose dates are dates and whose amounts are numbers.",
    "json": "JSON, in pages.",
}
_IDEMPOTENCY: Final[Json] = parameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH_MAX, "pattern": f"^{KEY_PATTERN}$"},
    "A text that the client makes up for this request, such as a UUID. A repeated request with the key"
    " and the body of an earlier one gets the first response and has no further effect. Keys are kept for 24 hours.",
    "2f1a9c34-6d0e-4b7c-9a55-0d6a3f1f2c11",
    "header",
)
IDEMPOTENT: Final = frozenset(
    {
        "upload_audio",
        "advance_clock",
        "refund_call",
        "add_contacts",
        "add_dnc_contacts",
        "add_consents",
        "copy_campaign",
        "copy_sms_campaign",
        "recycle_campaign",
        "recycle_sms_campaign",
        "call_again",
        "text_again",
    }
)
"""Operations that accept an `Idempotency-Key`, besides those that create a record."""
DRY_RUNS: Final = frozenset({"recycle_campaign", "recycle_sms_campaign", "call_again", "text_again"})
"""Operations that only count if their parameter `dry_run` says so."""
_OF_OPERATIONS: Final[Mapping[str, Sequence[Json]]] = {
    **dict.fromkeys(("check_campaign", "check_sms_campaign"), (FORECAST_PARAMETER,)),
    **dict.fromkeys(("read_campaign_results", "read_sms_campaign_results"), (TABLE_FORMAT_PARAMETER,)),
    "download_recordings": (AFTER_PARAMETER,),
    "download_call_recordings": (AFTER_PARAMETER,),
    "read_events": EVENTS_PARAMETERS,
    "export_account": EXPORT_PARAMETERS,
}
"""The parameters of single operations."""


def noun(resource: Resource) -> str:
    """Return the name of a record of the resource in sentences."""
    return _NOUNS.get(resource.path, resource.path.replace("-", " "))


def parameters(found: Json, verb: str, resource: Resource | None, owner: Resource | None) -> Iterator[Json]:
    """Yield the parameters of a generated operation.

    `resource` is the one whose records the operation handles, and `owner` the one that its path begins with.
    """
    identity = {"type": "integer", "format": "int64", "minimum": 1, "maximum": ID_MAX}
    described = f"The `id` of the {noun(owner)}." if owner is not None else "The `id` of the record."
    for given in found.get("parameters", []):
        is_id = given["in"] == "path"
        yield {**parameter(given["name"], identity, described, 1, "path"), "required": True} if is_id else given
    if verb == "create" or found["operationId"] in IDEMPOTENT:
        yield _IDEMPOTENCY
    if found["operationId"] in DRY_RUNS:
        yield DRY_RUN_PARAMETER
    yield from _OF_OPERATIONS.get(found["operationId"], ())
    yield from STATISTICS_PARAMETERS.get(found["operationId"], ())
    yield from PLAN_PARAMETERS.get(found["operationId"], ())
    if verb == "list" and resource is not None:
        yield from _of_list(resource)
    if verb == "clear" and resource is not None:
        told = "The number of records that the filters select, as the `count` of their list says. If it differs: 409."
        confirm = {"type": "integer", "minimum": 0, "maximum": DELETED_AT_ONCE_MAX}
        yield {**parameter(CONFIRM, confirm, told, 3), "required": True}
        yield from map(_not_blank, _selecting(resource))


def _of_list(resource: Resource) -> Iterator[Json]:
    page_size = f"Records on a page. Values over {PAGE_SIZE_MAX} count as {PAGE_SIZE_MAX}."
    size: Json = {"type": "integer", "minimum": 1, "maximum": INT32_MAX}
    if resource.plain_array:
        page_size += " Without page and page_size, the response has all records."
    else:
        size["default"] = PAGE_SIZE
    page = "The number of the page, from 1. A page past the end gets 404."
    yield parameter("page", {"type": "integer", "minimum": 1, "maximum": ID_MAX}, page, 1)
    yield parameter("page_size", size, page_size, 100)
    cursor = "The position in the list. Links to other pages carry it; clients do not make it up."
    yield parameter("cursor", {"type": "string"}, cursor, "a100")
    if resource.exported:
        told = "The format of the response. It overrides the `Accept` header. CSV and NDJSON have all pages at once."
        yield parameter("format", text_schema(_FORMATS, _FORMATS, "ListFormat").to_schema(), told, "csv")
        if OBJECT_COLUMN in {field.name for field in fields_of(resource.read)}:
            told = "Variables that a CSV has as columns of their own, after the others, with commas between the names."
            yield parameter(VARIABLES, {"type": "string"}, told, "city,plan")
    orderings = orderings_of(resource)
    most = "One" if resource.is_large else f"Up to {ORDERED_BY_MAX}, separated by commas,"
    told = f"{most} of: {', '.join(orderings)}. A minus sign before a field reverses its order. The default is `id`."
    field = f"-?({'|'.join(orderings)})"
    further = "" if resource.is_large else f"(,{field}){{0,{ORDERED_BY_MAX - 1}}}"
    yield parameter(ORDERING, {"type": "string", "pattern": f"^({field}{further})?$"}, told, f"-{orderings[-1]}")
    yield from _selecting(resource)


def _selecting(resource: Resource) -> Iterator[Json]:
    if is_searchable(resource):
        names = f"words of a name that begin so ({', '.join(resource.names)}), without case and accents"
        numbers = f"a phone number that begins so ({', '.join(resource.numbers)}), in any spelling"
        kinds = [told for told, fields in ((names, resource.names), (numbers, resource.numbers)) if fields]
        schema = {"type": "string", "maxLength": SEARCH_MAX}
        yield parameter(
            SEARCH, schema, f"Only records with {', or '.join(kinds)}.", "+1202" if resource.numbers else "a"
        )
    yield from _filters(resource)


def _not_blank(selecting: Json) -> Json:
    """Return a filter of a deletion, which must not be blank: a list would ignore it."""
    schema = _without_blank(selecting["schema"])
    selecting = {**selecting, "schema": schema}
    is_free = schema.get("type") == "string" and not schema.keys() & {"pattern", "format", "enum"}
    return {**selecting, "schema": {**schema, "pattern": NOT_BLANK}} if is_free else selecting


def _without_blank(schema: Json) -> Json:
    """Return the schema of a choice without the empty string, which means no value in a record, and no filter here."""
    kept = [place for place, value in enumerate(schema.get("enum", ())) if value != ""]
    parallel = schema.keys() & {"enum", VARNAMES, DESCRIPTIONS}
    return {**schema, **{key: [schema[key][place] for place in kept] for key in parallel}}


def _filters(resource: Resource) -> Iterator[Json]:
    fields = {field.name: field for field in fields_of(resource.read)}
    for name, item in filters_of(resource).items():
        field = fields.get(name) or fields.get(name.removesuffix("_id" if not item.bound else f"_{item.bound}"))
        # A query is text, in which only the pattern limits the decimals of an amount.
        kind = item.kind
        schema = (kind.as_text() if isinstance(kind, Amount) else kind.accepted()).to_schema()
        schema.pop("description", None)
        told = item.description or _narrowing(name, item.bound, field)
        yield parameter(name, schema, told, _sought(name, item, field))


def _narrowing(name: str, bound: str, field: Field | None) -> str:
    """Return the description of a filter."""
    if bound:
        return f"Only records whose `{name.removesuffix(f'_{bound}')}` is {_BOUNDS[bound]}."
    if field is not None and field.name != name:
        return f"Only records whose `{field.name}` is the record with this id."
    if field is None:
        return f"Only records of campaigns with this `{name}`. Those of deleted campaigns have none."
    return f"Only records with this `{name}`."


def _sought(name: str, item: Filter, field: Field | None) -> object:
    """Return an example of a filter's value."""
    if isinstance(item.kind, Timestamp):
        return examples.MOMENT
    if isinstance(item.kind, Amount):
        return "0.10000"
    if isinstance(item.kind, TextChoice):
        return item.kind.values[-1]
    if isinstance(item.kind, Boolean):
        return True
    if field is None or field.name != name or isinstance(field.kind, Reference):
        return 1
    return answered(field)
