"""Tests of campaigns over real carriers: only a telephone whose code the user has typed gets one."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from dialer.app.accounts import own_telephones
from tests.carriers.texts.web_carrier import WebCarrier
from tests.console.visitor import Visitor, words
from tests.end_to_end.test_http_texts import ADA, BEN, answer, gateway_to
from tests.end_to_end.texting import TextService, text_service

NOT_CONFIRMED: Final = (
    409,
    {"detail": "This telephone is not confirmed to be yours. Have a code sent to it, and type the code."},
)
DOTS: Final = "\N{BULLET}" * 6
ASKS: Final = "Your code is %s. If you did not ask for it, do nothing."


class Texts:
    """A service with a campaign over a carrier that accepts each text, and what the carrier got."""

    def __init__(self, service: TextService, carrier: WebCarrier) -> None:
        self.service: Final = service
        self._carrier: Final = carrier
        self.made: Final[dict[str, Any]] = service.campaign(gateway_to(service, carrier), ADA, text="Come!")
        self.path: Final = f"{self.made['url']}test-text/"

    def order(self, **fields: object) -> int:
        """Send an order of a test, and return the status of its answer."""
        return int(self.service.ann.request("POST", self.path, json={"number": BEN, **fields}).status_code)

    def sent(self, count: int) -> str:
        """Wait until the carrier has some texts; return the last one."""
        self.service.wait(lambda: len(self._carrier.asked) == count and not self.waits())
        return str(self._carrier.asked[-1].json["messages"][0]["text"])

    def waits(self) -> bool:
        """Return whether a text is on its way to the carrier."""
        return any("is_accepted" not in one for one in self.service.standings())

    def code(self, count: int = 1) -> str:
        """Have a code sent; return it."""
        assert self.order(send_code=True) == 201
        (code,) = re.findall(r"\b[0-9]{6}\b", self.sent(count))
        return str(code)


@pytest.fixture
def texts(tmp_path: Path) -> Iterator[Texts]:
    """Yield the service with its carrier."""
    with WebCarrier(answer).serving() as carrier, text_service(tmp_path) as service:
        yield Texts(service, carrier)


def test_a_telephone_gets_a_test_once_its_code_is_typed_and_no_other_does(texts: Texts) -> None:
    ann = texts.service.ann
    assert ann.refused("POST", texts.path, number=BEN) == NOT_CONFIRMED
    wants_problem = {"Accept": "application/problem+json"}
    refused = ann.request("POST", texts.path, json={"number": BEN}, headers=wants_problem)
    assert refused.json()["code"] == "not_confirmed"
    code = texts.code()
    assert texts.sent(1) == ASKS % code
    assert ann.refused("POST", texts.path, number=BEN) == NOT_CONFIRMED
    assert texts.order(code=f"{code[:3]} {code[3:]}") == 201
    assert texts.sent(2) == "Come!"
    assert (texts.order(), texts.sent(3)) == (201, "Come!")
    assert ann.refused("POST", texts.path, number=ADA) == NOT_CONFIRMED
    assert ann.refused("POST", texts.path, number=BEN, code=code)[1] == {
        "code": ["No code is awaited for this number: ask for a new one."]
    }
    assert texts.service.admin.request("POST", texts.path, json={"number": ADA}).status_code == 201
    assert texts.sent(4) == "Come!"
    actions = [one["action"] for one in texts.service.admin.get("audit-log/", ordering="id")["results"]]
    assert [one for one in actions if one.startswith("telephone_")] == ["telephone_code_sent", "telephone_confirmed"]


def test_a_code_is_shown_nowhere(texts: Texts) -> None:
    ann, code = texts.service.ann, texts.code()
    visitor = Visitor(texts.service.client)
    visitor.sign_in("ann")
    (message,) = ann.get("sms-message/")["results"]
    assert (message["text_message"], message["is_test"]) == (ASKS % DOTS, True)
    shown = {
        "message": ann.get(message["url"]),
        "campaign": visitor.get(f"campaigns/{texts.made['id']}/"),
        "test": visitor.get(f"campaigns/{texts.made['id']}/test/"),
        "number": visitor.get(f"number/?number=%2B{BEN[1:]}"),
        "export": ann.request("GET", "sms-message/", headers={"Accept": "text/csv"}).text,
        "audit": texts.service.admin.get("audit-log/"),
        "events": ann.get("events/"),
    }
    assert [name for name, one in shown.items() if code in str(one)] == []
    assert [name for name in ("test", "number") if DOTS not in shown[name]] == []


def test_a_code_may_be_typed_five_times(texts: Texts) -> None:
    code, ann = texts.code(), texts.service.ann
    wrong = f"{(int(code) + 1) % 1_000_000:06}"
    told = [ann.refused("POST", texts.path, number=BEN, code=wrong) for _ in range(5)]
    assert told == [
        *[(400, {"code": ["This is not the code."]})] * 4,
        (400, {"code": ["This is not the code, and it was typed too often. Ask for a new one."]}),
    ]
    assert texts.order(code=code) == 400
    assert texts.order(code=texts.code(2)) == 201


def test_a_code_ends_and_is_that_of_one_number(texts: Texts, monkeypatch: pytest.MonkeyPatch) -> None:
    code = texts.code()
    assert texts.service.ann.request("POST", texts.path, json={"number": ADA, "code": code}).status_code == 400
    monkeypatch.setattr(own_telephones, "CODE_LIFE_MS", 0)
    assert texts.order(code=texts.code(2)) == 400


def test_codes_of_a_user_and_to_a_number_are_limited(texts: Texts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_telephones, "CODES_AN_HOUR_MAX", 1)
    texts.code()
    assert texts.service.ann.refused("POST", texts.path, number=BEN, send_code=True) == (
        409,
        {"detail": "These were many codes. Try again later."},
    )


def test_the_page_asks_for_the_code(texts: Texts) -> None:
    visitor, page = Visitor(texts.service.client), f"campaigns/{texts.made['id']}/test/"
    visitor.sign_in("ann")
    before = visitor.text(page)
    assert ("Send me a code" in before, "Send it now" in before) == (True, False)
    assert visitor.send(page, number=BEN, send_code="1").status_code == 303
    code = re.findall(r"\b[0-9]{6}\b", texts.sent(1))[0]
    asked = visitor.text(page)
    assert f"The six digits that {BEN} was told." in asked
    assert ("Send it now" in asked, "Send a new code" in asked) == (True, True)
    wrong = visitor.send(page, number=BEN, code="12345")
    assert (wrong.status_code, "This is not the code." in words(wrong.text)) == (400, True)
    assert visitor.send(page, number=BEN, code=code).status_code == 303
    assert texts.sent(2) == "Come!"
    after = visitor.text(page)
    assert (f'value="{BEN}"' in visitor.page, "Send it now" in after, "a code" in after) == (True, True, False)


def test_an_admin_may_test_any_number_and_confirm_the_own_one(texts: Texts) -> None:
    visitor, page = Visitor(texts.service.client), f"campaigns/{texts.made['id']}/test/"
    visitor.sign_in("admin")
    before = visitor.text(page)
    assert ("Send me a code" in before, "Send it now" in before, "may ring at any hour" in before) == (True, True, True)
    assert visitor.send(page, number=BEN).status_code == 303
    assert texts.sent(1) == "Come!"
    assert visitor.send(page, number=BEN, send_code="1").status_code == 303
    code = re.findall(r"\b[0-9]{6}\b", texts.sent(2))[0]
    assert f"The six digits that {BEN} was told." in visitor.text(page)
    assert visitor.send(page, number=BEN, code=code).status_code == 303
    assert texts.sent(3) == "Come!"
    after = visitor.text(page)
    assert ("Send it now" in after, "a code" in after) == (True, False)


def test_a_simulated_carrier_confirms_nothing(texts: Texts) -> None:
    service = texts.service
    simulated = service.admin.create("sms-gateway", name="sim", protocol="sim")
    made = service.campaign(simulated, ADA, text="Hi")
    path = f"{made['url']}test-text/"
    assert service.ann.refused("POST", path, number=BEN, send_code=True) == (
        409,
        {"detail": "The carrier is simulated, so no telephone rings: none needs to be confirmed."},
    )
    assert service.ann.request("POST", path, json={"number": BEN}).status_code == 201
    assert service.ann.refused("POST", texts.path, number=BEN) == NOT_CONFIRMED
