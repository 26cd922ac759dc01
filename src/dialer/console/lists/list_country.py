"""The country of the numbers of a list, as the file tells it, and the question to the viewer where it is doubtful."""

from collections.abc import Sequence
from typing import NamedTuple

from dialer.api.service import ApiRequest
from dialer.app.imports.file_country import FileCountry, Fit, Hints, judge, same_plan
from dialer.app.imports.number_cells import NumberCells
from dialer.app.imports.preview import FileView
from dialer.console.lists.list_choices import ListChoices, country_of_zone, number_place, roles_of
from dialer.console.parts.zones import COOKIE, zone_of


class CountryQuestion(NamedTuple):
    """A question for the country of the numbers that have none."""

    judged: int
    """Numbers by which the file was judged."""
    options: tuple[Fit, ...]
    is_open: bool
    """True if nothing is imported without an answer; false for a remark on a country that was chosen."""


class ListCountry:
    """The country of one list: that which the viewer has chosen, or that which the file tells."""

    def __init__(self, hints: Hints, chosen: str | None, numbers: Sequence[str]) -> None:
        self._chosen = chosen
        self._hints = hints if chosen is None else Hints(named=chosen, headers=hints.headers)
        self._told = judge(numbers, self._hints)
        self._is_open = chosen is None and self._told.is_doubtful
        self.region = self._told.region if chosen is None else chosen

    def look_further(self, numbers: Sequence[str]) -> None:
        """Judge once more by numbers of the whole file, and ask if they tell another country than its first rows."""
        told = judge(numbers, self._hints)
        if self._chosen is None and told.judged:
            self._is_open |= told.is_doubtful or not same_plan(told.region, self.region)
        self._told = told if told.judged else self._told

    def question(self) -> CountryQuestion | None:
        """Return the question for the country; None if the file tells it."""
        told = self._told
        if self._is_open:
            return CountryQuestion(told.judged, told.options, is_open=True)
        return CountryQuestion(told.judged, told.options[:1], is_open=False) if self._is_contradicted(told) else None

    def _is_contradicted(self, told: FileCountry) -> bool:
        is_other = bool(told.options) and not same_plan(told.options[0].region, self.region)
        return bool(self._chosen) and told.is_doubtful and is_other


def hints_for(request: ApiRequest, columns: Sequence[str]) -> Hints:
    """Return the hints at the country of a list besides its numbers."""
    zone = country_of_zone(zone_of(request).key) if request.cookies.get(COOKIE) else ""
    return Hints(named=request.service.conventions(request).region or "", zone=zone, headers=columns)


def numbers_of(view: FileView, choices: ListChoices) -> list[str]:
    """Return the numbers of the first rows of a file which have no country beside them."""
    place = number_place(choices)
    if place is None:
        return []
    cells = NumberCells(view.columns, place, None, roles_of(choices, view.columns), check=lambda _cell, _number: None)
    for _, row in view.rows:
        if len(row) >= len(view.columns):
            cells.all(row)
    return cells.sample.numbers()
