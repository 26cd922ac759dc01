"""Tests of the kinds of fields: accepted spellings, and values that are refused."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.words.enums import AmdBehavior
from dialer.resources.crud.fields import (
    Amount,
    AmountNumber,
    Boolean,
    Choice,
    Conventions,
    FieldError,
    Integer,
    JsonObject,
    JsonText,
    Kind,
    PhoneNumber,
    Text,
    TextChoice,
)
from dialer.resources.crud.moments import TimeOfDay, Timestamp, show_timestamp
from dialer.resources.crud.references import Reference, ReferenceList
from dialer.resources.crud.urls import Links
from dialer.resources.records.rate_cards import Prefix
from tests.api.harness import Json

LINKS = Links("https://dial.example/base", frozenset({"dial.example", "10.0.0.1:8000"}))
CONVENTIONS = Conventions(ZoneInfo("Europe/Berlin"), "US", LINKS)
BOOK, DNC = Reference("phonebook"), Reference("dnc-list")


@pytest.mark.parametrize(
    ("kind", "given", "stored"),
    [
        (Text(), "x", "x"),
        (Text(), 17, "17"),
        (Text(), "", ""),
        (Integer(), "20", 20),
        (Integer(), 20, 20),
        (Integer(), 20.0, 20),
        (Integer(), "20.0", 20),
        (Integer(-5), "-5", -5),
        (Choice(AmdBehavior), "2", 2),
        (TextChoice(("sim",)), "sim", "sim"),
        (Boolean(), "True", True),
        (Boolean(), "false", False),
        (Boolean(), "1", True),
        (Boolean(), 0, False),
        (Boolean(), True, True),
        (Amount(), "12.34567", 1_234_567),
        (Amount(), -1, -100_000),
        (Amount(), 0.1, 10_000),
        (Timestamp(), "1970-01-01T00:00:01Z", 1_000),
        (Timestamp(), "2026-07-01 10:00:00", 1_782_892_800_000),
        (Timestamp(), "2026-07-01T10:00:00+02:00", 1_782_892_800_000),
        (Timestamp(), "2026-07-01t08:00z", 1_782_892_800_000),
        (Timestamp(), "2026-07-01T08:00:00.1234567Z", 1_782_892_800_123),
        (TimeOfDay(), "09:30", "09:30:00"),
        (TimeOfDay(), "23:59:59", "23:59:59"),
        (PhoneNumber(), "+1 (202) 555-0100", "+1 (202) 555-0100"),
        (PhoneNumber(), 12025550100, "12025550100"),
        (JsonText(), '{"a": [1, "ü"]}', '{"a":[1,"ü"]}'),
        (JsonObject(), {"a": {"b": None}}, '{"a":{"b":null}}'),
        (BOOK, "/rest-api/phonebook/5/", 5),
        (BOOK, "/rest-api/phonebook/5", 5),
        (BOOK, "https://dial.example/base/rest-api/phonebook/5/", 5),
        (BOOK, "http://10.0.0.1:8000/rest-api/phonebook/5/", 5),
        (BOOK, 5, 5),
        (BOOK, 5.0, 5),
        (BOOK, "5", 5),
        (DNC, "/rest-api/dnc/5/", 5),
        (DNC, "/rest-api/dnc-list/5/", 5),
        (ReferenceList("phonebook"), ["/rest-api/phonebook/2/", 1, "2"], (2, 1)),
        (ReferenceList("phonebook"), "/rest-api/phonebook/2/", (2,)),
        (ReferenceList("phonebook"), "3, 1", (3, 1)),
        (ReferenceList("phonebook"), 7, (7,)),
        (ReferenceList("phonebook"), "", ()),
        (ReferenceList("phonebook"), [], ()),
    ],
)
def test_every_spelling_is_stored_in_one_way(kind: Kind, given: Json, stored: object) -> None:
    assert kind.parse(given, CONVENTIONS) == stored


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (Text(3), "four"),
        (Text(3, min_length=1), "  "),
        (Text(), "a\x00b"),
        (Text(), True),
        (Text(), float("-inf")),
        (Text(), ["x"]),
        (Integer(), 1.5),
        (Integer(), "1_0"),
        (Integer(), "\u0661"),
        (Integer(), True),
        (Integer(), None),
        (Integer(), 2**31),
        (Integer(), -1),
        (Integer(), float("inf")),
        (Choice(AmdBehavior), 4),
        (Choice(AmdBehavior), "one"),
        (TextChoice(("sim",)), "sip"),
        (TextChoice(("sim",)), {}),
        (Boolean(), "yes"),
        (Boolean(), 2),
        (Boolean(), None),
        (Boolean(), 1.0),
        (Amount(), "NaN"),
        (Amount(), "Infinity"),
        (Amount(), "1E+999999"),
        (Amount(), "0.000001"),
        (Amount(), "1e-999999999"),
        (Amount(), "1e1000001"),
        (Amount(), "1_000"),
        (Amount(), "\u0663"),
        (Amount(), 10_000_000),
        (Amount(), True),
        (AmountNumber(minimum=1), 0),
        (Timestamp(), "2026-07-01"),
        (Timestamp(), "2026-13-01T00:00:00"),
        (Timestamp(), "2026-07-01T24:00:01"),
        (Timestamp(), "1969-12-31T23:59:59Z"),
        (Timestamp(), "1970-01-01T00:00:00+01:00"),
        (Timestamp(), "2201-01-01T00:00:00Z"),
        (Timestamp(), "0001-01-01T00:00:00Z"),
        (Timestamp(), "\uff12\uff10\uff12\uff16-07-01T00:00:00"),
        (Timestamp(), 1_782_892_800),
        (TimeOfDay(), "24:00"),
        (TimeOfDay(), "9:00"),
        (TimeOfDay(), 900),
        (PhoneNumber(), "12"),
        (PhoneNumber(), "+1202555010012345"),
        (PhoneNumber(), "call me"),
        (PhoneNumber(), "1" * 100_000),
        (PhoneNumber(), 1.5),
        (JsonText(), "[1]"),
        (JsonText(), "{"),
        (JsonText(), '{"a": NaN}'),
        (JsonText(), 5),
        (JsonText(), None),
        (JsonObject(10), {"a": "0123456789"}),
        (JsonObject(10), '{"a":' + " " * 200 + "1}"),
        (JsonObject(), {"a": float("inf")}),
        (BOOK, "/rest-api/contact/5/"),
        (BOOK, "/rest-api/phonebook/0/"),
        (BOOK, "/rest-api/phonebook/9223372036854775808/"),
        (BOOK, "/rest-api/phonebook/\u0665/"),
        (BOOK, "/rest-api/phonebook/5/import/"),
        (BOOK, "rest-api/phonebook/5/"),
        (BOOK, "https://elsewhere.example/rest-api/phonebook/5/"),
        (BOOK, "https://dial.example@elsewhere.example/rest-api/phonebook/5/"),
        (BOOK, "//dial.example/rest-api/phonebook/5/"),
        (BOOK, "ftp://dial.example/rest-api/phonebook/5/"),
        (BOOK, "http://[/rest-api/phonebook/5/"),
        (BOOK, 0),
        (BOOK, -5),
        (BOOK, 10**30),
        (BOOK, True),
        (BOOK, 5.5),
        (BOOK, {}),
        (ReferenceList("phonebook"), [[1]]),
        (ReferenceList("phonebook"), "1,x"),
        (ReferenceList("phonebook"), list(range(1, 1_002))),
        (ReferenceList("phonebook"), {"a": 1}),
    ],
    ids=lambda item: repr(item)[:60],
)
def test_an_invalid_value_of_a_kind_is_refused(kind: Kind, given: Json) -> None:
    with pytest.raises(FieldError):
        kind.parse(given, CONVENTIONS)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (
            Timestamp(),
            "2026-02-30T00:00:00Z",
            "'2026-02-30T00:00:00Z' does not exist. Check the date, the time and the offset.",
        ),
        (
            Timestamp(),
            "2201-01-01T00:00:00Z",
            "'2201-01-01T00:00:00Z' is out of range. Use a date from 1970 to 2200.",
        ),
        (JsonObject(), [1], "Value must be a JSON object, not list."),
        (
            Prefix(),
            "44x",
            '"44x" is not a prefix. Use at most 15 digits with the country code, or none for every number.',
        ),
    ],
)
def test_an_error_names_the_value_and_the_remedy(kind: Kind, given: Json, message: str) -> None:
    with pytest.raises(FieldError) as error:
        kind.parse(given, CONVENTIONS)
    assert str(error.value) == message


def test_a_thousand_references_fit_in_a_list() -> None:
    ids = tuple(range(1, 1_001))
    assert ReferenceList("phonebook").parse(list(ids), CONVENTIONS) == ids


@pytest.mark.parametrize(
    ("at_ms", "shown"),
    [(0, "1970-01-01T00:00:00Z"), (1_782_892_800_000, "2026-07-01T08:00:00Z"), (1, "1970-01-01T00:00:00.001000Z")],
)
def test_timestamps_are_shown_in_utc(at_ms: int, shown: str) -> None:
    assert show_timestamp(at_ms) == shown


@given(st.integers(0, 7_258_118_400_000))
def test_every_timestamp_is_shown_as_the_calendar_has_it(at_ms: int) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)
    assert show_timestamp(at_ms) == moment.isoformat().replace("+00:00", "Z")


def test_many_values_are_shown_as_each_of_them_is() -> None:
    kinds: list[Kind] = [Amount(), AmountNumber(), Timestamp(), Reference("contact"), Text()]
    values = [0, -1_234_000, None, 7, 7]
    each = [[None if value is None else kind.show(value, LINKS) for value in values] for kind in kinds]
    assert [list(kind.show_all(values, LINKS)) for kind in kinds] == each
