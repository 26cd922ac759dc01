"""The page on the life of a call shows what happens: one call over a line, and the same call to a simulated callee."""

from pathlib import Path
from typing import Any, Final

import pytest

from dialer.carriers.engine_port import CallPlacer
from dialer.domain.engine.engine import Engine
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.sessions.session_state import Stage
from dialer.runtime.steps.kernel import CampaignStore, Kernel
from dialer.sim.callee_line import CalleeLine
from dialer.store.tables import CallRequest, Cdr, Gateway, LedgerEntry, LiveLeg, Subscriber, SurveyResult
from tests.runtime.line_house import AFTERNOON_MS, LineHouse
from tests.runtime.other_side import FakeLine

pytestmark = pytest.mark.usefixtures("quiet")
PAGE: Final = Path(__file__).parents[2] / "docs" / "life-of-a-call.md"
ADA: Final = "+12025550101"
"""Answers 5 s after the dial, and presses 1 two seconds after each question."""
ROWS: Final = (CallRequest, LiveLeg, SurveyResult, Cdr, LedgerEntry, Subscriber)
TOLD: Final = frozenset({"CallEnded", "Dial", "FinishCall"})
"""Events and effects of which the page tells, with everything that comes with them."""


class Diary:
    """Everything that happens in the life of a call, one line each."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, at_ms: int, kind: str, name: str) -> None:
        """Note what happened at a time."""
        self.lines.append(f"{(at_ms - AFTERNOON_MS) / 1_000:4.0f} s  {kind:<7} {name}")

    def kernel(self, engine: Engine, carrier: CallPlacer, store: CampaignStore, now_ms: int) -> Kernel:
        """Return a kernel that notes events and effects, in place of `NewKernel`."""
        handle = engine.handle

        def noting(at_ms: int, event: Any) -> Any:  # noqa: ANN401 - any event
            effects = handle(at_ms, event)
            names = [type(event).__name__, *(type(effect).__name__ for effect in effects)]
            if TOLD.intersection(names):
                self.note(at_ms, "event", names[0])
                for name in names[1:]:
                    self.note(at_ms, "effect", name)
            return effects

        engine.handle = noting  # type: ignore[assignment, method-assign]
        return Kernel(engine, carrier, store, now_ms=now_ms)


@pytest.fixture
def diary(monkeypatch: pytest.MonkeyPatch) -> Diary:
    """Note the orders that a simulated callee and a line are given, and what a line reports."""
    noted = Diary()
    listen, obey_rare = CalleeLine._listen, CalleeLine._obey_rare  # noqa: SLF001
    hear, perform, dial, hear_done = FakeLine.hear, FakeLine.perform, FakeLine.dial, IvrSession.done

    def listening(line: CalleeLine, session: IvrSession, until_ms: int) -> bool:
        begun_ms = line._at_ms  # noqa: SLF001

        def done(session: IvrSession, at_ms: int, digits: str) -> None:
            nonlocal begun_ms
            noted.note(begun_ms, "order", type(session.order).__name__)
            noted.note(at_ms, "report", "Done")
            begun_ms = at_ms
            hear_done(session, at_ms, digits)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(IvrSession, "done", done)
            return listen(line, session, until_ms)

    def obeying(line: CalleeLine, session: IvrSession, until_ms: int) -> bool:
        noted.note(line._at_ms, "order", type(session.order).__name__)  # noqa: SLF001
        has_obeyed = obey_rare(line, session, until_ms)
        noted.note(line._at_ms, "report", "Ended" if session.stage is Stage.OVER else "Done")  # noqa: SLF001
        return has_obeyed

    def hearing(line: FakeLine, key: str, heard: Any) -> None:  # noqa: ANN401 - any report
        noted.note(line._side.now_ms(), "report", type(heard).__name__)  # noqa: SLF001
        hear(line, key, heard)

    def performing(line: FakeLine, key: str, order: Any) -> None:  # noqa: ANN401 - any order
        noted.note(line._side.now_ms(), "order", type(order).__name__)  # noqa: SLF001
        perform(line, key, order)

    def dialling(line: FakeLine, leg: Any) -> None:  # noqa: ANN401 - any leg
        noted.note(line._side.now_ms(), "order", type(leg).__name__)  # noqa: SLF001
        dial(line, leg)

    monkeypatch.setattr(CalleeLine, "_listen", listening)
    monkeypatch.setattr(CalleeLine, "_obey_rare", obeying)
    monkeypatch.setattr(FakeLine, "hear", hearing)
    monkeypatch.setattr(FakeLine, "perform", performing)
    monkeypatch.setattr(FakeLine, "dial", dialling)
    return noted


def rows(house: LineHouse) -> str:
    """Return the number of rows of each table."""
    return ", ".join(f"{len(house.rows(model))} {model.__tablename__}" for model in ROWS)


@pytest.mark.parametrize("protocol", ["fake", "sim"])
async def test_the_page_shows_the_life_of_a_call(tmp_path: Path, diary: Diary, protocol: str) -> None:
    house = LineHouse(tmp_path, new_kernel=diary.kernel)
    if protocol == "sim":
        house.change(Gateway, house.gateway_id, protocol="sim", parameters="{}")
    survey_id = house.survey(
        {"type": 1, "audiofile_id": house.recording(3_000)},
        {"type": 2, "audiofile_id": house.recording(2_000), "key_1": "yes", "completed": True, "timeout": 5},
        {"type": 7, "audiofile_id": house.recording(1_000)},
        branches={0: {"0": 1}, 1: {"1": 2, "timeout": None}},
    )
    await house.started(survey_id, house.phonebook(ADA))
    await house.pass_s(2)
    begun = rows(house)
    await house.pass_s(60)
    life = "\n".join([*diary.lines, f"   2 s  rows    {begun}", f"  62 s  rows    {rows(house)}"])
    assert life in PAGE.read_text("utf-8")
