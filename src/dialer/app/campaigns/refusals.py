"""The reasons why a person is not called at once, as a refusal names them."""

from collections.abc import Mapping
from typing import Final

from dialer.domain.words.reasons import WaitsFor
from dialer.domain.words.sentences import Sentence

_WITHOUT_TURN: Final[Mapping[WaitsFor, Sentence]] = {
    WaitsFor.EMERGENCY: Sentence("the number is an emergency number"),
    WaitsFor.INVALID_NUMBER: Sentence("the number is impossible in its country"),
    WaitsFor.DESTINATION: Sentence("the account may not call such numbers, or this country"),
    WaitsFor.TZ_UNKNOWN: Sentence("the time zone of the number is unknown"),
    WaitsFor.DNC: Sentence("the number is on a do-not-call list of the campaign"),
    WaitsFor.HELD: Sentence("the person has perhaps asked not to be called, and nobody has looked yet"),
    WaitsFor.NO_CONSENT: Sentence("there is no consent of the person that the campaign needs"),
}
"""The meanings of waits that have a turn, without the turn."""


def refusal_of(reason: WaitsFor) -> Sentence:
    """Return the meaning of a wait, to go on in a sentence about a call that is refused instead."""
    return _WITHOUT_TURN.get(reason) or Sentence(reason.meaning)
