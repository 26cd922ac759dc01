"""The command line: `dialer`."""

import importlib
import importlib.util
import sys
from typing import Final, NoReturn

import rich_click as click

from dialer import __version__
from dialer.commands.output import examples

_EXPECTED: Final = (
    "dialer.app.errors.AppError",
    "dialer.server.ServerError",
    "dialer.settings.SettingsError",
    "dialer.store.database.StorageUnavailableError",
    "dialer.store.database_files.FilesError",
    "dialer.store.migrate.MigrationError",
    "dialer.store.process_lock.ServedError",
)
"""What may go wrong that is told in one line. By name, as importing what they are from takes seconds."""

_COMMANDS: Final = (
    *("serve", "users", "database", "audit", "backup", "restore", "erase"),
    *("openapi", "simulate", "forecast", "explain", "demo"),
)


class _Commands(click.RichGroup):
    """The modules of `dialer.commands`, each imported only when it is asked for: `dialer --version` needs none."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [name for name in _COMMANDS if importlib.util.find_spec(f"dialer.commands.{name}")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = getattr(importlib.import_module(f"dialer.commands.{cmd_name}"), cmd_name)
        return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dialer")
@examples(
    "dialer demo",
    "dialer users create anna --admin",
    "dialer serve",
)
def cli() -> None:
    """Outbound voice and SMS campaigns, on your own machine."""


def main() -> None:
    """Run the command of this process's arguments, and exit: 0 done, 1 failed, 2 wrong usage."""
    code: object = 0
    try:
        code = cli.main(prog_name="dialer", standalone_mode=False)
    except click.UsageError as error:
        hint = f"; try: {error.ctx.command_path} --help" if error.ctx else ""
        _fail(f"{error.format_message().rstrip('.')}{hint}", error.exit_code)
    except click.ClickException as error:
        _fail(error.format_message(), error.exit_code)
    except click.Abort:
        _fail("interrupted", 1)
    except BrokenPipeError:
        # Whoever read our output has enough; the interpreter must not try to flush the rest of it.
        sys.stdout = None
        sys.exit(1)
    except Exception as error:
        if not _is_expected(error):
            raise
        _fail(str(error), 1)
    sys.exit(code if isinstance(code, int) else 0)


def _is_expected(error: Exception) -> bool:
    return any(f"{kind.__module__}.{kind.__qualname__}" in _EXPECTED for kind in type(error).__mro__)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"dialer: {message}", err=True)
    sys.exit(code)
