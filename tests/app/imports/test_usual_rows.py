"""The rows of a list that are read in a short way: it says nothing else than the long one."""

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.importing import LISTS, mixed
from dialer.app.imports.number_rows import ContactRows
from dialer.domain.numbers.doubts import NumberDoubt, doubt_of
from dialer.domain.numbers.emergency import is_emergency

COLUMNS = ("contact", "full_name", "city")
NUMBERS = st.one_of(
    st.from_regex(r"[+0]?[0-9]{2,15}", fullmatch=True),
    st.text(st.sampled_from("+0123456789 .-()/,'"), max_size=20),
    st.integers(0, 9_999).map(mixed),
    st.sampled_from(["112", "+49112", "011911", "0000000000911", "12", "", "x", "030 230100.0", "+39 6 123456"]),
)


def rows_with(region: str | None, columns: tuple[str, ...] = COLUMNS) -> ContactRows:
    rows = ContactRows(1, region=region)
    rows.begin(columns, joins_names=True)
    return rows


@given(number=NUMBERS, name=st.text(max_size=300), region=st.sampled_from([None, "DE", "US", "IT", "FR"]))
def test_a_usual_row_is_read_as_any_other_row_and_needs_no_remark(number: str, name: str, region: str | None) -> None:
    cells = [number, name, "Berlin"]
    usual = rows_with(region).usual_row(cells)
    found, error = rows_with(region).rows_of(cells)
    if usual is not None:
        assert ([usual], None) == (found, error)
        assert doubt_of(usual[0]) is NumberDoubt.NONE
        assert not is_emergency(usual[0])


def test_the_rows_of_most_lists_are_usual() -> None:
    for numbers in LISTS.values():
        rows = rows_with(numbers.region)
        usual = [rows.usual_row([numbers.number(place), "Ann", "Berlin"]) for place in range(5_000)]
        assert usual.count(None) < len(usual) / 5


def test_a_short_cell_that_may_be_a_count_is_judged_with_its_row() -> None:
    assert rows_with("DE").usual_row(["123456", "Total", ""]) is None
