"""`dialer mcp`: a server for assistants."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs


@click.command()
@click.option("--url", metavar="URL", default="http://127.0.0.1:8000", show_default=True, help="The service.")
@click.option(
    "--key-file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with the API key. Without it: DIALER_API_KEY.",
)
@click.option("--allow-writes", is_flag=True, help="Let the assistant start and pause campaigns, and add numbers.")
@examples("dialer mcp --key-file ~/dialer.key", "dialer mcp --url https://dialer.example --allow-writes")
@runs("dialer.commands.mcp")
def mcp() -> None:
    """Serve an assistant over the Model Context Protocol, on standard input and output.

    The assistant has the permissions of the API key: make one for it, with the scope `read`. Without --allow-writes, no
    tool that changes anything is there. A campaign starts only with the number of people that it will call. It needs
    the extra `mcp`: pip install "dialer[mcp]".
    """
