"""Tests that docs/reference/reasons.md lists every reason of the code, with its meaning."""

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

import pytest

from dialer.app.work.errors import ErrorCode
from dialer.domain.rules.campaign_activity import ActivityCode
from dialer.domain.words.reasons import (
    ACTIVITY_REASONS,
    BREAK_CAUSES,
    CAMPAIGN_REASONS,
    SUBSCRIBER_REASONS,
    TEXT_REASONS,
    TRANSFER_REASONS,
    WAITS,
    ActivityReason,
    BreakCause,
    CampaignReason,
    SubscriberReason,
    TextReason,
    TransferReason,
    WaitsFor,
)

DOCUMENT: Final = Path(__file__).parents[1] / "docs" / "reference" / "reasons.md"
TABLES: Final = {
    "Subscribers and call requests": (SubscriberReason, SUBSCRIBER_REASONS),
    "What a subscriber waits for": (WaitsFor, WAITS),
    "The activity of a campaign": (ActivityCode, {code: code.meaning for code in ActivityCode}),
    "Reasons of an activity": (ActivityReason, ACTIVITY_REASONS),
    "Campaigns": (CampaignReason, CAMPAIGN_REASONS),
    "Text messages of calls": (TextReason, TEXT_REASONS),
    "Transfers": (TransferReason, TRANSFER_REASONS),
    "Breaks of agents": (BreakCause, BREAK_CAUSES),
}


def table(title: str) -> dict[str, str]:
    """Return the meanings in a table of the document, by reason."""
    _, _, rest = DOCUMENT.read_text("utf-8").partition(f"\n## {title}\n")
    return dict(re.findall(r"^\| `([a-z_]+)` \| (.*) \|$", rest.partition("\n## ")[0], re.MULTILINE))


@pytest.mark.parametrize(("title", "kind", "meanings"), [(title, *both) for title, both in TABLES.items()])
def test_every_reason_has_a_meaning_and_stands_in_the_document(
    title: str, kind: type[StrEnum], meanings: Mapping[str, str]
) -> None:
    assert list(meanings) == list(kind)
    assert list(table(title).items()) == list(meanings.items())


def test_every_code_of_an_error_stands_in_the_document() -> None:
    assert list(table("Errors of the API")) == list(ErrorCode)
