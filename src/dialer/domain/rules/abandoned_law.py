"""The words of countries' rules on abandoned calls, for a limit that allows more than they do."""

from collections.abc import Collection, Mapping
from typing import Final

from dialer.domain.rules.abandoned_limits import CANADA, LEGAL_PERCENT, UNITED_KINGDOM, UNITED_STATES, legal_percent
from dialer.domain.words.sentences import FieldName, Sentence

_RULES: Final[Mapping[str, Sentence]] = {
    UNITED_STATES: Sentence(
        "The United States allow %(most)s %% of the calls that people answer, in 30 days (16 CFR 310.4).", most=3
    ),
    UNITED_KINGDOM: Sentence(
        "In the United Kingdom, any abandoned call can be misuse; Ofcom used to allow %(most)s %% in 24 hours.", most=3
    ),
    CANADA: Sentence(
        "Canada allows %(most)s %% in a calendar month (CRTC Unsolicited Telecommunications Rules).", most=5
    ),
}
"""The rules of the countries whose limits on abandoned calls are known."""


def above_the_law(countries: Collection[str], limit: float) -> Sentence | None:
    """Return what is wrong with a limit in per cent for calls to these countries; None if their rules allow it."""
    most = legal_percent(countries)
    if limit <= most:
        return None
    rule: Sentence | None = None
    for country, text in _RULES.items():
        if country in countries:
            rule = text if rule is None else Sentence("%(one)s %(other)s", one=rule, other=text)
    return Sentence(
        "%(field)s is %(limit)s %%, so the campaign may abandon more calls than the law allows. %(rule)s Set it to"
        " %(most)s or less.",
        field=FieldName("abandon_rate_max"),
        limit=f"{limit:g}",
        rule=rule or Sentence("Regulators allow %(most)s %%.", most=LEGAL_PERCENT),
        most=f"{most:g}",
    )
