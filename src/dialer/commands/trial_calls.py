"""Trial calls over the carriers: for `dialer gateway test`, and for test calls over the API."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from dialer.api.actions.trial_calls import TrialCallRead, TrialFailedError
from dialer.app.campaigns.trial_calls import TrialCall
from dialer.carriers.freeswitch.parameters import read_freeswitch_parameters
from dialer.carriers.freeswitch.trial_call import place_switch_call
from dialer.carriers.parameters import ParametersError
from dialer.carriers.sip.parameters import read_sip_parameters
from dialer.carriers.voice.sound_files import SoundFileError
from dialer.carriers.voice.trial_call import Trial, TrialOrder, place_trial_call
from dialer.domain.calls.plans import SIP
from dialer.store.timeline.reading import cause_in_words

RING_MS: Final = 30_000
TALK_MS: Final = 10_000
LINES_MAX: Final = 500
"""Lines of messages in the answer to one test call. The lines after them are counted only."""

PlaceCall: TypeAlias = Callable[[TrialOrder, Trial], Awaitable[None]]
"""Places a trial call over a gateway, and follows it to its end."""


def caller_of(protocol: str, parameters: str) -> PlaceCall:
    """Return the function that places a call over a SIP trunk or FreeSWITCH.

    Raises:
        ParametersError: the parameters are wrong.
    """
    if protocol == SIP:
        sip = read_sip_parameters(parameters)
        return lambda order, trial: place_trial_call(sip, order, trial)
    read_freeswitch_parameters(parameters)
    return lambda order, trial: place_switch_call(parameters, order, trial)


async def place_for_api(call: TrialCall) -> TrialCallRead:
    """Place a test call, and return what happened.

    Raises:
        TrialFailedError: it cannot be placed.
    """
    lines: list[str] = []
    left_out = 0

    def show(line: str) -> None:
        nonlocal left_out
        if len(lines) < LINES_MAX - 1:
            lines.append(line)
        else:
            left_out += 1

    trial = Trial(show)
    order = TrialOrder(call.number, call.callerid, RING_MS, TALK_MS)
    try:
        await caller_of(call.protocol, call.parameters)(order, trial)
    except (ParametersError, OSError, SoundFileError) as error:
        raise TrialFailedError(str(error)) from None
    outcome = trial.outcome()
    return TrialCallRead(
        rang_ms=outcome.rang_ms,
        answered_ms=outcome.answered_ms,
        ended_ms=outcome.ended_ms,
        cause=int(outcome.cause),
        cause_text=cause_in_words(outcome.cause),
        because=outcome.because,
        keys=outcome.keys,
        messages=[*lines, f"{left_out} more lines are left out."] if left_out else lines,
    )
