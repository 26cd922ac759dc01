"""The currencies of the amounts in a list, for an admin, whose lists have records of several accounts."""

import re
from collections.abc import Sequence
from typing import Final

from dialer.console.words.currency import is_of_several
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Shape
from dialer.store.queries.currencies import currencies_of

_USER: Final = re.compile(r"/users/(\d+)/\Z")


def currencies_of_records(unit: Unit, path: str, records: Sequence[Shape]) -> list[str | None]:
    """Return the currency of each record's account: empty for that of the service, None if it is not asked for.

    A list of accounts, or of records with the field `user`, knows them. Viewers and agents have their manager's.
    """
    if not is_of_several():
        return [None] * len(records)
    if path == "users":
        ids = [getattr(record, "id", None) for record in records]
    else:
        found = [_USER.search(str(getattr(record, "user", ""))) for record in records]
        ids = [None if match is None else int(match[1]) for match in found]
    currencies = currencies_of(unit.connection, (identity for identity in ids if identity is not None))
    return [None if identity is None else currencies.get(identity) for identity in ids]
