from dialer.demo.checks import Check, Checks


def test_the_figure_of_the_api_is_printed_whether_the_records_agree_or_not() -> None:
    checks = Checks()
    assert (checks.same("calls", 3, 3), checks.same("answered", 2, 1)) == (3, 2)
    assert checks.all == [Check("calls", 3, 3), Check("answered", 2, 1)]
    assert checks.differences == [Check("answered", 2, 1)]


def test_a_difference_tells_both_figures() -> None:
    assert str(Check("answered", 2, 1)) == "answered: 2 by the API, 1 by the records"
