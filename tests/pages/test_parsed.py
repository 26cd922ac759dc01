"""Tests that what pages show of files and bodies is read by the parser for which it is meant."""

import ast
import configparser
import inspect
import json
import re
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dialer.carriers.texts.parameters import HttpParameters
from dialer.domain.calling_times.taught_places import read_taught_places
from dialer.files.yaml_text import read_yaml
from dialer.settings import SETTINGS, load_settings
from dialer.settings_file import read_settings_file
from dialer.sim.callee_profile import parse_behaviour
from dialer.sim.scenario import parse_scenario
from dialer.store.tables import Cdr
from dialer.testing import DialerService, MagicNumber
from tests.pages.blocks import ROOT, Block, How, block, blocks_that_are
from tests.pages.shell import dialer_commands
from tests.pages.test_shell import refused

VARIABLES: Final = frozenset(setting.variable for setting in SETTINGS)
_TABLES: Final = frozenset(Cdr.metadata.tables)
_WORD_OF_TABLE: Final = re.compile(r"(?:TABLE|FROM|INTO|_table\('|ON) +'?([a-z_0-9]+)|_table\('([a-z_]+)'")


def assistants(shown: Block) -> None:
    server = json.loads(shown.text)["mcpServers"]["dialer"]
    assert server["command"] == "dialer"
    assert refused(server["args"]) == ""


def places(shown: Block) -> None:
    assert len(read_taught_places(shown.text)) == 3


def attributes() -> set[str]:
    """Return the names that an object of the fixture's class sets on itself."""
    tree = ast.parse(inspect.getsource(DialerService))
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}


def fixture_of_pytest(shown: Block) -> None:
    names = {node.attr for node in ast.walk(ast.parse(shown.text)) if isinstance(node, ast.Attribute)}
    known = {*dir(DialerService), *dir(MagicNumber), *attributes()}
    assert names - known == {"call_patients"}


def records(shown: Block) -> None:
    assert set(read_yaml(shown.text, "records.yaml").plain()) == {"recordings", "phonebooks", "dnc_lists"}


def xml(shown: Block) -> None:
    assert len(ET.fromstring(shown.text).tag) > 1  # noqa: S314 - our own pages


def unit(shown: Block) -> None:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign] # names of systemd have capitals
    parser.read_string(shown.text)
    (arguments,) = dialer_commands(parser["Service"]["ExecStart"].split())
    assert refused(arguments) == ""


def variable(shown: Block) -> None:
    assert shown.text.partition("=")[0] in VARIABLES


def sql(shown: Block) -> None:
    made = {*re.findall(r"TABLE (\w+) ", shown.text), *re.findall(r"RENAME TO (\w+)", shown.text)}
    named = {one or other for one, other in _WORD_OF_TABLE.findall(shown.text)}
    assert named <= _TABLES | made | {"cdr_2026_12"}
    assert shown.text.rstrip().endswith(";")
    assert shown.text.count("(") == shown.text.count(")")


def receipt(shown: Block) -> None:
    members = json.loads(f"{{{shown.text}}}")
    assert members.keys() <= set(HttpParameters.__struct_fields__)


def account(shown: Block) -> None:
    document = json.loads((ROOT / "examples" / "call_centre.json").read_text("utf-8"))
    parse_scenario(msgspec.json.encode({**document, "account": json.loads(shown.text)}))


def callees(shown: Block) -> None:
    parse_behaviour(json.loads(shown.text))


def settings_file(shown: Block) -> None:
    texts = {f"DIALER_{name.upper()}": text for name, text in tomllib.loads(shown.text).items()}
    secret = {"DIALER_S3_SECRET": "secret"} if "DIALER_S3_KEY_ID" in texts else {}
    load_settings({**texts, **secret})


PARSERS: Final[Mapping[str, Callable[[Block], None]]] = {
    "docs/assistants.md block 2": assistants,
    "docs/calling-hours.md block 1": places,
    "docs/conversations.md block 2": callees,
    "docs/developing.md block 2": fixture_of_pytest,
    "docs/developing.md block 7": records,
    "docs/freeswitch.md block 1": xml,
    "docs/freeswitch.md block 2": xml,
    "docs/freeswitch.md block 5": xml,
    "docs/operate/old-records.md block 1": variable,
    "docs/operate/postgresql.md block 1": sql,
    "docs/operate/postgresql.md block 6": sql,
    "docs/operate/scale-out.md block 1": sql,
    "docs/operate/scale-out.md block 2": variable,
    "docs/operate/systemd.md block 4": unit,
    "docs/records.md block 6": settings_file,
    "docs/records.md block 7": settings_file,
    "docs/simulating.md block 1": account,
    "docs/text-messages.md block 2": receipt,
}
_SETTINGS_PAGE: Final = "docs/reference/settings.md"


@pytest.mark.parametrize("name", PARSERS)
def test_a_block_is_read_by_its_parser(name: str) -> None:
    page, _, number = name.partition(" block ")
    PARSERS[name](block(page, int(number)))


def test_a_settings_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "dialer.toml"
    path.write_text(block(_SETTINGS_PAGE, 1).text, "utf-8")
    found: Any = read_settings_file(path)
    assert len(found.texts) == 5


def test_each_block_that_is_parsed_has_its_parser() -> None:
    assert {one.name for one in blocks_that_are(How.PARSED)} == {*PARSERS, f"{_SETTINGS_PAGE} block 1"}
