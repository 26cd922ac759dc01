"""The forecast of a campaign: a copy of what matters of it, run to its end under each of some seeds."""

from collections.abc import Callable

from sqlalchemy import Connection, select

from dialer.app.change_campaign import start_campaign
from dialer.app.unit import UnitOfWork
from dialer.domain.survey.survey import Survey, decode_survey
from dialer.forecast.campaign_copy import copy_campaign
from dialer.forecast.memory_database import Scratch
from dialer.forecast.order import Order
from dialer.forecast.rehearsal import rehearse
from dialer.forecast.summary import Forecast, summarise
from dialer.store.database import Database
from dialer.store.tables import Campaign, SealedSurvey

_campaigns = Campaign.__table__
_sealed = SealedSurvey.__table__


class NoCampaignError(Exception):
    """Raised when there is no campaign of this id."""


async def forecast_campaign(
    database: Database, order: Order, progress: Callable[[int], None] = lambda _done: None
) -> Forecast:
    """What is likely to come of a campaign of `database`, which is only read. One that is not started is started.

    `progress` is told after each seed how many are done. This blocks the event loop: it is for a process, or a thread,
    of its own.

    Raises:
        NoCampaignError: there is no such campaign.
        IllegalMoveError: it is over.
        CampaignNotReadyError: it cannot start as it is.
        StorageUnavailableError: the database cannot be read, or there is no room for the copy.
    """
    pristine = Scratch()
    try:
        survey = _prepare(database, pristine, order)
        outcomes = []
        for seed in range(order.first_seed, order.first_seed + order.seeds):
            outcomes.append(await rehearse(pristine, order, seed))
            progress(len(outcomes))
        return summarise(order, outcomes, survey)
    finally:
        pristine.close()


def _prepare(database: Database, pristine: Scratch, order: Order) -> Survey:
    """Copy the campaign and start the copy; the survey that it plays."""

    def copy(source: Connection, target: Connection) -> None:
        copy_campaign(source, target, order.campaign_id, order.now_ms)

    def start(connection: Connection) -> Survey:
        start_campaign(UnitOfWork(connection=connection, now_ms=order.now_ms), order.campaign_id)
        document = connection.scalar(select(_sealed.c.document).where(_sealed.c.id == order.campaign_id))
        return Survey(()) if document is None else decode_survey(document)

    database.read_now(lambda source: pristine.write_now(lambda target: copy(source, target)))
    found = select(_campaigns.c.id).where(_campaigns.c.id == order.campaign_id)
    if pristine.read_now(lambda connection: connection.scalar(found)) is None:
        raise NoCampaignError(f"there is no campaign {order.campaign_id}")
    return pristine.write_now(start)
