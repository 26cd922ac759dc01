"""The names of the campaigns of calls. Of a test it is that of the campaign that was tried, and says so."""

from collections.abc import Collection
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.orm import aliased

from dialer.console.words.language import gettext
from dialer.store.tables import Campaign

_TRIED: Final = aliased(Campaign)
_NAMES: Final = (
    select(Campaign.id, Campaign.name, _TRIED.id.label("tried_id"), _TRIED.name.label("tried"))
    .outerjoin(_TRIED, _TRIED.id == Campaign.trial_of_id)
    .where(Campaign.id.in_(bindparam("ids", expanding=True)))
)
"""Made once: an alias of such a wide table is dearer than the page of a call."""


class CampaignName(NamedTuple):
    """The campaign of a call in words, and the campaign that has a page of its own."""

    shown_id: int
    words: str


def named_with_tests(connection: Connection, ids: Collection[int]) -> dict[int, CampaignName]:
    """Return the names of campaigns by their ids. Those that were deleted have none."""
    if not ids:
        return {}
    return {
        row.id: CampaignName(row.id, row.name)
        if row.tried_id is None
        else CampaignName(row.tried_id, gettext("%(campaign)s (test)") % {"campaign": row.tried})
        for row in connection.execute(_NAMES, {"ids": list(ids)})
    }
