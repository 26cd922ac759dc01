"""Roles of users, scopes of API keys, and the permissions that both give."""

from collections.abc import Collection
from enum import Enum
from typing import Final, NamedTuple

from dialer.domain.words.enum_descriptions import DescribedText


class Role(DescribedText):
    """The role of a user: the kind of work for which the account exists."""

    ADMIN = "admin", "Sees and changes the records of all users."
    MANAGER = "manager", "Sees and changes their own records."
    AGENT = "agent", "Takes calls: sees their own agent record and calls, and changes their own status."
    VIEWER = "viewer", "Reads the records of their manager, and changes nothing."


class Scope(DescribedText):
    """The scope of an API key: the part of its user's permissions that the key has."""

    READ = "read", "Read all that the user may read."
    CAMPAIGNS = "campaigns", "Change campaigns, lists, surveys, queues and agents."
    RECORDINGS = "recordings", "Hear and delete recordings of whole calls."
    MONEY = "money", "Record payments, refund calls and change rate cards."
    ADMIN = "admin", "Change users, API keys, gateways and the clock."


class Needs(NamedTuple):
    """The conditions of a permission: one of the roles, and for an API key the scope."""

    roles: frozenset[Role]
    scope: Scope | None
    """None if an API key needs no scope."""
    meaning: str
    granted_to: frozenset[Role] = frozenset()
    """The roles that have the permission only if an admin grants it to the user."""


_EVERYBODY: Final = frozenset(Role)
_READERS: Final = frozenset({Role.ADMIN, Role.MANAGER, Role.VIEWER})
_MANAGERS: Final = frozenset({Role.ADMIN, Role.MANAGER})
_ADMINS: Final = frozenset({Role.ADMIN})
_WITH_A_GRANT: Final = frozenset({Role.AGENT, Role.VIEWER})


class Permission(Enum):
    """The permissions that requests need."""

    SIGNED_IN = Needs(_EVERYBODY, None, "read the list of resources and the clock")
    READ_CALLS = Needs(_EVERYBODY, Scope.READ, "read calls, agents and users; agents see only their own")
    READ = Needs(_READERS, Scope.READ, "read all other records")
    RECORDINGS = Needs(_MANAGERS, Scope.RECORDINGS, "hear recordings of whole calls", _WITH_A_GRANT)
    READ_AS_ADMIN = Needs(_ADMINS, Scope.READ, "read records that only admins see")
    CAMPAIGNS = Needs(_MANAGERS, Scope.CAMPAIGNS, "create, change and delete campaigns, lists, surveys and queues")
    WORK = Needs(
        _MANAGERS | {Role.AGENT},
        Scope.CAMPAIGNS,
        "change agents and dispositions of calls; an agent changes only the own status, break_reason and calls",
    )
    KEYS = Needs(_MANAGERS, Scope.ADMIN, "create, change and revoke API keys and webhooks")
    MONEY = Needs(_ADMINS, Scope.MONEY, "record payments, refund calls and change rate cards")
    ADMIN = Needs(_ADMINS, Scope.ADMIN, "change users, gateways and the clock")

    def is_given(self, role: Role, scopes: Collection[Scope] | None, *, is_granted: bool = False) -> bool:
        """Return whether a role has the permission, and an API key with these scopes; None if there is no key.

        `is_granted` tells that an admin has granted it to the user, which only some roles need.
        """
        needs: Needs = self._value_
        has_it = role in needs.roles or (is_granted and role in needs.granted_to)
        return has_it and (scopes is None or needs.scope is None or needs.scope in scopes)
