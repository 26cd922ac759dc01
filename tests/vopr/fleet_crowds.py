"""Fleets that compete for few channels: long calls, slices that move all the time, and workers that are late in turn.

A late worker handles moments in which others still used the channels that it has now. So its rows show whether a larger
slice holds from the moment at which it was taken.
"""

from typing import Final

from tests.vopr.building import Folder
from tests.vopr.dice import Dice
from tests.vopr.faults import SECOND_MS, Action, Do
from tests.vopr.fleet import FleetRun, run_fleet
from tests.vopr.fleet_worlds import busy
from tests.vopr.run import SeedOutcome
from tests.vopr.worlds import CENTS, DAY_MS, Values, World, contact_of

CROWDED_EACH: Final = 8
"""One in so many seeds has few channels for many calls, and nothing else happens in it."""
_WORKERS: Final = 3
_USER_IDS: Final = range(1, 7)
"""So many accounts that each worker soon has some."""
_CAMPAIGNS: Final = 2 * len(_USER_IDS)
"""One of each account over the gateway with few channels, and one over another, so that workers always do something."""
_PEOPLE: Final = 80
"""Contacts of each account."""
_SECONDS: Final = 40
_LATE_MS: Final = (600, 900, 1_600)
_TICKS_MS: Final = (40, 120, 300)
_BEHAVIOUR: Final = '{"answer": 1, "busy": 0, "rejected": 0, "invalid": 0, "machine": 0, "ring": [0, 2]}'
_START_MS: Final = 20_514 * DAY_MS


class CrowdedRun(FleetRun):
    """A run in which workers compete for channels, and one of them is always late."""

    ticks_ms = _TICKS_MS

    def __init__(self, seed: int, folder: Folder) -> None:
        super().__init__(seed, folder, world=crowded_world_of(seed), workers=_WORKERS)

    async def _live(self) -> None:
        self._fill()
        for which in range(_CAMPAIGNS):
            self._act(Action(Do.START, which, dice=0))
        self._learn()
        for _ in range(_SECONDS):
            self._step += 1
            await self._pass(SECOND_MS)

    def _trouble(self) -> None:
        """Let one worker after the other be late, and let a user save the gateway meanwhile."""
        if all(self.now_ms >= one.frozen_until_ms for one in self._members):
            self.faults += 1
            self.dice.pick(self._members).frozen_until_ms = self.now_ms + self.dice.pick(_LATE_MS)
        if self.dice.happens(40):
            self._save_gateway()


def crowded_world_of(seed: int) -> World:
    """Draw a world in which the campaigns of some accounts always wait for a channel of one gateway."""
    dice = Dice(seed, "crowd")
    users = [{"id": one, "username": f"user{one}", "password_hash": "-", "call_rate": 137} for one in _USER_IDS]
    gateway = {"name": "gateway", "max_channels": dice.pick((1, 2)), "max_cps": 0, "parameters": _BEHAVIOUR}
    rows: dict[str, list[Values]] = {
        "user_account": users,
        "gateway": [gateway, {**gateway, "max_channels": 0}],
        "phonebook": [{"user_id": one, "name": "people"} for one in _USER_IDS],
        "contact": [
            {"phonebook_id": book, **contact_of(f"+120255{book}{place:04d}")}
            for book in _USER_IDS
            for place in range(_PEOPLE)
        ],
        "survey_template": [{"user_id": one, "name": "survey"} for one in _USER_IDS],
        "section_template": [
            {"survey_id": survey, "order": 0, "type": 1, "question": "q", "script": "word " * dice.between(1, 6)}
            for survey in _USER_IDS
        ],
        "campaign": [_campaign(dice, user_id, gateway_id) for gateway_id in (1, 2) for user_id in _USER_IDS],
        "campaign_phonebook": [
            {"campaign_id": one, "phonebook_id": (one - 1) % len(_USER_IDS) + 1} for one in range(1, _CAMPAIGNS + 1)
        ],
    }
    return World(_START_MS, "UTC", dict.fromkeys(_USER_IDS, 50_000 * CENTS), None, rows)


def _campaign(dice: Dice, user_id: int, gateway_id: int) -> Values:
    return {
        "name": "campaign",
        "campaign_code": f"code{gateway_id}{user_id}",
        "object_id": user_id,
        "aleg_gateway_id": gateway_id,
        **busy(dice, _START_MS),
        "user_id": user_id,
        "frequency": 600 if gateway_id == 1 else 40,
        "max_aleg": 0,
        "callmaxduration": 60,
    }


async def run_fleets(seed: int, folder: Folder) -> SeedOutcome:
    """Run a seed with several workers, which has little else than competition if it is one of those."""
    if seed % CROWDED_EACH == CROWDED_EACH - 2:
        return await CrowdedRun(seed, folder).outcome()
    return await run_fleet(seed, folder)
