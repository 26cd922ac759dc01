"""A small service without its HTTP side: a database in a file, a worker, and short ways to fill and read the rows."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, RowMapping, insert, select, update

from dialer.app.accounts.payments import record_payment
from dialer.app.accounts.rate_cards import add_rate
from dialer.app.campaigns.change import change_campaign
from dialer.app.contacts.contacts import add_contact
from dialer.app.contacts.do_not_call import add_to_dnc
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.database.service_state import read_state
from dialer.store.media.files import Media
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import (
    VOICE,
    Agent,
    BranchingTemplate,
    CallRequest,
    Campaign,
    CampaignPhonebook,
    DncList,
    Gateway,
    Phonebook,
    Queue,
    Row,
    SectionTemplate,
    SurveyTemplate,
    Tier,
    User,
)
from tests.new_database import new_database

Result = TypeVar("Result")

MONDAY_NOON_MS = int(datetime(2026, 3, 2, 12, 0, tzinfo=UTC).timestamp() * 1_000)
"""A Monday; 07:00 in Washington, whose area code the numbers have that always do the same."""
DAY_MS = 86_400_000
CENTS = 1_000
"""One hundredth of a unit of currency, in integers of 1e-5."""


ALL_ANSWER = '{"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 4}'
"""A gateway's parameters: everybody answers, 1 + 4 s after the dial, and listens."""
AS_REAL = {"protocol": "trunk", "parameters": f'{{"simulated": {ALL_ANSWER}}}'}
"""The columns of a gateway to a real carrier, whose callees all answer here. Their wishes bind every campaign."""


class House:
    """One user, one gateway, and as many campaigns as a test opens."""

    def __init__(
        self, folder: Path, *, seed: int = 1, service_zone: str = "UTC", keeps_recordings: bool = False
    ) -> None:
        self.media = folder / "media"
        self._recordings = Media(FolderMedia(self.media)) if keeps_recordings else None
        self.url = new_database(folder)
        self.database = Database(self.url)
        self.seed = seed
        self.callerid = ""
        """The caller ID of the campaigns."""
        self._service_zone = service_zone
        self.hours = CallingHours()
        self.user_id = self.add(User, username="ann", password_hash="-", call_rate=2 * CENTS)
        self.pay(100_000 * CENTS)
        self.gateway_id = self.add(Gateway, name="sim")
        self.worker = self._open_worker()

    def restart(self) -> None:
        """Throw away all that is only in memory, as the end of a process does."""
        self.database.close()
        self.database = Database(self.url)
        self.worker = self._open_worker()

    def add(self, model: type[Row], **values: object) -> int:
        """Insert a row; its id."""
        table = model.__table__
        moments = {name: self.now_ms() for name in ("created_date", "updated_date") if name in table.c}

        def work(connection: Connection) -> int:
            result = connection.execute(insert(table).values(**{**moments, **values}))
            return int((result.inserted_primary_key or (0,))[0])

        return self.database.write_now(work)

    def perform(self, work: Callable[[UnitOfWork], Result]) -> Result:
        """Run a use case in a unit of work, and commit it."""
        return self.database.write_now(lambda c: work(UnitOfWork(connection=c, now_ms=self.now_ms())))

    def change(self, model: type[Row], row_id: int, **values: object) -> None:
        """Change a row. A gateway without a medium is one for calls."""
        table = model.__table__
        is_it = [table.c.id == row_id]
        if model is Gateway:
            is_it.append(table.c.medium == values.get("medium", VOICE))
        self.database.write_now(lambda c: c.execute(update(table).where(*is_it).values(**values)))

    def rows(self, model: type[Row]) -> list[RowMapping]:
        """All rows of a table, in id order."""
        table = model.__table__
        return self.database.read_now(lambda c: list(c.execute(select(table).order_by(table.c.id)).mappings()))

    def row(self, model: type[Row], row_id: int, medium: str = VOICE) -> RowMapping:
        """One row; of gateways one of this medium."""
        found = (row for row in self.rows(model) if row["id"] == row_id)
        return next(row for row in found if model is not Gateway or row["medium"] == medium)

    def dials_s(self) -> list[float]:
        """When calls were placed, in seconds from the start."""
        return [(row["started_ms"] - MONDAY_NOON_MS) / 1_000 for row in self.rows(CallRequest)]

    def pay(self, amount: int) -> None:
        """Put money on the user's account; negative, take it back."""
        self.perform(lambda unit: record_payment(unit, self.user_id, amount))

    def price(self, prefix: str, rate: int, **values: object) -> int:
        """Set the price of calls to numbers with a prefix."""
        line = {"connection_fee": 0, "first_increment": 60, "next_increment": 60, **values}
        line |= {"user_id": self.user_id, "prefix": prefix, "rate": rate, **self._moments()}
        return self.perform(lambda unit: int(add_rate(unit, line).id))

    def phonebook(self, *numbers: str) -> int:
        """Create a phonebook with these contacts, in this order."""
        phonebook_id = self.add(Phonebook, user_id=self.user_id, name="phonebook")
        for number in numbers:
            self.contact(phonebook_id, number)
        return phonebook_id

    def contact(self, phonebook_id: int, number: str, **values: object) -> int:
        """Create a further contact; a started campaign gets it at once."""
        row = {"contact": number, "number": number, "zone": zone_of_number(number), **values}
        row |= {"phonebook_id": phonebook_id, "full_name": "", "additional_vars": "", **self._moments(), **values}
        return self.perform(lambda unit: int(add_contact(unit, row).id))

    def survey(self, *sections: dict[str, Any], branches: dict[int, dict[str, int | None]] | None = None) -> int:
        """Create a survey template; `branches` lead from section to section by their places, counted from 0."""
        survey_id = self.add(SurveyTemplate, user_id=self.user_id, name="survey")
        ids = [
            self.add(SectionTemplate, survey_id=survey_id, order=order, question=f"question {order}", **section)
            for order, section in enumerate(sections)
        ]
        for place, ways in (branches or {}).items():
            for keys, target in ways.items():
                goto_id = None if target is None else ids[target]
                self.add(BranchingTemplate, section_id=ids[place], keys=keys, goto_id=goto_id)
        return survey_id

    def dnc_list(self, *numbers: str) -> int:
        """Create a do-not-call list."""
        dnc_id = self.add(DncList, user_id=self.user_id, name="dnc")
        for number in numbers:
            self.call_off(dnc_id, number)
        return dnc_id

    def call_off(self, dnc_id: int, number: str) -> None:
        """Put a number on a do-not-call list."""
        entry = {"dnc_id": dnc_id, "phone_number": number, "number": number, **self._moments()}
        self.perform(lambda unit: add_to_dnc(unit, entry))

    def agent(self, **values: object) -> int:
        """Create an agent who is available, unless told otherwise."""
        return self.add(Agent, **{"user_id": self.user_id, "name": "agent", "status": 2, "figures": "", **values})

    def queue(self, *agent_ids: int, **values: object) -> int:
        """Create a queue served by these agents, each at a position of their own."""
        queue_id = self.add(Queue, user_id=self.user_id, name="queue", **values)
        for position, agent_id in enumerate(agent_ids, 1):
            self.add(Tier, queue_id=queue_id, agent_id=agent_id, position=position)
        return queue_id

    def meet_real_people(self) -> None:
        """Make the gateway one to a real carrier, whose callees all answer and listen: their wishes bind everybody."""
        self.callerid = "+12025550199"
        self.change(Gateway, self.gateway_id, **AS_REAL)
        self.call_at_any_hour()

    def call_at_any_hour(self) -> None:
        """Limit nobody to calling hours, as for simulated people."""
        self.hours = CallingHours(None)
        self.worker = self._open_worker()

    def campaign(self, survey_id: int, *phonebook_ids: int, **values: object) -> int:
        """Create a campaign that is not started: a dial a second, for three days, unless told otherwise."""
        settings = {
            "user_id": self.user_id,
            "name": "campaign",
            "campaign_code": f"code{len(self.rows(Campaign))}",
            "startingdate": self.now_ms(),
            "expirationdate": self.now_ms() + 3 * DAY_MS,
            "frequency": 60,
            "aleg_gateway_id": self.gateway_id,
            "object_id": survey_id,
            "callerid": self.callerid,
            **values,
        }
        campaign_id = self.add(Campaign, **settings)
        for phonebook_id in phonebook_ids:
            self.add(CampaignPhonebook, campaign_id=campaign_id, phonebook_id=phonebook_id)
        return campaign_id

    async def started(self, survey_id: int, *phonebook_ids: int, **values: object) -> int:
        """Create a campaign that is started."""
        campaign_id = self.campaign(survey_id, *phonebook_ids, **values)
        await self.move(campaign_id, CampaignStatus.START)
        return campaign_id

    async def move(self, campaign_id: int, status: CampaignStatus) -> None:
        """Change the status of a campaign, as a client's PATCH does."""
        self.perform(lambda unit: change_campaign(unit, campaign_id, {"status": status}))
        await self.worker.settle()

    async def advance(self, seconds: float) -> None:
        """Let time pass."""
        await self.worker.advance(self.now_ms() + int(seconds * 1_000))

    def now_ms(self) -> int:
        """Return the service's time."""
        return self.worker.clock.now_ms() if hasattr(self, "worker") else MONDAY_NOON_MS

    def _moments(self) -> dict[str, int]:
        return {"created_date": self.now_ms(), "updated_date": self.now_ms()}

    def _open_worker(self) -> Worker:
        state = self.database.read_now(read_state)
        return Worker(
            self.database,
            VirtualClock(MONDAY_NOON_MS if state is None else state.now_ms),
            seed=self.seed,
            service_zone=self._service_zone,
            new_carrier=SimulatedCarrier,
            new_lines=None,
            hours=self.hours,
            recordings=self._recordings,
        )
