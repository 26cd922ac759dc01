"""Reports of a campaign that people without an account may open by a link."""

from dialer.domain.words.enum_descriptions import DescribedText


class SharedReport(DescribedText):
    """The kind of a report that a link opens."""

    ANSWERS = "answers", "The answers in words, with shares and charts."
    PEOPLE = "people", "A row for each person, with name, number, state, answers and the columns of the list."
