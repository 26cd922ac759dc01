"""What people do in a made-up service, as units of work: each what the API does for one request."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, delete, exists, insert, select, update

from dialer.domain.enums import AgentStatus, CallRequestStatus, CampaignStatus, DialMethod, SubscriberStatus
from dialer.domain.states import IllegalMoveError, move_subscriber
from dialer.domain.survey.sections.table import queue_ids_of
from dialer.store import collecting, ledger, lifecycle
from dialer.store.queries.rates import card_changed
from dialer.store.sealing import sealed_survey
from dialer.store.tables import (
    Agent,
    CallRequest,
    Campaign,
    Contact,
    Did,
    DncContact,
    DncList,
    Gateway,
    Payment,
    Phonebook,
    Queue,
    RateCardLine,
    Row,
    SectionTemplate,
    SmsMessage,
    Subscriber,
    Tier,
    Transfer,
    User,
)
from tests.vopr.dice import Dice
from tests.vopr.faults import Action, Do
from tests.vopr.worlds import CENTS, contact_of, limits_of, number_of, parameters_of, window_of


class RefusedError(Exception):
    """What was asked for is not possible as things stand: a 4xx. Nothing has changed."""


class Deed(NamedTuple):
    """An action where it is done."""

    connection: Connection
    which: int
    dice: Dice
    now_ms: int

    def one_of(self, model: type[Row], *conditions: ColumnElement[bool]) -> Any:  # noqa: ANN401 - a row's values
        """The row that the action concerns, of those that there are.

        Raises:
            RefusedError: there is none.
        """
        table = model.__table__
        ids = self.connection.scalars(select(table.c.id).where(*conditions).order_by(table.c.id)).all()
        if not ids:
            raise RefusedError("there is none")
        row_id = ids[self.which % len(ids)]
        return self.connection.execute(select(table).where(table.c.id == row_id)).mappings().one()

    def change(self, model: type[Row], row_id: int, **values: object) -> None:
        """Change a row."""
        table = model.__table__
        self.connection.execute(update(table).where(table.c.id == row_id).values(**values, updated_date=self.now_ms))

    def remove(self, model: type[Row], row_id: int) -> None:
        """Delete a row."""
        table = model.__table__
        self.connection.execute(delete(table).where(table.c.id == row_id))

    def add(self, model: type[Row], **values: object) -> int:
        """Insert a row; its id."""
        moments = {"created_date": self.now_ms, "updated_date": self.now_ms}
        result = self.connection.execute(insert(model.__table__).values(**moments, **values))
        return int((result.inserted_primary_key or (0,))[0])

    def has(self, table: Table, *conditions: ColumnElement[bool]) -> bool:
        """Whether there is such a row."""
        return self.connection.execute(select(table.c.id).where(*conditions).limit(1)).first() is not None


def perform(connection: Connection, action: Action, now_ms: int) -> str:
    """Do it; what was done.

    Raises:
        RefusedError: it is not possible as things stand.
    """
    deed = Deed(connection, action.which, Dice(action.dice, action.do), now_ms)
    try:
        return f"{action.do}: {_DEEDS[action.do](deed)}"
    except (IllegalMoveError, lifecycle.CampaignNotReadyError, ledger.InsufficientFundsError) as error:
        raise RefusedError(str(error)) from None


def _move_to(status: CampaignStatus) -> Callable[[Deed], str]:
    def move(deed: Deed) -> str:
        campaign = deed.one_of(Campaign)
        lifecycle.change_status(deed.connection, campaign["id"], status, deed.now_ms)
        return f"campaign {campaign['id']}"

    return move


def _pay(deed: Deed) -> str:
    return _enter(deed, "payment", deed.dice.pick((1, 7, 40, 900)) * CENTS + deed.dice.between(0, 99))


def _pay_back(deed: Deed) -> str:
    return _enter(deed, "refund", -deed.dice.pick((1, 7, 40, 900)) * CENTS)


def _enter(deed: Deed, kind: str, amount: int) -> str:
    user = deed.one_of(User)
    enter(deed.connection, user["id"], kind, amount, deed.now_ms)
    return f"user {user['id']}, {amount}"


def enter(connection: Connection, user_id: int, kind: str, amount: int, now_ms: int) -> None:
    """A payment, or what is paid back, which is negative.

    Raises:
        InsufficientFundsError: less than that is free.
    """
    payment = insert(Payment.__table__).values(user_id=user_id, amount=amount, created_date=now_ms)
    payment_id = (connection.execute(payment).inserted_primary_key or (0,))[0]
    reference = f"payment:{payment_id}"
    ledger.post(connection, user_id=user_id, kind=kind, amount=amount, reference=reference, now_ms=now_ms)


def _call_off(deed: Deed) -> str:
    """A number in another spelling than the one in which it is called."""
    dnc_list = deed.one_of(DncList)
    contact = deed._replace(which=deed.dice.between(0, 1_000)).one_of(Contact)
    number, entries = contact["number"], DncContact.__table__
    spelling = f"{number[:4]} ({number[4:7]}) {number[7:]}"
    if not deed.has(entries, entries.c.dnc_id == dnc_list["id"], entries.c.number == number):
        deed.add(DncContact, dnc_id=dnc_list["id"], phone_number=spelling, number=number)
    return f"{spelling} on list {dnc_list['id']}"


def _edit_limits(deed: Deed) -> str:
    campaign = deed.one_of(Campaign)
    drawn = limits_of(deed.dice)
    limits = {name: drawn[name] for name in deed.dice.some(sorted(drawn), len(drawn))}
    deed.change(Campaign, campaign["id"], **limits)
    return f"campaign {campaign['id']} {limits}"


def _edit_window(deed: Deed) -> str:
    campaign = deed.one_of(Campaign)
    window = window_of(deed.dice, deed.now_ms)
    deed.change(Campaign, campaign["id"], **window)
    return f"campaign {campaign['id']} {window}"


def _edit_method(deed: Deed) -> str:
    campaign = deed.one_of(Campaign)
    method = deed.dice.pick(list(DialMethod))
    survey = sealed_survey(deed.connection, campaign["id"])
    if method is not DialMethod.FIXED_RATE and (survey is None or not queue_ids_of(survey)):
        raise RefusedError("nobody to dial for")
    deed.change(Campaign, campaign["id"], dial_method=int(method))
    return f"campaign {campaign['id']} {method}"


def _edit_dnc(deed: Deed) -> str:
    campaign, dnc_list = deed.one_of(Campaign), deed.one_of(DncList)
    deed.change(Campaign, campaign["id"], dnc_id=dnc_list["id"])
    return f"campaign {campaign['id']} list {dnc_list['id']}"


def _edit_gateway(deed: Deed) -> str:
    gateway = deed.one_of(Gateway)
    limits = {"max_channels": deed.dice.pick((0, 1, 2, 5)), "max_cps": deed.dice.pick((0, 1, 2, 5))}
    deed.change(Gateway, gateway["id"], **limits)
    return f"gateway {gateway['id']} {limits}"


def _edit_behaviour(deed: Deed) -> str:
    gateway, calls = deed.one_of(Gateway), CallRequest.__table__
    parameters = parameters_of(deed.dice)
    if parameters != gateway["parameters"]:
        is_calling = (calls.c.gateway_id == gateway["id"]) & (calls.c.status == CallRequestStatus.CALLING)
        kept = update(calls).where(is_calling, calls.c.parameters.is_(None))
        deed.connection.execute(kept.values(parameters=gateway["parameters"]))
        deed.change(Gateway, gateway["id"], parameters=parameters)
    return f"gateway {gateway['id']}"


def _edit_rate(deed: Deed) -> str:
    """A line of the user's rate card, or the rate of all other numbers."""
    user, lines = deed.one_of(User), RateCardLine.__table__
    prefix = deed.dice.pick(("1", "1202", "49", "331"))
    if deed.dice.happens(40):
        deed.change(User, user["id"], call_rate=deed.dice.pick((0, 59, 3 * CENTS, 200 * CENTS)))
    elif not deed.has(lines, lines.c.user_id == user["id"], lines.c.prefix == prefix):
        increments = {"first_increment": deed.dice.pick((1, 30)), "next_increment": deed.dice.pick((1, 6, 60))}
        price = {"rate": deed.dice.pick((0, 777, 9 * CENTS)), "connection_fee": deed.dice.pick((0, 250))}
        deed.add(RateCardLine, user_id=user["id"], prefix=prefix, **increments, **price)
        card_changed(deed.connection, user["id"])
    return f"user {user['id']}"


def _agent_status(deed: Deed) -> str:
    agent = deed.one_of(Agent)
    status = deed.dice.pick(list(AgentStatus))
    deed.change(Agent, agent["id"], status=int(status))
    return f"agent {agent['id']} {status.name}"


def _delete_agent(deed: Deed) -> str:
    agent, transfers = deed.one_of(Agent), Transfer.__table__
    is_open = transfers.c.ended_ms.is_(None)
    is_asked = transfers.c.offers.like(f'%"{agent["id"]}":%')
    if deed.has(transfers, is_open, (transfers.c.agent_id == agent["id"]) | is_asked):
        raise RefusedError("the agent is at work")
    deed.remove(Agent, agent["id"])
    return f"agent {agent['id']}"


def _delete_queue(deed: Deed) -> str:
    """First the templates let go of it; campaigns that were started have sealed it."""
    queue, transfers, sections = deed.one_of(Queue), Transfer.__table__, SectionTemplate.__table__
    if deed.has(transfers, transfers.c.ended_ms.is_(None), transfers.c.queue_id == queue["id"]):
        raise RefusedError("calls wait in the queue")
    deed.connection.execute(update(sections).where(sections.c.queue_id == queue["id"]).values(queue_id=None))
    deed.remove(Queue, queue["id"])
    return f"queue {queue['id']}"


def _change_tier(deed: Deed) -> str:
    if deed.dice.happens(50):
        tier = deed.one_of(Tier)
        level = deed.dice.between(1, 3)
        deed.change(Tier, tier["id"], level=level)
        return f"tier {tier['id']} level {level}"
    agent, queue, tiers = deed.one_of(Agent), deed.one_of(Queue), Tier.__table__
    if not deed.has(tiers, tiers.c.queue_id == queue["id"], tiers.c.agent_id == agent["id"]):
        deed.add(Tier, queue_id=queue["id"], agent_id=agent["id"])
    return f"agent {agent['id']} serves queue {queue['id']}"


def _add_contact(deed: Deed) -> str:
    phonebook, contacts = deed.one_of(Phonebook), Contact.__table__
    contact = contact_of(number_of(deed.dice))
    of_book = (contacts.c.phonebook_id == phonebook["id"]) & (contacts.c.number == contact["number"])
    if not deed.has(contacts, of_book):
        contact_id = deed.add(Contact, phonebook_id=phonebook["id"], **contact)
        collecting.collect_contact(deed.connection, contact_id, deed.now_ms)
    return f"{contact['number']} into {phonebook['id']}"


def _delete_contact(deed: Deed) -> str:
    """Nobody calls who was deleted: their subscribers are ABORT, or will be when the present call ends."""
    contact, subscribers = deed.one_of(Contact), Subscriber.__table__
    is_theirs, calling = subscribers.c.contact_id == contact["id"], SubscriberStatus.IN_PROCESS
    waiting = (SubscriberStatus.PENDING, SubscriberStatus.PAUSE)
    reason = "contact_deleted"
    deed.connection.execute(
        update(subscribers)
        .where(is_theirs, subscribers.c.status.in_(waiting))
        .values(status=SubscriberStatus.ABORT, status_reason=reason, updated_date=deed.now_ms)
    )
    deed.connection.execute(
        update(subscribers).where(is_theirs, subscribers.c.status == calling).values(halt_reason=reason)
    )
    deed.remove(Contact, contact["id"])
    return f"{contact['number']}"


def _subscriber_status(deed: Deed) -> str:
    subscriber = deed.one_of(Subscriber)
    wanted = deed.dice.pick((SubscriberStatus.PENDING, SubscriberStatus.PAUSE, SubscriberStatus.ABORT))
    current = SubscriberStatus(subscriber["status"])
    if move_subscriber(current, wanted):
        again = {"due_ms": deed.now_ms} if current is SubscriberStatus.FAIL else {}
        values = {"status": int(wanted), "status_reason": "", "halt_reason": "", **again}
        deed.change(Subscriber, subscriber["id"], **values)
    return f"subscriber {subscriber['id']} {current.name} to {wanted.name}"


def _move_subscriber(deed: Deed) -> str:
    subscriber = deed.one_of(Subscriber)
    zone = deed.dice.pick(("Asia/Kolkata", "America/New_York", "UTC+05:45", "Europe/Berlin"))
    deed.change(Subscriber, subscriber["id"], zone=zone, tz_code="" if zone.startswith("UTC") else zone)
    return f"subscriber {subscriber['id']} to {zone}"


def _delete_subscriber(deed: Deed) -> str:
    table = Subscriber.__table__
    campaigns, calls, messages = Campaign.__table__, CallRequest.__table__, SmsMessage.__table__
    is_calling = (calls.c.subscriber_id == table.c.id) & (calls.c.status == CallRequestStatus.CALLING)
    is_sent = (messages.c.subscriber_id == table.c.id) & messages.c.ended_ms.is_(None)
    free = table.c.status != SubscriberStatus.IN_PROCESS, ~exists().where(is_calling), ~exists().where(is_sent)
    subscriber = deed.one_of(Subscriber, *free)
    deed.remove(Subscriber, subscriber["id"])
    fewer = update(campaigns).where(campaigns.c.id == subscriber["campaign_id"])
    deed.connection.execute(fewer.values(totalcontact=campaigns.c.totalcontact - 1))
    return f"subscriber {subscriber['id']}"


def _change_did(deed: Deed) -> str:
    did, campaign = deed.one_of(Did), deed.one_of(Campaign)
    deed.change(Did, did["id"], campaign_id=campaign["id"])
    return f"did {did['id']} to campaign {campaign['id']}"


_DEEDS: Final[dict[Do, Callable[[Deed], str]]] = {
    Do.START: _move_to(CampaignStatus.START),
    Do.PAUSE: _move_to(CampaignStatus.PAUSE),
    Do.ABORT: _move_to(CampaignStatus.ABORD),
    Do.END: _move_to(CampaignStatus.END),
    Do.PAY: _pay,
    Do.PAY_BACK: _pay_back,
    Do.CALL_OFF: _call_off,
    Do.EDIT_LIMITS: _edit_limits,
    Do.EDIT_WINDOW: _edit_window,
    Do.EDIT_METHOD: _edit_method,
    Do.EDIT_DNC: _edit_dnc,
    Do.EDIT_GATEWAY: _edit_gateway,
    Do.EDIT_BEHAVIOUR: _edit_behaviour,
    Do.EDIT_RATE: _edit_rate,
    Do.AGENT_STATUS: _agent_status,
    Do.DELETE_AGENT: _delete_agent,
    Do.DELETE_QUEUE: _delete_queue,
    Do.CHANGE_TIER: _change_tier,
    Do.ADD_CONTACT: _add_contact,
    Do.DELETE_CONTACT: _delete_contact,
    Do.SUBSCRIBER_STATUS: _subscriber_status,
    Do.MOVE_SUBSCRIBER: _move_subscriber,
    Do.DELETE_SUBSCRIBER: _delete_subscriber,
    Do.CHANGE_DID: _change_did,
    Do.NOTHING: lambda _: "",
}
