"""Receipts as SMPP has them, in the many spellings of carriers, and the names of messages in them.

The text of a receipt is only an example in the standard (SMPP 3.4, appendix B). The optional parameters are defined
(5.3.2.12, 5.3.2.35). A status that is final wins over one that is not. If both are, the optional parameter wins.
"""

import re
from contextlib import suppress
from typing import Final

from dialer.carriers.texts.smpp_parameters import SmppParameters
from dialer.carriers.texts.smpp_pdus import Delivery, Tag
from dialer.carriers.texts.smpp_user_data import UCS_2, bytes_of
from dialer.domain.sessions.leg_protocol import Receipt
from dialer.domain.words.enums import MessageStatus

NAME_MAX: Final = 64
TEXT_BYTES_MAX: Final = 512
"""Bytes of the text of a receipt that are read."""
_HEX: Final = 16
_FINAL: Final = {
    **dict.fromkeys(("DELIVRD", "DELIVERED"), MessageStatus.DELIVERED),
    **dict.fromkeys(("EXPIRED", "DELETED"), MessageStatus.FAILED),
    **dict.fromkeys(("UNDELIV", "UNDELIVERED", "UNDELIVERABLE"), MessageStatus.FAILED),
    **dict.fromkeys(("REJECTD", "REJECTED", "FAILED"), MessageStatus.FAILED),
}
_STATES: Final = {2: "DELIVRD", 3: "EXPIRED", 4: "DELETED", 5: "UNDELIV", 8: "REJECTD"}
"""Final values of `message_state` (SMPP 3.4, 5.2.28)."""
_FIELDS: Final = "sub|dlvrd|submit date|done date|stat|err|text"
_ID: Final = re.compile(rf"\bid\s*[:=]\s*(?!(?:{_FIELDS})\s*[:=])([^\s\x00]{{1,64}})", re.IGNORECASE)
_STATE: Final = re.compile(r"\bstat(?:us)?\s*[:=]\s*([A-Za-z]{1,20})", re.IGNORECASE)


def name_of(parameters: SmppParameters, message_id: str) -> str:
    """Return the carrier's name of a part as its receipt will have it; empty for one that cannot be used."""
    return _name(message_id.strip(), base={"same": 0, "decimal": 10, "hex": 16}[parameters.ids])


def receipt_in(parameters: SmppParameters, delivery: Delivery) -> Receipt | None:
    """Return the receipt in a delivery; None if it names no message, or its status is not final."""
    text = _text(delivery)
    option = delivery.options.get(Tag.RECEIPTED_MESSAGE_ID, b"").partition(b"\x00")[0].decode("latin-1").strip()
    id_match, state = _ID.search(text), _STATE.search(text)
    name = _receipted(parameters, option, "" if id_match is None else id_match[1])
    code = delivery.options.get(Tag.MESSAGE_STATE, b"")[:1]
    words = (_STATES.get(code[0], "") if code else "", "" if state is None else state[1].upper())
    status = next((_FINAL[word] for word in words if word in _FINAL), None)
    return None if status is None or not name else Receipt(name, status)


def _text(delivery: Delivery) -> str:
    message = bytes_of(delivery)[:TEXT_BYTES_MAX]
    is_wide = delivery.data_coding == UCS_2 and b"\x00" in message
    return message.decode("utf-16-be", "replace") if is_wide else message.decode("latin-1")


def _receipted(parameters: SmppParameters, option: str, written: str) -> str:
    """Return the name in a receipt, from the optional parameter or from the text.

    The text has a decimal number of ten digits (SMPP 3.4, appendix B). The optional parameter often has the name as
    the carrier gave it (5.3.2.12), so with `hex` the text counts first, and digits from A to F are hexadecimal.
    """
    if parameters.ids == "same":
        return _name(option or written, base=0)
    name = (written or option) if parameters.ids == "hex" else (option or written)
    is_hex = parameters.ids == "hex" and not name.isdigit()
    return _name(name, base=_HEX if is_hex else 10)


def _name(message_id: str, base: int) -> str:
    """Return a name, and a number of a base in decimal digits without leading zeros; empty if it cannot be used."""
    name = message_id
    if base and len(message_id) <= NAME_MAX and message_id.isascii() and message_id.isalnum():
        with suppress(ValueError):
            name = str(int(message_id, base))
    return name if 0 < len(name) <= NAME_MAX and name.isprintable() else ""
