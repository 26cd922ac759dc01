"""The length of a text message while it is typed: characters, parts, cost, and the text as one person gets it."""

from typing import Any, Final, NamedTuple

from litestar import Response, post
from sqlalchemy import func, select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.texts_to_send import ExamplePerson, example_person
from dialer.console.parts.rendering import html, render
from dialer.console.parts.text_phonebooks import chosen_phonebooks, phonebooks_of_text
from dialer.console.serving.forms import read_fields
from dialer.domain.engine.credit import message_of
from dialer.domain.messages.sms_parts import MESSAGE_CHARACTERS_MAX
from dialer.domain.messages.text_length import TextLength, length_of
from dialer.resources.crud.resource import Unit
from dialer.store.tables import Contact, Phonebook, User

TEXT_MAX: Final = 10_000
"""Characters of a text that are read; forms refuse longer ones. A text is measured as it is sent, which is shorter."""


class Receivers(NamedTuple):
    """The people who get a text."""

    person: ExamplePerson | None
    """The first of them, as whom the text is read; None if it is the same for all."""
    people: int = 0
    """Entries of the phonebooks that were chosen; 0 if none was."""
    rate: int = 0
    """The price of a part for the owner of the phonebooks."""


@post("/text-length", media_type="text/html")
async def measure_text(request: ApiRequest) -> Response[Any]:
    """Say how long a text is, as the first person of its phonebooks, campaign, survey or owner gets it."""
    filled = await read_fields(request)
    receivers, received, length = await request.service.read(
        request, lambda unit: _measured(unit, filled), is_long=True
    )
    person, parts = receivers.person, receivers.people * length.parts
    return html(
        render(
            "text_length.html",
            length=length,
            name="" if person is None else person.full_name.strip() or person.number,
            received="" if person is None else received,
            people=receivers.people,
            parts_of_all=parts,
            cost=parts * receivers.rate,
        )
    )


def _measured(unit: Unit, filled: dict[str, str]) -> tuple[Receivers, str, TextLength]:
    """Return who gets a text, and the text and its length, as it is sent to the first of them."""
    text, receivers = filled.get("text", "")[:TEXT_MAX], _receivers(unit, filled)
    if receivers.person is None or "{" not in text:
        received = text[:MESSAGE_CHARACTERS_MAX]
        return receivers._replace(person=None), received, length_of(received)
    person = receivers.person
    received = message_of(text, person.full_name, person.additional_vars, person.number)
    return receivers, received, length_of(received)


def _receivers(unit: Unit, filled: dict[str, str]) -> Receivers:
    chosen = chosen_phonebooks(unit, filled.get("phonebook", ""))
    if not chosen:
        return Receivers(example_person(unit.connection, phonebooks_of_text(unit, filled)))
    count = select(func.count()).where(Contact.phonebook_id.in_(chosen)).select_from(Contact)
    rate = select(User.sms_rate).join(Phonebook, Phonebook.user_id == User.id).where(Phonebook.id == chosen[0])
    person = example_person(unit.connection, chosen)
    return Receivers(person, int(unit.connection.scalar(count) or 0), int(unit.connection.scalar(rate) or 0))
