"""Trials of campaigns: one call, or one text message, to the telephone of a user, as a person of the campaign gets it.

A trial is a campaign of its own with one subscriber, so every rule of dialling holds, and figures and people of the
campaign that is tried stay as they are. Lists leave it out. The newest `TRIALS_KEPT_MAX` of a campaign are kept.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import time
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, insert, select

from dialer.app.accounts.own_telephones import await_code, confirmed_number
from dialer.app.campaigns.delete import delete_campaign, trials_of
from dialer.app.campaigns.line_check import texts_people
from dialer.app.campaigns.placeholders import phonebooks_of_campaign
from dialer.app.campaigns.readiness import field_errors, ready_survey, survey_of
from dialer.app.campaigns.refusals import refusal_of
from dialer.app.campaigns.subscribers import add_subscriber
from dialer.app.campaigns.texts_to_send import ExamplePerson, example_person
from dialer.app.campaigns.trial_calls import TrialRules, outside_hours, wanted_number
from dialer.app.overview.first_steps import CAMPAIGN_TRIED
from dialer.app.work.errors import CampaignNotReadyError, ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.touched_records import touched_campaigns
from dialer.app.work.unit import RecordWritten, UnitOfWork
from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import window_at
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.calls.call_recording import NO_CALL
from dialer.domain.calls.plans import SIMULATED
from dialer.domain.engine.credit import message_of
from dialer.domain.messages.confirmation_codes import code_variables
from dialer.domain.messages.templates import variables_of
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.rules.why_waiting import why_not_now
from dialer.domain.survey.sections.table import transfers_to_number
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import AmdBehavior, CampaignStatus, DialMethod, SectionType
from dialer.domain.words.reasons import WaitsFor
from dialer.domain.words.sentences import Sentence
from dialer.domain.words.voices import AS_SET
from dialer.store.queries.calls_in_progress import gateway_of, gateway_row
from dialer.store.queries.in_progress import may_say_a_name
from dialer.store.queries.sealed_surveys import chosen_voice, seal
from dialer.store.queries.why_waiting import circumstances_of, people_facts
from dialer.store.rows.limits import spend
from dialer.store.tables import SMS, Campaign, CampaignDncList, Subscriber, User
from dialer.store.timeline.reading import WEEKDAYS

TRIALS_AN_HOUR_MAX: Final = 20
"""Trials of an account in an hour."""
TRIAL_LIFE_MS: Final = 600_000
"""Time after which a trial that waits, as for a free channel, is given up."""
TRIALS_KEPT_MAX: Final = 20
"""Trials of a campaign that are kept, the newest."""
TRIAL_SUFFIX: Final = " \N{EN DASH} test"
_HOUR_US: Final = 3_600_000_000
_NAME_MAX: Final = 100
_GOES_ON: Final = frozenset({WaitsFor.RETRY, WaitsFor.TURN, WaitsFor.GATEWAY_FULL})
"""The waits that do not refuse a trial: its call is placed at once, or as soon as a channel is free."""
_NOBODY: Final = ExamplePerson(0, "Alex Example", "{}", "")
"""Stands for a person, in a campaign without people."""
_OTHER_NUMBERS: Final = frozenset({"sms_phonenumber", "transfer_phonenumber"})
"""Columns by which a survey reaches another telephone than that of the call. A trial reaches no telephone of people."""
_BRINGS_NO_CODE: Final = Sentence(
    "The calls of this campaign are simulated and bring no code, but its text messages are real. Confirm your telephone"
    " with a test of another campaign."
)


class CodeMessage(NamedTuple):
    """A message that brings a code to a telephone."""

    code: str
    """Digits."""
    text: str
    """The words around it, which have `CODE_PLACE`."""
    title: str
    """A name for it."""


class CampaignTrial(NamedTuple):
    """The order to try a campaign."""

    campaign_id: int
    number: str
    any_hour: bool
    """True if the user wants the call although it is outside of the calling hours. It must be their `telephone`."""
    actor_id: int
    """The user who gives the order."""
    code: str
    """The code of the new campaign, which no campaign has."""
    reaches_anybody: bool = False
    """True if the user may call telephones that they did not confirm to be their own: admins may."""
    message: CodeMessage | None = None
    """The message that the telephone gets in place of the campaign, to confirm whose it is."""


class _Content(NamedTuple):
    """The survey or text of a trial, and the person as whom the telephone is called."""

    survey: Survey
    person: ExamplePerson
    changes: dict[str, Any]
    """The settings of the campaign that do not hold."""


def begin_trial(unit: UnitOfWork, order: CampaignTrial, rules: TrialRules) -> int:
    """Call, or write to, a number as the campaign does to one of its people; return the id of the trial.

    Raises:
        UnknownRecordError: there is no such campaign.
        InvalidFieldsError: the number is an emergency number, a special one, or has no country.
        CampaignNotReadyError: the campaign lacks something that a start needs.
        RefusedError: the number may not be called, or not now, or is not confirmed to be the user's own; or a trial of
            the account is in progress.
    """
    campaign = _read(unit.connection, order.campaign_id)
    number = wanted_number(order.number, rules.region)
    is_own = _is_own(unit.connection, order, campaign, number, rules)
    _take_turn(unit, campaign["user_id"])
    row = _settings(campaign, order.code, unit.now_ms)
    content = _content(unit, order, {**campaign, **{name: row[name] for name in ("expirationdate", "dial_method")}})
    row |= content.changes
    rings_others = _rings_others(unit.connection, campaign, content.survey)
    if rings_others or not (order.any_hour and is_own):
        closes_ms = _end_of_hours(unit, campaign, number, rules, is_own=is_own, rings_others=rings_others)
        row["expirationdate"] = min(row["expirationdate"], closes_ms)
    _forget_oldest(unit, order.campaign_id)
    trial_id = int(unit.connection.scalars(insert(Campaign).values(row).returning(Campaign.id)).one())
    _copy_lists(unit.connection, order.campaign_id, trial_id)
    if campaign["medium"] != SMS:
        seal(unit.connection, trial_id, content.survey, tried_id=order.campaign_id)
    _refuse_blank_text(row, content.person, number)
    _refuse_unless_callable(unit, add_subscriber(unit, _subscriber(unit, row, trial_id, content.person, number)), rules)
    _tell(unit, order, campaign, trial_id, number)
    return trial_id


def _is_own(
    connection: Connection, order: CampaignTrial, campaign: Mapping[str, Any], number: str, rules: TrialRules
) -> bool:
    """Return whether a number is the user's own, as far as it matters: if nobody is reached, their word is enough.

    Raises:
        RefusedError: it is not, and the user may call no other; or a code is to go over a simulated carrier.
    """
    is_simulated, is_real = has_simulated_carrier(connection, campaign), reaches_people(connection, campaign)
    if is_simulated and order.message is not None:
        none_needed = Sentence("The carrier is simulated, so no telephone rings: none needs to be confirmed.")
        raise RefusedError(_BRINGS_NO_CODE if is_real else none_needed, code=ErrorCode.PROTOCOL)
    if not is_real:
        return number == telephone_of(connection, order.actor_id, rules.region)
    is_own = number == confirmed_number(connection, order.actor_id)
    if not (is_own or order.reaches_anybody or order.message is not None):
        by_code = Sentence("This telephone is not confirmed to be yours. Have a code sent to it, and type the code.")
        raise RefusedError(_BRINGS_NO_CODE if is_simulated else by_code, code=ErrorCode.NOT_CONFIRMED)
    return is_own


def has_simulated_carrier(connection: Connection, campaign: Mapping[str, Any]) -> bool:
    """Return whether the calls of a campaign, or the messages of one of text messages, are simulated."""
    gateway = gateway_row(connection, gateway_of(campaign))
    return gateway is None or gateway["protocol"] == SIMULATED


def reaches_people(connection: Connection, campaign: Mapping[str, Any]) -> bool:
    """Return whether a trial reaches a telephone, if only by a real text message in a simulated call."""
    if not has_simulated_carrier(connection, campaign):
        return True
    return texts_people(connection, campaign, survey_of(connection, campaign)[0])


def _content(unit: UnitOfWork, order: CampaignTrial, campaign: Mapping[str, Any]) -> _Content:
    """Return what a trial plays or sends: what the campaign does to its first person, or a code.

    Raises:
        CampaignNotReadyError: the campaign lacks something that a start needs, or the code cannot be spoken.
    """
    if order.message is None:
        survey, _ = ready_survey(unit.connection, campaign, unit.now_ms)
        return _Content(survey, person_of_trial(unit.connection, order.campaign_id), {})
    is_sms, text = campaign["medium"] == SMS, order.message.text
    voice = AS_SET if is_sms else chosen_voice(unit.connection, campaign["object_id"])
    prompt = Prompt(script=f"{text} {text}", voice=voice)
    survey = Survey(() if is_sms else (Section(1, SectionType.PLAY_MESSAGE, order.message.title, prompt),))
    changes = {"text_message": text, "amd_behavior": AmdBehavior.ALWAYS, "voicemail": False}
    errors = field_errors(unit.connection, {**campaign, **changes}, survey, unit.now_ms)
    if "object_id" in errors:
        raise RefusedError(
            "No code can be spoken: the service has no voice that works. Ask an admin to set one up, or to place the"
            " test for you.",
            code=ErrorCode.NOT_DIALLED,
        )
    if errors:
        raise CampaignNotReadyError(errors)
    person = ExamplePerson(0, "", code_variables(order.message.code, is_spoken=not is_sms), "")
    return _Content(survey, person, changes)


def _tell(unit: UnitOfWork, order: CampaignTrial, campaign: Mapping[str, Any], trial_id: int, number: str) -> None:
    """Note what was done, in the audit log and for the worker; and the code that is awaited."""
    if order.message is None:
        resource = "sms-campaigns" if campaign["medium"] == SMS else "campaigns"
        told = {"trial_id": trial_id}
        unit.written.append(RecordWritten(CAMPAIGN_TRIED, resource, order.campaign_id, campaign["user_id"], {}, told))
    else:
        await_code(unit, order.actor_id, number, order.message.code)
    unit.note(touched_campaigns(trial_id))


def person_of_trial(connection: Connection, campaign_id: int) -> ExamplePerson:
    """Return the person whose name and columns a trial has: the first of the campaign's lists, or somebody made up.

    Columns with other telephones of the person are left out: a survey sends its texts to the number of the trial.
    """
    found = example_person(connection, phonebooks_of_campaign(connection, campaign_id))
    return _without_numbers(_first_subscriber(connection, campaign_id) if found is None else found)


def _first_subscriber(connection: Connection, campaign_id: int) -> ExamplePerson:
    columns = Subscriber.id, Subscriber.full_name, Subscriber.additional_vars, Subscriber.number
    query = select(*columns).where(Subscriber.campaign_id == campaign_id).order_by(Subscriber.id).limit(1)
    row = connection.execute(query).first()
    return _NOBODY if row is None else ExamplePerson(*row)


def _without_numbers(person: ExamplePerson) -> ExamplePerson:
    variables = variables_of(person.additional_vars)
    if not _OTHER_NUMBERS & variables.keys():
        return person
    kept = {name: value for name, value in variables.items() if name not in _OTHER_NUMBERS}
    return person._replace(additional_vars=msgspec.json.encode(kept).decode())


def trial_in_progress(connection: Connection, user_id: int) -> int | None:
    """Return the trial of an account that waits, or calls, or whose message no carrier has; None if there is none."""
    query = select(Campaign.id).where(Campaign.user_id == user_id, may_say_a_name())
    return connection.scalar(query.order_by(Campaign.id).limit(1))


def _read(connection: Connection, campaign_id: int) -> dict[str, Any]:
    is_it = (Campaign.id == campaign_id) & Campaign.trial_of_id.is_(None)
    row = connection.execute(select(Campaign.__table__).where(is_it)).mappings().first()
    if row is None:
        raise UnknownRecordError(f"There is no campaign {campaign_id}.")
    return {str(name): value for name, value in row.items()}


def _take_turn(unit: UnitOfWork, user_id: int) -> None:
    """Refuse a trial while another one of the account is in progress, or after many in an hour.

    Each of the turns is free again an hour after it was taken, so no hour has more trials than turns. They come first:
    the row of the first one lets one trial of an account begin at a time.
    """
    now_us = unit.now_ms * 1_000
    turns = (f"trials:{user_id}:{turn}" for turn in range(TRIALS_AN_HOUR_MAX))
    latest_us = now_us + _HOUR_US
    if not any(spend(unit.connection, turn, cost_us=_HOUR_US, now_us=now_us, latest_us=latest_us) for turn in turns):
        raise RefusedError(
            Sentence("These were %(most)s tests in an hour. Try again later.", most=TRIALS_AN_HOUR_MAX),
            code=ErrorCode.LIMIT_REACHED,
        )
    if trial_in_progress(unit.connection, user_id) is not None:
        raise RefusedError("A test of this account is in progress. Wait for its end.", code=ErrorCode.IN_PROGRESS)


def _settings(campaign: Mapping[str, Any], code: str, now_ms: int) -> dict[str, Any]:
    """Return the row of a trial: the settings of the campaign, but for one call that is placed at once."""
    counters = ("totalcontact", "completed", "calls", "answered", "cost", "next_dial_us", "live_answered", "abandoned")
    retries = ("maxretry", "completion_maxretry", "abandoned_maxretry", "carrier_maxretry")
    same = {name: value for name, value in campaign.items() if name != "id"}
    return {
        **same,
        **dict.fromkeys((*counters, *retries), 0),
        **dict.fromkeys(("status_reason", "pacing_figures", "callerid_turns"), ""),
        **dict.fromkeys(WEEKDAYS, True),
        **dict.fromkeys(("startingdate", "created_date", "updated_date"), now_ms),
        "name": f"{campaign['name'][: _NAME_MAX - len(TRIAL_SUFFIX)]}{TRIAL_SUFFIX}",
        "campaign_code": code,
        "daily_start_time": str(time.min),
        "daily_stop_time": "23:59:59",
        "expirationdate": now_ms + TRIAL_LIFE_MS,
        "dial_method": DialMethod.FIXED_RATE,
        "record": NO_CALL,  # It speaks the name of one of the people, whose erasure could not find it.
        "max_aleg": 1,
        "manual_dialling": False,
        "end_when_done": True,
        "status": CampaignStatus.START,
        "source_campaign_id": None,
        "trial_of_id": campaign["id"],
    }


def _copy_lists(connection: Connection, campaign_id: int, trial_id: int) -> None:
    query = select(CampaignDncList.dnc_id).where(CampaignDncList.campaign_id == campaign_id)
    rows = [{"campaign_id": trial_id, "dnc_id": dnc_id} for dnc_id in connection.scalars(query)]
    if rows:
        connection.execute(insert(CampaignDncList), rows)


def _subscriber(
    unit: UnitOfWork, trial: Mapping[str, Any], trial_id: int, person: ExamplePerson, number: str
) -> dict[str, Any]:
    return {
        "campaign_id": trial_id,
        "user_id": trial["user_id"],
        "number": number,
        "duplicate_contact": number,
        "zone": zone_of_number(number),
        "full_name": person.full_name,
        "additional_vars": person.additional_vars,
        "created_date": unit.now_ms,
        "updated_date": unit.now_ms,
    }


def telephone_of(connection: Connection, user_id: int, region: str | None) -> str:
    """Return the number of the telephone of a user; empty if there is none, or it is an extension."""
    telephone = connection.scalar(select(User.telephone).where(User.id == user_id)) or ""
    with suppress(NumberError):
        return normalise(telephone, region)
    return ""


def _forget_oldest(unit: UnitOfWork, campaign_id: int) -> None:
    """Delete the oldest trials of a campaign, so that there is room for another one."""
    for former_id in trials_of(unit.connection, campaign_id)[TRIALS_KEPT_MAX - 1 :]:
        with suppress(RefusedError):  # A text without a receipt stays until it has one.
            delete_campaign(unit, former_id)


def _end_of_hours(
    unit: UnitOfWork, campaign: Mapping[str, Any], number: str, rules: TrialRules, *, is_own: bool, rings_others: bool
) -> int:
    """Return the end of the calling hours where a number is, before which it has to ring, in ms since the epoch.

    Outside of them the number is refused. A user who calls their own telephone may say so, and go on, unless the
    survey lets another telephone ring.
    """
    outer = rules.hours.over(is_simulated=not reaches_people(unit.connection, campaign))
    zone = zone_of_number(number) or rules.zone
    window = window_at(Calendar(), zone, unit.now_ms, outer)
    if window.is_open:
        return window.until_ms
    if not is_own:
        raise outside_hours(zone)
    if rings_others:
        raise RefusedError(
            Sentence(
                "It is outside of the calling hours where the number is: %(zones)s. The survey also transfers calls to"
                " another number, so try again within them.",
                zones=zone.replace("&", ", "),
            ),
            code=ErrorCode.NOT_DIALLED,
        )
    raise RefusedError(
        Sentence(
            "It is outside of the calling hours where the number is: %(zones)s. To go on, say that it is your own"
            " telephone.",
            zones=zone.replace("&", ", "),
        ),
        code=ErrorCode.CALLING_HOURS,
    )


def _rings_others(connection: Connection, campaign: Mapping[str, Any], survey: Survey) -> bool:
    """Return whether a trial may let another telephone ring, whose owner nobody asked."""
    return transfers_to_number(survey) and not has_simulated_carrier(connection, campaign)


def _refuse_blank_text(campaign: Mapping[str, Any], person: ExamplePerson, number: str) -> None:
    if campaign["medium"] != SMS:
        return
    if not message_of(campaign["text_message"], person.full_name, person.additional_vars, number).strip():
        raise RefusedError(
            "The text message is empty once its variables are filled in, so it is not sent.",
            code=ErrorCode.NOT_DIALLED,
        )


def _refuse_unless_callable(unit: UnitOfWork, subscriber: Row[Any], rules: TrialRules) -> None:
    """Refuse a number that may not be called now, by the rules that every dial obeys."""
    trial_id = subscriber.campaign_id
    found = circumstances_of(unit.connection, {trial_id}, unit.now_ms, rules.zone, rules.hours)
    if trial_id not in found:
        raise RefusedError("The campaign cannot be read.", code=ErrorCode.NOT_DIALLED)
    people = people_facts(unit.connection, [subscriber._mapping], found)  # noqa: SLF001 - SQLAlchemy documents it
    reason = why_not_now(found[trial_id], people[subscriber.id]).reason
    if reason not in _GOES_ON:
        is_listed = reason in {WaitsFor.DNC, WaitsFor.HELD}
        raise RefusedError(
            Sentence("Your telephone cannot be called now: %(why)s.", why=refusal_of(reason)),
            code=ErrorCode.DO_NOT_CALL if is_listed else ErrorCode.NOT_DIALLED,
        )
