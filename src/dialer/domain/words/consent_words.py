"""The words of consents: their kinds, how they were given, and the kind that a campaign needs."""

from collections.abc import Mapping
from typing import Final

from dialer.domain.words.enum_descriptions import DescribedText

NO_CONSENT: Final = ""
"""The `requires_consent` of a campaign that asks for none, and the `how` of a consent that does not say it."""


class ConsentKind(DescribedText):
    """The kind of a consent. Each is as good as those above it."""

    OPT_IN = "opt_in", "The person did not object, or is a customer."
    EXPRESS = "express", "The person agreed in words or by an act, such as a ticked box."
    WRITTEN = "written", "The person agreed in writing, and signed."


class ConsentWay(DescribedText):
    """The way by which a consent was given."""

    WEB_FORM = "web_form", "A form of a web site."
    PAPER = "paper", "A form on paper."
    CALL = "call", "A call."
    TEXT = "text", "A text message."
    IMPORT = "import", "A file of another system, which does not say it."


STRENGTH: Final[Mapping[ConsentKind, int]] = {kind: place for place, kind in enumerate(ConsentKind)}
"""The place of each kind in their order."""
