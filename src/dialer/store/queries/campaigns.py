"""Look-up of a campaign by its id or its code."""

from typing import Any, Final

from sqlalchemy import Connection, RowMapping, Select, bindparam, select

from dialer.store.tables import Campaign

ID_MAX: Final = 2**63 - 1
NAME_SHOWN: Final = 64
"""Maximum number of characters of an unknown id or code in an error message."""

_BY_ID: Final = select(Campaign.__table__).where(Campaign.id == bindparam("named"))
_BY_CODE: Final = select(Campaign.__table__).where(Campaign.campaign_code == bindparam("named"))


class UnknownCampaignError(Exception):
    """No campaign has the given id or code; the message is one line."""


def find_campaign(connection: Connection, named: str) -> RowMapping:
    """Return the row of a campaign, given by id or code. An id takes precedence over a code of the same digits.

    Raises:
        UnknownCampaignError: there is no such campaign.
    """
    queries: list[tuple[Select[Any], int | str]] = [(_BY_CODE, named)]
    if named.isascii() and named.isdigit() and len(named) <= len(str(ID_MAX)) and int(named) <= ID_MAX:
        queries.insert(0, (_BY_ID, int(named)))
    for query, value in queries:
        row = connection.execute(query, {"named": value}).mappings().one_or_none()
        if row is not None:
            return row
    raise UnknownCampaignError(f"there is no campaign {named[:NAME_SHOWN]}: give its id or its code")
