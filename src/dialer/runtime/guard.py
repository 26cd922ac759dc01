"""The guard: holds every step to the invariants, by what it has seen itself and not by what the engine says.

It keeps a few numbers as books of its own: who is in a call, how many calls a campaign and a gateway have, how much is
held. What the engine is told it is told as well, and what the engine has done it sees as it is recorded. So a decision
is checked against books that it was not made by; at the end of a step the guard, the engine and the rows must agree.
None of this reads more than the step has touched.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NoReturn

from sqlalchemy import Connection

from dialer.domain import effects
from dialer.domain.board import Board
from dialer.domain.enums import CampaignStatus, DialMethod, SubscriberStatus, TransferStatus
from dialer.domain.events import CampaignOpened, GatewayOpened
from dialer.domain.gateway_load import SECOND_MS
from dialer.domain.hopper import NEVER_MS
from dialer.domain.invariants import BrokenInvariantError, Rule
from dialer.domain.pacing.fixed import MINUTE_US
from dialer.domain.plans import Call, CampaignPlan, Disposition, GatewayPlan, Transfer
from dialer.domain.windows import Windows
from dialer.runtime.guard_books import AccountBooks, CampaignBooks, GatewayBooks
from dialer.store.invariants import money_of, standing_of
from dialer.store.journal.rows import CdrRow
from dialer.store.queries.do_not_call import numbers_on
from dialer.store.queries.loading import LoadedRows

MICROSECONDS: Final = 1_000
"""In a millisecond."""
_START: Final = CampaignStatus.START
"""Looked up once: it is asked for at every dial, as the next ones are at every end."""
_PENDING: Final = SubscriberStatus.PENDING
_OVER: Final = TransferStatus.OVER


class Guard:
    """The books of one engine. Everything here raises `BrokenInvariantError`: the step is to be thrown away."""

    def __init__(self) -> None:
        self._campaigns: Final[dict[int, CampaignBooks]] = {}
        self._gateways: Final[dict[int, GatewayBooks]] = {}
        self._money: Final[dict[int, AccountBooks]] = {}
        self._calls: Final[dict[int, int]] = {}
        """What each call and message in progress holds."""
        self._legs: Final[dict[int, int]] = {}
        """What the B-leg of each call holds that has one in progress, or waits for it."""
        self._called: Final[set[int]] = set()
        """Subscribers with an attempt in progress."""
        self._windows: Final = Windows()
        self._running: set[int] = set()
        """Users who have a campaign in START."""
        self.handlers: Final[dict[type, Callable[[Any, int], None]]] = {
            effects.Dial: self._dial,
            effects.AnswerCall: self._answer,
            effects.SendText: self._send_text,
            effects.FinishCall: self._finish,
            effects.FinishInbound: self._finish_inbound,
            effects.FinishText: self._finish_text,
            effects.FinishLeg: self._finish_leg,
            effects.KeepTransfer: self._keep_transfer,
            effects.RefuseInbound: self._refuse_inbound,
            effects.AddToDnc: self._call_off,
            effects.MoveCampaign: self._move_campaign,
        }
        self._connection: Connection
        """Of the step that has begun."""
        self._forget_step()

    def step_begun(self, connection: Connection) -> None:
        """Read through this connection what the engine's moves of campaigns need."""
        self._connection = connection

    def _forget_step(self) -> None:
        self._dialling: set[int] = set()
        """Campaigns that have dialled in this step; likewise what follows."""
        self._spending: set[int] = set()
        self._touched: set[int] = set()
        """Campaigns whose load has changed."""
        self._stopped: set[int] = set()
        """Campaigns that have come to a stop: how they stood before is known."""
        self._called_off: set[tuple[int, str]] = set()
        self._ended: list[tuple[str, Call | effects.RefuseInbound]] = []
        """Legs that are over and whose CDR is not written yet, each with its callid."""
        self._legs_ended: set[str] = set()

    # --- what is told -----------------------------------------------------------------------------------------------

    def told(self, world: LoadedRows) -> None:
        """How the world stands now: the engine is told the same."""
        for account in world.accounts:
            self._money[account.user_id] = AccountBooks(account.balance, account.held)
            if not 0 <= account.held <= account.balance:
                self._spending.add(account.user_id)  # Wrong already: it is looked at whether or not it is used.
        for gateway in world.gateways:
            self._open_gateway(gateway)
        open_ids = {opened.plan.id for opened in world.campaigns}
        for campaign_id, campaign in list(self._campaigns.items()):
            if campaign_id not in open_ids:
                campaign.status = None
                campaign.windows = {}
                if not campaign.in_progress and not campaign.legs:
                    del self._campaigns[campaign_id]
        for opened in world.campaigns:
            self._open_campaign(opened)
        for did in world.dids:
            if did.plan is not None and did.plan.id not in open_ids:
                self._campaign(did.plan).plan = did.plan
        started = _START
        self._running = {opened.plan.user_id for opened in world.campaigns if opened.status is started}

    def restored(self, call: Call) -> None:
        """Take up an attempt that was in progress before this guard was made."""
        self._calls[call.id] = call.hold
        campaign = self._campaign(call.plan)
        if call.parent_id is None and not call.is_inbound:
            campaign.in_progress += 1
            self._called.add(call.subscriber.id)
        if not call.is_inbound:
            self._gateway(call.plan.gateway_id).in_progress += 1
        for transfer in call.transfers:
            if transfer.status is not _OVER:
                self._legs[call.id] = transfer.hold
                campaign.legs += 1
                if transfer.gateway_id:
                    self._gateway(transfer.gateway_id).in_progress += 1

    def _open_gateway(self, opened: GatewayOpened) -> None:
        gateway = self._gateway(opened.plan.id)
        gateway.plan = opened.plan
        gateway.recent_ms = deque(opened.recent_dials_ms, maxlen=opened.plan.max_cps or None)

    def _open_campaign(self, opened: CampaignOpened) -> None:
        campaign = self._campaign(opened.plan)
        campaign.plan, campaign.status, campaign.next_dial_us = opened.plan, opened.status, opened.next_dial_us
        campaign.windows = {}
        is_fixed = opened.plan.dial_method is DialMethod.FIXED_RATE
        campaign.spacing_us = -(-MINUTE_US // opened.plan.frequency) if is_fixed else 0

    def _campaign(self, plan: CampaignPlan) -> CampaignBooks:
        campaign = self._campaigns.get(plan.id)
        if campaign is None:
            campaign = self._campaigns[plan.id] = CampaignBooks(plan)
        return campaign

    def _gateway(self, gateway_id: int) -> GatewayBooks:
        gateway = self._gateways.get(gateway_id)
        if gateway is None:
            gateway = self._gateways[gateway_id] = GatewayBooks(GatewayPlan(gateway_id))
        return gateway

    # --- dials ------------------------------------------------------------------------------------------------------

    def _dial(self, effect: effects.Dial, now_ms: int) -> None:
        call = effect.call
        campaign = self._campaigns.get(call.plan.id)
        if campaign is None or campaign.status is not _START:
            _broken(Rule.STARTED, call, "its campaign is not in START")
        plan = campaign.plan
        if not plan.starting_ms <= now_ms < plan.expires_ms:
            _broken(Rule.CALENDAR, call, "its campaign has not begun, or has expired")
        self._check_callee(campaign, call, now_ms)
        campaign.in_progress += 1
        if 0 < plan.max_aleg < campaign.in_progress:
            _broken(Rule.LIMITS, call, "max_aleg")
        if campaign.spacing_us:
            _check_pace(campaign, effect, now_ms)
        self._place(call, call.plan.gateway_id, call.started_ms)
        self._calls[call.id] = call.hold
        self._hold(call, call.hold)
        if campaign.first_ms == NEVER_MS:
            campaign.first_ms = now_ms
            self._dialling.add(plan.id)
            self._touched.add(plan.id)
        campaign.last_ms = now_ms

    def _check_callee(self, campaign: CampaignBooks, call: Call, now_ms: int) -> None:
        """Whether a subscriber may be called at all, and now."""
        person, dnc_id = call.subscriber, campaign.plan.dnc_id
        if person.id in self._called:
            _broken(Rule.ATTEMPTS, call, "its subscriber is being called")
        self._called.add(person.id)
        if person.is_on_dnc or (self._called_off and (dnc_id, person.number) in self._called_off):
            _broken(Rule.DO_NOT_CALL, call, "its number is on the do-not-call list")
        if dnc_id is not None:
            campaign.numbers.append(person.number)
        window = campaign.windows.get(person.zone)
        if window is None or now_ms >= window.until_ms:
            window = campaign.window(person.zone, self._windows, now_ms)
        if not window.is_open:
            _broken(Rule.CALENDAR, call, "its calling window is closed")

    def _place(self, call: Call, gateway_id: int, started_ms: int) -> None:
        """One more leg over a gateway."""
        gateway = self._gateway(gateway_id)
        gateway.in_progress += 1
        plan = gateway.plan
        if 0 < plan.max_channels < gateway.in_progress:
            _broken(Rule.LIMITS, call, "max_channels")
        if plan.max_cps:
            recent = gateway.recent_ms
            if len(recent) == plan.max_cps and started_ms < recent[0] + SECOND_MS:
                _broken(Rule.LIMITS, call, "max_cps")
            recent.append(started_ms)

    def _hold(self, call: Call, amount: int) -> None:
        """So much more is held for a call: only what is free."""
        money = self._money[call.plan.user_id]
        self._spending.add(call.plan.user_id)
        money.held += amount
        if amount.__class__ is not int or amount < 0 or (amount and money.held > money.balance):
            _broken(Rule.CREDIT, call, f"{amount} is held, and {money.balance - money.held + amount} was free")

    def _answer(self, effect: effects.AnswerCall, _now_ms: int) -> None:
        self._calls[effect.call.id] = 0
        self._campaign(effect.call.plan)

    def _send_text(self, effect: effects.SendText, _now_ms: int) -> None:
        message = effect.message
        self._calls[message.id] = message.hold
        self._place(message, message.plan.gateway_id, message.started_ms)
        self._hold(message, message.hold)

    def _call_off(self, effect: effects.AddToDnc, _now_ms: int) -> None:
        self._called_off.add((effect.dnc_id, effect.number))

    # --- ends -------------------------------------------------------------------------------------------------------

    def _finish(self, effect: effects.FinishCall, _now_ms: int) -> None:
        call, after = effect.call, effect.disposition
        self._end(call, effect.bill.cost)
        self._called.discard(call.subscriber.id)
        plan = call.plan
        campaign = self._campaigns[plan.id]
        campaign.in_progress -= 1
        self._touched.add(plan.id)
        self._gateways[plan.gateway_id].in_progress -= 1
        if not call.parts:
            self._ended.append((call.callid, call))
        if after.status is _PENDING:
            _check_retry(call, after, campaign.plan)

    def _finish_inbound(self, effect: effects.FinishInbound, _now_ms: int) -> None:
        self._end(effect.call, effect.bill.cost)
        self._ended.append((effect.call.callid, effect.call))

    def _finish_text(self, effect: effects.FinishText, _now_ms: int) -> None:
        message = effect.message
        self._end(message, effect.bill.cost)
        self._gateway(message.plan.gateway_id).in_progress -= 1

    def _end(self, call: Call, cost: int) -> None:
        """A call or a message is over: once, with no leg left, and for no more than was held for it."""
        hold = self._calls.pop(call.id, None)
        if hold is None:
            _broken(Rule.ENDED_ONCE, call, "it has ended already")
        if call.id in self._legs:
            _broken(Rule.CDRS, call, "its B-leg goes on")
        self._charge(call, cost, hold).held -= hold

    def _charge(self, call: Call, cost: int, hold: int) -> AccountBooks:
        """A leg of a call costs so much: the books of its owner."""
        if cost.__class__ is not int or not 0 <= cost <= hold:
            _broken(Rule.CREDIT, call, f"{cost} is charged, and {hold} was held")
        user_id = call.plan.user_id
        self._spending.add(user_id)
        money = self._money[user_id]
        money.balance -= cost
        return money

    def _finish_leg(self, effect: effects.FinishLeg, _now_ms: int) -> None:
        call, transfer = effect.call, effect.transfer
        hold = self._legs.get(call.id)
        if hold is None or transfer.callid in self._legs_ended:
            _broken(Rule.ENDED_ONCE, call, "its B-leg has ended already")
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
            _broken(Rule.LIMITS, call, "max_xfer")
        if transfer.gateway_id:
            self._place(call, transfer.gateway_id, transfer.started_ms or 0)
        self._hold(call, transfer.hold)

    def _close_leg(self, call: Call, transfer: Transfer) -> None:
        if transfer.answered_ms is not None and transfer.callid not in self._legs_ended:
            _broken(Rule.CDRS, call, "its B-leg was answered, and has no CDR")
        self._campaign(call.plan).legs -= 1
        self._touched.add(call.plan.id)
        if transfer.gateway_id:
            self._gateway(transfer.gateway_id).in_progress -= 1
        self._money[call.plan.user_id].held -= self._legs.pop(call.id)
        self._spending.add(call.plan.user_id)

    def _refuse_inbound(self, effect: effects.RefuseInbound, _now_ms: int) -> None:
        self._ended.append((effect.callid, effect))

    # --- what is written --------------------------------------------------------------------------------------------

    def cdrs_written(self, cdrs: Sequence[CdrRow]) -> None:
        """Check that these are the CDRs of the legs that have ended, one each, in their order."""
        ended, self._ended = self._ended, []
        if [row.callid for row in cdrs] == [callid for callid, _ in ended]:
            return
        written = Counter(row.callid for row in cdrs)
        for callid, whose in ended:
            if written.pop(callid, 0) != 1 and isinstance(whose, Call):
                _broken(Rule.CDRS, whose, f"its leg {callid} has not exactly one CDR")
        row = next((row for row in cdrs if row.callid in written), cdrs[0])
        raise BrokenInvariantError(Rule.CDRS, f"CDR {row.callid} is of no leg that has ended", user_id=row.user_id)

    def _move_campaign(self, move: effects.MoveCampaign, _now_ms: int) -> None:
        """A campaign is about to come to another state by itself: if it has dialled, it was in START before."""
        campaign = self._campaigns.get(move.campaign_id)
        if move.campaign_id in self._dialling - self._stopped:
            self._check_standing(self._connection, [move.campaign_id])
        if campaign is not None:
            campaign.status = move.status
            self._stopped.add(move.campaign_id)

    def step_closed(self, connection: Connection, board: Board) -> None:
        """Check at the end of a step that the guard, the engine and the rows agree."""
        self._check_money(connection, board)
        self._check_loads(board)
        self._check_standing(connection, self._dialling - self._stopped)
        self._check_numbers(connection)
        for campaign_id in self._dialling:
            self._campaigns[campaign_id].forget_step()
        self._forget_step()

    def _check_money(self, connection: Connection, board: Board) -> None:
        rows = money_of(connection, self._spending) if self._spending else {}
        for user_id in sorted(self._spending):
            money, account = self._money[user_id], board.accounts[user_id]
            booked, free = (money.balance, money.held), money.balance - money.held
            if rows.get(user_id) != booked or (account.balance, account.held) != booked:
                engine = (account.balance, account.held)
                what = (
                    f"balance and hold are {rows.get(user_id)}, the engine has {engine}, the step makes them {booked}"
                )
                raise BrokenInvariantError(Rule.LEDGER, what, user_id=user_id)
            # What was wrong before the step does not keep calls from ending, once nobody is dialled any more.
            is_wrong = money.held < 0 or free < 0
            if is_wrong and (user_id in self._running or free < min(0, money.free_before)):
                what = f"{money.held} is held of a balance of {money.balance}"
                raise BrokenInvariantError(Rule.CREDIT, what, user_id=user_id)
            money.free_before = free

    def _check_loads(self, board: Board) -> None:
        for campaign_id in sorted(self._touched):
            campaign, known = self._campaigns.get(campaign_id), board.campaigns.get(campaign_id)
            counted = (0, 0) if campaign is None else (campaign.in_progress, campaign.legs)
            if campaign is not None and counted != ((0, 0) if known is None else (known.in_progress, known.legs)):
                what = f"the engine has lost count of {counted} calls and B-legs"
                raise BrokenInvariantError(Rule.LIMITS, what, user_id=campaign.plan.user_id, campaign_id=campaign_id)

    def _check_standing(self, connection: Connection, campaign_ids: Collection[int]) -> None:
        """Campaigns that have dialled are in START by their rows, and were within their dates."""
        rows = standing_of(connection, campaign_ids) if campaign_ids else {}
        for campaign_id in sorted(campaign_ids):
            campaign, row = self._campaigns[campaign_id], rows.get(campaign_id)
            rule, what = Rule.STARTED, "it has dialled, and is not in START"
            if row is not None and row.status == _START:
                if row.starting_ms <= campaign.first_ms <= campaign.last_ms < row.expires_ms:
                    continue
                rule, what = Rule.CALENDAR, "it has dialled before or after its dates"
            raise BrokenInvariantError(rule, what, user_id=campaign.plan.user_id, campaign_id=campaign_id)

    def _check_numbers(self, connection: Connection) -> None:
        """Who was dialled is on no do-not-call list at the commit, unless they have asked for it in this very step."""
        for campaign_id in sorted(self._dialling):
            plan, numbers = self._campaigns[campaign_id].plan, self._campaigns[campaign_id].numbers
            if plan.dnc_id is None or not numbers:
                continue
            listed = {(plan.dnc_id, number) for number in numbers_on(connection, plan.dnc_id, numbers)}
            if not listed <= self._called_off:
                what = "a number was dialled that is on the do-not-call list"
                raise BrokenInvariantError(Rule.DO_NOT_CALL, what, user_id=plan.user_id, campaign_id=campaign_id)


def _check_pace(campaign: CampaignBooks, effect: effects.Dial, now_ms: int) -> None:
    """At least the spacing apart, dial from dial: so no window of a minute holds more than `frequency`."""
    due_us, next_us = campaign.next_dial_us, effect.next_dial_us
    if due_us > now_ms * MICROSECONDS or next_us < due_us + campaign.spacing_us:
        _broken(Rule.LIMITS, effect.call, "frequency")
    campaign.next_dial_us = next_us


def _check_retry(call: Call, after: Disposition, plan: CampaignPlan) -> None:
    """Somebody is called again: no more often than the campaign allows, and for an attempt that was made."""
    is_too_often = after.failures > plan.maxretry
    if after.reason == "not_completed":
        is_too_often = after.completions > plan.completion_maxretry
    if is_too_often or after.failures + after.completions > call.attempt:
        _broken(Rule.ATTEMPTS, call, "its subscriber is to be called again, and has no more retries")


def _broken(rule: Rule, call: Call, what: str) -> NoReturn:
    plan = call.plan
    what = f"call {call.id}, attempt {call.attempt} of subscriber {call.subscriber.id}: {what}"
    raise BrokenInvariantError(rule, what, user_id=plan.user_id, campaign_id=plan.id, call_id=call.id)
