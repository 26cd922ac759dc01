"""Tests that numbers without a country are those of the account's country: of transfers, desks, texts and DIDs."""

from functools import partial
from pathlib import Path

import msgspec
import pytest

from dialer.app.accounts.users import change_default_region
from dialer.app.call_centre.live_calls import TransferTarget, transfer_call
from dialer.app.work.errors import InvalidFieldsError
from dialer.domain.words.enums import CampaignStatus
from dialer.store.tables import CallerId, CallerIdGroup, CallRequest, Cdr, Did, Gateway, ServiceState, Transfer, User
from tests.runtime.house import House
from tests.runtime.line_house import LineHouse
from tests.runtime.test_desk_transfers import talking
from tests.runtime.test_transfers import BEHAVIOUR, SECTION, transferring

BERLIN = "+49302300074"
ZOE = "+12025550999"


async def transferred_to(house: House, **section: object) -> list[tuple[str, str]]:
    """Return the number and the reason of each transfer of a campaign with one section."""
    await transferring(house, SECTION | section)
    await house.advance(90)
    return [(row["phone_number"], row["reason"]) for row in house.rows(Transfer)]


@pytest.mark.parametrize("written", ["030 2300074", "(030) 230-0074", "0049 30 2300074", "+49302300074"])
async def test_a_section_transfers_within_the_country_of_the_account(house: House, written: str) -> None:
    house.change(User, house.user_id, default_region="DE")
    assert await transferred_to(house, phonenumber=written) == [(BERLIN, "")]


async def test_the_country_of_the_service_is_that_of_accounts_without_one(house: House) -> None:
    await house.advance(1)
    house.change(ServiceState, 1, default_region="DE")
    house.restart()
    assert await transferred_to(house, phonenumber="030 2300074") == [(BERLIN, "")]


@pytest.mark.parametrize("target", ["1001", "55501"])
async def test_an_extension_stays_one(house: House, target: str) -> None:
    house.change(User, house.user_id, default_region="US")
    assert await transferred_to(house, phonenumber=target) == [(target, "")]


async def test_a_transfer_outside_of_the_allowed_countries_is_refused_in_any_spelling(house: House) -> None:
    house.change(User, house.user_id, default_region="DE", allowed_countries="FR")
    house.restart()
    assert await transferred_to(house, phonenumber="030 2300074") == [(BERLIN, "destination")]


async def test_the_desk_transfers_within_the_country_of_the_account(house: House) -> None:
    house.change(User, house.user_id, default_region="DE")
    await talking(house)
    (call,) = house.rows(CallRequest)
    order = partial(transfer_call, callrequest_id=call["id"], to=TransferTarget("030 2300074"))
    house.perform(order)
    await house.advance(60)
    assert [row["phone_number"] for row in house.rows(Transfer)][1:] == [BERLIN]


async def test_the_desk_may_not_leave_the_allowed_countries(house: House) -> None:
    house.change(User, house.user_id, default_region="DE", allowed_countries="FR")
    await talking(house)
    (call,) = house.rows(CallRequest)
    with pytest.raises(InvalidFieldsError):
        house.perform(partial(transfer_call, callrequest_id=call["id"], to=TransferTarget("030 2300074")))


@pytest.mark.parametrize("written", ["030 2300074", "+49 30 2300074"])
async def test_a_did_is_reached_as_it_is_written_and_with_its_country(tmp_path: Path, written: str) -> None:
    house = LineHouse(tmp_path, behaviour={"numbers": {ZOE: {"keys": ["1"]}}})
    house.change(User, house.user_id, default_region="DE")
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(2_000), "completed": True})
    campaign_id = await house.started(survey_id, house.phonebook("+12025550101"), frequency=1)
    await house.move(campaign_id, CampaignStatus.PAUSE)
    did = {"user_id": house.user_id, "is_assigned": True, "campaign_id": campaign_id}
    did_id = house.add(Did, did_number=written, **did)
    house.restart()
    spellings = {written, BERLIN, BERLIN.removeprefix("+")}
    for called in sorted(spellings):
        house.side.call_in(ZOE, called)
        await house.pass_s(30)
    answered = [row["billsec"] > 0 for row in house.rows(Cdr) if row["attempt"] < 0]
    assert (answered, did_id) == ([True] * len(spellings), 1)


async def test_another_country_of_the_account_reaches_its_dids_at_once(tmp_path: Path) -> None:
    house = LineHouse(tmp_path, behaviour={"numbers": {ZOE: {"keys": ["1"]}}})
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(2_000), "completed": True})
    campaign_id = await house.started(survey_id, house.phonebook("+12025550101"), frequency=1)
    await house.move(campaign_id, CampaignStatus.PAUSE)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number="030 2300074", campaign_id=campaign_id)
    house.restart()
    house.perform(partial(change_default_region, user_id=house.user_id, region="DE"))
    house.side.call_in(ZOE, BERLIN)
    await house.pass_s(30)
    assert [row["billsec"] > 0 for row in house.rows(Cdr) if row["attempt"] < 0] == [True]


@pytest.mark.parametrize("given", ["030 2300074", "0302300074", "4930 2300074"])
async def test_a_simulated_gateway_knows_numbers_without_their_country(house: House, given: str) -> None:
    parameters = msgspec.json.decode(BEHAVIOUR) | {"numbers": {given: {"outcome": "busy"}}}
    house.change(Gateway, house.gateway_id, parameters=msgspec.json.encode(parameters).decode())
    await house.started(house.survey({"type": 1, "script": "one"}), house.phonebook(BERLIN, "+49302300075"))
    await house.advance(120)
    causes = {row["phone_number"]: row["hangup_cause_q850"] for row in house.rows(Cdr)}
    assert causes == {BERLIN: 17, "+49302300075": 16}


@pytest.mark.parametrize(("region", "shown"), [("DE", BERLIN), ("", "030 2300074")])
async def test_callees_are_shown_a_number_with_the_country_of_the_account(
    house: House, region: str, shown: str
) -> None:
    house.change(User, house.user_id, default_region=region)
    await transferring(house, callerid="030 2300074")
    await house.advance(90)
    assert [row["callerid"] for row in house.rows(CallRequest)] == [shown]


async def test_callees_are_shown_a_caller_id_of_a_group_in_normal_form(house: House) -> None:
    house.change(User, house.user_id, default_region="DE")
    group_id = house.add(CallerIdGroup, name="group")
    house.add(CallerId, user_id=house.user_id, callerid_group_id=group_id, areacode="*", callerid_num="030 2300074")
    await transferring(house, callerid_group_id=group_id)
    await house.advance(90)
    assert [row["callerid"] for row in house.rows(CallRequest)] == [BERLIN]
