"""A campaign tried with a telephone of one's own: the form, and the call or text as it goes."""

from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.actions.campaign_trials import CodeWords, begin, look, rules_of, stop
from dialer.api.service import ApiRequest
from dialer.app.accounts.own_telephones import awaited_number, confirmed_number
from dialer.app.campaigns.campaign_trials import (
    has_simulated_carrier,
    person_of_trial,
    reaches_people,
    telephone_of,
)
from dialer.app.campaigns.trial_progress import TrialStage, TrialView, last_number, newest_trial
from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError
from dialer.console.pages.campaigns import PLACE, seen_campaigns
from dialer.console.parts.activity_words import ShownActivity, shown_activity
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.rendering import render
from dialer.console.parts.sentences import in_viewers_words, joined_words
from dialer.console.parts.wait_words import QUEUE_REASONS
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of, status_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.live_parts import EVENT_STREAM, answer_live
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.engine.credit import message_of
from dialer.domain.messages.sms_parts import parts_of
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.words.reasons import CAMPAIGN_REASONS, SUBSCRIBER_REASONS, TRANSFER_REASONS
from dialer.domain.words.roles import Permission
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given
from dialer.resources.records.advancing import VIRTUAL
from dialer.resources.words.errors import AnsweredError, ConflictError, Errors, InvalidError, RecordNotFoundError
from dialer.store.tables import SMS, Campaign, User
from dialer.store.timeline.happenings import happenings_of

NUMBER_MAX: Final = 64
_FIELDS: Final = ("number", "code")
_REFUSALS: Final = (AnsweredError, ConflictError, InvalidError, InvalidFieldsError, RefusedError)
STAGES: Final[Mapping[TrialStage, tuple[str, str]]] = {
    TrialStage.WAITING: ("fair", gettext_noop("Waiting")),
    TrialStage.CALLING: ("fair", gettext_noop("Calling")),
    TrialStage.RINGING: ("fair", gettext_noop("It rings")),
    TrialStage.ANSWERED: ("good", gettext_noop("Answered")),
    TrialStage.OVER: ("", gettext_noop("Over")),
    TrialStage.NOT_PLACED: ("bad", gettext_noop("Not placed")),
}
"""The colour and the word of each stage of a test."""


class _Tried(NamedTuple):
    name: str
    is_sms: bool
    is_simulated: bool
    is_real: bool
    """True if a telephone is reached, if only by a real text message in a simulated call."""
    person: str
    """The name of the person as whom the telephone is called; empty for a text that is the same for all."""
    text: str
    """The text message as it is sent."""
    parts: int
    cost: int
    """The price of the text in integers of 1e-5; 0 if it has none."""
    proposed: str
    """The number in the form: that which got a code last, else the user's own, else the last one."""
    own: str
    """The number that may ring at any hour, which is the user's own; empty for none."""
    awaited: str
    """The number whose code may be typed now; empty for none."""
    trial: TrialView | None


@get("/campaigns/{record_id:str}/test", media_type="text/html")
async def show_test(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show the form that calls one's own telephone with a campaign, and its newest test."""
    return await _show(request, identity_in(record_id, "campaign"), {})


@get("/campaigns/{record_id:str}/test/live", media_type=EVENT_STREAM)
async def stream_test(
    request: ApiRequest, console: NamedDependency[ConsoleServices], record_id: FromPath[str]
) -> Response[Any]:
    """Send what a test does."""
    identity = identity_in(record_id, "campaign")
    first = _live(request, await look(request, identity, seen_campaigns))

    async def make() -> str:
        return _live(request, await look(request, identity, seen_campaigns)) or first

    return await answer_live(request, console.snapshots, console.sessions, _key(request, identity), make)


@post("/campaigns/{record_id:str}/test", media_type="text/html")
async def begin_test(
    request: ApiRequest, console: NamedDependency[ConsoleServices], record_id: FromPath[str]
) -> Response[Any]:
    """Call one's own telephone with a campaign, or send its text there."""
    identity, filled = identity_in(record_id, "campaign"), await read_fields(request)
    given: dict[str, str | bool] = {name: filled.get(name, "").strip()[: NUMBER_MAX + 1] for name in ("number", "code")}
    given.update({name: name in filled for name in ("any_hour", "send_code")})
    asked = Given({name: one for name, one in given.items() if one != ""})
    try:
        await begin(request, identity, seen_campaigns, asked, _code_words())
    except _REFUSALS as error:
        return await _show(request, identity, filled, error)
    console.snapshots.forget(_key(request, identity))
    return go_to(f"/console/campaigns/{identity}/test/")


@post("/campaigns/{record_id:str}/test/stop", media_type="text/html")
async def stop_test(
    request: ApiRequest, console: NamedDependency[ConsoleServices], record_id: FromPath[str]
) -> Response[Any]:
    """Hang up a test, or take it back."""
    identity = identity_in(record_id, "campaign")
    await read_fields(request)
    await stop(request, identity, seen_campaigns)
    console.snapshots.forget(_key(request, identity))
    return go_to(f"/console/campaigns/{identity}/test/")


def _code_words() -> CodeWords:
    text = gettext("Your code is %(code)s. If you did not ask for it, do nothing.")
    return CodeWords(text, gettext("Confirmation code"))


def _key(request: ApiRequest, identity: int) -> tuple[object, ...]:
    return ("test", identity, zone_of(request).key, request.user.may(Permission.CAMPAIGNS))


async def _show(
    request: ApiRequest, identity: int, filled: Mapping[str, str], error: Exception | None = None
) -> Response[Any]:
    service = request.service
    found = await service.read(request, lambda unit: _read(unit, identity, request.user.id))
    errors: Errors = error.errors if isinstance(error, (InvalidError, InvalidFieldsError)) else {}
    others = {name: messages for name, messages in errors.items() if name not in _FIELDS}
    messages = [joined_words(one) for one in others.values()]
    number = filled.get("number", found.proposed)
    is_own = bool(found.own) and _normal(number, service.conventions(request).region) == found.own
    asks_code = _asks_code(request, found, error, is_own=is_own)
    may_confirm = request.user.may(Permission.ADMIN) and not found.is_simulated and not is_own
    return page(
        request,
        "campaign_trial.html",
        PLACE,
        HTTPStatus.OK if error is None else status_of(error),
        identity=identity,
        url=f"/console/campaigns/{identity}/test/",
        number=number,
        number_error=joined_words(errors.get("number", [])),
        code_error=joined_words(errors.get("code", [])),
        asks_code=asks_code or may_confirm,
        needs_code=asks_code,
        messages=messages if errors or error is None else messages_of(error),
        asks_hour=is_own and ("any_hour" in filled or getattr(error, "code", None) is ErrorCode.CALLING_HOURS),
        any_hour="any_hour" in filled,
        waits_for_clock=service.worker.clock.mode == VIRTUAL,
        live=_live(request, found.trial),
        **found._asdict(),
    )


def _normal(number: str, region: str | None) -> str:
    """Return a number in normal form; as it was typed if it has none."""
    with suppress(NumberError):
        return normalise(number, region)
    return number


def _asks_code(request: ApiRequest, found: _Tried, error: Exception | None, *, is_own: bool) -> bool:
    """Return whether no test goes to the number before a code was typed, or one was typed."""
    if found.is_simulated:
        return False
    if getattr(error, "code", None) is ErrorCode.NOT_CONFIRMED or "code" in getattr(error, "errors", {}):
        return True
    return not request.user.may(Permission.ADMIN) and not is_own


def _read(unit: Unit, identity: int, actor_id: int) -> _Tried:
    query = select(Campaign.__table__, User.sms_rate).join(User, User.id == Campaign.user_id)
    row = unit.connection.execute(query.where(Campaign.id == identity, seen_campaigns(unit))).mappings().first()
    if row is None:
        raise RecordNotFoundError("There is no such campaign, or it is not yours.")
    is_sms, person = row["medium"] == SMS, person_of_trial(unit.connection, identity)
    text = ""
    if is_sms:
        text = message_of(row["text_message"], person.full_name, person.additional_vars, person.number)
    parts = parts_of(text) if is_sms else 0
    campaign = {str(name): value for name, value in row.items()}
    is_simulated, is_real = has_simulated_carrier(unit.connection, campaign), reaches_people(unit.connection, campaign)
    awaited = "" if is_simulated else awaited_number(unit.connection, actor_id, unit.now_ms)
    confirmed = confirmed_number(unit.connection, actor_id) if is_real else ""
    last = last_number(unit.connection, actor_id)
    telephone = telephone_of(unit.connection, actor_id, unit.conventions.region)
    return _Tried(
        row["name"],
        is_sms,
        is_simulated,
        is_real,
        person.full_name.strip() or person.number,
        text,
        parts,
        parts * row["sms_rate"],
        awaited or confirmed or last or telephone,
        confirmed if is_real else telephone,
        awaited,
        newest_trial(unit.connection, identity, unit.now_ms, rules_of(unit)),
    )


def _live(request: ApiRequest, trial: TrialView | None) -> str:
    """Return what the newest test does; empty without one."""
    if trial is None:
        return ""
    colour, word = STAGES[trial.stage]
    reasons = {**SUBSCRIBER_REASONS, **CAMPAIGN_REASONS}
    return render(
        "campaign_trial_live.html",
        trial=trial,
        colour=colour,
        word=gettext(word),
        why=gettext(reasons.get(trial.reason, trial.reason)) if trial.reason else "",
        activity=_activity(request, trial),
        zone=zone_of(request),
        words={"subscriber": SUBSCRIBER_REASONS, "transfer": TRANSFER_REASONS, "queue": QUEUE_REASONS},
        may_stop=request.user.may(Permission.CAMPAIGNS),
        happenings_of=happenings_of,
        in_viewers_words=in_viewers_words,
    )


def _activity(request: ApiRequest, trial: TrialView) -> ShownActivity:
    now_ms = request.service.worker.clock.now_ms()
    return shown_activity(trial.activity, SMS if trial.is_sms else "voice", 0, now_ms, zone_of(request))
