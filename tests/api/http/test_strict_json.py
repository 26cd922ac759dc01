import json

import pytest

from dialer.resources.words.strict_json import DEPTH_MAX, MEMBERS_MAX, StrictJsonError, read_object

MEBIBYTE = 1_048_576


@pytest.mark.parametrize(
    "document",
    [
        b'{"a": [1, 2.5, true, null, "x"], "b": {"c": {}}}',
        '{"ß": "日本 \\u00e9 \\ud83d\\ude00"}'.encode(),
        b'{"a": "\\\\u0000 [[[[ {{{{ \\" ]"}',
        b'{"a": 1000000000000000000000000000000}',
        b"{}",
        b' \n{"a":1}\t',
    ],
)
def test_an_object_is_read_as_every_parser_reads_it(document: bytes) -> None:
    assert read_object(document) == json.loads(document)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (b"", "Expecting value: character 0."),
        (b'{"a": 1', "Expecting ',' delimiter: character 7."),
        (b"[1]", "an object is required."),
        (b'"x"', "an object is required."),
        (b'{"a": NaN}', "NaN is not JSON."),
        (b'{"a": -Infinity}', "-Infinity is not JSON."),
        (b'{"a": 1, "a": 2}', "a name occurs twice in one object."),
        (b'{"a": {"b": 1, "b": 1}}', "a name occurs twice in one object."),
        (b'{"a": "\\u0000"}', "NUL characters are not accepted."),
        (b'{"a": "\\\\\\u0000"}', "NUL characters are not accepted."),
        (b'{"a": "\x00"}', "Invalid control character at: character 7."),
        (b'{"a": "\\ud800"}', "'a' has half of a surrogate pair."),
        (b'{"\\udfff": 1}', "'?' has half of a surrogate pair."),
        (b'{"a": "\xff"}', "the text is not valid UTF-8."),
        (b'\xef\xbb\xbf{"a": 1}', "Unexpected UTF-8 BOM (decode using utf-8-sig): character 0."),
        ('{"a": 1}'.encode("utf-16"), "the text is not valid UTF-8."),
        ('{"a": 1}'.encode("utf-16-le"), "Expecting property name enclosed in double quotes: character 1."),
        (b'{"a": ' + b"9" * 5_000 + b"}", "a number is too long."),
    ],
)
def test_an_ambiguous_document_is_refused(document: bytes, message: str) -> None:
    with pytest.raises(StrictJsonError) as refused:
        read_object(document)
    assert str(refused.value) == f"JSON parse error - {message}"


def nested(depth: int) -> bytes:
    """Return an object that is `depth` levels deep."""
    return b'{"a":' * depth + b"1" + b"}" * depth


def test_sixty_four_levels_are_read_and_one_more_is_not() -> None:
    assert read_object(nested(DEPTH_MAX)) == json.loads(nested(DEPTH_MAX))
    with pytest.raises(StrictJsonError, match="more than 64 levels"):
        read_object(nested(DEPTH_MAX + 1))


def test_brackets_in_strings_are_no_levels() -> None:
    document = json.dumps({"a": "[" * 1_000, "b": '"' + "{" * 1_000}).encode()
    assert read_object(document) == json.loads(document)


@pytest.mark.parametrize(
    "document",
    [
        b"[" * MEBIBYTE,
        b'{"a":' * 100_000,
        b'{"a":' + b"[" * 500_000 + b"]" * 500_000 + b"}",
        b"{" + b",".join(b'"%d":1' % number for number in range(90_000)) + b"}",
        b'{"a":[' + b"{}," * 300_000 + b"{}]}",
        b'"' * MEBIBYTE,
        b"[[" * 40 + b'"\\' * 500_000,
        b'"' + b"\\" * MEBIBYTE,
        b" " * MEBIBYTE,
        b'{"a":' + b"9" * 1_000_000 + b"}",
    ],
    ids=lambda document: document[:12].decode(),
)
def test_a_bomb_is_refused(document: bytes) -> None:
    with pytest.raises(StrictJsonError):
        read_object(document)


def test_as_many_members_as_are_allowed_are_read() -> None:
    document = json.dumps({"a": [0] * (MEMBERS_MAX - 100)}).encode()
    assert len(read_object(document)["a"]) == MEMBERS_MAX - 100
