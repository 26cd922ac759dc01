"""An independent table of authority: the roles that may send a request, and the scope that an API key needs for it.

It is written by hand from the documentation, and does not read the permissions of the code. A resource that it does not
name is expected to be an ordinary one: managers write their own records, viewers read them, agents see none.
"""

from collections.abc import Collection
from typing import Final, NamedTuple

ROLES: Final = ("admin", "manager", "agent", "viewer")
SCOPES: Final = ("read", "campaigns", "recordings", "money", "admin")
EVERYBODY: Final = frozenset(ROLES)
READERS: Final = frozenset({"admin", "manager", "viewer"})
MANAGERS: Final = frozenset({"admin", "manager"})
ADMINS: Final = frozenset({"admin"})
WITH_A_GRANT: Final = frozenset({"agent", "viewer"})

READ_BY_ADMINS: Final = frozenset({"payment"})
READ_BY_AGENTS: Final = frozenset({"agent", "callrequest", "cdr", "subscriber-list", "transfer", "users"})
CHANGED_BY_AGENTS: Final = frozenset({"agent"})
MONEY: Final = frozenset({"payment", "rate-card"})
RUN_BY_ADMINS: Final = frozenset({"users", "gateway", "sms-gateway", "callerid-group"})
READING_POSTS: Final = ("forecast",)
"""The last parts of paths to which a POST changes nothing."""


class Authority(NamedTuple):
    """The roles that may send a request, and the scope of a key; None if a key needs no scope."""

    roles: frozenset[str]
    scope: str | None
    granted_to: frozenset[str] = frozenset()
    """The roles that need the word of an admin for it."""

    def allows(self, role: str, scopes: Collection[str] | None, *, is_granted: bool = False) -> bool:
        """Return whether a user with this role may send the request, with a key of these scopes or a password."""
        has_it = role in self.roles or (is_granted and role in self.granted_to)
        return has_it and (scopes is None or self.scope is None or self.scope in scopes)


SPECIAL: Final = {
    "GET /": Authority(EVERYBODY, None),
    "GET /clock": Authority(EVERYBODY, None),
    "GET /promised-call-backs": Authority(READERS, "read"),
    "GET /contact-law": Authority(READERS, "read"),
    "GET /events": Authority(READERS, "read"),
    "PATCH /events": Authority(MANAGERS, "campaigns"),
    "GET /own-settings": Authority(EVERYBODY, None),
    "PATCH /own-settings": Authority(MANAGERS, "campaigns"),
    "GET /agent/{record_id}/statistics": Authority(EVERYBODY, "read"),
    "GET /agent/{record_id}/days": Authority(EVERYBODY, "read"),
    "GET /agent-days": Authority(READERS, "read"),
    "GET /callrequest/{record_id}/disposition": Authority(EVERYBODY, "read"),
    "PUT /callrequest/{record_id}/disposition": Authority(MANAGERS | {"agent"}, "campaigns"),
    "GET /callrequest/{record_id}/draft": Authority(EVERYBODY, "read"),
    "PUT /callrequest/{record_id}/draft": Authority(MANAGERS | {"agent"}, "campaigns"),
    "DELETE /callrequest/{record_id}/draft": Authority(MANAGERS | {"agent"}, "campaigns"),
    "POST /agent/{record_id}/ready": Authority(MANAGERS | {"agent"}, "campaigns"),
    "POST /agent/{record_id}/longer-wrap-up": Authority(MANAGERS | {"agent"}, "campaigns"),
    "POST /callrequest/{record_id}/hang-up": Authority(MANAGERS | {"agent"}, "campaigns"),
    "POST /callrequest/{record_id}/hold": Authority(MANAGERS | {"agent"}, "campaigns"),
    "POST /callrequest/{record_id}/resume": Authority(MANAGERS | {"agent"}, "campaigns"),
    **{
        f"POST /callrequest/{{record_id}}/recording/{order}": Authority(MANAGERS | {"agent"}, "campaigns")
        for order in ("start", "pause", "resume")
    },
    "GET /callrequest/{record_id}/listen": Authority(READERS, "read"),
    "POST /callrequest/{record_id}/listen": Authority(MANAGERS, "campaigns"),
    "POST /callrequest/{record_id}/stop-listening": Authority(MANAGERS, "campaigns"),
    "POST /agent/{record_id}/dial": Authority(MANAGERS | {"agent"}, "campaigns"),
    "GET /agent/{record_id}/preview": Authority(EVERYBODY, "read"),
    "POST /agent/{record_id}/preview/{subscriber_id}/call": Authority(MANAGERS | {"agent"}, "campaigns"),
    "POST /agent/{record_id}/preview/{subscriber_id}/skip": Authority(MANAGERS | {"agent"}, "campaigns"),
    "POST /callrequest/{record_id}/transfer": Authority(MANAGERS | {"agent"}, "campaigns"),
    "POST /callrequest/{record_id}/consult": Authority(MANAGERS | {"agent"}, "campaigns"),
    "POST /callrequest/{record_id}/consultation": Authority(MANAGERS | {"agent"}, "campaigns"),
    "GET /campaigns/{record_id}/call-recordings": Authority(MANAGERS, "recordings", WITH_A_GRANT),
    "GET /call-recording": Authority(MANAGERS, "recordings", WITH_A_GRANT),
    "GET /call-recording/{record_id}": Authority(MANAGERS, "recordings", WITH_A_GRANT),
    "GET /call-recording/{record_id}/download": Authority(MANAGERS, "recordings", WITH_A_GRANT),
    "PATCH /call-recording/{record_id}": Authority(MANAGERS, "recordings", WITH_A_GRANT),
    "PUT /call-recording/{record_id}": Authority(MANAGERS, "recordings", WITH_A_GRANT),
    "DELETE /call-recording/{record_id}": Authority(MANAGERS, "recordings", WITH_A_GRANT),
    "GET /agent/{record_id}/telephone": Authority(EVERYBODY, "read"),
    "POST /agent/{record_id}/telephone": Authority(MANAGERS | {"agent"}, "campaigns"),
    "PATCH /agent/{record_id}/telephone/{token}": Authority(MANAGERS | {"agent"}, "campaigns"),
    "DELETE /agent/{record_id}/telephone/{token}": Authority(MANAGERS | {"agent"}, "campaigns"),
    "POST /clock/advance": Authority(ADMINS, "admin"),
    "POST /cdr/{record_id}/refund": Authority(ADMINS, "money"),
}


def authority(method: str, path: str) -> Authority:
    """Return the authority for a request: `path` is a template after `/rest-api`, without a slash at its end."""
    special = SPECIAL.get(f"{method} {path}")
    if special is not None:
        return special
    parts = path.strip("/").split("/")
    resource, is_record = parts[0], len(parts) <= len(("resource", "record"))
    if method == "GET" or parts[-1] in READING_POSTS:
        readers = EVERYBODY if resource in READ_BY_AGENTS and is_record else READERS
        return Authority(ADMINS if resource in READ_BY_ADMINS else readers, "read")
    if resource in MONEY:
        return Authority(ADMINS, "money")
    if resource in RUN_BY_ADMINS:
        return Authority(ADMINS, "admin")
    if resource in {"api-key", "webhook"}:
        return Authority(MANAGERS, "admin")
    is_agents = resource in CHANGED_BY_AGENTS and method in {"PATCH", "PUT"}
    return Authority(MANAGERS | {"agent"} if is_agents else MANAGERS, "campaigns")
