"""A simulated day of Alice's account on the console's database: machines, retries, agents, do-not-call numbers."""

import json
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.tables import SMS, Campaign, Gateway, User
from tests.api.harness import NOW_MS
from tests.runtime.house import CENTS, DAY_MS, House

ALICE: Final = 2
TAKES: Final = '{"talk": [10, 90], "answer": [0, 6]}'
MISSES: Final = '{"talk": [10, 90], "answer": [15, 40], "missed": 0.4}'
SURVEY: Final = (
    {"type": 2, "script": "press one for an agent", "key_1": "agent", "key_2": "bye", "timeout": 3},
    {"type": 6, "script": "one moment", "completed": True},
    {"type": 3, "script": "how many stars", "rating_laps": 5},
    {"type": 1, "script": "thank you", "completed": True},
)


class AccountHouse(House):
    """The account of Alice: its campaigns dial in this process, while the pages of the console are asked elsewhere."""

    def __init__(self, database: Database) -> None:
        self.database, self.seed, self.callerid = database, 1, ""
        self._now_ms = NOW_MS
        self.user_id, self.gateway_id = ALICE, 0
        self.change(User, ALICE, call_rate=2 * CENTS, sms_rate=CENTS, balance=10**9)
        self.worker = self._open_worker()

    def _open_worker(self) -> Worker:
        clock = VirtualClock(self._now_ms)
        return Worker(
            self.database, clock, seed=self.seed, service_zone="UTC", new_carrier=SimulatedCarrier, new_lines=None
        )


class Day(NamedTuple):
    """A campaign of voice, and what happens to it."""

    gateway: dict[str, Any]
    campaign: dict[str, Any]
    people: int
    listed: int
    agents: tuple[str, ...]
    leads_to_queue: bool
    seconds: int
    """Length of the first part, after which the campaign may be stopped."""
    move: CampaignStatus | None


def _chances(answer: int, machine: int, busy: int) -> str:
    chances = {"answer": answer / 100, "machine": machine / 100, "busy": busy / 100, "rejected": 0.02, "invalid": 0.02}
    keys = {"1": 0.5, "2": 0.2, "": 0.3}
    return json.dumps({**chances, "ring": [2, 40], "patience": [1, 30], "listen": 0.7, "keys": keys, "amd_error": 0.2})


days = st.builds(
    Day,
    st.fixed_dictionaries(
        {
            "parameters": st.builds(
                _chances, st.sampled_from([10, 45, 60]), st.sampled_from([0, 10, 30]), st.sampled_from([0, 5])
            ),
            "max_channels": st.sampled_from([2, 20]),
        }
    ),
    st.fixed_dictionaries(
        {
            "voicemail": st.booleans(),
            "amd_behavior": st.sampled_from([1, 2, 3]),
            "machine_is_reached": st.booleans(),
            "maxretry": st.integers(0, 2),
            "intervalretry": st.sampled_from([60, 600]),
            "completion_maxretry": st.integers(0, 1),
            "completion_intervalretry": st.sampled_from([60, 900]),
            "frequency": st.sampled_from([20, 120]),
        }
    ),
    st.integers(1, 25),
    st.integers(0, 3),
    st.lists(st.sampled_from([TAKES, MISSES]), max_size=2).map(tuple),
    st.booleans(),
    st.sampled_from([5, 130, 900]),
    st.sampled_from([None, CampaignStatus.PAUSE, CampaignStatus.ABORT, CampaignStatus.END]),
)


class Lived(NamedTuple):
    """The ids of what a day has left."""

    campaign: int
    texts: int
    """The campaign of text messages."""
    queue: int
    agents: list[int]


async def live(house: AccountHouse, day: Day, prefix: int) -> Lived:
    """Let the day happen. Numbers begin with a prefix of three digits, which another day does not have."""
    gateway_id = house.add(Gateway, name=f"sim {prefix}", protocol="sim", **day.gateway)
    sms_id = house.add(Gateway, medium=SMS, name=f"texts {prefix}", protocol="sim")
    agents = [house.agent(name=f"agent {prefix} {place}", parameters=one) for place, one in enumerate(day.agents)]
    queue = house.queue(*agents, max_wait_time=20)
    sections = [{**one, "queue_id": queue} if one["type"] == 6 else one for one in SURVEY]
    if day.leads_to_queue:
        survey = house.survey(*sections, branches={0: {"1": 1, "2": 3, "timeout": 2}, 2: {"any": 3, "timeout": 3}})
    else:
        survey = house.survey(*(one for one in sections if one["type"] != 6), branches={0: {"any": 1, "timeout": 2}})
    numbers = [f"+1202{prefix:03d}{place:04d}" for place in range(day.people)]
    dnc_id = house.dnc_list(*numbers[: day.listed])
    book = house.phonebook(*numbers)
    limits: dict[str, Any] = {"expirationdate": house.now_ms() + DAY_MS, "dnc_id": dnc_id}
    campaign = house.campaign(survey, book, aleg_gateway_id=gateway_id, **limits, **day.campaign)
    of_texts: dict[str, Any] = {"medium": SMS, "aleg_gateway_id": None, "sms_gateway_id": sms_id}
    texts = house.campaign(0, book, text_message="Come!", **of_texts, **limits)
    for one in (campaign, texts):
        await house.move(one, CampaignStatus.START)
    await house.advance(day.seconds)
    if day.move is not None and house.row(Campaign, campaign)["status"] == CampaignStatus.START:
        await house.move(campaign, day.move)
    await house.advance(1_800)
    return Lived(campaign, texts, queue, agents)
