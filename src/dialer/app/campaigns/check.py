"""The check of a campaign before its start: everything that keeps it from starting, and what is probably not meant."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, Select, bindparam, exists, func, or_, select

from dialer.app.campaigns.callerid_check import lacks_callerid
from dialer.app.campaigns.covered_people import CoveredPeople
from dialer.app.campaigns.line_check import (
    language_missing,
    named_queue,
    names_list,
    records_silently,
    texts_people,
    unrecorded_queue,
)
from dialer.app.campaigns.people_by_zone import people_by_zone
from dialer.app.campaigns.placeholders import as_warning, known_names, text_findings
from dialer.app.campaigns.readiness import field_errors, survey_of
from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.calls.plans import HTTP, KANNEL, SIMULATED
from dialer.domain.credentials.gateway_secrets import shows_secrets
from dialer.domain.numbers.agent_contacts import target_number
from dialer.domain.numbers.destinations import Destinations
from dialer.domain.numbers.normal_form import NumberError
from dialer.domain.numbers.prefixes import NO_PREFIXES, Prefixes
from dialer.domain.rules.campaign_check import CampaignFacts, Retries, check_campaign
from dialer.domain.survey.check import check_survey
from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel
from dialer.domain.survey.sections.table import definition_of, keeps_wishes, queue_ids_of, sends_messages
from dialer.domain.survey.survey import Survey
from dialer.domain.words.enums import DialMethod
from dialer.domain.words.sentences import FieldName, RecordName, Sentence
from dialer.domain.words.transcripts import Ears
from dialer.store.queries.area_codes import area_codes_of, looked_up, phonebooks_of, unknown_area_codes
from dialer.store.queries.called_countries import called_countries
from dialer.store.queries.calls_in_progress import gateway_of, gateway_row, sms_gateway_of
from dialer.store.queries.destinations import is_forbidden_for, read_destinations
from dialer.store.queries.doubtful_entries import doubtful_for_campaign
from dialer.store.queries.load_engine import calendar_of
from dialer.store.queries.regions import region_of
from dialer.store.tables import SMS, VOICE, Contact, Subscriber, Tier, User

WITHOUT_COUNTRY_MAX: Final = 1_000
"""Numbers without a country code that are counted."""
JUDGED_MAX: Final = 10_000
"""Numbers whose destinations are judged."""
_CODES: Final[Mapping[str, FindingCode]] = {
    "expirationdate": FindingCode.EXPIRED,
    "text_message": FindingCode.NO_TEXT,
    "dial_method": FindingCode.NO_QUEUE,
    "sms_gateway": FindingCode.NO_SMS_GATEWAY,
    "callerid": FindingCode.WRONG_CALLERID,
    "callerid_group": FindingCode.WRONG_CALLERID,
    "aleg_gateway": FindingCode.WRONG_CLOCK,
    "object_id": FindingCode.UNPLAYABLE,
    "record": FindingCode.NOT_RECORDABLE,
    "record_notice_script": FindingCode.UNPLAYABLE,
}
"""The codes of the fields whose errors keep a campaign from starting."""
_COVERED: Final = ((FindingCode.WRONG_CALLERID, FindingCode.NO_CALLERID),)
"""Errors, each with the warning that tells nothing more beside it."""
_CODES_WITH_TEXTS: Final = {**_CODES, "sms_gateway": FindingCode.WRONG_CLOCK}
"""The codes of campaigns that have an SMS gateway."""

_AFTER_PLUS: Final = chr(ord("+") + 1)
"""The first character after `+`. Numbers are sorted, so those from here on have no country code."""
# Statements are built once, as building one takes longer than running it. Those of contacts come first.
_LISTS: Final = (
    (Contact.number, Contact.phonebook_id.in_(bindparam("phonebooks", expanding=True))),
    (Subscriber.number, Subscriber.campaign_id == bindparam("campaign")),
)
_NUMBERS: Final[list[Select[Any]]] = [select(number).where(is_theirs).limit(JUDGED_MAX) for number, is_theirs in _LISTS]
_WITHOUT_COUNTRY: Final[list[tuple[Select[Any], Select[Any]]]] = [
    (
        select(func.count()).select_from(
            select(number).where(is_theirs, number >= _AFTER_PLUS).limit(WITHOUT_COUNTRY_MAX).subquery()
        ),
        select(number).where(is_theirs, number >= _AFTER_PLUS).limit(1),
    )
    for number, is_theirs in _LISTS
]
_HAS_PEOPLE: Final = select(or_(*[exists().where(is_theirs) for _, is_theirs in _LISTS]))
_NO_BALANCE: Final = {
    medium: select(User.id).where(User.id == bindparam("user"), rate > 0, User.balance <= User.held)
    for medium, rate in ((SMS, User.sms_rate), (VOICE, User.call_rate))
}
_SERVED: Final = select(Tier.queue_id).where(Tier.queue_id.in_(bindparam("queues", expanding=True))).distinct()


def findings_of_campaign(
    connection: Connection,
    campaign: Mapping[str, Any],
    now_ms: int,
    *,
    service_zone: str,
    hours: CallingHours,
    covered: CoveredPeople | None,
    ears: Ears,
) -> list[Finding]:
    """Return all findings about a campaign and its survey; without errors, a new campaign can be started.

    `covered` are the `covered_people` of the campaign, and `ears` those of the service.
    """
    from dialer.app.campaigns.duty_check import check_duty  # noqa: PLC0415 - a start does without

    survey, is_sealed = survey_of(connection, campaign)
    known = known_names(connection, campaign["id"])
    of_survey = check_survey(survey, known) if campaign["medium"] == VOICE else []
    if is_sealed:  # It has been started with this survey, which nobody can change any more.
        of_survey = [
            as_warning(finding) if finding.code is FindingCode.UNKNOWN_PLACEHOLDER else finding
            for finding in of_survey
            if finding.level is not FindingLevel.ERROR or finding.code is FindingCode.UNKNOWN_PLACEHOLDER
        ]
    codes = _CODES if campaign["sms_gateway_id"] is None else _CODES_WITH_TEXTS
    errors = [
        Finding(FindingLevel.ERROR, codes[field], None, message, field=field)
        for field, messages in field_errors(connection, campaign, survey, now_ms).items()
        for message in messages
    ]
    of_text = text_findings(connection, campaign, known)
    lacking = 0 if covered is None else covered.needed - covered.covered
    facts = _facts(connection, campaign, survey, now_ms, service_zone, hours, lacking)
    warnings = [*check_campaign(facts), *check_duty(connection, campaign, survey, now_ms)]
    warnings += _check_language(language_missing(connection, campaign, survey))
    if campaign["transcribe"] and not ears:
        warnings.append(_nobody_writes())
    error_codes = {finding.code for finding in errors}
    needless = {warning for error, warning in _COVERED if error in error_codes}
    return of_survey + errors + of_text + [finding for finding in warnings if finding.code not in needless]


def _check_language(language: str) -> Iterator[Finding]:
    if language:
        message = Sentence(
            "The server of speech has no voice for %(language)s, so the service's voice speaks the texts. An admin can"
            " name one in DIALER_SPEECH_VOICES, or set the %(field)s of the survey.",
            language=language,
            field=FieldName("voice", "survey-template"),
        )
        yield Finding(FindingLevel.WARNING, FindingCode.LANGUAGE_MISSING, None, message, field="object_id")


def _nobody_writes() -> Finding:
    message = Sentence(
        "What is said in recorded calls is not written down, as the service has no server and no program for it. An"
        " admin can name one in DIALER_TRANSCRIPTION_URL."
    )
    return Finding(FindingLevel.WARNING, FindingCode.NOBODY_WRITES, None, message, field="transcribe")


def _facts(
    connection: Connection,
    campaign: Mapping[str, Any],
    survey: Survey,
    now_ms: int,
    service_zone: str,
    hours: CallingHours,
    without_consent: int,
) -> CampaignFacts:
    from dialer.app.campaigns.skills_check import unserved_skills  # noqa: PLC0415 - a start does without
    from dialer.app.campaigns.states_check import unknown_states  # noqa: PLC0415 - a start does without

    gateway, phonebooks = gateway_row(connection, gateway_of(campaign)), phonebooks_of(connection, campaign["id"])
    without_country, example = _without_country(connection, campaign["id"], phonebooks)
    prefixes = NO_PREFIXES if gateway is None else Prefixes(gateway["addprefix"], gateway["removeprefix"])
    destinations = read_destinations(connection, campaign["user_id"])
    forbidden = _forbidden(connection, campaign, phonebooks, destinations, prefixes)
    lists = looked_up(area_codes_of(connection, campaign["id"], phonebooks))
    people, counts_part = people_by_zone(connection, campaign["id"], phonebooks)
    return CampaignFacts(
        people_by_zone=tuple(people),
        counts_part=counts_part,
        forbidden=len(forbidden),
        forbidden_example=next(iter(forbidden), ""),
        forbidden_sections=tuple(_forbidden_sections(connection, campaign["user_id"], survey, destinations, prefixes)),
        now_ms=now_ms,
        starting_ms=campaign["startingdate"],
        expires_ms=campaign["expirationdate"],
        calendar=calendar_of(campaign),
        hours=hours.over(is_simulated=gateway is None or gateway["protocol"] == SIMULATED),
        service_zone=service_zone,
        retries=tuple(_retries(campaign)),
        is_used_up_by_carrier=_is_used_up_by_carrier(gateway, campaign),
        has_phonebook=bool(phonebooks),
        has_people=_has_people(connection, campaign["id"], phonebooks),
        has_no_balance=_has_no_balance(connection, campaign),
        without_consent=without_consent,
        lacks_purpose=not campaign["purpose"],
        lacks_callerid=lacks_callerid(connection, campaign),
        without_country=without_country,
        without_country_example=example,
        without_country_max=WITHOUT_COUNTRY_MAX,
        unknown_areas=unknown_area_codes(connection, lists),
        queues_without_agents=tuple(_queues_without_agents(connection, survey)),
        unknown_states=unknown_states(connection, campaign["id"], phonebooks),
        unserved_skills=tuple(unserved_skills(connection, campaign["id"], phonebooks, survey)),
        doubtful_entries=doubtful_for_campaign(connection, campaign["id"], campaign["dnc_id"]),
        shows_secrets=_shows_secrets(connection, campaign),
        is_at_fixed_pace=campaign["dial_method"] == DialMethod.FIXED_RATE,
        has_agents=bool(queue_ids_of(survey)),
        ends_when_done=campaign["end_when_done"],
        abandon_limit=campaign["abandon_rate_max"] / MONEY_SCALE,
        countries=called_countries(connection, lists),
        lacks_list=_hears_wishes(campaign, survey) and not names_list(connection, campaign),
        texts_people=texts_people(connection, campaign, survey),
        records_silently=records_silently(connection, campaign, survey),
        unrecorded_queue=unrecorded_queue(connection, campaign, survey),
    )


def _has_no_balance(connection: Connection, campaign: Mapping[str, Any]) -> bool:
    """Return whether attempts have a price, and the owner has nothing beside what calls in progress hold."""
    return connection.scalar(_NO_BALANCE[campaign["medium"]], {"user": campaign["user_id"]}) is not None


def _hears_wishes(campaign: Mapping[str, Any], survey: Survey) -> bool:
    """Return whether people can ask not to be called again: by a section, an agent, or the answer to a message."""
    return campaign["medium"] == SMS or keeps_wishes(survey) or sends_messages(survey) or bool(queue_ids_of(survey))


def _shows_secrets(connection: Connection, campaign: Mapping[str, Any]) -> bool:
    """Return whether the campaign's gateway for messages sends its secrets in clear."""
    row = gateway_row(connection, sms_gateway_of(campaign))
    return row is not None and row["protocol"] in {HTTP, KANNEL} and shows_secrets(row["parameters"])


def _retries(campaign: Mapping[str, Any]) -> Iterator[Retries]:
    for prefix in ("", "completion_"):
        count, interval = f"{prefix}maxretry", f"{prefix}intervalretry"
        yield Retries(count, interval, campaign[count], campaign[interval] * 1_000)


def _is_used_up_by_carrier(gateway: RowMapping | None, campaign: Mapping[str, Any]) -> bool:
    """Return whether the only call of a person may be one that a real carrier cannot place."""
    is_real = campaign["medium"] == VOICE and gateway is not None and gateway["protocol"] != SIMULATED
    return is_real and campaign["maxretry"] == 0 and campaign["carrier_maxretry"] == 0


def _has_people(connection: Connection, campaign_id: int, phonebooks: list[int]) -> bool:
    return bool(connection.scalar(_HAS_PEOPLE, {"phonebooks": phonebooks, "campaign": campaign_id}))


def _without_country(connection: Connection, campaign_id: int, phonebooks: list[int]) -> tuple[int, str]:
    """Count the numbers of contacts, else of subscribers, without a country code, and return one of them."""
    asked = {"phonebooks": phonebooks, "campaign": campaign_id}
    for count_query, first in _WITHOUT_COUNTRY:
        count = connection.scalar(count_query, asked)
        if count:
            return int(count), str(connection.scalar(first, asked))
    return 0, ""


def _forbidden(
    connection: Connection,
    campaign: Mapping[str, Any],
    phonebooks: list[int],
    destinations: Destinations,
    prefixes: Prefixes,
) -> list[str]:
    """Return the numbers that the account may not call, among the first contacts, or the first subscribers."""
    user_id, asked = campaign["user_id"], {"phonebooks": phonebooks, "campaign": campaign["id"]}
    for query in _NUMBERS:
        forbidden = [
            number
            for number in connection.scalars(query, asked).all()
            if is_forbidden_for(connection, user_id, destinations, number, prefixes)
        ]
        if forbidden:
            return forbidden
    return []


def _forbidden_sections(
    connection: Connection, user_id: int, survey: Survey, destinations: Destinations, prefixes: Prefixes
) -> Iterator[int]:
    for section in survey.sections:
        if definition_of(section).transfers and section.queue_id is None:
            with suppress(NumberError):
                number = target_number(section.phonenumber, region_of(connection, user_id))
                if is_forbidden_for(connection, user_id, destinations, number, prefixes):
                    yield section.id


def _queues_without_agents(connection: Connection, survey: Survey) -> Iterator[tuple[int, RecordName]]:
    transfers = [
        (section.id, section.queue_id)
        for section in survey.sections
        if definition_of(section).transfers and section.queue_id is not None
    ]
    queue_ids = {queue_id for _, queue_id in transfers}
    served = set(connection.scalars(_SERVED, {"queues": list(queue_ids)})) if queue_ids else set()
    return (
        (section_id, named_queue(connection, queue_id)) for section_id, queue_id in transfers if queue_id not in served
    )
