"""The outcome of a call in the words of its agent: the form on the desk and on the page of a call."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import select

from dialer.api.service import ApiRequest
from dialer.app.call_centre.contact_fields import NO_FIELDS, FieldsOfCall
from dialer.app.call_centre.desk import agent_at_desk
from dialer.app.call_centre.dispositions import NOTE_MAX, CallBackTerm, Disposed, term_of
from dialer.app.call_centre.drafts import OutcomeDraft, fields_out_of_form, fill_in_or_keep
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.parts.inputs import with_offset
from dialer.console.parts.rendering import moment
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of, status_of
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.state_words import said_in_words, words_of
from dialer.domain.calls.agent_fields import VALUE_MAX
from dialer.domain.calls.outcomes import Outcome, offered_outcomes
from dialer.domain.words.enums import AgentDisposition
from dialer.resources.crud import records
from dialer.resources.crud.moments import YEAR_MAX, YEAR_MIN
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given
from dialer.resources.records.calls import CALLREQUESTS
from dialer.resources.records.dispositions import set_disposition_of
from dialer.resources.words.errors import InvalidError
from dialer.store.tables import CallRequest

NO_TIME: Final = gettext_noop("Choose the time of the call-back.")
NO_OUTCOME: Final = gettext_noop("Choose the outcome of the call.")
_FIELDS: Final = ("disposition", "note", "call_back_date", "same_agent")
_MINUTE: Final = 60_000


class DispositionForm(NamedTuple):
    """The form with its values, and the messages of a refusal."""

    disposition: str
    note: str
    call_back: str
    """A local time, as inputs have it."""
    messages: list[str]
    status: HTTPStatus = HTTPStatus.OK
    choices: Sequence[tuple[str, str]] = ()
    note_max: int = NOTE_MAX
    call_backs: Sequence[str] = ()
    """The outcomes, in words, that promise a call-back."""
    is_over: bool = False
    """True if the campaign takes no call-backs any more."""
    ends: str = ""
    """The end of the campaign in words; empty if it is not known."""
    latest: str = ""
    """The end of the campaign as inputs have it."""
    same_agent: bool = False
    wait_s: int = 0
    """Seconds for which the call-back waits for the same agent."""
    saved: str = ""
    """The outcome that is saved, in words; empty for none."""
    is_draft: bool = False
    """True if the values are typed and not saved."""
    typed: Mapping[str, str] = MappingProxyType({})
    """The columns of the contact that are typed and not saved, by name."""
    filled: FieldsOfCall = NO_FIELDS
    """The columns of the contact that the agent may fill in."""
    value_max: int = VALUE_MAX

    @property
    def left(self) -> str:
        """The columns that are typed and that the form has no longer, with their values; empty for none."""
        shown = {field.column for field in self.filled.fields}
        return ", ".join(f"{name}: {value}" for name, value in self.typed.items() if value and name not in shown)

    def asking(self, filled: FieldsOfCall) -> "DispositionForm":
        """Return the form with what the agent may fill in of the contact."""
        return self._replace(filled=filled)

    def until(self, term: CallBackTerm | None, zone: ZoneInfo) -> "DispositionForm":
        """Return the form with the time until which the callee can be called back."""
        if term is None:
            usual = [(one.value, words_of(one)) for one in AgentDisposition]
            return self._replace(choices=usual, call_backs=[words_of(AgentDisposition.CALL_BACK)])
        outcomes = offered_outcomes(term.dispositions)
        return self._replace(
            is_over=term.is_over,
            choices=[(one.text, said_in_words(one.disposition, one.word)) for one in outcomes],
            call_backs=[
                said_in_words(one.disposition, one.word)
                for one in outcomes
                if one.disposition is AgentDisposition.CALL_BACK
            ],
            ends=moment(term.ends_ms, zone),
            latest=local_moment(term.ends_ms, zone),
            wait_s=term.wait_s,
        )


def form_of(disposed: Disposed | None, zone: ZoneInfo) -> DispositionForm:
    """Return the form with the disposition of a call, or an empty one."""
    if disposed is None:
        return DispositionForm("", "", "", [])
    chosen = Outcome(disposed.disposition, disposed.word).text
    call_back = local_moment(disposed.call_back_ms, zone)
    saved = said_in_words(disposed.disposition, disposed.word)
    return DispositionForm(chosen, disposed.note, call_back, [], same_agent=disposed.same_agent, saved=saved)


def with_draft(form: DispositionForm, draft: OutcomeDraft | None, zone: ZoneInfo) -> DispositionForm:
    """Return the form with what was typed into it and not saved."""
    if draft is None:
        return form
    if draft == OutcomeDraft(fields=draft.fields):
        return form._replace(typed=draft.fields, is_draft=True)  # The rest is saved already, or not typed yet.
    return form._replace(
        disposition=draft.disposition,
        note=draft.note,
        call_back=local_moment(draft.call_back_ms, zone),
        same_agent=draft.same_agent,
        typed=draft.fields,
        is_draft=True,
    )


def fields_of(filled: Mapping[str, str], callrequest_id: int) -> dict[str, str]:
    """Return the fields about one call. On a page with several calls, their names end with the id of the call."""
    return {name: filled.get(f"{name}-{callrequest_id}", filled.get(name, "")) for name in _FIELDS}


def columns_of(filled: Mapping[str, str], callrequest_id: int) -> dict[str, str]:
    """Return the columns of the contact that are typed in the form about one call, by name.

    A browser without the script sends all columns, and what stood in them: those with the same value are not typed.
    """
    found, seen = _named(filled, f"field-{callrequest_id}-"), seen_in(filled, callrequest_id)
    return {name: value for name, value in found.items() if seen.get(name) != value}


def seen_in(filled: Mapping[str, str], callrequest_id: int) -> dict[str, str]:
    """Return what stood in the columns of the contact when the form about one call was made, by name."""
    return _named(filled, f"was-{callrequest_id}-")


def _named(filled: Mapping[str, str], prefix: str) -> dict[str, str]:
    found = {name.removeprefix(prefix): value for name, value in filled.items() if name.startswith(prefix)}
    return {name: value.replace("\r\n", "\n") for name, value in found.items()}


def draft_in(filled: Mapping[str, str], callrequest_id: int, zone: ZoneInfo) -> OutcomeDraft:
    """Return what is typed about a call. A time that is no moment yet is left out."""
    given = fields_of(filled, callrequest_id)
    note = given["note"].replace("\r\n", "\n")
    call_back_ms, same_agent = _moment_in(given["call_back_date"], zone), bool(given["same_agent"])
    return OutcomeDraft(given["disposition"], note, call_back_ms, same_agent, columns_of(filled, callrequest_id))


def merged(typed: OutcomeDraft, filled: Mapping[str, str], callrequest_id: int, before: OutcomeDraft) -> OutcomeDraft:
    """Return a draft with what one tab of the desk sends of it. The rest is as another tab has typed it before."""
    here = {name for name in _FIELDS if f"{name}-{callrequest_id}" in filled}
    given_up = _named(filled, f"not-{callrequest_id}-").keys()
    fields = {name: value for name, value in {**before.fields, **typed.fields}.items() if name not in given_up}
    return OutcomeDraft(
        typed.disposition if "disposition" in here else before.disposition,
        typed.note if "note" in here else before.note,
        typed.call_back_ms if "call_back_date" in here else before.call_back_ms,
        same_agent=typed.same_agent if "same_agent" in here else before.same_agent,
        fields=fields,
    )


def _moment_in(text: str, zone: ZoneInfo) -> int | None:
    """Return a moment in the years that the service knows, or None."""
    try:
        at = datetime.fromisoformat(with_offset(text, zone))
    except ValueError:
        return None
    return round(at.timestamp() * 1_000) if YEAR_MIN <= at.year <= YEAR_MAX else None


async def save(
    request: ApiRequest, callrequest_id: int, filled: Mapping[str, str], *, has_draft: bool
) -> DispositionForm | None:
    """Save the form of a call, which may have shown the draft. Return the form with messages if it is refused."""
    zone = zone_of(request)
    given, columns = fields_of(filled, callrequest_id), columns_of(filled, callrequest_id)
    word, _, disposition = (part.strip() for part in given["disposition"].rpartition("="))
    note = given["note"].replace("\r\n", "\n").strip()
    members: dict[str, Any] = {**given, "disposition": disposition, "word": word, "note": note}
    members["same_agent"] = bool(given["same_agent"])
    members["call_back_date"] = with_offset(given["call_back_date"], zone) or None

    def change(unit: Unit) -> None:
        agent_id = agent_at_desk(unit.connection, unit.actor.id)
        left = {} if agent_id is None else fields_out_of_form(unit.connection, agent_id, callrequest_id)
        body = Given({**members, "fields": columns if agent_id is None else {}})
        set_disposition_of(unit, callrequest_id, body, is_form=has_draft)
        if agent_id is not None:  # The outcome is saved in any case, and other columns stay on the desk.
            fill_in_or_keep(unit, agent_id, callrequest_id, {**left, **columns}, seen_in(filled, callrequest_id))

    missing = await _missing(request, callrequest_id, disposition, given["call_back_date"])
    if missing:
        typed = DispositionForm(given["disposition"], given["note"], given["call_back_date"], [gettext(missing)])
        return typed._replace(status=HTTPStatus.BAD_REQUEST, same_agent=members["same_agent"], typed=columns)
    try:
        await request.service.write(request, change)
    except (InvalidError, InvalidFieldsError, RefusedError) as error:
        disposition, note, call_back, same_agent = given.values()
        messages, status = messages_of(error), status_of(error)
        typed = DispositionForm(disposition, note, call_back, messages, status, same_agent=bool(same_agent))
        return typed._replace(typed=columns)
    return None


async def _missing(request: ApiRequest, callrequest_id: int, disposition: str, call_back: str) -> str:
    """Return what the form lacks; empty for nothing. Nobody can promise a time if the campaign is over."""
    if not disposition:
        return NO_OUTCOME
    if disposition != AgentDisposition.CALL_BACK or call_back:
        return ""
    return NO_TIME if await request.service.read(request, lambda unit: _can_promise(unit, callrequest_id)) else ""


def _can_promise(unit: Unit, callrequest_id: int) -> bool:
    """Return whether the person of a call can be called back: a subscriber of a campaign that goes on.

    Raises:
        RecordNotFoundError: there is no such call, or the viewer may not see it.
    """
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    term = term_of(unit.connection, callrequest_id)
    called = select(CallRequest.subscriber_id).where(CallRequest.id == callrequest_id)
    return term is not None and not term.is_over and unit.connection.scalar(called) is not None


def local_moment(at_ms: int | None, zone: ZoneInfo) -> str:
    """Return a moment of the viewer's zone to the minute, as inputs have it; empty for none."""
    if at_ms is None:
        return ""
    return datetime.fromtimestamp(at_ms // _MINUTE * 60, UTC).astimezone(zone).strftime("%Y-%m-%dT%H:%M")
