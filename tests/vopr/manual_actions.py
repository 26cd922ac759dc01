"""The actions of agents who dial by hand, and of others who forbid such a dial before the worker knows of it."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import RowMapping, or_, select, true

from dialer.app.accounts.payments import record_payment
from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.call_centre.chosen_people import Chosen, dial_chosen
from dialer.app.campaigns.change import change_campaign, start_campaign
from dialer.app.carriers.gateways import change_gateway
from dialer.app.contacts.do_not_call import add_to_dnc
from dialer.app.work.errors import RefusedError
from dialer.app.work.touched_records import touched_account
from dialer.domain.calls.plans import VOICE, GatewayKey
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.words.enums import AgentStatus, CampaignStatus, DialMethod
from dialer.store.rows.ledger import free_balance
from dialer.store.tables import (
    Agent,
    Campaign,
    Contact,
    DncContact,
    DncList,
    Subscriber,
    User,
)
from tests.vopr.action_unit import ActionUnit
from tests.vopr.manual_dials import COUNTRIES, OPEN, some_number
from tests.vopr.worlds import CENTS, DAY_MS, HOUR_MS, number_of

LISTED: Final = 2
FORBIDDEN: Final = 4
KNOWN: Final = 7
"""Of ten numbers that agents dial, those up to here are on a list, may be forbidden, or are those of contacts."""
_MANUAL: Final = (
    Campaign.manual_dialling == true(),
    Campaign.dial_method == DialMethod.PREVIEW,
    Campaign.user_id == 1,
)
_OPEN: Final = Campaign.status.in_((CampaignStatus.START, CampaignStatus.PAUSE))
_LATER: Final = (2, 3, 4)
"""Days from now on which a campaign that is closed opens again."""


def allow(action: ActionUnit) -> str:
    """Let a campaign with manual dials call at any time, with money and few limits, and have the agents come."""
    campaign = action.one_of(Campaign, *_MANUAL, _OPEN)
    if campaign["status"] == CampaignStatus.PAUSE:
        start_campaign(action.unit, campaign["id"])
    dates = {"startingdate": action.now_ms - HOUR_MS, "expirationdate": action.now_ms + DAY_MS}
    limits = {"max_aleg": action.dice.pick((0, 0, 1, 2))}
    change_campaign(action.unit, campaign["id"], {**OPEN, **dates, **limits})
    gateway_limits = {"max_channels": action.dice.pick((0, 0, 1, 2)), "max_cps": action.dice.pick((0, 0, 1))}
    change_gateway(action.unit, GatewayKey(VOICE, campaign["aleg_gateway_id"]), gateway_limits)
    action.change(User, 1, allowed_countries="")
    record_payment(action.unit, 1, 900 * CENTS)
    absent = select(Agent.id).where(Agent.user_id == 1, Agent.status.not_in(sorted(TAKES_CALLS)))
    for agent_id in action.connection.scalars(absent.order_by(Agent.id)).all():
        change_agent(action.unit, agent_id, {"status": AgentStatus.AVAILABLE})
    return f"campaign {campaign['id']}, {limits}, {gateway_limits}"


def by_hand(action: ActionUnit) -> str:
    """Let an agent dial a number of their choice."""
    campaign = action.one_of(Campaign, *_MANUAL, _OPEN)
    agents = (Agent.user_id == 1, Agent.status.in_(sorted(TAKES_CALLS)), Agent.preview_order == "")
    agent = _other(action).one_of(Agent, *agents)
    number = _number(action)
    person_id = dial_chosen(action.unit, agent["id"], Chosen(campaign["id"], number, again=True), action.rules)
    return f"agent {agent['id']} dials {number}, subscriber {person_id} of campaign {campaign['id']}"


def forbid(action: ActionUnit) -> str:
    """Forbid what an agent has ordered to dial and nobody has dialled yet.

    Raises:
        RefusedError: no agent has ordered anything.
    """
    order, agent = _order(action)
    campaign = action.one_of(Campaign, Campaign.id == order["campaign_id"])
    person = action.one_of(Subscriber, Subscriber.id == order["subscriber_id"])
    what = action.dice.pick(_FORBID)
    return f"agent {agent['id']}, subscriber {person['id']}: {what(action, campaign, person)}"


def _other(action: ActionUnit) -> ActionUnit:
    """Return the action with another row for its target."""
    return action._replace(which=action.dice.between(0, 1_000))


def _number(action: ActionUnit) -> str:
    """Return a number on a list, one of a contact, one of a kind or country that may be forbidden, or any."""
    what = action.dice.between(0, 9)
    if what < LISTED and action.has(DncContact.__table__):
        return str(_other(action).one_of(DncContact)["number"])
    if what < FORBIDDEN:
        return some_number(action.dice)
    if what < KNOWN and action.has(Contact.__table__):
        return str(_other(action).one_of(Contact)["number"])
    return number_of(action.dice)


def _order(action: ActionUnit) -> tuple[Mapping[str, Any], RowMapping]:
    """Return an order to dial that waits, and the agent who has given it."""
    waits = or_(Agent.preview_order != "", Agent.preview.contains('"is_chosen":true'))
    agent = action.one_of(Agent, waits)
    order = json.loads(agent["preview_order"] or agent["preview"])
    if order.get("call_id") is not None:
        raise RefusedError("the number is dialled already")
    return order, agent


def _list(action: ActionUnit, campaign: RowMapping, person: RowMapping) -> str:
    dnc_id = campaign["dnc_id"]
    if dnc_id is None:
        dnc_id = action.one_of(DncList)["id"]
        change_campaign(action.unit, campaign["id"], {"dnc_id": dnc_id})
    if not action.has(DncContact.__table__, DncContact.dnc_id == dnc_id, DncContact.number == person["number"]):
        entry = {"dnc_id": dnc_id, "phone_number": person["number"], "number": person["number"]}
        add_to_dnc(action.unit, {**entry, **action.moments})
    return f"on list {dnc_id}"


def _close(action: ActionUnit, campaign: RowMapping, _person: RowMapping) -> str:
    """Close the campaign's window for days, in all zones."""
    now = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=action.now_ms)
    days = {f"{now + timedelta(days=days):%A}".lower(): True for days in action.dice.some(_LATER, 2) or [3]}
    window = {name: value if value is not True else name in days for name, value in OPEN.items()}
    change_campaign(action.unit, campaign["id"], window)
    return f"open on {', '.join(days)} only"


def _spend(action: ActionUnit, campaign: RowMapping, _person: RowMapping) -> str:
    free = free_balance(action.connection, campaign["user_id"])
    if free <= 0:
        raise RefusedError("there is no money")
    record_payment(action.unit, campaign["user_id"], -free)
    return "the money is paid back"


def _limit(action: ActionUnit, campaign: RowMapping, _person: RowMapping) -> str:
    change_campaign(action.unit, campaign["id"], {"max_aleg": 1})
    limits = {"max_channels": action.dice.pick((1, 1, 2)), "max_cps": action.dice.pick((0, 1))}
    change_gateway(action.unit, GatewayKey(VOICE, campaign["aleg_gateway_id"]), limits)
    return f"max_aleg 1, {limits}"


def _keep_away(action: ActionUnit, campaign: RowMapping, _person: RowMapping) -> str:
    countries = action.dice.pick(("FR", "FR", *COUNTRIES))
    action.change(User, campaign["user_id"], allowed_countries=countries)
    action.unit.note(touched_account(campaign["user_id"]))
    return f"only {countries}"


_FORBID: Final[tuple[Callable[[ActionUnit, RowMapping, RowMapping], str], ...]] = (
    *(_list, _close, _spend, _limit, _keep_away),
)
