"""Tests of unknown names: they are listed in a header, or refused if the client prefers that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.api.http.known_parameters import prefers_strict
from dialer.resources.words.ignored import IGNORED_NAMES_MAX
from tests.api.builders import Estate
from tests.api.harness import Caller

STRICT = {"Prefer": "handling=strict"}


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("contact/?phonebook=1", "phonebook"),
        ("contact/?q=ada&page=1&page_size=5&phonebook_id=1&format=json&q=bob&order=", "q, order"),
        ("contact/?format=csv&phonebook=1", "phonebook"),
        ("contact/?format=ndjson&phonebook=1", "phonebook"),
        ("cdr/?agent=1", "agent"),
        ("subscriber-list/?campaign=1", "campaign"),
        ("dnc/?id=1", "id"),
        ("contact/1/?phonebook_id=1", "phonebook_id"),
        ("phonebook/?format=csv", "format"),
        ("clock/?zone=utc", "zone"),
        ("surveyaggregate/1/?section=1", "section"),
        ("survey-template/1/check/?%C3%BC%0D%0AX-Evil:%201", "%C3%BC%0D%0AX-Evil: 1"),
    ],
)
def test_unknown_parameters_are_named(estate: Estate, path: str, named: str) -> None:
    answer = estate.owner.request("GET", path)
    assert (answer.status_code, answer.headers["x-ignored-parameters"]) == (200, named)
    assert "preference-applied" not in answer.headers


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("contact/?phonebook_id=1&phonebook_id=2", {"phonebook_id"}),
        ("contact/?page=1&page=2&search=a&search=b", {"page", "search"}),
        ("statistics/?group_by=agent&group_by=zone", {"group_by"}),
    ],
)
def test_a_parameter_with_different_values_is_refused(alice: Caller, path: str, named: set[str]) -> None:
    problem = ["This parameter has different values. Give it once."]
    assert alice.refused("GET", path) == (400, dict.fromkeys(named, problem))


def test_a_parameter_that_is_repeated_with_one_value_counts_once(alice: Caller) -> None:
    assert alice.request("GET", "contact/?page=1&page=1&q=a&q=b").status_code == 200


def test_a_parameter_of_lists_is_none_of_a_creation(alice: Caller) -> None:
    answer = alice.request("POST", "phonebook/?name=x", json={"name": "friends"})
    assert (answer.status_code, answer.headers["x-ignored-parameters"]) == (201, "name")


@pytest.mark.parametrize(
    "path", ["contact/", "contact/?page=1&phonebook_id=1&cursor=&full_name=", "contact/?format=csv", "clock/"]
)
def test_known_parameters_are_not_named(estate: Estate, path: str) -> None:
    assert "x-ignored-parameters" not in estate.owner.request("GET", path).headers
    strict = estate.owner.request("GET", path, headers=STRICT)
    assert (strict.status_code, strict.headers["preference-applied"]) == (200, "handling=strict")


def test_an_error_names_ignored_parameters_as_well(alice: Caller) -> None:
    answer = alice.request("GET", "phonebook/77/?x=1")
    assert (answer.status_code, answer.headers["x-ignored-parameters"]) == (404, "x")


def test_unknown_parameters_are_refused_where_the_client_is_strict(alice: Caller) -> None:
    answer = alice.request("GET", "did/?campaign=1&page=1&x=2", headers=STRICT)
    dates = "created_date_after, created_date_before, updated_date_after, updated_date_before"
    known = f"page, page_size, cursor, search, ordering, did_number, is_assigned, {dates}, user_id, campaign_id"
    message = [f"Unknown parameter. Known: {known}."]
    assert (answer.status_code, answer.json()) == (400, {"campaign": message, "x": message})
    assert answer.headers["preference-applied"] == "handling=strict"
    record = alice.request("GET", "did/1/?x=2", headers=STRICT)
    assert (record.status_code, record.json()) == (400, {"x": ["Unknown parameter. There are none here."]})


def test_unknown_fields_are_refused_with_all_other_errors_where_the_client_is_strict(alice: Caller) -> None:
    body = {"nmae": "friends", "id": 7, "description": None}
    answer = alice.request("POST", "phonebook/", json=body, headers=STRICT)
    unknown = ["This field is unknown or read-only."]
    errors = {
        "nmae": [f"{unknown[0]} Did you mean name?"],
        "id": unknown,
        "description": ["This field may not be null."],
    }
    assert (answer.status_code, answer.json()) == (400, {**errors, "name": ["This field is required."]})
    assert (answer.headers["preference-applied"], "x-ignored-fields" in answer.headers) == ("handling=strict", False)
    assert alice.get("phonebook/")["count"] == 0


def test_a_change_with_an_unknown_field_changes_nothing_where_the_client_is_strict(estate: Estate) -> None:
    url = estate.phonebook["url"]
    answer = estate.owner.request("PATCH", url, json={"name": "foes", "x": 1}, headers=STRICT)
    assert (answer.status_code, answer.json()) == (400, {"x": ["This field is unknown or read-only."]})
    assert estate.owner.get(url)["name"] == "friends"
    done = estate.owner.request("PATCH", url, json={"name": "foes"}, headers=STRICT)
    assert (done.status_code, done.headers["preference-applied"]) == (202, "handling=strict")


@pytest.mark.parametrize("path", ["clock/advance/", "campaigns/1/forecast/"])
def test_routes_of_their_own_refuse_unknown_fields_where_the_client_is_strict(estate: Estate, path: str) -> None:
    answer = estate.admin.request("POST", path, json={"secs": 1}, headers=STRICT)
    assert (answer.status_code, answer.json()["secs"]) == (400, ["This field is unknown or read-only."])


def test_a_refusal_names_only_the_first_unknown_names(alice: Caller) -> None:
    body = {"name": "friends"} | {f"{number}" * 1_000: 1 for number in range(10, 100)}
    errors = alice.request("POST", "phonebook/", json=body, headers=STRICT).json()
    assert (len(errors), max(map(len, errors))) == (IGNORED_NAMES_MAX, 43)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], False),
        (["handling=strict"], True),
        (['return=minimal, Handling = "strict"; x=1'], True),
        (["respond-async", "wait=10,handling=strict"], True),
        (["handling=lenient, handling=strict"], False),
        (["handling=lenient", "handling=strict"], False),
        (["handling"], False),
        (["strict"], False),
        (["handling=strictly"], False),
    ],
)
def test_the_first_handling_that_is_preferred_counts(values: list[str], expected: object) -> None:
    headers = [(b"host", b"handling=strict"), *((b"prefer", value.encode()) for value in values)]
    assert prefers_strict({"headers": headers}) is expected  # type: ignore[arg-type] # no more is read


@given(st.binary(max_size=60))
def test_no_preference_breaks_a_request(value: bytes) -> None:
    assert prefers_strict({"headers": [(b"prefer", value)]}) in {True, False}  # type: ignore[arg-type] # no more is read
