"""Tests of the fault simulator of lines: no seed breaks a rule, and it finds bugs that are planted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.lines.line_legs import LineLegs
from dialer.runtime.lines.lines import Lines
from dialer.runtime.lines.report_checks import described
from dialer.runtime.steps import failed_steps, live_engine, recovery, worker
from dialer.runtime.steps.failed_steps import Containment
from dialer.runtime.steps.worker import Worker
from dialer.store.rows.set_aside_reports import KnownReports
from dialer.store.tables import CallRequest
from tests.runtime.line_house import LineHouse
from tests.sizes import LINE_SEEDS
from tests.vopr.lines import LineRun

LEFT_UP: Final = 13
"""A seed whose callers hang up while other telephones ring or talk."""
WITH_TEXTS: Final = 6
"""A seed whose calls ask for messages, which have to wait for their gateway while processes end."""
WITH_NONSENSE: Final = (4, 1101354100)
"""Seeds whose lines talk nonsense, some of which breaks the engine."""
WITH_HANG_UPS: Final = (30, 32, 74)
"""Seeds whose agents hang up and hold at their desks, some of them while processes end."""
Plant = Callable[[pytest.MonkeyPatch], None]


@pytest.mark.parametrize("seed", LINE_SEEDS)
async def test_no_rule_is_broken(tmp_path: Path, seed: int) -> None:
    assert await LineRun(seed, tmp_path).findings() == []


async def test_no_rule_is_broken_by_messages_that_wait(tmp_path: Path) -> None:
    run = LineRun(WITH_TEXTS, tmp_path)
    assert (await run.findings(), run.texts > 0) == ([], True)


@pytest.mark.parametrize("seed", WITH_NONSENSE)
async def test_no_rule_is_broken_by_nonsense(tmp_path: Path, seed: int) -> None:
    run = LineRun(seed, tmp_path)
    assert (await run.findings(), run.failures.set_aside > 0) == ([], True)


@pytest.mark.parametrize("seed", WITH_HANG_UPS)
async def test_no_rule_is_broken_by_agents_who_hang_up_and_hold(tmp_path: Path, seed: int) -> None:
    run = LineRun(seed, tmp_path)
    assert (await run.findings(), len(run.hung_up) > 0, len(run.held) > 0) == ([], True, True)


def sent_before_the_commit(patch: pytest.MonkeyPatch) -> None:
    step = Worker._step  # noqa: SLF001

    def planted(self: Worker, *arguments: Any, is_ahead: bool) -> bool:  # noqa: ANN401 - as the step
        is_done = step(self, *arguments, is_ahead=is_ahead)
        live = self._live
        for leg in [] if live is None else live.switchboard._legs._dials:  # noqa: SLF001
            self._lines.dial([leg], {})
        return is_done

    patch.setattr(Worker, "_step", planted)


def never_marked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(worker, "_mark", lambda *_: True)


def marked_after_the_dial(patch: pytest.MonkeyPatch) -> None:
    hand_over = Worker._hand_over  # noqa: SLF001

    async def planted(self: Worker, live: Any) -> None:  # noqa: ANN401 - a live engine
        await self._lines.follow(live.switchboard.settings)
        self._lines.dial(live.switchboard._legs._dials, {})  # noqa: SLF001
        with pytest.MonkeyPatch.context() as once:
            once.setattr(Lines, "dial", lambda *_: None)
            await hand_over(self, live)

    patch.setattr(Worker, "_hand_over", planted)


def handed_over_after_the_turn(patch: pytest.MonkeyPatch) -> None:
    hand_over = Worker._hand_over  # noqa: SLF001
    waiting: list[Any] = []

    async def planted(self: Worker, live: Any) -> None:  # noqa: ANN401 - a live engine
        for earlier in [one for one in waiting if one is live]:
            await hand_over(self, earlier)
        waiting[:] = [live]

    patch.setattr(Worker, "_hand_over", planted)


async def test_a_second_leg_that_is_not_told_to_end_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bug is planted: legs that nobody needs any more are only forgotten."""
    monkeypatch.setattr(LineLegs, "leave", LineLegs.remove)
    found = await LineRun(LEFT_UP, tmp_path).findings()
    assert any("is up without a row" in one for one in found)


async def test_a_hand_over_outside_the_turn_of_its_step_dials_after_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bug is planted, so the dial that a PAUSE must not let through is seen."""
    handed_over_after_the_turn(monkeypatch)
    house = LineHouse(tmp_path)
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(3_000)})
    campaign_id = house.campaign(survey_id, house.phonebook("+12025550101"))
    house.start(campaign_id)
    while not house.rows(CallRequest):
        await house.worker.advance(house.now_ms())
    await house.move(campaign_id, CampaignStatus.PAUSE)
    assert house.side.numbers == ["+12025550101"]


def forgets_texts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(recovery, "waiting_texts", lambda *_: [])


def forgets_what_is_set_aside(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(live_engine, "known_reports", lambda *_: KnownReports(b"", {}, set()))


def stops_at_what_it_cannot_handle(patch: pytest.MonkeyPatch) -> None:
    """Treat every error of a report as one of the service, as it was before reports were set aside."""

    async def never(*_: object) -> bool:
        return False

    patch.setattr(Containment, "contain", never)


def looks_for_nobody_else(patch: pytest.MonkeyPatch) -> None:
    """Blame the first report of a step for all that happens in it."""
    patch.setattr(failed_steps, "described", lambda report, _: described(report._replace(key="someone else"), "blamed"))


PLANTED: Final[dict[Plant, int]] = {
    sent_before_the_commit: 0,
    never_marked: 0,
    marked_after_the_dial: 0,
    forgets_texts: WITH_TEXTS,
    forgets_what_is_set_aside: WITH_NONSENSE[0],
    stops_at_what_it_cannot_handle: WITH_NONSENSE[0],
    looks_for_nobody_else: WITH_NONSENSE[0],
}
"""Bugs, each with a seed that finds it."""


@pytest.mark.parametrize("plant", PLANTED)
async def test_a_planted_bug_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plant: Plant) -> None:
    plant(monkeypatch)
    assert await LineRun(PLANTED[plant], tmp_path).findings() != []
