"""Reports that people get without a look at the console: by a link, or by mail."""

from dialer.domain.words.enum_descriptions import DescribedText


class SharedReport(DescribedText):
    """The kind of a report that a link opens."""

    ANSWERS = "answers", "The answers in words, with shares and charts."
    PEOPLE = "people", "A row for each person, with name, number, state, answers and the columns of the list."


class ScheduledReport(DescribedText):
    """The kind of a report that is sent."""

    ANSWERS = "answers", "The answers to a campaign in words, with shares."
    PEOPLE = "people", "A row for each person of a campaign: name, number, state, answers, columns of the list."
    AGENT_OUTCOMES = "agent_outcomes", "The calls that each agent took by their outcome, of the day before."
    AGENT_HOURS = "agent_hours", "The calls that each agent took by the hour of the day, of the day before."
    AGENT_DAYS = (
        "agent_days",
        "The log-ins, times and occupancy of each agent of the account, of the day before.",
    )


class SentAs(DescribedText):
    """The form in which a report is sent."""

    WORDS = "words", "As a table in the mail. The rows of people are never in it."
    CSV = "csv", "As a CSV file with the mail."
    XLSX = "xlsx", "As an Excel file with the mail."
    PDF = "pdf", "As a PDF file with the mail; only the answers in words."
    LINK = "link", "As a link that holds for 14 days; only reports of a campaign that a link can open."


class SentWhen(DescribedText):
    """The moment at which a report is sent."""

    DAILY = "daily", "At a time of the day, on the chosen days of the week."
    END = "end", "Once, when the campaign has ended and its last call is over."
