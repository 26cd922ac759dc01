"""The part of the documentation that explains a page of the console."""

from collections.abc import Mapping
from typing import Final

HELP: Final = "/console/help/"
BY_PLACE: Final[Mapping[str, str]] = {
    "overview": "console/#what-do-i-do-first",
    "campaigns": "campaign-check/",
    "calls": "console/#which-pages-are-there",
    "figures": "console/#how-do-i-see-who-sells-what",
    "people": "importing/",
    "surveys": "console/#how-do-i-build-a-survey",
    "centre": "console/#how-do-i-arrange-the-wall-board",
    "lines": "console/#how-do-i-add-a-carrier",
    "money": "console/#in-which-currency-are-amounts",
    "administration": "console/#who-sees-what",
    "desk": "console/#how-do-agents-note-the-outcome-of-a-call",
    "account": "console/#how-do-i-set-up-a-second-factor",
    "search": "console/#which-pages-are-there",
}
"""The part for each place of the navigation."""
BY_TEMPLATE: Final[Mapping[str, str]] = {
    "campaign_trial.html": "console/#how-do-i-hear-my-campaign-on-my-own-telephone",
    "campaign_what_if.html": "console/#what-if-the-campaign-had-other-settings",
    "call_again.html": "console/#how-do-i-call-those-again-who-were-not-reached",
    "campaign_report.html": "console/#who-counts-as-reached",
    "campaign_summary.html": "console/#how-do-i-share-a-report-with-people-without-an-account",
    "figures.html": "console/#how-do-i-see-who-sells-what",
    "survey_trial.html": "console/#how-do-i-hear-a-survey-before-it-calls",
    "staffing_plan.html": "simulating/#how-many-agents-does-monday-morning-need",
    "agent_list.html": "console/#how-do-i-set-up-many-agents",
    "number.html": "console/#how-do-i-note-something-about-a-number",
    "webhook.html": "console/#which-pages-are-there",
    "new_people.html": "importing/",
    "import.html": "importing/",
}
"""The part for pages that have one of their own."""


def help_for(template: str, here: str) -> str:
    """Return the address of the help for a page, by its template, else by its place in the navigation."""
    return HELP + (BY_TEMPLATE.get(template) or BY_PLACE.get(here, ""))
