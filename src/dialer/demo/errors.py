"""What may go wrong with a demonstration."""


class DemoError(Exception):
    """Raised when the demonstration cannot go on: the message says what was asked, and what came instead."""
