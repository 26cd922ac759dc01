"""A mail: a text for people, the same as HTML, and files. Its headers hold what is meant, and no further ones."""

import re
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Final, NamedTuple

SUBJECT_MAX: Final = 150
SENDER_NAME: Final = "dialer"
_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")
"""Characters that end a line or tell nothing: a name of a campaign must not begin a header of its own."""


class MailFile(NamedTuple):
    """A file that a mail brings."""

    name: str
    media_type: str
    content: bytes


class Letter(NamedTuple):
    """The content of a mail, without its recipient."""

    subject: str
    text: str
    html: str = ""
    language: str = "en"
    files: tuple[MailFile, ...] = ()


def one_line(text: str) -> str:
    """Return a text without line breaks, as a header may hold it."""
    return _BREAKS.sub(" ", text).strip()[:SUBJECT_MAX]


def write_message(letter: Letter, sender: str, recipient: str, identity: str, now_ms: int) -> EmailMessage:
    """Return a mail to one recipient. Mails with equal `identity` have one `Message-ID`, so readers show them once."""
    message = EmailMessage(policy=SMTP)
    message["Subject"] = one_line(letter.subject)
    message["From"] = Address(SENDER_NAME, addr_spec=sender)
    message["To"] = Address(addr_spec=recipient)
    message["Date"] = format_datetime(datetime.fromtimestamp(now_ms / 1_000, UTC))
    message["Message-ID"] = f"<{identity}@{sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text)
    if letter.html:
        message.add_alternative(letter.html, subtype="html")
    for file in letter.files:
        kind, _, subtype = file.media_type.partition("/")
        message.add_attachment(file.content, maintype=kind, subtype=subtype, filename=one_line(file.name))
    message["Content-Language"] = letter.language  # Earlier, it would go into the first part.
    return message
