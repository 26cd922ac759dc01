"""DNS records of carriers: asked for beside the event loop's other work, and kept as long as they say."""

import asyncio
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec
import structlog

from dialer.carriers.sip.server_records import Naptr, Srv

if TYPE_CHECKING:
    from dns.asyncresolver import Resolver

ANSWER_S: Final = 4.0
"""Time for the answer to one question, whichever name server gives it."""
KEPT_S_MIN: Final = 30.0
"""Shortest time for which an answer is kept, whatever its time to live."""
KEPT_S_MAX: Final = 3_600.0
"""Longest time for which an answer is kept, whatever its time to live."""
NOTHING_KEPT_S: Final = 60.0
"""Time for which it is remembered that there are no such records."""
AWAY_S: Final = 30.0
"""Pause before name servers that did not answer are asked again. Meanwhile, the last answer is good."""
ANSWERS_MAX: Final = 64
"""Answers that one gateway keeps. The oldest are forgotten first."""
_log: Final = structlog.get_logger(__name__)

Record: TypeAlias = Naptr | Srv | str
"""A record; an address is text."""


class DnsKind(Enum):
    """The kinds of records that are asked for."""

    NAPTR = "NAPTR"
    SRV = "SRV"
    A = "A"
    AAAA = "AAAA"


class DnsAnswer(msgspec.Struct, frozen=True):
    """The records of a name."""

    records: tuple[Record, ...] = ()
    until_s: float = 0.0
    """The moment of the loop's clock until which it is good."""
    is_away: bool = False
    """True if no name server answered: the records are those of before, if there were any."""


class DnsRecords:
    """The answers of the machine's name servers for one gateway."""

    def __init__(self) -> None:
        """Prepare it. Nothing is asked before `find`."""
        self._answers: Final[dict[tuple[str, DnsKind], DnsAnswer]] = {}

    async def find(self, name: str, kind: DnsKind) -> DnsAnswer:
        """Return the records of a name. Without an answer, they are those of the last one."""
        now_s = asyncio.get_running_loop().time()
        kept = self._answers.get((name, kind))
        if kept is not None and now_s < kept.until_s:
            return kept
        try:
            records, lives_s = await _asked(name, kind)
            found = DnsAnswer(records, now_s + lives_s)
        except OSError as error:
            _log.info("name_servers_unanswered", name=name, kind=kind.value, reason=str(error))
            found = DnsAnswer(() if kept is None else kept.records, now_s + AWAY_S, is_away=True)
        self._keep((name, kind), found)
        return found

    def _keep(self, question: tuple[str, DnsKind], answer: DnsAnswer) -> None:
        self._answers.pop(question, None)
        if len(self._answers) >= ANSWERS_MAX:
            del self._answers[next(iter(self._answers))]
        self._answers[question] = answer


async def _asked(name: str, kind: DnsKind) -> tuple[tuple[Record, ...], float]:
    """Return the records of a name, and the seconds for which they are kept.

    Aliases are followed as far as one answer has them; those in a circle are an error.

    Raises:
        OSError: no name server gave an answer.
    """
    resolver = await asyncio.to_thread(system_resolver)
    from dns.exception import DNSException  # noqa: PLC0415 - most services never ask
    from dns.resolver import NXDOMAIN  # noqa: PLC0415 - as above

    try:
        answer = await resolver.resolve(
            f"{name}.", kind.value, raise_on_no_answer=False, search=False, lifetime=ANSWER_S
        )
    except NXDOMAIN:
        return (), NOTHING_KEPT_S
    except (DNSException, ValueError) as error:
        raise OSError(str(error) or type(error).__name__) from None
    records = tuple(_read(kind, one) for one in answer.rrset or ())
    lives_s = min(max(answer.chaining_result.minimum_ttl, KEPT_S_MIN), KEPT_S_MAX)
    return records, lives_s if records else NOTHING_KEPT_S


def system_resolver() -> "Resolver":
    """Return a resolver that asks the name servers of this machine.

    Raises:
        OSError: the machine names none.
    """
    from dns.asyncresolver import Resolver  # noqa: PLC0415 - most services never ask
    from dns.resolver import NoResolverConfiguration  # noqa: PLC0415 - as above

    try:
        return Resolver()
    except NoResolverConfiguration as error:
        raise OSError(str(error)) from None


def _read(kind: DnsKind, record: Any) -> Record:  # noqa: ANN401 - the library has a type for each kind
    """Return a record of the library as one of ours."""
    match kind:
        case DnsKind.NAPTR:
            flags, service = (one.decode("ascii", "replace") for one in (record.flags, record.service))
            # One with a regular expression is no name of SRV records (RFC 3263 4.1).
            replacement = "" if record.regexp else _plain(record.replacement)
            return Naptr(record.order, record.preference, flags, service, replacement)
        case DnsKind.SRV:
            return Srv(record.priority, record.weight, record.port, _plain(record.target))
        case DnsKind.A | DnsKind.AAAA:
            return str(record.address)


def _plain(name: Any) -> str:  # noqa: ANN401 - as above
    return str(name.to_text(omit_final_dot=True)).lower() if len(name.labels) > 1 else ""
