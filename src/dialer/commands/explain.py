"""`dialer explain`: the history of one number in one campaign."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

import rich_click as click
from msgspec import structs

from dialer.carriers.voice.kept_messages import capture_folder, read_capture, sip_call_id
from dialer.commands.open_service import open_service
from dialer.commands.output import print_json
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.calls.outcomes import outcome_text
from dialer.domain.words.reasons import CAMPAIGN_REASONS, SUBSCRIBER_REASONS, TRANSFER_REASONS, WAITS
from dialer.runtime.steps.clock import RealClock
from dialer.store.database.database import Database
from dialer.store.rows.live_legs import leg_keys
from dialer.store.rows.set_aside_reports import ToldOf, set_aside_of
from dialer.store.tables import ACCOUNT, OF_SIMULATED, SMS
from dialer.store.timeline.happenings import Happening, HappeningKind, happenings_of
from dialer.store.timeline.parts import (
    AnswerPart,
    AttemptPart,
    CampaignStory,
    DncPart,
    MessagePart,
    OrderPart,
    OutcomePart,
    ReceivedPart,
    RulePart,
    Story,
    SubscriberPart,
    TransferPart,
    VisitedSection,
    WindowPart,
    moment,
)
from dialer.store.timeline.reading import WEEKDAYS, UnknownNumberError, cause_in_words, read_story, spellings

CAPTURES_MAX: Final = 10
"""Calls whose messages are shown: the latest."""
NAMED_MAX: Final = 64
"""Characters of CAMPAIGN and of NUMBER that are read."""
_SCOPES: Final = {
    ACCOUNT: " (for all campaigns of the account)",
    OF_SIMULATED: " (for all simulated campaigns of the account)",
}


def explain(campaign: str, number: str, *, as_json: bool) -> None:
    """Show the history of one number in one campaign."""
    with open_service() as service:
        settings, database = service
        now_ms = service.now_ms()
        try:
            story = database.read_now(
                lambda connection: read_story(
                    connection,
                    campaign[:NAMED_MAX],
                    number[:NAMED_MAX],
                    now_ms=now_ms,
                    region=settings.default_region,
                    service_zone=settings.timezone,
                    hours=read_calling_hours(settings.calling_hours),
                )
            )
        except UnknownNumberError as error:
            aside = _reports_of_strangers(database, number[:NAMED_MAX], settings.default_region)
            if not aside or as_json:
                raise click.ClickException(str(error)) from None
            click.echo("\n".join(map(_printable, (f"{error}.", *_set_aside(aside)))))
            return
        owned = structs.replace(story.campaign, currency=story.campaign.currency or settings.currency)
        story = structs.replace(story, campaign=owned)
        keys = database.read_now(lambda connection: leg_keys(connection, story.campaign.id, story.number))
        aside = database.read_now(lambda connection: set_aside_of(connection, keys, [story.number]))
    kept = _kept_messages(settings.media_dir, keys)
    if as_json:
        called = {key: sip_call_id(lines) for key, lines in kept.items()}
        reports = [{**structs.asdict(report), "at": moment(report.at_ms)} for report in aside]
        shown = {"carrier_messages": kept, "sip_call_id": called, "reports_set_aside": reports}
        print_json({**structs.asdict(story), **shown})
    else:
        click.echo("\n".join(map(_printable, (*_lines(story), *_set_aside(aside), *_messages(kept)))))


def _reports_of_strangers(database: Database, number: str, region: str | None) -> list[ToldOf]:
    """Return the reports that were set aside of calls and texts from a number which the campaign does not have."""
    with contextlib.suppress(UnknownNumberError):
        numbers = spellings(number, region)
        return database.read_now(lambda connection: set_aside_of(connection, (), numbers))
    return []


def _set_aside(reports: Sequence[ToldOf]) -> Iterator[str]:
    if reports:
        yield from ("", "Set aside     reports of the carrier that could not be handled; their calls were ended")
        yield from (
            f"  {_show(moment(report.at_ms))}  {report.kind}: {report.reason}; {report.report}" for report in reports
        )


def _kept_messages(media: Path, keys: Sequence[str]) -> dict[str, list[str]]:
    """Return the messages of the last day over SIP and FreeSWITCH, as far as they were kept, by call."""
    now_s = RealClock().now_ms() / 1_000
    kept = {key: read_capture(capture_folder(media), key, now_s) for key in keys[-CAPTURES_MAX:]}
    return {key: lines for key, lines in kept.items() if lines}


def _messages(kept: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for key, lines in kept.items():
        yield from ("", f"Messages      of the call {key}, with most digits of numbers left out")
        if call_id := sip_call_id(lines):
            yield f"SIP Call-ID   {call_id}, which your carrier asks for"
        yield from (f"  {line}" for line in lines)


def _lines(story: Story) -> Iterator[str]:
    yield f"{story.number} in campaign {story.campaign.id} ({story.campaign.campaign_code}), {story.campaign.name}"
    yield f"It is {_show(story.now)}."
    yield ""
    yield from _campaign(story.campaign)
    for contact in story.contacts:
        name = f", {contact.full_name}" if contact.full_name else ""
        yield f"Contact       {contact.contact}{name}, in {contact.phonebook} since {_show(contact.created_date)}"
    for dnc in story.dnc_lists:
        since = "not on it" if dnc.since is None else f"on it since {_show(dnc.since)}"
        scope = _SCOPES.get(dnc.keeps_wishes_of, "")
        scope = " (for every campaign)" if dnc.is_global else scope
        yield f"Do not call   {dnc.name}{scope}: {since}"
        if dnc.since is not None:
            yield f"              {_proof(dnc)}"
    if story.window is not None:
        yield from _window(story.window)
    if story.subscriber is not None:
        yield f"Subscriber    since {_show(story.subscriber.created_date)}"
    elif story.contacts:
        yield "Subscriber    not yet: contacts become subscribers when the campaign is started"
    else:
        yield "Subscriber    no, but the number has called in"
    yield from (f"Received      {_show(text.at)}  {_received(text)}" for text in story.received)
    yield from (line for rule in story.rules if rule.holds or rule.call_back is not None for line in _rule(rule))
    yield from (f"Consent       {one.kind} ({one.id}), {'good' if one.good else 'not good'}" for one in story.consents)
    for attempt in story.attempts:
        yield ""
        yield from _attempt(attempt, story.campaign.medium)
    if story.subscriber is not None:
        yield ""
        yield from _standing(story.subscriber)


def _rule(rule: RulePart) -> Iterator[str]:
    until = "until a call in progress is over" if rule.until is None else f"until {_show(rule.until)}"
    name = f"the rule {rule.name} ({rule.row or rule.rule})"
    if rule.holds:
        yield f"Held back     {until}, by {name}"
    else:
        yield f"Allowed       in spite of {name}"
    if rule.call_back is not None:
        yield f"              as the person agreed to a call-back at {_show(rule.call_back)}"
    for one in rule.counted:
        campaign = "a deleted campaign" if one.campaign is None else f"campaign {one.campaign}"
        yield f"              counts {_show(one.at)}  {one.medium} of {campaign}, {one.callid}"


def _campaign(campaign: CampaignStory) -> Iterator[str]:
    reason = (
        f": {CAMPAIGN_REASONS.get(campaign.status_reason, campaign.status_reason)}" if campaign.status_reason else ""
    )
    costs = f"; costs in {campaign.currency}" if campaign.currency else ""
    yield f"Campaign      {campaign.status}{reason}; of {campaign.user}{costs}"
    yield f"              from {_show(campaign.startingdate)} to {_show(campaign.expirationdate)}"


def _window(window: WindowPart) -> Iterator[str]:
    days = "every day" if window.weekdays == list(WEEKDAYS) else ", ".join(window.weekdays) or "on no day"
    yield f"Zone          {window.zone or 'UTC'} ({window.zone_from})"
    state = "open" if window.is_open else "closed"
    until = "" if window.until is None else f", until {_show(window.until)}"
    yield f"Window        {window.daily_start_time} to {window.daily_stop_time} there, {days}; now {state}{until}"
    if window.calling_hours is not None:
        yield f"Calling hours {window.calling_hours} there (DIALER_CALLING_HOURS), which the window only narrows"
    yield from (f"              {hours}" for hours in window.country_hours)


def _attempt(attempt: AttemptPart, medium: str) -> Iterator[str]:
    if attempt.attempt < 0 and attempt.dialled_number:
        caller = attempt.callerid or "a number that is withheld"
        yield f"{_show(attempt.at)}  called {attempt.dialled_number} over {attempt.gateway}, from {caller}"
    elif attempt.attempt < 0:
        yield f"{_show(attempt.at)}  called back after attempt {-attempt.attempt}, from {attempt.callerid}"
    else:
        shown = f", showing {attempt.callerid}" if attempt.callerid else ""
        yield f"{_show(attempt.at)}  attempt {attempt.attempt} over {attempt.gateway}: {attempt.dialled_number}{shown}"
    if medium == SMS:
        yield from (f"  {_message(message)}" for message in attempt.messages)
        yield from (f"  {_show(one.since or attempt.at)}  {_wish(one)}" for one in attempt.wishes)
        yield from (f"  {_show(one.at)}  {_received(one)}" for one in attempt.received)
    else:
        yield from (f"  {line}" for line in _call(attempt))
    if attempt.then:
        yield f"  {attempt.then}"


def _call(attempt: AttemptPart) -> Iterator[str]:
    if attempt.ended is None:
        yield "in progress"
    elif attempt.answered is None:
        yield f"ended after {attempt.rang} s without an answer"
    else:
        amd = f" by a {attempt.amd}" if attempt.amd in {"person", "machine"} else ""
        yield f"answered{amd} after {attempt.rang} s, at {_show(attempt.answered)}"
    lines = [(happening.at, f"{_show(happening.at)}  {_happening(happening)}") for happening in happenings_of(attempt)]
    yield from (line for at, line in lines if attempt.ended is None or at <= attempt.ended)
    if attempt.ended is not None and attempt.hangup_cause_q850 is not None:
        cause = f"cause {attempt.hangup_cause_q850}, {cause_in_words(attempt.hangup_cause_q850)}"
        yield f"over at {_show(attempt.ended)}: {cause}; {attempt.billsec} s for {attempt.cost}"
    yield from (line for at, line in lines if attempt.ended is not None and at > attempt.ended)
    if attempt.status_reason:
        yield f"{attempt.status}: {SUBSCRIBER_REASONS.get(attempt.status_reason, attempt.status_reason)}"


def _happening(happening: Happening) -> str:
    match happening.part:
        case AnswerPart() | VisitedSection() as heard:
            return _heard(heard)
        case TransferPart() as transfer:
            return _transfer(transfer, happening.kind)
        case OrderPart() | OutcomePart() as said:
            return _of_agents(said)
        case MessagePart() as message:
            return _message(message)
        case DncPart() as wish:
            return _wish(wish)
        case ReceivedPart() as text:
            return _received(text)


def _heard(part: AnswerPart | VisitedSection) -> str:
    if isinstance(part, AnswerPart):
        return f"{part.question}: {part.response}"
    return f"{part.section}: {'no answer' if part.is_question else 'played'}"


def _of_agents(part: OrderPart | OutcomePart) -> str:
    if isinstance(part, OutcomePart):
        note = f": {part.note}" if part.note else ""
        return f"outcome {outcome_text(part.disposition, part.word)}{note}"
    length = "" if part.seconds is None else f", for {part.seconds} s"
    return f"{part.kind.value.replace('_', ' ')} by {part.who}{length}"


def _received(text: ReceivedPart) -> str:
    verdict = f", decided: {text.verdict}" if text.verdict else ", needs a person" if text.needs_person else ""
    return f"text from the person, understood as {text.understood}{verdict}: {text.text}"


def _wish(wish: DncPart) -> str:
    return f"asked not to be called: {_proof(wish)}"


def _proof(dnc: DncPart) -> str:
    """Return where a wish comes from, in which attempt it was said, and its words."""
    places = {"campaign": dnc.campaign_id, "call": dnc.callrequest_id, "message": dnc.sms_message_id}
    of = ", ".join([dnc.source, *(f"{name} {place}" for name, place in places.items() if place is not None)])
    return f"{of}: {dnc.said}" if dnc.said else of


def _transfer(transfer: TransferPart, kind: HappeningKind) -> str:
    after = "" if transfer.waited is None else f" after {transfer.waited:g} s"
    match kind:
        case HappeningKind.JOINED:
            return f"joined {transfer.to}"
        case HappeningKind.ABANDONED:
            return "abandoned: no agent within 2 seconds"
        case HappeningKind.UNSERVED:
            return f"to {transfer.to}: {TRANSFER_REASONS.get(transfer.reason, transfer.reason)}{after}"
        case HappeningKind.TAKEN:
            agent = f" by {transfer.agent}" if transfer.agent else ""
            return f"to {transfer.to}: taken{agent}{after}; {transfer.billsec} s for {transfer.cost}"
        case _:
            return f"to {transfer.to}"


def _message(message: MessagePart) -> str:
    size = "1 part" if message.parts == 1 else f"{message.parts} parts"
    return f"text to {message.to}, {message.status}, {size} for {message.cost}: {message.text}"


def _standing(subscriber: SubscriberPart) -> Iterator[str]:
    reason = subscriber.status_reason
    because = f": {SUBSCRIBER_REASONS.get(reason, reason)}" if reason else ""
    yield f"Now           {subscriber.status}{because}"
    if subscriber.waits_for:
        until = "" if subscriber.waits_until is None else f", until {_show(subscriber.waits_until)}"
        yield f"Waits for     {subscriber.waits_for}{until}: {WAITS[subscriber.waits_for]}"


def _printable(line: str) -> str:
    """Return a line without control characters: names and answers may hold any."""
    return "".join(character if character.isprintable() else " " for character in line)


def _show(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}Z"
