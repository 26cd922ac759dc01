"""Scenarios from their files to their results."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import msgspec
from sqlalchemy import Connection

from dialer.app.work.errors import AppError, InvalidFieldsError
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.scenarios.checks import Failure, check_campaign, check_person
from dialer.scenarios.document import PlacedScenario
from dialer.scenarios.outcome import CampaignOutcome, PersonOutcome, campaign_outcome, person_outcome
from dialer.scenarios.world import Base, World


class ScenarioResult(msgspec.Struct, frozen=True):
    """The failures of one scenario, and the time that it took."""

    file: str
    line: int | None
    name: str
    seconds: float
    failures: tuple[Failure, ...]
    people: tuple[PersonOutcome, ...]
    campaign: CampaignOutcome


def run_scenarios(
    scenarios: Sequence[PlacedScenario], done: Callable[[ScenarioResult], None], steady_s: Callable[[], float]
) -> list[ScenarioResult]:
    """Play scenarios one after the other, each in its own service. Call `done` with each result.

    Raises:
        FileError: the records of a scenario are wrong.
    """
    results = []
    with tempfile.TemporaryDirectory(prefix="dialer-test-") as folder:
        base = Base(Path(folder))
        for number, placed in enumerate(scenarios):
            began_s = steady_s()
            with base.world(number) as world:
                failures, people, campaign = _play(world, placed)
            place, scenario = placed.node.place, placed.scenario
            seconds = round(steady_s() - began_s, 3)
            result = ScenarioResult(place.file, place.line, scenario.name, seconds, failures, people, campaign)
            done(result)
            results.append(result)
    return results


def _play(
    world: World, placed: PlacedScenario
) -> tuple[tuple[Failure, ...], tuple[PersonOutcome, ...], CampaignOutcome]:
    scenario = placed.scenario
    world.furnish(scenario, placed.records, placed.node.place)
    why_not = ""
    try:
        anyio.run(world.play, scenario)
    except InvalidFieldsError as error:
        why_not = " ".join(str(message) for messages in error.errors.values() for message in messages)
    except AppError as error:
        why_not = str(error)
    hours = read_calling_hours(world.settings.calling_hours)

    def read(connection: Connection) -> tuple[list[PersonOutcome], CampaignOutcome]:
        people = [
            person_outcome(
                connection,
                world.campaign_id,
                str(person.contact),
                full_name=person.full_name,
                now_ms=world.now_ms,
                hours=hours,
            )
            for person in scenario.people
        ]
        return people, campaign_outcome(connection, world.campaign_id, why_not)

    people, campaign = world.database.read_now(read)
    failures = list(check_campaign(scenario.expect, campaign))
    if not why_not:
        for person, outcome in zip(scenario.people, people, strict=True):
            failures += check_person(person.expect, outcome)
    return tuple(failures), tuple(people), campaign
