"""The rule about proofs: a wish that was said in a call, or to a message, names it and its campaign."""

from collections.abc import Iterator

from sqlalchemy import Connection

from tests.vopr.snapshot import ask

_WRONG = """
    SELECT e.id, e.source FROM dnc_contact e
    LEFT JOIN callrequest c ON c.id = e.callrequest_id AND c.campaign_id = e.campaign_id
    LEFT JOIN sms_message m ON m.id = e.sms_message_id AND m.campaign_id = e.campaign_id
    WHERE e.id > ? AND CASE e.source
        WHEN 'text' THEN m.id IS NULL OR m.phone_number <> e.number OR e.said = '' OR e.callrequest_id IS NOT NULL
        WHEN 'key' THEN c.id IS NULL OR c.phone_number <> e.number OR c.attempt < 0 OR e.section_id IS NULL
        WHEN 'caller' THEN c.id IS NULL OR c.attempt > 0 OR e.section_id IS NULL
        WHEN 'agent' THEN c.id IS NULL
        ELSE e.campaign_id IS NOT NULL OR e.callrequest_id IS NOT NULL OR e.sms_message_id IS NOT NULL END"""
_LAST = "SELECT max(id) FROM dnc_contact"


class ProofRules:
    """The entries of do-not-call lists that were checked already."""

    def __init__(self) -> None:
        self._last = 0

    def check(self, connection: Connection) -> Iterator[str]:
        """Yield the entries since the last check whose proof is wrong."""
        for entry_id, source in ask(connection, _WRONG, self._last):
            yield f"I20: entry {entry_id} of a do-not-call list has no proof of its source {source}"
        self._last = ask(connection, _LAST)[0][0] or 0
