"""Queries of the currencies of accounts."""

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, bindparam, case, func, literal_column, not_, or_, select
from sqlalchemy.orm import aliased

from dialer.domain.words.roles import Role
from dialer.store.tables import User

_EMPTY: Final[ColumnElement[str]] = literal_column("''")
_NULL: Final[ColumnElement[Any]] = literal_column("NULL")
_Other: Final = aliased(User)


def _works_for_another(user: type[User]) -> ColumnElement[bool]:
    is_viewer = user.role == literal_column(f"'{Role.VIEWER}'")
    return and_(user.manager_id.is_not(None), or_(is_viewer, user.role == literal_column(f"'{Role.AGENT}'")))


_IS_ADMIN: Final = User.role == literal_column(f"'{Role.ADMIN}'")
_OF_MANAGER: Final = select(_Other.currency).where(_Other.id == User.manager_id).correlate(User).scalar_subquery()
_IS_ACCOUNT: Final = not_(_works_for_another(_Other))
"""Viewers and agents of a manager see amounts in the manager's currency, so their own counts nowhere."""
_LEAST: Final = select(func.min(_Other.currency)).where(_IS_ACCOUNT, _Other.currency > _EMPTY).scalar_subquery()
_MOST: Final = select(func.max(_Other.currency)).where(_IS_ACCOUNT, _Other.currency > _EMPTY).scalar_subquery()
_WITHOUT: Final = select(func.min(_Other.currency)).where(_IS_ACCOUNT, _Other.currency == _EMPTY).scalar_subquery()
_OF_ALL: Final = select(_LEAST, _MOST, _WITHOUT)

CURRENCIES_OF_VIEWER: Final = (
    case((_works_for_another(User), _OF_MANAGER), else_=User.currency),
    case((_IS_ADMIN, _LEAST), else_=_NULL),
    case((_IS_ADMIN, _MOST), else_=_NULL),
    case((_IS_ADMIN, _WITHOUT), else_=_NULL),
)
"""Columns beside those of a `User`: the currency of the account whose records the user sees, and for an admin, who sees
all, the first and the last code of all accounts, and an empty text if some account has none.

They are found by an index, and have no parameters, so that a session is read with them at once.
"""
_OF_USERS: Final = select(User.id, CURRENCIES_OF_VIEWER[0].label("currency")).where(
    User.id.in_(bindparam("users", expanding=True))
)


def currencies_of(connection: Connection, user_ids: Iterable[int]) -> dict[int, str]:
    """Return the currency of the account of each user, in one statement: empty for that of the service.

    Viewers and agents have their manager's. Users who do not exist are left out.
    """
    users = sorted(set(user_ids))
    return {} if not users else {row.id: row.currency for row in connection.execute(_OF_USERS, {"users": users})}


def currency_of_sums(connection: Connection, user_id: int | None, default: str) -> str | None:
    """Return the currency of an account's sums, or with None, of sums over all accounts; None if they have several.

    `default` is that of the service. It is empty if nobody has said one.
    """
    if user_id is not None:
        return currencies_of(connection, [user_id]).get(user_id) or default
    found = {code or default for code in connection.execute(_OF_ALL).one() if code is not None}
    return default if not found else found.pop() if len(found) == 1 else None
