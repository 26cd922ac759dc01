"""Comparisons of settings of a campaign over the API. They run in the background, and change nothing."""

from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Annotated, Final

import msgspec
from litestar import Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.actions.what_if import begin_comparison, comparison_of, what_if_shape
from dialer.api.http.body import read_if_any
from dialer.api.service import ApiRequest
from dialer.app.work.errors import ErrorCode
from dialer.domain.words.described import described
from dialer.domain.words.sentences import message_of
from dialer.forecast.example import FORECAST
from dialer.forecast.forecast import CampaignOverError
from dialer.forecast.queue_figures import QUEUES_EXAMPLE
from dialer.forecast.what_if import Comparison, WhatIf
from dialer.forecast.what_if_queue import WhatIfQueue, WhatIfRun, WhatIfState
from dialer.resources.crud import records
from dialer.resources.crud.properties import describe_request
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Parsed, parse_whole
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.words.errors import ConflictError, InvalidError, RecordNotFoundError
from dialer.resources.words.ignored import ignored_header
from dialer.settings import Settings

WhatIfAsked: Final = what_if_shape("WhatIfAsked", CAMPAIGNS)
_NONE: Final = (
    "No comparison of this campaign is kept here. Comparisons are in the memory of the process that computes them,"
    " until it restarts. Ask for it again."
)
SmsWhatIfAsked: Final = what_if_shape("SmsWhatIfAsked", SMS_CAMPAIGNS)


_COMPARED: Final = {"present": {**FORECAST, "queues": QUEUES_EXAMPLE}, "settings": []}


class WhatIfRead(msgspec.Struct, frozen=True):
    """A comparison of settings: how far it is, and its outcome once it is done."""

    state: Annotated[WhatIfState, described("The state: `waiting`, `running`, `done`, `failed` or `stopped`.", "done")]
    runs: Annotated[int, described("Number of runs: the seeds of all settings, the present one included.", 30)]
    done: Annotated[int, described("Number of those that are done.", 30)]
    changes: Annotated[Sequence[dict[str, str]], described("The settings, as they were given.", [{"frequency": "40"}])]
    error: Annotated[str, described("The reason why it has failed; else empty.", "")]
    outcome: Annotated[
        WhatIf | None,
        described("The forecasts and their differences; null until they are done.", _COMPARED),
    ]


def what_if_read(run: WhatIfRun) -> WhatIfRead:
    """Return a comparison as an answer."""
    return WhatIfRead(
        state=run.state,
        runs=run.comparison.runs,
        done=run.done,
        changes=[each.changes for each in run.comparison.named],
        error="" if run.failure is None else str(message_of(run.failure)),
        outcome=run.outcome,
    )


@post(
    "/campaigns/{record_id:str}/what-if",
    tags=[CAMPAIGNS.path],
    status_code=HTTPStatus.ACCEPTED,
    operation_class=describe_request(WhatIfAsked, is_required=True),
)
async def compare_campaign(
    request: ApiRequest, what_if_queue: NamedDependency[WhatIfQueue], record_id: FromPath[str]
) -> Response[WhatIfRead]:
    """Compare settings of a voice campaign: forecast it as it is and under each of them, with the same seeds.

    The comparison runs in the background; read it with `GET`. It changes nothing. A person has the same fate under
    every setting with the same seed, so the differences come from the settings. The newest comparison of a campaign
    is kept in memory, until another one begins or the service restarts. Each user has one under way at a time.
    """
    return await _begin(request, what_if_queue, (CAMPAIGNS, WhatIfAsked, record_id))


@get("/campaigns/{record_id:str}/what-if", tags=[CAMPAIGNS.path])
async def fetch_comparison(
    request: ApiRequest, what_if_queue: NamedDependency[WhatIfQueue], record_id: FromPath[str]
) -> Response[WhatIfRead]:
    """Read the newest comparison of settings of a voice campaign: its progress, and its outcome once it is done."""
    return await _read(request, what_if_queue, CAMPAIGNS, record_id)


@delete("/campaigns/{record_id:str}/what-if", tags=[CAMPAIGNS.path], status_code=HTTPStatus.OK)
async def stop_comparison(
    request: ApiRequest, what_if_queue: NamedDependency[WhatIfQueue], record_id: FromPath[str]
) -> Response[WhatIfRead]:
    """Stop the comparison of settings of a voice campaign that is under way. One that is over stays as it is."""
    return await _read(request, what_if_queue, CAMPAIGNS, record_id, stops=True)


@post(
    "/sms-campaigns/{record_id:str}/what-if",
    tags=[SMS_CAMPAIGNS.path],
    status_code=HTTPStatus.ACCEPTED,
    operation_class=describe_request(SmsWhatIfAsked, is_required=True),
)
async def compare_sms_campaign(
    request: ApiRequest, what_if_queue: NamedDependency[WhatIfQueue], record_id: FromPath[str]
) -> Response[WhatIfRead]:
    """Compare settings of an SMS campaign: forecast it as it is and under each of them, with the same seeds.

    The comparison runs in the background; read it with `GET`. It changes nothing. A person has the same fate under
    every setting with the same seed, so the differences come from the settings. The newest comparison of a campaign
    is kept in memory, until another one begins or the service restarts. Each user has one under way at a time.
    """
    return await _begin(request, what_if_queue, (SMS_CAMPAIGNS, SmsWhatIfAsked, record_id))


@get("/sms-campaigns/{record_id:str}/what-if", tags=[SMS_CAMPAIGNS.path])
async def fetch_sms_comparison(
    request: ApiRequest, what_if_queue: NamedDependency[WhatIfQueue], record_id: FromPath[str]
) -> Response[WhatIfRead]:
    """Read the newest comparison of settings of an SMS campaign: its progress, and its outcome once it is done."""
    return await _read(request, what_if_queue, SMS_CAMPAIGNS, record_id)


@delete("/sms-campaigns/{record_id:str}/what-if", tags=[SMS_CAMPAIGNS.path], status_code=HTTPStatus.OK)
async def stop_sms_comparison(
    request: ApiRequest, what_if_queue: NamedDependency[WhatIfQueue], record_id: FromPath[str]
) -> Response[WhatIfRead]:
    """Stop the comparison of settings of an SMS campaign that is under way. One that is over stays as it is."""
    return await _read(request, what_if_queue, SMS_CAMPAIGNS, record_id, stops=True)


async def _begin(
    request: ApiRequest, what_if_queue: WhatIfQueue, which: tuple[Resource, type, str]
) -> Response[WhatIfRead]:
    service, (resource, shape, record_id) = request.service, which
    parsed = parse_whole(shape, await read_if_any(request), service.conventions(request))
    work = partial(_comparison, resource=resource, record_id=record_id, parsed=parsed, settings=service.settings)
    try:
        comparison = await service.read(request, work, is_long=True)
    except CampaignOverError as error:
        raise ConflictError(message_of(error), code=ErrorCode.CAMPAIGN_OVER) from None
    run = begin_comparison(request, what_if_queue, comparison)
    return Response(what_if_read(run), status_code=HTTPStatus.ACCEPTED, headers=ignored_header(parsed.ignored))


def _comparison(unit: Unit, *, resource: Resource, record_id: str, parsed: Parsed, settings: Settings) -> Comparison:
    identity = identity_in(record_id)
    records.require_seen(unit, resource, identity)
    if parsed.errors:
        raise InvalidError(parsed.errors)
    values = parsed.values
    return comparison_of(unit, resource, identity, settings, values["settings"], values["seeds"], values["first_seed"])


async def _read(
    request: ApiRequest, what_if_queue: WhatIfQueue, resource: Resource, record_id: str, *, stops: bool = False
) -> Response[WhatIfRead]:
    identity = identity_in(record_id)
    await request.service.read(request, lambda unit: records.require_seen(unit, resource, identity))
    if stops:
        what_if_queue.stop(identity)
    run = what_if_queue.of_campaign(identity)
    if run is None:
        raise RecordNotFoundError(_NONE)
    return Response(what_if_read(run))
