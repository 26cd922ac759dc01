"""The progress of the campaign: a line for every three hours, and on a terminal a moving bar."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from dialer.demo.checks import Checks
from dialer.demo.day import LAST_CALLS
from dialer.demo.display import INDENT, bar, indented
from dialer.demo.evidence import Evidence, ProgressRecord, moment
from dialer.demo.preparation import EXPIRES, STARTS
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus

LINE_HOURS: Final = 3
_WIDTH: Final = 16


def check(evidence: Evidence, checks: Checks) -> None:
    """Check the counters of every milestone against the calls that had begun or ended by then."""
    ended_at = {attempt.callid: moment(attempt.ending_date) for attempt in evidence.attempts if attempt.ending_date}
    for milestone in evidence.milestones:
        at = moment(milestone.at)
        ended = [cdr for cdr in evidence.cdrs if ended_at[cdr.callid] <= at]
        begun = sum(moment(cdr.starting_date) <= at for cdr in evidence.cdrs)
        checks.same(f"calls by {milestone.at}", milestone.calls, begun)
        checks.same(f"answered by {milestone.at}", milestone.answered, sum(cdr.is_answered for cdr in ended))
        checks.same(f"charged by {milestone.at}", milestone.cost, sum(cdr.cost for cdr in ended))


def show_end(console: Console, evidence: Evidence, checks: Checks) -> None:
    """Print and check the end of the campaign: it expires if a subscriber is still due, else it is completed."""
    is_somebody_due = any(subscriber.status == SubscriberStatus.PENDING for subscriber in evidence.subscribers)
    reason = checks.same(
        "reason of the end", evidence.campaign["status_reason"], "expired" if is_somebody_due else "completed"
    )
    status = checks.same("status", CampaignStatus(evidence.campaign["status"]), CampaignStatus.END)
    indented(console, Text(f"campaign status {status.value} ({status.name}): {reason}", "dim"))


@contextmanager
def watching(console: Console) -> Iterator["Watch"]:
    """Show a progress bar within the `with` block."""
    columns = (
        TextColumn(" " * INDENT + "{task.description}"),
        BarColumn(_WIDTH),
        TextColumn("{task.fields[calls]:,} calls"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield Watch(console, progress)


class Watch:
    """A callable that shows each milestone on the progress bar."""

    def __init__(self, console: Console, progress: Progress) -> None:
        self._console: Final = console
        self._progress: Final = progress
        self._length_s: Final = (moment(EXPIRES) - moment(STARTS) + LAST_CALLS).total_seconds()
        self._task: Final = progress.add_task("", total=self._length_s, calls=0)

    def __call__(self, milestone: ProgressRecord) -> None:
        """Move the bar, and print a line at some full hours."""
        at = moment(milestone.at)
        through_s = (at - moment(STARTS)).total_seconds()
        self._progress.update(self._task, completed=through_s, description=f"{at:%a %H:%M}", calls=milestone.calls)
        is_last = through_s >= self._length_s
        if is_last or (at.minute == 0 and (at.hour + 2) % LINE_HOURS == 0):
            self._console.print(_line(milestone, int(through_s), int(self._length_s)))


def _line(milestone: ProgressRecord, through_s: int, length_s: int) -> Text:
    drawn = bar(through_s, length_s, width=_WIDTH)
    drawn.pad_right(_WIDTH - drawn.cell_len)
    figures = f"  {milestone.calls:>5,} calls  {milestone.answered:>5,} answered  {milestone.cost:>9.5f} charged"
    return Text.assemble(" " * INDENT, f"{moment(milestone.at):%a %H:%M}  ", drawn, figures)
