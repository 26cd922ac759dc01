"""Tests of the lines of errors in each format."""

import pytest

from dialer.files.nodes import FileError
from dialer.files.reading import read_text

JSON = """\
{
    "surveys": [
        {"name": "A"},
        {
            "name": 12
        }
    ]
}
"""


@pytest.mark.parametrize("text", [JSON, JSON.replace("    ", "\t"), JSON.replace('"A"', '"\\ud83d\\ude00"')])
def test_values_of_json_have_lines(text: str) -> None:
    second = read_text(text.encode(), "a.json").members()["surveys"].items(2)[1].members()["name"]
    with pytest.raises(FileError) as refused:
        second.text()
    (message,) = refused.value.messages
    assert message == "a.json:5: surveys[1].name: expected a text, got a number, '12'"
