"""Effects: instructions of the engine, performed by its driver."""

import msgspec

from dialer.domain.calls.agent_effects import (
    BridgeCall,
    ConsultThird,
    EndConsultation,
    HandOverCallee,
    HoldCall,
    KeepAgent,
    KeepPreview,
    KeepQueue,
    OfferCall,
    OfferPerson,
    SuperviseCall,
    TalkWith,
    WaitForAgent,
    WithdrawOffer,
)
from dialer.domain.calls.call_effects import (
    AnswerCall,
    Dial,
    DialLeg,
    FindCaller,
    FinishCall,
    FinishInbound,
    FinishLeg,
    GiveUpCall,
    HangUp,
    KeepLine,
    KeepTransfer,
    MoveCall,
    RefuseInbound,
    ResumeCall,
    TakeBackCall,
    TapeCall,
    TurnAway,
)
from dialer.domain.calls.campaign_effects import (
    CheckNumber,
    ClaimAgain,
    ClaimFresh,
    ClaimOffered,
    ClaimRetries,
    CompleteSubscriber,
    CountSubscribers,
    ExpectCallBack,
    KeepBreaker,
    KeepFigures,
    MoveCampaign,
    PutBack,
    RefuseSubscriber,
)
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.calls.text_effects import (
    CheckText,
    DropText,
    FinishText,
    KeepText,
    SendText,
)
from dialer.domain.words.proof import Proof


class KeepWish(msgspec.Struct, frozen=True, gc=False):
    """Put the number of a person who asked not to be called on do-not-call lists."""

    user_id: int | None
    """The account whose own list keeps the number; None for the list of the service, which holds for everybody."""
    dnc_id: int | None
    """The first list that the campaign names, which keeps the number, too. None if it names none."""
    number: str
    proof: Proof
    answered_campaign_id: int | None = None
    """The campaign whose text message is answered with the wish, if the carrier reports no answers of its own."""
    is_held: bool = False
    """True if it is held until somebody has looked. Then `user_id` is known, and `dnc_id` is None."""
    is_simulated: bool = False


class WakeDistributor(msgspec.Struct, frozen=True, gc=False):
    """Send `DistributorWoken` at a given time."""

    at_ms: int


class WakeWatchdog(msgspec.Struct, frozen=True, gc=False):
    """Send `WatchdogWoken` at a given time."""

    at_ms: int


class WakeCampaign(msgspec.Struct, frozen=True, gc=False):
    """Send `CampaignWoken` at a given time."""

    at_ms: int
    campaign_id: int


class WakeGateway(msgspec.Struct, frozen=True, gc=False):
    """Send `GatewayWoken` at a given time."""

    at_ms: int
    gateway_id: GatewayKey


Question = (
    ClaimFresh | ClaimRetries | ClaimAgain | ClaimOffered | CountSubscribers | CheckNumber | CheckText | FindCaller
)
"""Effects that the store answers with an event."""
_Kept = KeepText | KeepTransfer | KeepAgent | KeepPreview | KeepQueue | KeepFigures | KeepBreaker | KeepLine | KeepWish
Recorded = (
    _Kept
    | Dial
    | AnswerCall
    | SendText
    | DropText
    | TakeBackCall
    | FinishCall
    | FinishInbound
    | CompleteSubscriber
    | FinishText
    | FinishLeg
    | PutBack
    | ExpectCallBack
    | RefuseInbound
    | RefuseSubscriber
    | MoveCampaign
)
"""Effects that the store records. Some of them the kernel also performs."""
_WakeUp = WakeDistributor | WakeWatchdog | WakeCampaign | WakeGateway
_OfAgents = HoldCall | SuperviseCall | MoveCall | WaitForAgent | OfferCall | OfferPerson | WithdrawOffer | BridgeCall
_OfThirds = ConsultThird | TalkWith | EndConsultation | HandOverCallee | TapeCall
Command = _WakeUp | _OfAgents | _OfThirds | ResumeCall | HangUp | GiveUpCall | DialLeg | TurnAway
"""Effects that the kernel only performs."""
Effect = Question | Recorded | Command
