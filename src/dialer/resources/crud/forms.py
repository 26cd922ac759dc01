"""The form of a resource on pages: the groups of its fields, in the order in which one thinks of them."""

from collections.abc import Iterable
from typing import NamedTuple


class Group(NamedTuple):
    """Fields of a form under one heading; without a title, they stand by themselves."""

    title: str
    fields: tuple[str, ...]


class FormLayout(NamedTuple):
    """The form of a resource."""

    groups: tuple[Group, ...] = ()
    """The fields at the top. Empty: all, as declared."""
    more: tuple[Group, ...] = ()
    """Groups below `More settings`, after which come the fields that no group names."""
    hidden: frozenset[str] = frozenset()
    """Fields that pages do not show with the others, because they have other means for them."""

    @property
    def names(self) -> frozenset[str]:
        """Return the names of all fields that the form names."""
        return self.hidden.union(*(group.fields for group in (*self.groups, *self.more)))


def form(*groups: tuple[str, str], more: Iterable[tuple[str, str]] = (), hidden: str = "") -> FormLayout:
    """Declare a form: the title of each group with the names of its fields, and blanks between them."""
    top, further = (tuple(Group(title, tuple(names.split())) for title, names in each) for each in (groups, more))
    return FormLayout(top, further, frozenset(hidden.split()))
