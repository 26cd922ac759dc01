"""The titles of fields on pages, from the declarations of the resources."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from dialer.resources.crud.shapes import Field, fields_of
from dialer.resources.records.table import RESOURCES


def _of_resources() -> dict[tuple[str, str], str]:
    """Return the titles of all fields, by the path of their resource and their name."""
    shapes = (
        (resource.path, shape) for resource in RESOURCES for shape in (resource.shapes.read, resource.shapes.write)
    )
    return {(path, field.name): _title(field) for path, shape in shapes if shape for field in fields_of(shape)}


def _title(field: Field) -> str:
    return field.title or _plain(field.name)


def _plain(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _usual() -> Iterator[tuple[str, str]]:
    titles: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (_path, name), title in _OF_RESOURCES.items():
        titles[name][title] += 1
    for name, counts in titles.items():
        [(title, _count)] = counts.most_common(1)
        if title != _plain(name):
            yield name, title


_OF_RESOURCES: Final = _of_resources()
TITLES: Final[Mapping[str, str]] = dict(_usual())
"""The titles of fields without a resource: those that most resources have. A name that is its own title is left out."""


def title_of(path: str, name: str) -> str:
    """Return the title of a field of the resource at a path."""
    return _OF_RESOURCES.get((path, name)) or TITLES.get(name) or _plain(name)
