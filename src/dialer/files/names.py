"""Names in place of ids: records of an account are found by their names."""

from typing import Any, Final

from sqlalchemy import select

from dialer.domain.words.roles import Role
from dialer.files.kinds import NAMES_SHOWN_MAX
from dialer.files.nodes import FileError, FilePlace
from dialer.resources.crud.resource import Actor, Resource, Unit
from dialer.resources.crud.visibility import visible

_WORDS: Final = {
    "phonebook": "phonebook",
    "dnc-list": "do-not-call list",
    "survey-template": "survey",
    "gateway": "gateway",
    "sms-gateway": "gateway for texts",
    "audio-files": "recording",
    "callerid-group": "group of caller IDs",
    "queue": "queue",
    "agent": "agent",
}


class Names:
    """The names of the records that one account can name: its own, and those that all share."""

    def __init__(self, unit: Unit, owner_id: int) -> None:
        self._unit: Final = unit
        self._owner: Final = Actor(owner_id, "", Role.MANAGER)

    def ids(self, path: str, name: str, called: str = "name") -> list[int]:
        """Return the ids of the records at a path that have a name, in the column `called`, in order."""
        table = self._unit.resources[path].table
        query = select(table.c["id"]).where(table.c[called] == name, self._visible(self._unit.resources[path]))
        return list(self._unit.connection.scalars(query.order_by(table.c["id"])))

    def id_of(self, path: str, name: str, place: FilePlace) -> int:
        """Return the id of the one record that has a name.

        Raises:
            FileError: there is none, or there are several; the message has the names that there are.
        """
        found, word = self.ids(path, name), _WORDS.get(path, path)
        if len(found) == 1:
            return found[0]
        if found:
            raise FileError.at(place, f"the account has {len(found)} records of this name: rename all but one {word}")
        others = self.every_name(path)
        there = f"there are: {', '.join(others)}" if others else "there is none at all"
        raise FileError.at(place, f"there is no {word} {name!r}; {there}")

    def name_of(self, path: str, record_id: int) -> str:
        """Return the name of a record, or its id if it is gone."""
        table = self._unit.resources[path].table
        found = self._unit.connection.scalar(select(table.c["name"]).where(table.c["id"] == record_id, *self._is(path)))
        return str(record_id) if found is None else str(found)

    def every_name(self, path: str) -> list[str]:
        """Return the names at a path, the first few."""
        resource = self._unit.resources[path]
        name = resource.table.c["name"]
        query = select(name).where(self._visible(resource)).order_by(name).limit(NAMES_SHOWN_MAX)
        return list(self._unit.connection.scalars(query))

    def _visible(self, resource: Resource) -> Any:  # noqa: ANN401 - a condition
        return visible(resource, self._owner, self._unit.resources)

    def _is(self, path: str) -> list[Any]:
        resource = self._unit.resources[path]
        return [resource.table.c[column] == value for column, value in resource.constants]
