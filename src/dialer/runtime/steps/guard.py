"""Guard: checks every step against the invariants, with books of its own.

The books hold a few numbers: subscribers in a call, the load of each campaign and gateway, and the money held. The
guard receives the events that the engine receives, and sees each effect as it is recorded, so it checks a decision
against books that the decision did not make. At the end of a step the guard, the engine and the touched rows agree.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from sqlalchemy import Connection

from dialer.domain.calling_times.calling_windows import Windows
from dialer.domain.calls import effects
from dialer.domain.calls.events import CampaignOpened, GatewayOpened
from dialer.domain.calls.plans import Call, CampaignPlan, GatewayKey, GatewayPlan, Lent, Transfer
from dialer.domain.engine.gateway_load import SECOND_MS, UNLIMITED, limits_of
from dialer.domain.engine.state import ACTIVE, EngineState
from dialer.domain.numbers.destinations import EVERYWHERE, special_digits
from dialer.domain.pacing.fixed import spacing_us
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.domain.words.enums import CampaignStatus, DialMethod, SubscriberStatus, TransferStatus
from dialer.domain.words.exhaustive import exhaustive
from dialer.domain.words.moments import NEVER_MS
from dialer.runtime.steps.guard_checks import broken, check_destination, check_pace, check_retry, is_running
from dialer.runtime.steps.guard_counts import AccountBooks, CampaignBooks, GatewayBooks
from dialer.runtime.steps.guard_wishes import UtteredWishes
from dialer.store.database.touched import Touched
from dialer.store.journal.rows import CdrRow
from dialer.store.queries.do_not_call import listed_for
from dialer.store.queries.load_engine import LoadedRows
from dialer.store.rows.invariants import money_of, standing_of

_START: Final = CampaignStatus.START
"""Constants for the checks of every dial and every end, where a lookup in an enumeration is slow."""
_PENDING: Final = SubscriberStatus.PENDING
_OVER: Final = TransferStatus.OVER

_IGNORED: Final = (
    *(effects.KeepText, effects.DropText, effects.CompleteSubscriber, effects.KeepAgent),
    *(effects.KeepQueue, effects.KeepFigures, effects.KeepBreaker, effects.KeepLine),
    *(effects.ExpectCallBack, effects.RefuseSubscriber, effects.KeepPreview, effects.PutBack),
)
"""Effects that break no rule of the guard."""


class Guard:
    """Books of one engine, which check every effect and raise if a rule is broken.

    Every method raises `BrokenInvariantError` if the step breaks a rule. The step must then be discarded.
    """

    def __init__(self) -> None:
        self._campaigns: Final[dict[int, CampaignBooks]] = {}
        self._gateways: Final[dict[GatewayKey, GatewayBooks]] = {}
        self._money: Final[dict[int, AccountBooks]] = {}
        self._calls: Final[dict[int, int]] = {}
        """Amount held for each call and message in progress, by call id."""
        self._legs: Final[dict[int, int]] = {}
        """Amount held for each B-leg that is in progress or waits in a queue, by call id."""
        self._called: Final[set[int]] = set()
        """Ids of subscribers with an attempt in progress."""
        self._windows: Final = Windows()
        handlers: dict[type, Callable[[Any, int], None] | None] = {
            **dict.fromkeys(_IGNORED),
            effects.Dial: self._dial,
            effects.AnswerCall: self._answer,
            effects.SendText: self._send_text,
            effects.TakeBackCall: self._take_back,
            effects.FinishCall: self._finish,
            effects.FinishInbound: self._finish_inbound,
            effects.FinishText: self._finish_text,
            effects.FinishLeg: self._finish_leg,
            effects.KeepTransfer: self._keep_transfer,
            effects.RefuseInbound: self._refuse_inbound,
            effects.KeepWish: self._call_off,
            effects.MoveCampaign: self._move_campaign,
        }
        self.handlers: Final = exhaustive(effects.Recorded, handlers)
        self._connection: Connection
        """Connection of the current step."""
        self._forget_step()

    def step_begun(self, connection: Connection) -> None:
        """Keep the connection of the step, for the checks that read rows."""
        self._connection = connection

    def _forget_step(self) -> None:
        self._dialling: set[int] = set()
        """Campaigns that have dialled in this step. The fields below also concern this step only."""
        self._spending: set[int] = set()
        self._touched: set[int] = set()
        """Campaigns whose load has changed."""
        self._stopped: set[int] = set()
        """Campaigns that have stopped. Their status before the stop was checked at the stop."""
        self._wishes: UtteredWishes | None = None
        """None before the first wish, as a dial then asks nothing: most steps hear none."""
        self._ended: list[tuple[str, Call | effects.RefuseInbound]] = []
        """Ended legs whose CDR is not written yet, each with its callid."""
        self._legs_ended: set[str] = set()

    # --- rows -------------------------------------------------------------------------------------------------------

    def take_rows(self, world: LoadedRows, scope: Touched) -> None:
        """Update the books from rows that the engine also receives. The books of other campaigns hold as they are."""
        for account in world.accounts:
            self._money[account.user_id] = AccountBooks(account)
            if not 0 <= account.held <= account.balance:
                self._spending.add(account.user_id)  # Invalid already, so check it even if unused.
        for gateway in world.gateways:
            self._open_gateway(gateway)
        looked_for = self._campaigns.keys() if scope.everything else self._campaigns.keys() & scope.campaigns
        for campaign_id in looked_for - {opened.plan.id for opened in world.campaigns}:
            campaign = self._campaigns[campaign_id]
            campaign.status = None
            campaign.windows = {}
            if not campaign.in_progress and not campaign.legs:
                del self._campaigns[campaign_id]
        for opened in world.campaigns:
            self._open_campaign(opened)
        answering = [did.plan for did in world.dids if did.plan is not None]
        for plan in (*world.over, *answering):
            books = self._campaign(plan)
            if books.status not in ACTIVE:
                books.plan = plan

    def restored(self, call: Call) -> None:
        """Add an attempt that was in progress before this guard was created."""
        self._calls[call.id] = call.hold
        campaign = self._campaign(call.plan)
        if call.parent_id is None and not call.is_inbound:
            campaign.in_progress += 1
            self._called.add(call.subscriber.id)
        if call.takes_channel:
            self._gateway(call.plan.gateway_id).in_progress += 1
        for transfer in call.transfers:
            if transfer.status is not _OVER:
                self._legs[call.id] = transfer.hold
                campaign.legs += 1
                if transfer.gateway_id:
                    self._gateway(transfer.gateway_id).in_progress += 1

    def _open_gateway(self, opened: GatewayOpened) -> None:
        gateway = self._gateway(opened.plan.id)
        if gateway.plan.hours != opened.plan.hours:
            for campaign in self._campaigns.values():
                campaign.windows = {}
        is_own = opened.lent is not None and gateway.is_read
        recent_ms = gateway.recent_ms if is_own else opened.recent_dials_ms
        gateway.recent_ms = deque(recent_ms, maxlen=opened.plan.max_cps or None)
        gateway.plan, gateway.limits, gateway.is_read = opened.plan, limits_of(opened.plan, opened.lent), True

    def lend(self, gateway_id: GatewayKey, lent: Lent) -> None:
        """Limit a gateway to a smaller part from now on."""
        gateway = self._gateway(gateway_id)
        gateway.limits = limits_of(gateway.plan, lent)

    def _open_campaign(self, opened: CampaignOpened) -> None:
        campaign = self._campaign(opened.plan)
        campaign.plan, campaign.status, campaign.next_dial_us = opened.plan, opened.status, opened.next_dial_us
        campaign.windows = {}
        is_fixed = opened.plan.dial_method is DialMethod.FIXED_RATE
        campaign.spacing_us = spacing_us(opened.plan.frequency) if is_fixed else 0

    def _campaign(self, plan: CampaignPlan) -> CampaignBooks:
        campaign = self._campaigns.get(plan.id)
        if campaign is None:
            campaign = self._campaigns[plan.id] = CampaignBooks(plan)
        return campaign

    def _gateway(self, gateway_id: GatewayKey) -> GatewayBooks:
        gateway = self._gateways.get(gateway_id)
        if gateway is None:
            gateway = self._gateways[gateway_id] = GatewayBooks(GatewayPlan(gateway_id))
        return gateway

    # --- dials ------------------------------------------------------------------------------------------------------

    def _dial(self, effect: effects.Dial, now_ms: int) -> None:
        call = effect.call
        campaign = self._campaigns.get(call.plan.id)
        if campaign is None or campaign.status is not _START:
            broken(Rule.STARTED, call, "its campaign is not in START")
        plan = campaign.plan
        if not plan.starting_ms <= now_ms < plan.expires_ms:
            broken(Rule.CALENDAR, call, "its campaign has not begun, or has expired")
        self._check_callee(campaign, call, now_ms)
        campaign.in_progress += 1
        if 0 < plan.max_aleg < campaign.in_progress:
            broken(Rule.LIMITS, call, "it exceeds max_aleg")
        if campaign.spacing_us:
            check_pace(campaign, effect, now_ms)
        self._place(call, call.plan.gateway_id, call.started_ms)
        self._calls[call.id] = call.hold
        self._hold(call, call.hold)
        if campaign.first_ms == NEVER_MS:
            campaign.first_ms = now_ms
            self._dialling.add(plan.id)
            self._touched.add(plan.id)
        campaign.last_ms = now_ms

    def _check_callee(self, campaign: CampaignBooks, call: Call, now_ms: int) -> None:
        """Check that a subscriber may be called, and may be called now."""
        person = call.subscriber
        if person.id in self._called:
            broken(Rule.ATTEMPTS, call, "its subscriber is being called")
        self._called.add(person.id)
        if person.is_on_dnc or (self._wishes is not None and self._wishes.hold_for(campaign.plan, person.number)):
            broken(Rule.DO_NOT_CALL, call, "its number is on a do-not-call list")
        is_limited = self._money[call.plan.user_id].destinations is not EVERYWHERE
        if is_limited or person.number[:1] != "+" or special_digits(person.number):
            self._check_destination(call, person.number, call.plan.gateway_id)
        campaign.numbers.append(person.number)
        window = campaign.windows.get(person.zone)
        if window is None or now_ms >= window.until_ms:
            hours = self._gateway(call.plan.gateway_id).plan.hours
            window = campaign.window(person.zone, self._windows, now_ms, hours)
        if not window.is_open:
            broken(Rule.CALENDAR, call, "its calling window is closed")

    def _check_destination(self, call: Call, number: str, gateway_id: GatewayKey) -> None:
        check_destination(call, number, self._money[call.plan.user_id], self._gateway(gateway_id).plan)

    def _place(self, call: Call, gateway_id: GatewayKey, started_ms: int) -> None:
        """Count a new leg over a gateway, and check the gateway's limits."""
        gateway = self._gateway(gateway_id)
        gateway.in_progress += 1
        channels, cps = gateway.limits
        if channels < gateway.in_progress:
            broken(Rule.LIMITS, call, "it exceeds max_channels")
        if cps != UNLIMITED:
            recent = gateway.recent_ms
            if len(recent) >= cps and (cps == 0 or started_ms < recent[-cps] + SECOND_MS):
                broken(Rule.LIMITS, call, "it exceeds max_cps")
            recent.append(started_ms)

    def _hold(self, call: Call, amount: int) -> None:
        """Hold an amount for a call, and check that the account can cover it."""
        money = self._money[call.plan.user_id]
        self._spending.add(call.plan.user_id)
        money.held += amount
        if amount.__class__ is not int or amount < 0 or (amount and money.held > money.balance):
            broken(Rule.CREDIT, call, f"{amount} is held, but {money.balance - money.held + amount} was free")

    def _answer(self, effect: effects.AnswerCall, _now_ms: int) -> None:
        call = effect.call
        self._calls[call.id] = 0
        self._campaign(call.plan)
        if call.takes_channel:
            gateway = self._gateway(call.plan.gateway_id)
            gateway.in_progress += 1
            if gateway.limits.channels < gateway.in_progress:
                broken(Rule.LIMITS, call, "it exceeds max_channels")

    def _send_text(self, effect: effects.SendText, _now_ms: int) -> None:
        message = effect.message
        self._calls[message.id] = message.hold
        self._check_destination(message, message.subscriber.number, message.plan.gateway_id)
        self._place(message, message.plan.gateway_id, message.started_ms)
        self._hold(message, message.hold)

    def _call_off(self, wish: effects.KeepWish, _now_ms: int) -> None:
        self._wishes = self._wishes or UtteredWishes()
        self._wishes.add(wish)

    # --- ends -------------------------------------------------------------------------------------------------------

    def _finish(self, effect: effects.FinishCall, _now_ms: int) -> None:
        call, after = effect.call, effect.disposition
        campaign = self._remove(call, effect.bill.cost)
        if not call.parts:
            self._ended.append((call.callid, call))
        if after.status is _PENDING:
            check_retry(call, after, campaign.plan)

    def _take_back(self, effect: effects.TakeBackCall, _now_ms: int) -> None:
        self._remove(effect.call, 0)

    def _remove(self, call: Call, cost: int) -> CampaignBooks:
        """Remove an attempt from the books, and return those of its campaign."""
        self._end(call, cost)
        self._called.discard(call.subscriber.id)
        campaign = self._campaigns[call.plan.id]
        campaign.in_progress -= 1
        self._touched.add(call.plan.id)
        self._gateways[call.plan.gateway_id].in_progress -= 1
        return campaign

    def _finish_inbound(self, effect: effects.FinishInbound, _now_ms: int) -> None:
        call = effect.call
        self._end(call, effect.bill.cost)
        self._touched.add(call.plan.id)
        self._gateway(call.plan.gateway_id).in_progress -= int(call.takes_channel)
        self._ended.append((call.callid, call))

    def _finish_text(self, effect: effects.FinishText, _now_ms: int) -> None:
        message = effect.message
        self._end(message, effect.bill.cost)
        self._touched.add(message.plan.id)
        self._gateway(message.plan.gateway_id).in_progress -= 1

    def _end(self, call: Call, cost: int) -> None:
        """Close a call or message, and check that it ends once, has no open leg, and costs no more than its hold."""
        hold = self._calls.pop(call.id, None)
        if hold is None:
            broken(Rule.ENDED_ONCE, call, "it has ended already")
        if call.id in self._legs:
            broken(Rule.CDRS, call, "its B-leg has not ended")
        self._charge(call, cost, hold).held -= hold

    def _charge(self, call: Call, cost: int, hold: int) -> AccountBooks:
        """Charge a leg to the books of its account, and return them."""
        if cost.__class__ is not int or not 0 <= cost <= hold:
            broken(Rule.CREDIT, call, f"{cost} is charged, but {hold} was held")
        user_id = call.plan.user_id
        self._spending.add(user_id)
        money = self._money[user_id]
        money.balance -= cost
        return money

    def _finish_leg(self, effect: effects.FinishLeg, _now_ms: int) -> None:
        call, transfer = effect.call, effect.transfer
        hold = self._legs.get(call.id)
        if hold is None or transfer.callid in self._legs_ended:
            broken(Rule.ENDED_ONCE, call, "its B-leg has ended already")
        self._charge(call, effect.bill.cost, hold)
        self._ended.append((transfer.callid, call))
        self._legs_ended.add(transfer.callid)

    def _keep_transfer(self, effect: effects.KeepTransfer, _now_ms: int) -> None:
        call, transfer = effect.call, effect.transfer
        is_open = transfer.status is not _OVER
        if is_open and call.id not in self._legs:
            self._open_leg(call, transfer)
        elif not is_open and call.id in self._legs:
            self._close_leg(call, transfer)

    def _open_leg(self, call: Call, transfer: Transfer) -> None:
        campaign = self._campaign(call.plan)
        campaign.legs += 1
        self._touched.add(call.plan.id)
        self._legs[call.id] = transfer.hold
        if 0 < campaign.plan.max_xfer < campaign.legs:
            broken(Rule.LIMITS, call, "it exceeds max_xfer")
        if transfer.gateway_id:
            self._check_destination(call, transfer.number, transfer.gateway_id)
            self._place(call, transfer.gateway_id, transfer.started_ms or 0)
        self._hold(call, transfer.hold)

    def _close_leg(self, call: Call, transfer: Transfer) -> None:
        if transfer.answered_ms is not None and transfer.callid not in self._legs_ended:
            broken(Rule.CDRS, call, "its B-leg was answered, but has no CDR")
        self._campaign(call.plan).legs -= 1
        self._touched.add(call.plan.id)
        if transfer.gateway_id:
            self._gateway(transfer.gateway_id).in_progress -= 1
        self._money[call.plan.user_id].held -= self._legs.pop(call.id)
        self._spending.add(call.plan.user_id)

    def _refuse_inbound(self, effect: effects.RefuseInbound, _now_ms: int) -> None:
        self._ended.append((effect.callid, effect))

    # --- written rows -----------------------------------------------------------------------------------------------

    def cdrs_written(self, cdrs: Sequence[CdrRow]) -> None:
        """Check that each ended leg has exactly one CDR, in the order of their ends."""
        ended, self._ended = self._ended, []
        if [row.callid for row in cdrs] == [callid for callid, _ in ended]:
            return
        written = Counter(row.callid for row in cdrs)
        for callid, whose in ended:
            if written.pop(callid, 0) != 1 and isinstance(whose, Call):
                broken(Rule.CDRS, whose, f"its leg {callid} does not have exactly one CDR")
        row = next((row for row in cdrs if row.callid in written), cdrs[0])
        raise BrokenInvariantError(Rule.CDRS, f"CDR {row.callid} belongs to no ended leg", user_id=row.user_id)

    def _move_campaign(self, move: effects.MoveCampaign, _now_ms: int) -> None:
        """Record a campaign's own change of status. If it has dialled, check that its row was in START before."""
        if move.campaign_id in self._dialling - self._stopped:
            self._check_standing(self._connection, [move.campaign_id])
        if (campaign := self._campaigns.get(move.campaign_id)) is not None:
            campaign.status = move.status
            self._stopped.add(move.campaign_id)

    def step_closed(self, connection: Connection, engine_state: EngineState) -> None:
        """Check that the guard, the engine and the rows agree at the end of a step."""
        self._check_money(connection, engine_state)
        self._check_loads(engine_state)
        self._check_standing(connection, self._dialling - self._stopped)
        self._check_numbers(connection)
        for campaign_id in self._dialling:
            self._campaigns[campaign_id].forget_step()
        for campaign_id in (self._touched | self._stopped) - engine_state.campaigns.keys():
            self._campaigns.pop(campaign_id, None)
        self._forget_step()

    def _check_money(self, connection: Connection, engine_state: EngineState) -> None:
        rows = money_of(connection, self._spending) if self._spending else {}
        for user_id in sorted(self._spending):
            money, account = self._money[user_id], engine_state.accounts[user_id]
            booked, free = (money.balance, money.held), money.balance - money.held
            if rows.get(user_id) != booked or (account.balance, account.held) != booked:
                engine = (account.balance, account.held)
                what = (
                    f"balance and hold are {rows.get(user_id)}, the engine has {engine}, the step makes them {booked}"
                )
                raise BrokenInvariantError(Rule.LEDGER, what, user_id=user_id)
            # Calls in progress may still end on an account that was invalid before, once no campaign of its user is
            # running.
            is_wrong = money.held < 0 or free < 0
            if is_wrong and (is_running(user_id, self._campaigns, self._stopped) or free < min(0, money.free_before)):
                what = f"{money.held} is held of a balance of {money.balance}"
                raise BrokenInvariantError(Rule.CREDIT, what, user_id=user_id)
            money.free_before = free

    def _check_loads(self, engine_state: EngineState) -> None:
        for campaign_id in sorted(self._touched):
            campaign, engine_campaign = self._campaigns.get(campaign_id), engine_state.campaigns.get(campaign_id)
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
            campaign, row, rule = self._campaigns[campaign_id], rows.get(campaign_id), Rule.STARTED
            what = "it dialled, but is not in START"
            if row is not None and row.status == _START:
                campaign.numbers = campaign.numbers if row.has_lists else []
                if row.starting_ms <= campaign.first_ms <= campaign.last_ms < row.expires_ms:
                    continue
                rule, what = Rule.CALENDAR, "it dialled outside its dates"
            raise BrokenInvariantError(rule, what, user_id=campaign.plan.user_id, campaign_id=campaign_id)

    def _check_numbers(self, connection: Connection) -> None:
        """Check that no dialled number is on a do-not-call list of its campaign at the commit.

        A number may be added to a list in the step that dialled it.
        """
        for campaign_id in sorted(self._dialling):
            plan, numbers = self._campaigns[campaign_id].plan, self._campaigns[campaign_id].numbers
            listed = listed_for(connection, campaign_id, numbers) if numbers else set()
            if listed and (self._wishes is None or not self._wishes.explain(listed)):
                what = "a number was dialled that is on a do-not-call list"
                raise BrokenInvariantError(Rule.DO_NOT_CALL, what, user_id=plan.user_id, campaign_id=campaign_id)
