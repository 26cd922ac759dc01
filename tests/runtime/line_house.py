"""A small service whose gateway is a line to an other side that the test watches."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from sqlalchemy import Connection

from dialer.app.campaigns.change import change_campaign
from dialer.carriers.engine_port import CallPlacer
from dialer.domain.engine.engine import Engine
from dialer.domain.sessions.b_leg_session import BLegSessionState
from dialer.domain.sessions.supervisor_session import SUPERVISOR_PLACE
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.engine_parts import NewKernel
from dialer.runtime.steps.kernel import CampaignStore, Kernel
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.sim.chance import Chance
from dialer.store.database.database import StorageUnavailableError
from dialer.store.media.files import Media
from dialer.store.media.folder import FolderMedia
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import Agent, AudioFile, CallRequest, Gateway, LiveLeg, Transfer, User
from tests.new_database import new_database
from tests.runtime.house import CENTS, MONDAY_NOON_MS, House
from tests.runtime.other_side import FAKE, Kin, OtherSide
from tests.runtime.text_side import FAKE_TEXTS, TextSide
from tests.vopr.database import FaultyDatabase
from tests.vopr.faults import Fault

Result = TypeVar("Result")
AFTERNOON_MS: Final = MONDAY_NOON_MS + 4 * 3_600_000
"""11:00 in Washington: people may be called there."""


class PlannedDatabase(FaultyDatabase):
    """A database whose next writes of the worker meet a list of faults."""

    faults: list[Fault | None]

    async def write(
        self, work: Callable[[Connection], Result], *, is_step: bool = False, is_long: bool = False
    ) -> Result:
        self.plan(self.faults.pop(0) if self.faults else None)
        return await super().write(work, is_step=is_step, is_long=is_long)


class LineHouse(House):
    """A house with a gateway to the other side, and another that is simulated."""

    database: PlannedDatabase

    def __init__(
        self,
        folder: Path,
        *,
        seed: int = 1,
        behaviour: dict[str, object] | None = None,
        new_kernel: NewKernel | None = None,
    ) -> None:
        self._new_kernel: Final = new_kernel
        self.seed, self._service_zone, self.callerid = seed, "UTC", "+12025550199"
        self.media = folder / "media"
        self._recordings = Media(FolderMedia(self.media))
        new_database(folder)
        self._path = folder / "dialer.db"
        self.database = PlannedDatabase()
        self.database.faults = []
        self.database.open(self._path)
        self.user_id = self.add(User, username="ann", password_hash="-", call_rate=2 * CENTS)
        self.pay(100_000 * CENTS)
        self.gateway_id = self.add(Gateway, name="line", protocol=FAKE)
        self.side = OtherSide(self.now_ms, seed, behaviour)
        self.side.kin = partial(kin_of, self)
        self.texts = TextSide()
        self.worker = self._open_worker()

    def start(self, campaign_id: int) -> None:
        """Start a campaign, before the worker has seen it."""
        self.move_now(campaign_id, CampaignStatus.START)

    def move_now(self, campaign_id: int, status: CampaignStatus) -> None:
        """Move a campaign, before the worker has seen it."""
        self.perform(lambda unit: change_campaign(unit, campaign_id, {"status": status}))

    def restart(self) -> None:
        """Start another process on the same rows. The other side goes on."""
        self.restart_at(self.now_ms())

    def restart_at(self, now_ms: int) -> None:
        """End the process, and start another one later. Nobody hears the other side meanwhile."""
        self.side.lines = []
        self.worker = self._open_worker(now_ms)
        self.side.speak()
        self.database.faults = []
        self.database.open(self._path)

    def recording(self, length_ms: int) -> int:
        """Add an audio file, whose name tells its length."""
        name = f"{length_ms}-ms.wav"
        file = {"user_id": self.user_id, "name": name, "audio_file": name, "format": "wav", "size": 1}
        return self.add(AudioFile, duration_ms=length_ms, **file)

    async def lives(self, until_ms: int) -> None:
        """Let time pass, with everything that the other side says."""
        await self.worker.advance(self.now_ms())
        while True:
            coming = [at_ms for at_ms in (self.side.next_ms, self._due_ms(), until_ms) if at_ms is not None]
            has_news = self.worker._lines.has_news  # noqa: SLF001
            await self.worker.advance(self.now_ms() if has_news else max(self.now_ms(), min(coming)))
            has_news = self.side.speak() or self.worker._lines.has_news  # noqa: SLF001
            if not has_news and self.now_ms() >= until_ms:
                return

    async def step(self) -> None:
        """Let the next thing happen that is due within five seconds."""
        due_ms = self._due_ms()
        await self.worker.advance(min(self.now_ms() + 5_000, max(self.now_ms(), due_ms or 0)))

    def _due_ms(self) -> int | None:
        live = self.worker._live  # noqa: SLF001
        return None if live is None else live.kernel.next_due_ms

    async def pass_s(self, seconds: float) -> None:
        """Let seconds pass."""
        await self.lives(self.now_ms() + round(seconds * 1_000))

    async def crash(self, *faults: Fault | None) -> None:
        """Let the next writes of the worker meet these faults, and start another process."""
        self.database.faults = list(faults)
        try:
            await self.worker.advance(self.now_ms())
        except StorageUnavailableError:
            self.restart()
        else:
            raise AssertionError("nothing failed")

    def findings(self) -> list[str]:
        """Return everything that is wrong between the two sides."""
        wrong = [str(one) for one in self.database.read_now(audit).differences]
        wrong += [f"{key} was dialled {count} times" for key, count in self.side.dialled.items() if count > 1]
        return wrong

    def _open_worker(self, now_ms: int = AFTERNOON_MS) -> Worker:
        return Worker(
            self.database,
            VirtualClock(now_ms),
            seed=self.seed,
            service_zone="UTC",
            new_carrier=SimulatedCarrier,
            recordings=self._recordings,
            new_lines={FAKE: self.side.line, FAKE_TEXTS: self.texts.line},
            new_kernel=self._new_kernel or _usual_kernel,
        )


def _usual_kernel(engine: Engine, carrier: CallPlacer, store: CampaignStore, now_ms: int) -> Kernel:
    return Kernel(engine, carrier, store, now_ms=now_ms)


def kin_of(house: House, key: str) -> Kin | None:
    """Return the call of a second leg, from the rows."""
    rows = {row["key"]: row for row in house.rows(LiveLeg)}
    if key not in rows or not rows[key]["place"]:
        return None
    call_id, standing = rows[key]["call_id"], msgspec.json.decode(rows[key]["standing"], type=BLegSessionState)
    (first,) = [row["key"] for row in rows.values() if row["call_id"] == call_id and not row["place"]]
    if standing.place == SUPERVISOR_PLACE:
        return Kin(first, standing.place, msgspec.json.decode(rows[key]["dialling"])["number"])
    if standing.agent_id is None:
        numbers = {(row["callrequest_id"], row["place"]): row["phone_number"] for row in house.rows(Transfer)}
        return Kin(first, standing.place, numbers[call_id, standing.place])
    call = house.row(CallRequest, call_id)
    named = f"agent:{standing.agent_id}:{standing.began_ms}"
    chance = Chance(house.seed, call["campaign_id"], call["subscriber_id"] or 0, call["attempt"], named)
    return Kin(first, standing.place, "", house.row(Agent, standing.agent_id)["parameters"], chance)
