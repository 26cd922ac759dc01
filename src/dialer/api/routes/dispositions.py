"""`/rest-api/callrequest/<id>/disposition/`: the outcome of a call in the words of its agent."""

from litestar import Response, get, put
from litestar.params import FromPath

from dialer.api.http.body import read_if_any
from dialer.api.service import ApiRequest
from dialer.resources.crud.properties import describe_request
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.calls import CALLREQUESTS
from dialer.resources.records.dispositions import (
    DispositionGiven,
    DispositionRead,
    read_disposition_of,
    set_disposition_of,
)
from dialer.resources.words.ignored import ignored_header

_BODY = describe_request(DispositionGiven, is_required=True)


@get("/callrequest/{record_id:str}/disposition", tags=[CALLREQUESTS.path])
async def read_disposition(request: ApiRequest, record_id: FromPath[str]) -> DispositionRead:
    """Return the disposition of a call. Without one, the answer is 404."""
    identity = identity_in(record_id)
    return await request.service.read(request, lambda unit: read_disposition_of(unit, identity))


@put("/callrequest/{record_id:str}/disposition", tags=[CALLREQUESTS.path], operation_class=_BODY)
async def set_disposition(request: ApiRequest, record_id: FromPath[str]) -> Response[DispositionRead]:
    """Set the disposition of a call, in place of an earlier one.

    Agents set those of the calls that came to them. With a `call_back_date`, the callee is called again then, as after
    a retry. `do_not_call` puts the number on the campaign's do-not-call list.
    """
    identity, given = identity_in(record_id), await read_if_any(request)

    def change(unit: Unit) -> tuple[DispositionRead, tuple[str, ...]]:
        ignored = set_disposition_of(unit, identity, given)
        return read_disposition_of(unit, identity), ignored

    answer, ignored = await request.service.write(request, change)
    return Response(answer, headers=ignored_header(ignored))
