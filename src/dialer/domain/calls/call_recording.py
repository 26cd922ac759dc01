"""Recordings of whole calls: which calls are recorded, where the sound of one goes, and when it is kept."""

import zlib
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.domain.survey.survey import Prompt

NO_CALL: Final = "no"
ALL_CALLS: Final = "all"
ON_DEMAND: Final = "on_demand"
SHARE: Final = "share:"
SHARE_MIN: Final = 2
SHARE_MAX: Final = 1_000
BY_CAMPAIGN: Final = "campaign"
"""The `record` of a queue that leaves it to the campaigns of its calls which are recorded."""
DAY_MS: Final = 86_400_000
FREE_BYTES_MIN: Final = 256 * 2**20
"""Room that recordings leave on their disk. Without it a call goes on, and the rest of it is not recorded."""
REFUSE_KEYS: Final = "0123456789*#"
NOTICE_WAIT_MS: Final = 2_000
"""Time after the end of a notice in which a callee can still refuse."""
NOTICES_MAX: Final = 3
"""Times that a callee hears a notice whom other keys have kept from hearing it to its end."""
PAUSES_MAX: Final = 200
"""Pauses of a call that may be ordered. After the last one, the rest of the call is silent."""


class TapeState(StrEnum):
    """The state of the recording of a call at a moment."""

    WAITING = "waiting"
    """Nothing is recorded until it is ordered."""
    FOR_AGENT = "for_agent"
    """Nothing is recorded until an agent of a queue answers that records all its calls. Only a dial has this state."""
    KEEPING = "keeping"
    SILENT = "silent"
    """Silence is kept in its place."""
    REFUSED = "refused"
    """The callee has refused: what was kept is thrown away, and nothing of the call is kept from then on."""


UNBEGUN: Final = (TapeState.WAITING, TapeState.FOR_AGENT)
"""The states at a dial of a call whose recording begins later, if at all."""


class RecordingPlan(msgspec.Struct, frozen=True):
    """The settings by which a campaign records calls."""

    share: int = 0
    """Each `share`-th call is recorded; 1: all, 0: none."""
    days: int = 0
    """Days for which a recording is kept, from the end of its call; 0: for ever."""
    is_on_demand: bool = False
    """True if a call is recorded from the moment on at which somebody wants it."""
    notice: Prompt | None = None
    """The prompt that callees hear before all else, if their calls are, or may be, recorded."""
    refuse_key: str = ""
    """The key by which they refuse; empty if there is none."""
    queue_ids: frozenset[int] = frozenset()
    """The queues whose calls are recorded from the answer of their agent on, whatever else holds."""

    def chooses(self, callid: str) -> bool:
        """Return whether a call is recorded, by its own name: the same calls of the same seed are."""
        return self.share > 0 and zlib.crc32(callid.encode()) % self.share == 0

    def state_at_dial(self, callid: str) -> TapeState | None:
        """Return the state with which a call begins; None if it is never recorded."""
        if self.is_on_demand:
            return TapeState.WAITING
        if self.chooses(callid):
            return TapeState.KEEPING
        return TapeState.FOR_AGENT if self.queue_ids else None

    def kept_until_ms(self, ended_ms: int) -> int | None:
        """Return the moment until which the recording of a call is kept that ended at a moment; None: for ever."""
        return ended_ms + self.days * DAY_MS if self.days else None


NOT_RECORDED: Final = RecordingPlan()


class RecordingOrders(msgspec.Struct, frozen=True, omit_defaults=True):
    """The orders about a call that goes on, most of them about its recording.

    Moments are milliseconds since the start of the call.
    """

    began_ms: int | None = None
    """The moment at which somebody wanted the recording."""
    silences: tuple[int, ...] = ()
    """The moments at which silence began and ended, in turns. It lasts if there is one more beginning."""
    talk_completed: int = 0
    """The place in the call of the conversation that its program has completed; 0 for none."""

    @property
    def is_silent(self) -> bool:
        """Return whether silence is ordered now."""
        return lasts(self.silences)

    def begun(self, recorded_ms: Iterable[int | None], started_ms: int) -> "RecordingOrders":
        """Return them with the earliest beginning, of a call that agents of queues have answered at such times."""
        moments = [one - started_ms for one in recorded_ms if one is not None]
        if not moments:
            return self
        return replace(self, began_ms=min(moments) if self.began_ms is None else min(self.began_ms, *moments))

    def state(self, at_dial: TapeState, silences: Sequence[int] = ()) -> TapeState:
        """Return the state of a recording that began in another one, with the silences of sections beside."""
        if at_dial in UNBEGUN and self.began_ms is None:
            return TapeState.WAITING
        return TapeState.SILENT if self.is_silent or lasts(silences) else TapeState.KEEPING


NO_ORDERS: Final = RecordingOrders()


class SoundStore(msgspec.Struct, frozen=True):
    """The place of the recording of one call."""

    file: str
    """The name of the file in the folder of recordings, and its whole path where it is written."""
    key: str
    """The key of its sound in hexadecimal digits, which is sealed wherever it is stored."""
    age_ms: int = 0
    """Time since its first sound, with which the sound begins that is written from now on."""
    state: TapeState = TapeState.KEEPING
    """The state with which it begins."""

    def __repr__(self) -> str:
        """Leave out the key, so that no log line shows it."""
        return f"{type(self).__name__}(file={self.file!r}, age_ms={self.age_ms}, state={self.state.value!r})"


def share_of(record: str) -> int:
    """Return the `share` of a campaign's `record`; 0 for calls that are recorded on demand, too.

    Raises:
        ValueError: it is no such text.
    """
    if record in {NO_CALL, ALL_CALLS, ON_DEMAND}:
        return int(record == ALL_CALLS)
    digits = record.removeprefix(SHARE)
    if record.startswith(SHARE) and digits.isascii() and digits.isdecimal() and digits[0] != "0":
        share = int(digits) if len(digits) <= len(str(SHARE_MAX)) else 0
        if SHARE_MIN <= share <= SHARE_MAX:
            return share
    raise ValueError(record)


def recording_plan(
    record: str,
    days: int,
    notice: Prompt | None = None,
    refuse_key: str = "",
    queue_ids: frozenset[int] = frozenset(),
) -> RecordingPlan:
    """Return the settings of a campaign's `record`, `record_days`, notice and `record_refuse_key`, and of its queues.

    Raises:
        ValueError: `record` is no such text.
    """
    return RecordingPlan(share_of(record), days, record == ON_DEMAND, notice, refuse_key, queue_ids)


def lasts(silences: Sequence[int]) -> bool:
    """Return whether the last of these silences has no end yet."""
    return len(silences) % 2 == 1


def with_silence(silences: tuple[int, ...], at_ms: int, *, is_silent: bool) -> tuple[int, ...]:
    """Return silences of which one begins or ends at a moment, unless it is silent, or not, already.

    A silence without length is none, and two without time between them are one.
    """
    if is_silent == lasts(silences):
        return silences
    if silences and silences[-1] >= at_ms:
        return silences[:-1]
    return (*silences, at_ms)


def silent_spans(silences: Sequence[Sequence[int]], begin_ms: int, end_ms: int) -> list[tuple[int, int]]:
    """Return the times in which any of several lists of silences is silent, from `begin_ms` on, up to `end_ms`.

    They are in order and apart from each other, and moments count from `begin_ms`.
    """
    found: list[tuple[int, int]] = []
    single = [
        (moments[at], moments[at + 1] if at + 1 < len(moments) else end_ms)
        for moments in silences
        for at in range(0, len(moments), 2)
    ]
    for from_ms, to_ms in sorted((max(first, begin_ms), min(last, end_ms)) for first, last in single):
        if to_ms <= from_ms:
            continue
        if found and from_ms - begin_ms <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], to_ms - begin_ms))
        else:
            found.append((from_ms - begin_ms, to_ms - begin_ms))
    return found
