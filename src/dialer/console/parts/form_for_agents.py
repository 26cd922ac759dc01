"""The form of a campaign that calls for agents: it begins with what a call centre sets."""

from collections.abc import Iterator, Sequence
from typing import Final

from dialer.resources.crud.forms import FormLayout, Group

FIRST: Final = (
    Group("Dialling for agents", ("dial_method", "abandon_rate_max", "agent_dial_rate")),
    Group("Agents", ("agent_script", "agent_fields", "crm_url", "dispositions")),
)
"""The groups of fields that follow the name of the campaign."""
_MOVED: Final = frozenset(name for group in FIRST for name in group.fields)


def for_agents(form: FormLayout) -> FormLayout:
    """Return the form of campaigns, with the fields of call centres moved behind its first group."""
    name, *others = form.groups
    return FormLayout((name, *FIRST, *_left(others)), tuple(_left(form.more)), form.hidden)


def _left(groups: Sequence[Group]) -> Iterator[Group]:
    """Yield groups without the moved fields, and no empty ones."""
    for group in groups:
        if fields := tuple(name for name in group.fields if name not in _MOVED):
            yield Group(group.title, fields)
