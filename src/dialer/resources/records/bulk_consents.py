"""Many consents in one request: each is judged by itself, and all good ones are inserted in one unit of work."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import structs

from dialer.app.contacts.consents import add_consents, same_consent, stored_consents
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.words.sentences import message_of
from dialer.resources.crud.fields import Conventions
from dialer.resources.crud.records import planned_record
from dialer.resources.crud.resource import Unit, no_columns
from dialer.resources.crud.shapes import Given, Parsed, parse_given
from dialer.resources.records.bulk import BulkResult
from dialer.resources.records.consents import CONSENTS, RULES_OF_ONE, errors_among
from dialer.resources.words.errors import InvalidError
from dialer.resources.words.strict_json import StrictJsonError, read_object
from dialer.store.database.bulk import ASKED_AT_ONCE
from dialer.store.queries.regions import region_of
from dialer.store.tables import Consent

_BY_ITSELF: Final = structs.replace(CONSENTS, rules=RULES_OF_ONE, columns=no_columns)
"""Consents without what is asked for each: many are compared with those of their numbers at once."""
_NOTHING: Final[dict[str, Any]] = dict.fromkeys(column.name for column in Consent.__table__.c if column.nullable)
"""The columns that may be null: a statement for many rows needs the same columns of each."""


def read_consents(documents: Sequence[bytes], conventions: Conventions) -> list[Parsed]:
    """Return the consents of a bulk request. Call it outside of a unit of work, as it is slow."""
    return [_read(document, conventions) for document in documents]


def _read(document: bytes, conventions: Conventions) -> Parsed:
    try:
        given = Given(read_object(document))
    except StrictJsonError as error:
        return Parsed({}, {"non_field_errors": [str(error)]}, ())
    return parse_given(CONSENTS.write, given, conventions) if CONSENTS.write else Parsed({}, {}, ())


def create_consents(unit: Unit, given: Sequence[Parsed]) -> list[BulkResult]:
    """Store the good consents, and return one answer for each, in order. One that is there already is not repeated."""
    answers: list[BulkResult] = []
    regions: dict[int, str | None] = {}
    for place in range(0, len(given), ASKED_AT_ONCE):
        answers += _create_some(unit, given[place : place + ASKED_AT_ONCE], regions)
    return answers


def _create_some(unit: Unit, given: Sequence[Parsed], regions: dict[int, str | None]) -> list[BulkResult]:
    planned = [_planned(unit, parsed, regions) for parsed in given]
    keys = {(one["user_id"], one["number"]) for one in planned if isinstance(one, dict)}
    known = stored_consents(unit.connection, keys)
    answers: list[BulkResult | int] = []
    rows: list[dict[str, Any]] = []
    for columns in planned:
        if isinstance(columns, BulkResult):
            answers.append(columns)
            continue
        stored = known[columns["user_id"], columns["number"]]
        same = same_consent(stored, columns)
        errors = {} if same else errors_among(stored, columns, unit.now_ms)
        if errors:
            answers.append(BulkResult(400, errors=errors))
        elif same and "id" in same:
            answers.append(_answer(unit, same["id"], is_new=False))
        elif same:
            answers.append(rows.index(dict(same)))
        else:
            answers.append(len(rows))
            rows.append(columns)
            stored.append(columns)
    ids, seen = add_consents(unit, rows), set[int]()
    results = []
    for one in answers:
        if isinstance(one, BulkResult):
            results.append(one)
        else:
            results.append(_answer(unit, ids[one], is_new=one not in seen))
            seen.add(one)
    return results


def _planned(unit: Unit, parsed: Parsed, regions: dict[int, str | None]) -> dict[str, Any] | BulkResult:
    """Return all columns of a consent, or the answer to a wrong one."""
    try:
        change, columns = planned_record(unit, _BY_ITSELF, parsed)
    except InvalidError as error:
        return BulkResult(400, errors=error.errors)
    user_id = change.values["user"]
    if user_id not in regions:
        regions[user_id] = region_of(unit.connection, user_id)
    try:
        number = normalise(change.values["phone_number"], regions[user_id])
    except NumberError as error:
        return BulkResult(400, errors={"phone_number": [message_of(error)]})
    return {**_NOTHING, **columns, "number": number}


def _answer(unit: Unit, record_id: int, *, is_new: bool) -> BulkResult:
    return BulkResult(201 if is_new else 200, record_id, unit.conventions.links.record(CONSENTS.path, record_id))


def ignored_among(given: Sequence[Parsed]) -> list[str]:
    """Return the names of unknown fields of all records, each once."""
    return list(dict.fromkeys(name for parsed in given for name in parsed.ignored))
