"""`dialer replay`: a call that is over, through the survey as it is now."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec
import rich_click as click

from dialer.commands.open_service import open_service
from dialer.commands.output import print_json, printable
from dialer.commands.wrong_file import WrongFileError
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.inputs import CONNECTED, MISSED
from dialer.domain.survey.replay import ReplayDifference, ReplayStep, first_difference, is_its_own
from dialer.domain.survey.replay import replay as replayed
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import section_name
from dialer.files.nodes import FileError
from dialer.files.reading import read_file
from dialer.files.replaying import as_stored, survey_in
from dialer.sim.scenario import ScenarioError, parse_survey
from dialer.sim.survey_document import survey_of, with_recordings
from dialer.store.database.database import Database
from dialer.store.queries.finished_call import FinishedCall, UnknownCallError, finished_call
from dialer.store.timeline.parts import moment

_TRANSFERS: Final = {CONNECTED: "the transfer was connected", MISSED: "the transfer reached nobody"}


class ShownStep(msgspec.Struct, frozen=True):
    """A section that the call visited."""

    section_id: int
    section: str
    at_seconds: float | None
    """The time of the input, since the answer; null without one."""
    heard: str | None
    """The keys, empty for none, the outcome of a transfer, or the branch of a program; null without an input."""
    response: str | None
    by_program: bool = False
    """True if a program that talked chose the branch."""


class Replay(msgspec.Struct, frozen=True):
    """A call, and the first place at which the survey as it is now plays it differently."""

    call: int
    campaign: int
    number: str
    started: datetime
    survey: str
    steps: list[ShownStep]
    difference: ReplayDifference | None


def replay(call: str, *, survey: Path | None, as_json: bool) -> None:
    """Play a call that is over through its survey as it is now, and show the first difference."""
    with open_service() as service:
        try:
            found = service.database.read_now(lambda connection: finished_call(connection, call))
        except UnknownCallError as error:
            raise click.ClickException(str(error)) from None
        shown = _compare(found if survey is None else _changed(service.database, found, survey))
    if as_json:
        print_json(shown)
    else:
        click.echo("\n".join(map(printable, _lines(shown))))
    if shown.difference is not None:
        raise SystemExit(1)


def _changed(database: Database, call: FinishedCall, path: Path) -> FinishedCall:
    """Return the call with the survey of a file in place of the one that is stored."""
    try:
        found = survey_in(read_file(path), call.template_name)
        part = parse_survey(database.read_now(lambda connection: as_stored(connection, found, call.campaign_id)))
    except FileError as error:
        raise WrongFileError(error) from None
    except ScenarioError as error:
        raise click.UsageError(f"{path}: {error}") from None
    return call._replace(template_name=str(path), template=with_recordings(survey_of(part), call.survey))


def _compare(call: FinishedCall) -> Replay:
    if call.template is None:
        raise click.ClickException(f"the survey of call {call.id} was deleted: give another one by --survey")
    was = replayed(CallFlow(call.survey), call.heard)
    if not is_its_own(was, call.heard):
        raise click.ClickException(f"the inputs of call {call.id} do not fit the survey that its campaign plays")
    difference = first_difference(was, replayed(CallFlow(call.template), call.heard))
    steps = list(map(_shown, was))
    started = moment(call.started_ms)
    return Replay(call.id, call.campaign_id, call.number, started, call.template_name, steps, difference)


def _shown(step: ReplayStep) -> ShownStep:
    heard, section = step.heard, step.section
    if heard is None:
        return ShownStep(section.id, section_name(section), None, None, step.response)
    text = heard.taken.branch or heard.taken.answer
    by_program = definition_of(section).converses
    return ShownStep(section.id, section_name(section), heard.at_ms / 1_000, text, step.response, by_program)


def _lines(shown: Replay) -> Iterator[str]:
    yield f"Call {shown.call} of campaign {shown.campaign} with {shown.number}, {shown.started:%Y-%m-%d %H:%M:%S}Z"
    yield from (f"{number:>4}  {_line(step)}" for number, step in enumerate(shown.steps, 1))
    yield from _difference(shown.survey, shown.difference, shown.steps)


def _line(step: ShownStep) -> str:
    if step.heard is None:
        return step.section
    keys = f"pressed {step.heard}" if step.heard else "pressed nothing"
    if step.by_program:
        keys = f"the program chose {step.heard}"
    answer = "" if step.response is None else f", answer {step.response}"
    return f"{step.section}: {_TRANSFERS.get(step.heard, keys)} after {step.at_seconds} s{answer}"


def _difference(survey: str, found: ReplayDifference | None, steps: Sequence[ShownStep]) -> Iterator[str]:
    if found is None:
        played = "its one step as it was" if len(steps) == 1 else f"all {len(steps)} steps as they were"
        yield f"The survey {survey} plays {played}."
        return
    place = f"at step {found.step}, {found.section}" if found.step else "at the beginning"
    yield f"The survey {survey} differs {place}:"
    yield f"      {found.field} was {found.was}, is now {found.is_now}"
