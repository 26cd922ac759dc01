"""Links with placeholders in braces, as `https://crm.example/people?phone={phone_number}`."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urlsplit

from dialer.domain.messages.templates import TAG

IDS: Final = ("call_id", "campaign_id", "subscriber_id", "agent_id")
"""The placeholders of a link that no other text has."""
_SCHEMES: Final = frozenset({"http", "https"})
_MISREAD: Final = frozenset("\\<>\"'`")
"""Characters that no link needs, and that browsers change or pages misread."""


def is_link(template: str) -> bool:
    """Return whether a text is an http or https address with a host, and with placeholders behind the host only."""
    without_names = TAG.sub("{}", template)
    if not without_names.isprintable() or " " in without_names or _MISREAD & set(without_names):
        return False
    try:
        parts = urlsplit(without_names)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    return parts.scheme in _SCHEMES and bool(host) and not set("{}@") & set(parts.netloc)


def fill_link(template: str, values: Mapping[str, str]) -> str:
    """Return a link with each placeholder replaced by its value, which is encoded. Unknown ones are removed.

    Empty if the template is no link, so that a page may show whatever is returned.
    """
    if not is_link(template):
        return ""
    return TAG.sub(lambda tag: quote(values.get(tag[1].strip(), ""), safe=""), template)
