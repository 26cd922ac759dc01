"""Tests of gzip for answers."""

import gzip
import zlib
from typing import Any, Final

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.api.http.compression import COMPRESSED_BYTES_MIN, THREAD_BYTES_MIN, Compression, accepts_gzip
from tests.api.harness import Caller, Json

JSON: Final = b"application/json"
MANY: Final = 30
"""Records whose list is large enough."""
GZIP: Final = [(b"accept-encoding", b"gzip")]


def answered(
    pieces: list[bytes], *headers: tuple[bytes, bytes], status: int = 200, accepted: Json = None
) -> tuple[dict[bytes, bytes], list[bytes]]:
    """Send an answer through the middleware, in one piece or more; return its headers and the pieces that arrive."""
    sent: list[Any] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        await send({"type": "http.response.start", "status": status, "headers": list(headers)})
        for place, piece in enumerate(pieces, 1):
            await send({"type": "http.response.body", "body": piece, "more_body": place < len(pieces)})

    async def send(message: Any) -> None:  # noqa: ANN401 - ASGI
        sent.append(message)

    async def run() -> None:
        scope: Any = {"type": "http", "headers": GZIP if accepted is None else accepted}
        await Compression(app)(scope, None, send)  # type: ignore[arg-type]

    anyio.run(run)
    assert [message["type"] for message in sent] == ["http.response.start"] + ["http.response.body"] * len(pieces)
    return dict(sent[0]["headers"]), [message["body"] for message in sent[1:]]


def test_a_list_is_compressed_for_a_client_that_accepts_it(alice: Caller) -> None:
    for number in range(MANY):
        alice.create("phonebook", name=f"book {number}")
    path = f"phonebook/?page_size={MANY}"
    plain = alice.request("GET", path, headers={"Accept-Encoding": "identity"})
    packed = alice.request("GET", path, headers={"Accept-Encoding": "gzip"})
    assert packed.content == plain.content
    assert int(packed.headers["content-length"]) * 4 < int(plain.headers["content-length"]) == len(plain.content)
    encodings = [answer.headers.get("content-encoding") for answer in (plain, packed)]
    assert (encodings, packed.headers["vary"], plain.headers["vary"]) == ([None, "gzip"], *["Accept-Encoding"] * 2)


def test_exports_and_the_document_are_compressed(alice: Caller) -> None:
    alice.create("phonebook", name="book")
    rows = "contact\n" + "".join(f"+1202{number:07d}\n" for number in range(1_500))
    alice.request("POST", "phonebook/1/import/", content=rows, headers={"Content-Type": "text/csv"})
    for path in ("contact/?format=csv", "contact/?format=ndjson", "/schema/openapi.json"):
        packed = alice.request("GET", path, headers={"Accept-Encoding": "gzip"})
        plain = alice.request("GET", path, headers={"Accept-Encoding": "identity"})
        assert (packed.headers["content-encoding"], packed.content) == ("gzip", plain.content)


def test_one_record_and_its_tag_stay_as_they_are(alice: Caller) -> None:
    alice.create("phonebook", name="book", description="long " * 1_000)
    answer = alice.request("GET", "phonebook/1/", headers={"Accept-Encoding": "gzip"})
    assert ("content-encoding" in answer.headers, len(answer.content) > 5_000) == (False, True)
    again = alice.request("GET", "phonebook/1/", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("size", [COMPRESSED_BYTES_MIN, THREAD_BYTES_MIN, 10 * THREAD_BYTES_MIN])
def test_a_body_has_its_new_length(size: int) -> None:
    length = (b"content-length", str(size).encode())
    headers, (body,) = answered([b"x" * size], (b"content-type", JSON), length, (b"vary", b"Accept"))
    assert gzip.decompress(body) == b"x" * size
    assert headers[b"content-length"] == str(len(body)).encode()
    assert headers[b"vary"] == b"Accept, Accept-Encoding"


def test_a_stream_arrives_piece_by_piece() -> None:
    pieces = [b"first " * 10, b"x" * THREAD_BYTES_MIN, b"", b"last"]
    headers, packed = answered(pieces, (b"content-type", b"text/csv; charset=utf-8"), (b"content-length", b"9"))
    assert b"content-length" not in headers
    unpack, seen = zlib.decompressobj(31), b""
    for count, piece in enumerate(packed, 1):
        seen += unpack.decompress(piece)
        assert seen == b"".join(pieces[:count])
    assert unpack.eof


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([(b"content-type", b"audio/wav")], 200),
        ([(b"content-type", b"application/zip")], 200),
        ([(b"content-type", b"text/event-stream")], 200),
        ([(b"content-type", JSON), (b"content-encoding", b"br")], 200),
        ([(b"content-type", JSON), (b"etag", b'"strong"')], 200),
        ([(b"content-type", JSON)], 206),
        ([], 200),
    ],
)
def test_other_answers_stay_as_they_are(headers: list[tuple[bytes, bytes]], status: int) -> None:
    for pieces in ([b"x" * 5_000], [b"x" * 5_000, b"y"]):
        assert answered(pieces, *headers, status=status) == (dict(headers), pieces)


def test_a_small_answer_stays_as_it_is() -> None:
    body = b"x" * (COMPRESSED_BYTES_MIN - 1)
    assert answered([body], (b"content-type", JSON)) == ({b"content-type": JSON}, [body])


def test_a_weak_tag_may_be_compressed() -> None:
    headers, _ = answered([b"x" * 5_000], (b"content-type", JSON), (b"etag", b'W/"weak"'))
    assert headers[b"content-encoding"] == b"gzip"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], False),
        ([b""], False),
        ([b"gzip"], True),
        ([b"deflate, GZIP;q=0.5"], True),
        ([b"br", b"x-gzip"], True),
        ([b"*"], True),
        ([b"gzip;q=0"], False),
        ([b"gzip; Q=0.000, *"], False),
        ([b"*;q=0"], False),
        ([b"identity, br"], False),
        ([b"notgzip"], False),
    ],
)
def test_the_client_chooses(values: list[bytes], expected: object) -> None:
    scope: Any = {"headers": [(b"accept-encoding", value) for value in values]}
    assert accepts_gzip(scope) is expected


@given(st.lists(st.binary(max_size=3_000), min_size=1, max_size=5), st.booleans())
def test_any_body_is_what_it_was(pieces: list[bytes], accepted: object) -> None:
    accepts: Json = GZIP if accepted else []
    headers, packed = answered(pieces, (b"content-type", JSON), accepted=accepts)
    body = b"".join(packed)
    assert (gzip.decompress(body) if b"content-encoding" in headers else body) == b"".join(pieces)


@given(st.binary(max_size=60))
def test_no_header_breaks_a_request(value: bytes) -> None:
    scope: Any = {"headers": [(b"accept-encoding", value)]}
    assert accepts_gzip(scope) in {True, False}
