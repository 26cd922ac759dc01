"""Archives that prove campaigns, which are made as they are sent."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeVar

import anyio.from_thread
from litestar.response import Stream
from sqlalchemy import Connection

from dialer.api.actions.call_archives import ZIP
from dialer.api.answers.downloads import in_threads, no_content
from dialer.api.http.stream_places import StreamPlace
from dialer.api.service import ApiRequest
from dialer.app.work.events import CampaignProved
from dialer.domain.words.roles import Permission
from dialer.resources.crud.resource import Unit
from dialer.resources.words.headers import is_head
from dialer.store.database.touched import NOTHING

if TYPE_CHECKING:
    from dialer.app.campaigns.proof_facts import ProvedCampaign

_Result = TypeVar("_Result")
NAME: Final = "campaign-{}-proof.zip"


async def answer_proof(request: ApiRequest, campaign_id: int, check_seen: Callable[[Unit], object]) -> Stream:
    """Answer with the archive of a campaign, if `check_seen` lets the caller see it.

    The audit log notes its manifest before the last piece is sent. Which calls were recorded is told to those who may
    hear recordings.

    Raises:
        AnsweredError: the account has an archive made already, or too many others have.
        RecordNotFoundError: there is no such campaign, or it is not the caller's.
        RefusedError: it has too many calls.
    """
    from dialer.app.campaigns.proof import begin_proof  # noqa: PLC0415 - most services make none

    service = request.service

    def begin(unit: Unit) -> "ProvedCampaign":
        check_seen(unit)
        may_hear = request.user.may(Permission.RECORDINGS)
        return begin_proof(unit.connection, campaign_id, unit.now_ms, with_recordings=may_hear)

    begun = await service.read(request, begin, is_long=True)
    headers = {"Content-Disposition": f'attachment; filename="{NAME.format(campaign_id)}"'}
    if is_head(request.scope):
        return Stream(no_content(), media_type=ZIP, headers=headers)
    place = service.proof_places.take(request.user.sees_as, request.user.id)
    return Stream(_pieces(request, begun, place), media_type=ZIP, headers=headers)


async def _pieces(request: ApiRequest, campaign: "ProvedCampaign", place: StreamPlace) -> AsyncIterator[bytes]:
    from dialer.app.campaigns.proof import proof_of  # noqa: PLC0415 - as above

    service = request.service

    def read(work: Callable[[Connection], _Result]) -> _Result:
        return anyio.from_thread.run(partial(service.database.read, work, is_long=True))

    with place:
        archive = proof_of(read, campaign, service.media)
        async for piece in in_threads(archive.members()):
            yield piece
        made = CampaignProved(campaign.id, sha256(archive.manifest()).hexdigest())
        await service.write(request, lambda unit: unit.note(NOTHING, made))
        yield archive.end()
