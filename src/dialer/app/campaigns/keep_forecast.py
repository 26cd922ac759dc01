"""Keeping the newest forecast of a campaign."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, delete, insert, select

from dialer.app.campaigns.readiness import survey_of
from dialer.app.telling.account_events import write_forecast_finished
from dialer.app.work.unit import UnitOfWork
from dialer.domain.forecast.kept_forecast import KeptForecast
from dialer.domain.survey.sections.table import queue_ids_of
from dialer.domain.words.enums import CampaignStatus
from dialer.store.tables import VOICE, Campaign, CampaignForecast

LOOKED_AT_MAX: Final = 100
"""Campaigns with a forecast whose surveys are read, the newest ones."""
RECORD_MAX: Final = 200
"""Campaigns among which forecasts are checked together, the newest ones."""


def keep_forecast(unit: UnitOfWork, campaign_id: int, kept: KeptForecast) -> None:
    """Keep a forecast of a campaign that exists, in place of an older one."""
    unit.connection.execute(delete(CampaignForecast).where(CampaignForecast.id == campaign_id))
    document = msgspec.json.encode(kept).decode()
    unit.connection.execute(insert(CampaignForecast).values(id=campaign_id, document=document))
    write_forecast_finished(unit, campaign_id)


def kept_forecast(connection: Connection, campaign_id: int) -> KeptForecast | None:
    """Return the forecast that is kept; None without one, or if another version of dialer wrote it differently."""
    return _read(connection.scalar(select(CampaignForecast.document).where(CampaignForecast.id == campaign_id)))


def forecasts_for_queue(connection: Connection, queue_id: int, is_seen: ColumnElement[bool]) -> list[tuple[int, str]]:
    """Return the ids and the names of the visible campaigns whose kept forecast tells the calls of a queue alone.

    The newest are first. At most `LOOKED_AT_MAX` campaigns with a forecast are looked at.
    """
    query = select(Campaign.__table__).join(CampaignForecast, CampaignForecast.id == Campaign.id)
    query = query.where(is_seen, Campaign.medium == VOICE).order_by(Campaign.id.desc()).limit(LOOKED_AT_MAX)
    rows = connection.execute(query).mappings().all()
    return [(int(row["id"]), str(row["name"])) for row in rows if _leads_only_to(connection, dict(row), queue_id)]


def leads_only_to(connection: Connection, campaign_id: int, queue_id: int) -> bool:
    """Return whether a queue is the only one to which the survey of a campaign leads."""
    found = connection.execute(select(Campaign.__table__).where(Campaign.id == campaign_id)).mappings().one_or_none()
    return found is not None and _leads_only_to(connection, dict(found), queue_id)


def _leads_only_to(connection: Connection, campaign: Mapping[str, Any], queue_id: int) -> bool:
    return queue_ids_of(survey_of(connection, campaign)[0]) == {queue_id}


class ForecastRecord(NamedTuple):
    """The number of ended campaigns with a forecast, and of those that were inside its bands."""

    forecasts: int
    right: int
    """Campaigns whose calls and cost were both inside."""
    timely: int
    """Campaigns that stopped dialling inside the time of the forecast."""


def record_of_forecasts(connection: Connection, is_seen: ColumnElement[bool]) -> ForecastRecord:
    """Return the accuracy of forecasts: of the newest ended campaigns among those that are visible."""
    ended = (
        select(CampaignForecast.document, Campaign.calls, Campaign.cost, Campaign.updated_date)
        .join(Campaign, Campaign.id == CampaignForecast.id)
        .where(Campaign.status == CampaignStatus.END, is_seen)
        .order_by(Campaign.id.desc())
        .limit(RECORD_MAX)
    )
    rows = [(kept, row) for row in connection.execute(ended) if (kept := _read(row.document)) is not None]
    right = sum(kept.was_right(row.calls, row.cost) for kept, row in rows)
    return ForecastRecord(len(rows), right, sum(kept.finish_ms.has(row.updated_date) for kept, row in rows))


def _read(document: str | None) -> KeptForecast | None:
    try:
        return None if document is None else msgspec.json.decode(document, type=KeptForecast)
    except msgspec.ValidationError:
        return None
