"""Tests of calls that come in over a line, from subscribers and from strangers."""

from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from dialer.app.call_centre.dispositions import Disposed, dispose_of_call, disposition_of
from dialer.app.campaigns.call_again import copy_chunk, link
from dialer.app.erasure.erasure import erase_ended, erase_number
from dialer.app.work.errors import RefusedError
from dialer.domain.engine import inbound
from dialer.domain.rules.call_again import AgainOutcome
from dialer.domain.sessions.leg_protocol import Ended
from dialer.domain.words.enums import AgentDisposition, CallRequestStatus, CampaignStatus, Cause, SubscriberStatus
from dialer.forecast.forecast import forecast_campaign
from dialer.forecast.parameters import Order
from dialer.store.rows.live_legs import leg_keys
from dialer.store.tables import (
    CallRequest,
    Campaign,
    Cdr,
    Did,
    DncContact,
    Gateway,
    LiveLeg,
    Subscriber,
    SurveyResult,
    User,
)
from dialer.store.timeline.reading import read_story
from tests.runtime.line_house import LineHouse
from tests.vopr.faults import Fault

pytestmark = pytest.mark.usefixtures("quiet")
DID: Final = "+12025550199"
ADA: Final = "+12025550101"
"""Presses 1 two seconds after each question."""
ZOE: Final = "+12025550999"
"""Is in no phonebook, and presses 1, too."""
KEY: Final = "6f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11"
BEHAVIOUR: Final[dict[str, object]] = {"numbers": {ZOE: {"keys": ["1", "1", "1"]}}}


@pytest.fixture
def house(tmp_path: Path) -> LineHouse:
    return LineHouse(tmp_path, behaviour=BEHAVIOUR)


async def answering(house: LineHouse, *sections: dict[str, Any], **values: object) -> int:
    """Start a campaign that dials nobody, and answers the DID with a question."""
    asking = {"type": 2, "audiofile_id": house.recording(2_000), "key_1": "yes", "completed": True, "timeout": 5}
    survey_id = house.survey(*(sections or (asking,)))
    campaign_id = await house.started(survey_id, house.phonebook(ADA), **{"frequency": 1, **values})
    await house.move(campaign_id, CampaignStatus.PAUSE)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number="+1 (202) 555-0199", campaign_id=campaign_id)
    return campaign_id


def came_in(house: LineHouse) -> list[tuple[Any, ...]]:
    """Return caller, subscriber, cause and whether it was answered of each CDR of a call that came in."""
    rows = [row for row in house.rows(Cdr) if row["attempt"] < 0]
    return [(row["callerid"], row["subscriber_id"], row["hangup_cause_q850"], row["billsec"] > 0) for row in rows]


def cause_of(house: LineHouse, key: str) -> Cause:
    """Return the cause that the caller was told."""
    ended = house.side.last[key][1]
    assert isinstance(ended, Ended)
    return ended.cause


async def test_a_stranger_hears_the_survey(house: LineHouse) -> None:
    campaign_id = await answering(house)
    before = house.row(User, house.user_id)["balance"]
    key = house.side.call_in(ZOE, DID)
    await house.pass_s(60)
    request = house.rows(CallRequest)[-1]
    names = ("callid", "campaign_id", "subscriber_id", "contact_id", "phone_number", "callerid", "status", "gateway_id")
    assert [request[name] for name in names] == [
        key,
        campaign_id,
        None,
        None,
        DID,
        ZOE,
        CallRequestStatus.SUCCESS,
        house.gateway_id,
    ]
    assert came_in(house) == [(ZOE, 0, 16, True)]
    answer = house.rows(SurveyResult)[-1]
    assert (answer["callid"], answer["response"]) == (key, "yes")
    assert house.row(User, house.user_id)["balance"] == before
    assert len(house.rows(Subscriber)) == 1
    assert (house.findings(), house.rows(LiveLeg)) == ([], [])


async def test_a_subscriber_who_calls_in_is_recognised_each_time(house: LineHouse) -> None:
    """The carrier leaves the plus out, in both numbers."""
    house.change(Gateway, house.gateway_id, removeprefix="+")
    await answering(house)
    for _ in range(2):
        house.side.call_in(ADA[1:], DID[1:])
        await house.pass_s(60)
    assert came_in(house) == [(ADA, 1, 16, True)] * 2
    assert [row["attempt"] for row in house.rows(CallRequest)] == [-1, -2]
    (ada,) = house.rows(Subscriber)
    assert (ada["status"], ada["count_attempt"]) == (SubscriberStatus.COMPLETED, 0)
    assert house.findings() == []


async def test_a_subscriber_who_completes_by_calling_in_first_is_not_called_and_stops_nobody_else(
    house: LineHouse,
) -> None:
    survey_id = house.survey({"type": 2, "audiofile_id": house.recording(2_000), "key_1": "yes", "completed": True})
    people = [f"+120255501{place:02}" for place in range(1, 6)]
    campaign_id = await house.started(survey_id, house.phonebook(*people), frequency=1)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number=DID, campaign_id=campaign_id)
    await house.pass_s(70)
    house.side.call_in(people[3], DID)
    await house.pass_s(400)
    assert [row["count_attempt"] for row in house.rows(Subscriber)] == [1, 1, 1, 0, 1]
    assert {row["status"] for row in house.rows(Subscriber)} == {SubscriberStatus.COMPLETED}
    assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.END
    assert house.findings() == []


@pytest.mark.parametrize("is_started", [True, False])
async def test_whoever_completes_by_calling_in_is_not_called_again_in_another_campaign(
    house: LineHouse, *, is_started: bool
) -> None:
    survey_id = house.survey({"type": 2, "audiofile_id": house.recording(2_000), "key_1": "yes", "completed": True})
    people = [f"+120255501{place:02}" for place in range(1, 6)]
    source_id = await house.started(survey_id, house.phonebook(*people), frequency=1)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number=DID, campaign_id=source_id)
    await house.pass_s(5)
    await house.move(source_id, CampaignStatus.END)
    again_id = house.campaign(survey_id, frequency=1)
    house.perform(lambda unit: link(unit, again_id, source_id, [AgainOutcome.NOT_CALLED], late_contacts=False))
    while house.perform(lambda unit: copy_chunk(unit, again_id)):
        """The next slice."""
    if is_started:
        await house.move(again_id, CampaignStatus.START)
        await house.pass_s(70)
    house.side.call_in(people[3], DID)
    await house.pass_s(40)
    if not is_started:
        await house.move(again_id, CampaignStatus.START)
    await house.pass_s(600)
    called = {row["number"]: (row["status"], row["count_attempt"]) for row in house.rows(Subscriber)[5:]}
    completed = SubscriberStatus.COMPLETED
    assert called == dict(
        zip(people[1:], [(completed, 1), (completed, 1), (completed, 0), (completed, 1)], strict=True)
    )
    campaign = house.row(Campaign, again_id)
    assert (campaign["status"], campaign["completed"]) == (CampaignStatus.END, 4)
    assert house.findings() == []


@pytest.mark.parametrize("caller", ["", "anonymous", "x" * 64, "+12"])
async def test_a_caller_without_a_number_is_a_stranger(house: LineHouse, caller: str) -> None:
    """Their wish not to be called again is heard, but puts nothing on the list."""
    wish = {"type": 7, "audiofile_id": house.recording(1_000)}
    await answering(house, wish)
    house.side.call_in(caller, DID)
    await house.pass_s(60)
    assert came_in(house)[0][:3] == ("", 0, 16)
    assert "" not in {row["number"] for row in house.rows(DncContact)}
    assert house.findings() == []


async def test_a_call_that_nobody_answers_is_turned_away_with_a_cause(house: LineHouse) -> None:
    """No DID has the number; the DID's campaign was aborted; all channels are taken."""
    campaign_id = await answering(house)
    unknown = house.side.call_in(ZOE, "+12025550777")
    malformed = house.side.call_in(ZOE, "nobody")
    house.change(Gateway, house.gateway_id, max_channels=1)
    first, second = house.side.call_in(ZOE, DID), house.side.call_in(ADA, DID)
    await house.pass_s(1)
    await house.move(campaign_id, CampaignStatus.ABORT)
    await house.pass_s(1)
    aborted = house.side.call_in(ZOE, DID)
    await house.pass_s(60)
    told = [cause_of(house, one) for one in (unknown, malformed, first, second, aborted)]
    assert told == [1, 1, 16, 34, 1]
    assert sorted(came_in(house)) == [(ADA, 1, 34, False), (ZOE, 0, 1, False), (ZOE, 0, 16, True)]
    assert house.findings() == []


@pytest.mark.parametrize("limit", ["CALLS_OF_DID_MAX", "CALLS_OF_ACCOUNT_MAX"])
async def test_too_many_calls_to_a_number_are_busy_until_others_end(
    house: LineHouse, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """Calls that are taken up after a crash count, too."""
    await answering(house)
    monkeypatch.setattr(inbound, limit, 2)
    first = [house.side.call_in(f"+1202555{place:04}", DID) for place in range(3)]
    await house.pass_s(1)
    await house.crash(Fault.CRASH_AFTER)
    house.side.speak()
    crashed = house.side.call_in(ZOE, DID)
    await house.pass_s(60)
    last = house.side.call_in(ZOE, DID)
    await house.pass_s(60)
    assert sorted(cause_of(house, key) for key in first) == [16, 16, 17]
    assert [cause_of(house, key) for key in (crashed, last)] == [17, 16]


async def test_a_caller_who_gives_up_before_the_answer_leaves_one_record(house: LineHouse) -> None:
    await answering(house)
    house.side.call_in(ZOE, DID, patience_s=0)
    await house.pass_s(5)
    assert came_in(house) == [(ZOE, 0, 16, False)]
    assert (house.findings(), house.rows(LiveLeg)) == ([], [])


@pytest.mark.parametrize("repeats_before_the_end", [True, False])
async def test_a_repeated_arrival_is_the_same_call(house: LineHouse, *, repeats_before_the_end: bool) -> None:
    await answering(house)
    key = house.side.call_in(ZOE, DID)
    await house.pass_s(1 if repeats_before_the_end else 60)
    if not repeats_before_the_end:
        house.side.call_in(ZOE, DID, key=key)
    else:
        house.side.lines[-1].hear(key, house.side.arrival(ZOE, DID, key))
    await house.pass_s(60)
    assert came_in(house) == [(ZOE, 0, 16, True)]
    assert (house.findings(), house.side.phones) == ([], {})


async def test_a_call_that_is_told_again_in_the_step_of_its_end_is_the_same_call(house: LineHouse) -> None:
    await answering(house)
    line, arrived = house.side.lines[-1], house.side.arrival(ZOE, DID, KEY)
    for heard in (arrived, Ended(0, Cause.NORMAL_CLEARING), arrived, arrived):
        line.hear(KEY, heard)
    await house.pass_s(1)
    assert came_in(house) == [(ZOE, 0, 16, False)]
    assert (house.findings(), house.rows(LiveLeg)) == ([], [])


@pytest.mark.parametrize(
    ("faults", "outcome"),
    [
        ((Fault.CRASH_BEFORE,), (16, True)),
        ((None, Fault.CRASH_BEFORE), (41, False)),
        ((None, Fault.CRASH_AFTER), (16, True)),
    ],
)
async def test_a_crash_at_any_point_leaves_one_call(
    house: LineHouse, faults: tuple[Fault | None, ...], outcome: tuple[int, bool]
) -> None:
    """The process ends before the commit, before the mark, and after it."""
    await answering(house)
    key = house.side.call_in(ZOE, DID, patience_s=30)
    house.side.speak()
    await house.crash(*faults)
    await house.pass_s(0)
    if faults[0] is not None:
        house.side.lines[-1].hear(key, house.side.arrival(ZOE, DID, key))
    await house.pass_s(90)
    assert came_in(house) == [(ZOE, 0, *outcome)]
    assert (house.findings(), house.rows(LiveLeg), house.side.phones) == ([], [], {})


async def test_a_call_goes_on_after_a_restart(house: LineHouse) -> None:
    await answering(house)
    house.side.call_in(ZOE, DID)
    await house.pass_s(1)
    house.restart()
    await house.pass_s(60)
    assert came_in(house) == [(ZOE, 0, 16, True)]
    assert house.rows(SurveyResult)[-1]["response"] == "yes"
    assert house.findings() == []


async def test_the_history_of_a_number_shows_the_calls_from_it(house: LineHouse) -> None:
    campaign_id = await answering(house)
    key = house.side.call_in(ZOE, DID)
    await house.pass_s(60)
    read = partial(read_story, campaign=str(campaign_id), number=ZOE, now_ms=house.now_ms(), region=None)
    story = house.database.read_now(partial(read, service_zone="UTC"))
    (call,) = story.attempts
    assert (story.subscriber, call.dialled_number, call.callerid) == (None, DID, ZOE)
    assert [one.response for one in call.answers] == ["yes"]
    assert house.database.read_now(lambda connection: leg_keys(connection, campaign_id, ZOE)) == [key]


async def test_a_forecast_goes_on_with_the_calls_in_progress(house: LineHouse) -> None:
    campaign_id = await answering(house, {"type": 1, "audiofile_id": house.recording(30_000)})
    for caller in (ZOE, "", ADA):
        house.side.call_in(caller, DID)
    await house.pass_s(2)
    await house.move(campaign_id, CampaignStatus.START)
    assert [row["ended_ms"] for row in house.rows(CallRequest)] == [None] * 4
    forecast = await forecast_campaign(house.database, Order(campaign_id, house.now_ms(), "UTC", 1))
    assert forecast.seeds == 1


@pytest.mark.parametrize("by_number", [True, False])
async def test_a_stranger_is_erased_by_number_or_with_the_campaign(house: LineHouse, *, by_number: bool) -> None:
    campaign_id = await answering(house, {"type": 5, "audiofile_id": house.recording(1_000)})
    house.side.call_in(ZOE, DID)
    await house.pass_s(120)
    await house.move(campaign_id, CampaignStatus.END)
    deleted: list[str] = []
    if by_number:
        erase_number(house.database, ZOE, deleted.append, house.now_ms())
    else:
        erase_ended(house.database, house.now_ms() + 1, deleted.append, house.now_ms())
    request, cdr, answer = house.rows(CallRequest)[-1], house.rows(Cdr)[-1], house.rows(SurveyResult)[-1]
    assert (request["callerid"], cdr["callerid"], answer["response"]) == ("erased", "erased", "erased")
    assert len(deleted) == 1


async def test_an_agent_says_what_came_of_a_call_from_a_stranger(house: LineHouse) -> None:
    campaign_id = await answering(house, dnc_id=house.dnc_list())
    house.side.call_in(ZOE, DID)
    await house.pass_s(60)
    call = house.rows(CallRequest)[-1]["id"]
    later = Disposed(AgentDisposition.CALL_BACK, "", house.now_ms() + 3_600_000)
    with pytest.raises(RefusedError, match="in no phonebook of the campaign"):
        house.perform(lambda unit: dispose_of_call(unit, call, later))
    stop = Disposed(AgentDisposition.DO_NOT_CALL, "Never again.")
    house.perform(lambda unit: dispose_of_call(unit, call, stop))
    assert house.perform(lambda unit: disposition_of(unit.connection, call)) == stop
    entry, _of_account = house.rows(DncContact)
    assert (entry["dnc_id"], entry["number"]) == (house.row(Campaign, campaign_id)["dnc_id"], ZOE)
