"""Words for the proof of an entry of a do-not-call list."""

from collections.abc import Mapping
from typing import Final

from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.words.proof import WishSource
from dialer.store.timeline.parts import DncPart

_WITH_WORDS: Final[Mapping[str, str]] = {
    WishSource.KEY: gettext_noop("Pressed %(said)s in a call"),
    WishSource.CALLER: gettext_noop("Called, and pressed %(said)s"),
    WishSource.TEXT: gettext_noop("Answered by text message: “%(said)s”"),
    WishSource.AGENT: gettext_noop("Told an agent, who noted: “%(said)s”"),
    WishSource.IMPORT: gettext_noop("Imported; the file says: “%(said)s”"),
}
_WITHOUT_WORDS: Final[Mapping[str, str]] = {
    WishSource.KEY: gettext_noop("Asked for it in a call"),
    WishSource.CALLER: gettext_noop("Called, and asked for it"),
    WishSource.TEXT: gettext_noop("Answered by text message"),
    WishSource.AGENT: gettext_noop("Told an agent"),
    WishSource.IMPORT: gettext_noop("Imported"),
    WishSource.API: gettext_noop("Added by a program"),
    WishSource.CONSOLE: gettext_noop("Added in the console"),
}


def proof_in_words(entry: DncPart) -> str:
    """Return the source of a wish, and the words of the person, in the viewer's language."""
    if entry.said and entry.source in _WITH_WORDS:
        return gettext(_WITH_WORDS[entry.source]) % {"said": entry.said}
    return gettext(_WITHOUT_WORDS.get(entry.source, entry.source))
