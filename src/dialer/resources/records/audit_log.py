"""The audit log: who did what to which record, when and from where. Clients only read it."""

from typing import Final

from dialer.resources.crud.declaration import own, read_only, shapes
from dialer.resources.crud.fields import JsonObject, Text
from dialer.resources.crud.forms import form
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Identity
from dialer.resources.crud.resource import Resource
from dialer.store.tables import AuditLog

_AUDIT_LOG: Final = shapes(
    "AuditLog",
    AuditLog,
    {
        **own("audit-log"),
        "created_date": read_only(
            Timestamp(), "The moment of the change, in UTC.", example="2026-11-18T11:06:40Z", title="When"
        ),
        "actor_id": read_only(Identity(), "The id of the user who acted, or null.", nullable=True, example=1),
        "actor": read_only(Text(), "The user name, or `command line`. Long digits are masked.", example="ann"),
        "via": read_only(
            Text(),
            "The credentials: password, key, console, code, none, or command line.",
            example="password",
            title="Signed in by",
        ),
        "key_prefix": read_only(Text(), "The first characters of the API key, or empty.", example="dk_1a2b3c4d"),
        "address": read_only(Text(), "The network address of the client, or empty.", example="203.0.113.7"),
        "action": read_only(
            Text(),
            "create, change or delete of a record, the name of an event such as password_changed, or refused for a"
            " request that got status 401, 403 or 429.",
            example="change",
            title="What",
        ),
        "resource": read_only(
            Text(), "The path of the resource, or empty.", example="campaigns", title="Kind of record"
        ),
        "record_id": read_only(Identity(), "The id of the record, or null.", nullable=True, example=1, title="Record"),
        "user_id": read_only(Identity(), "The id of the user whose record it is, or null.", nullable=True, example=1),
        "before": read_only(
            JsonObject(),
            "The changed fields with their values before. Secrets and personal data are left out.",
            example={"status": 2},
            title="Old values",
        ),
        "after": read_only(
            JsonObject(),
            "The changed fields with their values after. Secrets and personal data are left out.",
            example={"status": 1},
            title="Changes",
        ),
    },
    form=form(hidden="before"),
    read_doc="An entry of the audit log. Admins read all, managers those of their own records.",
)

AUDIT_LOG = Resource(
    path="audit-log",
    shapes=_AUDIT_LOG,
    filters=("actor_id", "actor", "via", "action", "resource", "record_id", "user_id"),
    exported=True,
)
