"""Tests of damaged and made-up input of carriers of text messages: each is understood or refused."""

from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.carriers.line_port import Unknown, Unplaced
from dialer.carriers.parameters import ParametersError
from dialer.carriers.texts.callbacks import receipt_in, text_in
from dialer.carriers.texts.parameters import HttpParameters, read_http_parameters
from dialer.carriers.texts.requests import outcome_of
from dialer.carriers.texts.smpp_messages import heard_in, submit_bodies
from dialer.carriers.texts.smpp_parameters import SmppParameters, read_smpp_parameters
from dialer.carriers.texts.smpp_pdus import Address, Delivery, PduError, Tag, data_of, delivery_of
from dialer.carriers.texts.smpp_receipts import name_of
from dialer.carriers.texts.smpp_user_data import part_of, text_of
from dialer.domain.messages.sms_parts import GSM7_ALPHABET, GSM7_ESCAPE, GSM7_EXTENSION, parts_of
from dialer.domain.sessions.leg_protocol import Accepted, Ended, Receipt, Texting, TextPart, TextReceived
from dialer.domain.words.enums import Cause, MessageStatus

SHOP = SmppParameters(host="carrier.example", system_id="shop")
WORDS = HttpParameters(url="https://carrier.example/", id="a.0.id", status="a.0.s", accepted=("ok",), receipts=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "id", "s", "0"]), inner),
    max_leaves=12,
)
GSM7 = sorted((set(GSM7_ALPHABET) - {GSM7_ESCAPE}) | GSM7_EXTENSION.keys())
TEXTS = st.text(st.sampled_from(GSM7), max_size=400) | st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


def order(text: str) -> Texting:
    """Return the order to send a text."""
    return Texting("3a0d", "+3545550100", "Shop", text, parts_of(text))


RECEIPT = submit_bodies(SHOP, order("id:m1 sub:001 dlvrd:001 stat:DELIVRD err:000"))[0]


@settings(max_examples=50, deadline=None)
@given(text=TEXTS)
def test_the_parts_over_smpp_are_those_that_are_charged_and_hold_the_text(text: str) -> None:
    bodies = submit_bodies(SHOP, order(text))
    deliveries = [delivery_of(body) for body in bodies]
    assert len(bodies) == parts_of(text)
    assert "".join(map(text_of, deliveries)) == text
    assert max(len(one.message) for one in deliveries) <= 160


@settings(max_examples=50, deadline=None)
@given(
    body=st.binary(max_size=80) | st.just(RECEIPT),
    flips=st.lists(st.tuples(st.integers(0, 200), st.binary(max_size=2)), max_size=4),
)
def test_a_damaged_delivery_is_heard_or_refused(body: bytes, flips: list[tuple[int, bytes]]) -> None:
    damaged = bytearray(body)
    for place, change in flips:
        damaged[place : place + 1] = change
    try:
        heard = heard_in(SHOP, delivery_of(bytes(damaged)))
    except PduError:
        return
    assert heard is None or isinstance(heard, Receipt | TextReceived)
    assert len(msgspec.json.encode(heard)) < 20_000


@settings(max_examples=50, deadline=None)
@given(status=st.integers(100, 999), body=st.binary(max_size=40) | JSON.map(msgspec.json.encode))
def test_only_clear_answers_let_a_message_be_sent_again(status: int, body: bytes) -> None:
    found = outcome_of(WORDS, status, body)
    assert all(isinstance(one, Accepted | Receipt | Ended | Unknown | Unplaced) for one in found)
    assert (found == (Unplaced(),)) is (status in {429, 503})
    if not 200 <= status < 500:
        assert found in {(Unknown(),), (Unplaced(),)}


@settings(max_examples=50, deadline=None)
@given(fields=st.dictionaries(st.sampled_from(["key", "id", "status", "from", "to", "text"]), JSON))
def test_any_callback_is_a_receipt_a_text_or_nothing(fields: dict[str, Any]) -> None:
    receipt, text = receipt_in(WORDS, fields), text_in(WORDS, fields)
    assert receipt is None or receipt.key or receipt.receipt.name
    assert text is None or (0 < len(text.number) <= 64 and len(text.text) <= 2_000)


@settings(max_examples=50, deadline=None)
@given(
    given_=st.dictionaries(st.sampled_from([*HttpParameters.__struct_fields__, "port", "smsc"]), JSON | st.just("{x}"))
)
def test_wrong_parameters_are_refused_with_a_sentence(given_: dict[str, Any]) -> None:
    text = msgspec.json.encode(given_).decode()
    for protocol in ("http", "kannel"):
        with pytest.raises(ParametersError, match=r"\w"):
            read_http_parameters(protocol, text)
    with pytest.raises(ParametersError):
        read_smpp_parameters(text)


@pytest.mark.parametrize(
    ("body", "heard"),
    [
        (b'{"a": [{"s": "ok", "id": 7}]}', (Accepted(("7",)),)),
        (b'{"a": [{"s": "ok"}]}', (Accepted(()),)),
        # Only what looks like a name is one: an answer of another server tells nothing.
        (b'{"a": [{"s": "ok", "id": "two words"}]}', (Accepted(()),)),
        (b'{"a": [{"s": "ok", "id": "{\\"Token\\":1}"}]}', (Accepted(()),)),
        (b'{"a": [{"s": "ok", "id": "' + 129 * b"x" + b'"}]}', (Accepted(()),)),
        (b'{"a": [{"s": "ok", "id": "x\\ny"}]}', (Accepted(()),)),
        (b'{"a": [{"s": "no", "id": 7}]}', (Receipt("", MessageStatus.FAILED),)),
        (b"<html>", (Unknown(),)),
        (b"[" * 100_000, (Unknown(),)),
    ],
)
def test_an_answer_says_what_became_of_the_message(body: bytes, heard: tuple[object, ...]) -> None:
    assert outcome_of(WORDS, 200, body) == heard


def test_a_carrier_without_receipts_makes_a_message_final() -> None:
    assert outcome_of(HttpParameters(url="https://a.example/"), 200, b"") == (Ended(0, Cause.NORMAL_CLEARING),)


def receipt(text: str, option: str = "") -> Delivery:
    """Return a receipt with a text, and with an optional parameter."""
    options: dict[int, bytes] = {Tag.RECEIPTED_MESSAGE_ID: option.encode() + b"\x00"} if option else {}
    return delivery_of(submit_bodies(SHOP, order(text))[0])._replace(esm_class=4, options=options)


@settings(max_examples=50, deadline=None)
@given(number=st.integers(0, 10**15), zeros=st.integers(0, 12), is_upper=st.booleans(), has_option=st.booleans())
@pytest.mark.parametrize("ids", ["decimal", "hex"])
def test_numbers_in_receipts_never_depend_on_leading_zeros(
    ids: Literal["decimal", "hex"], number: int, zeros: int, *, is_upper: bool, has_option: bool
) -> None:
    """SMPP 3.4, appendix B and 5.3.2.12: the text has a padded decimal number, the parameter the first name."""
    parameters = replace(SHOP, ids=ids)
    given_ = zeros * "0" + (f"{number:x}" if ids == "hex" else str(number))
    given_ = given_.upper() if is_upper else given_
    found = receipt(f"id:{number:010} stat:DELIVRD", given_ if has_option else "")
    assert heard_in(parameters, found) == Receipt(name_of(parameters, given_), MessageStatus.DELIVERED)


@pytest.mark.parametrize(
    ("ids", "given_", "text", "option"),
    [
        ("hex", "00ab", "id:00AB stat:DELIVRD", ""),
        ("hex", "00ab", "stat:DELIVRD", "ab"),
        ("hex", "1a", "stat:DELIVRD", "0026"),
        ("decimal", "a-7", "id:a-7 stat:DELIVRD", ""),
        ("same", "007", "id:007 stat:DELIVRD", ""),
    ],
)
def test_other_names_match_as_far_as_they_can(
    ids: Literal["same", "decimal", "hex"], given_: str, text: str, option: str
) -> None:
    parameters = replace(SHOP, ids=ids)
    assert heard_in(parameters, receipt(text, option)) == Receipt(name_of(parameters, given_), MessageStatus.DELIVERED)


@settings(max_examples=50, deadline=None)
@given(name=st.text(max_size=80) | st.from_regex(r"[0-9a-fx_+-]{0,80}", fullmatch=True))
@pytest.mark.parametrize("ids", ["same", "decimal", "hex"])
def test_any_name_can_be_stored_or_is_empty(ids: Literal["same", "decimal", "hex"], name: str) -> None:
    found = name_of(replace(SHOP, ids=ids), name)
    assert len(found) <= 64
    assert not found or found.isprintable()


@pytest.mark.parametrize(
    ("ton", "given_", "number", "is_national"),
    [
        (0, "12025550407", "12025550407", False),
        (1, "12025550407", "+12025550407", False),
        (1, "+12025550407", "+12025550407", False),
        (2, "2025550407", "2025550407", True),
        (2, "+12025550407", "+12025550407", False),
        (3, "2025550407", "2025550407", True),
        (4, "5550407", "5550407", True),
        (5, "Shop", "Shop", True),
        (6, "50407", "50407", True),
    ],
)
def test_only_an_international_number_is_given_a_plus(ton: int, given_: str, number: str, *, is_national: bool) -> None:
    """SMPP 3.4, 5.2.5. Type 0 says nothing."""
    text = delivery_of(submit_bodies(SHOP, order("STOP"))[0])._replace(source=Address(ton, 1, given_))
    assert heard_in(SHOP, text) == TextReceived(number, "3545550100", "STOP", is_national)


@pytest.mark.parametrize(
    ("text", "options", "status"),
    [
        ("id: m1 sub: 001 dlvrd: 001 stat: DELIVRD err: 000", {}, "DELIVERED"),
        ("id = m1 stat = UNDELIV", {}, "FAILED"),
        ("ID:m1 SUB:001 STAT:delivrd", {}, "DELIVERED"),
        ("id:m1\r\nstat:Undeliverable\r\n", {}, "FAILED"),
        ("stat:REJECTED id:m1", {}, "FAILED"),
        ("id:m1 status:delivered", {}, "DELIVERED"),
        ("id:m1 stat:ENROUTE", {}, None),
        ("id: sub:001 stat:DELIVRD", {}, None),
        # A final status wins over one that is not. Of two final ones, the optional parameter wins: it is defined.
        ("id:m1 stat:DELIVRD", {Tag.MESSAGE_STATE: b"\x01"}, "DELIVERED"),
        ("id:m1 stat:ENROUTE", {Tag.MESSAGE_STATE: b"\x02"}, "DELIVERED"),
        ("id:m1 stat:DELIVRD", {Tag.MESSAGE_STATE: b"\x05"}, "FAILED"),
        ("id:m1 stat:UNDELIV", {Tag.MESSAGE_STATE: b"\x02"}, "DELIVERED"),
        ("id:m1 stat:DELIVRD", {Tag.MESSAGE_STATE: b""}, "DELIVERED"),
    ],
)
def test_receipts_are_read_in_the_spellings_of_carriers(
    text: str, options: dict[int, bytes], status: str | None
) -> None:
    found = heard_in(SHOP, receipt(text)._replace(options=options))
    assert found == (None if status is None else Receipt("m1", MessageStatus[status]))


def test_a_receipt_in_ucs_2_is_read() -> None:
    wide = receipt("")._replace(data_coding=8, message="id:m1 stat:DELIVRD".encode("utf-16-be"))
    assert heard_in(SHOP, wide) == Receipt("m1", MessageStatus.DELIVERED)


def test_data_sm_holds_a_receipt_or_a_text_in_its_optional_parameters() -> None:
    """SMPP 3.4, 4.7.1: service type, source, destination, esm_class, registered_delivery, data_coding, parameters."""
    head = b"\0" + b"\1\x0112025550407\0" + b"\1\x013545550199\0"
    told = head + b"\4\0\0" + b"\x00\x1e\x00\x03m1\0" + b"\x04\x27\x00\x01\x02"
    assert heard_in(SHOP, data_of(told)) == Receipt("m1", MessageStatus.DELIVERED)
    said = head + b"\0\0\0" + b"\x04\x24\x00\x04STOP"
    assert heard_in(SHOP, data_of(said)) == TextReceived("+12025550407", "3545550199", "STOP")
    with pytest.raises(PduError):
        data_of(head + b"\0\0")


PLACES = [
    (b"\5\0\3\x2a\2\1", {}, TextPart("0/2a", 1, 2)),
    (b"\6\x08\4\x12\x34\2\2", {}, TextPart("8/1234", 2, 2)),
    # Ports before it (3GPP TS 23.040, 9.2.3.24.4), and a shift table behind it.
    (b"\x0b\5\4\0\1\0\2\0\3\x2a\3\2", {}, TextPart("0/2a", 2, 3)),
    (b"\x08\0\3\x2a\2\1\x24\1\1", {}, TextPart("0/2a", 1, 2)),
    (b"", {0x020C: b"\x12\x34", 0x020E: b"\2", 0x020F: b"\1"}, TextPart("sar/1234", 1, 2)),
    (b"\5\0\3\x2a\1\1", {}, None),
    (b"\5\0\3\x2a\2\3", {}, None),
    (b"\5\0\3\x2a\2\0", {}, None),
    (b"\3\x2a\2\1", {}, None),
    (b"\1\0", {}, None),
    (b"", {0x020E: b"\2"}, None),
    (b"", {}, None),
]


@pytest.mark.parametrize(("header", "options", "part"), PLACES)
def test_the_place_of_a_part_is_read_in_each_of_its_spellings(
    header: bytes, options: dict[int, bytes], part: TextPart | None
) -> None:
    """3GPP TS 23.040, 9.2.3.24.1 and 9.2.3.24.8; SMPP 3.4, 5.3.2.22 to 5.3.2.24."""
    text = delivery_of(submit_bodies(SHOP, order(""))[0])
    text = text._replace(esm_class=0x40 if header else 0, message=header + b"Hi", options=options)
    assert (part_of(text), text_of(text)) == (part, "Hi")
