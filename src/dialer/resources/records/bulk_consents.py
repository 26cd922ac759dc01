"""Many consents in one request: each is judged by itself, and all good ones are inserted in one unit of work."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from dialer.app.contacts.consents import CONSENTS_OF_NUMBER_MAX, add_consents, consents_among
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.fields import Conventions
from dialer.resources.crud.records import planned_record
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, Parsed, parse_given
from dialer.resources.records.bulk import BulkResult
from dialer.resources.records.consents import CONSENTS
from dialer.resources.words.errors import InvalidError
from dialer.resources.words.strict_json import StrictJsonError, read_object
from dialer.store.tables import Consent

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
    """Store the good consents, and return one answer for each, in order."""
    answers: list[BulkResult | None] = []
    rows: list[dict[str, Any]] = []
    added: Counter[tuple[int, str]] = Counter()
    for parsed in given:
        try:
            _, columns = planned_record(unit, CONSENTS, parsed)
            _refuse_too_many(unit, columns, added)
        except InvalidError as error:
            answers.append(BulkResult(400, errors=error.errors))
        else:
            answers.append(None)
            rows.append({**_NOTHING, **columns})
    links, ids = unit.conventions.links, iter(add_consents(unit, rows))
    stored = (BulkResult(201, one, links.record(CONSENTS.path, one)) for one in ids)
    return [next(stored) if answer is None else answer for answer in answers]


def _refuse_too_many(unit: Unit, columns: dict[str, Any], added: Counter[tuple[int, str]]) -> None:
    """Refuse a consent of a number of which this request has as many as there may be beside those that are stored."""
    key = columns["user_id"], columns["number"]
    if added[key] and consents_among(unit, *key) + added[key] >= CONSENTS_OF_NUMBER_MAX:
        what = Sentence("A number has at most %(most)s consents.", most=CONSENTS_OF_NUMBER_MAX)
        raise InvalidError({"phone_number": [what]})
    added[key] += 1


def ignored_among(given: Sequence[Parsed]) -> list[str]:
    """Return the names of unknown fields of all records, each once."""
    return list(dict.fromkeys(name for parsed in given for name in parsed.ignored))
