"""The values of the fields that no column holds: those that a resource computes, and the currency of amounts."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Row as Found

from dialer.resources.crud.declaration import derived
from dialer.resources.crud.fields import Text
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import fields_of
from dialer.store.queries.currencies import currencies_of
from dialer.store.tables import User

RESOURCES_MAX: Final = 256


class AccountCurrency(Text, frozen=True):
    """The ISO 4217 code of the currency of an account; empty if neither the account nor the service has one."""


CURRENCY: Final = derived(
    AccountCurrency(3),
    "The currency of the amounts: the ISO 4217 code of the account, or else of the service. Empty if neither has one.",
    example="EUR",
)
"""The currency of the account whose amounts a record has. No row holds it."""


@lru_cache(maxsize=RESOURCES_MAX)
def currency_field(resource: Resource) -> str:
    """Return the name of the field with the currency of a record's amounts; empty if there is none."""
    return next((field.name for field in fields_of(resource.read) if isinstance(field.kind, AccountCurrency)), "")


def columns_of_derived(resource: Resource) -> tuple[str, ...]:
    """Return the column from which the currency of a record comes: that with the id of its account."""
    return (_account_column(resource),) if currency_field(resource) else ()


def _account_column(resource: Resource) -> str:
    return "id" if resource.table is User.__table__ else "user_id"


def derived_columns(unit: Unit, resource: Resource, rows: Sequence[Found[Any]]) -> dict[str, Sequence[Any]]:
    """Return the values of the derived fields of some rows. One statement reads the currencies of all of them."""
    mappings = [row._mapping for row in rows]  # noqa: SLF001 - SQLAlchemy documents it
    columns: dict[str, Sequence[Any]] = {}
    currency = currency_field(resource)
    if resource.derived is not None:
        besides = resource.derived(unit, mappings)
        names = [name for name in resource.shapes.derived if name != currency]
        columns = {name: [values[name] for values in besides] for name in names}
    if currency:
        accounts = [row[_account_column(resource)] for row in mappings]
        known = currencies_of(unit.connection, accounts)
        columns[currency] = [known.get(account) or unit.conventions.currency for account in accounts]
    return columns
