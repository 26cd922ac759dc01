"""The request that sends a text message over HTTP, and the meaning of its answer."""

import base64
import re
from typing import Final, NamedTuple
from urllib.parse import urlencode

import msgspec

from dialer.carriers.line_port import Found, Unknown, Unplaced
from dialer.carriers.texts.parameters import HttpParameters
from dialer.carriers.texts.templates import filled, member_at
from dialer.domain.messages.sms_parts import is_gsm7
from dialer.domain.sessions.leg_protocol import Accepted, Ended, LegReport, Receipt, Texting
from dialer.domain.words.enums import Cause, MessageStatus

NAME_MAX: Final = 255
"""Characters of a carrier's name of a message."""
_NAME: Final = re.compile(r"[!#-\[\]-~]{1,128}\Z")
"""A name in an answer: visible ASCII characters without quotes. Any member may be named, so no other text is kept."""
GSM7_CODING: Final = "0"
UCS2_CODING: Final = "2"
_OK: Final = range(200, 300)
_UNAUTHORIZED: Final = frozenset({401, 403})
_FOR_NOW: Final = frozenset({429, 503})
"""HTTP statuses of a carrier that does not take the message now, and may take it later."""
_REFUSED: Final = range(400, 500)


class WebRequest(NamedTuple):
    """An HTTP request to a carrier: method, address, headers and body."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes


def request_of(parameters: HttpParameters, gateway_id: int, order: Texting) -> WebRequest:
    """Return the request that sends a message over a gateway, by the engine's id."""
    values = {
        "callback": callback_of(parameters, gateway_id, order.key),
        "coding": GSM7_CODING if is_gsm7(order.text) else UCS2_CODING,
        "key": order.key,
        "number": order.number,
        "parts": str(order.parts),
        "password": parameters.password,
        "sender": order.sender,
        "text": order.text,
        "username": parameters.username,
    }
    query = urlencode(filled(parameters.query, values))
    headers = {"Accept-Encoding": "identity", "User-Agent": "dialer"}
    if parameters.has_basic:
        pair = f"{parameters.username}:{parameters.password}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    content = b""
    if parameters.method == "POST":
        body, is_json = filled(parameters.body, values), parameters.encoding == "json"
        content = msgspec.json.encode(body) if is_json else urlencode(body).encode()
        headers["Content-Type"] = "application/json" if is_json else "application/x-www-form-urlencoded"
    url = f"{parameters.url}?{query}" if query else parameters.url
    return WebRequest(parameters.method, url, headers | filled(parameters.headers, values), content)


def callback_of(parameters: HttpParameters, gateway_id: int, key: str) -> str:
    """Return the address at which the carrier is to report what became of a message; empty if there is none."""
    if not parameters.callback_url:
        return ""
    base = parameters.callback_url.rstrip("/")
    fields = urlencode({"secret": parameters.secret, "key": key})
    return f"{base}/callbacks/sms-gateway/{gateway_id}/receipt?{fields}"


def outcome_of(parameters: HttpParameters, status: int, body: bytes) -> tuple[LegReport | Found, ...]:
    """Return the reports about a message that an HTTP response of a carrier stands for.

    Nobody can say whether a message was sent after an answer without a meaning, such as 500. It counts as sent.
    """
    if status in _FOR_NOW:
        return (Unplaced(),)
    if status in _UNAUTHORIZED:
        return (Receipt("", MessageStatus.UNAUTHORIZED),)
    if status in _REFUSED:
        return (Receipt("", MessageStatus.FAILED),)
    if status not in _OK:
        return (Unknown(),)
    return _accepted(parameters, body)


def _accepted(parameters: HttpParameters, body: bytes) -> tuple[LegReport | Found, ...]:
    answer = _decoded(body) if parameters.id or parameters.status else {}
    if parameters.status:
        word = member_at(answer, parameters.status)
        if word is None:
            return (Unknown(),)
        if parameters.accepted and word not in parameters.accepted:
            return (Receipt("", MessageStatus.FAILED),)
    if not parameters.receipts:
        return (Ended(0, Cause.NORMAL_CLEARING),)
    name = (member_at(answer, parameters.id) or "") if parameters.id else ""
    return (Accepted((name,) if _NAME.match(name) else ()),)


def _decoded(body: bytes) -> object:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return {}
