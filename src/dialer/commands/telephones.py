"""The telephones in browsers of a service, which a process of their own carries."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from dialer.api.actions.telephones import (
    TelephoneAnswer,
    TelephoneNow,
    TelephonePhase,
    Telephones,
    no_answer,
    no_place,
)
from dialer.resources.words.errors import AnsweredError, MalformedError, RecordNotFoundError
from dialer.settings import Settings

if TYPE_CHECKING:
    from dialer.carriers.voice.telephone_frames import FromExchange, ToExchange

_log = structlog.get_logger(__name__)


def telephones_of(settings: Settings) -> Telephones:
    """Return the telephones that the settings want."""
    if settings.telephone_port is None:
        return Telephones()
    return ExchangedTelephones(settings.media_dir, settings.telephone_port, settings.public_host or "")


class ExchangedTelephones(Telephones):
    """The telephones of the exchange of a media folder. Its process is started for the first of them."""

    def __init__(self, media: Path, port: int, host: str) -> None:
        """Take the UDP port of the telephones, and the host that browsers know; empty for the machine's address."""
        self._media: Final = media
        self._port: Final = port
        self._host: Final = host

    async def answer(self, agent_id: int, user_id: int, offer: str, token: str = "") -> TelephoneAnswer:
        """Answer an offer; see `Telephones`."""
        # Most services have no such telephones, so what speaks with the exchange is imported late, here and below.
        from dialer.carriers.voice.telephone_frames import AnswerOffer, TelephoneAnswered  # noqa: PLC0415

        asked = AnswerOffer(agent_id, user_id, offer, self._port, self._host, token)
        answer = await self._ask(asked)
        if isinstance(answer, TelephoneAnswered):
            return TelephoneAnswer(answer.answer, answer.token)
        raise _error(answer)

    async def hang_up(self, agent_id: int, token: str) -> None:
        """End a telephone; see `Telephones`."""
        from dialer.carriers.voice.telephone_frames import HangUpTelephone, TelephoneDone  # noqa: PLC0415

        answer = await self._ask(HangUpTelephone(agent_id, token), starts=False)
        if not isinstance(answer, TelephoneDone):
            raise RecordNotFoundError if answer is None else _error(answer)

    async def state(self, agent_id: int) -> TelephoneNow:
        """Return the state of a telephone; see `Telephones`."""
        from dialer.carriers.voice.telephone_frames import AskTelephone, TelephoneState  # noqa: PLC0415

        found = await self._ask(AskTelephone(agent_id), starts=False)
        if not isinstance(found, TelephoneState):
            return TelephoneNow()
        figures = (found.since_age_ms, found.loss_percent, found.jitter_ms, found.round_trip_ms)
        return TelephoneNow(TelephonePhase(found.state), *figures)

    async def _ask(self, question: "ToExchange", *, starts: bool = True) -> "FromExchange | None":
        from dialer.carriers.voice.telephone_client import ask_exchange  # noqa: PLC0415

        return await ask_exchange(self._media, question, starts=starts)


def _error(answer: "FromExchange | None") -> AnsweredError:
    """Return the error for an answer of the exchange that is none to the question."""
    from dialer.carriers.voice.telephone_frames import TelephoneRefusal, TelephoneRefused  # noqa: PLC0415

    if not isinstance(answer, TelephoneRefused):
        return no_answer()
    match answer.reason:
        case TelephoneRefusal.OFFER:
            return MalformedError(answer.why)
        case TelephoneRefusal.UNKNOWN:
            return RecordNotFoundError()
        case TelephoneRefusal.FULL:
            return no_place()
        case TelephoneRefusal.PORT:
            _log.error("telephone_port_not_opened", reason=answer.why)
            return no_answer()
