"""Consents in made-up services, in some seeds: nobody is dialled without the consent that their campaign needs."""

from collections.abc import Collection, Iterator
from typing import Any, Final

from sqlalchemy import Connection

from tests.vopr.contact_rules import FIRST_SEED, has_contact_rules
from tests.vopr.dice import Dice
from tests.vopr.snapshot import Attempt, ask

Values = dict[str, Any]
SEEDS_WITH: Final = 25
"""Percentage of the seeds with neither contact rules nor an earlier number in which campaigns need consents."""
CONSENTS_EACH: Final = 40
_HOUR_MS: Final = 3_600_000
_KINDS: Final = ("opt_in", "express", "written")
_NEEDED: Final = "SELECT id, requires_consent, purpose FROM campaign WHERE requires_consent <> ''"
_GOOD: Final = """
    SELECT kind, purposes FROM consent WHERE user_id = ? AND number = ? AND given_date <= ?
    AND (expiration_date IS NULL OR expiration_date > ?) AND (withdrawn_date IS NULL OR withdrawn_date > ?)"""


def has_consents(seed: int) -> bool:
    """Return whether campaigns need consents in a seed."""
    is_free = seed >= FIRST_SEED and not has_contact_rules(seed)
    return is_free and Dice(seed, "are there consents").happens(SEEDS_WITH)


def draw_consents(seed: int, rows: dict[str, list[Values]], start_ms: int) -> None:
    """Let campaigns need consents, and give people some, which begin and end within hours."""
    if not has_consents(seed):
        return
    dice = Dice(seed, "consents")
    for campaign in rows["campaign"]:
        if dice.happens(70):
            campaign["requires_consent"] = dice.pick(_KINDS)
    numbers = sorted({contact["number"] for contact in rows["contact"]})[:CONSENTS_EACH]
    rows["consent"] = [
        {
            "user_id": user_id,
            "phone_number": number,
            "number": number,
            "kind": dice.pick(_KINDS),
            "purposes": dice.pick(("", "", "sales")),
            "given_date": start_ms + dice.pick((-1, -1, 0, 1)) * _HOUR_MS,
            "expiration_date": dice.pick((None, None, start_ms + dice.between(1, 120) * 60_000)),
            "withdrawn_date": dice.pick((None, None, start_ms + dice.between(1, 240) * 60_000)),
        }
        for user_id in range(1, len(rows["user_account"]) + 1)
        for number in numbers
        if dice.happens(80)
    ]


def without_consent(connection: Connection, new: Collection[Attempt]) -> Iterator[str]:
    """Yield new attempts of campaigns that need a consent to people of whom there was none at that moment."""
    needed = {key: (kind, purpose) for key, kind, purpose in (ask(connection, _NEEDED) if new else ())}
    for one in new:
        if one.campaign_id in needed:
            kind, purpose = needed[one.campaign_id]
            at = (one.started_ms,) * 3
            found = ask(connection, _GOOD, one.user_id, one.number, *at)
            kinds = {had for had, purposes in found if not purposes or purpose in purposes.split()}
            if not kinds.intersection(_KINDS[_KINDS.index(kind) :]):
                yield f"call {one.id} to {one.number} without the consent that campaign {one.campaign_id} needs: {kind}"
