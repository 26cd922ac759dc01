"""The names of browsers, as far as people need them to know their own."""

from typing import Final

from dialer.console.words.language import gettext

_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
"""Parts of a `User-Agent` and their browsers. Most browsers name others too, so the first part that fits counts."""
_SYSTEMS: Final = (
    ("Windows", "Windows"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """Return a browser and its system, such as `Firefox on Windows`; what it says of itself if it is another."""
    browser = next((name for part, name in _BROWSERS if part in user_agent), "")
    system = next((name for part, name in _SYSTEMS if part in user_agent), "")
    if browser and system:
        return gettext("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or user_agent or gettext("Unknown")
