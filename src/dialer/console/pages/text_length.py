"""The length of a text message while it is typed: characters, parts, and the letters that make it dear."""

from typing import Any, Final

from litestar import Response, post

from dialer.api.service import ApiRequest
from dialer.app.campaigns.texts_to_send import ExamplePerson, example_person
from dialer.console.parts.rendering import html, render
from dialer.console.parts.text_phonebooks import phonebooks_of_text
from dialer.console.serving.forms import read_fields
from dialer.domain.messages.templates import fill
from dialer.domain.messages.text_length import length_of
from dialer.resources.crud.resource import Unit

TEXT_MAX: Final = 10_000
"""Characters of a text that are measured; forms refuse longer ones."""


@post("/text-length", media_type="text/html")
async def measure_text(request: ApiRequest) -> Response[Any]:
    """Say how long a text is, as the first person of its campaign, survey or owner gets it."""
    filled = await read_fields(request)
    text = filled.get("text", "")[:TEXT_MAX]
    person = await request.service.read(request, lambda unit: _person(unit, filled)) if "{" in text else None
    received = text if person is None else fill(text, person.full_name, person.additional_vars, person.number)
    name = "" if person is None else person.full_name.strip() or person.number
    return html(render("text_length.html", length=length_of(received), name=name))


def _person(unit: Unit, filled: dict[str, str]) -> ExamplePerson | None:
    return example_person(unit.connection, phonebooks_of_text(unit, filled))
