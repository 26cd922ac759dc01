"""Deletion of one record, after the tests of campaigns that name it."""

from dialer.api.service import ApiRequest
from dialer.resources.crud import records
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.trial_references import delete_some_trials_with, is_named_by_trials
from dialer.resources.words.preconditions import UNCONDITIONAL, Preconditions


async def forget_tests_of(
    request: ApiRequest, resource: Resource, identity: int, conditions: Preconditions = UNCONDITIONAL
) -> None:
    """Delete the tests of campaigns that name a record and are over, some at a time, before its own deletion.

    Raises:
        RecordNotFoundError: the record does not exist, or the caller may not see it.
        StillUsedError: another record needs it; the error names it.
        RefusedError: a test that goes on names it.
    """

    def forget_some(unit: Unit) -> bool:
        stored = records.load(unit, resource, identity)
        records.check_version(resource, stored, conditions)
        records.refuse_if_needed(unit, resource.table, stored)
        return delete_some_trials_with(unit, resource.table, stored)

    while is_named_by_trials(resource.table) and await request.service.write(request, forget_some, is_long=True):
        pass


async def delete_one(
    request: ApiRequest, resource: Resource, identity: int, conditions: Preconditions = UNCONDITIONAL
) -> None:
    """Delete a record, and before it the tests of campaigns that name it.

    Raises:
        RecordNotFoundError: the record does not exist, or the caller may not see it.
        StillUsedError: another record needs it; the error names it.
        RefusedError: its state, or a test that goes on, forbids the deletion.
    """
    await forget_tests_of(request, resource, identity, conditions)
    await request.service.write(request, lambda unit: records.delete_record(unit, resource, identity, conditions))
