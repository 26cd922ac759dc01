"""The kinds of the fields of a section that lets a program talk, and the check of its address."""

from typing import ClassVar, Final

from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType

from dialer.domain.survey.agent_urls import agent_port, agent_url_fault, is_loopback, split_agent_url
from dialer.domain.survey.sections.agent_fields import names_in, names_text
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.fields import Conventions, FieldError, Json, Kind, Label, Stored, echo
from dialer.resources.crud.shapes import Parsed
from dialer.resources.crud.urls import Links
from dialer.webhooks.addresses import AddressError, AddressGuard
from dialer.webhooks.names import names_of

NAMES_MAX: Final = 100
ADDRESS: Final = "agent_url"


class AgentUrl(Label, frozen=True):
    """The address of a program that talks."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the address, if it is written as one."""
        text = super().parse(value, conventions).strip()
        fault = agent_url_fault(text) if text else None
        if fault is not None:
            raise FieldError(fault)
        return text


class ValueNames(Kind, frozen=True):
    """Names of values of contacts, given as a list or as a text with commas; stored with commas between them."""

    blank_is_null: ClassVar[bool] = True

    max_length: int

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - a name is a name anywhere
        """Return the names, each once."""
        items = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else None
        if items is None or not all(isinstance(item, str) for item in items):
            raise FieldError("Use a list of names, or a text with commas between them.")
        wrong = [item for item in items if "," in item or not item.isprintable()]
        if wrong:
            raise FieldError(
                Sentence('"%(name)s" is no name: it has a comma or a control character.', name=echo(wrong[0]))
            )
        text = names_text(items)
        if len(items) > NAMES_MAX or len(text) > self.max_length:
            raise FieldError(
                Sentence(
                    "Use at most %(count)s names, of %(most)s characters together.",
                    count=NAMES_MAX,
                    most=self.max_length,
                )
            )
        return text

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """Return the names as a list."""
        return list(names_in(value))

    def schema(self) -> Schema:
        """Return the schema of a list of names."""
        return Schema(type=OpenAPIType.ARRAY, items=Schema(type=OpenAPIType.STRING))


def checked_address(parsed: Parsed, conventions: Conventions) -> Parsed:
    """Check that connections may be made to the address of a program. Its name is resolved, which may take seconds.

    A program on this machine needs no permission: it is reached without a network.
    """
    text = parsed.values.get(ADDRESS)
    url = split_agent_url(text) if text else None
    host = "" if url is None else url.hostname or ""
    if url is None or (url.scheme == "ws" and is_loopback(host)):
        return parsed
    try:
        AddressGuard(conventions.webhook_networks).addresses(host, agent_port(url))
    except AddressError as error:
        values = {name: value for name, value in parsed.values.items() if name != ADDRESS}
        return Parsed(values, {**parsed.errors, ADDRESS: [error.sentence]}, parsed.ignored)
    return parsed


def address_faults(text: str, conventions: Conventions, account_id: int) -> list[str]:
    """Return why no connection may be made to the address of a program, among the lookups of an account.

    An address that is none has no such faults: its field says so.
    """
    with names_of(account_id):
        faults: list[str] = checked_address(Parsed({ADDRESS: text}, {}, ()), conventions).errors.get(ADDRESS, [])
    return faults
