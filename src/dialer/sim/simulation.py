"""Pure simulation of one scenario: an engine, simulated callees, and a store in memory."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.money import parse_money
from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.zones import zone_key, zone_of_number
from dialer.domain.calls.call_events import DidOpened
from dialer.domain.calls.campaign_events import AccountOpened, CampaignOpened, GatewayOpened
from dialer.domain.calls.events import Event
from dialer.domain.calls.plan_settings import settings_by_name
from dialer.domain.calls.plans import SMS, VOICE, CampaignPlan, GatewayKey, GatewayPlan, Subscriber, amd_of
from dialer.domain.engine.called_off import lists_over
from dialer.domain.engine.engine import Engine
from dialer.domain.numbers.entries import entries_in
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.pacing.inputs import FIRST_ANSWERS
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.kernel import Kernel
from dialer.sim.carrier import SimulatedCarrier
from dialer.sim.population import numbers_of, zone_of_made_up
from dialer.sim.scenario import Scenario, ScenarioError, Weekday, instant_ms
from dialer.sim.scenario_floor import open_agents, open_queues
from dialer.sim.scenario_rates import rate_card_of
from dialer.sim.simulation_store import SimulationStore
from dialer.sim.survey_document import recording_of, survey_of

EVENTS_PER_STEP: Final = 20_000
CAMPAIGN_ID: Final = 1
USER_ID: Final = 1
GATEWAY_ID: Final = GatewayKey(VOICE, 1)
SMS_GATEWAY_ID: Final = GatewayKey(SMS, 1)
DNC_ID: Final = 1
_LIFE_MS: Final = 86_400_000
_AFTER_EXPIRY_MS: Final = 2 * 86_400_000
"""Longer than a call dialled at the last moment can ring and talk."""

_Read = TypeVar("_Read")


class Simulation:
    """One run of a scenario. It is over when its campaign has stopped and no call is in progress.

    Raises:
        ScenarioError: a number of the scenario is not a valid phone number.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario: Final = scenario
        self.zone: Final = ZoneInfo(scenario.timezone)
        self.subscribers: Final = _subscribers(scenario)
        self.plan: Final = _plan(scenario)
        self.store: Final = SimulationStore()
        self.store.add_dnc(DNC_ID, dnc_numbers(scenario))
        self.store.add_campaign(CAMPAIGN_ID, self.subscribers, lists_over(self.plan))
        carrier = SimulatedCarrier(scenario.seed, is_rehearsal=True)
        for gateway_id in (GATEWAY_ID, SMS_GATEWAY_ID):
            carrier.open_gateway(gateway_id, msgspec.json.encode(scenario.gateway.parameters).decode())
        self.start_ms: Final = instant_ms(scenario.start, self.zone)
        self.balance: Final = parse_money(scenario.account.balance)
        self.call_rate: Final = parse_money(scenario.account.call_rate)
        self._kernel: Final = Kernel(Engine(seed=scenario.seed), carrier, self.store, now_ms=self.start_ms)
        self._open()

    @property
    def now_ms(self) -> int:
        """Current time of the run, in milliseconds since the epoch."""
        return self._kernel.now_ms

    def step(self) -> bool:
        """Handle some events, and return whether the run is over."""
        return self._kernel.run(self.plan.expires_ms + _AFTER_EXPIRY_MS, EVENTS_PER_STEP)

    def run(self) -> None:
        """Handle all events until the run is over."""
        while not self.step():
            pass

    def _open(self) -> None:
        gateway = self.scenario.gateway
        sms_rate = parse_money(self.scenario.account.sms_rate)
        card = rate_card_of(self.scenario.account.rate_card)
        self._kernel.apply(AccountOpened(USER_ID, self.balance, 0, Rate(self.call_rate), sms_rate, card))
        self._kernel.apply(GatewayOpened(GatewayPlan(GATEWAY_ID, gateway.max_channels, gateway.max_cps)))
        self._kernel.apply(GatewayOpened(GatewayPlan(SMS_GATEWAY_ID)))
        told: list[Event] = [
            *open_agents(self.scenario.agents, USER_ID),
            *open_queues(self.scenario.queues, self.scenario.agents),
        ]
        told += (DidOpened(index, USER_ID, number, self.plan) for index, number in enumerate(self.scenario.dids, 1))
        for event in told:
            self._kernel.apply(event)
        self._kernel.apply(CampaignOpened(self.plan, CampaignStatus.START, 0, self.store.zones(CAMPAIGN_ID)))


def _plan(scenario: Scenario) -> CampaignPlan:
    part = scenario.campaign
    zone = ZoneInfo(scenario.timezone)
    starting_ms = instant_ms(part.startingdate or scenario.start, zone)
    expires_ms = instant_ms(part.expirationdate, zone) if part.expirationdate else starting_ms + _LIFE_MS
    special: dict[str, Any] = {
        "id": CAMPAIGN_ID,
        "user_id": USER_ID,
        "gateway_id": GATEWAY_ID,
        "flow": CallFlow(survey_of(scenario.survey)),
        "starting_ms": starting_ms,
        "expires_ms": expires_ms,
        "calendar": _calendar(scenario),
        "service_zone": scenario.timezone,
        "amd": amd_of(voicemail=part.voicemail, amd_behavior=part.amd_behavior),
        "voicemail_prompt": recording_of(part.voicemail_audio_seconds),
        "dnc_id": DNC_ID,
        "dnc_ids": (DNC_ID,),
        "is_simulated": True,
        "sms_gateway_id": SMS_GATEWAY_ID,
        "abandon_rate_max": part.abandon_rate_max / 100,
        "first_answers": 0 if part.abandon_from_first else FIRST_ANSWERS,
    }
    return CampaignPlan(**{**settings_by_name(CampaignPlan, msgspec.structs.asdict(part)), **special})


def _calendar(scenario: Scenario) -> Calendar:
    part = scenario.campaign
    monday, tuesday, wednesday, thursday, friday, saturday, sunday = (day in part.weekdays for day in Weekday)
    return Calendar(
        weekdays=(monday, tuesday, wednesday, thursday, friday, saturday, sunday),
        start=part.daily_start_time,
        stop=part.daily_stop_time,
    )


def _subscribers(scenario: Scenario) -> list[Subscriber]:
    """Return the contacts, then the population: one subscriber for each number, with ids from 1."""
    subscribers: dict[str, Subscriber] = {}
    for callee in chain(_contacts(scenario), _made_up(scenario)):
        if callee.number not in subscribers:
            callee.id = len(subscribers) + 1
            subscribers[callee.number] = callee
    return list(subscribers.values())


def _contacts(scenario: Scenario) -> Iterator[Subscriber]:
    for index, contact in enumerate(scenario.contacts):
        number = _normalised(f"contacts[{index}].contact", contact.contact)
        variables = contact.additional_vars
        yield Subscriber(
            id=0,
            number=number,
            zone=zone_key(tz_code=contact.tz_code, gmt_offset="", number_zone=zone_of_number(number)),
            full_name=contact.full_name,
            additional_vars=msgspec.json.encode(variables).decode() if variables else "",
        )


def _made_up(scenario: Scenario) -> Iterator[Subscriber]:
    population = scenario.population
    if population is not None:
        for number in numbers_of(population.patterns, population.size, scenario.seed):
            yield Subscriber(0, number, zone_of_made_up(number))


def dnc_numbers(scenario: Scenario) -> set[str]:
    """Return the numbers on the do-not-call list of a scenario, in normal form. Texts are read kindly, as on a list."""
    return {number for index, text in enumerate(scenario.dnc) for number in _listed(f"dnc[{index}]", text)}


def _listed(place: str, text: str) -> list[str]:
    return [entry.number for entry in _read(place, lambda: entries_in(text, None))[0]]


def _normalised(place: str, number: str) -> str:
    return _read(place, lambda: normalise(number, None))


def _read(place: str, read: Callable[[], _Read]) -> _Read:
    try:
        return read()
    except NumberError as error:
        raise ScenarioError(f"{place}: {error}") from None
