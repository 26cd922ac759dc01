"""The area codes of countries with several clocks, beside the towns that phonenumbers and GeoNames know."""

from collections import defaultdict
from collections.abc import Iterator

from tests.places.named_places import countries, named_places
from tests.places.second_source import DISAGREE, Judged, Verdict, judged


def rows() -> Iterator[str]:
    """Yield a row for each country: how many starts the towns confirm, and which they do not."""
    found: dict[str, list[Judged]] = defaultdict(list)
    for one in judged():
        found[one.country].append(one)
    ranges: dict[str, int] = defaultdict(int)
    for named in named_places():
        ranges[named.country] += named.names
    for country in sorted(countries()):
        starts = [_of(found[country], verdict) for verdict in Verdict]
        agree, wider = map(len, starts[:2])
        library, alone = (" ".join(some) or "-" for some in starts[2:])
        yield f"| {country} | {ranges[country]} | {agree} | {wider} | {library} | {alone} |"


def words() -> Iterator[str]:
    """Yield a sentence for each start that stands against its towns, or that no other source has."""
    for start, why in sorted(DISAGREE.items()):
        yield f"- {start}: {why}."
    for one in judged():
        if one.verdict is Verdict.ALONE:
            yield f"- {one.start}: {one.row.reason}."


def _of(found: list[Judged], verdict: Verdict) -> list[str]:
    return [one.start for one in found if one.verdict is verdict]
