"""`dialer simulate`: a campaign without a server and without a database."""

import csv
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import rich_click as click
from rich.console import Console

from dialer.commands.output import print_json, say
from dialer.domain.formats.formula_guard import guard
from dialer.sim.comparison import compare, render_comparison
from dialer.sim.limits import SEED_MAX
from dialer.sim.report import Report, cdr_record, render, report_of, show_date
from dialer.sim.scenario import SCENARIO_BYTES_MAX, Scenario, ScenarioError, parse_scenario
from dialer.sim.simulation import Simulation


def simulate(
    path: Path, *, seed: int | None, out: Path | None, as_json: bool, comparing: bool, seeds: int | None
) -> None:
    """Simulate one campaign in a virtual time of its own."""
    if comparing and out is not None:
        raise click.UsageError("--out: a comparison has no call detail records. Leave out --compare or --out.")
    if seeds is not None and not comparing:
        raise click.UsageError("--seeds: only a comparison has several seeds. Add --compare, or leave out --seeds.")
    try:
        scenario = _scenario(path, seed)
        if comparing:
            _compare(scenario, seeds or 1, as_json=as_json)
            return
        simulation = Simulation(scenario)
    except ScenarioError as error:
        raise click.UsageError(f"{path}: {error}") from None
    _run(simulation)
    report = report_of(simulation)
    if out is not None:
        _write(simulation, report, out)
    if as_json:
        print_json(report)
    else:
        click.echo(render(report))


def _compare(scenario: Scenario, seeds: int, *, as_json: bool) -> None:
    if scenario.seed + seeds - 1 > SEED_MAX:
        raise click.UsageError(
            f"--seeds: the last of {seeds} seeds from {scenario.seed} on is above {SEED_MAX}. Use fewer seeds."
        )
    rows = compare(scenario, range(scenario.seed, scenario.seed + seeds))
    if as_json:
        print_json(list(rows))
        return
    for line in render_comparison(rows):
        click.echo(line)


def _scenario(path: Path, seed: int | None) -> Scenario:
    try:
        with path.open("rb") as file:
            scenario = parse_scenario(file.read(SCENARIO_BYTES_MAX + 1))
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror}") from None
    return scenario if seed is None else msgspec.structs.replace(scenario, seed=seed)


def _run(simulation: Simulation) -> None:
    """Run the whole simulation. On a terminal, a line of standard error shows the progress."""
    if not sys.stderr.isatty():
        simulation.run()
        return
    with Console(stderr=True).status("Starting") as status:
        while not simulation.step():
            calls = len(simulation.store.cdrs)
            status.update(f"{calls:,} calls, {show_date(simulation.now_ms).partition('.')[0]}")


def _write(simulation: Simulation, report: Report, directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _write_csv(simulation, directory / "cdr.csv")
        with (directory / "cdr.ndjson").open("wb") as file:
            file.writelines(msgspec.json.encode(record) + b"\n" for record in _records(simulation))
        text = msgspec.json.format(msgspec.json.encode(report), indent=2)
        (directory / "report.json").write_bytes(text + b"\n")
        (directory / "digest.txt").write_text(f"{report.digest}\n", encoding="ascii")
    except OSError as error:
        raise click.ClickException(f"{directory} cannot be written: {error.strerror}") from None
    say(f"Wrote {len(simulation.store.cdrs)} call detail records, the report and the digest to {directory}.")


def _write_csv(simulation: Simulation, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for index, record in enumerate(_records(simulation)):
            if index == 0:
                writer.writerow(record)
            writer.writerow([guard(value) if isinstance(value, str) else value for value in record.values()])


def _records(simulation: Simulation) -> Iterator[Mapping[str, object]]:
    return map(cdr_record, simulation.store.cdrs)
