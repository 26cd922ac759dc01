"""`dialer mail`: one mail over the mail server, to see what it says."""

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs


@click.group()
def mail() -> None:
    """Try the mail server."""


@mail.command()
@click.argument("address", metavar="ADDRESS")
@examples("dialer mail test ada@example.com")
@runs("dialer.commands.mail")
def test() -> None:
    """Send one mail to ADDRESS over the mail server of DIALER_MAIL_URL, from DIALER_MAIL_FROM.

    The exit code is 1 if the server does not take it, with what it answered. The command needs no database.
    """
