"""Tests of people whom the carrier could not call: with `carrier_maxretry` they wait until it can."""

from functools import partial

from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.store.tables import CallRequest, Campaign, Gateway, Subscriber
from dialer.store.timeline.reading import read_story
from tests.runtime.house import ALL_ANSWER, House

HELLO = {"type": 1, "script": "hello"}
ALL_FAIL = '{"answer": 0, "busy": 0, "rejected": 0, "invalid": 0, "congestion": 1}'
OUT_OF_ORDER = "+12025550116"
"""The simulated network reports cause 38 for it, whenever it is called."""


def states(house: House) -> list[tuple[int, str, int]]:
    """Return the status, the reason and the attempts of everybody."""
    return [(row["status"], row["status_reason"], row["count_attempt"]) for row in house.rows(Subscriber)]


async def test_a_carrier_that_recovers_within_the_limit_has_used_nobody_up(house: House) -> None:
    """Seven fail one after the other. The gateway rests. Each is called again once it works, by the second attempt."""
    numbers = [f"+49301234500{place}" for place in range(7)]
    house.change(Gateway, house.gateway_id, parameters=ALL_FAIL)
    await house.started(house.survey(HELLO), house.phonebook(*numbers), carrier_maxretry=3, intervalretry=20)
    await house.advance(31)
    assert {(status, reason) for status, reason, count in states(house) if count} == {(1, "carrier_failure")}
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    await house.advance(3_600)
    assert {status for status, _, _ in states(house)} == {SubscriberStatus.SENT}
    assert house.rows(Campaign)[0]["status"] == CampaignStatus.END


async def test_the_limit_ends_what_a_carrier_never_places(house: House) -> None:
    """Three attempts do not count, the fourth does: no loop goes on for ever, and the campaign ends."""
    await house.started(house.survey(HELLO), house.phonebook(OUT_OF_ORDER), carrier_maxretry=3, intervalretry=20)
    await house.advance(3_600)
    assert states(house) == [(SubscriberStatus.FAIL, "carrier_failure", 4)]
    assert [row["attempt"] for row in house.rows(CallRequest)] == [1, 2, 3, 4]
    read = partial(read_story, campaign="1", number=OUT_OF_ORDER, now_ms=house.now_ms(), region=None)
    last = house.database.read_now(lambda connection: read(connection, service_zone="UTC")).attempts[-1]
    assert last.then == "not tried again: further attempts that the campaign allows: 3"
    assert house.rows(Campaign)[0]["status"] == CampaignStatus.END


async def test_without_the_setting_such_calls_count_as_before(house: House) -> None:
    await house.started(house.survey(HELLO), house.phonebook(OUT_OF_ORDER), maxretry=1, intervalretry=20)
    await house.advance(3_600)
    assert states(house) == [(SubscriberStatus.FAIL, "carrier_failure", 2)]
