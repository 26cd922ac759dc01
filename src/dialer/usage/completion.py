"""`dialer completion`: the script that makes a shell complete commands and options."""

from typing import Final

import rich_click as click
from click.shell_completion import get_completion_class

from dialer.commands.output import examples

SHELLS: Final = ("bash", "zsh", "fish")
_VARIABLE: Final = "_DIALER_COMPLETE"
"""The variable by which the script asks `dialer` for completions."""


@click.command()
@click.argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
@click.pass_context
@examples(
    "dialer completion bash > ~/.local/share/bash-completion/completions/dialer",
    "dialer completion zsh > ~/.zfunc/_dialer",
    "dialer completion fish > ~/.config/fish/completions/dialer.fish",
)
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes commands and options in SHELL: bash (from 4.4), zsh or fish.

    Start a new shell afterwards. In zsh, the folder must be in fpath before compinit runs.
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"there is no completion for {shell}")
    completes = kind(context.find_root().command, {}, "dialer", _VARIABLE)
    click.echo(completes.source_template % completes.source_vars())
