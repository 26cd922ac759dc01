"""`dialer secrets`: the key that encrypts stored secrets."""

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs


@click.group()
@examples("dialer secrets rotate", "dialer secrets forget")
def secrets() -> None:
    """Change the key that encrypts passwords of gateways and other stored secrets."""


@secrets.command()
@json_option("the number of secrets, and the path of the key file")
@examples("dialer secrets rotate", 'DIALER_SECRETS_KEY="$NEW_KEY $OLD_KEY" dialer secrets rotate')
@runs("dialer.commands.secrets")
def rotate() -> None:
    """Encrypt all secrets anew with a new key, and forget the old one.

    Stop the service first. The command makes up a key, and stores it in the key file beside the old one. Then it
    encrypts all secrets anew in one transaction, and removes the old key from the file. If it is killed, nothing is
    lost: run it again. With DIALER_SECRETS_KEY, give it both keys there: the new one, a blank, and the key in use.
    """


@secrets.command()
@json_option("the number of deleted secrets")
@examples("dialer secrets forget")
@runs("dialer.commands.secrets")
def forget() -> None:
    """Delete all secrets that cannot be decrypted, because their key is lost.

    Stop the service first. Afterwards, enter the passwords of the gateways anew. If there is no key file, the command
    makes a new key.
    """
