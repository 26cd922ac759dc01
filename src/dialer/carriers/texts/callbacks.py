"""Callbacks of carriers over HTTP: the receipt or the text message in the fields of a request."""

import hmac
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dialer.carriers.texts.parameters import HttpParameters
from dialer.carriers.texts.requests import NAME_MAX
from dialer.carriers.texts.templates import member_at
from dialer.domain.sessions.leg_protocol import Receipt, TextReceived
from dialer.domain.words.enums import MessageStatus

KEY_MAX: Final = 36
NUMBER_MAX: Final = 64
TEXT_MAX: Final = 2_000
"""Characters of a text message that are read. The rest is cut off."""


class ReceiptOf(msgspec.Struct, frozen=True):
    """A receipt, and our name of its message; empty if the carrier only gave its own."""

    key: str
    receipt: Receipt


def is_from_carrier(parameters: HttpParameters, secret: str) -> bool:
    """Return whether a callback holds the secret of the gateway, in a time that does not depend on the answer."""
    return bool(parameters.secret) and hmac.compare_digest(parameters.secret.encode(), secret.encode())


def receipt_in(parameters: HttpParameters, fields: Mapping[str, Any]) -> ReceiptOf | None:
    """Return the receipt in a callback; None if it names no message, or its status is not final."""
    key = member_at(fields, "key") or ""
    name = member_at(fields, parameters.receipt.id) or ""
    status = _status(parameters, member_at(fields, parameters.receipt.status) or "")
    if status is None or len(key) > KEY_MAX or len(name) > NAME_MAX or not (key or name):
        return None
    return ReceiptOf(key, Receipt("" if key else name, status))


def text_in(parameters: HttpParameters, fields: Mapping[str, Any]) -> TextReceived | None:
    """Return the text message in a callback; None if it has no sender."""
    names = parameters.received
    number, to, text = (member_at(fields, path) or "" for path in (names.number, names.to, names.text))
    if not 0 < len(number) <= NUMBER_MAX:
        return None
    return TextReceived(number, to[:NUMBER_MAX], text[:TEXT_MAX])


def _status(parameters: HttpParameters, word: str) -> MessageStatus | None:
    if word in parameters.receipt.delivered:
        return MessageStatus.DELIVERED
    return MessageStatus.FAILED if word in parameters.receipt.failed else None
