"""Use cases of gateways; a call or message in progress keeps the parameters with which it began."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Table, select, update

from dialer.app.overview.examples import refuse_for_example
from dialer.app.work.errors import UnknownRecordError
from dialer.app.work.touched_records import touched_gateway, users_of_gateway
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.plans import SIMULATED, SMS, GatewayKey
from dialer.domain.credentials.gateway_secrets import with_kept_secrets
from dialer.store.fleet.shards import limit_channels
from dialer.store.queries.calls_in_progress import gateway_row
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.tables import CallRequest, Gateway, SmsMessage, WaitingText


def attempts_over(gateway: GatewayKey) -> tuple[Table, ColumnElement[bool]]:
    """Return the table of a gateway's calls or messages, and the condition that one is in progress over it."""
    if gateway.medium == SMS:
        return SmsMessage.__table__, (SmsMessage.gateway_id == gateway.id) & SmsMessage.ended_ms.is_(None)
    return CallRequest.__table__, (CallRequest.gateway_id == gateway.id) & IS_CALLING


def texts_waiting_for(sms_gateway_id: int) -> ColumnElement[bool]:
    """Return the condition that a message of a call request waits for room on a gateway for text messages."""
    return CallRequest.id.in_(select(WaitingText.callrequest_id).where(WaitingText.gateway_id == sms_gateway_id))


def change_gateway(unit: UnitOfWork, gateway: GatewayKey, values: Mapping[str, Any]) -> None:
    """Write columns of a gateway; attempts in progress get a copy of the old parameters if these change.

    Raises:
        UnknownRecordError: there is no such gateway.
        RefusedError: it is to call people, and an example campaign with made-up people calls over it.
    """
    row = gateway_row(unit.connection, gateway)
    if row is None:
        raise UnknownRecordError(f"There is no gateway {gateway.id}.")
    if values.get("protocol", SIMULATED) != SIMULATED:
        refuse_for_example(unit.connection, gateway)
    before = row["parameters"]
    if "parameters" in values:
        values = {**values, "parameters": with_kept_secrets(before, values["parameters"])}
    if values.get("parameters", before) != before:
        attempts, is_under_way = attempts_over(gateway)
        kept = update(attempts).where(is_under_way, attempts.c.parameters.is_(None))
        unit.connection.execute(kept.values(parameters=before))
    if values.get("max_channels") and not row["max_channels"]:
        limit_channels(unit.connection, gateway, unit.now_ms)
    changed = update(Gateway).where(Gateway.medium == gateway.medium, Gateway.id == gateway.id)
    unit.connection.execute(changed.values({**values, "updated_date": unit.now_ms}))
    touched = touched_gateway(gateway)
    if values.get("protocol", row["protocol"]) != row["protocol"]:
        # Wishes of simulated people begin to hold for its campaigns, or hold no more.
        touched |= users_of_gateway(unit.connection, gateway)
    unit.note(touched)
