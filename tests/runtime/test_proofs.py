"""Tests of the proof of a wish not to be called: where it comes from, in which attempt it was said, and its words."""

from typing import Any, Final

import pytest

from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.erasure.erasure import erase_number
from dialer.domain.messages.understanding import Understood
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.enums import AgentDisposition
from dialer.domain.words.proof import SAID_MAX, said_in
from dialer.store.rows.texts.received_texts import ReceivedText, TextOf, keep_texts
from dialer.store.tables import CallRequest, Did, DncContact, SmsMessage, SmsReceived
from dialer.store.timeline.happenings import HappeningKind, happenings_of
from dialer.store.timeline.parts import moment
from dialer.store.timeline.reading import read_story
from tests.runtime.house import House
from tests.runtime.line_house import LineHouse
from tests.runtime.test_inbound_calls import ADA, answering
from tests.runtime.test_messages import SAYS_STOP, texting

PRESSES_THREE: Final = "+12025550103"
QUESTION: Final = {"type": 2, "script": "Press 3 if we should not call again", "key_3": "never"}
GOODBYE: Final = {"type": 9, "script": "we will not call again"}
SHORT: Final = {"type": 1, "script": "word"}
NO_PROOF: Final = {"campaign_id": None, "callrequest_id": None, "sms_message_id": None, "section_id": None, "said": ""}


def proofs(house: House) -> list[dict[str, Any]]:
    """Return the proof of each entry, without what is empty."""
    names = ("source", *NO_PROOF)
    return [{name: row[name] for name in names if row[name] not in {None, ""}} for row in house.rows(DncContact)]


async def test_a_key_is_kept_with_its_section_and_its_call(sociable: House) -> None:
    """Both lists have the proof: that of the account, and the one that the campaign names."""
    sociable.meet_real_people()
    survey_id = sociable.survey(QUESTION, SHORT, GOODBYE, branches={0: {"3": 1}, 1: {"0": 2}})
    campaign_id = await sociable.started(survey_id, sociable.phonebook(PRESSES_THREE), dnc_id=sociable.dnc_list())
    await sociable.advance(60)
    (call,) = sociable.rows(CallRequest)
    asked = {"source": "key", "campaign_id": campaign_id, "callrequest_id": call["id"], "section_id": 1, "said": "3"}
    assert proofs(sociable) == [asked, asked]


async def test_a_section_that_is_reached_without_a_key_is_the_proof_itself(sociable: House) -> None:
    survey_id = sociable.survey(SHORT, GOODBYE, branches={0: {"0": 1}})
    campaign_id = await sociable.started(survey_id, sociable.phonebook(PRESSES_THREE))
    await sociable.advance(60)
    (call,) = sociable.rows(CallRequest)
    assert proofs(sociable) == [
        {"source": "key", "campaign_id": campaign_id, "callrequest_id": call["id"], "section_id": 2}
    ]


async def test_a_text_is_kept_with_its_words(house: House) -> None:
    campaign_id = await texting(house, SAYS_STOP)
    await house.advance(60)
    (message,) = house.rows(SmsMessage)
    assert proofs(house) == [
        {"source": "text", "campaign_id": campaign_id, "sms_message_id": message["id"], "said": " Stop "}
    ]


async def test_a_wish_that_an_agent_heard_has_the_note(sociable: House) -> None:
    """A later wish of the same person leaves the first proof as it is."""
    campaign_id = await sociable.started(sociable.survey(SHORT), sociable.phonebook(PRESSES_THREE))
    await sociable.advance(60)
    (call,) = sociable.rows(CallRequest)
    for note in ("Is angry.", "Is angrier."):
        said = Disposed(AgentDisposition.DO_NOT_CALL, note)
        sociable.perform(lambda unit, said=said: dispose_of_call(unit, 1, said))  # type: ignore[misc]
    assert proofs(sociable) == [
        {"source": "agent", "campaign_id": campaign_id, "callrequest_id": call["id"], "said": "Is angry."}
    ]


@pytest.mark.usefixtures("quiet")
async def test_a_caller_is_told_from_a_callee(tmp_path: Any) -> None:  # noqa: ANN401 - a path
    house = LineHouse(tmp_path)
    campaign_id = await answering(house, {"type": 9, "audiofile_id": house.recording(1_000)})
    assert house.rows(Did)
    house.side.call_in(ADA, "+12025550199")
    await house.pass_s(30)
    (call,) = house.rows(CallRequest)
    assert proofs(house) == [
        {"source": "caller", "campaign_id": campaign_id, "callrequest_id": call["id"], "section_id": 1}
    ]


@pytest.mark.parametrize("medium", ["call", "text"])
async def test_the_history_of_a_person_has_the_wish(sociable: House, medium: str) -> None:
    if medium == "text":
        await texting(sociable, SAYS_STOP)
        number, said, source = SAYS_STOP, " Stop ", "text"
    else:
        survey_id = sociable.survey(QUESTION, GOODBYE, branches={0: {"3": 1}})
        await sociable.started(survey_id, sociable.phonebook(PRESSES_THREE))
        number, said, source = PRESSES_THREE, "3", "key"
    await sociable.advance(60)
    (entry,) = sociable.rows(DncContact)
    story = sociable.database.read_now(
        lambda c: read_story(c, "1", number, now_ms=sociable.now_ms(), region=None, service_zone="UTC")
    )
    (attempt,) = story.attempts
    (wish,) = (one for one in happenings_of(attempt) if one.kind is HappeningKind.WISH)
    (listed,) = story.dnc_lists
    assert (wish.at, wish.part) == (moment(entry["created_date"]), listed)
    assert (listed.source, listed.said, listed.campaign_id) == (source, said, 1)


async def test_every_text_that_comes_in_is_a_moment_of_the_message_that_it_answers(house: House) -> None:
    """The story has ordinary texts, too, and the words go when the person is erased."""
    campaign_id = await texting(house, ADA)
    await house.advance(60)
    (message,) = house.rows(SmsMessage)
    answer = TextOf(house.user_id, ADA, campaign_id, message["id"])
    for at_ms, said, meaning in ((1_000, "yes", Understood.OTHER), (2_000, "Hm", Understood.PERHAPS)):
        received = ReceivedText(message["gateway_id"], ADA, said, meaning)
        now_ms = message["send_date"] + at_ms
        house.perform(lambda unit, one=received, at=now_ms: keep_texts(unit.connection, one, [answer], at))  # type: ignore[misc]
    story = house.database.read_now(
        lambda c: read_story(c, str(campaign_id), ADA, now_ms=house.now_ms(), region=None, service_zone="UTC")
    )
    (attempt,) = story.attempts
    kinds = [(one.kind, getattr(one.part, "text", "")) for one in happenings_of(attempt)]
    assert kinds[1:] == [(HappeningKind.RECEIVED, "yes"), (HappeningKind.RECEIVED, "Hm")]
    assert (kinds[0][0], story.received) == (HappeningKind.MESSAGE, [])
    erase_number(house.database, ADA, lambda _: None, house.now_ms())
    assert {(row["said"], row["needs_person"]) for row in house.rows(SmsReceived)} == {(ERASED, False)}


async def test_the_words_go_with_the_person_and_the_source_stays(house: House) -> None:
    campaign_id = await texting(house, SAYS_STOP)
    await house.advance(60)
    erase_number(house.database, SAYS_STOP, lambda _: None, house.now_ms())
    assert proofs(house) == [{"source": "text", "campaign_id": campaign_id}]


@pytest.mark.parametrize(
    ("given", "kept"), [("STOP\0", "STOP"), ("x" * (SAID_MAX + 1), "x" * SAID_MAX), ("a\ud800b", "a?b"), ("é🙂", "é🙂")]
)
def test_words_are_kept_as_a_database_can(given: str, kept: str) -> None:
    assert said_in(given) == kept
