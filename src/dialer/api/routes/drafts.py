"""`/rest-api/callrequest/<id>/draft/`: the outcome of a call as its agent has typed it so far."""

from litestar import Response, delete, get, put
from litestar.params import FromPath

from dialer.api.http.body import read_if_any
from dialer.api.service import ApiRequest
from dialer.resources.crud.properties import describe_request
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.calls import CALLREQUESTS
from dialer.resources.records.drafts import DraftGiven, DraftRead, delete_draft_of, read_draft_of, set_draft_of
from dialer.resources.words.ignored import ignored_header

_BODY = describe_request(DraftGiven, is_required=True)


@get("/callrequest/{record_id:str}/draft", tags=[CALLREQUESTS.path])
async def read_draft(request: ApiRequest, record_id: FromPath[str]) -> DraftRead:
    """Return what is typed about a call and not saved: an agent's own, for others the newest. Without one, 404."""
    identity = identity_in(record_id)
    return await request.service.read(request, lambda unit: read_draft_of(unit, identity))


@put("/callrequest/{record_id:str}/draft", tags=[CALLREQUESTS.path], operation_class=_BODY)
async def set_draft(request: ApiRequest, record_id: FromPath[str]) -> Response[DraftRead]:
    """Keep what an agent has typed about a call in which they have talked, in place of an earlier draft.

    An empty draft deletes it. The disposition of the call takes from it what it stores.
    """
    identity, given = identity_in(record_id), await read_if_any(request)
    answer, ignored = await request.service.write(request, lambda unit: set_draft_of(unit, identity, given))
    return Response(answer, headers=ignored_header(ignored))


@delete("/callrequest/{record_id:str}/draft", tags=[CALLREQUESTS.path])
async def delete_draft(request: ApiRequest, record_id: FromPath[str]) -> None:
    """Discard what the agent has typed about a call. Without a draft, the answer is 404."""
    identity = identity_in(record_id)
    await request.service.write(request, lambda unit: delete_draft_of(unit, identity))
