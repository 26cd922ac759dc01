"""A campaign of text messages over Kannel: through its boxes to a carrier, and back."""

from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

from tests.carriers.texts.kannel import FAR, PASSWORD, RECEIVED, USER, Kannel, kannel
from tests.carriers.texts.web_carrier import Asked, WebCarrier
from tests.end_to_end.texting import SECRET, text_service

ADA, BEN = "+3545550100", "+3545550101"
TEXT: Final = "Ja {€} " + 200 * "x"
"""Two parts, of which Kannel makes two messages."""


def test_kannel_takes_messages_and_brings_receipts_and_stop(tmp_path: Path) -> None:
    asked: list[Asked] = []
    reports: list[str] = []

    def answer(one: Asked) -> tuple[int, bytes]:
        if one.target.startswith(FAR):
            asked.append(one)
        else:
            reports.append(one.target)
        return 202, b"0: Accepted for delivery"

    def parts_to(number: str) -> list[Asked]:
        return [one for one in asked if parse_qs(urlsplit(one.target).query)["to"] == [number]]

    def is_brought(middle: Kannel, asked: Asked, status: int) -> bool:
        middle.report(asked, status)
        return any(one.endswith(f"status={status}") for one in reports)

    with (
        WebCarrier(answer).serving() as carrier,
        kannel(tmp_path, carrier.url) as middle,
        text_service(tmp_path) as service,
    ):
        words = {"url": middle.url, "username": USER, "password": PASSWORD}
        back = {"callback_url": carrier.url, "secret": SECRET}
        gateway = service.admin.create("sms-gateway", name="k", protocol="kannel", parameters=words | back)
        never = service.ann.create("dnc-list", name="never")
        made = service.campaign(gateway, ADA, BEN, text=TEXT, dnc=never["url"])
        service.ann.change(made["url"], status=1)
        service.wait(lambda: len(asked) == 4)
        assert [one["parts"] for one in service.messages()] == [2, 2]
        for number, status in ((ADA, 1), (BEN, 2)):
            (with_report,) = (one for one in parts_to(number) if "&dlr-mask=" in one.target)
            # Kannel forgets reports that are faster than its own notes.
            service.wait(partial(is_brought, middle, with_report, status))
        assert {service.callback(target) for target in reports} == {200}
        service.wait(lambda: service.ann.get(made["url"])["status"] == 4)
        assert service.statuses() == [(ADA, "Delivered"), (BEN, "Failed")]
        middle.receive(ADA, "Stop")
        service.wait(lambda: reports[-1].startswith(RECEIVED))
        query = urlsplit(reports[-1])
        target = f"/callbacks/sms-gateway/1/received?secret={SECRET}&{query.query}"
        assert service.callback(target) == 200
        assert {one["phone_number"] for one in service.ann.get("dnc-contact/")["results"]} == {ADA}
        assert (len(asked), service.differences()) == (4, [])
