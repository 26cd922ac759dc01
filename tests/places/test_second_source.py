"""Tests of the rows made by hand: the towns of their numbers have their clocks, by a source that is not our own."""

from collections import Counter

from tests.places.named_places import countries, named_places
from tests.places.second_source import DISAGREE, Verdict, clocks, contradictions, judged
from tests.places.zone_database import zones_of_countries


def test_no_town_has_a_clock_that_its_numbers_do_not_have() -> None:
    """Where a town speaks against a row, correct the row, or make it wider: all zones of both sources."""
    assert {named.start: named.zones for named in contradictions()}.keys() == DISAGREE.keys()


def test_each_country_with_several_clocks_has_towns_but_for_two() -> None:
    """Micronesia's numbers have no names, and those of French Polynesia are of groups of islands."""
    without = countries().keys() - {named.country for named in named_places()}
    assert without == {"FM", "PF"}


def test_the_second_source_names_zones_of_the_country_only() -> None:
    for named in named_places():
        assert clocks(named.zones) <= clocks(zones_of_countries()[named.country]), named


def test_few_rows_stand_on_their_own() -> None:
    counts = Counter(found.verdict for found in judged())
    assert counts[Verdict.ALONE] < 10, [found for found in judged() if found.verdict is Verdict.ALONE]
    assert counts[Verdict.TOWNS] > counts[Verdict.WIDER] + counts[Verdict.LIBRARY]
