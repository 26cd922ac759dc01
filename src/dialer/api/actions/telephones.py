"""Agents' telephones in browsers, as the API and the desk use them."""

from http import HTTPStatus
from typing import Annotated, Final, NamedTuple

import msgspec

from dialer.app.work.errors import ErrorCode
from dialer.domain.words.described import described
from dialer.domain.words.enum_descriptions import DescribedText
from dialer.resources.words.errors import AnsweredError, ConflictError

OFFER_BYTES_MAX: Final = 32_768
OFF: Final = (
    "The service has no telephones in browsers. An admin can set DIALER_TELEPHONE_PORT to a UDP port that browsers"
    " reach."
)
FULL: Final = "All places for telephones in browsers are taken. Try again later."
SILENT: Final = "The process of the telephones in browsers does not answer. Try again."
_LATER: Final = {"Retry-After": "5"}


class TelephonePhase(DescribedText):
    """The state of a telephone in a browser."""

    OFF = "off", "There is none."
    CONNECTING = "connecting", "Its offer was answered, and no sound came yet."
    CONNECTED = "connected", "Sound goes both ways."
    LOST = "lost", "Nothing came from it for 5 seconds. A call goes on for 12 seconds."


class TelephoneRead(msgspec.Struct, frozen=True):
    """The state of an agent's telephone in a browser."""

    state: Annotated[TelephonePhase, described("The state.", TelephonePhase.CONNECTED)]
    since: Annotated[
        str | None, described("The time since which it is so; null if there is no telephone.", "2027-03-01T12:00:04Z")
    ]
    loss_percent: Annotated[
        float | None, described("The share of the agent's sound that got lost, in percent; null if unknown.", 0.4)
    ]
    jitter_ms: Annotated[int | None, described("The jitter of the agent's sound, in milliseconds.", 12)]
    round_trip_ms: Annotated[
        int | None, described("The time to the browser and back, in milliseconds; null if unknown.", 38)
    ]


class TelephoneNow(NamedTuple):
    """The state of a telephone, and for how long it is so."""

    state: TelephonePhase = TelephonePhase.OFF
    since_age_ms: int | None = None
    loss_percent: float | None = None
    jitter_ms: int | None = None
    round_trip_ms: int | None = None


class TelephoneAnswer(NamedTuple):
    """The answer to an offer, and the name of the telephone."""

    answer: str
    token: str


class Telephones:
    """The telephones in browsers of a service. This one has none; those of a service with a port are made from it.

    Its methods raise AnsweredError: 400 for an offer that cannot be spoken, 404 without such a telephone, 409 if the
    service has none, 503 if there is no place.
    """

    async def answer(self, agent_id: int, user_id: int, offer: str, token: str = "") -> TelephoneAnswer:  # noqa: ARG002
        """Answer an offer of an agent of a user. With a `token`, that telephone goes on with it, and so does a call."""
        raise ConflictError(OFF, code=ErrorCode.NO_TELEPHONE)

    async def hang_up(self, agent_id: int, token: str) -> None:  # noqa: ARG002 - there is none
        """End a telephone, and its call."""
        raise ConflictError(OFF, code=ErrorCode.NO_TELEPHONE)

    async def state(self, agent_id: int) -> TelephoneNow:  # noqa: ARG002 - there is none
        """Return the state of an agent's telephone."""
        return TelephoneNow()


def no_place() -> AnsweredError:
    """Return the error for an offer without a place."""
    return AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, FULL, _LATER)


def no_answer() -> AnsweredError:
    """Return the error for a process that does not answer."""
    return AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, SILENT, _LATER)
