"""Values that pass between the service and a line: orders to one leg of a call, and what is heard of it.

A line is the real carrier of one gateway (`dialer.carriers.line_port`). A leg is one call that it places, or one
message. Its `key` names it for ever. Orders count their `turn` from 1, and a `Done` names the turn that it ends. A
line replaces the order in progress by the next one.

Moments are ages in milliseconds: how long ago something happened, by the line's own steady clock. The service alone
knows the time. All values are tagged with the name of their class, so that they can be sent as JSON.
"""

from typing import Final, TypeAlias

import msgspec

from dialer.domain.calls.call_recording import SoundStore, TapeState
from dialer.domain.calls.sound_quality import SoundQuality
from dialer.domain.words.enums import AmdSensitivity, AmdStatus, Cause, MessageStatus, SupervisionMode
from dialer.domain.words.voices import AS_SET, ChosenVoice

SPEECH_FOLDER: Final = "speech"
"""The folder in the media folder with texts that were spoken."""


class Value(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Base class of the values."""


class Dialling(Value, frozen=True):
    """Call a number. The line ends the leg at each of its limits by itself, even without the service."""

    key: str
    number: str
    callerid: str
    ring_limit_ms: int
    """The leg ends with cause 19 if it rings for so long."""
    talk_limit_ms: int
    """The leg ends with cause 16 so long after its answer."""
    cps_max: int = 0
    """The most legs that the line places within a second, this one among them; 0: no limit."""
    sound_store: SoundStore | None = None
    """The place of the sound of both sides, from the answer on; None if it is not recorded."""
    identity: str = ""
    """The signature of the caller by a service (RFC 8224). Only the line knows it; empty without one."""


class Arriving(Value, frozen=True):
    """Answer a call that came in, now or never. The line itself ends it at its limit."""

    key: str
    caller: str
    talk_limit_ms: int
    """The leg ends with cause 16 so long after its answer."""
    handle: str
    """The `handle` of its arrival."""
    sound_store: SoundStore | None = None
    """As that of `Dialling`."""

    @property
    def number(self) -> str:
        """The number of the caller."""
        return self.caller


class Texting(Value, frozen=True):
    """Send a text message of so many parts."""

    key: str
    number: str
    sender: str
    text: str
    parts: int


Leg: TypeAlias = Dialling | Texting | Arriving
"""The orders with which a leg begins."""


class Speech(Value, frozen=True):
    """A piece of a prompt: a recording, a file of the media folder, else a text that is spoken."""

    file: str = ""
    text: str = ""
    length_ms: int | None = None
    """Length of the recording, if it is known. A simulated callee hears it for so long."""
    voice: ChosenVoice = AS_SET
    """The voice that speaks the text."""


class Detect(Value, frozen=True):
    """Find out whether a person or a machine answered. `Done` has the `status`."""

    turn: int
    sensitivity: AmdSensitivity = AmdSensitivity.BALANCED


class AwaitBeep(Value, frozen=True):
    """Wait until an answering machine has finished its greeting."""

    turn: int


class Play(Value, frozen=True):
    """Play a prompt to its end."""

    turn: int
    speeches: tuple[Speech, ...]


class Ask(Value, frozen=True):
    """Play a prompt up to the first key, and collect keys. `Done` has them as its `answer`.

    The input ends with its `digits_max`-th digit, with `#`, or once `timeout_ms` have passed without a key since the
    prompt or the last key. Keys before the order do not count.
    """

    turn: int
    speeches: tuple[Speech, ...]
    digits_max: int
    timeout_ms: int


class Record(Value, frozen=True):
    """Record the callee under a file name of the media folder. `Done` has the length."""

    turn: int
    name: str


class Confer(Value, frozen=True):
    """Connect the leg to everybody else in a room, until it ends."""

    turn: int
    room: str


class Converse(Value, frozen=True):
    """Play a prompt to its end, and then let a program talk with the callee.

    `Done` has the `branch` that the program chose, or `invalid` if none answered or it failed, or `timeout`; its result
    as `answer`, and its `summary`. Both limits count from the end of the prompt, and the program is connected before.
    """

    turn: int
    speeches: tuple[Speech, ...]
    url: str
    patience_ms: int
    """The longest time until the program's first message."""
    limit_ms: int
    """The longest conversation."""
    callid: str
    """The call, by which the program names it."""
    parameters: dict[str, str] = {}
    """The facts about the call that the program is told."""
    account_sid: str = ""
    """The name of this installation for its programs."""
    secret: str = ""
    """The secret that signs the connection; empty for none."""
    addresses: tuple[str, ...] = ()
    """The addresses of the program to which connections may be made. The line looks them up."""
    goes_on: bool = False
    """True to go on with the conversation in progress under this turn. Without one, it is over: `invalid`."""
    ends_with: str = ""
    """The branch with which a conversation that goes on ends, because the program has completed the call."""
    account_id: int = 0
    """The user whose campaign it is, of whose lookups of names the program's is one; 0: nobody's."""

    def __repr__(self) -> str:
        """Return the order without its secret, for logs."""
        return f"Converse(turn={self.turn}, url={self.url!r}, callid={self.callid!r})"


class Hold(Value, frozen=True):
    """Play music or silence until the next order."""

    turn: int
    is_silent: bool = False
    file: str = ""
    """The music, a file of the media folder that is played again and again; empty for the line's own."""


class Bridge(Value, frozen=True):
    """Connect the leg with the leg whose key is `other`. It is done when the other leg is gone."""

    turn: int
    other: str


class Supervise(Value, frozen=True):
    """Let the leg hear two bridged legs, and be heard by the agent, by both, or by nobody.

    The bridge goes on as before. The order is `Done` when one of the two legs is gone.
    """

    turn: int
    callee: str
    """The key of the callee's leg."""
    agent: str
    """The key of the agent's leg."""
    mode: SupervisionMode


class Tape(Value, frozen=True):
    """Change what becomes of the sound in the recording of the leg. The order in progress goes on with its turn.

    It is never `Done`. A leg that is not recorded ignores it.
    """

    turn: int
    state: TapeState


class Clear(Value, frozen=True):
    """End the leg, answered or not, with a Q.850 cause for the other side."""

    turn: int
    cause: Cause = Cause.NORMAL_CLEARING


Order: TypeAlias = (
    Detect | AwaitBeep | Play | Ask | Record | Confer | Converse | Hold | Bridge | Supervise | Clear | Tape
)


class Arrived(Value, frozen=True):
    """A call came in. It rings for at most `ARRIVAL_MS_MAX`, until the service answers or clears the call.

    The opaque `handle` is stored, and given back to a line that takes up the leg.
    """

    called: str
    """The number that was called, as the carrier gave it."""
    caller: str
    """The number at the other end, as the carrier gave it; empty if it is withheld."""
    handle: str


class Ringing(Value, frozen=True):
    """The network gave the first sign of the leg."""

    age_ms: int


class Answered(Value, frozen=True):
    """The leg was answered. The opaque `handle` is stored, and given back to a line that takes up the leg."""

    age_ms: int
    handle: str


class Done(Value, frozen=True):
    """An order is done."""

    turn: int
    age_ms: int
    answer: str = msgspec.field(default="", name="keys")
    """The answer of the callee: the keys that followed an `Ask`, with the `#` if it ended them, or a program's result.

    It is called `keys` where it is stored, and between processes.
    """
    recording_ms: int | None = None
    status: AmdStatus | None = None
    is_unheard: bool = False
    """True if nothing of the prompt of the order could be played."""
    branch: str = ""
    """The branch that a program chose at the end of a conversation, or the word for how it ended."""
    summary: str = ""
    """The program's words about the conversation, for people."""


class Ended(Value, frozen=True):
    """The leg is over. `recording_ms` is the length of a recording that was in progress."""

    age_ms: int
    cause: Cause
    recording_ms: int | None = None
    is_cut_off: bool = False
    """True if it was ended because nobody could say what had become of it."""
    retry_after_ms: int = 0
    """The time for which the other side wants no other attempt; 0 if it asks for none."""
    sound: SoundQuality | None = None
    """The quality of the leg's sound; None if there was none, or nobody measured it."""


class Accepted(Value, frozen=True):
    """The carrier accepted a text message, whose parts it knows by these names; receipts name them."""

    names: tuple[str, ...]


class Receipt(Value, frozen=True):
    """The final status of a part of a text message, or of the whole message if `name` is empty."""

    name: str
    status: MessageStatus


class TextPart(Value, frozen=True):
    """The place of a text message among the parts of a longer one."""

    reference: str
    """The number that the parts have in common, and the way in which they have it."""
    number: int
    """The place, from 1."""
    count: int
    """The number of parts."""


class TextReceived(Value, frozen=True):
    """A text message from outside."""

    number: str
    to: str
    text: str
    is_national: bool = False
    """True if the carrier says that the number has no country code. False if it says nothing."""
    part: TextPart | None = None


LegReport: TypeAlias = Arrived | Ringing | Answered | Done | Ended | Accepted | Receipt | TextReceived
