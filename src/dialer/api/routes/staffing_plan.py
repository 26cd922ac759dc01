"""`GET /rest-api/queue/<id>/staffing-plan/`: the agents that a queue needs, by half hours."""

from functools import partial
from typing import Any, Final
from zoneinfo import ZoneInfo

import anyio.to_thread
from litestar import Response, get
from litestar.params import FromPath

from dialer.api.actions.staffing_plan import PARAMETERS, csv_of_plan, history_for, plan_question, require_campaign
from dialer.api.answers.downloads import content_disposition
from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.service import ApiRequest
from dialer.domain.words.sentences import message_of
from dialer.forecast.queue_history import QueueHistory
from dialer.forecast.staffing_plan import StaffingPlan, StaffingPlanError, plan_of
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.queues import QUEUES
from dialer.resources.words.errors import ConflictError, InvalidError

FORMAT: Final = "format"
_FORMATS: Final = ("json", "csv")
_KNOWN: Final = {LISTS_OPTION: (), PARAMETERS_OPTION: (*PARAMETERS, FORMAT)}


@get("/queue/{record_id:str}/staffing-plan", tags=[QUEUES.path], opt=_KNOWN)
async def read_staffing_plan(request: ApiRequest, record_id: FromPath[str]) -> Response[StaffingPlan]:
    """Return the fewest agents that each half hour of a usual week needs, from the calls of the last weeks.

    `volumes`, or the kept forecast of a `campaign`, replace the calls of the past, so that there is a plan before the
    first day. `talk_time`, `ring_time` and `wrap_up_time` replace its times, in seconds.

    The plan is simulated, call by call, and the answer has both: the shares by Erlang C, and those of the simulation.
    Without calls that agents took, and if no number of agents keeps the goal, the answer is 409.
    """
    queue_id, conventions = identity_in(record_id), request.service.conventions(request)
    question = plan_question(request.query_params, ZoneInfo(request.service.settings.timezone))
    wanted = request.query_params.get(FORMAT, _FORMATS[0])
    if wanted not in _FORMATS:
        raise InvalidError({FORMAT: [f"{wanted!r} is not a format. Use one of {', '.join(_FORMATS)}."]})

    def read(unit: Unit) -> QueueHistory:
        records.require_seen(unit, QUEUES, queue_id)
        require_campaign(unit, question)
        return history_for(unit.connection, queue_id, question, unit.now_ms)

    history = await request.service.read(request, read, is_long=True)
    link = conventions.links.record(QUEUES.path, queue_id)
    make = partial(plan_of, history, question.assumptions, queue=link, timezone=question.zone.key)
    try:
        plan = await anyio.to_thread.run_sync(make)
    except StaffingPlanError as error:
        raise ConflictError(message_of(error)) from None
    return _csv(plan, queue_id) if wanted == "csv" else Response(plan)


def _csv(plan: StaffingPlan, queue_id: int) -> Response[Any]:
    headers = {"Content-Disposition": content_disposition(f"staffing-plan-{queue_id}.csv")}
    return Response(csv_of_plan(plan), media_type="text/csv", headers=headers)
