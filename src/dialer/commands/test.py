"""`dialer test`: scenarios in files."""

import logging
import time
from collections.abc import Sequence
from pathlib import Path

import rich_click as click

from dialer.commands.output import print_json, printable
from dialer.commands.wrong_file import WrongFileError
from dialer.files.nodes import FileError
from dialer.logs import configure_logs
from dialer.scenarios.document import read_scenarios
from dialer.scenarios.report import junit, lines_of, summary
from dialer.scenarios.run import ScenarioResult, run_scenarios


def test(files: Sequence[Path], *, only: str | None, junit_file: Path | None, as_json: bool) -> None:
    """Play the scenarios of files, and compare what comes of them with what they expect."""

    def show(result: ScenarioResult) -> None:
        if not as_json:
            click.echo("\n".join(map(printable, lines_of(result))))

    configure_logs()
    logging.getLogger("alembic").setLevel(logging.WARNING)
    try:
        found = [one for path in files for one in read_scenarios(path)]
        chosen = [one for one in found if only is None or only.lower() in one.scenario.name.lower()]
        if not chosen:
            raise click.UsageError(f"none of {len(found)} scenarios has {only!r} in its name")
        results = run_scenarios(chosen, show, time.monotonic)
    except FileError as error:
        raise WrongFileError(error) from None
    if junit_file is not None:
        _write(junit_file, junit(results))
    if as_json:
        print_json([{"file": one.file, "name": one.name, "failures": one.failures} for one in results])
    else:
        click.echo(summary(results))
    if any(one.failures for one in results):
        raise SystemExit(1)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}") from None
