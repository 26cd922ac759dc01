"""`POST /rest-api/campaigns/<id>/copy/`: a new campaign with the settings of another one."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from litestar import Response, post
from litestar.openapi.spec import OpenAPIMediaType, Operation, RequestBody
from litestar.openapi.spec import Reference as SchemaReference
from litestar.params import FromPath

from dialer.api.answers.controller import JSON
from dialer.api.http.body import read_if_any
from dialer.api.http.idempotency import StoredAnswer, answer_once, attempt_of
from dialer.api.service import ApiRequest
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Parsed, Shape, parse_given
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.campaign_life import copy_record
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.words.errors import RecordNotFoundError
from dialer.resources.words.preconditions import ETAG_HEADER

if TYPE_CHECKING:
    CampaignRead: TypeAlias = Shape
    SmsCampaignRead: TypeAlias = Shape

_PATH: Final = "{}/{}/copy"


def _changing(resource: Resource) -> type[Operation]:
    """Return the OpenAPI operation with the optional body: the fields in which the copy differs."""

    @dataclass
    class CopyOperation(Operation):
        def __post_init__(self) -> None:
            schema = SchemaReference(ref=f"#/components/schemas/{resource.shapes.change.__name__}")  # type: ignore[union-attr]
            self.request_body = RequestBody(content={JSON: OpenAPIMediaType(schema=schema)}, required=False)

    return CopyOperation


@post(
    "/campaigns/{record_id:str}/copy",
    tags=[CAMPAIGNS.path],
    operation_class=_changing(CAMPAIGNS),
    signature_namespace={"CampaignRead": CAMPAIGNS.read},
)
async def copy_campaign(request: ApiRequest, record_id: FromPath[str]) -> "Response[CampaignRead]":
    """Copy a voice campaign: a new campaign with its settings, without its subscribers, calls and counters.

    The copy has status 0 (NEW), starts now and is as long as the other campaign. Fields in the body replace those of
    the other campaign. The name of the copy ends in `(copy)`, unless the body has a name.
    """
    return await _copy(request, CAMPAIGNS, record_id)


@post(
    "/sms-campaigns/{record_id:str}/copy",
    tags=[SMS_CAMPAIGNS.path],
    operation_class=_changing(SMS_CAMPAIGNS),
    signature_namespace={"SmsCampaignRead": SMS_CAMPAIGNS.read},
)
async def copy_sms_campaign(request: ApiRequest, record_id: FromPath[str]) -> "Response[SmsCampaignRead]":
    """Copy an SMS campaign: a new campaign with its settings, without its subscribers, messages and counters.

    The copy has status 0 (NEW), starts now and is as long as the other campaign. Fields in the body replace those of
    the other campaign. The name of the copy ends in `(copy)`, unless the body has a name.
    """
    return await _copy(request, SMS_CAMPAIGNS, record_id)


async def _copy(request: ApiRequest, resource: Resource, record_id: str) -> Response[Any]:
    service, identity = request.service, parse_id(record_id)
    if identity is None or resource.write is None:
        raise RecordNotFoundError
    parsed = parse_given(resource.write, await read_if_any(request), service.conventions(request))
    attempt = attempt_of(request, _PATH.format(resource.path, identity), await request.body())

    def copy_once(unit: Unit) -> StoredAnswer:
        return answer_once(unit, attempt, lambda: _copy_in(unit, resource, identity, parsed))

    with service.attempts.begin(attempt):
        answer = await service.write(request, copy_once)
    return answer.response(parsed.ignored)


def _copy_in(unit: Unit, resource: Resource, campaign_id: int, parsed: Parsed) -> StoredAnswer:
    created = copy_record(unit, resource, campaign_id, parsed)
    content, tag = created.answer
    location = unit.conventions.links.record(resource.path, created.record_id)
    return StoredAnswer(HTTPStatus.CREATED, {"Location": location, ETAG_HEADER: tag.header}, content)
