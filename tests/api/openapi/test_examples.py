"""Tests that generators and linters take the OpenAPI document: its examples fit, and its patterns are those of ECMA."""

import json
import subprocess
from collections.abc import Iterator
from typing import Final

import pytest
from jsonschema_rs import Draft202012, Registry, validator_for
from litestar import Litestar
from litestar.testing import TestClient

from tests.api.harness import Json
from tests.optional_tools import find_tool

NAME: Final = "urn:document"
DATA: Final = frozenset({"default", "enum", "example", "examples"})
"""Members that hold values and no schemas."""
COMPILING: Final = """
const patterns = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
for (const pattern of patterns) {
  try { new RegExp(pattern, "u"); } catch (error) { console.log(error.message); }
}
"""


@pytest.fixture(scope="module")
def served(client_of_session: TestClient[Litestar]) -> Json:
    """Return the document as clients read it, with references that lead into it from anywhere."""
    return whole(client_of_session.get("/schema/openapi.json").json())


def whole(node: Json) -> Json:
    if isinstance(node, list):
        return [whole(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {name: f"{NAME}{one}" if name == "$ref" else whole(one) for name, one in node.items()}


def nodes(node: Json, place: str = "") -> Iterator[tuple[str, Json]]:
    """Yield the objects of the document that are no values, by their places."""
    if isinstance(node, list):
        for number, one in enumerate(node):
            yield from nodes(one, f"{place}/{number}")
    if isinstance(node, dict):
        yield place, node
        for name, one in node.items():
            if name not in DATA or place.endswith("/properties"):
                yield from nodes(one, f"{place}/{name}")


def shown(served: Json) -> Iterator[tuple[str, Json, Json]]:
    """Yield every example with its place and its schema, and the default of each schema."""
    for place, node in nodes(served):
        if "schema" in node and "example" in node:
            yield place, node["schema"], node["example"]
        if isinstance(node.get("examples"), list) and node.keys() & {"type", "$ref", "oneOf", "anyOf", "allOf"}:
            yield from ((place, node, one) for one in node["examples"])
            yield from ((place, node, node[name]) for name in ("default",) if name in node)


def problems(served: Json) -> tuple[int, list[str]]:
    """Return the number of examples, and those that break their schema."""
    registry = Registry([(NAME, served)], draft=Draft202012)
    found, judged = [], 0
    for place, schema, example in shown(served):
        judged += 1
        validator = validator_for(schema, registry=registry, validate_formats=True)
        found += [f"{place} {error.instance_path} {error.message}" for error in validator.iter_errors(example)]
    return judged, found


def test_every_example_fits_its_schema(served: Json) -> None:
    judged, found = problems(served)
    assert found == []
    assert judged > 2_000


def test_an_example_that_does_not_fit_is_noticed() -> None:
    wrong = {"schema": {"$ref": f"{NAME}#/components/schemas/Id"}, "example": "x"}
    document = {"paths": {"/": wrong}, "components": {"schemas": {"Id": {"type": "integer", "examples": [1]}}}}
    assert problems(document) == (2, ['/paths// [] "x" is not of type "integer"'])


def test_a_program_in_javascript_compiles_every_pattern(served: Json) -> None:
    patterns = {node["pattern"] for _, node in nodes(served) if isinstance(node.get("pattern"), str)}
    assert len(patterns) > 10
    assert compiled([*patterns, r"iso\-8859"]) == [r"Invalid regular expression: /iso\-8859/u: Invalid escape"]


def compiled(patterns: list[str]) -> list[str]:
    """Return what a program in JavaScript says of patterns that it cannot compile."""
    command = [find_tool("node"), "-e", COMPILING]
    done = subprocess.run(command, input=json.dumps(patterns), capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


def test_every_format_is_a_known_one(served: Json) -> None:
    found = {node["format"] for _, node in nodes(served) if isinstance(node.get("format"), str)}
    assert found <= {"binary", "date", "date-time", "decimal", "email", "int64", "time", "uri", "uuid"}
