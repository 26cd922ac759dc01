"""Tables with an entry for each type of a union, so that no new type is forgotten."""

from typing import Any, TypeVar, get_args

_Handler = TypeVar("_Handler")


def exhaustive(union: Any, handlers: dict[type, _Handler]) -> dict[type, _Handler]:  # noqa: ANN401 - a union has no type
    """Return `handlers`, which has an entry for each member of the union. An entry of None ignores a type on purpose.

    Raises:
        TypeError: a type has no entry, or an entry is for another type.
    """
    wrong = sorted(member.__name__ for member in set(get_args(union)) ^ handlers.keys())
    if wrong:
        message = f"these types have no entry, or are not in the union: {', '.join(wrong)}"
        raise TypeError(message)
    return handlers
