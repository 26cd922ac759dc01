"""`dialer demo`: a whole campaign day in one command."""

from pathlib import Path

import rich_click as click

from dialer.demo.run import run, watch
from dialer.local_service.errors import DemoError


def demo(seed: int, keep: Path | None, port: int, *, is_watched: bool) -> None:
    """Run a whole campaign day in seconds, and check every figure of its report."""
    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise click.BadParameter("the directory is not empty", param_hint="--keep")
    try:
        if is_watched:
            watch(seed=seed, keep=keep, port=port)
            return
        is_right = run(seed=seed, keep=keep)
    except DemoError as error:
        raise click.ClickException(str(error)) from error
    if not is_right:
        raise click.ClickException(
            "figures of the API differ from the call detail records: see the lines that begin with ✗"
        )
