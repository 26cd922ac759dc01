"""`dialer openapi`: the OpenAPI document of the API."""

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs


@click.command()
@examples("dialer openapi > openapi.json")
@runs("dialer.commands.openapi")
def openapi() -> None:
    """Print the OpenAPI document of the API, in JSON."""
