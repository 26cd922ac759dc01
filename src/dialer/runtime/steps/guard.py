"""Guard: checks every step against the invariants, with books of its own.

The books hold a few numbers: subscribers in a call, the load of each campaign and gateway, and the money held. The
guard receives the events that the engine receives, and sees each effect as it is recorded, so it checks a decision
against books that the decision did not make. At the end of a step the guard, the engine and the touched rows agree.
"""

from collections.abc import Callable, Collection
from typing import Any, Final

from sqlalchemy import Connection

from dialer.domain.calls import agent_effects, call_effects, campaign_effects, effects, text_effects
from dialer.domain.calls.plans import GatewayKey, Lent
from dialer.domain.engine.state import EngineState
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.exhaustive import exhaustive
from dialer.runtime.steps.guard_books import GuardBooks
from dialer.runtime.steps.guard_contacts import check_contacts
from dialer.runtime.steps.guard_dials import GuardedDials
from dialer.runtime.steps.guard_ends import GuardedEnds
from dialer.runtime.steps.guard_legs import GuardedLegs
from dialer.runtime.steps.guard_money import GuardedMoney
from dialer.runtime.steps.guard_own_wishes import UtteredWishes
from dialer.store.queries.do_not_call import entries_for
from dialer.store.rows.invariants import standing_of

_IGNORED: Final = (
    *(text_effects.KeepText, text_effects.DropText, campaign_effects.CompleteSubscriber, agent_effects.KeepAgent),
    *(agent_effects.KeepQueue, campaign_effects.KeepFigures, campaign_effects.KeepBreaker, call_effects.KeepLine),
    *(
        campaign_effects.ExpectCallBack,
        campaign_effects.RefuseSubscriber,
        agent_effects.KeepPreview,
        campaign_effects.PutBack,
    ),
)
"""Effects that break no rule of the guard."""


class Guard:
    """Books of one engine, which check every effect and raise if a rule is broken.

    Every method raises `BrokenInvariantError` if the step breaks a rule. The step must then be discarded.
    """

    def __init__(self) -> None:
        self._books: Final = GuardBooks()
        self._money: Final = GuardedMoney(self._books)
        dials, ends = GuardedDials(self._books, self._money), GuardedEnds(self._books, self._money)
        legs = GuardedLegs(self._books, self._money, dials)
        handlers: dict[type, Callable[[Any, int], None] | None] = {
            **dict.fromkeys(_IGNORED),
            call_effects.Dial: dials.dial,
            call_effects.AnswerCall: dials.answer,
            text_effects.SendText: dials.send_text,
            call_effects.TakeBackCall: ends.take_back,
            call_effects.FinishCall: ends.finish,
            call_effects.FinishInbound: ends.finish_inbound,
            text_effects.FinishText: ends.finish_text,
            call_effects.RefuseInbound: ends.refuse_inbound,
            call_effects.FinishLeg: legs.finish,
            call_effects.KeepTransfer: legs.keep,
            effects.KeepWish: self._call_off,
            campaign_effects.MoveCampaign: self._move_campaign,
        }
        self.handlers: Final = exhaustive(effects.Recorded, handlers)
        self.take_rows: Final = self._books.take_rows
        """Update the books from rows that the engine also receives."""
        self.restored: Final = self._books.restored
        """Add an attempt that was in progress before this guard was created."""
        self.cdrs_written: Final = ends.cdrs_written
        """Check that each ended leg has exactly one CDR, in the order of their ends."""
        self._connection: Connection
        """Connection of the current step."""

    def step_begun(self, connection: Connection) -> None:
        """Keep the connection of the step, for the checks that read rows."""
        self._connection = connection

    def lend(self, gateway_id: GatewayKey, lent: Lent) -> None:
        """Limit a gateway to a smaller part from now on."""
        self._books.lend(gateway_id, lent)

    def _call_off(self, wish: effects.KeepWish, _now_ms: int) -> None:
        self._books.wishes = self._books.wishes or UtteredWishes()
        self._books.wishes.add(wish)

    def _move_campaign(self, move: campaign_effects.MoveCampaign, _now_ms: int) -> None:
        """Record a campaign's own change of status. If it has dialled, check that its row was in START before."""
        if move.campaign_id in self._books.dialling - self._books.stopped:
            self._check_standing(self._connection, [move.campaign_id])
        if (campaign := self._books.campaigns.get(move.campaign_id)) is not None:
            campaign.status = move.status
            self._books.stopped.add(move.campaign_id)

    def step_closed(self, connection: Connection, engine_state: EngineState) -> None:
        """Check that the guard, the engine and the rows agree at the end of a step."""
        self._money.check(connection, engine_state)
        self._check_loads(engine_state)
        for campaign_id in self._books.dialling:
            campaign = self._books.campaigns[campaign_id]
            if campaign.plan.ruled is not None:
                check_contacts(connection, campaign.plan, campaign.numbers, campaign.last_ms)
        self._check_standing(connection, self._books.dialling - self._books.stopped)
        self._check_numbers(connection)
        for campaign_id in self._books.dialling:
            self._books.campaigns[campaign_id].forget_step()
        for campaign_id in (self._books.touched | self._books.stopped) - engine_state.campaigns.keys():
            self._books.campaigns.pop(campaign_id, None)
        self._books.forget_step()

    def _check_loads(self, engine_state: EngineState) -> None:
        for campaign_id in sorted(self._books.touched):
            campaign, engine_campaign = self._books.campaigns.get(campaign_id), engine_state.campaigns.get(campaign_id)
            counted = (0, 0) if campaign is None else (campaign.in_progress, campaign.legs)
            if campaign is not None and counted != (
                (0, 0) if engine_campaign is None else (engine_campaign.in_progress, engine_campaign.legs)
            ):
                what = f"the engine does not have the {counted} calls and B-legs of the guard"
                raise BrokenInvariantError(Rule.LIMITS, what, user_id=campaign.plan.user_id, campaign_id=campaign_id)

    def _check_standing(self, connection: Connection, campaign_ids: Collection[int]) -> None:
        """Check by their rows that campaigns are in START and in their dates. Forget numbers that no list can hold."""
        rows = standing_of(connection, campaign_ids) if campaign_ids else {}
        for campaign_id in sorted(campaign_ids):
            campaign, row, rule = self._books.campaigns[campaign_id], rows.get(campaign_id), Rule.STARTED
            what = "it dialled, but is not in START"
            if row is not None and row.status == CampaignStatus.START:
                campaign.numbers = campaign.numbers if row.has_lists else []
                if row.starting_ms <= campaign.first_ms <= campaign.last_ms < row.expires_ms:
                    continue
                rule, what = Rule.CALENDAR, "it dialled outside its dates"
            raise BrokenInvariantError(rule, what, user_id=campaign.plan.user_id, campaign_id=campaign_id)

    def _check_numbers(self, connection: Connection) -> None:
        """Check that no dialled number is on a do-not-call list of its campaign at the commit.

        A number may be added to a list in the step that dialled it.
        """
        for campaign_id in sorted(self._books.dialling):
            plan, numbers = self._books.campaigns[campaign_id].plan, self._books.campaigns[campaign_id].numbers
            listed = entries_for(connection, campaign_id, numbers) if numbers else set()
            if listed and (self._books.wishes is None or not self._books.wishes.explain(listed)):
                what = "a number was dialled that is on a do-not-call list"
                raise BrokenInvariantError(Rule.DO_NOT_CALL, what, user_id=plan.user_id, campaign_id=campaign_id)
