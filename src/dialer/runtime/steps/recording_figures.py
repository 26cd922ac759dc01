"""Figures of the recordings of whole calls, for metrics."""


class RecordingFigures:
    """The state of recordings, and counts of what became of them."""

    __slots__ = ("is_in_place", "lost", "send_failures", "texts_failed", "texts_waiting", "waiting")

    def __init__(self) -> None:
        self.waiting = 0
        """Recordings of calls that are over which wait to be stored."""
        self.is_in_place = True
        """False while their folder or bucket is away, or is another one."""
        self.lost = 0
        """Recordings that could not be read for a day, since the start of this process."""
        self.send_failures = 0
        """Attempts to send a recording to the bucket that failed, since then."""
        self.texts_waiting = 0
        """Recordings that wait to be written down."""
        self.texts_failed = 0
        """Recordings that could not be written down, since then."""
