"""The error of the demonstration."""


class DemoError(Exception):
    """Raised when the demonstration cannot go on; the message has the request and the unexpected result."""
