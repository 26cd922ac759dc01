"""Tests of the environment of templates: whatever a value is, it stands on a page as Jinja would write it."""

from typing import Any, Final

import pytest
from jinja2 import Environment, StrictUndefined, UndefinedError
from markupsafe import Markup

from dialer.console.parts.template_environment import TemplateEnvironment, escaped

HOSTILE: Final = "<script>alert(\"x\" & 'y')</script>"
TEXT: Final = (
    "{% macro shown(value) %}<b>{{ value }}</b>{% endmacro %}"
    "{% macro called() %}{{ caller() }}{% endmacro %}"
    "{% block main %}{% set kept = value %}{{ value }} {{ kept }} {{ shown(value) }} {{ value ~ '<' }}"
    ' <a title="{{ value }}">{% call called() %}{{ value }}{% endcall %}</a> {{ value | safe }}'
    "{% for one in [value] %}{{ one }}{% endfor %}"
    "{{ value if value }}{% autoescape false %}{{ value }}{% endautoescape %}{% endblock %}"
)


class Text(str):
    """A text of another type."""

    __slots__ = ()


class Shown:
    """An object that says how it stands on a page."""

    def __html__(self) -> str:
        """Return the HTML."""
        return "<i>shown</i>"


class Spoken:
    """An object whose text is hostile."""

    def __str__(self) -> str:
        """Return the text."""
        return HOSTILE


VALUES: Final = (HOSTILE, "", Text(HOSTILE), Markup("<i>safe</i>"), Markup("<i>%s</i>") % HOSTILE, Shown(), Spoken())
MORE: Final = (0, -7, 2.5, True, None, [HOSTILE], {HOSTILE: HOSTILE}, (1, "&"))


@pytest.mark.parametrize("value", [*VALUES, *MORE], ids=lambda value: type(value).__name__)
def test_values_stand_on_pages_as_jinja_writes_them(value: Any) -> None:  # noqa: ANN401 - of any type
    plain, lean = Environment(autoescape=True), TemplateEnvironment(autoescape=True)
    assert lean.from_string(TEXT).render(value=value) == plain.from_string(TEXT).render(value=value)


def test_a_hostile_value_is_escaped_wherever_it_stands() -> None:
    page = TemplateEnvironment(autoescape=True).from_string("{{ one }}{% for each in [one] %}{{ each }}{% endfor %}")
    assert "<" not in page.render(one=HOSTILE)
    assert "<" not in page.render(one=Text(HOSTILE))
    assert "<" not in page.render(one=Spoken())
    assert "<" not in escaped([HOSTILE])


def test_a_name_that_no_value_has_is_an_error() -> None:
    environment = TemplateEnvironment(autoescape=True, undefined=StrictUndefined)
    with pytest.raises(UndefinedError, match="'nothing' is undefined"):
        environment.from_string("{{ nothing }}").render()
