"""Types of events as commands take them, and their data."""

from difflib import get_close_matches

import rich_click as click

from dialer.webhooks.examples import EXAMPLES


def check_event_type(kind: str) -> str:
    """Return a type of events as it is.

    Raises:
        ClickException: there is no such type; the message has the one that is like it, or all.
    """
    if kind in EXAMPLES:
        return kind
    near = get_close_matches(kind, EXAMPLES, n=1)
    right = f"did you mean {near[0]}?" if near else ", ".join(EXAMPLES)
    raise click.ClickException(f"{kind[:40]!r} is not a type of events: {right}")
