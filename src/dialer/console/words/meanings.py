"""The meanings of figures, as they stand beside them."""

from typing import Final

from dialer.console.words.language import gettext_noop

ABANDONED_MEANING: Final = gettext_noop(
    "A call is abandoned if a person answered it and no agent took it within two seconds of joining a queue, even if"
    " one took it later. The share is that of all calls that people answered, in campaigns with queues."
)
