"""Tests of wishes of simulated people: they bind simulated campaigns only, and those of real people bind all."""

from typing import Any, Final

import pytest

from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.campaigns.change import change_campaign
from dialer.app.carriers.gateways import change_gateway
from dialer.app.contacts.do_not_call import delete_dnc_list
from dialer.app.contacts.received_texts import Verdict, look_at
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.plans import SMS, VOICE, GatewayKey
from dialer.domain.sessions.leg_protocol import TextReceived
from dialer.domain.words.enums import AgentDisposition, CampaignStatus
from dialer.store.database.touched import EVERYTHING
from dialer.store.reconciliation.reconcile import audit
from dialer.store.rows.texts.incoming_texts import add_news
from dialer.store.tables import CallRequest, DncContact, DncList, Gateway, SmsMessage, SmsReceived
from tests.runtime.house import AS_REAL, House
from tests.runtime.test_messages import SAYS_STOP

SHORT: Final = {"type": 1, "script": "word", "completed": True}
GOODBYE: Final = {"type": 9, "script": "we will not call again"}
ADA, BEN, CARL = (f"+1202555{number}" for number in (1000, 1001, 1002))


def called(house: House, campaign_id: int) -> list[str]:
    """Return the numbers that a campaign has called or written to, in order."""
    rows = [*house.rows(CallRequest), *house.rows(SmsMessage)]
    return [row["phone_number"] for row in rows if row["campaign_id"] == campaign_id]


def listed(house: House) -> dict[str, set[str]]:
    """Return the numbers on each list, by whose wishes it keeps."""
    lists = {row["id"]: row["keeps_wishes_of"] for row in house.rows(DncList)}
    found: dict[str, set[str]] = {}
    for row in house.rows(DncContact):
        found.setdefault(lists[row["dnc_id"]], set()).add(row["number"])
    return found


def real_gateway(house: House) -> int:
    """Add a gateway to a real carrier, to which all campaigns have a number to show."""
    house.callerid = "+12025550199"
    house.call_at_any_hour()
    return house.add(Gateway, name="trunk", **AS_REAL)


async def calling(house: House, survey: dict[str, Any], *numbers: str, **values: object) -> list[str]:
    """Run a campaign to its end, and return the numbers that it calls."""
    campaign_id = await house.started(house.survey(dict(survey)), house.phonebook(*numbers), **values)
    await house.advance(60)
    assert house.worker.figures().broken == {}
    assert house.database.read_now(audit).differences == []
    return called(house, campaign_id)


def texts(house: House, **gateway: object) -> dict[str, Any]:
    """Add a gateway for text messages, and return the columns of a campaign that writes over it."""
    gateway_id = house.add(Gateway, medium=SMS, name="texts", **gateway)
    message = {"medium": SMS, "sms_gateway_id": gateway_id, "aleg_gateway_id": None}
    return {**message, "text_message": "hello", "object_id": 0}


async def writing(house: House, columns: dict[str, Any], *numbers: str) -> list[str]:
    """Run a campaign of text messages, and return the numbers to which it writes."""
    campaign_id = house.campaign(0, house.phonebook(*numbers), **columns)
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(120)
    return called(house, campaign_id)


@pytest.mark.parametrize("names_a_list", [True, False])
async def test_who_presses_the_key_in_a_simulation_is_called_by_real_campaigns(
    sociable: House, *, names_a_list: bool
) -> None:
    """They are not called by the next simulation, and the list that both campaigns name has nobody."""
    values = {"dnc_id": sociable.dnc_list()} if names_a_list else {}
    assert await calling(sociable, GOODBYE, ADA, BEN, **values) == [ADA, BEN]
    assert listed(sociable) == {"simulated": {ADA, BEN}}
    real = {**values, "aleg_gateway_id": real_gateway(sociable)}
    assert await calling(sociable, SHORT, ADA, BEN, CARL, **real) == [ADA, BEN, CARL]
    assert await calling(sociable, SHORT, ADA, BEN, CARL, **values) == [CARL]


async def test_who_answers_stop_in_a_simulation_is_called_and_written_to_by_real_campaigns(sociable: House) -> None:
    """Their answer to the real message binds everybody."""
    simulated = texts(sociable, parameters='{"sms_delivered": 1}')
    assert await writing(sociable, simulated, SAYS_STOP, BEN) == [SAYS_STOP, BEN]
    assert listed(sociable) == {"simulated": {SAYS_STOP}}
    assert await calling(sociable, SHORT, SAYS_STOP, BEN) == [BEN]
    real = {"aleg_gateway_id": real_gateway(sociable)}
    assert await calling(sociable, SHORT, SAYS_STOP, **real) == [SAYS_STOP]
    real_texts = texts(sociable, protocol="trunk", parameters='{"simulated": {"sms_delivered": 1}}')
    assert await writing(sociable, real_texts, SAYS_STOP, CARL) == [SAYS_STOP, CARL]
    assert listed(sociable) == {"simulated": {SAYS_STOP}, "account": {SAYS_STOP}}
    assert await writing(sociable, simulated, SAYS_STOP, CARL) == [CARL]
    assert await calling(sociable, SHORT, SAYS_STOP, BEN, **real) == [BEN]


async def test_a_wish_of_a_real_person_binds_both(sociable: House) -> None:
    real = {"aleg_gateway_id": real_gateway(sociable)}
    assert await calling(sociable, GOODBYE, ADA, **real) == [ADA]
    assert listed(sociable) == {"account": {ADA}}
    assert await calling(sociable, SHORT, ADA, BEN, **real) == [BEN]
    assert await calling(sociable, SHORT, ADA, BEN) == [BEN]


async def test_a_wish_during_a_call_binds_the_simulation_that_has_claimed_them_only(sociable: House) -> None:
    """The callee asks at 5 s. The other campaigns would dial at 6 s."""
    first = sociable.campaign(sociable.survey(GOODBYE), sociable.phonebook(ADA), frequency=1)
    later = {"startingdate": sociable.now_ms() + 6_000, "frequency": 1}
    second = await sociable.started(sociable.survey(SHORT), sociable.phonebook(ADA), **later)
    later["aleg_gateway_id"] = real_gateway(sociable)
    third = await sociable.started(sociable.survey(SHORT), sociable.phonebook(ADA), **later)
    await sociable.move(first, CampaignStatus.START)
    await sociable.advance(30)
    assert [called(sociable, one) for one in (first, second, third)] == [[ADA], [], [ADA]]
    assert sociable.worker.figures().broken == {}


@pytest.mark.parametrize("is_real", [True, False])
async def test_what_agents_save_follows_the_gateway_of_the_call(sociable: House, *, is_real: bool) -> None:
    named = {"dnc_id": sociable.dnc_list()}
    over = {"aleg_gateway_id": real_gateway(sociable)} if is_real else {}
    assert await calling(sociable, SHORT, ADA, **named, **over) == [ADA]
    sociable.perform(lambda unit: dispose_of_call(unit, 1, Disposed(AgentDisposition.DO_NOT_CALL)))
    assert listed(sociable) == ({"account": {ADA}, "": {ADA}} if is_real else {"simulated": {ADA}})


@pytest.mark.parametrize("was_real", [True, False])
async def test_a_call_stays_what_it_was_when_its_gateway_changes_later(sociable: House, *, was_real: bool) -> None:
    """The agent saves the wish when the gateway is of the other kind."""
    simulated = {name: sociable.rows(Gateway)[0][name] for name in ("protocol", "parameters")}
    before, after = (AS_REAL, simulated) if was_real else (simulated, AS_REAL)
    gateway_id = real_gateway(sociable)
    sociable.change(Gateway, gateway_id, **before)
    assert await calling(sociable, SHORT, ADA, aleg_gateway_id=gateway_id) == [ADA]
    sociable.perform(lambda unit: change_gateway(unit, GatewayKey(VOICE, gateway_id), after))
    assert [row["is_simulated"] for row in sociable.rows(CallRequest)] == [not was_real]
    sociable.perform(lambda unit: dispose_of_call(unit, 1, Disposed(AgentDisposition.DO_NOT_CALL)))
    assert listed(sociable) == ({"account": {ADA}} if was_real else {"simulated": {ADA}})


@pytest.mark.parametrize(("was_real", "becomes_real"), [(True, False), (False, True), (False, False)])
@pytest.mark.parametrize("said", ["STOP", "Is this spam?"])
async def test_a_text_is_of_a_simulated_person_only_if_the_gateway_was_and_is_simulated(
    sociable: House, said: str, *, was_real: bool, becomes_real: bool
) -> None:
    """A carrier tells what real people say, also of a number to which a simulation wrote. In doubt they are held."""
    real, simulated = {"protocol": "trunk", "parameters": "{}"}, {"protocol": "sim", "parameters": "{}"}
    real["parameters"] = '{"simulated": {"sms_delivered": 1}}'
    before, after = (real if is_real else simulated for is_real in (was_real, becomes_real))
    is_simulated = not (was_real or becomes_real)
    sociable.callerid = "+12025550199"
    sociable.call_at_any_hour()
    columns = texts(sociable, **before)
    named = {"dnc_id": sociable.dnc_list()}
    assert await writing(sociable, {**columns, **named}, ADA) == [ADA]
    key = GatewayKey(SMS, columns["sms_gateway_id"])
    sociable.perform(lambda unit: change_gateway(unit, key, after))

    def arrive(unit: UnitOfWork) -> None:
        add_news(unit.connection, key, "", TextReceived(ADA, "", said), unit.now_ms)
        unit.note(EVERYTHING)

    sociable.perform(arrive)
    await sociable.advance(5)
    bound = {"account": {ADA}, "": {ADA}} if said == "STOP" else {"held": {ADA}}
    assert listed(sociable) == ({"simulated": {ADA}} if is_simulated else bound)
    (text,) = sociable.rows(SmsReceived)
    assert (text["is_simulated"], text["needs_person"]) == (is_simulated, said != "STOP")
    sociable.perform(lambda unit: look_at(unit, text["id"], Verdict.NOTHING, sociable.user_id))
    assert (listed(sociable) == {}) is (said != "STOP")
    assert [row["needs_person"] for row in sociable.rows(SmsReceived)] == [False]


async def test_a_verdict_about_a_text_of_a_simulated_person_binds_simulations_only(sociable: House) -> None:
    """Their wish was deleted, and a user who looks at the text again decides that it was one."""
    await writing(sociable, texts(sociable, parameters='{"sms_delivered": 1}'), SAYS_STOP)
    (list_id,) = (row["id"] for row in sociable.rows(DncList))
    sociable.perform(lambda unit: delete_dnc_list(unit, list_id))
    (text,) = sociable.rows(SmsReceived)
    sociable.perform(lambda unit: look_at(unit, text["id"], Verdict.DO_NOT_CALL, sociable.user_id))
    assert listed(sociable) == {"simulated": {SAYS_STOP}}


async def test_a_campaign_that_becomes_real_obeys_real_lists_only(sociable: House) -> None:
    """Two people are left to call when it does: the simulated one who asked, and the real one."""
    await calling(sociable, GOODBYE, ADA)
    real = {"aleg_gateway_id": real_gateway(sociable)}
    await calling(sociable, GOODBYE, BEN, **real)
    campaign_id = sociable.campaign(sociable.survey(SHORT), sociable.phonebook(ADA, BEN))
    sociable.perform(lambda unit: change_campaign(unit, campaign_id, real))
    await sociable.move(campaign_id, CampaignStatus.START)
    await sociable.advance(60)
    assert called(sociable, campaign_id) == [ADA]


@pytest.mark.parametrize("becomes_real", [True, False])
async def test_a_gateway_that_changes_its_protocol_changes_the_lists_of_its_campaigns(
    sociable: House, *, becomes_real: bool
) -> None:
    """The campaign has claimed its people, and dials once in 10 s. The second one has asked in a simulation."""
    await calling(sociable, GOODBYE, BEN)
    simulated = {name: sociable.rows(Gateway)[0][name] for name in ("protocol", "parameters")}
    before, after = (simulated, AS_REAL) if becomes_real else (AS_REAL, simulated)
    gateway_id = real_gateway(sociable)
    sociable.change(Gateway, gateway_id, **before)
    slow = {"aleg_gateway_id": gateway_id, "frequency": 6}
    campaign_id = await sociable.started(sociable.survey(SHORT), sociable.phonebook(ADA, CARL, BEN), **slow)
    await sociable.advance(15)
    sociable.perform(lambda unit: change_gateway(unit, GatewayKey(VOICE, gateway_id), after))
    await sociable.advance(60)
    assert called(sociable, campaign_id) == ([ADA, CARL, BEN] if becomes_real else [ADA, CARL])
    assert sociable.worker.figures().broken == {}


async def test_deleting_the_list_lets_simulations_call_everybody_again(sociable: House) -> None:
    """One campaign has claimed the person by then."""
    await calling(sociable, GOODBYE, ADA)
    later = {"startingdate": sociable.now_ms() + 6_000}
    campaign_id = await sociable.started(sociable.survey(SHORT), sociable.phonebook(ADA), **later)
    (list_id,) = (row["id"] for row in sociable.rows(DncList))
    sociable.perform(lambda unit: delete_dnc_list(unit, list_id))
    await sociable.advance(60)
    assert called(sociable, campaign_id) == [ADA]
    assert (sociable.rows(DncList), sociable.rows(DncContact)) == ([], [])
