"""A directive for the site: the reference of the REST API, made from its OpenAPI document."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_Json: TypeAlias = Mapping[str, Any]
_METHODS: Final = ("get", "post", "put", "patch", "delete")


class RestReference(SphinxDirective):
    """The operations of the API by group, then the fields of their bodies."""

    def run(self) -> list[nodes.Node]:
        """Return the sections of the reference."""
        self.env.note_reread()  # No file of the page changes when the API does.
        return self.parse_text_to_nodes("\n".join(lines_of(self._document())), allow_section_headings=True)

    def _document(self) -> _Json:
        file = self.config.rest_reference_document
        document: _Json = json.loads(Path(file).read_bytes() if file else _printed())
        return document


def _printed() -> bytes:
    # The settings of whoever builds the site must not reach the document.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DIALER_")}
    command = [sys.executable, "-c", "from dialer.cli import main; main()", "openapi"]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout  # noqa: S603 - ours


def lines_of(document: _Json) -> Iterator[str]:
    """Yield the reference of an OpenAPI document as lines of Markdown."""
    yield from ("", "## Guide", "", *document["info"]["description"].splitlines(), "")
    for tag in document["tags"]:
        yield from ("", f"## {tag['name']}", "", tag.get("description", ""), "")
        for path, operations in document["paths"].items():
            for method in _METHODS:
                operation = operations.get(method, {})
                if tag["name"] in operation.get("tags", ()):
                    yield from _operation(document, f"{method.upper()} {path}", operation)
    yield from _events(document)
    yield from _errors(document)
    yield from ("", "## Fields of bodies", "")
    for name, schema in sorted(document["components"]["schemas"].items()):
        yield from _schema(name, schema)


def _operation(document: _Json, heading: str, operation: _Json) -> Iterator[str]:
    yield from ("", f"### {operation['summary']}", "", f"`{heading}`", "", operation.get("description", ""), "")
    parameters = [_resolved(document, parameter) for parameter in operation.get("parameters", ())]
    if parameters:
        rows = ([f"`{each['name']}`", each["in"], each.get("description", "")] for each in parameters)
        yield from _table(["Parameter", "In", "Meaning"], rows)
    body = _resolved(document, operation.get("requestBody", {}))
    for kind, content in body.get("content", {}).items():
        yield from (f"Body `{kind}`: {_type(content.get('schema', {}))}", "")
    answers = operation["responses"].items()
    done = ((status, _resolved(document, answer)) for status, answer in answers if status < "400")
    for status, answer in done:
        yield from (f"Answer {status}: {answer['description']} {_contents(answer)}", "")
    errors = [status for status, _ in answers if status >= "400"]
    yield from (f"[Errors](#errors): {', '.join(errors)}.", "")


def _events(document: _Json) -> Iterator[str]:
    """Yield the types of events that are posted to webhooks."""
    yield from ("", "## Events to webhooks", "")
    rows = []
    for kind, item in document["webhooks"].items():
        (content,) = item["post"]["requestBody"]["content"].values()
        data = _resolved(document, content["schema"])["properties"]["data"]
        rows.append([f"`{kind}`", _type(content["schema"]), _type(data)])
    yield from _table(["Type", "Event", "Data"], rows)


def _errors(document: _Json) -> Iterator[str]:
    """Yield what the statuses of errors mean, which is the same for all operations."""
    operations = (each for named in document["paths"].values() for name, each in named.items() if name in _METHODS)
    meanings = {
        status: _resolved(document, answer)["description"]
        for operation in operations
        for status, answer in operation["responses"].items()
        if status >= "400"
    }
    yield from ("", "(errors)=", "## Errors", "")
    yield from _table(["Status", "Meaning"], [list(row) for row in sorted(meanings.items())])


def _contents(answer: _Json) -> str:
    return ", ".join(f"`{kind}`: {_type(each.get('schema', {}))}" for kind, each in answer.get("content", {}).items())


def _schema(name: str, schema: _Json) -> Iterator[str]:
    yield from (f"(schema-{name.lower()})=", f"### {name}", "", schema.get("description", ""), "")
    required = schema.get("required", ())
    rows = [
        [f"`{field}`", _type(shape), "yes" if field in required else "", shape.get("description", "")]
        for field, shape in schema.get("properties", {}).items()
    ]
    if rows:
        yield from _table(["Field", "Type", "Always there", "Meaning"], rows)
    elif "enum" in schema:
        yield from ("One of " + ", ".join(f"`{value}`" for value in schema["enum"]) + ".", "")


def _type(schema: _Json) -> str:
    """Return the type of a schema in words, with links to schemas that have a name."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#schema-{name.lower()})"
    for key, word in (("allOf", " and "), ("oneOf", " or "), ("anyOf", " or ")):
        if key in schema:
            return word.join(map(_type, schema[key]))
    kind = schema.get("type", "")
    words = " or ".join(kind) if isinstance(kind, list) else kind
    return f"array of {_type(schema['items']) or 'values'}" if words == "array" and "items" in schema else words


def _resolved(document: _Json, shape: _Json) -> _Json:
    if "$ref" not in shape:
        return shape
    _, _, kind, name = shape["$ref"].split("/")
    resolved: _Json = document["components"][kind][name]
    return resolved


def _table(titles: list[str], rows: Iterator[list[str]] | list[list[str]]) -> Iterator[str]:
    yield from (_row(titles), _row(["---"] * len(titles)), *map(_row, rows), "")


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive with Sphinx, and a setting: a file with the document. Without it the command makes one."""
    app.add_config_value("rest_reference_document", "", "env")
    app.add_directive("rest-reference", RestReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
