"""`/rest-api/agent/<id>/telephone/`: the telephone of an agent in a browser, by an offer and an answer (WebRTC)."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from litestar import Response, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, OpenAPIType, Operation, RequestBody, Schema
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.actions.telephones import OFFER_BYTES_MAX, TelephoneRead, Telephones
from dialer.api.answers.streams import expect_type
from dialer.api.http.body import read_whole
from dialer.api.service import ApiRequest
from dialer.resources.crud import records
from dialer.resources.crud.moments import show_timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.queues import AGENTS
from dialer.resources.words.errors import AnsweredError, MalformedError
from dialer.store.tables import Agent

SDP: Final = "application/sdp"
_TEXT: Final = Schema(type=OpenAPIType.STRING, description="A session description.")
_OFFER: Final = OpenAPIMediaType(
    schema=Schema(type=OpenAPIType.STRING, description="The offer of the browser, which has audio with PCMU."),
    example="v=0\r\n",
)
_ANSWER: Final = OpenAPIMediaType(schema=_TEXT)


def _described(status: str) -> type[Operation]:
    """Return the OpenAPI operation of a handler that takes an offer, and answers with the answer to it."""

    @dataclass
    class OfferOperation(Operation):
        def __post_init__(self) -> None:
            self.request_body = RequestBody(content={SDP: _OFFER}, required=True)
            answer = OpenAPIResponse(description="The answer.", content={SDP: _ANSWER})
            self.responses = {**(self.responses or {}), status: answer}

    return OfferOperation


@post(
    "/agent/{record_id:str}/telephone",
    tags=[AGENTS.path],
    status_code=HTTPStatus.CREATED,
    media_type=SDP,
    operation_class=_described("201"),
)
async def open_telephone(
    request: ApiRequest, record_id: FromPath[str], telephones: NamedDependency[Telephones]
) -> Response[str]:
    """Open the telephone of an agent in a browser, from its offer (`application/sdp`), and return the answer.

    The `Location` names the telephone. An agent has one: a second one replaces the first, and a call goes on with it.
    Agents open their own. Calls come to it while the agent's `telephone` is `browser`. It answers them by itself.
    """
    agent_id, user_id = await _seen(request, record_id)
    answered = await telephones.answer(agent_id, user_id, await _offer_in(request))
    place = f"{request.service.links(request).record(AGENTS.path, agent_id)}telephone/{answered.token}/"
    return Response(
        answered.answer, status_code=HTTPStatus.CREATED, media_type=SDP, headers={"Location": place, **_NOT_KEPT}
    )


@patch(
    "/agent/{record_id:str}/telephone/{token:str}",
    tags=[AGENTS.path],
    status_code=HTTPStatus.OK,
    media_type=SDP,
    operation_class=_described("200"),
)
async def renew_telephone(
    request: ApiRequest, record_id: FromPath[str], token: FromPath[str], telephones: NamedDependency[Telephones]
) -> Response[str]:
    """Go on with a new offer of the browser, after a change of its network. A call goes on with it.

    A telephone that another one has replaced is gone: 404.
    """
    agent_id, user_id = await _seen(request, record_id)
    answered = await telephones.answer(agent_id, user_id, await _offer_in(request), token)
    return Response(answered.answer, media_type=SDP, headers=_NOT_KEPT)


@delete("/agent/{record_id:str}/telephone/{token:str}", tags=[AGENTS.path])
async def delete_telephone(
    request: ApiRequest, record_id: FromPath[str], token: FromPath[str], telephones: NamedDependency[Telephones]
) -> None:
    """Close the telephone of an agent in a browser. The agent's leg of a call in progress is hung up."""
    agent_id, _ = await _seen(request, record_id)
    await telephones.hang_up(agent_id, token)


@get("/agent/{record_id:str}/telephone", tags=[AGENTS.path])
async def read_telephone(
    request: ApiRequest, record_id: FromPath[str], telephones: NamedDependency[Telephones]
) -> TelephoneRead:
    """Return the state of an agent's telephone in a browser, and the quality of the agent's sound so far."""
    agent_id, _ = await _seen(request, record_id)
    found = await telephones.state(agent_id)
    age_ms = found.since_age_ms
    since = None
    if age_ms is not None:
        since_ms = request.service.worker.clock.now_ms() - age_ms
        since = show_timestamp(since_ms - since_ms % 1_000)
    return TelephoneRead(found.state, since, found.loss_percent, found.jitter_ms, found.round_trip_ms)


_NOT_KEPT: Final = {"Cache-Control": "no-store"}


async def _offer_in(request: ApiRequest) -> str:
    """Return the offer that a request has as its body.

    Raises:
        AnsweredError: the body is of another type, too large, or no text.
    """
    expect_type(request, SDP)
    body = await read_whole(request)
    if len(body) > OFFER_BYTES_MAX:
        raise AnsweredError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The description is too large.")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise MalformedError("The description is no text in UTF-8.") from None


async def _seen(request: ApiRequest, record_id: str) -> tuple[int, int]:
    """Return the ids of an agent that the caller may see, and of its account."""
    agent_id = identity_in(record_id)

    def read(unit: Unit) -> int:
        records.require_seen(unit, AGENTS, agent_id)
        return unit.connection.scalar(select(Agent.user_id).where(Agent.id == agent_id)) or 0

    return agent_id, await request.service.read(request, read)
