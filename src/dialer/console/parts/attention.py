"""Things on the overview that somebody should look at first."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from dialer.app.overview.live_overview import TEXTS_MAX, CampaignNow
from dialer.app.overview.overview import Overview
from dialer.console.parts.rendering import clock, grouped, money, percentage, seconds, soon
from dialer.console.parts.sentences import in_viewers_words
from dialer.console.words.catalogue import PAGES
from dialer.console.words.language import gettext, gettext_noop, ngettext
from dialer.domain.calls.plans import SMS, VOICE
from dialer.domain.rules.abandoned_limits import Period
from dialer.domain.rules.campaign_activity import CampaignActivity
from dialer.domain.words.reasons import ActivityReason, BreakCause, CampaignReason
from dialer.store.queries.breaks import LongBreak, OrderedBreak
from dialer.store.queries.live_overview import CampaignInProgress, GatewayUse, SpentBalance
from dialer.store.queries.missed_calls import MissedCalls
from dialer.store.rows.webhooks import StoppedWebhook

AGENT: Final = "agent"
THINGS_MAX: Final = 20
TEXTS_URL: Final = "/console/records/sms-received/?needs_person=true"
GATEWAY_PAGES: Final = {VOICE: "/console/records/gateway/", SMS: "/console/records/sms-gateway/"}


class Thing(NamedTuple):
    """A problem that needs a person, with the page on which to solve it."""

    is_urgent: bool
    text: str
    url: str = ""


def things_to_do(
    overview: Overview,
    activities: Mapping[int, CampaignActivity],
    now_ms: int,
    zone: ZoneInfo,
    problem: str | None,
) -> list[Thing]:
    """Return the things that need attention, urgent ones first.

    `activities` are those of the campaigns by their ids, and `problem` is that of the dialling, if any.
    """
    things = []
    if problem:
        text = gettext("The service does not dial: %(problem)s.") % {"problem": problem}
        things.append(Thing(is_urgent=True, text=text, url="/console/service/"))
    things += [thing for campaign in overview.situation.campaigns for thing in _of_campaign(campaign)]
    things += [
        _of_unstaffed(one.campaign)
        for one in overview.situation.campaigns
        if activities[one.campaign.id].reason == ActivityReason.NO_DUTY
    ]
    things += [thing for gateway in overview.situation.gateways for thing in _of_gateway(gateway, now_ms, zone)]
    things += [_of_balance(balance) for balance in overview.situation.balances]
    things += [_of_webhook(webhook) for webhook in overview.situation.webhooks]
    things += _of_texts(overview.situation.texts_needing_person)
    things += [_of_missed(one, now_ms, zone) for one in overview.situation.missed]
    things += [_of_break(one, now_ms, zone) for one in overview.situation.breaks]
    things += [_of_ordered_break(one) for one in overview.situation.ordered_breaks if one.cause in _ORDERED_BREAKS]
    return sorted(things, key=lambda thing: not thing.is_urgent)[:THINGS_MAX]


_ABANDONED: Final[Mapping[Period, str]] = {
    Period.DAY: gettext_noop(
        "%(name)s abandoned %(share)s of its answered calls of the last 24 hours. The limit is %(limit)s."
    ),
    Period.MONTH: gettext_noop(
        "%(name)s abandoned %(share)s of its answered calls of the last 30 days. The limit is %(limit)s."
    ),
    Period.CAMPAIGN: gettext_noop("%(name)s abandoned %(share)s of its answered calls. The limit is %(limit)s."),
}


_ORDERED_BREAKS: Final[Mapping[str, str]] = {
    BreakCause.DESK_CLOSED: gettext_noop("%(agent)s is on a break, because the desk was closed."),
    BreakCause.MISSED_CALLS: gettext_noop("%(agent)s is on a break, because the telephone did not answer."),
    BreakCause.PREVIEW_OVER: gettext_noop(
        "%(agent)s is on a break, having neither called nor skipped a person in time."
    ),
}


_BREAKS_TO_COME: Final[Mapping[str, str]] = {
    **_ORDERED_BREAKS,
    BreakCause.DESK_CLOSED: gettext_noop(
        "%(agent)s talks on with the desk closed, and goes on a break after the call."
    ),
}
"""The words for agents who still talk. Only a closed desk sends somebody on a break who does."""


def _of_campaign(campaign_now: CampaignNow) -> Iterator[Thing]:
    campaign = campaign_now.campaign
    named, url = {"name": campaign.name}, f"/console/campaigns/{campaign.id}/"
    if campaign.status_reason == CampaignReason.NO_CREDIT:
        text = gettext("%(name)s waits for credit: the balance cannot pay for one more call.") % named
        yield Thing(is_urgent=True, text=text, url=url)
    elif campaign.status_reason == CampaignReason.INVARIANT:
        text = gettext("%(name)s was paused, because an internal rule was about to be broken.") % named
        yield Thing(is_urgent=True, text=text, url=url)
    if campaign_now.unpaid:
        text = ngettext(
            "%(name)s could not connect %(num)s callee in the last ten minutes: the free balance did not pay for it.",
            "%(name)s could not connect %(num)s callees in the last ten minutes: the free balance did not pay for it.",
            campaign_now.unpaid,
        )
        yield Thing(is_urgent=True, text=text % (named | {"num": grouped(campaign_now.unpaid)}), url=url)
    exceeded = campaign_now.exceeded
    if exceeded is not None:
        text = gettext(_ABANDONED[exceeded.period])
        shares = {"share": percentage(exceeded.share), "limit": percentage(exceeded.limit)}
        why = in_viewers_words(exceeded.causes[0].text) if exceeded.causes else ""
        yield Thing(is_urgent=True, text=f"{text % (named | shares)} {why}".rstrip(), url=url)


def _of_unstaffed(campaign: CampaignInProgress) -> Thing:
    text = gettext("%(name)s has no agent on duty: all agents of its queues are logged out or on a break.")
    return Thing(is_urgent=True, text=text % {"name": campaign.name}, url=f"/console/campaigns/{campaign.id}/")


def _of_gateway(gateway: GatewayUse, now_ms: int, zone: ZoneInfo) -> Iterator[Thing]:
    url = f"{GATEWAY_PAGES[gateway.medium]}{gateway.id}/"
    if gateway.line_down:
        text = gettext("The line to the carrier %(name)s is down: %(why)s.")
        yield Thing(is_urgent=True, text=text % {"name": gateway.name, "why": gateway.line_down.rstrip(".")}, url=url)
    elif gateway.rests_until_ms > now_ms:
        text = (
            gettext("The carrier %(name)s is left alone until %(time)s: it failed several times in a row.")
            if gateway.rest_ms
            else gettext("The carrier %(name)s is left alone until %(time)s: it wants no calls for a while.")
        )
        yield Thing(
            is_urgent=True, text=text % {"name": gateway.name, "time": clock(gateway.rests_until_ms, zone)}, url=url
        )


def _of_balance(balance: SpentBalance) -> Thing:
    text = gettext(
        "The free balance of %(name)s is %(free)s, and the calls of this hour and the last one cost %(spent)s."
    )
    free, spent = (money(amount, balance.currency) for amount in (balance.free, balance.spent))
    values = {"name": balance.username, "free": free, "spent": spent}
    return Thing(is_urgent=balance.free <= 0, text=text % values, url="/console/money/")


def _of_webhook(webhook: StoppedWebhook) -> Thing:
    text = gettext("The service switched the webhook %(name)s off: its program gets no events.")
    return Thing(is_urgent=True, text=text % {"name": webhook.name}, url=f"/console/webhooks/{webhook.id}/")


def _of_texts(count: int) -> Iterator[Thing]:
    if not count:
        return
    text = ngettext(
        "%(num)s received text needs a person. Nobody calls or writes to its sender until somebody has looked.",
        "%(num)s received texts need a person. Nobody calls or writes to their senders until somebody has looked.",
        count,
    )
    shown = f"{grouped(count)}+" if count >= TEXTS_MAX else grouped(count)
    yield Thing(is_urgent=True, text=text % {"num": shown}, url=TEXTS_URL)


def _of_ordered_break(one: OrderedBreak) -> Thing:
    words = _BREAKS_TO_COME if one.is_talking else _ORDERED_BREAKS
    text = gettext(words[one.cause]) % {"agent": one.name}
    return Thing(is_urgent=False, text=text, url=f"{PAGES[AGENT].record_url}{one.agent_id}/")


def _of_missed(one: MissedCalls, now_ms: int, zone: ZoneInfo) -> Thing:
    text = ngettext(
        "%(agent)s has missed %(num)s call since %(time)s: the telephone rings, and nobody answers.",
        "%(agent)s has missed %(num)s calls since %(time)s: the telephone rings, and nobody answers.",
        one.missed,
    )
    values = {"agent": one.name, "num": grouped(one.missed), "time": soon(one.since_ms, now_ms, zone)}
    return Thing(is_urgent=False, text=text % values, url=f"{PAGES[AGENT].record_url}{one.agent_id}/")


def _of_break(one: LongBreak, now_ms: int, zone: ZoneInfo) -> Thing:
    text = (
        gettext("%(name)s has been on a break since %(time)s (%(reason)s). The limit is %(limit)s.")
        if one.reason
        else gettext("%(name)s has been on a break since %(time)s. The limit is %(limit)s.")
    )
    values = {"name": one.name, "reason": one.reason, "limit": seconds(one.limit_s)}
    url = f"{PAGES[AGENT].record_url}{one.agent_id}/"
    return Thing(is_urgent=False, text=text % (values | {"time": soon(one.since_ms, now_ms, zone)}), url=url)
