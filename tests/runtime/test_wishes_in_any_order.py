"""A property of wishes not to be called: whatever was done before and after, no campaign of the account ignores one."""

import tempfile
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.campaigns.recycle import RecycleFilter, recycle_chunk
from dialer.app.contacts.contacts import change_contact, delete_contact
from dialer.app.contacts.do_not_call import add_to_dnc
from dialer.app.work.errors import RefusedError
from dialer.domain.words.enums import AgentDisposition, CampaignStatus
from dialer.domain.words.states import RECYCLABLE_SUBSCRIBERS
from dialer.store.tables import (
    SMS,
    CallRequest,
    Campaign,
    CampaignDncList,
    Contact,
    DncContact,
    DncList,
    Gateway,
    SmsMessage,
    Subscriber,
    User,
)
from tests.runtime.house import ALL_ANSWER, House
from tests.sizes import examples

PEOPLE: Final = tuple(f"+1202555{number}" for number in range(1000, 1003))
LONG_S: Final = 120
FAILED: Final = RecycleFilter(frozenset(map(int, RECYCLABLE_SUBSCRIBERS)))


class Wishing:
    """A service with two accounts, what people have wished, and what was done against it."""

    def __init__(self, house: House) -> None:
        self.house: Final = house
        self.wished: Final[set[str]] = set()
        """People who asked the first account not to be called again, however."""
        self._texts_id: Final = house.add(Gateway, medium=SMS, name="texts")
        self._seen = 0
        self._seen_texts = 0
        house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
        self._owner: Final = house.user_id
        self._other: Final = house.add(User, username="ben", password_hash="-")
        self._greeting: Final = house.survey({"type": 1, "script": "hello"})

    async def do(self, what: str, number: str, which: int) -> None:
        """Do something that may concern a person, let everything come to its end, and check the new attempts."""
        before = set(self.wished)
        ways: dict[str, Callable[[str, int], Awaitable[None]]] = {
            one: getattr(self, f"_{one}") for one in (*WISHES, *CHANGES)
        }
        await ways[what](number, which)
        await self.house.advance(LONG_S)
        self._check(what, before)

    def _check(self, what: str, before: set[str]) -> None:
        owners = {row["id"]: row["user_id"] for row in self.house.rows(Campaign)}
        calls, texts = self.house.rows(CallRequest), self.house.rows(SmsMessage)
        new = calls[self._seen :] + texts[self._seen_texts :]
        self._seen, self._seen_texts = len(calls), len(texts)
        wrong = [row["phone_number"] for row in new if owners[row["campaign_id"]] == self._owner]
        assert (what, before.intersection(wrong)) == (what, set())
        assert self.house.worker.figures().broken == {}

    # --- wishes -----------------------------------------------------------------------------------------------------

    async def _key(self, number: str, which: int) -> None:
        named = {} if which % 2 else {"dnc_id": self.house.dnc_list()}
        await self.house.started(self.house.survey({"type": 9, "script": "yes"}), self.house.phonebook(number), **named)
        self.wished.add(number)

    async def _agent(self, number: str, which: int) -> None:  # noqa: ARG002 - as all
        calls = [row["id"] for row in self.house.rows(CallRequest) if row["phone_number"] == number]
        if calls:
            stop = Disposed(AgentDisposition.DO_NOT_CALL)
            self.house.perform(lambda unit: dispose_of_call(unit, calls[-1], stop))
            owners = {row["id"]: row["user_id"] for row in self.house.rows(Campaign)}
            if owners[self.house.row(CallRequest, calls[-1])["campaign_id"]] == self._owner:
                self.wished.add(number)

    async def _entry(self, number: str, which: int) -> None:  # noqa: ARG002 - as all
        """Put a number on the account's own list over the API, if there is one."""
        own = [row["id"] for row in self.house.rows(DncList) if row["keeps_wishes_of"] == "account"]
        mine = [one for one in own if self.house.row(DncList, one)["user_id"] == self._owner]
        entries = {(row["dnc_id"], row["number"]) for row in self.house.rows(DncContact)}
        if mine and (mine[0], number) not in entries:
            moments = {"created_date": self.house.now_ms(), "updated_date": self.house.now_ms()}
            entry = {"dnc_id": mine[0], "phone_number": number, "number": number, **moments}
            self.house.perform(lambda unit: add_to_dnc(unit, entry))
            self.wished.add(number)

    # --- changes ----------------------------------------------------------------------------------------------------

    async def _write_to(self, number: str, which: int) -> None:
        values = {"medium": SMS, "sms_gateway_id": self._texts_id, "aleg_gateway_id": None, "text_message": "hello"}
        named = {"dnc_id": self.house.dnc_list()} if which % 4 == 1 else {}
        await self.house.started(0, self.house.phonebook(number), **values, **named)

    async def _call(self, number: str, which: int) -> None:
        others = [one for one in PEOPLE if one != number][: which % 3]
        first = await self.house.started(self._greeting, self.house.phonebook(*others, number))
        if which % 2:
            self.house.add(CampaignDncList, campaign_id=first, dnc_id=self.house.dnc_list())

    async def _call_for_another(self, number: str, which: int) -> None:  # noqa: ARG002 - as all
        self.house.user_id = self._other
        await self.house.started(self._greeting, self.house.phonebook(number))
        self.house.user_id = self._owner

    async def _give(self, number: str, which: int) -> None:  # noqa: ARG002 - as all
        """Give a campaign that was not started from the other account to the first one."""
        self.house.user_id = self._other
        campaign_id = self.house.campaign(self._greeting, self.house.phonebook(number))
        self.house.user_id = self._owner
        self.house.change(Campaign, campaign_id, user_id=self._owner)
        await self.house.move(campaign_id, CampaignStatus.START)

    async def _recycle(self, number: str, which: int) -> None:  # noqa: ARG002 - as all
        waits = {"duplicate_contact": "+12025550109", "number": "+12025550109", "zone": "", "additional_vars": ""}
        campaign_id = await self.house.started(self._greeting, self.house.phonebook(number))
        self.house.add(Subscriber, campaign_id=campaign_id, status=2, **waits)  # It must not end.
        await self.house.advance(LONG_S)
        self._check("call", set(self.wished))
        with suppress(RefusedError):  # It has ended, as nobody was left.
            self.house.perform(lambda unit: recycle_chunk(unit, campaign_id, FAILED))

    async def _correct(self, number: str, which: int) -> None:
        """Correct the number of a contact of a campaign that waits, to and fro."""
        start = {"startingdate": self.house.now_ms() + 30_000}
        await self.house.started(self._greeting, self.house.phonebook("+12025551009"), **start)
        contact = self.house.rows(Contact)[-1]["id"]
        for one in (number, PEOPLE[which % len(PEOPLE)], number):
            values = {"contact": one, "number": one, "zone": "America/New_York"}
            self.house.perform(partial(change_contact, contact_id=contact, values=values))

    async def _move(self, number: str, which: int) -> None:
        """Delete the contacts of a person, and add the person to a phonebook of a campaign that is open."""
        for row in self.house.rows(Contact)[:: 1 + which % 2]:
            if row["number"] == number:
                self.house.perform(partial(delete_contact, contact_id=row["id"]))
        books = [row["phonebook_id"] for row in self.house.rows(Contact)] or [self.house.phonebook()]
        self.house.contact(books[which % len(books)], number)

    async def _regret(self, number: str, which: int) -> None:  # noqa: ARG002 - as all
        """Give another disposition to the last call, which takes no wish back."""
        calls = [row["id"] for row in self.house.rows(CallRequest) if row["phone_number"] == number]
        if calls:
            later = Disposed(AgentDisposition.CALL_BACK, "", self.house.now_ms() + 1_000)
            try:
                self.house.perform(lambda unit: dispose_of_call(unit, calls[-1], later))
            except RefusedError:
                return

    async def _restart(self, number: str, which: int) -> None:  # noqa: ARG002 - as all
        self.house.restart()


WISHES: Final = ("key", "agent", "entry")
CHANGES: Final = (*("call", "write_to", "call_for_another", "give", "recycle", "correct", "move", "regret", "restart"),)
STEPS: Final = st.lists(
    st.tuples(st.sampled_from((*WISHES, *CHANGES)), st.sampled_from(PEOPLE), st.integers(0, 11)), min_size=2, max_size=5
)


@settings(max_examples=examples(5))
@given(first=st.just("key"), steps=STEPS)
async def test_nobody_who_wished_is_called_or_written_to(first: str, steps: list[tuple[str, str, int]]) -> None:
    """The wishes come by key, agent and API; campaigns are new, given away, recycled, and of other media."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        wishing = Wishing(house)
        await wishing.do(first, PEOPLE[0], 1)
        for what, number, which in steps:
            await wishing.do(what, number, which)
        for number in sorted(wishing.wished):
            await wishing.do("call", number, 1)
            await wishing.do("write_to", number, 0)
        with closing(house.database):
            entries = {row["number"] for row in house.rows(DncContact)}
        assert wishing.wished <= entries
