"""Tests of manual dialling: an agent calls people of their own choice, and no rule of a dial is left out."""

import json
from functools import partial
from typing import Any, Final

import pytest

from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.call_centre.chosen_people import (
    AlreadyReachedError,
    Chosen,
    LastReached,
    ManualCampaign,
    Rules,
    dial_chosen,
    manual_campaigns,
)
from dialer.app.call_centre.consultations import change_consultation, consult
from dialer.app.call_centre.live_calls import TransferTarget
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.words.enums import AgentStatus, CampaignStatus, ConsultationMode, DialMethod, SubscriberStatus
from dialer.store.tables import (
    Agent,
    CallRequest,
    Campaign,
    Contact,
    Gateway,
    Queue,
    SealedSurvey,
    Subscriber,
    Transfer,
    User,
)
from tests.runtime.house import House
from tests.runtime.test_previews import ADA, BEA, calls, is_sound, number_seen, previewing

ELSE: Final = "+12025550179"
RULES: Final = Rules("UTC", CallingHours(), "US")


async def manual(house: House, **values: Any) -> int:  # noqa: ANN401 - columns of the campaign
    """Start a campaign within whose rules agents dial numbers, and return the agent, who sees Ada."""
    (agent_id,) = await previewing(house, ADA, BEA, manual_dialling=True, **values)
    await house.advance(1)
    return agent_id


def dial(house: House, agent_id: int, number: str = "", contact_id: int | None = None, *, again: bool = False) -> int:
    (campaign,) = house.rows(Campaign)
    chosen = Chosen(campaign["id"], number, contact_id, again)
    return house.perform(lambda unit: dial_chosen(unit, agent_id, chosen, RULES))


async def test_a_number_becomes_a_subscriber_is_called_and_talks_with_the_agent(house: House) -> None:
    """The person whom the agent saw before waits, and is seen again after the call."""
    agent_id = await manual(house)
    assert number_seen(house, agent_id) == ADA
    subscriber_id = dial(house, agent_id, "(202) 555-0179")
    await house.advance(20)
    (transfer,), (campaign,) = house.rows(Transfer), house.rows(Campaign)
    assert (calls(house), transfer["agent_id"], campaign["totalcontact"]) == ([(ELSE, 1)], agent_id, 3)
    with pytest.raises(RefusedError, match="The agent is in a call already"):
        dial(house, agent_id, ELSE)
    await house.advance(30)
    assert house.row(Subscriber, subscriber_id)["status"] == SubscriberStatus.SENT
    assert (number_seen(house, agent_id), is_sound(house)) == (ADA, True)
    assert dial(house, agent_id, ELSE) == subscriber_id
    await house.advance(60)
    assert ([number for number, _ in calls(house)], is_sound(house)) == ([ELSE, ELSE], True)


async def test_an_agent_whom_another_one_consults_calls_nobody(house: House) -> None:
    first, second = await previewing(house, ADA, agents=2, manual_dialling=True)
    await house.advance(1)
    dial(house, first, ADA)
    await house.advance(15)
    (call,) = house.rows(CallRequest)
    house.perform(partial(consult, callrequest_id=call["id"], to=TransferTarget(agent_id=second)))
    for seconds in (1, 5):
        await house.advance(seconds)
        with pytest.raises(RefusedError, match="The agent is in a call already"):
            dial(house, second, ELSE)
    house.perform(partial(change_consultation, callrequest_id=call["id"], mode=ConsultationMode.END))
    await house.advance(1)
    dial(house, second, ELSE)
    await house.advance(60)
    assert ([number for number, _ in calls(house)], is_sound(house)) == ([ADA, ELSE], True)


async def test_a_contact_takes_their_columns_along(house: House) -> None:
    agent_id = await manual(house)
    other = house.phonebook()
    contact_id = house.contact(other, ELSE, full_name="Zoe", additional_vars='{"seat": "3C"}')
    row = house.row(Subscriber, dial(house, agent_id, contact_id=contact_id))
    assert [row[name] for name in ("contact_id", "phonebook_id", "full_name", "additional_vars")] == [
        contact_id,
        other,
        "Zoe",
        '{"seat": "3C"}',
    ]
    await house.advance(60)
    assert (calls(house), len(house.rows(Contact))) == ([(ELSE, 1)], 3)


async def test_an_order_outlives_the_process_and_is_obeyed_once(house: House) -> None:
    agent_id = await manual(house)
    dial(house, agent_id, BEA)
    house.restart()
    await house.advance(2)
    house.restart()
    await house.advance(100)
    assert ([number for number, _ in calls(house)], is_sound(house)) == ([BEA], True)
    assert house.rows(Transfer)[0]["agent_id"] == agent_id


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("lacks_channel", [False, True])
async def test_a_person_waits_for_a_place_and_is_called_then(
    house: House, *, lacks_channel: bool, restarts: bool
) -> None:
    """The agent who has chosen the person waits, too, and is sent on no break."""
    max_aleg = 0 if lacks_channel else 1
    first, second = await previewing(house, ADA, agents=2, manual_dialling=True, max_aleg=max_aleg)
    if lacks_channel:
        house.change(Gateway, house.gateway_id, max_channels=1)
    await house.advance(1)
    dial(house, first, ADA)
    await house.advance(1)
    dial(house, second, ELSE)
    for _ in range(3):
        if restarts:
            house.restart()
        await house.advance(1)
    assert [number for number, _ in calls(house)] == [ADA]
    await house.advance(60)
    assert [number for number, _ in calls(house)] == [ADA, ELSE]
    assert [row["agent_id"] for row in house.rows(Transfer)] == [first, second]
    assert ([row["status"] for row in house.rows(Agent)], is_sound(house)) == ([AgentStatus.AVAILABLE] * 2, True)


@pytest.mark.parametrize(
    ("number", "values", "why"),
    [
        ("+1911", {}, "An emergency number is never dialled"),
        (ELSE, {"daily_start_time": "20:00:00", "daily_stop_time": "21:00:00"}, "calling hours are closed"),
        (ELSE, {"startingdate": 4_000_000_000_000, "expirationdate": 4_100_000_000_000}, "starting date has not come"),
    ],
)
async def test_a_person_who_may_not_be_called_is_refused(
    house: House, number: str, values: dict[str, Any], why: str
) -> None:
    agent_id = await manual(house, **values)
    with pytest.raises(RefusedError, match=why):
        dial(house, agent_id, number)
    await house.advance(60)
    assert (calls(house), len(house.rows(Subscriber))) == ([], 2)


async def test_lists_money_destinations_and_pauses_refuse(house: House) -> None:
    dnc_id = house.dnc_list(ELSE)
    agent_id = await manual(house, dnc_id=dnc_id)
    with pytest.raises(RefusedError, match="the number is on a do-not-call list"):
        dial(house, agent_id, ELSE)
    house.change(User, house.user_id, allowed_countries="DE")
    with pytest.raises(RefusedError, match="the account may not call such numbers"):
        dial(house, agent_id, BEA)
    house.change(User, house.user_id, allowed_countries="")
    house.pay(-house.row(User, house.user_id)["balance"])
    with pytest.raises(RefusedError, match="balance cannot pay"):
        dial(house, agent_id, BEA)
    house.pay(10**9)
    (campaign,) = house.rows(Campaign)
    await house.move(campaign["id"], CampaignStatus.PAUSE)
    with pytest.raises(RefusedError, match="the campaign is paused"):
        dial(house, agent_id, BEA)
    assert calls(house) == []


async def test_nobody_waits_for_a_channel_without_money_for_the_call(house: House) -> None:
    first, second = await previewing(house, ADA, agents=2, manual_dialling=True)
    house.change(Gateway, house.gateway_id, max_channels=1)
    await house.advance(1)
    dial(house, first, ADA)
    await house.advance(1)
    account = house.row(User, house.user_id)
    house.pay(account["held"] - account["balance"])
    with pytest.raises(RefusedError, match="hold the owner's balance"):
        dial(house, second, ELSE)


async def test_only_free_agents_of_campaigns_that_allow_it_dial(house: House) -> None:
    agent_id = await manual(house)
    (campaign,) = house.rows(Campaign)
    stranger = house.agent()

    def offered(one: int) -> list[ManualCampaign]:
        return house.database.read_now(lambda connection: manual_campaigns(connection, one))

    assert (offered(agent_id), offered(stranger)) == ([ManualCampaign(campaign["id"], campaign["name"])], [])
    with pytest.raises(InvalidFieldsError, match="serves no queue"):
        dial(house, stranger, ELSE)
    with pytest.raises(InvalidFieldsError, match="no such contact"):
        dial(house, agent_id, contact_id=999)
    with pytest.raises(InvalidFieldsError, match="number"):
        dial(house, agent_id, "hello")
    house.perform(lambda unit: change_agent(unit, agent_id, {"status": AgentStatus.ON_BREAK}))
    with pytest.raises(RefusedError, match="on a break"):
        dial(house, agent_id, ELSE)
    house.perform(lambda unit: change_agent(unit, agent_id, {"status": AgentStatus.AVAILABLE}))
    for changed in ({"manual_dialling": False}, {"dial_method": DialMethod.PROGRESSIVE, "manual_dialling": True}):
        house.change(Campaign, campaign["id"], **changed)
        with pytest.raises(InvalidFieldsError, match="does not let agents dial"):
            dial(house, agent_id, ELSE)
    assert (offered(agent_id), house.row(Agent, agent_id)["preview_order"]) == ([], "")


async def test_somebody_in_a_call_or_paused_is_refused(house: House) -> None:
    agent_id = await manual(house)
    ada = house.rows(Subscriber)[0]
    for status, why in ((SubscriberStatus.IN_PROCESS, "in a call"), (SubscriberStatus.PAUSE, "not to be called")):
        house.change(Subscriber, ada["id"], status=status)
        with pytest.raises(RefusedError, match=why):
            dial(house, agent_id, ADA)


async def test_somebody_who_has_completed_the_survey_is_called_again_only_if_that_is_meant(house: House) -> None:
    agent_id = await manual(house)
    subscriber_id = dial(house, agent_id, ELSE)
    await house.advance(60)
    house.change(Subscriber, subscriber_id, status=SubscriberStatus.COMPLETED)
    house.change(Campaign, 1, completed=1)
    (request,) = house.rows(CallRequest)
    with pytest.raises(AlreadyReachedError, match=r"\+12025550179 has completed the survey, and was last") as caught:
        dial(house, agent_id, ELSE)
    (agent,) = house.rows(Agent)
    assert caught.value.reached == LastReached(request["started_ms"], agent["name"])
    assert house.row(Subscriber, subscriber_id)["status"] == SubscriberStatus.COMPLETED
    assert house.row(Campaign, 1)["completed"] == 1
    assert dial(house, agent_id, ELSE, again=True) == subscriber_id
    assert house.row(Campaign, 1)["completed"] == 0
    await house.advance(60)
    assert ([number for number, _ in calls(house)], is_sound(house)) == ([ELSE, ELSE], True)


async def test_somebody_whose_calls_are_removed_is_asked_for_too(house: House) -> None:
    agent_id = await manual(house)
    ada = house.rows(Subscriber)[0]
    house.change(Subscriber, ada["id"], status=SubscriberStatus.COMPLETED)
    with pytest.raises(AlreadyReachedError, match=r"has completed the survey\. To call them again") as caught:
        dial(house, agent_id, ADA)
    assert caught.value.reached == LastReached(None)


async def test_another_account_is_out_of_reach(house: House) -> None:
    agent_id = await manual(house)
    (campaign,) = house.rows(Campaign)
    other = house.add(User, username="eve", password_hash="-")
    house.change(Campaign, campaign["id"], user_id=other)
    with pytest.raises(InvalidFieldsError, match="serves no queue"):
        dial(house, agent_id, ELSE)


async def test_an_agent_calls_only_people_whose_skills_they_have_or_to_whom_they_have_promised(house: House) -> None:
    agent_id, (queue,) = await manual(house), house.rows(Queue)
    house.change(Queue, queue["id"], skill_field="language")
    (bea,) = [row["id"] for row in house.rows(Subscriber) if row["number"] == BEA]
    house.change(Subscriber, bea, additional_vars='{"language": "Spanish, Loans"}')
    house.change(Agent, agent_id, skills="loans")
    with pytest.raises(RefusedError, match="The person needs an agent with these skills: spanish"):
        dial(house, agent_id, BEA)
    house.change(Subscriber, bea, promised_agent_id=agent_id)
    assert dial(house, agent_id, BEA) == bea


async def test_only_the_queues_that_the_agent_serves_say_which_skills_a_person_needs(house: House) -> None:
    agent_id, (queue,), (survey,) = await manual(house), house.rows(Queue), house.rows(SealedSurvey)
    house.change(Queue, queue["id"], skill_field="language")
    (bea,) = [row["id"] for row in house.rows(Subscriber) if row["number"] == BEA]
    house.change(Subscriber, bea, additional_vars='{"language": "Spanish"}')
    document = json.loads(survey["document"])
    (section,) = [one for one in document["sections"] if one.get("queue_id")]
    document["sections"].append({**section, "id": 99, "queue_id": house.queue(house.agent())})
    house.change(SealedSurvey, survey["id"], document=json.dumps(document))
    with pytest.raises(RefusedError, match="The person needs an agent with these skills: spanish"):
        dial(house, agent_id, BEA)
