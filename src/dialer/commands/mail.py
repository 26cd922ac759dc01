"""`dialer mail`: one mail over the mail server, to see what it says."""

import secrets

import anyio
import rich_click as click

from dialer.commands.open_service import settings_from_environment
from dialer.commands.output import say
from dialer.mail.letter import Letter, write_message
from dialer.mail.server import MailServer
from dialer.runtime.steps.clock import RealClock
from dialer.settings import SettingsError
from dialer.settings_values import is_mail_address

_TEXT = "This mail shows that reports can be sent. Nobody needs to answer it.\n"


def test(address: str) -> None:
    """Send a mail for a trial."""
    settings = settings_from_environment()
    if settings.mail_url is None or settings.mail_from is None:
        raise SettingsError("DIALER_MAIL_URL and DIALER_MAIL_FROM are unset: set both, and try again")
    if not is_mail_address(address):
        raise click.ClickException(f"{address[:80]!r} is not an address of mail, such as ada@example.com")
    letter = Letter("dialer: a mail for a trial", _TEXT)
    identity, now_ms = f"test-{secrets.token_hex(8)}", RealClock().now_ms()
    message = write_message(letter, settings.mail_from, address, identity, now_ms)
    outcome = anyio.run(MailServer(settings.mail_url), message)
    if outcome.problem:
        raise click.ClickException(f"the mail server did not take it: {outcome.cause or outcome.problem}")
    say(f"The mail server took the mail to {address}.")
