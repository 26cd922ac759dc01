"""Tests of hostile bodies: they are refused cheaply, and nothing of them is stored."""

import gzip
from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.harness import Caller

MEBIBYTE = 1_048_576


def post(
    caller: Caller, content: bytes | Iterator[bytes], media_type: str | None = "application/json"
) -> tuple[int, Any]:
    headers = {} if media_type is None else {"Content-Type": media_type}
    answer = caller.request("POST", "phonebook/", content=content, headers=headers)
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"name": "x"',
        b'{"name": "\xff"}',
        '{"name": "x"}'.encode("utf-16"),
        b'\xef\xbb\xbf{"name": "x"}',
        b'{"name": NaN}',
        b'{"name": "x", "name": "y"}',
        b'{"name": "a\\u0000b"}',
        b'{"name": "\\ud800"}',
        b"[" * 100_000,
        b'{"name": ' * 100_000,
        b'{"x":' + b"[" * 65 + b"]" * 65 + b', "name": "x"}',
        b'["name"]',
        b"null",
        b"{" + b",".join(b'"%d":1' % number for number in range(90_000)) + b"}",
        b'{"name": ' + b"9" * 100_000 + b"}",
    ],
    ids=lambda content: repr(content[:20]),
)
def test_a_body_that_is_no_json_object_is_refused_and_not_stored(alice: Caller, content: bytes) -> None:
    status, body = post(alice, content)
    assert (status, list(body)) == (400, ["detail"])
    assert alice.get("phonebook/")["count"] == 0


@pytest.mark.parametrize(
    "media_type",
    [
        None,
        "text/plain",
        "application/xml",
        "multipart/form-data",
        "application/jsonp",
        "application/x-www-form-urlencoded",
        ";",
    ],
)
def test_another_content_type_is_refused(alice: Caller, media_type: str | None) -> None:
    refusal = (415, {"detail": "Send the body as application/json."})
    assert post(alice, b'{"name": "x"}', media_type) == refusal
    assert post(alice, b"", media_type) == refusal


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("phonebook/", "application/json"),
        ("contact/bulk/", "application/json"),
        ("contact/bulk/", "application/x-ndjson"),
        ("phonebook/1/import/", "text/csv"),
        ("phonebook/1/import/", "multipart/form-data; boundary=x"),
        ("audio-files/", "multipart/form-data; boundary=x"),
    ],
)
def test_a_compressed_body_is_refused_by_the_name_of_its_coding(alice: Caller, path: str, media_type: str) -> None:
    alice.create("phonebook", name="book")
    headers = {"Content-Type": media_type, "Content-Encoding": "gzip"}
    answer = alice.request("POST", path, content=gzip.compress(b"[]"), headers=headers)
    detail = "'gzip' is not an accepted Content-Encoding. Send the body uncompressed."
    assert (answer.status_code, answer.json()) == (415, {"detail": detail})
    assert answer.headers["accept-encoding"] == "identity"


def test_a_body_may_say_that_it_is_not_compressed(alice: Caller) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "Identity"}
    assert alice.request("POST", "phonebook/", content=b'{"name": "x"}', headers=headers).status_code == 201


@pytest.mark.parametrize("media_type", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_json_may_have_parameters(alice: Caller, media_type: str) -> None:
    assert post(alice, b'{"name": "x"}', media_type)[0] == 201


def test_a_body_over_a_mebibyte_is_refused_whether_its_length_is_told_or_not(alice: Caller) -> None:
    body = b'{"name": "x", "y": "%s"}'
    fits, too_long = body % (b"y" * (MEBIBYTE - 22)), body % (b"y" * (MEBIBYTE - 21))
    refusal = (413, {"detail": "The body is too large."})
    assert post(alice, too_long) == refusal
    assert post(alice, iter([too_long[:1_000], too_long[1_000:]])) == refusal
    assert post(alice, iter([b" " * 65_536] * 1_000)) == refusal
    assert post(alice, fits)[0] == 201


@pytest.mark.parametrize("number", [10**30, -(10**30), 2**63, 1e400, 1.5, "1e3", "\u0663", True, [1], {}, "0x10", ""])
def test_a_number_that_is_none_is_an_error_of_its_field(alice: Caller, number: object) -> None:
    fields = {"name": "desk", "max_wait_time": number}
    content = str(fields).replace("'", '"').replace("True", "true").replace("inf", "1e400").encode()
    answer = alice.request("POST", "queue/", content=content, headers={"Content-Type": "application/json"})
    assert (answer.status_code, list(answer.json())) == (400, ["max_wait_time"])
