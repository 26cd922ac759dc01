"""Labels and addresses around phone numbers: `tel:`, `p:` of lead ads, `sip:…@…`, links of messengers."""

import re
import unicodedata
from typing import Final

_WORDS: Final = """
tel telefon telephone telefono teléfono telefone téléphone tél telefoon tlf phone ph fon fono callto whatsapp wa sms
mobil mobile mobiltelefon mobiltel mob handy cell cellphone cel celular móvil movil cellulare portable
nummer number rufnummer no nr num número numero numéro
тел телефон моб мобильный τηλ τηλέφωνο κιν κινητό 电话 電話 手机 手機 携帯 携帯電話 전화 휴대폰 โทร
هاتف جوال موبايل تلفن موبایل טלפון טל נייד फ़ोन फोन मोबाइल ফোন মোবাইল
"""
_REMARKS: Final = """
privat private privé home work office main personal mobil mobile handy cell celular móvil portable cellulare büro buero
geschäftlich dienstlich arbeit casa trabajo oficina domicile bureau travail trabalho escritório
"""


def _any_of(words: str) -> str:
    folded = sorted({unicodedata.normalize("NFKC", word) for word in words.split()}, key=len, reverse=True)
    return "|".join(map(re.escape, folded))


_LABEL: Final = re.compile(
    rf"(?:(?:{_any_of(_WORDS)})(?:\s*[.:]+\s*(?://)?|\s+(?=[+(0-9]))|[pthmwo]\s*:\s*)", re.IGNORECASE
)
"""A label before a number. One letter needs a colon; `l:`, `f:` and `ag:` of lead ads are no numbers but ids."""
_REMARK: Final = re.compile(r"[(\[{](?=[^()\[\]{}]*[^\W\d_])[^()\[\]{}0-9+]*[)\]}]")
_LAST_WORD: Final = re.compile(rf"(?<=[0-9])[\s,;-]+(?:{_any_of(_REMARKS)})\.?\s*\Z", re.IGNORECASE)
_SIP: Final = re.compile(r"sips?:([^@;?\s]+)(?:[@;?].*)?", re.IGNORECASE)
_OF_MESSENGER: Final = re.compile(r"\+?([0-9]{7,15})@(?:c\.us|s\.whatsapp\.net)", re.IGNORECASE)
"""Users of a messenger are numbers with their country codes. Other hosts have users that only look like numbers."""
_LINK: Final = re.compile(
    r"(?:https?://)?(?:www\.)?(?:wa\.me/|(?:api\.|web\.)?whatsapp\.com/send/?\?(?:.*&)?phone=|whatsapp://send\?phone=)"
    r"(?:\+|%2B)?([0-9]{7,15})(?:[/?&#].*)?",
    re.IGNORECASE,
)


def without_labels(text: str) -> str:
    """Return the number of a text without labels, addresses and remarks in brackets; other texts stay as they are."""
    text = _number_of_address(text)
    label = _LABEL.match(text)
    text = text if label is None else text[label.end() :]
    return _LAST_WORD.sub("", _REMARK.sub(" ", text)).strip(" ")


def _number_of_address(text: str) -> str:
    of_messenger = _LINK.fullmatch(text) or _OF_MESSENGER.fullmatch(text)
    if of_messenger is not None:
        return f"+{of_messenger[1]}"
    sip = _SIP.fullmatch(text)
    return text if sip is None else sip[1]
