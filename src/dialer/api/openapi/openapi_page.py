"""The OpenAPI document as an HTML page, which loads nothing. Its one script searches, and the page works without it."""

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from typing import Final

from dialer.api.openapi.parts import Json

_SCRIPT: Final = """
const field = document.querySelector("input");
field.hidden = false;
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const group of document.querySelectorAll("section")) {
    let found = 0;
    for (const item of group.querySelectorAll("details")) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      found += item.hidden ? 0 : 1;
    }
    group.hidden = found === 0;
  }
});
function open() {
  const item = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (item instanceof HTMLDetailsElement) item.open = true;
}
addEventListener("hashchange", open);
open();
"""
_METHODS: Final = ("get", "post", "patch", "put", "delete")
_HASH: Final = b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
CONTENT_SECURITY_POLICY: Final = (
    f"default-src 'none'; script-src 'sha256-{_HASH}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
"""Content-Security-Policy of the page: it allows inline styles, and the script of the page by its hash."""

_STYLE: Final = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; }
nav { margin-top: .6rem; }
nav a { display: inline-block; margin-right: 1rem; }
details { border: 1px solid #8886; border-radius: .4rem; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; }
h2 { margin: 2rem 0 .2rem; }
input { border: 1px solid #8888; border-radius: .4rem; box-sizing: border-box; font: inherit; padding: .4rem .8rem;
  position: sticky; top: .5rem; width: 100%; }
[hidden] { display: none; }
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
    told = {group["name"]: group.get("description", "") for group in document.get("tags", [])}
    operations = "".join(_group(tag, told.get(tag, ""), found, document) for tag, found in groups.items())
    schemas = "".join(_schema(name, schema) for name, schema in sorted(document["components"]["schemas"].items()))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>"
        f"{_text(info['description'])}<p>Programs can read "
        '<a href="/schema/openapi.json">the OpenAPI document</a>.</p>'
        '<input type="search" placeholder="Search operations and fields" aria-label="Search" hidden>'
        f'<nav>{links}</nav>{operations}<section><h2 id="schemas">schemas</h2>{schemas}</section>'
        f"<script>{_SCRIPT}</script></body></html>"
    )


def _text(markdown: str) -> str:
    """Return paragraphs and lists with their bold words and code as HTML."""
    return "".join(_paragraph(part) for part in markdown.strip().split("\n\n"))


def _paragraph(markdown: str) -> str:
    if markdown.startswith("- "):
        return f"<ul>{''.join(f'<li>{_inline(item)}</li>' for item in markdown[2:].split(chr(10) + '- '))}</ul>"
    return f"<p>{_inline(markdown)}</p>"


def _inline(markdown: str) -> str:
    bold = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(markdown, quote=False))
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", bold)


def _by_tag(document: Json) -> dict[str, list[tuple[str, str, Json]]]:
    """Return the path, method and description of each operation by its first tag, in the order of the tags."""
    groups: dict[str, list[tuple[str, str, Json]]] = {group["name"]: [] for group in document.get("tags", [])}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            groups.setdefault(operation["tags"][0], []).append((path, method, operation))
    return {tag: sorted(found, key=_place) for tag, found in groups.items()}


def _place(operation: tuple[str, str, Json]) -> tuple[str, int]:
    """Return the place of an operation in its group: lists before records, and reading before writing."""
    path, method, _ = operation
    return path, _METHODS.index(method)


def _group(tag: str, told: str, operations: list[tuple[str, str, Json]], document: Json) -> str:
    shown = "".join(_operation(*found, document) for found in operations)
    return f'<section><h2 id="{escape(tag)}">{escape(tag)}</h2><p>{_inline(told)}</p>{shown}</section>'


def _operation(path: str, method: str, operation: Json, document: Json) -> str:
    identity = escape(operation["operationId"])
    return (
        f'<details id="{identity}"><summary><b>{escape(method.upper())}</b> <code>{escape(path)}</code> '
        f"{escape(operation['summary'])}</summary>{_text(operation['description'])}"
        f"<pre>{escape(_curl(path, method, operation))}</pre>"
        f"{_parameters(operation.get('parameters', []))}{_sent(operation)}{_answers(operation, document)}</details>"
    )


def _curl(path: str, method: str, operation: Json) -> str:
    """Return a command that sends the operation's example to a server on the same machine."""
    words = ["curl"] if method == "get" else ["curl", "-X", method.upper()]
    words += [] if operation.get("security") == [] else ["-u", "NAME:PASSWORD"]
    for media_type, found in operation.get("requestBody", {}).get("content", {}).items():
        words += _curl_body(media_type, found["example"])
        break
    return " ".join([*words, f"http://localhost:8000{path.replace('{record_id}', '1')}"])


def _curl_body(media_type: str, example: object) -> list[str]:
    if media_type == "multipart/form-data":
        return ["-F", "name=hello", "-F", "audio_file=@hello.wav"]
    if media_type == "application/json":
        body = json.dumps(example, ensure_ascii=False).replace("'", "'\\''")
        return ["-H", f"'Content-Type: {media_type}'", "-d", f"'{body}'"]
    return ["-H", f"'Content-Type: {media_type}'", "--data-binary", "@file"]


def _parameters(parameters: list[Json]) -> str:
    rows = (
        (
            f"<code>{escape(found['name'])}</code>",
            found["in"],
            _type(found["schema"]),
            f"{_inline(found.get('description', ''))}{_notes({**found['schema'], 'description': ''}, found)}",
        )
        for found in parameters
    )
    return _table(("Parameter", "In", "Type", "Meaning"), rows) if parameters else ""


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
        (f"<code>{escape(field)}</code>{' *' if field in required else ''}", _type(found), _notes(found))
        for field, found in schema.get("properties", {}).items()
    )
    return (
        f'<details id="{escape(name)}"><summary>{escape(name)}</summary>{_text(schema.get("description", ""))}'
        f"{_table(('Field (* required)', 'Type', 'Meaning'), rows)}</details>"
    )


def _type(schema: Json) -> str:
    """Return the type of a value as HTML. A named schema is a link to its description."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    for several in ("oneOf", "allOf"):
        if several in schema:
            return " or ".join(_type(choice) for choice in schema[several])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    words = (schema.get("type", "any"), schema.get("format", ""))
    return escape(" ".join(word for word in words if word))


_NOTED: Final = ("minimum", "maximum", "minLength", "maxLength", "maxItems", "pattern", "enum", "default")


def _notes(schema: Json, *others: Json) -> str:
    """Return the description, the limits and the example of a value as HTML."""
    bounds = [f"{name} <code>{escape(json.dumps(schema[name]))}</code>" for name in _NOTED if name in schema]
    examples = [part["example"] for part in others if "example" in part] or schema.get("examples", [])[:1]
    bounds += [f"example <code>{escape(json.dumps(example, ensure_ascii=False))}</code>" for example in examples]
    small = f"<br><small>{'; '.join(bounds)}</small>" if bounds else ""
    return f"{_inline(schema.get('description', ''))}{small}"


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]] | list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>{cells}</table>"
