"""The words of the console for sections: a sentence for each type, and the titles and hints of their fields."""

from collections.abc import Mapping
from typing import Final

from dialer.console.words.language import gettext_noop
from dialer.domain.words.enums import SectionType

SENTENCES: Final[Mapping[SectionType, str]] = {
    SectionType.PLAY_MESSAGE: gettext_noop("Says something, and goes on."),
    SectionType.MULTI_CHOICE: gettext_noop("Asks for a key. Each key leads where you want."),
    SectionType.RATING: gettext_noop("Asks for a mark, such as 1 to 5."),
    SectionType.CAPTURE_DIGITS: gettext_noop("Asks for a number, such as an amount or an order."),
    SectionType.RECORD_MESSAGE: gettext_noop("Records what the callee says after the text."),
    SectionType.CALL_TRANSFER: gettext_noop("Connects the callee with an agent or another number."),
    SectionType.HANG_UP: gettext_noop("Says goodbye, and ends the call."),
    SectionType.CONFERENCE: gettext_noop("Lets callees talk with each other in a room."),
    SectionType.DNC: gettext_noop("Never calls this number again, says so, and ends the call."),
    SectionType.SMS: gettext_noop("Sends a text message to the callee, and goes on."),
}
TITLES: Final[Mapping[str, str]] = {
    "question": gettext_noop("Title"),
    "script": gettext_noop("Text"),
    "audiofile": gettext_noop("Recording"),
    "queue": gettext_noop("Queue"),
    "phonenumber": gettext_noop("Number"),
    "rating_laps": gettext_noop("Highest mark"),
    "number_digits": gettext_noop("Most digits"),
    "validate_number": gettext_noop("Only numbers of a range"),
    "min_number": gettext_noop("Lowest number"),
    "max_number": gettext_noop("Highest number"),
    "conference": gettext_noop("Name of the room"),
    "sms_text": gettext_noop("Text message"),
    "retries": gettext_noop("Times to ask again"),
    "timeout": gettext_noop("Time to wait for a key"),
    "invalid_audiofile": gettext_noop("Recording after a wrong input"),
    "confirm_script": gettext_noop("Text for the person who answers"),
    "confirm_key": gettext_noop("Key to take the call"),
    "completed": gettext_noop("Goal of the survey"),
    "type": gettext_noop("Kind of section"),
}
"""The titles of fields, in the order of forms."""
HINTS: Final[Mapping[tuple[SectionType | None, str], str]] = {
    (None, "question"): gettext_noop("For you, and in reports. Callees do not hear it."),
    (None, "rating_laps"): gettext_noop("The lowest mark is 1."),
    (None, "number_digits"): gettext_noop("The callee can end a shorter number with #."),
    (None, "validate_number"): gettext_noop("Other numbers count as wrong input. 0 to 99 stands for any number."),
    (None, "conference"): gettext_noop("Empty: each campaign has a room of its own."),
    (None, "sms_text"): gettext_noop("The campaign needs a gateway for text messages."),
    (None, "retries"): gettext_noop("After a wrong input or none. Then the call goes on as you chose for these above."),
    (None, "timeout"): gettext_noop("Counted from the last key, or from the end of the text."),
    (SectionType.CALL_TRANSFER, "timeout"): gettext_noop("The time to press the key below."),
    (None, "invalid_audiofile"): gettext_noop(
        "Callees hear it, and then the question again. Without it, they hear the question again at once."
    ),
    (None, "confirm_script"): gettext_noop("Heard before the two are connected, if a key is needed."),
    (None, "confirm_key"): gettext_noop("Empty: the two are connected at once."),
    (None, "completed"): gettext_noop("Whoever comes here has completed the survey."),
    (SectionType.CALL_TRANSFER, "completed"): gettext_noop(
        "The callee has completed the survey once somebody takes the call, and not by waiting."
    ),
    (None, "type"): gettext_noop("Another kind has other fields. The texts stay."),
}
"""Hints by type and field. Those of no type hold for all others."""
