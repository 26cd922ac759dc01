"""Containment: it sets aside the cause of a failed step, so that the next one goes on without it.

A report that could not be handled is set aside, and nothing else. If a rule was broken, or an event or a row could not
be handled, that user's campaigns are paused, and then the call, or the user, goes into quarantine. Each failure leaves
the next step with less to do, and no other user waits.
"""

from collections.abc import Sequence
from typing import Any, Final

import structlog
from sqlalchemy import Connection

from dialer.domain.calls.effects import Effect
from dialer.domain.calls.events import Event
from dialer.domain.calls.plans import Call, GatewayKey
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.runtime.lines.line_rests import COST_OF_FAILURE, COST_OF_FAULT, LineRests
from dialer.runtime.lines.report_checks import Report, described
from dialer.runtime.lines.suspect_reports import Allowance, Suspects
from dialer.runtime.steps.coordinator import LeaseLostError
from dialer.runtime.steps.dial_counters import DialCounters
from dialer.runtime.steps.live_engine import LiveEngine
from dialer.runtime.steps.quarantine import Quarantine
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.database.touched import NOTHING, touch
from dialer.store.rows.invariants import pause_user
from dialer.store.rows.set_aside_reports import SetAside, set_aside
from dialer.store.rows.texts.incoming_texts import StoredNews, delete_news

_log = structlog.get_logger(__name__)


class Containment:
    """The answer of a worker to a failed step: set aside the cause, a report, a campaign or a user, and continue."""

    def __init__(self, database: Database, figures: DialCounters) -> None:
        self._database: Final = database
        self._figures: Final = figures
        self.quarantine: Final = Quarantine()
        self._suspects: Final = Suspects()
        self._rests: Final = LineRests()
        self._error: Exception | None = None
        """The failure whose cause is looked for."""
        self._in_place: Sequence[Report] = ()
        """The reports of the step with that failure in whose place their legs were ended."""

    def resting(self, now_ms: int) -> dict[GatewayKey, str]:
        """Return the reason of each line that rests, by its gateway."""
        return self._rests.states(now_ms)

    def allowance(self, now_ms: int) -> Allowance:
        """Return the reports and events that the next step may handle."""
        return self._suspects.allowance._replace(resting=self.resting(now_ms).keys())

    async def contain(self, live: LiveEngine | None, error: Exception, now_ms: int) -> bool:
        """Set aside the cause of a failed step. Return False if the cause is the service as a whole.

        Raises:
            BrokenInvariantError: everything of the user who is to blame is in quarantine already.
            StorageUnavailableError: it could not be stored, so the next step fails in the same way.
        """
        if isinstance(error, StorageUnavailableError | LeaseLostError):
            return False
        reports = [] if live is None else live.listener.told
        guilty = _guilty(live) or self._suspects.failed(reports)
        broken = error if isinstance(error, BrokenInvariantError) else None
        if broken is not None:
            await self._stop(broken, now_ms, is_of_report=guilty is not None or bool(reports))
        if guilty is not None:
            in_place = [] if live is None else live.listener.in_place
            return await self._put_aside(guilty, error, now_ms, in_place)
        if reports and live is not None:
            self._error, self._in_place = error, live.listener.in_place
            self._suspects.begin(reports)
            return True
        if broken is not None:
            return True
        return await self._blame(live, error, now_ms)

    async def after_commit(self, live: LiveEngine, now_ms: int, *, is_done: bool) -> bool:
        """Count and log the reports that a committed step has set aside, and go on looking for a guilty one.

        Return True if one was found, so that the engine has to be built again.

        Raises:
            StorageUnavailableError: the guilty report could not be stored.
        """
        faulty, live.listener.faulty = live.listener.faulty, []
        for report in faulty:
            self._note(report)
            self._charge(report.gateway_id, COST_OF_FAULT, now_ms)
        guilty = self._suspects.committed(is_done=is_done)
        if guilty is not None:
            error = self._error or ValueError("the step has failed")
            await self._put_aside(guilty, error, now_ms, self._in_place)
        return guilty is not None

    async def _put_aside(self, report: Report, error: Exception, now_ms: int, in_place: Sequence[Report]) -> bool:
        """Set aside a report, in a unit of work of its own, so that a restart knows of it.

        If the step has failed at the end in its place, it is left out from now on. Return False if it was already.

        Raises:
            StorageUnavailableError: it could not be stored.
        """
        put_aside = described(report, f"{type(error).__name__}: {error}")

        def store(connection: Connection) -> bool:
            touch(connection, NOTHING)
            if isinstance(report, StoredNews):
                delete_news(connection, [report.id])
            return set_aside(connection, put_aside, now_ms, ends_leg=not any(report is other for other in in_place))

        is_new = await self._database.write(store)
        self._note(put_aside, error)
        self._suspects.pause()
        if not isinstance(error, BrokenInvariantError):  # That is its user's, who is stopped, and not the line's.
            self._charge(put_aside.gateway_id, COST_OF_FAILURE, now_ms)
        return is_new

    def _charge(self, gateway_id: GatewayKey, cost: int, now_ms: int) -> None:
        """Let a line rest if it has told too many reports that could not be handled."""
        if self._rests.add(gateway_id, cost, now_ms):
            self._suspects.forget(gateway_id)
            reason = self._rests.states(now_ms)[gateway_id]
            _log.warning("line_rests", **gateway_id.columns(), reason=reason)

    def _note(self, one: SetAside, error: Exception | None = None) -> None:
        self._figures.reports_set_aside += 1
        _log.error(
            "report_set_aside",
            **one.gateway_id.columns(),
            report=one.kind,
            key=one.key,
            reason=one.reason,
            exc_info=error,
        )

    async def _blame(self, live: LiveEngine | None, error: Exception, now_ms: int) -> bool:
        """Stop the user whose event or row could not be handled. Return False if it may be anybody's."""
        if live is None:
            return False
        is_sure = live.kernel.at_work is not None and not live.journal.is_writing
        if not is_sure and self._suspects.go_one_by_one():
            return True
        subjects = (live.kernel.at_work, live.kernel.last)
        broken = next(
            (blamed for subject in subjects if subject is not None and (blamed := _blamed(live, subject, error))), None
        )
        if broken is None:
            return False
        _log.error("step_not_handled", what=str(broken), exc_info=error)
        await self._stop(broken, now_ms, is_of_report=False)
        return True

    async def _stop(self, broken: BrokenInvariantError, now_ms: int, *, is_of_report: bool) -> None:
        """Stop the user that a broken rule concerns, and no other user.

        First the user's campaigns are paused, while calls in progress end and are charged. If such a call breaks a
        rule, the call goes into quarantine, unless a report may be the reason, which is set aside first. So each
        failure leaves the next step with less to do.

        Raises:
            BrokenInvariantError: everything of this user has been stopped already.
        """
        user_id = broken.user_id
        paused = await self._database.write(lambda connection: pause_user(connection, user_id, now_ms))
        self._figures.broken[broken.rule] += 1
        _log.error(
            "invariant_broken",
            rule=broken.rule.value,
            what=str(broken),
            user_id=user_id,
            campaign_id=broken.campaign_id,
            call_id=broken.call_id,
            campaigns_paused=paused,
        )
        if not paused and not is_of_report:
            self.quarantine.put(broken)


def _guilty(live: LiveEngine | None) -> Report | None:
    """Return the report that was being handled when a step failed, unless effects of others were being written."""
    return None if live is None or live.journal.is_writing else live.listener.telling


def _blamed(live: LiveEngine, subject: Event | Effect, error: Exception) -> BrokenInvariantError | None:
    """Return the error that names the user, the campaign and the call that an event or an effect concerns."""
    engine_state = live.engine.engine_state
    call_id = getattr(subject, "call_id", None)
    call: Call | None = (
        getattr(subject, "call", None) or getattr(subject, "message", None) or engine_state.calls.get(call_id or 0)
    )
    campaign = engine_state.campaigns.get(getattr(subject, "campaign_id", 0))
    plan: Any = getattr(subject, "plan", None) or (None if call is None else call.plan)
    plan = plan or (None if campaign is None else campaign.plan)
    user_id = getattr(plan, "user_id", None) or getattr(subject, "user_id", None)
    if not isinstance(user_id, int):
        return None
    return BrokenInvariantError(
        Rule.HANDLED,
        f"{type(subject).__name__} cannot be handled: {type(error).__name__}: {error}",
        user_id=user_id,
        campaign_id=None if campaign is None else campaign.plan.id,
        call_id=None if call is None else call.id,
    )
