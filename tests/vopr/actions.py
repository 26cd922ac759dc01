"""The actions of users in a made-up service, each the use case that the API calls for one request."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection, delete, exists, insert, select, update

from dialer.app.accounts.payments import record_payment
from dialer.app.accounts.rate_cards import add_rate
from dialer.app.call_centre.agents_and_queues import change_agent, delete_agent, delete_queue
from dialer.app.call_centre.chosen_people import Rules
from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.campaigns.call_again import OVER, copy_chunk, link
from dialer.app.campaigns.change import (
    abort_campaign,
    change_campaign,
    end_campaign,
    pause_campaign,
    start_campaign,
)
from dialer.app.campaigns.recycle import RecycleFilter, recycle_chunk
from dialer.app.campaigns.subscribers import change_subscriber, delete_subscriber
from dialer.app.carriers.gateways import change_gateway
from dialer.app.contacts.contacts import add_contact, change_contact, delete_contact
from dialer.app.contacts.do_not_call import add_to_dnc, change_dnc_list
from dialer.app.telling.account_events import write_account_events
from dialer.app.telling.audit_log import COMMAND_LINE
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.app.work.touched_records import touched_account, touched_did
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.plans import VOICE, GatewayKey
from dialer.domain.rules.call_again import AgainOutcome
from dialer.domain.words.enums import AgentDisposition, AgentStatus, CallRequestStatus, DialMethod, SubscriberStatus
from dialer.domain.words.states import RECYCLABLE_SUBSCRIBERS, IllegalMoveError
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.queries.sealed_surveys import sealed_survey
from dialer.store.tables import (
    Agent,
    CallRequest,
    Campaign,
    CampaignDncList,
    CampaignPhonebook,
    Contact,
    Did,
    DncContact,
    DncList,
    Gateway,
    Phonebook,
    Queue,
    RateCardLine,
    SectionTemplate,
    SmsMessage,
    Subscriber,
    Tier,
    User,
)
from tests.vopr.action_unit import ActionUnit
from tests.vopr.desk_actions import at_desk, in_talk
from tests.vopr.dice import Dice
from tests.vopr.faults import Action, Do
from tests.vopr.manual_actions import allow, by_hand, forbid
from tests.vopr.previews import METHODS
from tests.vopr.worlds import CENTS, DAY_MS, contact_of, limits_of, number_of, parameters_for, parameters_of, window_of

_COPIED: Final = (
    *("user_id", "name", "medium", "text_message", "object_id", "aleg_gateway_id", "sms_gateway_id", "callerid"),
    *("frequency", "max_aleg", "max_xfer", "callmaxduration", "calltimeout", "maxretry", "intervalretry"),
    *("completion_maxretry", "completion_intervalretry", "dial_method", "agent_dial_rate", "voicemail", "amd_behavior"),
    *("machine_is_reached", "abandoned_maxretry", "abandoned_intervalretry", "carrier_maxretry"),
)


def perform(connection: Connection, wanted: Action, now_ms: int, rules: Rules) -> str:
    """Perform the action, and return its description.

    Raises:
        RefusedError: it is not possible as things stand.
    """
    unit = UnitOfWork(connection=connection, now_ms=now_ms)
    try:
        action = ActionUnit(unit, wanted.which, Dice(wanted.dice, wanted.do), rules)
        done = f"{wanted.do}: {_ACTIONS[wanted.do](action)}"
        write_account_events(unit, COMMAND_LINE)
    except InvalidFieldsError as error:
        raise RefusedError("; ".join(error.errors)) from None
    except IllegalMoveError as error:
        raise RefusedError(str(error)) from None
    return done


def _move(move: Callable[[UnitOfWork, int], None]) -> Callable[[ActionUnit], str]:
    def perform_move(action: ActionUnit) -> str:
        campaign = action.one_of(Campaign)
        move(action.unit, campaign["id"])
        return f"campaign {campaign['id']}"

    return perform_move


def _pay(action: ActionUnit) -> str:
    return _record(action, action.dice.pick((1, 7, 40, 900)) * CENTS + action.dice.between(0, 99))


def _pay_back(action: ActionUnit) -> str:
    return _record(action, -action.dice.pick((1, 7, 40, 900)) * CENTS)


def _record(action: ActionUnit, amount: int) -> str:
    user = action.one_of(User)
    record_payment(action.unit, user["id"], amount)
    return f"user {user['id']}, {amount}"


def _call_off(action: ActionUnit) -> str:
    """Return a number in another spelling than the one in which it is called."""
    dnc_list = action.one_of(DncList)
    contact = action._replace(which=action.dice.between(0, 1_000)).one_of(Contact)
    number = contact["number"]
    spelling = f"{number[:4]} ({number[4:7]}) {number[7:]}"
    if not action.has(DncContact.__table__, DncContact.dnc_id == dnc_list["id"], DncContact.number == number):
        entry = {"dnc_id": dnc_list["id"], "phone_number": spelling, "number": number}
        add_to_dnc(action.unit, {**entry, **action.moments})
    return f"{spelling} on list {dnc_list['id']}"


def _edit_limits(action: ActionUnit) -> str:
    campaign = action.one_of(Campaign)
    drawn = limits_of(action.dice)
    limits = {name: drawn[name] for name in action.dice.some(sorted(drawn), len(drawn))}
    change_campaign(action.unit, campaign["id"], limits)
    return f"campaign {campaign['id']} {limits}"


def _edit_window(action: ActionUnit) -> str:
    campaign = action.one_of(Campaign)
    window = window_of(action.dice, action.now_ms)
    change_campaign(action.unit, campaign["id"], window)
    return f"campaign {campaign['id']} {window}"


def _edit_method(action: ActionUnit) -> str:
    campaign = action.one_of(Campaign)
    method = action.dice.pick(METHODS)
    survey = sealed_survey(action.connection, campaign["id"])
    if method is not DialMethod.FIXED_RATE and survey is None:
        raise RefusedError("nobody to dial for")
    change_campaign(action.unit, campaign["id"], {"dial_method": int(method)})
    return f"campaign {campaign['id']} {method}"


def _edit_dnc(action: ActionUnit) -> str:
    campaign, dnc_list = action.one_of(Campaign), action.one_of(DncList)
    action.connection.execute(delete(CampaignDncList).where(CampaignDncList.campaign_id == campaign["id"]))
    if action.dice.happens(50):
        further = action._replace(which=action.dice.between(0, 1_000)).one_of(DncList)
        action.connection.execute(insert(CampaignDncList).values(campaign_id=campaign["id"], dnc_id=further["id"]))
    change_campaign(action.unit, campaign["id"], {"dnc_id": action.dice.pick((None, dnc_list["id"]))})
    is_global = action.dice.happens(30)
    change_dnc_list(action.unit, dnc_list["id"], {"is_global": is_global})
    return f"campaign {campaign['id']} list {dnc_list['id']} {is_global}"


_is_voice = Gateway.medium == VOICE


def _edit_gateway(action: ActionUnit) -> str:
    gateway = action.one_of(Gateway, _is_voice)
    limits = {"max_channels": action.dice.pick((0, 1, 2, 5)), "max_cps": action.dice.pick((0, 1, 2, 5))}
    change_gateway(action.unit, GatewayKey(VOICE, gateway["id"]), limits)
    return f"gateway {gateway['id']} {limits}"


def _edit_behaviour(action: ActionUnit) -> str:
    gateway = action.one_of(Gateway, _is_voice)
    parameters = parameters_for(gateway["protocol"], parameters_of(action.dice))
    if parameters != gateway["parameters"]:
        change_gateway(action.unit, GatewayKey(VOICE, gateway["id"]), {"parameters": parameters})
    return f"gateway {gateway['id']}"


def _edit_rate(action: ActionUnit) -> str:
    """Return a line of the user's rate card, or the rate of all other numbers."""
    user = action.one_of(User)
    prefix = action.dice.pick(("1", "1202", "49", "331"))
    if action.dice.happens(40):
        action.change(User, user["id"], call_rate=action.dice.pick((0, 59, 3 * CENTS, 200 * CENTS)))
        action.unit.note(touched_account(user["id"]))
    elif not action.has(RateCardLine.__table__, RateCardLine.user_id == user["id"], RateCardLine.prefix == prefix):
        increments = {"first_increment": action.dice.pick((1, 30)), "next_increment": action.dice.pick((1, 6, 60))}
        price = {"rate": action.dice.pick((0, 777, 9 * CENTS)), "connection_fee": action.dice.pick((0, 250))}
        line = {"user_id": user["id"], "prefix": prefix, **increments, **price}
        add_rate(action.unit, {**line, **action.moments})
    return f"user {user['id']}"


def _agent_status(action: ActionUnit) -> str:
    agent = action.one_of(Agent)
    status = action.dice.pick(list(AgentStatus))
    change_agent(action.unit, agent["id"], {"status": status})
    return f"agent {agent['id']} {status.name}"


def _delete_agent(action: ActionUnit) -> str:
    agent = action.one_of(Agent)
    delete_agent(action.unit, agent["id"])
    return f"agent {agent['id']}"


def _delete_queue(action: ActionUnit) -> str:
    """Delete a queue after its sections let go of it; started campaigns have sealed them."""
    queue = action.one_of(Queue)
    action.connection.execute(
        update(SectionTemplate).where(SectionTemplate.queue_id == queue["id"]).values(queue_id=None)
    )
    delete_queue(action.unit, queue["id"])
    return f"queue {queue['id']}"


def _change_tier(action: ActionUnit) -> str:
    if action.dice.happens(50):
        tier = action.one_of(Tier)
        level = action.dice.between(1, 3)
        action.change(Tier, tier["id"], level=level)
        action.unit.note(Touched(queues=frozenset({tier["queue_id"]})))
        return f"tier {tier['id']} level {level}"
    agent, queue = action.one_of(Agent), action.one_of(Queue)
    if not action.has(Tier.__table__, Tier.queue_id == queue["id"], Tier.agent_id == agent["id"]):
        action.add(Tier, queue_id=queue["id"], agent_id=agent["id"])
        action.unit.note(Touched(queues=frozenset({queue["id"]})))
    return f"agent {agent['id']} serves queue {queue['id']}"


def _add_contact(action: ActionUnit) -> str:
    phonebook = action.one_of(Phonebook)
    contact = contact_of(number_of(action.dice))
    of_book = (Contact.phonebook_id == phonebook["id"]) & (Contact.number == contact["number"])
    if not action.has(Contact.__table__, of_book):
        add_contact(action.unit, {"phonebook_id": phonebook["id"], **contact, **action.moments})
    return f"{contact['number']} into {phonebook['id']}"


def _delete_contact(action: ActionUnit) -> str:
    contact = action.one_of(Contact)
    delete_contact(action.unit, contact["id"])
    return f"{contact['number']}"


def _correct_contact(action: ActionUnit) -> str:
    contact = action.one_of(Contact)
    corrected = contact_of(number_of(action.dice))
    change_contact(action.unit, contact["id"], corrected)
    return f"{contact['number']} to {corrected['number']}"


def _wish(action: ActionUnit) -> str:
    """Say for an agent that the other end of a call, which may be in progress, is not to be called again."""
    call = action.one_of(CallRequest)
    dispose_of_call(action.unit, call["id"], Disposed(AgentDisposition.DO_NOT_CALL))
    return f"call {call['id']}"


def _copy(action: ActionUnit) -> str:
    """Copy a campaign without its lists, with a second chance for its phonebooks, and start the copy."""
    campaign = action.one_of(Campaign)
    settings = {name: campaign[name] for name in _COPIED}
    dates = {"startingdate": action.now_ms, "expirationdate": action.now_ms + DAY_MS}
    code = f"copy{action.which}-{action.now_ms}"[-20:]
    values = {**settings, **dates, **action.moments, "campaign_code": code}
    copy_id = action.connection.scalars(insert(Campaign).values(values).returning(Campaign.id)).one()
    action.unit.note(NOTHING)
    books = (
        select(CampaignPhonebook.phonebook_id)
        .where(CampaignPhonebook.campaign_id == campaign["id"])
        .order_by(CampaignPhonebook.id)
    )
    for book in action.connection.scalars(books).all():
        action.connection.execute(insert(CampaignPhonebook).values(campaign_id=copy_id, phonebook_id=book))
    start_campaign(action.unit, copy_id)
    return f"campaign {campaign['id']} as {copy_id}"


def _call_again(action: ActionUnit) -> str:
    """Call people of a campaign that is over again, in a new one that may stay open, and may not be started yet."""
    campaign = action.one_of(Campaign, Campaign.status.in_(OVER))
    settings = {name: campaign[name] for name in (*_COPIED, "dnc_id")}
    dates = {"startingdate": action.now_ms, "expirationdate": action.now_ms + DAY_MS}
    code = f"again{action.which}-{action.now_ms}"[-20:]
    values = {**settings, **dates, **action.moments, "campaign_code": code, "end_when_done": action.dice.happens(50)}
    again_id = action.connection.scalars(insert(Campaign).values(values).returning(Campaign.id)).one()
    everyone = list(AgainOutcome)
    outcomes = action.dice.some(everyone, len(everyone)) if action.dice.happens(30) else everyone
    link(action.unit, again_id, campaign["id"], outcomes, late_contacts=action.dice.happens(50))
    if action.dice.happens(50):
        copy_chunk(action.unit, again_id)
    if action.dice.happens(80):
        start_campaign(action.unit, again_id)
    return f"campaign {campaign['id']} in {again_id}"


def _subscriber_status(action: ActionUnit) -> str:
    subscriber = action.one_of(Subscriber)
    wanted = action.dice.pick((SubscriberStatus.PENDING, SubscriberStatus.PAUSE, SubscriberStatus.ABORT))
    change_subscriber(action.unit, subscriber["id"], {"status": wanted})
    return f"subscriber {subscriber['id']} {SubscriberStatus(subscriber['status']).name} to {wanted.name}"


def _recycle(action: ActionUnit) -> str:
    campaign = action.one_of(Campaign)
    statuses = frozenset(map(int, action.dice.some(sorted(RECYCLABLE_SUBSCRIBERS), len(RECYCLABLE_SUBSCRIBERS))))
    chunk = recycle_chunk(action.unit, campaign["id"], RecycleFilter(statuses))
    return f"campaign {campaign['id']}, {sorted(chunk.recycled.items())}"


def _move_subscriber(action: ActionUnit) -> str:
    subscriber = action.one_of(Subscriber)
    zone = action.dice.pick(("Asia/Kolkata", "America/New_York", "UTC+05:45", "Europe/Berlin"))
    values = {"zone": zone, "tz_code": "" if zone.startswith("UTC") else zone}
    change_subscriber(action.unit, subscriber["id"], {**values, "updated_date": action.now_ms})
    return f"subscriber {subscriber['id']} to {zone}"


def _delete_subscriber(action: ActionUnit) -> str:
    is_calling = (CallRequest.subscriber_id == Subscriber.id) & (CallRequest.status == CallRequestStatus.CALLING)
    is_sent = (SmsMessage.subscriber_id == Subscriber.id) & SmsMessage.ended_ms.is_(None)
    free = Subscriber.status != SubscriberStatus.IN_PROCESS, ~exists().where(is_calling), ~exists().where(is_sent)
    subscriber = action.one_of(Subscriber, *free)
    delete_subscriber(action.unit, subscriber["id"])
    return f"subscriber {subscriber['id']}"


def _change_did(action: ActionUnit) -> str:
    did, campaign = action.one_of(Did), action.one_of(Campaign)
    action.change(Did, did["id"], campaign_id=campaign["id"])
    action.unit.note(touched_did(did["id"]))
    return f"did {did['id']} to campaign {campaign['id']}"


_ACTIONS: Final[dict[Do, Callable[[ActionUnit], str]]] = {
    Do.START: _move(start_campaign),
    Do.PAUSE: _move(pause_campaign),
    Do.ABORT: _move(abort_campaign),
    Do.END: _move(end_campaign),
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
    Do.RECYCLE: _recycle,
    Do.WISH: _wish,
    Do.COPY: _copy,
    Do.CORRECT_CONTACT: _correct_contact,
    Do.CALL_AGAIN: _call_again,
    Do.DESK: at_desk,
    Do.TALK: in_talk,
    Do.ALLOW: allow,
    Do.BY_HAND: by_hand,
    Do.FORBID: forbid,
    Do.NOTHING: lambda _: "",
}
