"""Scenario: one campaign and all that it needs in one JSON document, to run without a server or a database."""

import re
from datetime import UTC, datetime, time, tzinfo
from enum import StrEnum
from typing import Annotated, Any, Final, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from dialer.domain.billing.money import MoneyError, parse_money
from dialer.domain.billing.rates import CARDS_MAX
from dialer.domain.calling_times.zones import is_zone
from dialer.domain.pacing.fixed import FREQUENCY_MAX
from dialer.domain.pacing.inputs import ABANDON_HOURS, ABANDON_HOURS_MAX, ABANDON_RATE_MAX_DEFAULT
from dialer.domain.pacing.strategies import STRATEGIES
from dialer.domain.queueing.plans import PREVIEW_SECONDS_MAX, PREVIEW_SECONDS_MIN
from dialer.domain.survey.agent_urls import AGENT_URL_MAX
from dialer.domain.survey.sections import fields
from dialer.domain.survey.sections.agent_fields import PATIENCE_MAX
from dialer.domain.survey.sections.capture_digits import CAPTURED_MAX, DIGITS_MAX
from dialer.domain.survey.sections.multi_choice import LABEL_MAX
from dialer.domain.survey.sections.rating import LAPS_MAX
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_INVALID, BRANCH_TIMEOUT
from dialer.domain.words.enums import AmdBehavior, DialMethod, SectionType
from dialer.sim.callee_profile import parse_behaviour
from dialer.sim.limits import SEED_MAX
from dialer.sim.population import PopulationError, capacity_of
from dialer.sim.scenario_floor import (
    AGENTS_MAX,
    QUEUES_MAX,
    AgentPart,
    CallCentreError,
    QueuePart,
    check_floor,
)
from dialer.sim.scenario_rates import RateCardError, RateCardPart, rate_card_of
from dialer.sim.spans import BehaviourError

SCENARIO_BYTES_MAX: Final = 64 * 1_048_576
POPULATION_MAX: Final = 1_000_000
CONTACTS_MAX: Final = 100_000
PATTERNS_MAX: Final = 1_000
SECTIONS_MAX: Final = 1_000
BRANCHES_MAX: Final = 1_000
CALL_SECONDS_MAX: Final = 86_400
RING_SECONDS_MAX: Final = 3_600
INTERVAL_SECONDS_MAX: Final = 31_536_000
RETRIES_MAX: Final = 1_000
LOAD_MAX: Final = 2**31 - 1
AGENT_DIAL_RATE_MAX: Final = 100
YEAR_MIN: Final = 1970
YEAR_MAX: Final = 2200
MESSAGE_LENGTH_MAX: Final = 300
_LOCATED: Final = re.compile(r"(.*) - at `(?:key` in `)?\$\.?(.*)`\Z", re.DOTALL)
_BRANCH_KEYS: Final = rf"^(?:[0-9]{{1,{DIGITS_MAX}}}|{BRANCH_TIMEOUT}|{BRANCH_INVALID}|{BRANCH_ANY})\Z"
_CONFIRM_KEY: Final = r"^[0-9*#]?\Z"

_Text = Annotated[str, Meta(max_length=255)]
_Number = Annotated[str, Meta(max_length=64)]
_Script = Annotated[str, Meta(max_length=fields.SCRIPT_MAX)]
_Label = Annotated[str, Meta(max_length=LABEL_MAX)] | None
_Count = Annotated[int, Meta(ge=0, le=LOAD_MAX)]
_Retries = Annotated[int, Meta(ge=0, le=RETRIES_MAX)]
_Interval = Annotated[int, Meta(ge=0, le=INTERVAL_SECONDS_MAX)]
_Entered = Annotated[int, Meta(ge=0, le=CAPTURED_MAX)]
_Audio = Annotated[float, Meta(ge=0, le=CALL_SECONDS_MAX)] | None
_WallTime = Annotated[time, Meta(tz=False)]
_Amount = int | float | str
_Document = TypeVar("_Document")


class ScenarioError(ValueError):
    """Raised for an invalid document. The message is one line that begins with the path of the error."""


class Weekday(StrEnum):
    """Day of the week, in the order of `dialer.domain.calling_times.calling_windows.Calendar`."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Part of the document. Unknown fields are errors, so that typing errors are found."""


class AccountPart(_Part, frozen=True):
    """The account that pays for the calls of a scenario. Without any fields, calls cost nothing."""

    balance: _Amount = 0
    call_rate: _Amount = 0
    """Price of a minute."""
    sms_rate: _Amount = 0
    """Price of one part of a text message that a section sends."""
    rate_card: Annotated[tuple[RateCardPart, ...], Meta(max_length=CARDS_MAX)] = ()
    """Rates by number prefix, which replace `call_rate`. The longest matching prefix applies."""


class GatewayPart(_Part, frozen=True):
    """Gateway of the campaign, and the behaviour of its callees."""

    max_channels: _Count = 0
    max_cps: _Count = 0
    parameters: dict[str, Any] = {}


class CampaignPart(_Part, frozen=True):
    """Fields of a voice campaign, with the API's defaults. Durations are in seconds."""

    frequency: Annotated[int, Meta(ge=1, le=FREQUENCY_MAX)] = 10
    max_aleg: _Count = 0
    calltimeout: Annotated[int, Meta(ge=1, le=RING_SECONDS_MAX)] = 45
    callmaxduration: Annotated[int, Meta(ge=1, le=CALL_SECONDS_MAX)] = 1_800
    maxretry: _Retries = 0
    intervalretry: _Interval = 300
    carrier_maxretry: _Retries = 0
    completion_maxretry: _Retries = 0
    completion_intervalretry: _Interval = 900
    abandoned_maxretry: _Retries = 0
    abandoned_intervalretry: _Interval = 259_200
    daily_start_time: _WallTime = time(0, 0, 0)
    daily_stop_time: _WallTime = time(23, 59, 59)
    weekdays: tuple[Weekday, ...] = tuple(Weekday)
    startingdate: datetime | None = None
    """Default: the scenario's `start`."""
    expirationdate: datetime | None = None
    """Default: one day after `startingdate`."""
    max_xfer: _Count = 0
    dial_method: DialMethod = DialMethod.FIXED_RATE
    strategy: str = ""
    """Name of a pacing strategy, for a campaign that dials for agents. Default: the strategy of `dial_method`."""
    agent_dial_rate: Annotated[float, Meta(gt=0, le=AGENT_DIAL_RATE_MAX)] = 1.0
    preview_seconds: Annotated[int, Meta(ge=PREVIEW_SECONDS_MIN, le=PREVIEW_SECONDS_MAX)] = 60
    preview_calls: bool = False
    abandon_rate_max: Annotated[float, Meta(ge=0, le=100)] = ABANDON_RATE_MAX_DEFAULT
    """Per cent of the calls that persons answered."""
    abandon_from_first: bool = False
    """True holds it from the first answer on, as on gateways that are not simulated."""
    abandon_hours: Annotated[int, Meta(ge=1, le=ABANDON_HOURS_MAX)] = ABANDON_HOURS
    callerid: Annotated[str, Meta(max_length=80)] = ""
    voicemail: bool = False
    amd_behavior: AmdBehavior = AmdBehavior.ALWAYS
    machine_is_reached: bool = False
    voicemail_audio_seconds: _Audio = None


class SectionPart(_Part, frozen=True):
    """Fields of a section. Its id is local to this document, and a recording is given by its length in seconds."""

    id: int
    question: Annotated[str, Meta(min_length=1, max_length=500)]
    type: int | str = SectionType.PLAY_MESSAGE
    """The number of a type, or its name in small letters, such as `multi_choice`."""
    script: _Script = ""
    audiofile: _Text | None = None
    """Name of the recording, which `dialer apply` reads. A simulation needs its length only."""
    audio_seconds: _Audio = None
    invalid_audiofile: _Text | None = None
    invalid_audio_seconds: _Audio = None
    retries: Annotated[int, Meta(ge=0, le=fields.RETRIES_MAX)] = 0
    timeout: Annotated[int, Meta(ge=0, le=fields.SECONDS_MAX)] | None = None
    """None: as for its type."""
    key_0: _Label = None
    key_1: _Label = None
    key_2: _Label = None
    key_3: _Label = None
    key_4: _Label = None
    key_5: _Label = None
    key_6: _Label = None
    key_7: _Label = None
    key_8: _Label = None
    key_9: _Label = None
    rating_laps: Annotated[int, Meta(ge=1, le=LAPS_MAX)] = 9
    validate_number: bool = True
    number_digits: Annotated[int, Meta(ge=1, le=DIGITS_MAX)] = 2
    min_number: _Entered = 0
    max_number: _Entered = 99
    completed: bool = False
    record_pause: bool | None = None
    """True for silence in recordings of calls. None: as for its type."""
    phonenumber: _Number = ""
    queue: int | None = None
    """Queue that a transfer goes to, instead of `phonenumber`."""
    confirm_script: _Script = ""
    confirm_key: Annotated[str, Meta(pattern=_CONFIRM_KEY)] = ""
    conference: Annotated[str, Meta(max_length=50)] = ""
    sms_text: _Script = ""
    agent_url: Annotated[str, Meta(max_length=AGENT_URL_MAX)] = ""
    agent_secret: Annotated[str, Meta(max_length=255)] = ""
    """Files of `dialer apply` may have it. Nothing is signed here."""
    agent_parameters: tuple[str, ...] | str = ""
    disclosure: _Script = ""
    disclosure_audiofile: _Text | None = None
    disclosure_audio_seconds: _Audio = None
    patience: Annotated[int, Meta(ge=1, le=PATIENCE_MAX)] = 20
    on_completed: str = ""
    branches: Annotated[
        dict[Annotated[str, Meta(pattern=_BRANCH_KEYS)], int | None], Meta(max_length=BRANCHES_MAX)
    ] = {}

    @property
    def number_of_type(self) -> int:
        """Return the number of the section's type; 0 for a name that no type has."""
        if isinstance(self.type, int):
            return self.type
        return next((one.value for one in SectionType if one.name.lower() == self.type), 0)


class SurveyPart(_Part, frozen=True):
    """Survey that is played. A call begins at the first section."""

    sections: Annotated[tuple[SectionPart, ...], Meta(min_length=1, max_length=SECTIONS_MAX)]

    @property
    def has_transfer_to_queue(self) -> bool:
        """True if a section transfers calls to a queue."""
        return any(
            section.queue is not None for section in self.sections if SECTION_TYPES[section.number_of_type].transfers
        )


class ContactPart(_Part, frozen=True):
    """Contact to call."""

    contact: _Number
    full_name: _Text = ""
    additional_vars: dict[str, Any] = {}
    tz_code: Annotated[str, Meta(max_length=64)] = ""


class PopulationPart(_Part, frozen=True):
    """Generated contacts, whose numbers match patterns such as `+1202555xxxx`. Equal seeds give equal numbers."""

    size: Annotated[int, Meta(ge=1, le=POPULATION_MAX)]
    patterns: Annotated[tuple[_Number, ...], Meta(min_length=1, max_length=PATTERNS_MAX)]


class Scenario(_Part, frozen=True):
    """Whole document. `contacts` come before the population, so they are called first."""

    start: datetime
    """Start of the virtual clock; without an offset, in `timezone`."""
    survey: SurveyPart
    seed: Annotated[int, Meta(ge=0, le=SEED_MAX)] = 0
    timezone: str = "UTC"
    """Time zone of dates without an offset, and of callees whose number does not determine their zone."""
    account: AccountPart = AccountPart()
    gateway: GatewayPart = GatewayPart()
    campaign: CampaignPart = CampaignPart()
    contacts: Annotated[tuple[ContactPart, ...], Meta(max_length=CONTACTS_MAX)] = ()
    population: PopulationPart | None = None
    dnc: Annotated[tuple[_Number, ...], Meta(max_length=POPULATION_MAX)] = ()
    queues: Annotated[tuple[QueuePart, ...], Meta(max_length=QUEUES_MAX)] = ()
    agents: Annotated[tuple[AgentPart, ...], Meta(max_length=AGENTS_MAX)] = ()
    dids: Annotated[tuple[_Number, ...], Meta(max_length=PATTERNS_MAX)] = ()
    """Numbers at which the campaign answers callees who call back."""


def parse_scenario(document: bytes) -> Scenario:
    """Return the scenario of a JSON document.

    Raises:
        ScenarioError: the document is not JSON, has an unknown or missing field, or has a value out of bounds.
    """
    scenario = _decoded(document, Scenario)
    _check(scenario)
    return scenario


def parse_survey(document: object) -> SurveyPart:
    """Return the survey that an object of JSON describes: the part `survey` of a scenario. Any queue may be named.

    Raises:
        ScenarioError: the document has an unknown or missing field, or a value out of bounds.
    """
    try:
        survey = msgspec.convert(document, SurveyPart)
    except msgspec.ValidationError as error:
        raise ScenarioError(_located(str(error))) from None
    _check_section_types(survey)
    _check_survey(survey, {section.queue for section in survey.sections if section.queue is not None})
    return survey


def _decoded(document: bytes, kind: type[_Document]) -> _Document:
    if len(document) > SCENARIO_BYTES_MAX:
        raise ScenarioError(f"A document must have at most {SCENARIO_BYTES_MAX} bytes.")
    try:
        return msgspec.json.decode(document, type=kind)
    except msgspec.ValidationError as error:
        raise ScenarioError(_located(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ScenarioError(f"Not valid JSON: {error}") from None


def instant_ms(moment: datetime, zone: tzinfo) -> int:
    """Return a date as milliseconds since the epoch. A date without an offset is in `zone`."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return int((aware - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1_000)


def _located(message: str) -> str:
    """Return the validator's message, printable and with the path first: `campaign.frequency: Expected …`."""
    message = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in message)
    match = _LOCATED.match(message)
    located = f"{match[2]}: {match[1]}" if match and match[2] else message.removesuffix(" - at `$`")
    return located[:MESSAGE_LENGTH_MAX]


def _check(scenario: Scenario) -> None:
    """Check the rules that concern several values, and the rules of other modules."""
    _check_section_types(scenario.survey)
    if not is_zone(scenario.timezone):
        raise ScenarioError("timezone: Not an IANA time zone, such as Europe/Berlin.")
    if not scenario.contacts and scenario.population is None:
        raise ScenarioError("contacts: The scenario has no contacts. Set contacts, population or both.")
    _check_account(scenario.account)
    _check_campaign(scenario)
    _check_survey(scenario.survey, {queue.id for queue in scenario.queues})
    try:
        check_floor(scenario.queues, scenario.agents)
    except CallCentreError as error:
        raise ScenarioError(str(error)) from None
    try:
        parse_behaviour(scenario.gateway.parameters)
    except BehaviourError as error:
        raise ScenarioError(f"gateway.parameters.{error}") from None
    if scenario.population is not None:
        _check_population(scenario.population)


def _check_section_types(survey: SurveyPart) -> None:
    for index, section in enumerate(survey.sections):
        if section.number_of_type not in SECTION_TYPES:
            raise ScenarioError(f"survey.sections[{index}].type: Invalid enum value {section.type}")


def _check_account(account: AccountPart) -> None:
    for name in ("balance", "call_rate", "sms_rate"):
        try:
            amount = parse_money(getattr(account, name))
        except MoneyError as error:
            raise ScenarioError(f"account.{name}: {error}") from None
        if amount < 0:
            raise ScenarioError(f"account.{name}: Ensure that this amount is not negative.")
    try:
        rate_card_of(account.rate_card)
    except RateCardError as error:
        raise ScenarioError(f"account.rate_card{error}") from None


def _check_campaign(scenario: Scenario) -> None:
    campaign = scenario.campaign
    if campaign.strategy and campaign.strategy not in STRATEGIES:
        raise ScenarioError(f"campaign.strategy: Must be one of {', '.join(STRATEGIES)}.")
    is_paced = campaign.dial_method is not DialMethod.FIXED_RATE
    if is_paced and not scenario.survey.has_transfer_to_queue:
        raise ScenarioError("campaign.dial_method: Dialling for agents needs a transfer to a queue in the survey.")
    if campaign.daily_start_time == campaign.daily_stop_time:
        raise ScenarioError("campaign.daily_stop_time: The daily window must not end when it begins.")
    dates = {
        "start": scenario.start,
        "campaign.startingdate": campaign.startingdate,
        "campaign.expirationdate": campaign.expirationdate,
    }
    for name, moment in dates.items():
        if moment is not None and not YEAR_MIN < moment.year < YEAR_MAX:
            raise ScenarioError(f"{name}: The year must be after {YEAR_MIN} and before {YEAR_MAX}.")
    if campaign.expirationdate is not None:
        zone = ZoneInfo(scenario.timezone)
        starting_ms = instant_ms(campaign.startingdate or scenario.start, zone)
        if instant_ms(campaign.expirationdate, zone) <= starting_ms:
            raise ScenarioError("campaign.expirationdate: The campaign must expire after its startingdate.")


def _check_survey(survey: SurveyPart, queue_ids: set[int]) -> None:
    known = {section.id for section in survey.sections}
    if len(known) < len(survey.sections):
        raise ScenarioError("survey.sections: Two sections have the same id.")
    for section in survey.sections:
        place = f"survey.sections: Section {section.id}"
        if section.min_number > section.max_number:
            raise ScenarioError(f"{place} has a min_number above its max_number.")
        if section.queue is not None and section.queue not in queue_ids:
            raise ScenarioError(f"{place} names queue {section.queue}, which does not exist.")
        for keys, target in section.branches.items():
            if target is not None and target not in known:
                raise ScenarioError(f"{place} has a branch {keys} to section {target}, which does not exist.")


def _check_population(population: PopulationPart) -> None:
    try:
        capacity = capacity_of(population.patterns)
    except PopulationError as error:
        raise ScenarioError(f"population.patterns: {error}") from None
    if population.size > capacity:
        raise ScenarioError(f"population.size: The patterns have room for {capacity} numbers at most.")
