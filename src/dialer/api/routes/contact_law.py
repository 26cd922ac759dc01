"""`/rest-api/contact-law/`: the rows of law about how often people may be contacted, which admins switch only."""

from typing import Annotated

import msgspec
from litestar import get

from dialer.api.http.known_parameters import LISTS_OPTION
from dialer.api.service import ApiRequest
from dialer.domain.words.described import described
from dialer.resources.records.contact_rules import CONTACT_RULES
from dialer.resources.records.law_rows import LawRowRead, shown_row
from dialer.store.queries.law_switch import law_states


class ContactLawRead(msgspec.Struct, frozen=True):
    """All rows of law that are built in."""

    results: Annotated[list[LawRowRead], described("The rows, in the order of their file.")]


@get("/contact-law", tags=[CONTACT_RULES.path], opt={LISTS_OPTION: ()})
async def read_contact_law(request: ApiRequest) -> ContactLawRead:
    """Return the rows of law that are built in, with their sources. Nothing here is legal advice.

    They hold beside the contact rules of the account: on gateways that are not simulated, unless the service is set
    otherwise.
    """
    states = await request.service.read(request, lambda unit: law_states(unit.connection))
    return ContactLawRead([shown_row(state) for state in states])
