"""The names of the campaigns of calls. Of a test it is that of the campaign that was tried, and says so."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, select
from sqlalchemy.orm import aliased

from dialer.console.words.language import gettext
from dialer.store.tables import Campaign


class CampaignName(NamedTuple):
    """The campaign of a call in words, and the campaign that has a page of its own."""

    shown_id: int
    words: str


def named_with_tests(connection: Connection, ids: Collection[int]) -> dict[int, CampaignName]:
    """Return the names of campaigns by their ids. Those that were deleted have none."""
    if not ids:
        return {}
    tried = aliased(Campaign)
    columns = (Campaign.id, Campaign.name, tried.id.label("tried_id"), tried.name.label("tried"))
    query = select(*columns).outerjoin(tried, tried.id == Campaign.trial_of_id).where(Campaign.id.in_(ids))
    return {
        row.id: CampaignName(row.id, row.name)
        if row.tried_id is None
        else CampaignName(row.tried_id, gettext("%(campaign)s (test)") % {"campaign": row.tried})
        for row in connection.execute(query)
    }
