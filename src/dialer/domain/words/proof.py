"""The proof of an entry of a do-not-call list: where the wish comes from, and in which words it was said."""

from collections.abc import Sequence
from typing import Final

import msgspec

from dialer.domain.words.enum_descriptions import DescribedText

SAID_MAX: Final = 2_000
"""Characters that are kept of what somebody said."""


class WishSource(DescribedText):
    """The way by which a number came on a do-not-call list."""

    KEY = "key", "The person pressed a key in a call, or came to a section of type 9 in another way."
    AGENT = "agent", "The person told an agent, who saved the disposition `do_not_call`."
    TEXT = "text", "The person answered to a text message."
    CALLER = "caller", "The person called, and came to a section of type 9."
    IMPORT = "import", "A file was imported."
    API = "api", "A program or the command line added the number."
    CONSOLE = "console", "A user of the console added the number."


class Proof(msgspec.Struct, frozen=True, gc=False):
    """The circumstances of a wish not to be called. The moment is that of its entry."""

    source: WishSource
    campaign_id: int | None = None
    """The campaign that called or wrote to the person, or that they called."""
    callrequest_id: int | None = None
    """The call in which they said it."""
    sms_message_id: int | None = None
    """The text message which they answered."""
    section_id: int | None = None
    """The section in which they pressed the key."""
    said: str = ""
    """The keys, the text message, or the note of the agent."""


PROOF_COLUMNS: Final = ("source", "created_date", "said")
"""The columns of an exported entry that an import keeps as words."""


def earlier_proof(cells: Sequence[str]) -> str:
    """Return the proof of an exported entry as words: what is there of the source, the moment and what was said."""
    return said_in(", ".join(filter(None, map(str.strip, cells))))


def said_in(text: str) -> str:
    """Return a text from outside as it is stored: without null characters, and at most `SAID_MAX` long."""
    whole = text.encode("utf-8", "replace").decode()
    return whole.replace("\0", "")[:SAID_MAX]
