"""The demonstration from beginning to end."""

import contextlib
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rich.console import Console

from dialer.demo.checks import Checks
from dialer.demo.day import live_through
from dialer.demo.display import heading, open_console
from dialer.demo.evidence import Evidence, gather
from dialer.demo.preparation import CALL_RATE, OWNER, STARTS, Preparation, prepare
from dialer.demo.recordings import RECORDINGS
from dialer.demo.sections import answers, attempts, bill, fates, inputs, journey, outcomes, progress, samples
from dialer.local_service.client import Client
from dialer.local_service.server import running_server
from dialer.server import ending_on_signals

WATCHED_FROM: Final = "2026-11-16T09:00:00Z"
"""The hour at which callees in London can be called."""
WATCHED_CLOCK: Final = "x60"


def run(*, seed: int, keep: Path | None) -> bool:
    """Run the whole campaign, print its report, and return whether every figure is right.

    `keep` is a folder for the database, the recordings and the call detail records; without it nothing is kept.

    Raises:
        DemoError: the server does not start, or a response is not as documented.
    """
    console, checks = open_console(), Checks()
    console.print(f"[bold]A whole campaign day[/], from a phonebook to a bill  [dim]seed {seed}[/]")
    with (
        _folder(keep) as folder,
        console.status("starting a server, and creating the campaign") as status,
        running_server(folder, seed=seed, clock_start=STARTS) as server,
    ):
        account = server.create_account(OWNER, call_rate=CALL_RATE)
        with Client(server.url, server.admin) as admin, Client(server.url, account) as owner:
            prepared = prepare(admin, owner)
            status.stop()
            inputs.show(console, inputs.figures(owner, prepared, checks))
            evidence = _live(console, admin, owner, prepared)
            _report(console, evidence, checks)
            if keep is not None:
                _save(keep, owner)
    return conclude(console, checks)


def watch(*, seed: int, keep: Path | None, port: int) -> None:
    """Run the campaign at `WATCHED_CLOCK`, print the address of the console and a password, and wait for Ctrl+C.

    Raises:
        DemoError: the server does not start, or a response is not as documented.
    """
    with (
        ending_on_signals(),
        _folder(keep) as folder,
        running_server(folder, seed=seed, clock_start=WATCHED_FROM, clock=WATCHED_CLOCK, port=port) as server,
    ):
        account = server.create_account(OWNER, call_rate=CALL_RATE)
        with Client(server.url, server.admin) as admin, Client(server.url, account) as owner:
            prepare(admin, owner)
        console = open_console()
        console.print(f"[bold]A campaign at 60 times real time[/]: {server.url}/console/", soft_wrap=True)
        for user in (server.admin, account):
            console.print(f"  user {user.username}, password {user.password}", soft_wrap=True, highlight=False)
        console.print("Ctrl+C ends it.", style="dim")
        threading.Event().wait()


def conclude(console: Console, checks: Checks) -> bool:
    """Print the figures that differ, and return whether all figures agree."""
    console.print()
    differences = checks.differences
    for difference in differences:
        console.print(f"[red]✗[/] {difference}", soft_wrap=True)
    if not differences:
        console.print(
            f"[green]✓[/] {len(checks.all)} figures of the API checked against call detail records and input files"
        )
    return not differences


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="dialer-demo-") as folder:
        yield Path(folder)


def _live(console: Console, admin: Client, owner: Client, prepared: Preparation) -> Evidence:
    heading(console, "The day", "24 hours UTC on a virtual clock, as fast as the machine can")
    with progress.watching(console) as watch:
        milestones = live_through(admin, owner, prepared.campaign_id, watch)
    return gather(admin, owner, prepared, milestones)


def _report(console: Console, evidence: Evidence, checks: Checks) -> None:
    progress.check(evidence, checks)
    progress.show_end(console, evidence, checks)
    outcomes.show(console, outcomes.figures(evidence, checks))
    journey.show(console, journey.figures(evidence, checks))
    answers.show(console, answers.figures(evidence, checks))
    attempts.show(console, attempts.figures(evidence, checks))
    fates.show(console, fates.figures(evidence, checks))
    samples.show(console, samples.figures(evidence, checks))
    bill.show(console, bill.figures(evidence, checks))


def _save(keep: Path, owner: Client) -> None:
    (keep / "cdr.csv").write_bytes(owner.export_csv("cdr"))
    for recording in RECORDINGS:
        (keep / f"{recording.name}.wav").write_bytes(recording.wav())
