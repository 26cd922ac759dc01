"""The activity of a campaign in words: a badge, its next moment, and its reason."""

from collections.abc import Mapping
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from dialer.console.parts.rendering import length_in_words, soon
from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.calling_times.zones import is_zone, zones_of_key
from dialer.domain.rules.campaign_activity import ActivityCode, CampaignActivity
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.reasons import ACTIVITY_REASONS, CAMPAIGN_REASONS, ActivityReason
from dialer.store.tables import SMS

BADGES: Final[Mapping[ActivityCode, tuple[str, str]]] = {
    ActivityCode.NOT_STARTED: ("", gettext_noop("Not started")),
    ActivityCode.SCHEDULED: ("fair", gettext_noop("Scheduled")),
    ActivityCode.DIALLING: ("good", gettext_noop("Dialling")),
    ActivityCode.WAITING: ("fair", gettext_noop("Waiting")),
    ActivityCode.FINISHING: ("fair", gettext_noop("Finishing")),
    ActivityCode.PAUSED: ("fair", gettext_noop("Paused")),
    ActivityCode.ABORTED: ("bad", gettext_noop("Aborted")),
    ActivityCode.ENDED: ("", gettext_noop("Ended")),
    ActivityCode.UNKNOWN: ("", gettext_noop("Unknown")),
}
"""The colour and the word of each activity. Only a campaign that dials is green."""
MEANINGS: Final[Mapping[ActivityCode, str]] = {
    ActivityCode.NOT_STARTED: CampaignStatus.NEW.meaning,
    ActivityCode.PAUSED: CampaignStatus.PAUSE.meaning,
    ActivityCode.ABORTED: CampaignStatus.ABORT.meaning,
    ActivityCode.ENDED: CampaignStatus.END.meaning,
    ActivityCode.UNKNOWN: gettext_noop("A newer version of dialer set this state."),
}
"""The meanings of activities that a campaign's status decides alone."""
_SENDING: Final = gettext_noop("Sending")
_MEANINGS_OF_TEXTS: Final[Mapping[ActivityCode, str]] = {
    **MEANINGS,
    ActivityCode.PAUSED: gettext_noop("Nobody gets a message. It can be started again."),
    ActivityCode.ABORTED: gettext_noop("It was aborted: no more messages are sent. It cannot be started again."),
    ActivityCode.ENDED: gettext_noop("It is over: no more messages are sent. It cannot be started again."),
}
"""The meanings of the activities of a campaign of text messages."""
_REASONS: Final[Mapping[str, str]] = {
    **CAMPAIGN_REASONS,
    **ACTIVITY_REASONS,
    ActivityReason.ASKED_TO_REST: gettext_noop("the carrier is left alone, because it wants no calls for a while"),
}
_REASONS_OF_TEXTS: Final[Mapping[str, str]] = {
    **_REASONS,
    ActivityReason.NEVER: gettext_noop("nobody who waits can get a message before the campaign ends"),
    ActivityReason.ASKED_TO_REST: gettext_noop("the carrier is left alone, because it wants no messages for a while"),
    ActivityReason.NO_CREDIT: gettext_noop("the owner's balance cannot pay for a message"),
    ActivityReason.CREDIT_HELD: gettext_noop(
        "the owner's balance pays for no more messages at once, so sending is slow until a top-up"
    ),
    ActivityReason.LAST_CALLS: gettext_noop("nobody waits any more, and the last messages are on their way"),
}
"""The reasons of a campaign of text messages, some of them in other words."""
_NEXT: Final = frozenset({ActivityCode.WAITING, ActivityCode.SCHEDULED})
_LATE: Final = frozenset({ActivityReason.RESTING, ActivityReason.ASKED_TO_REST})
"""Reasons with a moment at which calls are tried again, which no hour of people decides."""


class ShownActivity(NamedTuple):
    """The activity of a campaign, as pages show it."""

    colour: str
    word: str
    then: str
    """The next moment, as in `first call 09:00 (Europe/Berlin), in 5 h 38 min`; empty if it is not known."""
    place: str
    """The sentence that names the first place where people may be called, if its clock differs from the viewer's."""
    why: str
    """The reason, to go on in a sentence; empty if there is none."""
    meaning: str
    """The meaning of a state that lasts until somebody changes it; else empty."""

    @property
    def reason(self) -> str:
        """Return the reason as a sentence; empty if there is none."""
        return f"{self.why[:1].upper()}{self.why[1:]}." if self.why else ""


def shown_activity(activity: CampaignActivity, medium: str, calls: int, now_ms: int, zone: ZoneInfo) -> ShownActivity:
    """Return the words for what a campaign does, with moments in the viewer's zone. `calls` were placed so far."""
    colour, word = BADGES[activity.code]
    is_sms = medium == SMS
    meanings = _MEANINGS_OF_TEXTS if is_sms else MEANINGS
    reasons = _REASONS_OF_TEXTS if is_sms else _REASONS
    if is_sms and activity.code is ActivityCode.DIALLING:
        word = _SENDING
    return ShownActivity(
        colour,
        gettext(word),
        _then(activity, now_ms, zone, is_sms=is_sms, is_first=not calls),
        _place(activity, now_ms, zone),
        gettext(reasons.get(activity.reason, activity.reason)),
        gettext(meanings[activity.code]) if activity.code in meanings else "",
    )


def _then(activity: CampaignActivity, now_ms: int, zone: ZoneInfo, *, is_sms: bool, is_first: bool) -> str:
    if activity.until_ms is None:
        return ""
    values = {
        "time": soon(activity.until_ms, now_ms, zone),
        "zone": str(zone).replace("_", " "),
        "length": length_in_words(activity.until_ms - now_ms),
    }
    if activity.code not in _NEXT:
        return gettext("until %(time)s (%(zone)s)") % values
    if activity.reason in _LATE:
        return gettext("next try %(time)s (%(zone)s), in %(length)s") % values
    if is_sms:
        first, following = (
            gettext("first message %(time)s (%(zone)s), in %(length)s"),
            gettext("next message %(time)s (%(zone)s), in %(length)s"),
        )
    else:
        first, following = (
            gettext("first call %(time)s (%(zone)s), in %(length)s"),
            gettext("next call %(time)s (%(zone)s), in %(length)s"),
        )
    return (first if is_first else following) % values


def _place(activity: CampaignActivity, now_ms: int, zone: ZoneInfo) -> str:
    names = zones_of_key(activity.zone) if activity.zone else ()
    if activity.until_ms is None or activity.code not in _NEXT or len(names) != 1 or names[0] == str(zone):
        return ""
    there = ZoneInfo(names[0]) if is_zone(names[0]) else None
    if there is None or soon(activity.until_ms, now_ms, there) == soon(activity.until_ms, now_ms, zone):
        return ""
    values = {"time": soon(activity.until_ms, now_ms, there), "zone": names[0].replace("_", " ")}
    return gettext("It is then %(time)s in %(zone)s, where people may be called first.") % values
