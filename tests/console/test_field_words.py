"""Tests of the words of fields on pages: their titles, and their hints in forms."""

import pytest

from dialer.console.words.field_hints import hint_of
from dialer.console.words.field_titles import title_of
from dialer.resources.crud.declaration import own, shapes, writable
from dialer.resources.crud.fields import Boolean, Integer
from dialer.resources.crud.forms import form
from dialer.store.tables import Tier

SPOKEN = "True to speak it. False: it is shown, if `max_aleg` allows. Default: true."


@pytest.mark.parametrize(
    ("path", "name", "title"),
    [
        ("agent", "contact", "Telephone"),
        ("contact", "contact", "Number"),
        ("subscriber-list", "contact", "Contact"),
        ("", "contact", "Number"),
        ("api-key", "expirationdate", "Expires"),
        ("", "expirationdate", "Ends"),
        ("queue", "name", "Name"),
        ("queue", "no_field", "No field"),
    ],
)
def test_a_field_has_the_title_of_its_resource_or_the_usual_one(path: str, name: str, title: str) -> None:
    assert title_of(path, name) == title


def test_a_field_without_a_hint_has_its_description_in_the_words_of_pages() -> None:
    expected = "Tick it to speak it. Without a tick: it is shown, if Most calls at once allows."
    assert hint_of("campaigns", writable(Boolean(), SPOKEN)) == expected
    assert hint_of("campaigns", writable(Boolean(), SPOKEN, hint="Empty `max_aleg`.")) == "Empty Most calls at once."
    assert hint_of("campaigns", writable(Boolean(), SPOKEN, hint="")) == ""


def test_a_form_names_declared_fields_only() -> None:
    with pytest.raises(TypeError, match=r"The form of Tier has fields that are not declared: place\."):
        shapes("Tier", Tier, {**own("tier"), "level": writable(Integer(1))}, form=form(("", "level place")))
