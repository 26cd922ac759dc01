"""`/rest-api/promised-call-backs/`: the call-backs that agents have promised and that have not come yet."""

from typing import Annotated

import msgspec
from litestar import get

from dialer.api.http.known_parameters import LISTS_OPTION
from dialer.api.service import ApiRequest
from dialer.domain.words.described import described
from dialer.resources.crud.moments import show_timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import Links
from dialer.store.queries.promised_call_backs import PROMISED_MAX, PromisedCallBack, promised_call_backs


class PromisedCallBackRead(msgspec.Struct, frozen=True):
    """A promised call-back."""

    call_back_date: Annotated[
        str, described("The moment at which the person is called, or from which on.", "2026-11-20T17:30:00Z")
    ]
    phone_number: Annotated[str, described("The number of the person.", "+12025550101")]
    name: Annotated[str, described("The name of the person; empty if it is not known.", "Ann Lee")]
    note: Annotated[str, described("The agent's note; empty without one.", "After work.")]
    callrequest: Annotated[
        str, described("The call in which it was promised.", "https://dialer.example/rest-api/callrequest/7/")
    ]
    campaign: Annotated[str, described("The campaign that calls.", "https://dialer.example/rest-api/campaigns/1/")]
    agent: Annotated[
        str | None,
        described(
            "The agent who promised it. Null if there is none any more.", "https://dialer.example/rest-api/agent/3/"
        ),
    ]
    same_agent: Annotated[bool, described("True if that agent takes it themselves.", example=True)]


class PromisedCallBacksRead(msgspec.Struct, frozen=True):
    """The next promised call-backs, at most 200."""

    results: Annotated[list[PromisedCallBackRead], described("The call-backs, the next one first.")]


@get("/promised-call-backs", tags=["callrequest"], opt={LISTS_OPTION: ()})
async def read_promised_call_backs(request: ApiRequest) -> PromisedCallBacksRead:
    """Return the call-backs that agents have promised and that have not come yet, at most 200, the next one first."""

    def read(unit: Unit) -> PromisedCallBacksRead:
        viewer = None if unit.actor.is_admin else unit.actor.sees_as
        found = promised_call_backs(unit.connection, viewer, limit=PROMISED_MAX)
        return PromisedCallBacksRead([_shown(one, unit.conventions.links) for one in found])

    return await request.service.read(request, read)


def _shown(one: PromisedCallBack, links: Links) -> PromisedCallBackRead:
    return PromisedCallBackRead(
        call_back_date=show_timestamp(one.at_ms),
        phone_number=one.number,
        name=one.full_name,
        note=one.note,
        callrequest=links.record("callrequest", one.callrequest_id),
        campaign=links.record("campaigns", one.campaign_id),
        agent=None if one.agent_id is None else links.record("agent", one.agent_id),
        same_agent=one.same_agent,
    )
