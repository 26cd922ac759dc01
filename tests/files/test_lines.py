"""Tests of the lines of errors in each format."""

import tomllib
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.files.nodes import FileError, Node
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


TOML = """\
# A comment with [brackets] and "quotes
title = "a # b" # another comment
owner.name = "Ann"
"owner" . 'born' = 1979-05-27 07:32:00

[[surveys]]
name = \'\'\'
[not.a.table]
key = 1
\'\'\'
text = \"\"\"
She said \\\"\"\"\\\" and "left".\"\"\"\"\"

  [[surveys.sections]]
  question = "Hi"
  branches = { 0 = 1, "any" = 2 }

  [[surveys.sections]]
  question = 'C:\\'
  keys = [
    "1", # one
    [2, {three = 3,  four = [
      4]}],
  ]
  [surveys.sections.deep]
  "a.b" = 1

[[surveys]]
name = "B"
[owner.more]
x = true
"""
LINES: dict[tuple[str | int, ...], int] = {
    ("title",): 2,
    ("owner",): 3,
    ("owner", "name"): 3,
    ("owner", "born"): 4,
    ("surveys",): 6,
    ("surveys", 0): 6,
    ("surveys", 0, "name"): 7,
    ("surveys", 0, "text"): 11,
    ("surveys", 0, "sections"): 14,
    ("surveys", 0, "sections", 0): 14,
    ("surveys", 0, "sections", 0, "question"): 15,
    ("surveys", 0, "sections", 0, "branches"): 16,
    ("surveys", 0, "sections", 0, "branches", "0"): 16,
    ("surveys", 0, "sections", 0, "branches", "any"): 16,
    ("surveys", 0, "sections", 1): 18,
    ("surveys", 0, "sections", 1, "question"): 19,
    ("surveys", 0, "sections", 1, "keys"): 20,
    ("surveys", 0, "sections", 1, "keys", 0): 21,
    ("surveys", 0, "sections", 1, "keys", 1): 22,
    ("surveys", 0, "sections", 1, "keys", 1, 0): 22,
    ("surveys", 0, "sections", 1, "keys", 1, 1): 22,
    ("surveys", 0, "sections", 1, "keys", 1, 1, "three"): 22,
    ("surveys", 0, "sections", 1, "keys", 1, 1, "four"): 22,
    ("surveys", 0, "sections", 1, "keys", 1, 1, "four", 0): 23,
    ("surveys", 0, "sections", 1, "deep"): 25,
    ("surveys", 0, "sections", 1, "deep", "a.b"): 26,
    ("surveys", 1): 28,
    ("surveys", 1, "name"): 29,
    ("owner", "more"): 30,
    ("owner", "more", "x"): 31,
}


def lines(node: Node, path: tuple[str | int, ...] = ()) -> dict[tuple[str | int, ...], int | None]:
    """Return the lines of all values below a node, by their paths."""
    found: dict[tuple[str | int, ...], int | None] = {path: node.place.line} if path else {}
    inner: Iterable[tuple[str | int, Node]] = node.value.items() if isinstance(node.value, dict) else ()
    for step, one in enumerate(node.value) if isinstance(node.value, list) else inner:
        found |= lines(one, (*path, step))
    return found


@pytest.mark.parametrize("text", [TOML, TOML.replace("\n", "\r\n"), f"\ufeff{TOML}"])
def test_values_of_toml_have_the_lines_of_their_names(text: str) -> None:
    assert lines(read_text(text.encode(), "a.toml")) == LINES


def test_an_error_in_toml_names_the_line() -> None:
    section = read_text(TOML.encode(), "a.toml").members()["surveys"].items(2)[0].members()["sections"].items(2)[1]
    with pytest.raises(FileError) as refused:
        section.members()["deep"].members()["a.b"].text()
    assert refused.value.messages == ("a.toml:26: surveys[0].sections[1].deep.a.b: expected a text, got a number, '1'",)


texts = st.text(st.sampled_from("ab\"'\\\\#[]{}=,.\n é"), max_size=8)
names = st.text(st.sampled_from('ab."# -é'), max_size=4)
values: st.SearchStrategy[Any] = st.recursive(
    st.integers(0, 99) | st.booleans() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


def quoted(text: str, *, is_long: bool) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""\n{escaped}"""' if is_long else '"' + escaped.replace("\n", "\\n") + '"'


class Writer:
    """Writes values as TOML in ways that are drawn, and notes the line of each."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.text = ""
        self.lines: dict[tuple[str | int, ...], int] = {}

    def draw(self) -> bool:
        return bool(self.data.draw(st.booleans()))

    def note(self, path: tuple[str | int, ...]) -> None:
        self.lines.setdefault(path, self.text.count("\n") + 1)

    def table(self, value: dict[str, Any], path: tuple[str | int, ...], header: str) -> None:
        inner = {name: one for name, one in value.items() if isinstance(one, dict) and self.draw()}
        for name, one in value.items():
            if name not in inner:
                self.note((*path, name))
                self.text += f"{quoted(name, is_long=False)} = "
                self.value(one, (*path, name))
                self.text += " # x\n"
        for name, one in inner.items():
            below = f"{header}.{quoted(name, is_long=False)}".strip(".")
            self.note((*path, name))
            self.text += f"[{below}]\n"
            self.table(one, (*path, name), below)

    def value(self, value: Any, path: tuple[str | int, ...]) -> None:  # noqa: ANN401 - as TOML has it
        if isinstance(value, list):
            self.text += "["
            for place, one in enumerate(value):
                self.text += " # ]\n " if self.draw() else " "
                self.note((*path, place))
                self.value(one, (*path, place))
                self.text += ","
            self.text += "]"
        elif isinstance(value, dict):
            self.text += "{"
            for place, (name, one) in enumerate(value.items()):
                self.text += ", " if place else ""
                self.note((*path, name))
                self.text += f"{quoted(name, is_long=False)} = "
                self.value(one, (*path, name))
            self.text += "}"
        elif isinstance(value, str):
            self.text += quoted(value, is_long=self.draw())
        else:
            self.text += str(value).lower()


@given(st.dictionaries(names, values, max_size=4), st.data())
def test_each_value_of_any_toml_has_its_line(document: dict[str, Any], data: st.DataObject) -> None:
    writer = Writer(data)
    writer.table(document, (), "")
    assert tomllib.loads(writer.text) == document
    assert lines(read_text(writer.text.encode(), "a.toml")) == writer.lines
