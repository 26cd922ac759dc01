"""DIDs: numbers for inbound calls.

Any manager can name any number, and calls reach it only once an admin has assigned it. So nobody can take the calls of
another account, and no answer tells whether another account has a number.
"""

from collections.abc import Iterator

from sqlalchemy import ColumnElement, select, true

from dialer.app.work.touched_records import touched_did
from dialer.domain.numbers.normal_form import digits_meant, digits_of, normalise
from dialer.domain.words.roles import Permission
from dialer.domain.words.sentences import FieldName, Sentence
from dialer.resources.crud.declaration import OWNER, STAMPS, optional, own, shapes, writable
from dialer.resources.crud.fields import Boolean, PhoneNumber
from dialer.resources.crud.forms import form
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Unit, Values
from dialer.resources.words.errors import Errors
from dialer.store.queries.regions import of_account, region_of
from dialer.store.tables import Did

_DID = shapes(
    "Did",
    Did,
    {
        **own("did"),
        "did_number": writable(
            PhoneNumber(),
            "The number that people call. Numbers without `+` and country code belong to the country of the account."
            " No other DID of the account may have it. If a manager changes it, an admin must assign it again.",
            example="+12025550198",
            title="Number",
            hint="The number that people call. If a manager changes it, an admin must assign it again.",
        ),
        "is_assigned": writable(
            Boolean(),
            "Whether an admin has assigned the number to the account. If false, it waits for an admin, and calls do"
            " not reach it. Only admins set it to true. New DIDs of admins are assigned.",
            title="Assigned",
            hint="Without a tick, the number waits for an admin, and calls do not reach it.",
        ),
        **STAMPS,
        "user": OWNER,
        "campaign": optional(
            Reference("campaigns"),
            "The campaign whose survey answers calls to the number. Null: unassigned.",
            hint="Its survey answers the calls.",
        ),
    },
    form=form(("", "did_number campaign is_assigned")),
    write_doc="A number for inbound calls, and the campaign that answers them.",
    read_doc="A number for inbound calls, as it is stored.",
)


def _one_did_for_a_number(change: Change) -> Errors:
    """Return an error if the account has the number as a DID already, or an admin assigns it a second time.

    A number can reach one campaign only, in any spelling.
    """
    number, is_assigned = change.values["did_number"], change.values["is_assigned"]
    taken: Errors = {"did_number": [Sentence("%(number)r is a DID already. Use another number.", number=number)]}
    if change.moves("did_number") and any(_others(change, Did.user_id == change.values["user"])):
        return taken
    if not is_assigned or not (change.moves("did_number") or change.moves("is_assigned")):
        return {}
    if not change.unit.actor.may(Permission.ADMIN):
        return {"is_assigned": ["Only an admin assigns a number."]} if change.moves("is_assigned") else {}
    if not any(_others(change, Did.is_assigned == true())):
        return {}
    if change.moves("did_number"):
        return taken
    return {
        "is_assigned": [
            Sentence(
                "%(number)r is assigned to another account. Switch off %(field)s of that number first.",
                number=number,
                field=FieldName("is_assigned"),
            )
        ]
    }


def _others(change: Change, condition: ColumnElement[bool]) -> Iterator[bool]:
    """Yield, for each other DID that meets the condition, whether it has the number of the changed one."""
    connection = change.unit.connection
    wanted = _digits(change.values["did_number"], region_of(connection, change.values["user"]))
    query = select(Did.did_number, of_account(Did.user_id)).where(condition, Did.id != change.record_id)
    return (not wanted.isdisjoint(_digits(number, region)) for number, region in connection.execute(query))


def _digits(written: str, region: str | None) -> frozenset[str]:
    """Return the digits by which calls find a number: as written, and with the country of its account."""
    return digits_meant(written, normalise(written, region))


def _assigned_by_admins(unit: Unit, given: Values) -> Values:
    """Return that a new DID is assigned if an admin creates it, unless the request says otherwise."""
    return {} if "is_assigned" in given else {"is_assigned": unit.actor.may(Permission.ADMIN)}


def _assignment(change: Change) -> Values:
    """Return that an assignment ends when a manager changes the number."""
    if change.is_new or change.unit.actor.may(Permission.ADMIN):
        return {}
    if digits_of(change.values["did_number"]) == digits_of(change.stored["did_number"]):
        return {}
    # The audit log shows what is given.
    change.values["is_assigned"], change.given = False, change.given | {"is_assigned"}
    return {"is_assigned": False}


DIDS = Resource(
    path="did",
    shapes=_DID,
    filters=("did_number", "is_assigned"),
    orderings=("did_number", "created_date", "updated_date"),
    numbers=("did_number",),
    rules=(FieldRule(("did_number", "is_assigned", "user"), _one_did_for_a_number),),
    defaults=_assigned_by_admins,
    columns=_assignment,
    touches=lambda _, row: touched_did(row["id"]),
)
