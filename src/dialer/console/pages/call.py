"""One call that is over: its outcome, and what happened in it, moment by moment, with the recordings of its answers."""

from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from litestar import Response, get, post
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.actions.recordings import answer_recorded_answer
from dialer.api.service import ApiRequest
from dialer.app.call_centre.dispositions import CallBackTerm, Disposed, disposition_of, term_of
from dialer.app.call_centre.drafts import AgentsDraft, drafts_of_call
from dialer.console.pages.calls import CallRow, rows_of_calls
from dialer.console.pages.dispositions import DispositionForm, form_of, save
from dialer.console.parts.call_player import RecordedCall, player_of, recorded_call
from dialer.console.parts.cells import id_in
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.rendering import UNKNOWN
from dialer.console.parts.sentences import in_viewers_words
from dialer.console.parts.sound_words import stream_in_words
from dialer.console.parts.wait_words import QUEUE_REASONS
from dialer.console.parts.zones import zone_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import go_to, page
from dialer.console.words.language import gettext
from dialer.console.words.state_words import ABANDONED_MEANING
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.enums import LegType
from dialer.domain.words.reasons import SUBSCRIBER_REASONS, TRANSFER_REASONS
from dialer.domain.words.roles import Permission
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.records.calls import CALLREQUESTS, CDRS
from dialer.resources.records.drafts import may_read_all
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.queries.wall_board import NUMBER
from dialer.store.tables import CallRequest, Cdr
from dialer.store.timeline.attempts import call_of
from dialer.store.timeline.happenings import happenings_of, wait_of
from dialer.store.timeline.parts import AttemptPart

PLACE: Final = "calls"


class _Call(NamedTuple):
    call: CallRow
    billed_s: int
    callrequest_id: int | None
    """None if the call request was deleted with its campaign."""
    attempt: AttemptPart | None
    recording: RecordedCall | None
    """The recording of the whole call, if the viewer may hear it."""
    disposed: Disposed | None
    term: CallBackTerm | None
    drafts: list[AgentsDraft]
    """The drafts of agents about it, if the viewer may read them."""
    sound_heard: str
    """The quality of the sound of the other side, in words; empty if nobody measured it."""
    sound_said: str
    """As `sound_heard`, of our sound."""


@get("/calls/{record_id:str}", media_type="text/html")
async def show_call(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show a call. Agents see its outcome, and not what the callee answered."""
    return await _show(request, identity_in(record_id))


@get("/callrequests/{record_id:str}", media_type="text/html")
async def show_call_of_request(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Lead to the call of a call request, or to all about its number while the call goes on."""
    identity = identity_in(record_id)
    return go_to(await request.service.read(request, lambda unit: _address(unit, identity)))


@post("/calls/{record_id:str}/disposition", media_type="text/html")
async def dispose_of_shown_call(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Save the outcome of a call."""
    identity, filled = identity_in(record_id), await read_fields(request)
    found = await request.service.read(request, lambda unit: _read(unit, identity))
    if found.callrequest_id is None:
        raise RecordNotFoundError("The campaign was deleted with the details of its calls.")
    refused = await save(request, found.callrequest_id, filled, has_draft=False)
    return go_to(f"/console/calls/{identity}/") if refused is None else await _show(request, identity, refused)


async def _show(request: ApiRequest, identity: int, refused: DispositionForm | None = None) -> Response[Any]:
    found = await request.service.read(request, lambda unit: _read(unit, identity))
    zone = zone_of(request)
    return page(
        request,
        "call.html",
        PLACE,
        HTTPStatus.OK if refused is None else refused.status,
        **found._asdict(),
        player=await player_of(request, found.recording, found.attempt),
        form=(refused or form_of(found.disposed, zone)).until(found.term, zone),
        is_refused=refused is not None,
        wait=None if found.attempt is None else wait_of(found.attempt),
        abandoned_meaning=gettext(ABANDONED_MEANING),
        words={"subscriber": SUBSCRIBER_REASONS, "transfer": TRANSFER_REASONS, "queue": QUEUE_REASONS},
        happenings_of=happenings_of,
        in_viewers_words=in_viewers_words,
        unknown=UNKNOWN,
        erased=ERASED,
    )


@get("/answers/{record_id:str}/recording", media_type="audio/wav")
async def play_answer(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Send the recorded answer of a callee."""
    return await answer_recorded_answer(request, identity_in(record_id))


def _read(unit: Unit, identity: int) -> _Call:
    record: Any = records.read_record(unit, CDRS, identity)
    attempt = None
    if record.callrequest is not None and unit.actor.may(Permission.READ):
        attempt = call_of(unit.connection, id_in(record.callrequest))
    call_id = None if record.callrequest is None else id_in(record.callrequest)
    recording = recorded_call(unit, call_id, record.callid, record.phone_number)
    disposed = None if call_id is None else disposition_of(unit.connection, call_id)
    term = None if call_id is None else term_of(unit.connection, call_id)
    drafts = drafts_of_call(unit.connection, call_id) if call_id is not None and may_read_all(unit) else []
    sound = record.sound or {"heard": None, "said": None}
    heard, said = stream_in_words(sound["heard"]), stream_in_words(sound["said"])
    row = rows_of_calls(unit, [record])[0]
    return _Call(row, record.billed_duration, call_id, attempt, recording, disposed, term, drafts, heard, said)


def _address(unit: Unit, identity: int) -> str:
    """Return the address of the page about a call request."""
    records.require_seen(unit, CALLREQUESTS, identity)
    query = select(Cdr.id).where(Cdr.callrequest_id == identity, Cdr.leg_type == LegType.A_LEG)
    cdr_id = unit.connection.scalar(query.limit(1))
    if cdr_id is not None:
        return f"/console/calls/{cdr_id}/"
    number = unit.connection.scalar(select(NUMBER).where(CallRequest.id == identity))
    if not number or not unit.actor.may(Permission.READ):
        raise RecordNotFoundError("The call goes on. Its page comes when it is over.")
    return f"/console/number/?number={quote(number)}"
