"""The currency of a page for an admin, who sees accounts of several: a campaign and a call have that of their owner."""

from collections.abc import Mapping
from typing import Any, Final

from litestar.types import Scope
from sqlalchemy import Select, bindparam, select

from dialer.console.words.currency import PageCurrency, is_of_several, show_currency
from dialer.resources.crud.urls import parse_id
from dialer.store.database.database import Database
from dialer.store.tables import Campaign, Cdr, User

_IDENTITY: Final = "record_id"
_OF_CAMPAIGN: Final = select(User.currency).join(Campaign, Campaign.user_id == User.id)
_OF_CALL: Final = select(User.currency).join(Cdr, Cdr.user_id == User.id)
_OF_PAGES: Final[Mapping[str, Select[Any]]] = {
    "campaigns": _OF_CAMPAIGN.where(Campaign.id == bindparam(_IDENTITY)),
    "calls": _OF_CALL.where(Cdr.id == bindparam(_IDENTITY)),
}
"""The query for the owner's currency by the second part of the paths of pages about one record."""


async def show_owners_currency(scope: Scope, database: Database, default: str) -> None:
    """Show amounts in the currency of the owner of the record of a page, if the viewer's accounts have several."""
    parts = scope["path_template"].split("/", 4)
    query = _OF_PAGES.get(parts[2]) if len(parts) > 3 and parts[3].startswith(f"{{{_IDENTITY}") else None  # noqa: PLR2004
    identity = parse_id(str(scope["path_params"].get(_IDENTITY, ""))) if query is not None else None
    if query is None or identity is None or not is_of_several():
        return
    values = {_IDENTITY: identity}
    rows = database.at_hand.rows(query, values)
    if rows is None:
        rows = await database.read(lambda connection: [tuple(row) for row in connection.execute(query, values)])
    if rows:
        show_currency(PageCurrency(rows[0][0] or default, default))
