"""The country of an account's numbers without one: its own, else that of the service."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, SQLColumnExpression, bindparam, func, select

from dialer.store.database.bulk import PreparedStatement
from dialer.store.tables import ServiceState, User

_OF_SERVICE: Final = select(ServiceState.default_region).limit(1).correlate(None).scalar_subquery()
OWN_OR_SERVICES: Final[ColumnElement[Any]] = func.coalesce(func.nullif(User.default_region, ""), _OF_SERVICE)
"""The country of a user (ISO 3166), or null, among the columns of a query of users."""
_OF_USER: Final = PreparedStatement(select(OWN_OR_SERVICES).where(User.id == bindparam("user")))


def of_account(user_id: SQLColumnExpression[int]) -> ColumnElement[Any]:
    """Return the country of the user with an id as an expression, for queries of records that belong to users."""
    return select(OWN_OR_SERVICES).where(User.id == user_id).scalar_subquery()


def region_of(connection: Connection, user_id: int) -> str | None:
    """Return the default country (ISO 3166) of an account's numbers; None if it is not set."""
    found = _OF_USER.run(connection, {"user": user_id})
    return found[0] or None if found else None
