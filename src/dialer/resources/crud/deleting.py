"""Deletion of all records that the filters of a list select: all of them, or none."""

from typing import Final

import msgspec

from dialer.app.work.errors import ErrorCode, RefusedError, StillUsedError
from dialer.domain.words.sentences import Sentence, message_of
from dialer.resources.crud.fields import Conventions, FieldError, Integer
from dialer.resources.crud.filters import filters_of
from dialer.resources.crud.list_queries import Asked, count_now, read_rows
from dialer.resources.crud.pagination import Parameters, parse_asked
from dialer.resources.crud.records import delete_record
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.searching import SEARCH, is_searchable
from dialer.resources.crud.shapes import REQUIRED
from dialer.resources.words.errors import ConflictError, Errors, InvalidError
from dialer.resources.words.ignored import unknown_errors

CONFIRM: Final = "confirm"
"""The query parameter of a deletion by filter: the number of records that the client expects to delete."""
DELETED_AT_ONCE_MAX: Final = 1_000
"""Records that one request deletes. They share a transaction, and calls cannot be placed meanwhile."""
NO_FILTER: Final = "Give at least one filter. This request would delete the whole list."
_COUNT: Final = Integer()


class DeletionOrder(msgspec.Struct, frozen=True):
    """The records that a request deletes, and their number as the client knows it."""

    criteria: Asked
    confirmed: int


def deleting_parameters(resource: Resource) -> tuple[str, ...]:
    """Return the names of the query parameters that a deletion by filter accepts."""
    return (CONFIRM, *((SEARCH,) if is_searchable(resource) else ()), *filters_of(resource))


def parse_deletion(resource: Resource, parameters: Parameters, conventions: Conventions) -> DeletionOrder:
    """Return the deletion that the parameters of a request order.

    Raises:
        InvalidError: a parameter is unknown or wrong, no filter is given, or too many records are confirmed.
    """
    texts = dict(parameters)
    known_names = deleting_parameters(resource)
    criteria, errors = parse_asked(resource, texts, conventions)
    # In a list an unknown or an empty filter is ignored. Here it would delete too much.
    unknown = [name for name in texts if name not in known_names]
    errors |= unknown_errors(unknown, f"Unknown parameter. Known: {', '.join(known_names)}.")
    errors |= {name: ["This field may not be blank."] for name, text in texts.items() if not text.strip()}
    confirmed = _confirmed(texts, conventions, errors)
    if not errors and not criteria.filters and criteria.search is None:
        errors["non_field_errors"] = [NO_FILTER]
    if errors:
        raise InvalidError(errors)
    return DeletionOrder(criteria, confirmed)


def _confirmed(texts: dict[str, str], conventions: Conventions, errors: Errors) -> int:
    """Return the number of records that the client expects to delete, or add the error in it."""
    if CONFIRM not in texts:
        errors[CONFIRM] = [f"{REQUIRED} Give the count of the list with the same filters."]
        return 0
    try:
        confirmed = _COUNT.parse(texts[CONFIRM], conventions)
    except FieldError as error:
        errors[CONFIRM] = [str(error)]
        return 0
    if confirmed > DELETED_AT_ONCE_MAX:
        advice = "Narrow the filters, or delete the record that they belong to."
        errors[CONFIRM] = [f"At most {DELETED_AT_ONCE_MAX:,} records are deleted at once, not {confirmed:,}. {advice}"]
    return confirmed


def delete_selected(unit: Unit, resource: Resource, order: DeletionOrder) -> int:
    """Delete the records that the filters select, each as a single deletion would, and return their number.

    Raises:
        ConflictError: the filters select another number of records, or one of them cannot be deleted.
    """
    selected = count_now(unit, resource, order.criteria)
    if selected != order.confirmed:
        raise ConflictError(
            f"The filters select {selected} records now, not {order.confirmed}. Nothing was deleted. "
            f"To delete them, send confirm={selected}.",
            code=ErrorCode.COUNT_CHANGED,
        )
    for row in read_rows(unit, resource, order.criteria, most=DELETED_AT_ONCE_MAX):
        try:
            delete_record(unit, resource, row.id)
        except (StillUsedError, RefusedError, ConflictError) as error:
            raise ConflictError(
                Sentence(
                    "%(path)s %(row)s cannot be deleted: %(error)s Nothing was deleted.",
                    path=resource.path,
                    row=row.id,
                    error=message_of(error),
                )
            ) from error
    return selected
