"""Events: the input of the engine, each with exactly the facts that the engine needs.

A carrier's report about a call has a `seq`, counted from 1 in the order of its reports. A report whose `seq` is not
above that of an earlier report is a repeat and is ignored. `seq` is 0 in reports that this side makes itself.
"""

import msgspec

from dialer.domain.calls.agent_events import (
    AgentAnswered,
    AgentClosed,
    AgentMissed,
    AgentOpened,
    QueueClosed,
    QueueOpened,
    SupervisionEnded,
)
from dialer.domain.calls.call_events import (
    CallAnswered,
    CallArrived,
    CalleeHandedOver,
    CallEnded,
    CallerFound,
    CallerLeft,
    CallMoved,
    CallReceived,
    CallRestored,
    CallTakenBack,
    DidClosed,
    DidOpened,
    DncReached,
    HandOverRefused,
    LegDue,
    LegEnded,
    LineFound,
    LineLost,
    OutcomeSaid,
    RecordingOrdered,
    ThirdAnswered,
    TransferReached,
)
from dialer.domain.calls.campaign_events import (
    AccountOpened,
    CampaignClosed,
    CampaignOpened,
    CampaignRenewed,
    CampaignWoken,
    FreshClaimed,
    GatewayOpened,
    GatewayWoken,
    NumberChecked,
    NumberStopped,
    OfferedClaimed,
    PersonDecided,
    RetriesClaimed,
    SubscriberClaimedAgain,
    SubscribersCounted,
)
from dialer.domain.calls.text_events import (
    TextChecked,
    TextRequested,
    TextRestored,
)


class DistributorWoken(msgspec.Struct, frozen=True, gc=False):
    """The time came for a scheduled check of queues and agents."""


class WatchdogWoken(msgspec.Struct, frozen=True, gc=False):
    """The time came for a scheduled check of the calls in progress."""


Report = DncReached | CallAnswered | TextRequested | TransferReached | CallerLeft | ThirdAnswered | LegEnded | CallEnded
"""The events that a carrier reports about a call."""
_Opened = AccountOpened | GatewayOpened | CampaignOpened | QueueOpened | AgentOpened | DidOpened
_Closed = CampaignClosed | QueueClosed | AgentClosed | DidClosed
_Woken = CampaignWoken | GatewayWoken | DistributorWoken | WatchdogWoken
_Claimed = FreshClaimed | RetriesClaimed | SubscriberClaimedAgain | OfferedClaimed
_OfCampaign = CampaignRenewed | CallRestored | PersonDecided | SubscribersCounted | NumberStopped
_OfText = TextRequested | NumberChecked | TextRestored | TextChecked
_OfAgent = CallerLeft | AgentAnswered | AgentMissed | SupervisionEnded | OutcomeSaid
_OfThirds = ThirdAnswered | CalleeHandedOver | HandOverRefused | RecordingOrdered
_OfLine = LegEnded | _OfThirds | CallMoved | LineLost | LineFound | CallTakenBack
_OfCall = DncReached | CallAnswered | TransferReached | CallArrived | CallReceived | CallerFound | CallEnded
EngineEvent = _Opened | _Closed | _Woken | _Claimed | _OfCampaign | _OfText | _OfAgent | _OfLine | _OfCall
"""The events that the engine handles."""
Event = EngineEvent | LegDue
