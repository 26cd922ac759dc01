"""Warnings that numbers on do-not-call lists protect nobody, or have no country, in the viewer's language."""

from sqlalchemy import Connection

from dialer.console.parts.sentences import in_viewers_words
from dialer.domain.rules.doubtful_entries import in_words
from dialer.store.queries.doubtful_entries import doubtful_entries, doubtful_for_campaign


def alarms_of_list(connection: Connection, dnc_id: int) -> tuple[str, ...]:
    """Return the warnings about the numbers on a list."""
    return tuple(map(in_viewers_words, in_words(doubtful_entries(connection, [dnc_id]))))


def alarms_of_campaign(connection: Connection, campaign_id: int, dnc_id: int | None) -> tuple[str, ...]:
    """Return the warnings about the numbers on the lists that hold for a campaign."""
    return tuple(map(in_viewers_words, in_words(doubtful_for_campaign(connection, campaign_id, dnc_id))))
