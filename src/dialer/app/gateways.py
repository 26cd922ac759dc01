"""Use cases of gateways; a call or message in progress keeps the parameters with which it began."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Table, select, update

from dialer.app.errors import UnknownRecordError
from dialer.app.touching import touched_gateway, touched_sms_gateway
from dialer.app.unit import UnitOfWork
from dialer.domain.gateway_secrets import with_kept_secrets
from dialer.domain.plans import SMS_LINES_FROM
from dialer.store.queries.calling import IS_CALLING
from dialer.store.tables import CallRequest, Gateway, SmsGateway, SmsMessage, WaitingText


def calls_over(gateway_id: int) -> ColumnElement[bool]:
    """Return the condition that a call request is in progress over a gateway."""
    return (CallRequest.gateway_id == gateway_id) & IS_CALLING


def messages_over(gateway_id: int) -> ColumnElement[bool]:
    """Return the condition that a message is on its way over a gateway for text messages."""
    return (SmsMessage.gateway_id == SMS_LINES_FROM + gateway_id) & SmsMessage.ended_ms.is_(None)


def texts_waiting_for(gateway_id: int) -> ColumnElement[bool]:
    """Return the condition that a message of a call request waits for room on a gateway for text messages."""
    return CallRequest.id.in_(
        select(WaitingText.callrequest_id).where(WaitingText.gateway_id == SMS_LINES_FROM + gateway_id)
    )


def change_gateway(unit: UnitOfWork, gateway_id: int, values: Mapping[str, Any]) -> None:
    """Write columns of a gateway for calls.

    Raises:
        UnknownRecordError: there is no such gateway.
    """
    _change(unit, Gateway.__table__, gateway_id, values, CallRequest.__table__, calls_over(gateway_id))
    unit.note(touched_gateway(gateway_id))


def change_sms_gateway(unit: UnitOfWork, gateway_id: int, values: Mapping[str, Any]) -> None:
    """Write columns of a gateway for text messages.

    Raises:
        UnknownRecordError: there is no such gateway.
    """
    _change(unit, SmsGateway.__table__, gateway_id, values, SmsMessage.__table__, messages_over(gateway_id))
    unit.note(touched_sms_gateway(gateway_id))


def _change(
    unit: UnitOfWork,
    gateways: Table,
    gateway_id: int,
    values: Mapping[str, Any],
    attempts: Table,
    is_under_way: ColumnElement[bool],
) -> None:
    """Write columns of a gateway; attempts in progress get a copy of the old parameters if these change."""
    before = unit.connection.scalar(select(gateways.c.parameters).where(gateways.c.id == gateway_id))
    if before is None:
        raise UnknownRecordError(f"There is no gateway {gateway_id}.")
    if "parameters" in values:
        values = {**values, "parameters": with_kept_secrets(before, values["parameters"])}
    if values.get("parameters", before) != before:
        kept = update(attempts).where(is_under_way, attempts.c.parameters.is_(None))
        unit.connection.execute(kept.values(parameters=before))
    written = {**values, "updated_date": unit.now_ms}
    unit.connection.execute(update(gateways).where(gateways.c.id == gateway_id).values(written))
