"""The columns of a call request, as the journal writes them."""

from typing import NamedTuple


class RequestRow(NamedTuple):
    """The columns of a call request; those from `hold` on describe its end."""

    id: int
    campaign_id: int
    subscriber_id: int | None
    contact_id: int | None
    user_id: int
    gateway_id: int
    attempt: int
    callid: str
    phone_number: str
    callerid: str
    started_ms: int
    ring_limit_ms: int
    talk_limit_ms: int
    call_rate: int
    connection_fee: int
    first_increment: int
    next_increment: int
    amd: int
    parameters: str | None
    did_id: int | None
    dialled_number: str
    is_simulated: bool
    consent_id: int | None
    hold: int
    status: int
    status_reason: str
    ended_ms: int | None
    hangup_cause_q850: int | None
    heard: str


class RequestEnd(NamedTuple):
    """The end of a call request that has a row already."""

    hold: int
    status: int
    status_reason: str
    ended_ms: int
    hangup_cause_q850: int
    heard: str
    request_id: int
