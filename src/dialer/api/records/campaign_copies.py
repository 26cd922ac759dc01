"""Copies of campaigns."""

from dialer.api.crud import records
from dialer.api.crud.records import Created
from dialer.api.crud.resource import Resource, Unit, Values
from dialer.api.crud.shapes import Parsed, Shape, fields_of
from dialer.api.records.campaign_life import NAME_MAX
from dialer.app.campaigns.copy import dates_of_copy, name_of_copy


def copy_record(unit: Unit, resource: Resource, campaign_id: int, parsed: Parsed) -> Created:
    """Create a campaign with the settings of another one, except for those that the request gives.

    Raises:
        RecordNotFoundError: there is no such campaign, or the caller may not see it.
        InvalidError: a given field is wrong.
    """
    stored = records.load(unit, resource, campaign_id)
    return records.create_record(unit, resource, _settings(unit, resource, stored, parsed))


def _settings(unit: Unit, resource: Resource, stored: Values, parsed: Parsed) -> Parsed:
    """Return the fields of the copy: those of the other campaign, then those of the request."""
    given = parsed.values
    same = {field.name: stored[field.name] for field in fields_of(resource.write or Shape)}
    own = {"name": name_of_copy(stored["name"], NAME_MAX), **dates_of_copy(stored, given, unit.now_ms)}
    return Parsed({**same, **own, **given}, parsed.errors, parsed.ignored)
