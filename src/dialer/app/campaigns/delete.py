"""The deletion of a campaign with its subscribers and call requests; its CDRs and answers stay."""

from sqlalchemy import delete, select

from dialer.app.errors import RefusedError, UnknownRecordError
from dialer.app.touched_records import touched_campaigns
from dialer.app.unit import UnitOfWork
from dialer.domain.enums import CampaignStatus
from dialer.store.queries.calls_in_progress import under_way_of_campaign
from dialer.store.tables import Campaign


def delete_campaign(unit: UnitOfWork, campaign_id: int) -> None:
    """Delete a campaign that is not started and has nothing in progress.

    A subscriber of the campaign must not be in a call of another campaign, because the rows of that call would be
    deleted.

    Raises:
        UnknownRecordError: there is no such campaign.
        RefusedError: the campaign is started, or has calls or messages in progress.
    """
    status = unit.connection.scalar(select(Campaign.status).where(Campaign.id == campaign_id))
    if status is None:
        raise UnknownRecordError(f"There is no campaign {campaign_id}.")
    if status == CampaignStatus.START:
        raise RefusedError("The campaign is in 1 (START): pause, abort or end it first.")
    under_way = under_way_of_campaign(unit.connection, campaign_id)
    if under_way.calls:
        raise RefusedError("The campaign has calls in progress. Delete it when they are over.")
    if under_way.messages:
        raise RefusedError("The campaign has messages on their way. Delete it when they are delivered.")
    unit.connection.execute(delete(Campaign).where(Campaign.id == campaign_id))
    unit.note(touched_campaigns(campaign_id))
