"""`dialer mcp`: a server for assistants."""

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs
from dialer.usage.service_options import service_options


@click.command()
@service_options
@click.option("--allow-writes", is_flag=True, help="Let the assistant start and pause campaigns, and add numbers.")
@examples("dialer mcp --key-file ~/dialer.key", "dialer mcp --url https://dialer.example --allow-writes")
@runs("dialer.commands.mcp")
def mcp() -> None:
    """Serve an assistant over the Model Context Protocol, on standard input and output.

    The assistant has the permissions of the API key: make one for it, with the scope `read`. Without --allow-writes, no
    tool that changes anything is there. A campaign starts only with the number of people that it will call. It needs
    the extra `mcp` of the package.
    """
