"""Keeping the newest forecast of a campaign."""

import msgspec
from sqlalchemy import Connection, delete, insert, select

from dialer.app.unit import UnitOfWork
from dialer.domain.forecast.kept_forecast import KeptForecast
from dialer.store.tables import CampaignForecast
from dialer.store.touched import NOTHING


def keep_forecast(unit: UnitOfWork, campaign_id: int, kept: KeptForecast) -> None:
    """Keep a forecast of a campaign that exists, in place of an older one."""
    unit.connection.execute(delete(CampaignForecast).where(CampaignForecast.id == campaign_id))
    document = msgspec.json.encode(kept).decode()
    unit.connection.execute(insert(CampaignForecast).values(id=campaign_id, document=document))
    unit.note(NOTHING)


def kept_forecast(connection: Connection, campaign_id: int) -> KeptForecast | None:
    """Return the forecast that is kept; None without one, or if another version of dialer wrote it differently."""
    document = connection.scalar(select(CampaignForecast.document).where(CampaignForecast.id == campaign_id))
    try:
        return None if document is None else msgspec.json.decode(document, type=KeptForecast)
    except msgspec.ValidationError:
        return None
