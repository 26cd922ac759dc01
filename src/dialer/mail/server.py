"""The mail server that takes mails: its address, and the sending of one mail."""

from email.message import EmailMessage
from typing import Final, NamedTuple, Protocol

from dialer.domain.words.sentences import Sentence
from dialer.settings_values import MailUrl, read_mail_url

TIMEOUT_S: Final = 30.0
"""The time for each step of a sending: the connection, the sign-in, the mail."""
_PERMANENT: Final = 500
_REFUSED_MAILS: Final = range(550, 560)
PROBLEM_MAX: Final = 300
UNREACHABLE: Final = Sentence("The mail server cannot be reached.")


class MailOutcome(NamedTuple):
    """The outcome of a mail."""

    problem: str = ""
    """Why it was not taken; empty if it was."""
    is_final: bool = False
    """True if another attempt would fail, too."""
    cause: str = ""
    """Words for admins besides, such as the address of a server that cannot be reached."""


class SendMail(Protocol):
    """Sends one mail to its recipient."""

    async def __call__(self, message: EmailMessage) -> MailOutcome:
        """Return what came of it; a failure is no exception."""


class MailServer:
    """A mail server over SMTP. A connection off this machine is encrypted, unless its URL says otherwise."""

    def __init__(self, url: str) -> None:
        self._url: Final[MailUrl] = read_mail_url(url)

    async def __call__(self, message: EmailMessage) -> MailOutcome:
        """Send a mail with a connection of its own."""
        # A service starts without the library, and many never send a mail.
        from aiosmtplib import (  # noqa: PLC0415
            SMTPDataError,
            SMTPException,
            SMTPRecipientsRefused,
            SMTPResponseException,
            send,
        )

        url = self._url
        try:
            await send(
                message,
                hostname=url.host,
                port=url.port,
                username=url.username or None,
                password=url.password or None,
                timeout=TIMEOUT_S,
                use_tls=url.is_tls,
                start_tls=url.starts_tls,
            )
        except SMTPRecipientsRefused as error:
            codes = [refused.code for refused in error.recipients]
            told = "; ".join(f"{refused.code} {refused.message}" for refused in error.recipients)
            return MailOutcome(_short(told), all(code >= _PERMANENT for code in codes))
        except SMTPResponseException as error:
            # A wrong password, or a sender who is not known, is a matter of the server: an admin mends it.
            is_final = isinstance(error, SMTPDataError) and error.code in _REFUSED_MAILS
            return MailOutcome(_short(f"{error.code} {error.message}"), is_final)
        except OSError as error:
            return MailOutcome(UNREACHABLE, cause=_cause(error))
        except (SMTPException, ValueError) as error:
            return MailOutcome(_cause(error))
        return MailOutcome()


def _cause(error: Exception) -> str:
    return _short(str(error) or type(error).__name__)


def _short(text: str) -> str:
    return " ".join(text.split())[:PROBLEM_MAX]
