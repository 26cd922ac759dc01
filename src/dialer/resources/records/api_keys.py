"""API keys: credentials of programs. The secret is shown once, in the answer to the creation."""

from typing import Any, Final

from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType
from sqlalchemy import Row

from dialer.app.accounts.api_keys import NewApiKey, create_api_key, revoke_api_key
from dialer.domain.words.roles import Permission, Scope
from dialer.domain.words.sentences import Listed, Moment, Sentence
from dialer.resources.crud.declaration import STAMPS, derived, own, read_only, shapes, writable, write_once
from dialer.resources.crud.enumerations import enum_schema
from dialer.resources.crud.fields import Boolean, Conventions, FieldError, Json, Kind, Stored, Text, echo
from dialer.resources.crud.forms import form
from dialer.resources.crud.moments import Timestamp, show_timestamp
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Values, touches_nothing
from dialer.resources.crud.urls import Links
from dialer.resources.words.errors import Errors
from dialer.store.tables import ApiKey

SECRET_LENGTH_MAX: Final = 64


class Scopes(Kind, frozen=True):
    """One or more scopes, given as a list or as a text with commas; stored with blanks between them."""

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - a scope is a scope anywhere
        """Return the scopes in the order of their declaration."""
        items = value if isinstance(value, list) else [part.strip() for part in str(value).split(",")]
        unknown = [item for item in items if item not in list(Scope)]
        if unknown:
            raise FieldError(
                Sentence(
                    '"%(unknown)s" is not a scope. Known: %(scopes)s.', unknown=echo(unknown[0]), scopes=Listed(Scope)
                )
            )
        if not items:
            raise FieldError(Sentence("Give at least one scope: %(scopes)s.", scopes=Listed(Scope)))
        return " ".join(scope for scope in Scope if scope in items)

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """Return the scopes as a list."""
        return value.split()

    def schema(self) -> Schema:
        """Return the schema of a list of scopes."""
        return Schema(type=OpenAPIType.ARRAY, items=enum_schema(Scope), min_items=1)


_API_KEY: Final = shapes(
    "ApiKey",
    ApiKey,
    {
        **own("api-key"),
        "name": writable(
            Text(min_length=1),
            "Your name for the key, such as the program that uses it.",
            example="nightly import",
            hint="What uses the key, so that you know it again.",
        ),
        "user": write_once(
            Reference("users"),
            "The user as whom a program with this key acts. Only admins may name another user.",
            default=0,
            title="Owner",
            hint="The user as whom the program acts.",
        ),
        "scopes": write_once(
            Scopes(),
            "The permissions of the key: read (all that the user may read), campaigns (change campaigns, lists,"
            " surveys, queues and agents), money (payments, refunds, rate cards), admin (users, keys, gateways and the"
            " clock). A key never may more than its user. A new key has no scope that the key which creates it lacks.",
            default=Scope.READ.value,
            example=["read", "campaigns"],
            hint="What a program may do with the key. It never may more than its user.",
        ),
        "prefix": read_only(
            Text(), "The first characters of the secret, to recognise the key by.", example="dk_Ab3dE6gH"
        ),
        "enabled": writable(
            Boolean(),
            "False switches the key off: requests with it get status 401.",
            example=True,
            title="Active",
            hint="Without a tick, nobody can sign in with it.",
        ),
        "expirationdate": write_once(
            Timestamp(),
            "The moment from which the key is refused. Null for a key that does not expire.",
            default=None,
            nullable=True,
            example="2027-01-31T09:00:00Z",
            title="Expires",
            hint="In your time zone. Empty: never.",
        ),
        "last_used_date": read_only(
            Timestamp(),
            "The last use of the key, accurate to a minute. Null for a key that was never used.",
            nullable=True,
            example="2026-11-18T11:06:00Z",
            title="Last used",
        ),
        "key": derived(
            Text(SECRET_LENGTH_MAX),
            "The secret. Send it as `Authorization: Bearer <key>`. Only the first answer to the creation has it;"
            " elsewhere it is null.",
            nullable=True,
            example="dk_Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6lM9oR2u",
        ),
        **STAMPS,
    },
    form=form(("", "name scopes expirationdate")),
    write_doc="An API key: the credentials of a program. Revoke it with DELETE.",
)


def _scopes_of_creator(change: Change) -> Errors:
    """Return an error if a request with an API key creates a key that may more."""
    creator = change.unit.actor.key
    given = change.values["scopes"].split()
    if creator is None or not change.is_new or creator.scopes.issuperset(given):
        return {}
    lacked = [scope for scope in given if scope not in creator.scopes]
    return {
        "scopes": [
            Sentence(
                "The key of this request lacks %(lacked)s, so it cannot give it to another.", lacked=Listed(lacked)
            )
        ]
    }


def _ends_later(change: Change) -> Errors:
    """Return an error if a new key has expired already."""
    expires_ms, now_ms = change.values["expirationdate"], change.unit.now_ms
    if not change.is_new or expires_ms is None or expires_ms > now_ms:
        return {}
    return {
        "expirationdate": [
            Sentence(
                "%(expires)s is in the past. Set a time after now, or null.", expires=Moment(show_timestamp(expires_ms))
            )
        ]
    }


def _insert(change: Change, columns: Values) -> Row[Any]:
    created = create_api_key(
        change.unit,
        NewApiKey(
            user_id=columns["user_id"],
            name=columns["name"],
            scopes=[Scope(scope) for scope in columns["scopes"].split()],
            expires_ms=columns["expirationdate"],
        ),
    )
    change.revealed["key"] = created.secret
    return created.row


API_KEYS = Resource(
    path="api-key",
    shapes=_API_KEY,
    writes=Permission.KEYS,
    filters=("name", "prefix", "enabled"),
    always_logged=frozenset({"scopes", "prefix"}),
    derived=lambda _, rows: [{"key": None} for _row in rows],
    rules=(FieldRule(("scopes",), _scopes_of_creator), FieldRule(("expirationdate",), _ends_later)),
    insert=_insert,
    remove=revoke_api_key,
    touches=touches_nothing,
)
