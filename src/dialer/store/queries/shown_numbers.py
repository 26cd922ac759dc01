"""Caller IDs and senders as callees are shown them: numbers in normal form, with the country of the account."""

from sqlalchemy import Connection, RowMapping

from dialer.domain.numbers.shown import shown_number
from dialer.store.queries.regions import region_of
from dialer.store.tables import SMS


def shown_form(connection: Connection, campaign: RowMapping, text: str) -> str:
    """Return a caller ID of a campaign in normal form; unchanged if it is a name, or no number that can be shown."""
    if not text or (text[0] == "+" and text[1:].isdigit()):
        return text
    region, allows_names = region_of(connection, campaign["user_id"]), campaign["medium"] == SMS
    number = shown_number(text, region, allows_names=allows_names)
    return number if number is not None and number.startswith("+") else text
