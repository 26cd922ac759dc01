"""SimPy simulation of a scenario, for `python -m benchmarks.simulate`.

It does the work of dialer's own simulation, and its CDRs have the same digest. Every call is a SimPy process that waits
for each step: the first signal, the answer, each prompt, each input. Another process dials, and keeps to the account's
money, calling windows, the do-not-call list, and the limits and failures of the gateway, whose channels are a SimPy
resource. Rules that are plain functions of values, such as those of rates and windows, are dialer's. So are the
callees, because the digests could not be equal otherwise.

Transfers, messages, detection of answering machines and call-backs are left out: scenarios with them are refused.
"""

from collections import deque
from collections.abc import Generator
from functools import cache
from heapq import heappop, heappush
from typing import Final, NamedTuple

import simpy

from dialer.domain.billing.charge import Rate, bill_leg
from dialer.domain.billing.money import format_money
from dialer.domain.calling_times.calling_windows import window_at
from dialer.domain.calling_times.zones import is_zone_key
from dialer.domain.calls.circuit_breaker import CARRIER_FAILURES, CLOSED, after_attempt
from dialer.domain.calls.identity import call_uuid
from dialer.domain.calls.plan_parts import SectionResult
from dialer.domain.calls.plans import Subscriber
from dialer.domain.engine.credit import is_forbidden
from dialer.domain.engine.retry import NEVER_RETRIED
from dialer.domain.figures.digest import cdr_digest
from dialer.domain.numbers.destinations import EVERYWHERE
from dialer.domain.numbers.emergency import is_emergency
from dialer.domain.pacing.fixed import due_ms, fixed_rate
from dialer.domain.sessions.survey_steps import SurveyStep, first_step
from dialer.domain.survey.inputs import SectionInput
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.words.enums import AmdBehavior, AmdStatus, Cause, DialMethod, LegType, SubscriberStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.sim.callee import Callee, callee_behind
from dialer.sim.callee_line import pressed, speech_ms
from dialer.sim.callee_profile import parse_behaviour
from dialer.sim.chance import Chance
from dialer.sim.report import show_date
from dialer.sim.scenario import Scenario, ScenarioError
from dialer.sim.scenario_rates import rate_card_of
from dialer.sim.simulation import CAMPAIGN_ID, Simulation, dnc_numbers

SECOND_MS: Final = 1_000
AFTER_ALL_ENDS: Final = 2
"""Priority of a dial: calls that end in the same millisecond come first."""
CLEARED: Final = Cause.NORMAL_CLEARING
NO_ANSWER: Final = Cause.NO_ANSWER

Request = simpy.resources.resource.Request
Steps = Generator[simpy.Event, object, None]
Talk = Generator[simpy.Event, object, bool]


class Cdr(NamedTuple):
    """Call record. Its first fields are the order of the records."""

    ended_ms: int
    call_id: int
    callid: str
    callerid: str
    phone_number: str
    started_ms: int
    duration: int
    billsec: int
    billed_duration: int
    cost: int
    cause: int


class Offer(NamedTuple):
    """The money that is held for a call, and the talk time that it pays for."""

    hold: int
    talk_limit_ms: int
    rate: Rate


class Zone:
    """Subscribers of one time zone: never called in the order of their ids, and retries in the order of their times."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.fresh: deque[Subscriber] = deque()
        self.retries: list[tuple[int, int, Subscriber]] = []
        self.is_open = True
        self.until_ms = 0


class Slot(simpy.Event):
    """Moment at which the next call may be dialled."""

    def __init__(self, env: simpy.Environment, delay: int) -> None:
        super().__init__(env)
        self._ok, self._value = True, None
        env.schedule(self, AFTER_ALL_ENDS, delay)


@cache
def whole_call(rate: Rate, wanted_s: int) -> Offer:
    """Return the offer of the longest call of a campaign."""
    return Offer(rate.price(wanted_s), wanted_s * SECOND_MS, rate)


class Campaign:
    """Run of a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        read = Simulation(scenario)  # Its engine never runs: it has read and checked the scenario.
        self.seed, self.plan, self.behaviour = scenario.seed, read.plan, parse_behaviour(scenario.gateway.parameters)
        check_supported(scenario, self.behaviour.call_back)
        self.dnc = dnc_numbers(scenario)
        self.env = simpy.Environment(initial_time=read.start_ms)
        self.zones = {key: Zone(key) for key in read.store.zones(CAMPAIGN_ID)}
        for subscriber in read.subscribers:
            self.zones[subscriber.zone].fresh.append(subscriber)
        self.open_zones: list[Zone] = []
        self.windows_until_ms = 0
        self.balance, self.held, self.rate = read.balance, 0, Rate(read.call_rate)
        self.card = rate_card_of(scenario.account.rate_card)
        limits = scenario.gateway
        self.channels = simpy.Resource(self.env, limits.max_channels) if limits.max_channels else None
        self.recent_ms: deque[int] | None = deque(maxlen=limits.max_cps) if limits.max_cps else None
        self.breaker = CLOSED
        self.call_over = self.env.event()
        self.expiry = self.env.timeout(max(0, self.plan.expires_ms - read.start_ms))
        self.next_dial_us = self.plan.starting_ms * 1_000
        self.first_step = first_step(self.plan.flow)
        self.calls = self.in_progress = self.peak = 0
        self.cdrs: list[Cdr] = []
        self.results: list[tuple[int, SectionResult]] = []
        self.statuses: dict[int, SubscriberStatus] = {}

    def run(self) -> int:
        """Run the campaign, and return the number of calls."""
        self.env.process(self.dial_all())
        self.env.run()
        self.cdrs.sort()
        return len(self.cdrs)

    # --- dialling ---------------------------------------------------------------------------------------------------

    def dial_all(self) -> Steps:
        """Dial a subscriber at every slot until the campaign expires, as long as the gateway has room."""
        env, plan = self.env, self.plan
        while True:
            slot_ms = min(due_ms(self.next_dial_us), plan.expires_ms)
            if slot_ms > env.now:
                yield Slot(env, slot_ms - env.now)
            while plan.max_aleg and self.in_progress >= plan.max_aleg and env.now < plan.expires_ms:
                yield self.call_over | self.expiry
            channel = None
            if self.channels is not None:
                channel = self.channels.request()
                if not channel.triggered:
                    yield channel | self.expiry
            while env.now < (turn_ms := min(self.turn_ms(), plan.expires_ms)):
                yield Slot(env, turn_ms - env.now)
            if env.now >= plan.expires_ms:
                return
            change = self.dial_next(channel)
            if change is not None:
                if channel is not None:
                    self.channels.release(channel)
                yield change

    def dial_next(self, channel: Request | None) -> simpy.Event | None:
        """Dial the next subscriber. If nobody can be called now, return the event after which somebody may be."""
        zone = self.next_zone()
        if zone is None:
            return self.call_over | Slot(self.env, min(self.changes_at_ms(), self.plan.expires_ms) - self.env.now)
        subscriber = self.take(zone)
        offer = self.offer(subscriber)
        if offer is None:
            self.put_back(zone, subscriber)
            return self.call_over | self.expiry if self.held else self.expiry
        self.next_dial_us = fixed_rate(self.plan.frequency, self.next_dial_us, self.env.now)
        self.dial(subscriber, offer, channel)
        return None

    def dial(self, subscriber: Subscriber, offer: Offer, channel: Request | None) -> None:
        """Start a call."""
        self.calls += 1
        self.in_progress += 1
        self.peak = max(self.peak, self.in_progress)
        self.held += offer.hold
        subscriber.attempts += 1
        if self.recent_ms is not None:
            self.recent_ms.append(self.env.now)
        self.env.process(self.call(self.calls, subscriber, offer, channel))

    def turn_ms(self) -> int:
        """Return the time of the gateway's next turn, by its calls a second and by its circuit breaker."""
        now_ms, recent = self.env.now, self.recent_ms
        if self.breaker is not CLOSED:
            now_ms = max(now_ms, self.breaker.open_until_ms)
        return max(now_ms, recent[0] + SECOND_MS) if recent and len(recent) == recent.maxlen else now_ms

    def offer(self, subscriber: Subscriber) -> Offer | None:
        """Return what the free balance pays for, or None if it does not pay for any call."""
        rate = (self.card.find(subscriber.number) if self.card else None) or self.rate
        free, wanted_s = self.balance - self.held, self.plan.callmaxduration_s
        offer = whole_call(rate, wanted_s)
        if offer.hold <= free:
            return offer
        seconds = rate.affordable_s(free, wanted_s)
        return Offer(rate.price(seconds), seconds * SECOND_MS, rate) if seconds else None

    def next_zone(self) -> Zone | None:
        """Return the zone of the next subscriber: the first due retry, else the lowest id. Only open zones count."""
        now_ms = self.env.now
        if now_ms >= self.windows_until_ms:
            self.look_at_windows(now_ms)
        while True:
            due = [zone for zone in self.open_zones if zone.retries and zone.retries[0][0] <= now_ms]
            if due:
                return due[0] if len(due) == 1 else min(due, key=lambda zone: zone.retries[0][:2])
            fresh = [zone for zone in self.open_zones if zone.fresh]
            if not fresh:
                return None
            zone = fresh[0] if len(fresh) == 1 else min(fresh, key=lambda zone: zone.fresh[0].id)
            if not self.is_refused(zone.fresh[0]):
                return zone
            self.statuses[zone.fresh.popleft().id] = SubscriberStatus.NOT_AUTHORIZED

    def take(self, zone: Zone) -> Subscriber:
        """Remove the next subscriber of a zone."""
        is_due = zone.retries and zone.retries[0][0] <= self.env.now
        return heappop(zone.retries)[2] if is_due else zone.fresh.popleft()

    def put_back(self, zone: Zone, subscriber: Subscriber) -> None:
        """Undo `take`, because there is no money for the call."""
        if subscriber.attempts:
            heappush(zone.retries, (subscriber.due_ms, subscriber.id, subscriber))
        else:
            zone.fresh.appendleft(subscriber)

    def is_refused(self, subscriber: Subscriber) -> bool:
        """Return whether a subscriber must not be called."""
        number = subscriber.number
        return (
            number in self.dnc
            or is_emergency(number)
            or is_forbidden(number, EVERYWHERE, self.card)
            or not is_zone_key(subscriber.zone)
        )

    def look_at_windows(self, now_ms: int) -> None:
        """Find out which zones may be called now, and until when."""
        plan = self.plan
        for zone in self.zones.values():
            if not is_zone_key(zone.key):
                zone.until_ms = NEVER_MS
            elif now_ms >= zone.until_ms:
                window = window_at(plan.calendar, zone.key or plan.service_zone, now_ms)
                zone.is_open, zone.until_ms = window.is_open, window.until_ms
        self.open_zones = [zone for zone in self.zones.values() if zone.is_open]
        self.windows_until_ms = min(zone.until_ms for zone in self.zones.values())

    def changes_at_ms(self) -> int:
        """Return when a retry is due or a window opens."""
        retries = [zone.retries[0][0] for zone in self.zones.values() if zone.is_open and zone.retries]
        openings = [zone.until_ms for zone in self.zones.values() if not zone.is_open and (zone.fresh or zone.retries)]
        return min([*retries, *openings], default=NEVER_MS)

    # --- calls ------------------------------------------------------------------------------------------------------

    def call(self, call_id: int, subscriber: Subscriber, offer: Offer, channel: Request | None) -> Steps:
        """Simulate a call from its dial to its end."""
        env, plan = self.env, self.plan
        started_ms, attempt, ring_limit_ms = env.now, subscriber.attempts, plan.ring_limit_ms
        callid = call_uuid(self.seed, CAMPAIGN_ID, subscriber.id, attempt)
        chance = Chance(self.seed, CAMPAIGN_ID, subscriber.id, attempt)
        callee = callee_behind(self.behaviour, subscriber.number, attempt, chance)
        fate = callee.fate
        is_missed = fate.cause is NO_ANSWER or fate.after_ms >= ring_limit_ms
        after_ms = ring_limit_ms if is_missed else fate.after_ms
        if fate.signal_ms < after_ms:
            yield env.timeout(fate.signal_ms)
            after_ms -= fate.signal_ms
        yield env.timeout(after_ms)
        cause, answered_ms, is_completed = NO_ANSWER if is_missed else fate.cause, None, False
        if cause is None:
            cause, answered_ms = CLEARED, env.now
            is_completed = yield from self.talk(call_id, subscriber, callee, offer.talk_limit_ms)
        ended_ms, self.in_progress = env.now, self.in_progress - 1
        bill = bill_leg(offer.rate, started_ms, answered_ms, ended_ms)
        self.held -= offer.hold
        self.balance -= bill.cost
        self.cdrs.append(
            Cdr(
                ended_ms,
                call_id,
                callid,
                plan.callerid,
                subscriber.number,
                started_ms,
                bill.duration,
                bill.billsec,
                bill.billed_duration,
                bill.cost,
                cause,
            )
        )
        if self.breaker is not CLOSED or cause in CARRIER_FAILURES:
            self.breaker = after_attempt(self.breaker, cause, started_ms, ended_ms)
        self.settle(subscriber, cause, is_answered=answered_ms is not None, is_completed=is_completed)
        if channel is not None:
            self.channels.release(channel)
        if self.call_over.callbacks:
            self.call_over.succeed()
            self.call_over = env.event()

    def talk(self, call_id: int, subscriber: Subscriber, callee: Callee, limit_ms: int) -> Talk:
        """Play the survey to a callee, and return whether they have completed it."""
        env, habit_ms, is_completed = self.env, callee.hangs_up_after_ms, False
        cut_ms = env.now + (limit_ms if habit_ms is None else min(habit_ms, limit_ms))
        results: dict[int, SectionResult] = {}
        step = self.first_step
        while step is not None:
            section = step.section
            is_completed |= step.completes
            length_ms, is_heard = heard_ms(step, subscriber, callee)
            if length_ms:
                if env.now + length_ms >= cut_ms or not is_heard:
                    yield env.timeout(min(length_ms, cut_ms - env.now))
                    break
                yield env.timeout(length_ms)
            if not step.asks:
                step = step.after if step.knows_after else step.find_after()
                continue
            digits, after_ms = pressed(callee, step.digits_max, step.timeout_ms)
            if env.now + after_ms >= cut_ms:
                yield env.timeout(cut_ms - env.now)
                break
            yield env.timeout(after_ms)
            turn = step.turns.get(digits) or step.find_turn(SectionInput(digits))
            if turn.response is not None:
                results.pop(section.id, None)
                results[section.id] = SectionResult(section.id, section.type, section.question, turn.response, env.now)
            step = turn.step
        else:
            if callee.talks_on:
                yield env.timeout(cut_ms - env.now)
        self.results += [(call_id, result) for result in results.values()]
        return is_completed

    def settle(self, subscriber: Subscriber, cause: Cause, *, is_answered: bool, is_completed: bool) -> None:
        """Set the status of a subscriber after a call, and put them among the retries if they are called again."""
        plan, after_ms = self.plan, 0
        status = SubscriberStatus.COMPLETED if is_completed else SubscriberStatus.SENT
        if is_answered:
            if not is_completed and plan.flow.has_completion and subscriber.completions < plan.completion_maxretry:
                subscriber.completions += 1
                status, after_ms = SubscriberStatus.PENDING, plan.completion_intervalretry_ms
        else:
            subscriber.failures += 1
            status = SubscriberStatus.FAIL
            if subscriber.failures <= plan.maxretry and cause not in NEVER_RETRIED:
                status, after_ms = SubscriberStatus.PENDING, plan.intervalretry_ms
        self.statuses[subscriber.id] = status
        if status is SubscriberStatus.PENDING:
            subscriber.due_ms = self.env.now + after_ms
            heappush(self.zones[subscriber.zone].retries, (subscriber.due_ms, subscriber.id, subscriber))


def heard_ms(step: SurveyStep, subscriber: Subscriber, callee: Callee) -> tuple[int, bool]:
    """Return how long a callee hears the prompts of a section, and whether they hear their end."""
    total_ms = 0
    for speech in step.speeches_for(subscriber) if step.speeches is None else step.speeches:
        length_ms = speech_ms(speech.text) if speech.length_ms is None else speech.length_ms
        if length_ms and not callee.listens:
            hangs_up_after_ms = callee.hangs_up_within(length_ms)
            if hangs_up_after_ms is not None:
                return total_ms + hangs_up_after_ms, False
        total_ms += length_ms
    return total_ms, True


def check_supported(scenario: Scenario, call_back: int) -> None:
    """Refuse a scenario that needs more than this model has.

    Raises:
        ScenarioError: the message names the part that is not modelled.
    """
    parts = {
        "campaign.dial_method": scenario.campaign.dial_method is not DialMethod.FIXED_RATE,
        "campaign.voicemail": scenario.campaign.voicemail,
        "campaign.amd_behavior": scenario.campaign.amd_behavior is not AmdBehavior.ALWAYS,
        "campaign.intervalretry": not scenario.campaign.intervalretry,
        "gateway.parameters.call_back": call_back > 0,
    }
    for section in scenario.survey.sections:
        definition = SECTION_TYPES[section.type]
        parts[f"section {section.id}"] = definition.acts_before_prompt or definition.acts_after_prompt
    for part, is_used in parts.items():
        if is_used:
            raise ScenarioError(f"{part}: The SimPy model does not have it.")


def digest_of(cdrs: list[Cdr]) -> str:
    """Return the digest of call records."""
    return cdr_digest(map(record_of, cdrs))


def record_of(cdr: Cdr) -> dict[str, object]:
    """Return a call record as the API writes it."""
    return {
        "callid": cdr.callid,
        "callerid": cdr.callerid,
        "phone_number": cdr.phone_number,
        "starting_date": show_date(cdr.started_ms),
        "duration": cdr.duration,
        "billsec": cdr.billsec,
        "call_cost": format_money(cdr.cost),
        "billed_duration": cdr.billed_duration,
        "hangup_cause_q850": int(cdr.cause),
        "leg_type": int(LegType.A_LEG),
        "amd_status": int(AmdStatus.PERSON),
    }
