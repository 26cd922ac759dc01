"""The numbers with which contacts were made since campaigns have read what their rules count."""

from typing import Final

from dialer.domain.calls.contact_rules import RuledCampaign
from dialer.domain.calls.plans import Subscriber

FOLLOWED_MAX: Final = 100_000
"""Numbers that are remembered. With more, everybody is read again at their turn who was read before."""


class RecentContacts:
    """The order of contacts and of reads, by which it is known at the turn of a person whether their read is outdated.

    Nothing is remembered before the first campaign with a rule is opened, so that others pay nothing.
    """

    def __init__(self) -> None:
        self.is_followed = False
        """True once a campaign has a rule."""
        self.last = 0
        """The place of the newest contact. A person who is read now has it as `read_at`."""
        self.looks: Final[dict[str, set[int]]] = {}
        """The agents who look at the person with each number."""
        self.met: Final = set[int]()
        """The agents among them with whose person a contact was made since the engine followed it up last."""
        self._places: Final[dict[str, int]] = {}
        self._forgotten = 0
        """The place up to which contacts were forgotten."""

    def note(self, number: str) -> None:
        """Note that a contact was made with a number, or that more is known of one."""
        self.last += 1
        if len(self._places) >= FOLLOWED_MAX:
            self._places.clear()
            self._forgotten = self.last
        self._places[number] = self.last
        if number in self.looks:
            self.met.update(self.looks[number])

    def look(self, agent_id: int, number: str) -> None:
        """Note that an agent looks at the person with a number."""
        self.looks.setdefault(number, set()).add(agent_id)

    def look_away(self, agent_id: int, number: str) -> None:
        """Note that an agent looks at the person with a number no more."""
        agents = self.looks.get(number, set())
        agents.discard(agent_id)
        if not agents:
            self.looks.pop(number, None)

    def outdate(self, ruled: RuledCampaign | None, subscriber: Subscriber) -> bool:
        """Return whether a contact was made with a person since they were read, whom a rule may hold back."""
        is_newer = subscriber.read_at < max(self._forgotten, self._places.get(subscriber.number, 0))
        return is_newer and ruled is not None and ruled.may_hold(subscriber.number)
