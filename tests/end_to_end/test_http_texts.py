"""Campaigns of text messages over a carrier that speaks HTTP."""

from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from tests.carriers.texts.web_carrier import Asked, WebCarrier
from tests.end_to_end.texting import SECRET, TextService, text_service
from tests.new_database import new_database

ADA, BEN, CEM, DAN = (f"+354555010{digit}" for digit in range(4))
WORDS: Final = {
    "username": "shop",
    "password": "opensesame",
    "headers": {"X-Api-Key": "{password}"},
    "body": {"messages": [{"to": "{number}", "from": "{sender}", "text": "{text}", "report": "{callback}"}]},
    "id": "messages.0.id",
    "status": "messages.0.status",
    "accepted": ["queued"],
    "receipts": True,
    "callback_url": "https://dialer.example.com/",
    "secret": SECRET,
    "received": {"number": "msisdn", "text": "body"},
}


def number_in(asked: Asked) -> str:
    """Return the number to which a request sends."""
    return str(asked.json["messages"][0]["to"])


def report_to(asked: Asked) -> str:
    """Return the target for receipts of a request, without the host."""
    url = urlsplit(asked.json["messages"][0]["report"])
    return f"{url.path}?{url.query}"


def answer(asked: Asked) -> tuple[int, bytes] | None:
    """Accept messages, but for two: one is refused, and one has no answer."""
    number = number_in(asked)
    if number == DAN:
        return None
    word = b"blocked" if number == CEM else b"queued"
    return 200, b'{"messages": [{"id": "m%s", "status": "%s"}]}' % (number[-1:].encode(), word)


def gateway_to(service: TextService, carrier: WebCarrier, **fields: object) -> dict[str, Any]:
    """Create a gateway to the carrier."""
    words = {**WORDS, "url": f"{carrier.url}/send"}
    return dict(service.admin.create("sms-gateway", name="shop", protocol="http", parameters=words, **fields))


def test_each_message_is_sent_once_and_its_receipt_is_shown(tmp_path: Path) -> None:
    """A message without an answer is not sent again. STOP keeps the next campaign from a number."""
    with WebCarrier(answer).serving() as carrier, text_service(tmp_path) as service:
        gateway = gateway_to(service, carrier)
        assert not {"password", "secret"} & gateway["parameters"].keys()
        never = service.ann.create("dnc-list", name="never")
        made = service.campaign(gateway, ADA, BEN, CEM, DAN, text="Dear { 1", dnc_lists=[never["url"]], maxretry=0)
        service.ann.change(made["url"], status=1)
        service.wait(lambda: len(carrier.asked) == 4)
        service.wait(lambda: dict(service.statuses())[CEM] == "Failed")
        by_number = {number_in(one): one for one in carrier.asked}
        assert {one.headers["x-api-key"] for one in carrier.asked} == {"opensesame"}
        assert by_number[ADA].json["messages"][0]["text"] == "Dear { 1"
        receipts = [
            service.callback(report_to(by_number[ADA]), status="delivered"),
            service.callback(report_to(by_number[ADA]), status="delivered"),
            service.callback(f"/callbacks/sms-gateway/1/receipt?secret={SECRET}", id="m1", status="undelivered"),
            service.callback(f"/callbacks/sms-gateway/1/receipt?secret={SECRET}", id="unknown", status="delivered"),
            service.callback(report_to(by_number[DAN]), status="delivered"),
            service.callback(report_to(by_number[ADA]).replace("secret=the", "secret=teh"), status="delivered"),
        ]
        assert receipts == [200, 200, 200, 200, 200, 403]
        service.wait(lambda: service.ann.get(made["url"])["status"] == 4)
        assert service.statuses() == [(ADA, "Delivered"), (BEN, "Failed"), (CEM, "Failed"), (DAN, "Sent")]
        assert len(carrier.asked) == 4
        received = f"/callbacks/sms-gateway/1/received?secret={SECRET}"
        assert service.callback(received, msisdn=ADA.removeprefix("+"), body=" stop ") == 200
        assert {one["phone_number"] for one in service.ann.get("dnc-contact/")["results"]} == {ADA}
        again = service.campaign(gateway, ADA, BEN, dnc=never["url"])
        service.ann.change(again["url"], status=1)
        service.wait(lambda: len(carrier.asked) == 5)
        assert number_in(carrier.asked[-1]) == BEN
        assert service.differences() == []


def test_receipts_find_their_messages_after_a_restart(tmp_path: Path) -> None:
    url = new_database(tmp_path)
    with WebCarrier(answer).serving() as carrier:
        with text_service(tmp_path, url) as service:
            never = service.ann.create("dnc-list", name="never")
            made = service.campaign(gateway_to(service, carrier), ADA, BEN, dnc=never["url"])
            service.ann.change(made["url"], status=1)
            service.wait(lambda: len(carrier.asked) == 2)
            unknown = service.ann.refused("PATCH", made["url"], status=9)
            assert unknown[0] == 400
        with text_service(tmp_path, url) as service:
            named = f"/callbacks/sms-gateway/1/receipt?secret={SECRET}"
            for digit in "01":
                assert service.callback(named, id=f"m{digit}", status="delivered") == 200
            service.wait(lambda: service.ann.get(made["url"])["status"] == 4)
            delivered = [(ADA, "Delivered"), (BEN, "Delivered")]
            assert (service.statuses(), len(carrier.asked), service.differences()) == (delivered, 2, [])


def test_a_campaign_without_a_list_keeps_the_wishes_of_its_readers(tmp_path: Path) -> None:
    with WebCarrier(answer).serving() as carrier, text_service(tmp_path) as service:
        made = service.campaign(gateway_to(service, carrier), ADA)
        service.ann.change(made["url"], status=1)
        service.wait(lambda: len(carrier.asked) == 1)
        received = f"/callbacks/sms-gateway/1/received?secret={SECRET}"
        assert service.callback(received, msisdn=ADA.removeprefix("+"), body="Stop, please") == 200
        service.wait(lambda: service.ann.get("dnc-contact/")["count"] == 1)
        assert [one["phone_number"] for one in service.ann.get("dnc-contact/")["results"]] == [ADA]


def test_a_person_whose_name_is_in_a_test_is_erased_before_its_receipt_comes(tmp_path: Path) -> None:
    """Nor does the receipt keep the account from its next test."""
    with WebCarrier(answer).serving() as carrier, text_service(tmp_path) as service:
        made = service.campaign(gateway_to(service, carrier), ADA, text="Dear {first_name}")
        (ada,) = service.ann.get("contact/")["results"]
        service.ann.change(ada["url"], full_name="Adalind Ash")
        path = f"{made['url']}test-text/"
        assert service.admin.request("POST", path, json={"number": BEN}).status_code == 201
        service.wait(lambda: any("is_accepted" in one for one in service.standings()))
        assert "Dear Adalind" in service.orders()[0]
        service.erase(ADA)
        (message,) = service.messages()
        assert (message["text_message"], message["phone_number"]) == ("erased", BEN)
        assert "Adalind" not in service.orders()[0]
        assert service.admin.request("POST", path, json={"number": BEN}).status_code == 201
        service.wait(lambda: len(carrier.asked) == 2)
        first = carrier.asked[0]
        assert service.callback(report_to(first), status="delivered") == 200
        service.wait(lambda: (BEN, "Delivered") in service.statuses())
        assert service.differences() == []
