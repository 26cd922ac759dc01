"""Tests of the code that a call speaks, by which a user confirms that a telephone is their own."""

import re
from typing import Final

import msgspec
from sqlalchemy import insert, select, update

from dialer.domain.messages.confirmation_codes import CODE_NAME
from dialer.store.database.service_state import save_speech
from dialer.store.queries.sealed_surveys import sealed_survey
from dialer.store.tables import SMS, VOICE, Campaign, Gateway, OwnTelephone, Subscriber
from tests.api.builders import Estate
from tests.api.harness import Caller
from tests.api.routes.test_tried_voices import Bench, bench  # noqa: F401 - a fixture

OWN: Final = "+493023125099"
"""It is noon there."""
ASLEEP: Final = "+12025550187"
"""It is six o'clock there."""


def test_a_call_speaks_the_digits_twice_with_the_voice_of_the_survey(bench: Bench) -> None:  # noqa: F811 - a fixture
    assert bench.alice.request("POST", f"{bench.url}test-call/", json={"number": OWN}).status_code == 409
    path, order = f"{bench.url}test-call/", {"number": OWN, "send_code": True}
    assert bench.alice.request("POST", path, json=order).status_code == 201
    (trial,) = bench.database.read_now(
        lambda unit: unit.execute(select(Campaign.__table__).where(Campaign.trial_of_id.is_not(None))).all()
    )
    survey = bench.database.read_now(lambda unit: sealed_survey(unit, trial.id))
    assert survey is not None
    (section,) = survey.sections
    text = f"Your code is {{{CODE_NAME}}}. If you did not ask for it, do nothing."
    assert (section.prompt.script, section.prompt.voice.language) == (f"{text} {text}", "de")
    variables = bench.database.read_now(
        lambda unit: unit.scalar(select(Subscriber.additional_vars).where(Subscriber.campaign_id == trial.id))
    )
    spoken = msgspec.json.decode(str(variables))[CODE_NAME]
    assert re.fullmatch(r"[0-9](, [0-9]){5}", spoken)
    wrong = bench.alice.refused("POST", path, number=OWN, code="1")
    assert wrong == (400, {"code": ["This is not the code."]})
    code = spoken.replace(", ", "")
    told = bench.alice.refused("POST", path, number=OWN, code=code)
    assert told == (409, {"detail": "A test of this account is in progress. Wait for its end."})
    assert bench.alice.request("DELETE", path).status_code == 204
    assert bench.alice.request("POST", path, json={"number": OWN}).status_code == 201


def test_without_a_voice_no_code_is_sent(bench: Bench) -> None:  # noqa: F811 - a fixture
    bench.database.write_now(lambda unit: save_speech(unit, None))
    told = bench.alice.refused("POST", f"{bench.url}test-call/", number=OWN, send_code=True)
    said = (
        "No code can be spoken: the service has no voice that works. Ask an admin to set one up, or to place the test"
        " for you."
    )
    assert told == (409, {"detail": said})


def confirm(bench: Bench, number: str) -> None:  # noqa: F811 - a fixture
    """Have Alice confirm a telephone, as by a code."""
    row = {"user_id": 2, "number": number, "code_hash": b"", "code_until_ms": 0, "tries_left": 0}
    bench.database.write_now(lambda unit: unit.execute(insert(OwnTelephone).values(row)))


def text_over(bench: Bench, estate: Estate, *, calls: str, texts: str) -> str:  # noqa: F811 - a fixture
    """Have the survey send a text message, over such carriers; return the path of a test."""
    carriers = (VOICE, estate.gateway, calls), (SMS, estate.sms_gateway, texts)
    changes = [
        update(Gateway).where(Gateway.id == made["id"], Gateway.medium == medium).values(protocol=protocol)
        for medium, made, protocol in carriers
    ]
    bench.database.write_now(lambda unit: [unit.execute(change) for change in changes])
    bench.alice.change(estate.section["url"], type=10, sms_text="Come!")
    bench.alice.change(bench.url, sms_gateway=estate.sms_gateway["url"])
    return f"{bench.url}test-call/"


def test_a_real_text_of_a_simulated_call_goes_to_no_stranger(bench: Bench, estate: Estate) -> None:  # noqa: F811 - a fixture
    path = text_over(bench, estate, calls="sim", texts="http")
    said = (
        "The calls of this campaign are simulated and bring no code, but its text messages are real. Confirm your"
        " telephone with a test of another campaign."
    )
    assert bench.alice.refused("POST", path, number=OWN) == (409, {"detail": said})
    assert bench.alice.refused("POST", path, number=OWN, send_code=True) == (409, {"detail": said})
    status, told = Caller(bench.alice.client, "admin").refused("POST", path, number=ASLEEP)
    assert (status, told["detail"].endswith("Try again within them.")) == (409, True)
    confirm(bench, OWN)
    assert bench.alice.request("POST", path, json={"number": OWN}).status_code == 201


def test_a_simulated_text_of_a_simulated_call_needs_no_code(bench: Bench, estate: Estate) -> None:  # noqa: F811 - a fixture
    path = text_over(bench, estate, calls="sim", texts="sim")
    assert bench.alice.request("POST", path, json={"number": ASLEEP}).status_code == 201


def test_other_telephones_of_the_first_person_are_left_alone(bench: Bench, estate: Estate) -> None:  # noqa: F811 - a fixture
    path = text_over(bench, estate, calls="sip", texts="http")
    others = {"sms_phonenumber": ASLEEP, "transfer_phonenumber": ASLEEP, "town": "Ulm"}
    bench.alice.change(estate.contact["url"], additional_vars=others)
    confirm(bench, OWN)
    assert bench.alice.request("POST", path, json={"number": OWN}).status_code == 201
    variables = bench.database.read_now(
        lambda unit: unit.scalar(select(Subscriber.additional_vars).where(Subscriber.number == OWN))
    )
    assert msgspec.json.decode(str(variables)) == {"town": "Ulm"}


def test_a_survey_that_transfers_to_a_number_rings_at_no_hour(bench: Bench, estate: Estate) -> None:  # noqa: F811 - a fixture
    path, order = f"{bench.url}test-call/", {"number": ASLEEP, "any_hour": True}
    confirm(bench, ASLEEP)
    bench.alice.change(estate.section["url"], type=6, phonenumber=OWN)
    said = (
        "It is outside of the calling hours where the number is: America/New_York. The survey also transfers calls to"
        " another number, so try again within them."
    )
    assert bench.alice.refused("POST", path, **order) == (409, {"detail": said})
    assert bench.alice.refused("POST", path, number=ASLEEP) == (409, {"detail": said})
    bench.alice.change(estate.section["url"], type=1)
    assert bench.alice.request("POST", path, json=order).status_code == 201
