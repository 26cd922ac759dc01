"""Tests of the examples in the declarations of records."""

from zoneinfo import ZoneInfo

import pytest

from dialer.resources.crud.fields import Conventions, Kind
from dialer.resources.crud.properties import example_in_request
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.shapes import fields_of
from dialer.resources.crud.urls import Links
from dialer.resources.records.table import RESOURCES

CONVENTIONS = Conventions(
    ZoneInfo("UTC"), "US", Links(base="https://dialer.example", hosts=frozenset({"dialer.example"}))
)


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.path)
def test_every_example_is_accepted_by_its_field(resource: Resource) -> None:
    """An example that its field refuses raises a FieldError."""
    judged = 0
    for shape in filter(None, (resource.shapes.write, resource.shapes.change)):
        for field in fields_of(shape):
            assert field.kind.parse(example_in_request(field), CONVENTIONS) is not None, field.name
            judged += 1
    for field in fields_of(resource.read):
        if field.example is not None and type(field.kind).parse is not Kind.parse:
            assert field.kind.parse(field.example, CONVENTIONS) is not None, field.name
            judged += 1
    assert judged
