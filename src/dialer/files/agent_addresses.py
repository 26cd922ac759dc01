"""The addresses of programs that talk in files: the rule of the API, before the transaction."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import select

from dialer.files.kinds import SECTIONS, Wanted
from dialer.files.nodes import FileError, Node
from dialer.files.surveys import read_sections
from dialer.resources.crud.fields import Conventions
from dialer.resources.crud.resource import Actor, Unit
from dialer.resources.records.agent_settings import ADDRESS, address_faults
from dialer.store.tables import SectionTemplate, SurveyTemplate

ADDRESSES_MAX: Final = 20
"""Addresses of files that the account has not had: each may take seconds."""


def new_addresses(unit: Unit, wanted: Sequence[Wanted]) -> list[Node]:
    """Return the addresses of programs in files that no section of the account has, each once.

    Raises:
        FileError: they are too many.
    """
    surveys = (one for one in wanted if one.kind.part == SECTIONS)
    given = (section.given.get(ADDRESS) for one in surveys for section in read_sections(one))
    nodes = {node.value.strip(): node for node in given if node is not None and isinstance(node.value, str)}
    nodes.pop("", None)
    if not nodes:
        return []
    query = select(SectionTemplate.agent_url).join(SurveyTemplate, SurveyTemplate.id == SectionTemplate.survey_id)
    own = (SurveyTemplate.user_id == unit.actor.id) & (SectionTemplate.agent_url != "")
    known = set(unit.connection.scalars(query.where(own).distinct()))
    found = [node for text, node in nodes.items() if text not in known]
    if len(found) > ADDRESSES_MAX:
        raise FileError.at(
            found[ADDRESSES_MAX].place, f"give at most {ADDRESSES_MAX} new addresses of programs at once"
        )
    return found


def check_addresses(nodes: Sequence[Node], conventions: Conventions, actor: Actor) -> None:
    """Check that connections may be made to addresses of programs. Their names are resolved, which may take seconds.

    Raises:
        FileError: nothing may be connected at one, which is named first; the others were not looked at.
    """
    for node in nodes:
        faults = address_faults(str(node.value).strip(), conventions, actor.manager_id or actor.id)
        if faults:
            raise FileError([f"{node.place}: {fault}" for fault in faults])
