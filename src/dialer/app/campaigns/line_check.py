"""Conditions under which a campaign may call people, and not only simulated callees."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection, bindparam, select

from dialer.app.work.errors import FieldErrors, VoiceUntriedError
from dialer.domain.calls.call_recording import NO_CALL
from dialer.domain.calls.plans import FREESWITCH, SIMULATED, SIP, GatewayKey
from dialer.domain.numbers.agent_contacts import telephone_of
from dialer.domain.numbers.emergency import is_emergency_contact
from dialer.domain.survey.sections.table import definition_of, queue_ids_of, sends_messages
from dialer.domain.survey.survey import INPUT_END, Section, Survey, named_section, prompts_of
from dialer.domain.words.enums import AgentTelephone
from dialer.domain.words.sentences import FieldName, RecordName, Sentence
from dialer.domain.words.voices import AS_SET, ChosenVoice
from dialer.store.database.bulk import PreparedStatement
from dialer.store.database.service_state import read_settings, read_speech, tried_voices
from dialer.store.queries.calls_in_progress import gateway_of, sms_gateway_of
from dialer.store.queries.do_not_call import lists_of
from dialer.store.queries.ordered_recordings import recorded_queues
from dialer.store.queries.regions import region_of
from dialer.store.tables import SMS, Agent, Gateway, Queue, Tier

SPOKEN_BY_US: Final = frozenset({SIP, FREESWITCH})
"""Protocols of carriers whose texts the service itself has to speak."""
RECORDED: Final = frozenset({SIP, SIMULATED})
"""Protocols of carriers whose calls can be recorded as a whole."""
_NOT_RECORDED: Final = Sentence("Calls over this carrier cannot be recorded. Choose a SIP carrier, or set no.")
TALKS_WITH_PROGRAMS: Final = frozenset({SIMULATED, SIP})
"""Protocols of carriers whose calls a program can talk in."""
REAL: Final = "real"
"""The clock of a service that calls people, as in DIALER_CLOCK."""
SPEAKING_MS: Final = 600_000
"""Time for which a voice of a survey that spoke is known to speak."""
SILENT_MS: Final = 30_000
"""Time for which one that did not is known to be silent."""
_PROTOCOL: Final = PreparedStatement(
    select(Gateway.protocol).where(Gateway.medium == bindparam("kind"), Gateway.id == bindparam("number"))
)
_WhySilent: TypeAlias = Callable[[Sentence], Sentence]
"""Return why no text can be spoken, from what a user can do to the section."""


def line_errors(connection: Connection, campaign: Mapping[str, Any], survey: Survey, now_ms: int) -> FieldErrors:
    """Return the errors that keep a campaign from reaching people, by field; none if its callees are simulated.

    Raises:
        VoiceUntriedError: the survey speaks with a voice that was not tried lately.
    """
    errors: FieldErrors = {}
    protocol = _protocol(connection, gateway_of(campaign))
    if campaign["medium"] != SMS and protocol != SIMULATED:
        is_told = protocol in RECORDED and has_spoken_notice(connection, campaign, survey)
        why_silent = _why_silent(connection, protocol, _spoken_with(survey, is_told=is_told), now_ms)
        unplayable: list[str] = [
            message for section in survey.sections for message in _unplayable(section, protocol, why_silent)
        ]
        region = region_of(connection, campaign["user_id"])
        unplayable += _without_telephones(connection, survey, region, reaches_browsers=protocol == SIP)
        errors = _wrong_clock(connection, "aleg_gateway") | ({"object_id": unplayable} if unplayable else {})
        errors |= recording_errors(connection, campaign)
        if why_silent is not None and is_told:
            remedy = Sentence("Set %(field)s", field=FieldName("record_notice"))
            errors["record_notice_script"] = [why_silent(remedy)]
    if texts_people(connection, campaign, survey):
        errors |= _wrong_clock(connection, "sms_gateway")
    return errors


def recording_errors(connection: Connection, campaign: Mapping[str, Any]) -> FieldErrors:
    """Return the error of a campaign that records calls over a carrier which keeps their sound to itself."""
    is_heard = campaign["record"] == NO_CALL or _protocol(connection, gateway_of(campaign)) in RECORDED
    return {} if is_heard else {"record": [_NOT_RECORDED]}


def records_silently(connection: Connection, campaign: Mapping[str, Any], survey: Survey) -> bool:
    """Return whether calls of a campaign are recorded, by itself or by a queue, and callees are told nothing of it."""
    is_told = campaign["record_notice_id"] is not None or campaign["record_notice_script"].strip() != ""
    return not is_told and may_record(connection, campaign, survey)


def may_record(connection: Connection, campaign: Mapping[str, Any], survey: Survey) -> bool:
    """Return whether calls of a campaign may be recorded, by itself or by a queue."""
    if campaign["medium"] == SMS:
        return False
    return campaign["record"] != NO_CALL or has_recorded_queue(connection, campaign, survey)


def has_recorded_queue(connection: Connection, campaign: Mapping[str, Any], survey: Survey) -> bool:
    """Return whether calls of a campaign may come to an agent of a queue that records them."""
    return bool(queue_ids_of(survey)) and bool(recorded_queues(connection, campaign["user_id"]))


def unrecorded_queue(connection: Connection, campaign: Mapping[str, Any], survey: Survey) -> bool:
    """Return whether a queue wants calls of a campaign recorded, and the carrier keeps their sound to itself."""
    is_kept = campaign["medium"] == SMS or _protocol(connection, gateway_of(campaign)) in RECORDED
    return not is_kept and has_recorded_queue(connection, campaign, survey)


def has_spoken_notice(connection: Connection, campaign: Mapping[str, Any], survey: Survey) -> bool:
    """Return whether a campaign whose calls may be recorded has a notice which has to be spoken."""
    is_text = campaign["record_notice_id"] is None and campaign["record_notice_script"].strip() != ""
    return is_text and may_record(connection, campaign, survey)


def lacks_voice(connection: Connection, campaign: Mapping[str, Any], survey: Survey) -> bool:
    """Return whether a campaign with simulated callees has texts that no people could hear: there is no voice."""
    prompts = (prompt for one in survey.sections for prompt in prompts_of(one))
    has_texts = any(prompt.audio_ms is None and prompt.script.strip() for prompt in prompts)
    is_simulated = _protocol(connection, gateway_of(campaign)) == SIMULATED
    return has_texts and is_simulated and read_speech(connection) != ""


def language_missing(connection: Connection, campaign: Mapping[str, Any], survey: Survey) -> str:
    """Return the language of a survey that the voice of another language speaks to people; empty if there is none."""
    if campaign["medium"] == SMS or _protocol(connection, gateway_of(campaign)) not in SPOKEN_BY_US:
        return ""
    wanted = _spoken_with(survey, is_told=has_spoken_notice(connection, campaign, survey))
    tried = tried_voices(connection).get(wanted)
    return wanted.language if tried is not None and tried.lacks_language else ""


def texts_people(connection: Connection, campaign: Mapping[str, Any], survey: Survey) -> bool:
    """Return whether a campaign sends text messages to people, and not only to simulated ones."""
    texts = campaign["medium"] == SMS or sends_messages(survey)
    return texts and _protocol(connection, sms_gateway_of(campaign)) != SIMULATED


def names_list(connection: Connection, campaign: Mapping[str, Any]) -> bool:
    """Return whether a campaign names a do-not-call list."""
    return lists_of(connection, {campaign["id"]: campaign["dnc_id"]})[campaign["id"]].first is not None


def named_queue(connection: Connection, queue_id: int) -> RecordName:
    """Return a queue as messages name it: by its number in the API, and by its name on pages."""
    return RecordName(queue_id, connection.scalar(select(Queue.name).where(Queue.id == queue_id)) or "")


def _protocol(connection: Connection, gateway: GatewayKey | None) -> str:
    """Return the protocol of a gateway; that of simulated ones if there is no gateway."""
    if gateway is None:
        return SIMULATED
    found = _PROTOCOL.run(connection, {"kind": gateway.medium, "number": gateway.id})
    return str(found[0]) if found else SIMULATED


def _wrong_clock(connection: Connection, field: str) -> FieldErrors:
    settings = read_settings(connection)
    if settings is None or settings.clock == REAL:
        return {}
    message = Sentence(
        "The carrier reaches people, but the service's clock is %(clock)r. Set DIALER_CLOCK.", clock=settings.clock
    )
    return {field: [message]}


def _spoken_with(survey: Survey, *, is_told: bool) -> ChosenVoice:
    """Return the voice that a survey chooses for its texts, all of them the same; none if it has no texts to speak."""
    voices = (section.prompt.voice for section in survey.sections if is_told or _is_spoken(section))
    return next((voice for voice in voices if voice), AS_SET)


def _is_spoken(section: Section) -> bool:
    prompts = (section.prompt, section.disclosure_prompt)
    if any(one is not None and one.audio_ms is None and one.script.strip() for one in prompts):
        return True
    return definition_of(section).transfers and bool(section.confirm_key and section.confirm_script.strip())


def _why_not(connection: Connection, wanted: ChosenVoice, now_ms: int) -> str | None:
    """Return why a voice speaks nothing; an empty text if it speaks, None if the service has no voice."""
    why_not = read_speech(connection)
    if why_not != "" or not wanted:
        return why_not
    tried = tried_voices(connection).get(wanted)
    if tried is None or now_ms - tried.tried_ms >= (SILENT_MS if tried.why_not else SPEAKING_MS):
        raise VoiceUntriedError(wanted)
    return tried.why_not


def _why_silent(connection: Connection, protocol: str, wanted: ChosenVoice, now_ms: int) -> _WhySilent | None:
    """Return why no text can be spoken over a gateway, with a remedy for a field; None if texts can be spoken."""
    why_not = _why_not(connection, wanted, now_ms) if protocol in SPOKEN_BY_US else ""
    if why_not is None:
        return lambda remedy: Sentence("%(remedy)s, or let DIALER_SPEECH name a voice.", remedy=remedy)
    if not why_not:
        return None
    return lambda remedy: Sentence("It cannot be spoken: %(why)s. %(remedy)s.", why=why_not.rstrip("."), remedy=remedy)


def _without_telephones(
    connection: Connection, survey: Survey, region: str | None, *, reaches_browsers: bool
) -> Iterator[Sentence]:
    """Yield the errors of sections that transfer calls to a queue whose agents have no telephones."""
    query = select(Agent.contact, Agent.telephone).join(Tier, Tier.agent_id == Agent.id)
    for section in survey.sections:
        if not definition_of(section).transfers or section.queue_id is None:
            continue
        agents = connection.execute(query.where(Tier.queue_id == section.queue_id)).all()
        if agents and not any(_has_telephone(*one, region, reaches_browsers=reaches_browsers) for one in agents):
            yield Sentence(
                "Section %(section)s transfers calls to queue %(queue)s, and the %(contact)s of none of its agents is a"
                " phone number or an extension that may be dialled. Set %(contact)s.",
                section=named_section(section),
                queue=named_queue(connection, section.queue_id),
                contact=FieldName("contact", "agent"),
            )


def _has_telephone(contact: str, telephone: str, region: str | None, *, reaches_browsers: bool) -> bool:
    if telephone == AgentTelephone.BROWSER:
        return reaches_browsers
    return bool(telephone_of(contact)) and not is_emergency_contact(contact, region)


def _unplayable(section: Section, protocol: str, why_silent: _WhySilent | None) -> Iterator[Sentence]:
    """Yield the errors of a section that the gateway's carrier cannot play."""
    has_lost_file = any(prompt.audio_ms and not prompt.file for prompt in prompts_of(section))
    spoken = {
        "script": (section.prompt, "audiofile"),
        "disclosure": (section.disclosure_prompt, "disclosure_audiofile"),
    }
    for name, (prompt, instead) in spoken.items():
        if prompt is not None and prompt.audio_ms is None and prompt.script.strip() and why_silent is not None:
            yield Sentence(
                "Section %(section)s has a %(field)s and no recording. %(why)s",
                section=named_section(section),
                field=FieldName(name),
                why=why_silent(Sentence("Set %(field)s", field=FieldName(instead))),
            )
    if definition_of(section).converses and protocol not in TALKS_WITH_PROGRAMS:
        yield Sentence(
            "Section %(section)s lets a program talk, which this carrier cannot do. Choose a SIP"
            " carrier, or a simulated one.",
            section=named_section(section),
        )
    confirms = definition_of(section).transfers and bool(section.confirm_key)
    if confirms and protocol == FREESWITCH and section.confirm_key == INPUT_END:
        yield Sentence(
            "Section %(section)s: FreeSWITCH does not tell the %(field)s '#'. Set another key.",
            section=named_section(section),
            field=FieldName("confirm_key"),
        )
    if confirms and section.confirm_script.strip() and why_silent is not None:
        yield Sentence(
            "Section %(section)s has a %(field)s, which has to be spoken. %(why)s",
            section=named_section(section),
            field=FieldName("confirm_script"),
            why=why_silent(Sentence("Empty %(field)s", field=FieldName("confirm_script"))),
        )
    if has_lost_file:
        yield Sentence(
            "Section %(section)s was sealed without its recording. Copy the campaign, and start the copy.",
            section=named_section(section),
        )
