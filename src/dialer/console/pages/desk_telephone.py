"""The telephone of an agent in the browser, which the desk opens."""

from http import HTTPStatus
from typing import Any, Final

from litestar import Response, post
from litestar.di import NamedDependency
from sqlalchemy import select

from dialer.api.actions.telephones import OFFER_BYTES_MAX, Telephones
from dialer.api.service import ApiRequest
from dialer.app.call_centre.desk import agent_at_desk
from dialer.console.serving.forms import read_fields
from dialer.console.serving.orders import JSON, answer_refused
from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.words.sentences import message_of
from dialer.resources.crud.resource import Unit
from dialer.resources.words.errors import AnsweredError, RecordNotFoundError
from dialer.store.tables import Agent

TOO_LONG: Final = gettext_noop("The description of the browser's sound is too long.")
_NOT_KEPT: Final = {"Cache-Control": "no-store"}


@post("/desk/telephone", media_type=JSON, status_code=HTTPStatus.OK)
async def open_desk_telephone(request: ApiRequest, telephones: NamedDependency[Telephones]) -> Response[Any]:
    """Open the viewer's telephone from the offer of the page, or go on with the one that the page has."""
    filled = await read_fields(request)
    offer = filled.get("offer", "")
    if len(offer) > OFFER_BYTES_MAX:
        return answer_refused([gettext(TOO_LONG)], HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    agent_id, user_id = await _viewer(request)
    try:
        answered = await telephones.answer(agent_id, user_id, offer, filled.get("token", ""))
    except AnsweredError as error:
        return answer_refused([str(message_of(error))], error.status, error.headers)
    return Response(answered._asdict(), media_type=JSON, headers=_NOT_KEPT)


@post("/desk/telephone/state", media_type=JSON, status_code=HTTPStatus.OK)
async def see_desk_telephone(request: ApiRequest, telephones: NamedDependency[Telephones]) -> Response[Any]:
    """Return the state of the viewer's telephone, and the loss of their sound."""
    await read_fields(request)
    agent_id, _ = await _viewer(request)
    found = await telephones.state(agent_id)
    return Response({"state": found.state, "loss": found.loss_percent}, media_type=JSON, headers=_NOT_KEPT)


async def _viewer(request: ApiRequest) -> tuple[int, int]:
    """Return the ids of the agent who signs in as the viewer, and of the agent's account."""

    def read(unit: Unit) -> tuple[int, int] | None:
        agent_id = agent_at_desk(unit.connection, unit.actor.id)
        user_id = unit.connection.scalar(select(Agent.user_id).where(Agent.id == agent_id))
        return None if agent_id is None or user_id is None else (agent_id, user_id)

    found = await request.service.read(request, read)
    if found is None:
        raise RecordNotFoundError
    return found
