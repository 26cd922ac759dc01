"""One call that is over: its outcome, and what happened in it, moment by moment, with the recordings of its answers."""

from typing import Any, Final, NamedTuple

from litestar import Response, get
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.crud.resource import Unit
from dialer.api.records.calls import CDRS
from dialer.api.records.recordings import answer_recorded_answer
from dialer.api.service import ApiRequest
from dialer.console.cells import id_in
from dialer.console.pages.calls import CallRow, rows_of_calls
from dialer.console.pages.record import identity_in
from dialer.console.services import page
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.reasons import SUBSCRIBER_REASONS, TRANSFER_REASONS
from dialer.domain.roles import Permission
from dialer.store.timeline.attempts import call_of
from dialer.store.timeline.parts import AttemptPart
from dialer.store.timeline.reading import cause_in_words

PLACE: Final = "calls"


class _Call(NamedTuple):
    call: CallRow
    billed_s: int
    attempt: AttemptPart | None


@get("/calls/{record_id:str}", media_type="text/html")
async def show_call(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show a call. Agents see its outcome, and not what the callee answered."""
    identity = identity_in(record_id)
    found = await request.service.read(request, lambda unit: _read(unit, identity))
    return page(
        request,
        "call.html",
        PLACE,
        **found._asdict(),
        words={"subscriber": SUBSCRIBER_REASONS, "transfer": TRANSFER_REASONS},
        cause_in_words=cause_in_words,
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
    return _Call(rows_of_calls(unit, [record])[0], record.billed_duration, attempt)
