"""`GET /rest-api/campaigns/ID/proof/`: the archive that proves a campaign."""

from typing import Final

from litestar import get
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import FromPath
from litestar.response import Stream

from dialer.api.actions.call_archives import ZIP
from dialer.api.actions.campaign_proofs import answer_proof
from dialer.api.answers.streams import describe_answer
from dialer.api.http.event_streams import SlowReadersCutOff
from dialer.api.http.known_parameters import LISTS_OPTION
from dialer.api.service import ApiRequest
from dialer.resources.crud import records
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS

_ZIP_SCHEMA: Final = Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY, content_media_type=ZIP)
_DESCRIBED: Final = describe_answer({ZIP: _ZIP_SCHEMA})


@get(
    "/campaigns/{record_id:str}/proof",
    tags=[CAMPAIGNS.path],
    media_type=ZIP,
    operation_class=_DESCRIBED,
    middleware=[SlowReadersCutOff],
    opt={LISTS_OPTION: ()},
)
async def download_proof(request: ApiRequest, record_id: FromPath[str]) -> Stream:
    """Download all that proves a voice campaign as a ZIP file.

    It has the calls, the rules and what they decided, consents, wishes, transfers and the audit log, in lines of JSON
    with a manifest of their hashes. `dialer proof verify FILE` names each changed byte. An account has one made at a
    time. The audit log notes each with the SHA-256 of its manifest.
    """
    return await _answer(request, CAMPAIGNS, record_id)


@get(
    "/sms-campaigns/{record_id:str}/proof",
    tags=[SMS_CAMPAIGNS.path],
    media_type=ZIP,
    operation_class=_DESCRIBED,
    middleware=[SlowReadersCutOff],
    opt={LISTS_OPTION: ()},
)
async def download_sms_proof(request: ApiRequest, record_id: FromPath[str]) -> Stream:
    """Download all that proves an SMS campaign as a ZIP file, as for a voice campaign."""
    return await _answer(request, SMS_CAMPAIGNS, record_id)


async def _answer(request: ApiRequest, resource: Resource, record_id: str) -> Stream:
    identity = identity_in(record_id)
    return await answer_proof(request, identity, lambda unit: records.require_seen(unit, resource, identity))
