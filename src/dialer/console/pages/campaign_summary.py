"""The answers to a campaign in sentences and charts, each person once, and its recorded answers to hear."""

from typing import Any, Final, NamedTuple

from litestar import Response, get
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.answers.long_tables import FORMAT
from dialer.api.service import ApiRequest
from dialer.console.pages.campaign import check_seen
from dialer.console.pages.campaigns import PLACE
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.zones import zone_of
from dialer.console.serving.services import page
from dialer.resources.crud.resource import Unit
from dialer.store.tables import CallRequest, Campaign, Subscriber, SurveyResult

RECORDINGS_A_PAGE: Final = 50
_ID_DIGITS_MAX: Final = 18


class AnswerToHear(NamedTuple):
    """A recorded answer, and the person who gave it: no name and number for a stranger who called in."""

    id: int
    question: str
    seconds: int | None
    at_ms: int
    name: str | None
    number: str | None


class _Recorded(NamedTuple):
    name: str
    """The campaign."""
    rows: list[AnswerToHear]
    before: int | None
    """The id before which there are more; None if there are none."""


@get("/campaigns/{record_id:str}/summary", media_type="text/html")
async def show_summary(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show how people answered, in words, and by the column of the list that the query names; as a PDF if wanted."""
    # The first report imports what a start does without.
    from dialer.console.parts.told_answers import tell_answers  # noqa: PLC0415

    identity, service = identity_in(record_id, "campaign"), request.service
    await service.read(request, lambda unit: check_seen(unit, identity))
    told = await tell_answers(service.database, identity, request.query_params.get("by", ""))
    if request.query_params.get(FORMAT) == "pdf":
        from dialer.console.reports.paper import Imprint, answer_pdf  # noqa: PLC0415

        now_ms = service.worker.clock.now_ms()
        imprint = Imprint(identity, request.user.username, now_ms, zone_of(request))
        return await answer_pdf(request, told, imprint)
    return page(request, "campaign_summary.html", PLACE, identity=identity, **told._asdict())


@get("/campaigns/{record_id:str}/recordings", media_type="text/html")
async def show_recorded_answers(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show the recorded answers to a campaign, or to the section that the query names, the newest first, to hear."""
    identity = identity_in(record_id, "campaign")
    section, before = (_number(request.query_params.get(name, "")) for name in ("section", "before"))
    found = await request.service.read(request, lambda unit: _recorded(unit, identity, section, before))
    return page(request, "recorded_answers.html", PLACE, identity=identity, section=section, **found._asdict())


def _number(text: str) -> int | None:
    """Return the id that a query has; None without one."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _ID_DIGITS_MAX else None


def _recorded(unit: Unit, identity: int, section: int | None, before: int | None) -> _Recorded:
    check_seen(unit, identity)
    given = (SurveyResult.id, SurveyResult.question, SurveyResult.recording_duration, SurveyResult.created_date)
    query = (
        select(*given, Subscriber.full_name, Subscriber.number)
        .outerjoin(CallRequest, CallRequest.id == SurveyResult.callrequest_id)
        .outerjoin(Subscriber, Subscriber.id == CallRequest.subscriber_id)
        .where(SurveyResult.campaign_id == identity, SurveyResult.record_file != "")
    )
    query = query if section is None else query.where(SurveyResult.section_id == section)
    query = query if before is None else query.where(SurveyResult.id < before)
    rows = unit.connection.execute(query.order_by(SurveyResult.id.desc()).limit(RECORDINGS_A_PAGE + 1)).all()
    name = unit.connection.scalar(select(Campaign.name).where(Campaign.id == identity))
    shown = [AnswerToHear._make(row) for row in rows[:RECORDINGS_A_PAGE]]
    return _Recorded(str(name), shown, shown[-1].id if len(rows) > RECORDINGS_A_PAGE else None)
