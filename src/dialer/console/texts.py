"""The texts of records and carriers that stand in tables or are made by them, for the catalogues of translations."""

from collections.abc import Iterable, Iterator

from dialer.api.crud.shapes import Field, fields_of
from dialer.api.records.table import RESOURCES
from dialer.console import carrier_kinds, cells, field_hints, inputs, line_states
from dialer.console.carrier_inputs import texts_of_carriers
from dialer.console.catalogue import PAGES, RecordPage
from dialer.console.field_hints import hint_of
from dialer.console.field_titles import title_of
from dialer.console.form_groups import FORMS


def texts_of_records() -> list[str]:
    """Return all such texts, each once, in the order of the alphabet."""
    return sorted({text for text in _texts() if text})


def _texts() -> Iterator[str]:
    resources = {resource.path: resource for resource in RESOURCES}
    for path, page in PAGES.items():
        yield from _texts_of_page(page)
        resource = resources[path]
        written = [] if resource.write is None else fields_of(resource.write)
        yield from (title_of(path, field.name) for field in fields_of(resource.read))
        yield from _texts_of_fields(path, written)
    for form in FORMS.values():
        yield from (group.title for group in (*form.groups, *form.more))
    for words in field_hints.CHOICES.values():
        yield from words.values()
    yield from field_hints.UNITS.values()
    yield from (word for _, word in field_hints.TIME_UNITS)
    yield from (*inputs.TEXTS, *cells.TEXTS, *line_states.TEXTS)
    for title, about in carrier_kinds.KINDS.values():
        yield from (title, about)
    yield from texts_of_carriers()


def _texts_of_page(page: RecordPage) -> Iterator[str]:
    yield from (page.title, page.about, page.add, page.empty)
    yield from (within.title for within in page.within)


def _texts_of_fields(path: str, fields: Iterable[Field]) -> Iterator[str]:
    for field in fields:
        yield title_of(path, field.name)
        yield hint_of(path, field.name, field.description)
