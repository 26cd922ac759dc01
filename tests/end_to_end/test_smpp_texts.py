"""Campaigns of text messages over SMPP, whose carrier is a server that others wrote."""

from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.carriers.texts.smpp_carrier import SmppCarrier, smpp_carrier
from tests.end_to_end.texting import TextService, text_service
from tests.new_database import new_database

ADA, BEN, CEM, DAN, EVE = (f"+354555010{digit}" for digit in range(5))
LONG: Final = "Ja {€} " + 200 * "x" + " Ω!"
INVALID_DESTINATION, THROTTLED, OK = 0x0B, 0x58, 0


def gateway_to(service: TextService, carrier: SmppCarrier, **more: object) -> dict[str, Any]:
    """Create a gateway to the carrier."""
    words = {"host": "127.0.0.1", "port": carrier.port, "system_id": "shop", "password": "opensesame", **more}
    return dict(service.admin.create("sms-gateway", name="shop", protocol="smpp", parameters=words))


def ids_to(carrier: SmppCarrier, number: str) -> list[str]:
    """Return the carrier's names of the parts that it has taken for a number."""
    return [one["id"] for one in carrier.sent if "+" + one["to"] == number and one["status"] == OK]


def is_sent(carrier: SmppCarrier, number: str) -> bool:
    """Return whether the carrier has seen a message to a number."""
    return any("+" + one["to"] == number for one in carrier.sent)


def test_each_part_is_sent_once_and_receipts_and_stop_are_stored(tmp_path: Path) -> None:
    """A throttled message is sent later; a message whose response is lost with the connection is not sent again."""
    with smpp_carrier() as carrier, text_service(tmp_path) as service:
        carrier.tell("answer", number=BEN[1:], statuses=[THROTTLED])
        carrier.tell("answer", number=CEM[1:], statuses=[INVALID_DESTINATION])
        gateway = gateway_to(service, carrier)
        assert "password" not in gateway["parameters"]
        never = service.ann.create("dnc-list", name="never")
        made = service.campaign(gateway, ADA, BEN, CEM, text=LONG, dnc=never["url"])
        service.ann.change(made["url"], status=1)
        service.wait(lambda: len(ids_to(carrier, ADA)) == len(ids_to(carrier, BEN)) == 2)
        service.wait(lambda: dict(service.statuses())[CEM] == "No_Route")
        parts = [one for one in carrier.sent if "+" + one["to"] == ADA]
        assert "".join(one["text"] for one in parts) == LONG
        assert [(one["header"][:4], one["header"][6:], one["coding"], one["from"]) for one in parts] == [
            ("0003", f"020{number}", 0, "3545550199") for number in (1, 2)
        ]
        for name in (ids_to(carrier, ADA)[0], *ids_to(carrier, ADA), "unknown"):
            carrier.tell("receipt", number=ADA[1:], id=name, state="DELIVRD")
            assert carrier.heard("answered") == {"answered": OK}
        carrier.tell("receipt", number=BEN[1:], id=ids_to(carrier, BEN)[1], state="UNDELIV")
        assert carrier.heard("answered") == {"answered": OK}
        service.wait(lambda: service.ann.get(made["url"])["status"] == 4)
        assert service.statuses() == [(ADA, "Delivered"), (BEN, "Failed"), (CEM, "No_Route")]
        carrier.tell("text", number=ADA[1:], text="Stop ")
        assert carrier.heard("answered") == {"answered": OK}
        assert {one["phone_number"] for one in service.ann.get("dnc-contact/")["results"]} == {ADA}
        carrier.tell("answer", number=DAN[1:], statuses=["cut"])
        for number in (DAN, EVE):  # The second one waits until the line is bound again.
            again = service.campaign(gateway, ADA, number, text="Hi ☃", dnc=never["url"])
            service.ann.change(again["url"], status=1)
            service.wait(partial(is_sent, carrier, number))
        carrier.tell("receipt", number=EVE[1:], id=ids_to(carrier, EVE)[0], state="DELIVRD")
        service.wait(lambda: service.ann.get(again["url"])["status"] == 4)
        assert service.statuses()[3:] == [(DAN, "Sent"), (EVE, "Delivered")]
        assert [one["text"] for one in carrier.sent if "+" + one["to"] == DAN] == ["Hi ☃"]
        assert service.differences() == []


def test_receipts_find_their_parts_after_a_restart(tmp_path: Path) -> None:
    url = new_database(tmp_path)
    with smpp_carrier() as carrier:
        with text_service(tmp_path, url) as service:
            never = service.ann.create("dnc-list", name="never")
            made = service.campaign(gateway_to(service, carrier), ADA, text=LONG, dnc=never["url"])
            service.ann.change(made["url"], status=1)
            service.wait(lambda: len(ids_to(carrier, ADA)) == 2)
        carrier.heard("bound")
        with text_service(tmp_path, url) as service:
            carrier.heard("bound")
            for name in ids_to(carrier, ADA):
                carrier.tell("receipt", number=ADA[1:], id=name, state="DELIVRD")
            service.wait(lambda: service.ann.get(made["url"])["status"] == 4)
            assert (service.statuses(), len(carrier.sent)) == ([(ADA, "Delivered")], 2)
            assert service.differences() == []


def test_padded_decimal_receipts_find_messages_with_hexadecimal_names(tmp_path: Path) -> None:
    """SMPP 3.4, appendix B: the id of a receipt has ten decimal digits."""
    with smpp_carrier() as carrier, text_service(tmp_path) as service:
        carrier.tell("name", ids="hex")
        never = service.ann.create("dnc-list", name="never")
        made = service.campaign(gateway_to(service, carrier, ids="hex"), ADA, BEN, dnc=never["url"])
        service.ann.change(made["url"], status=1)
        service.wait(lambda: len(ids_to(carrier, ADA)) == len(ids_to(carrier, BEN)) == 1)
        for number in (ADA, BEN):
            (name,) = ids_to(carrier, number)
            carrier.tell("receipt", number=number[1:], id=f"{int(name, 16):010}", state="DELIVRD")
        service.wait(lambda: service.ann.get(made["url"])["status"] == 4)
        assert service.statuses() == [(ADA, "Delivered"), (BEN, "Delivered")]


def test_messages_of_which_the_carrier_refuses_every_third_all_leave_once(tmp_path: Path) -> None:
    numbers = [f"+35455502{digits:02}" for digits in range(30)]
    with smpp_carrier() as carrier, text_service(tmp_path) as service:
        carrier.tell("refuse", statuses=[THROTTLED, OK, OK])
        never = service.ann.create("dnc-list", name="never")
        made = service.campaign(gateway_to(service, carrier, receipts=False), *numbers, dnc=never["url"])
        service.ann.change(made["url"], status=1)
        service.wait(lambda: service.ann.get(made["url"])["status"] == 4)
        assert sorted("+" + one["to"] for one in carrier.sent if one["status"] == OK) == numbers


def ask(carrier: SmppCarrier, command: str, header: str = "", text: str = "", **fields: object) -> dict[str, Any]:
    """Let the carrier send a request, and return the response."""
    carrier.tell("ask", command=command, header=header, text=text, fields=fields)
    return carrier.heard("answered")


def test_receipts_in_other_spellings_and_commands_find_their_messages(tmp_path: Path) -> None:
    """A receipt as `data_sm`, one whose name is in capitals, and one in decimal digits. An alert has no response."""
    with smpp_carrier() as carrier, text_service(tmp_path) as service:
        carrier.tell("name", ids="hex")
        never = service.ann.create("dnc-list", name="never")
        made = service.campaign(gateway_to(service, carrier), ADA, BEN, CEM, dnc=never["url"])
        service.ann.change(made["url"], status=1)
        service.wait(lambda: all(ids_to(carrier, number) for number in (ADA, BEN, CEM)))
        ada, ben, cem = (ids_to(carrier, number)[0] for number in (ADA, BEN, CEM))
        addresses = {"source_addr": ADA[1:], "destination_addr": "3545550199"}
        told = ask(carrier, "data_sm", **addresses, esm_class=4, receipted_message_id=ada.upper(), message_state=2)
        assert told == {"answered": OK, "by": "data_sm_resp"}
        for name in (ben.upper(), f"{int(cem, 16):010}"):
            carrier.tell("receipt", number=BEN[1:], id=name, state="delivrd")
            assert carrier.heard("answered") == {"answered": OK}
        carrier.tell("ask", command="alert_notification", fields={"source_addr": ADA[1:], "esme_addr": "1"})
        service.wait(lambda: service.ann.get(made["url"])["status"] == 4)
        assert service.statuses() == [(number, "Delivered") for number in (ADA, BEN, CEM)]
        assert ask(carrier, "data_sm", **addresses, message_payload="Hello") == {"answered": OK, "by": "data_sm_resp"}
        carrier.tell("nacks")
        assert carrier.heard("nacks") == {"nacks": 0}
        assert service.differences() == []


def test_a_long_wish_from_a_national_number_is_that_of_the_person_written_to(tmp_path: Path) -> None:
    """Each part is answered before the next one comes, as carriers with a window of one want it."""
    anna = "+12025550407"
    parts = ("I do not want to be called or texted ", "any more, please stop sending me messages.")
    with smpp_carrier() as carrier, text_service(tmp_path) as service:
        never = service.ann.create("dnc-list", name="never")
        gateway = gateway_to(service, carrier, receipts=False)
        made = service.campaign(gateway, anna, dnc=never["url"])
        service.ann.change(made["url"], status=1)
        service.wait(lambda: service.ann.get(made["url"])["status"] == 4)
        sender = {"source_addr_ton": 2, "source_addr_npi": 1, "source_addr": anna[2:], "destination_addr": "3545550199"}
        for number, text in enumerate(parts, 1):
            answer = ask(carrier, "deliver_sm", header=f"0608041234020{number}", text=text, **sender, esm_class=0x40)
            assert answer == {"answered": OK, "by": "deliver_sm_resp"}
        service.wait(lambda: bool(service.ann.get("sms-received/")["results"]))
        (kept,) = service.ann.get("sms-received/")["results"]
        assert [kept[name] for name in ("number", "phone_number", "said", "understood")] == [
            anna,
            anna[2:],
            "".join(parts),
            "stop",
        ]
        assert {one["phone_number"] for one in service.ann.get("dnc-contact/")["results"]} == {anna}
