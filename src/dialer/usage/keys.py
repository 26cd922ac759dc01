"""`dialer keys`: API keys on the command line."""

from typing import Final

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.domain.words.roles import Scope
from dialer.usage.running import runs

DAYS_MAX: Final = 36_500


@click.group()
@examples(
    "dialer keys create anna --name import --scope read --scope campaigns",
    "dialer keys list anna",
    "dialer keys revoke dk_Ab3dE6gH",
)
def keys() -> None:
    """Create, list and revoke API keys."""


@keys.command()
@click.argument("username", metavar="NAME")
@click.option("--name", default="command line", show_default=True, help="Your name for the key.")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice([scope.value for scope in Scope]),
    multiple=True,
    default=(Scope.READ.value,),
    show_default=True,
    help="A permission of the key. Repeat the option for several.",
)
@click.option("--days", type=click.IntRange(1, DAYS_MAX), help="Days after which the key expires.")
@json_option("the key")
@examples(
    "dialer keys create anna",
    "dialer keys create anna --name import --scope read --scope campaigns --days 90",
)
@runs("dialer.commands.keys")
def create() -> None:
    """Create an API key for the user NAME, and print its secret.

    The secret is shown only now. Programs send it as `Authorization: Bearer SECRET`.
    """


@keys.command("list")
@click.argument("username", metavar="[NAME]", required=False)
@json_option("the keys")
@examples("dialer keys list", "dialer keys list anna --json")
@runs("dialer.commands.keys")
def list_keys() -> None:
    """List the API keys of the user NAME, or of all users. Their secrets are not stored."""


@keys.command()
@click.argument("prefix", metavar="PREFIX")
@json_option("the revoked key")
@examples("dialer keys revoke dk_Ab3dE6gH")
@runs("dialer.commands.keys")
def revoke() -> None:
    """Revoke the API key that begins with PREFIX. The next request with it is refused."""
