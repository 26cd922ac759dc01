"""The OpenAPI document as an HTML page, which has no scripts and loads nothing."""

import json
from collections.abc import Iterator
from html import escape
from typing import Any, Final

Json = dict[str, Any]
"""A part of the OpenAPI document."""

CONTENT_SECURITY_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Content-Security-Policy of the page: it allows inline styles only."""

_STYLE: Final = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; }
nav a { display: inline-block; margin-right: 1rem; }
details { border: 1px solid #8886; border-radius: .4rem; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .9rem; overflow-wrap: anywhere; }
pre { background: #8882; border-radius: .4rem; overflow: auto; padding: .6rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8884; padding: .2rem .6rem .2rem 0; text-align: left; vertical-align: top; }
"""


def render(document: Json) -> str:
    """Return the HTML page of an OpenAPI document."""
    info = document["info"]
    title = escape(f"{info['title']} {info['version']}")
    groups = _by_tag(document)
    links = "".join(f'<a href="#{escape(tag)}">{escape(tag)}</a>' for tag in [*groups, "schemas"])
    operations = "".join(_group(tag, found, document) for tag, found in groups.items())
    schemas = "".join(_schema(name, schema) for name, schema in sorted(document["components"]["schemas"].items()))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>"
        f"<p>{escape(info['description'])} Log in with HTTP Basic. Programs can read "
        '<a href="/schema/openapi.json">the OpenAPI document</a>.</p>'
        f'<nav>{links}</nav>{operations}<h2 id="schemas">schemas</h2>{schemas}</body></html>'
    )


def _by_tag(document: Json) -> dict[str, list[tuple[str, str, Json]]]:
    """Return the path, method and description of each operation, grouped by its first tag."""
    groups: dict[str, list[tuple[str, str, Json]]] = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            groups.setdefault(operation["tags"][0], []).append((path, method, operation))
    return groups


def _group(tag: str, operations: list[tuple[str, str, Json]], document: Json) -> str:
    return f'<h2 id="{escape(tag)}">{escape(tag)}</h2>' + "".join(_operation(*found, document) for found in operations)


def _operation(path: str, method: str, operation: Json, document: Json) -> str:
    identity = escape(operation["operationId"])
    return (
        f'<details id="{identity}"><summary><b>{escape(method.upper())}</b> <code>{escape(path)}</code> '
        f"{escape(operation['summary'])}</summary><p>{escape(operation['description'])}</p>"
        f"{_parameters(operation.get('parameters', []))}{_sent(operation)}{_answers(operation, document)}</details>"
    )


def _parameters(parameters: list[Json]) -> str:
    rows = (
        (f"<code>{escape(found['name'])}</code>", found["in"], _type(found["schema"]), _notes(found["schema"]))
        for found in parameters
    )
    return _table(("Parameter", "In", "Type", ""), rows) if parameters else ""


def _sent(operation: Json) -> str:
    return "".join(_content("Body", content) for content in _contents(operation.get("requestBody", {})))


def _answers(operation: Json, document: Json) -> str:
    """Return the responses of an operation as HTML: the successful ones in full, the errors as a table of meanings."""
    good, bad = "", []
    for status, answer in operation["responses"].items():
        if "$ref" in answer:
            meaning = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]["description"]
            bad.append((status, escape(meaning)))
        else:
            shown = [_content(f"{status} {answer['description']}", content) for content in _contents(answer)]
            good += "".join(shown) or f"<p><b>{escape(status)}</b> {escape(answer['description'])}</p>"
    return good + (_table(("Error", "Meaning"), bad) if bad else "")


def _contents(part: Json) -> Iterator[tuple[str, Json]]:
    yield from part.get("content", {}).items()


def _content(title: str, content: tuple[str, Json]) -> str:
    media_type, found = content
    example = found["example"]
    text = example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)
    return (
        f"<p><b>{escape(title)}</b> <code>{escape(media_type)}</code> {_type(found['schema'])}</p>"
        f"<pre>{escape(text)}</pre>"
    )


def _schema(name: str, schema: Json) -> str:
    required = schema.get("required", [])
    rows = (
        (
            f"<code>{escape(field)}</code>{' *' if field in required else ''}",
            _type(found),
            _notes(found),
        )
        for field, found in schema.get("properties", {}).items()
    )
    return (
        f'<details id="{escape(name)}"><summary>{escape(name)}</summary><p>{escape(schema.get("description", ""))}</p>'
        f"{_table(('Field (* required)', 'Type', ''), rows)}</details>"
    )


def _type(schema: Json) -> str:
    """Return the type of a value as HTML. A named schema is a link to its description."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "oneOf" in schema:
        return " or ".join(_type(choice) for choice in schema["oneOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    words = (schema.get("type", "any"), schema.get("format", ""))
    return escape(" ".join(word for word in words if word))


_NOTED: Final = ("minimum", "maximum", "minLength", "maxLength", "maxItems", "pattern", "enum", "default")


def _notes(schema: Json) -> str:
    """Return the limits and the description of a value as HTML."""
    bounds = [f"{name} {json.dumps(schema[name])}" for name in _NOTED if name in schema]
    return escape("; ".join([*bounds, *([schema["description"]] if "description" in schema else [])]))


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]] | list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>{cells}</table>"
