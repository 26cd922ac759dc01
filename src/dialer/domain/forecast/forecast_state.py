"""The state of the forecast in the check of a campaign."""

from dialer.domain.words.enum_descriptions import DescribedText


class ForecastState(DescribedText):
    """The reason why a check has no forecast, or that it has one."""

    DONE = "done", "A forecast was computed."
    NOT_ASKED = "not_asked", "The request asked for none."
    ERRORS = "errors", "The campaign has errors, so it cannot be started."
    OVER = "over", "The campaign has ended."
    TOO_LARGE = "too_large", "The campaign has too many people. Ask for a forecast by itself."
    BUSY = "busy", "Another forecast is being computed. Try again later."
    TOO_SLOW = "too_slow", "The forecast took too long. Ask for one by itself."
