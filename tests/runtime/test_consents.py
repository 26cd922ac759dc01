"""Tests of consents at work: a campaign that needs one calls nobody without, at the very moment of the dial."""

from functools import partial
from typing import Any, Final

import pytest

from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.contacts.consents import add_consent, change_consent, delete_consent
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.domain.words.enums import AgentDisposition, SubscriberStatus
from dialer.store.journal.journal import JournalStore
from dialer.store.tables import SMS, CallRequest, Campaign, Consent, Gateway, SmsMessage, Subscriber, User
from dialer.store.timeline.parts import ConsentPart
from dialer.store.timeline.reading import read_story
from tests.runtime.house import AS_REAL, DAY_MS, MONDAY_NOON_MS, House
from tests.runtime.test_contact_rules import ADA, BEA, calling, dialled
from tests.runtime.test_manual_dialling import ELSE, dial, manual
from tests.runtime.test_previews import ADA as SEEN
from tests.runtime.test_previews import BEA as NEXT

CY: Final = "+12025550102"
REFUSED: Final = (int(SubscriberStatus.NOT_AUTHORIZED), "no_consent")


def consent(house: House, number: str = ADA, **columns: Any) -> int:  # noqa: ANN401 - columns of a consent
    """Add a consent of a number to the account, by the use case."""
    now_ms = house.now_ms()
    row = {"user_id": house.user_id, "phone_number": number, "number": number, "kind": "express", "given_date": now_ms}
    row |= {"created_date": now_ms, "updated_date": now_ms, **columns}
    return house.perform(lambda unit: int(add_consent(unit, row).id))


def standings(house: House) -> dict[str, tuple[int, str]]:
    """Return the status and its reason of each subscriber, by number; of a number in several campaigns, the last."""
    return {row["number"]: (row["status"], row["status_reason"]) for row in house.rows(Subscriber)}


async def test_people_with_a_consent_are_called_and_the_others_refused(house: House) -> None:
    agreed = consent(house, purposes="sales", kind="written")
    consent(house, BEA, purposes="survey")
    calling(house, ADA, BEA, CY, purpose="sales", requires_consent="express")
    await house.advance(60)
    assert [row["phone_number"] for row in house.rows(CallRequest)] == [ADA]
    assert standings(house) == {ADA: (int(SubscriberStatus.COMPLETED), ""), BEA: REFUSED, CY: REFUSED}
    (call,) = house.rows(CallRequest)
    assert [row["last_used_date"] for row in house.rows(Consent)] == [call["started_ms"], None]
    assert house.row(Consent, agreed)["updated_date"] == MONDAY_NOON_MS


async def test_a_campaign_with_a_consent_and_no_rule_reads_nobody_anew(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JournalStore, "claim_again", lambda *_: pytest.fail("no rule counts contacts"))
    consent(house)
    calling(house, ADA)
    calling(house, ADA, requires_consent="express")
    await house.advance(60)
    assert [row["phone_number"] for row in house.rows(CallRequest)] == [ADA, ADA]


async def test_a_consent_that_is_withdrawn_or_ends_between_claim_and_dial_covers_nobody(house: House) -> None:
    """One dial a minute: all are read at once, and the others have their turn a minute later."""
    consent(house)
    ending = consent(house, BEA, expiration_date=MONDAY_NOON_MS + 30_000)
    withdrawn = consent(house, CY)
    calling(house, ADA, BEA, CY, frequency=1, requires_consent="opt_in")
    await house.advance(45)
    gone = {"withdrawn_date": house.now_ms(), "withdrawn_how": "letter"}
    house.perform(lambda unit: change_consent(unit, withdrawn, gone))
    await house.advance(120)
    assert standings(house) == {ADA: (int(SubscriberStatus.COMPLETED), ""), BEA: REFUSED, CY: REFUSED}
    assert house.row(Consent, ending)["last_used_date"] is None


async def test_a_consent_that_is_added_before_the_turn_counts_and_a_restart_reads_it(house: House) -> None:
    calling(house, ADA, BEA, frequency=1, requires_consent="express", maxretry=0)
    consent(house, BEA)
    house.restart()
    await house.advance(120)
    assert standings(house) == {ADA: REFUSED, BEA: (int(SubscriberStatus.COMPLETED), "")}


async def test_a_campaign_that_begins_to_need_one_refuses_those_who_are_left(house: House) -> None:
    campaign_id = calling(house, ADA, BEA, frequency=1)
    await house.advance(30)
    house.change(Campaign, campaign_id, requires_consent="opt_in")
    await house.advance(60)
    assert (dialled(house) != [], standings(house)[BEA]) == (True, REFUSED)


async def test_another_account_lends_no_consent(house: House) -> None:
    bob = house.add(User, username="bob", password_hash="", email="", role="manager", created_date=0, updated_date=0)
    consent(house, user_id=bob)
    calling(house, ADA, requires_consent="opt_in")
    await house.advance(30)
    assert standings(house) == {ADA: REFUSED}


async def test_text_messages_need_one_too(house: House) -> None:
    gateway_id = house.add(Gateway, name="texts", protocol="sim", medium=SMS)
    consent(house)
    columns = {"medium": SMS, "sms_gateway_id": gateway_id, "text_message": "Hello", "requires_consent": "express"}
    calling(house, ADA, BEA, **columns)
    await house.advance(60)
    assert [row["phone_number"] for row in house.rows(SmsMessage)] == [ADA]
    assert standings(house)[BEA] == REFUSED
    (row,) = house.rows(Consent)
    assert row["last_used_date"] == house.rows(SmsMessage)[0]["send_date"]


async def test_an_agent_who_dials_by_hand_is_told(house: House) -> None:
    for number in (SEEN, NEXT):  # Without them, nobody would be left to call.
        consent(house, number, kind="written")
    agent_id = await manual(house, requires_consent="written")
    consent(house, ELSE, kind="express")
    with pytest.raises(RefusedError, match="there is no consent of the person that the campaign needs") as caught:
        dial(house, agent_id, ELSE)
    assert caught.value.code is ErrorCode.NO_CONSENT
    consent(house, ELSE, kind="written")
    dial(house, agent_id, ELSE)
    await house.advance(30)
    assert [row["phone_number"] for row in house.rows(CallRequest)] == [ELSE]


async def test_explain_names_the_consents_and_which_is_good(house: House) -> None:
    first = consent(house, kind="opt_in")
    second = consent(house, kind="written", given_date=MONDAY_NOON_MS + DAY_MS)
    campaign_id = calling(house, ADA, BEA, requires_consent="express", startingdate=MONDAY_NOON_MS + DAY_MS)
    await house.advance(5)

    def story() -> Any:  # noqa: ANN401 - a story
        now_ms = house.now_ms()
        return house.database.read_now(
            lambda c: read_story(c, str(campaign_id), ADA, now_ms=now_ms, region="US", service_zone="UTC")
        )

    found = story()
    assert found.consents == [ConsentPart(first, "opt_in", good=False), ConsentPart(second, "written", good=False)]
    assert found.subscriber.waits_for == "no_consent"
    await house.advance(DAY_MS // 1_000 + 30)
    assert story().consents[1] == ConsentPart(second, "written", good=True)


async def test_what_was_used_or_withdrawn_is_kept_and_no_withdrawal_is_taken_back(house: House) -> None:
    used, unused, withdrawn = consent(house), consent(house, BEA), consent(house, CY)
    calling(house, ADA, requires_consent="opt_in")
    await house.advance(30)
    house.perform(lambda unit: change_consent(unit, withdrawn, {"withdrawn_date": house.now_ms()}))
    for one in (used, withdrawn):
        with pytest.raises(RefusedError) as caught:
            house.perform(partial(delete_consent, consent_id=one))
        assert caught.value.code is ErrorCode.KEPT
    for later in (None, house.now_ms() + 1):
        with pytest.raises(RefusedError, match="add another consent"):
            house.perform(partial(change_consent, consent_id=withdrawn, values={"withdrawn_date": later}))
    house.perform(partial(delete_consent, consent_id=unused))
    assert [row["id"] for row in house.rows(Consent)] == [used, withdrawn]


@pytest.mark.parametrize(("gateway", "how"), [(AS_REAL, "agent"), ({}, "")])
async def test_a_wish_withdraws_what_covers_the_purpose_but_that_of_a_simulated_person_nothing(
    house: House, gateway: dict[str, str], how: str
) -> None:
    ids = [consent(house, purposes=words) for words in ("sales", "survey", "", "debt sales")]
    ahead, other = consent(house, given_date=MONDAY_NOON_MS + DAY_MS), consent(house, BEA)
    calling(house, ADA, purpose="sales", requires_consent="opt_in")
    if gateway:
        house.change(Gateway, house.gateway_id, **gateway)
    await house.advance(2 * 3_600)  # It is 07:00 there, and nobody real is called before 08:00.
    (call,) = house.rows(CallRequest)
    disposed = Disposed(AgentDisposition.DO_NOT_CALL)
    house.perform(lambda unit: dispose_of_call(unit, call["id"], disposed))
    found = {row["id"]: (row["withdrawn_how"], row["withdrawn_date"]) for row in house.rows(Consent)}
    gone = ("agent", house.now_ms()) if how else ("", None)
    assert found == {ids[0]: gone, ids[1]: ("", None), ids[2]: gone, ids[3]: gone, ahead: ("", None), other: ("", None)}
