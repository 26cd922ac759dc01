"""`dialer agent`: programs that talk, to try a line with."""

import asyncio
from pathlib import Path

import rich_click as click

from dialer.commands.output import say
from dialer.dev.talking_agents import SCRIPT, ScriptError, read_script, serve_agent


def agent(kind: str, file: Path | None, *, host: str, port: int) -> None:
    """Serve a program that talks, until it is stopped."""
    if (kind == SCRIPT) != (file is not None):
        raise click.UsageError("Give a file to script, and to no other agent.")
    try:
        steps = () if file is None else read_script(file.read_text("utf-8"))
    except (ScriptError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file}: {error}") from None
    try:
        asyncio.run(serve_agent(kind, steps, host, port, say))
    except OSError as error:
        raise click.ClickException(f"it cannot listen on {host}:{port}: {error.strerror or error}") from None
    except KeyboardInterrupt:
        say("stopped")
