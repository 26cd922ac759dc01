"""The command line: `dialer`."""

import errno
import importlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, NoReturn, TypeGuard

import rich_click as click
from click.exceptions import NoSuchCommand

from dialer.commands.output import VOICE, examples, log_line
from dialer.commands.version import version_in_words
from dialer.store.moving.private_files import make_new_files_private
from dialer.time_zone_rules import RULES

_EXPECTED: Final = (
    "dialer.app.work.errors.AppError",
    "dialer.server.ServerError",
    "dialer.settings_values.SettingsError",
    "dialer.store.backends.backend.UnfitDatabaseError",
    "dialer.store.database.database.StorageUnavailableError",
    "dialer.store.backends.database_files.FilesError",
    "dialer.store.tables.key_ring.SecretsKeyError",
    "dialer.store.database.migrate.MigrationError",
    "dialer.store.moving.move.MoveError",
    "dialer.store.queries.campaigns.UnknownCampaignError",
    "dialer.store.backends.process_lock.ServedError",
)
"""Errors whose message is shown in one line. They are named by text, because importing them takes seconds."""

_OUTPUT_ERRNOS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""A full disk or quota, a file that is too large, a device that fails, an output that is open for reading only."""

_COMMANDS: Final = (
    *("serve", "api", "worker", "line", "fleet", "users", "keys", "database", "audit", "backup", "restore", "move"),
    *("secrets", "erase", "openapi", "gateway", "mail", "simulate", "forecast", "check", "explain", "replay", "apply"),
    *("consent", "proof"),
    *(
        "test",
        "export",
        "report",
        "top",
        "demo",
        "dev",
        "agent",
        "agents",
        "try",
        "rules",
        "listen",
        "trigger",
        "mcp",
        "settings",
        "completion",
    ),
)


MODULES: Final = {"try": "trial"}
"""Modules that are not called as their command, which is a word of Python."""


class _Commands(click.RichGroup):
    """The modules of `dialer.usage`, each imported when it is used. They import the work when it begins."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _COMMANDS:
            return None
        name = MODULES.get(cmd_name, cmd_name)
        command: click.Command = getattr(importlib.import_module(f"dialer.usage.{name}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names. The error of a wrong name has those that are like it."""
        try:
            return super().resolve_command(ctx, args)
        except NoSuchCommand as error:
            raise NoSuchCommand(error.command_name, possibilities=_COMMANDS, ctx=ctx) from None


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=lambda ctx, _, asked: _show_version(ctx) if asked and not ctx.resilient_parsing else None,
    help="Show the version with its commit, and the release of the rules of time zones, and exit.",
)
@click.option(
    "--config",
    metavar="FILE",
    type=click.Path(path_type=Path),
    envvar="DIALER_CONFIG",
    help="The settings file; dialer.toml in the working directory, if it exists, unless given.",
)
@examples(
    "dialer dev",
    "dialer demo",
    "dialer serve",
    "dialer users create anna --admin",
    "dialer --config /etc/dialer/dialer.toml settings",
)
def cli(config: Path | None) -> None:
    """Run outbound voice and SMS campaigns on your own machine."""


def main() -> None:
    """Run the command that this process's arguments name, and exit: 0 done, 1 failed, 2 wrong usage."""
    make_new_files_private()
    code: object = 0
    try:
        code = cli.main(prog_name="dialer", standalone_mode=False)
    except click.UsageError as error:
        message = error.format_message().rstrip(".")
        hint = f"{' Try' if message.endswith('?') else '; try'}: {error.ctx.command_path} --help" if error.ctx else ""
        _fail(f"{message}{hint}", error.exit_code)
    except click.ClickException as error:
        _fail(error.format_message(), error.exit_code)
    except click.Abort:
        _fail("interrupted", 1)
    except BrokenPipeError:
        # The reader of the output has enough of it, which is no failure to report.
        _drop_output()
        sys.exit(1)
    except Exception as error:
        if _is_lost_output(error):
            _drop_output()
            _fail(f"cannot write the output: {error.strerror}", 1)
        if not _is_expected(error):
            if VOICE.is_json(sys.stderr):
                sys.excepthook = _log_error
            raise
        _fail(str(error), 1)
    finally:
        VOICE.end_log()
    sys.exit(code if isinstance(code, int) else 0)


def _show_version(ctx: click.Context) -> NoReturn:
    click.echo(f"dialer, version {version_in_words()}")
    click.echo(RULES.in_words())
    if RULES.is_old(datetime.now(UTC)):
        click.echo(f"Warning: {RULES.warning()}")
    ctx.exit()


def _is_expected(error: Exception) -> bool:
    return any(f"{kind.__module__}.{kind.__qualname__}" in _EXPECTED for kind in type(error).__mro__)


def _is_lost_output(error: Exception) -> TypeGuard[OSError]:
    """Tell whether standard output cannot be written. An error of another file names the file."""
    return isinstance(error, OSError) and error.filename is None and error.errno in _OUTPUT_ERRNOS


def _drop_output() -> None:
    """Keep the interpreter from writing the rest of the output, and failing again, when it ends."""
    sys.stdout = None


def _log_error(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
    """Write an unexpected error as the last line of the log of a process that serves."""
    click.echo(log_line("uncaught_error", "critical", error), err=True)


def _fail(message: str, code: int) -> NoReturn:
    try:
        click.echo(log_line(message, "error") if VOICE.is_json(sys.stderr) else f"dialer: {message}", err=True)
    except OSError:
        sys.stderr = None
    if "--json" in sys.argv and sys.stdout is not None:
        try:
            click.echo(json.dumps({"error": {"message": message, "exit_code": code}}, indent=2, ensure_ascii=False))
        except OSError:
            _drop_output()
    sys.exit(code)
