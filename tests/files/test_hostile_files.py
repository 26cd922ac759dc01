"""Properties of wrong and hostile files: an error with its place, and never anything else."""

import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialer.files.applying import wanted_of
from dialer.files.kinds import KINDS, SECTION, file_fields
from dialer.files.nodes import FileError, FilePlace, Node
from dialer.files.people_files import people_files
from dialer.files.reading import read_text
from dialer.files.units import OpenAccount, account_of
from dialer.files.yaml_text import write_yaml
from dialer.settings import Settings
from tests.runtime.house import House
from tests.sizes import examples

NAMES: Final = ("a.yaml", "a.toml", "a.json")
characters: Final = st.characters(exclude_categories=["Cs"])
words: Final = st.sampled_from(
    ["Ada", "1", "", " ", "null", "~", "yes", "../a.wav", "/etc/passwd", "09:00", "+12025550101", "a\x00b", "x" * 300]
) | st.text(characters, max_size=6)
scalars: Final = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words
fields: Final = sorted(
    {name for kind in (*KINDS, SECTION) for name in (*file_fields(kind), kind.part, kind.file) if name}
    | {"id", "branches", "file", "columns", "separator", "level", "audio_seconds", "additional_vars"}
)
values: Final[st.SearchStrategy[Any]] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(fields) | words, inner, max_size=4),
    max_leaves=12,
)
records: Final = st.fixed_dictionaries(
    {}, optional={"name": words, **dict.fromkeys(("sections", "contacts", "numbers", "agents", "file"), values)}
) | st.dictionaries(st.sampled_from(fields), values, max_size=5)
documents: Final = st.dictionaries(
    st.sampled_from([kind.key for kind in KINDS]), st.lists(records, max_size=2) | values, max_size=3
)


@pytest.fixture(scope="module")
def account() -> Iterator[OpenAccount]:
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        yield account_of(Settings(media_dir=Path(folder) / "media"), house.database, house.now_ms(), "ann")
        house.database.close()


def check(error: FileError, name: str) -> None:
    """Check that each message is one line, begins with the file, and says something."""
    for message in error.messages:
        assert message.startswith((f"{name}:", "../", "/", "file")), message
        assert len(message.splitlines()) == 1, message
        assert len(message) < 3_000, message


def read(content: bytes, name: str) -> Node | None:
    try:
        return read_text(content, name)
    except FileError as error:
        check(error, name)
        return None


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_read_or_refused_with_their_file(content: bytes) -> None:
    for name in NAMES:
        read(content, name)


@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(documents)
def test_any_document_is_planned_or_refused_with_its_place(account: OpenAccount, document: dict[str, Any]) -> None:
    for name, text in (("a.yaml", write_yaml(document)), ("a.json", json.dumps(document))):
        node = read(text.encode("utf-8", "replace"), name)
        if node is None:
            continue
        try:
            wanted = wanted_of([node])
            people_files(wanted)
            account.plan(wanted)
        except FileError as error:
            check(error, name)


def json_object(names: Iterable[int]) -> str:
    return "{" + ",".join(f'"{name}":1' for name in names) + "}"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", '{"surveys": [\n {"name": "x",}\n]}', "a.json:2: not valid JSON: "),
        ("a.json", '{"a": 1, "a": 2}', "a.json: not valid JSON: an object has 'a' twice"),
        ("a.json", "[" * 100_000, "a.json: not valid JSON: more than 30 levels"),
        ("a.json", '{"a": NaN}', "a.json: not valid JSON: NaN is no number"),
        ("a.json", '{"a": ' + "9" * 10_000 + "}", "a.json: not valid JSON: a number has too many digits"),
        ("a.json", '{"a": "\\ud800"}', "a.json: not valid JSON: a text has half of a surrogate pair"),
        ("a.json", '{"\\ud800": 1}', "a.json: not valid JSON: a text has half of a surrogate pair"),
        ("a.json", "[" + ",".join(["[]"] * 200_000) + "]", "a.json: not valid JSON: more than 100000 values"),
        ("a.toml", '[[surveys]]\nname = "x\n', "a.toml:2: not valid TOML: illegal character '\\n' in column 10"),
        ("a.toml", "a = 1\na = 2\n", "a.toml:2: not valid TOML: cannot overwrite a value in column 6"),
        ("a.toml", "a" + ".a" * 100_000 + " = 1", "a.toml: has too many dots in its lines, or too long dotted names."),
        ("a.toml", "[a" + ".a" * 1_000 + "]\n" + "a = 1\n" * 1_000, "a.toml: has too many dots in its lines, or too"),
        ("a.toml", '"\u2028".' * 20_000 + "a = 1", "a.toml: has too many dots in its lines, or too long dotted names."),
        ("a.toml", "a = 0x" + "f" * 5_000, "a.toml: not valid TOML: a number has too many digits"),
        ("a.json", json_object([*range(100_000), 99_999]), "a.json: not valid JSON: an object has '99999' twice"),
        ("a.toml", "a = " + "[" * 50_000, "a.toml: not valid TOML: more than 30 levels"),
        ("a.yaml", "surveys:\n\t- name: x", "a.yaml:2: not valid YAML: found character that cannot start any token"),
        ("a.yaml", 'surveys: [{name: "a\\0"}]', "a.yaml:1: a text has a null character, which databases do not keep"),
        ("a.json", '{"a\\u0000": 1}', "a.json: not valid JSON: a text has a null character, which"),
        ("a.toml", 'a = "\\u0000"', "a.toml: not valid TOML: a text has a null character, which databases do not keep"),
        ("a.yaml", "x" * (50 * 1024 * 1024), "a.yaml: is larger than 2 MiB. Put long lists into CSV files, and name"),
    ],
)
def test_wrong_files_have_one_sentence(name: str, content: str, message: str) -> None:
    with pytest.raises(FileError) as refused:
        read_text(content.encode(), name)
    assert len(refused.value.messages) == 1
    assert refused.value.messages[0].startswith(message)


@pytest.mark.parametrize("name", ["a.json", "a.toml", "a.yaml"])
def test_places_of_values_below_long_names_are_short(name: str) -> None:
    long = "n" * 5_000
    content = {
        "a.json": f'{{"{long}": {{"{long}": [1, [2]]}}}}',
        "a.toml": f'"{long}"."{long}" = [1, [2]]',
        "a.yaml": f"? {long}\n: ? {long}\n  : [1, [2]]",
    }
    inner = read_text(content[name].encode(), name).members()[long].members()[long]
    shown = f"{long[:80]}…"
    assert [inner.place.path, inner.value[1].value[0].place.path] == [f"{shown}.{shown}", f"{shown}.{shown}[1][0]"]


def test_places_of_deep_values_end_where_they_are_long() -> None:
    node = read_text("\n".join(f"{' ' * level}{'n' * 70}:" for level in range(29)).encode(), "a.yaml")
    while isinstance(node.value, dict):
        (node,) = node.value.values()
    assert node.place == FilePlace("a.yaml", ".".join(["n" * 70] * 5), 29)
