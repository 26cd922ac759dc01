"""The forecast of a campaign: a copy of it, run to its end under each of some seeds."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import structlog
from sqlalchemy import Connection, select, update

from dialer.app.campaigns.change import start_campaign
from dialer.app.campaigns.shared_agents import SharingCampaign, campaigns_sharing_agents
from dialer.app.work.unit import UnitOfWork
from dialer.domain.forecast.rehearsed_rules import RehearsedRule
from dialer.domain.survey.survey import Survey, decode_survey
from dialer.domain.words.contact_words import OFF, ON
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.reasons import CAMPAIGN_REASONS
from dialer.domain.words.sentences import Moment, Sentence, StateName, template
from dialer.domain.words.states import CAMPAIGN_MOVES
from dialer.forecast.campaign_copy import copy_campaign
from dialer.forecast.memory_database import MemoryDatabase
from dialer.forecast.parameters import Order
from dialer.forecast.processes import Progress, do_all
from dialer.forecast.seed_run import SeedRun, run_seed
from dialer.forecast.stage import NO_HISTORY, ForecastStage, History, read_stage
from dialer.forecast.summary import Forecast, summarise
from dialer.sim.report import show_date
from dialer.store.database.database import Database
from dialer.store.database.service_state import open_state
from dialer.store.queries.contact_rules import ruled_campaigns
from dialer.store.tables import CallRequest, Campaign, SealedSurvey, ServiceState, User

UNLIMITED: Final = 10**15
"""A balance that pays for any campaign, in integers of 1e-5."""
_log: Final = structlog.get_logger(__name__)
_OVER: Final = frozenset(status for status, moves in CAMPAIGN_MOVES.items() if not moves)
_OVER_SINCE: Final = template(
    "Campaign %(campaign)s has ended: status %(status)s; last changed at %(when)s. There is nothing to forecast."
)
_OVER_BECAUSE: Final = template(
    "Campaign %(campaign)s has ended: status %(status)s, %(reason)s; last changed at %(when)s."
    " There is nothing to forecast."
)


def ignore_progress(done: int) -> None:
    """Ignore the number of seeds that are done."""


class NoCampaignError(Exception):
    """Raised when there is no campaign of this id."""


class CampaignOverError(Exception):
    """Raised for a campaign that has ended: it makes no more calls, so there is nothing to forecast."""


async def forecast_campaign(database: Database, order: Order, progress: Progress = ignore_progress) -> Forecast:
    """Forecast a campaign of `database`, which is only read. The copy of a campaign that is not running is started.

    After each seed, `progress` is called with the number of seeds that are done. This blocks the event loop: run it in
    a process or a thread of its own.

    Raises:
        ForecastFailedError: one of the processes was killed, or has failed.
        NoCampaignError: there is no such campaign.
        CampaignOverError: it has ended.
        CampaignNotReadyError: it lacks something that a start needs.
        StorageUnavailableError: the database cannot be read, or there is no room for the copy.
    """
    stage, survey = staged(database, order)
    (runs,) = run_seeds([stage], range(order.first_seed, order.first_seed + order.seeds), order.processes, progress)
    sharing = sharing_campaigns(database, order)
    bound = rules_that_bind(database, order)
    hours, ruled = stage.obeys_hours, stage.ruled
    return summarise(order, runs, survey, obeys_hours=hours, ruled=ruled, bound=bound, sharing=sharing)


def run_seeds(
    stages: Sequence[ForecastStage], seeds: Sequence[int], processes: int, progress: Progress
) -> list[list[SeedRun]]:
    """Return the runs of each stage under each of the seeds, which are the same for all stages.

    Raises:
        ForecastFailedError: one of the processes was killed, or has failed.
    """
    tasks = [(stage, seed) for stage in stages for seed in seeds]
    runs = do_all(tasks, lambda task: run_seed(*task), processes, progress)
    for (stage, seed), run in zip(tasks, runs, strict=True):
        if run.failure:
            _log.error("forecast_run_failed", campaign_id=stage.campaign_id, seed=seed, failure=run.failure)
    return [runs[place : place + len(seeds)] for place in range(0, len(runs), len(seeds))]


def sharing_campaigns(database: Database, order: Order) -> tuple[SharingCampaign, ...]:
    """Return the running campaigns with whom the campaign of a forecast shares agents."""
    return database.read_now(lambda connection: campaigns_sharing_agents(connection, order.campaign_id))


def rules_that_bind(database: Database, order: Order) -> frozenset[RehearsedRule]:
    """Return those of the rules that bind few campaigns which bind the campaign of a forecast."""
    one, zone = [order.campaign_id], order.service_zone
    ruled = database.read_now(lambda connection: ruled_campaigns(connection, one, zone)).get(order.campaign_id)
    if ruled is None:
        return frozenset()
    contacts = {RehearsedRule.CONTACT_RULES} if ruled.rules else set()
    return frozenset(contacts | ({RehearsedRule.CONSENTS} if ruled.consent is not None else set()))


def staged(database: Database, order: Order) -> tuple[ForecastStage, Survey]:
    """Return the stage of a campaign's copy, and the survey that it plays. The errors are those of a forecast."""
    copy, survey, history = started_copy(database, order)
    try:
        return copy.write_now(lambda connection: read_stage(connection, order, history)), survey
    finally:
        copy.close()


def check_not_over(campaign: Mapping[str, Any]) -> None:
    """Check by its row that a campaign has not ended.

    Raises:
        CampaignOverError: it has ended; the message says in which status, why, and when its row was last changed.
    """
    if campaign["status"] not in _OVER:
        return
    status, reason = campaign["status"], campaign["status_reason"]
    values = {
        "campaign": campaign["id"],
        "status": StateName(CampaignStatus, status),
        "when": Moment(show_date(campaign["updated_date"])),
    }
    if not reason:
        raise CampaignOverError(Sentence(_OVER_SINCE, **values))
    meaning = Sentence(CAMPAIGN_REASONS[reason]) if reason in CAMPAIGN_REASONS else reason
    raise CampaignOverError(Sentence(_OVER_BECAUSE, reason=meaning, **values))


class StartedCopy(NamedTuple):
    """A copy of a campaign that is started."""

    database: MemoryDatabase
    survey: Survey
    """The survey that it plays."""
    history: History
    """The contacts that were made with its people, as far as its rules count them. The copy has no rows of them."""


def started_copy(database: Database, order: Order) -> StartedCopy:
    """Return a copy of the campaign, which is started."""

    def copy(source: Connection, target: Connection) -> History:
        copy_campaign(source, target, order.campaign_id, order.now_ms)
        if order.is_rich:
            target.execute(update(User).values(balance=UNLIMITED))
        _switch_law(target, order)
        one = [order.campaign_id]
        ruled = ruled_campaigns(target, one, order.service_zone, by_any_method=True).get(order.campaign_id)
        if ruled is None or not ruled.rules:
            return NO_HISTORY
        from dialer.forecast.contact_memory import history_of  # noqa: PLC0415 - few campaigns have rules

        return history_of(source, ruled, order.now_ms, frozenset(target.scalars(select(CallRequest.callid))))

    def start(connection: Connection) -> Survey:
        row = connection.execute(select(Campaign.__table__)).one_or_none()
        if row is None:
            raise NoCampaignError(f"there is no campaign {order.campaign_id}")
        check_not_over(row._asdict())
        start_campaign(UnitOfWork(connection=connection, now_ms=order.now_ms), order.campaign_id)
        document = connection.scalar(select(SealedSurvey.document).where(SealedSurvey.id == order.campaign_id))
        return Survey(()) if document is None else decode_survey(document)

    target = MemoryDatabase()
    try:
        history = database.read_now(lambda source: target.write_now(lambda connection: copy(source, connection)))
        return StartedCopy(target, target.write_now(start), history)
    except BaseException:
        target.close()
        raise


def _switch_law(connection: Connection, order: Order) -> None:
    """Let rows of law hold over a simulated gateway, or not. Where the service has switched them off, they stay so."""
    if order.obey_contact_rules is not None:
        open_state(connection, order.now_ms)
        stored = ON if order.obey_contact_rules else ""
        connection.execute(update(ServiceState).where(ServiceState.contact_rules != OFF).values(contact_rules=stored))
