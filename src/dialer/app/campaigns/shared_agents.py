"""The running campaigns whose calls come to the agents of a campaign, too."""

from typing import Annotated, Final

import msgspec
from sqlalchemy import Connection, select

from dialer.app.campaigns.readiness import survey_of
from dialer.domain.survey.sections.table import queue_ids_of
from dialer.domain.words.described import described
from dialer.domain.words.enums import CampaignStatus
from dialer.store.queries.able_agents import able_agents
from dialer.store.tables import VOICE, Campaign

LOOKED_AT_MAX: Final = 200
"""Running campaigns of an account whose surveys are read."""


class SharingCampaign(msgspec.Struct, frozen=True):
    """A campaign whose calls come to the same agents."""

    campaign_id: Annotated[int, described("The id of the campaign.", 2)]
    name: Annotated[str, described("Its name.", "Renewals")]


def campaigns_sharing_agents(connection: Connection, campaign_id: int) -> tuple[SharingCampaign, ...]:
    """Return the other running campaigns of the account with whom a campaign shares agents, in order of id."""
    campaign = connection.execute(select(Campaign.__table__).where(Campaign.id == campaign_id)).mappings().one_or_none()
    if campaign is None:
        return ()
    agents = able_agents(connection, queue_ids_of(survey_of(connection, dict(campaign))[0]))
    if not agents:
        return ()
    running = (
        select(Campaign.__table__)
        .where(Campaign.user_id == campaign["user_id"], Campaign.status == CampaignStatus.START)
        .where(Campaign.medium == VOICE, Campaign.id != campaign_id)
        .order_by(Campaign.id)
        .limit(LOOKED_AT_MAX)
    )
    return tuple(
        SharingCampaign(other["id"], other["name"])
        for other in connection.execute(running).mappings()
        if agents & able_agents(connection, queue_ids_of(survey_of(connection, dict(other))[0]))
    )
