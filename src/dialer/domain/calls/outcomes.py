"""The outcomes of calls among which the agents of a campaign choose, such as "Sold = success, call_back"."""

from typing import NamedTuple

from dialer.domain.words.enums import AgentDisposition
from dialer.domain.words.phrases import check_phrases, read_phrases
from dialer.domain.words.sentences import Sentence


class Outcome(NamedTuple):
    """A disposition, and the campaign's own word for it; an empty word for the usual one."""

    disposition: AgentDisposition
    word: str = ""

    @property
    def text(self) -> str:
        """The outcome as text: the word and its disposition, such as `sold = COMPLETED`."""
        return outcome_text(self.disposition.value, self.word)


def outcome_text(disposition: str, word: str) -> str:
    """Return an outcome as text, with the campaign's own word before its disposition: `sold = COMPLETED`."""
    return f"{word} = {disposition}" if word else disposition


def read_outcomes(text: str) -> list[Outcome]:
    """Return the outcomes of a text, each once.

    Raises:
        ValueError: there are too many, one is too long, or one has no disposition.
    """
    phrases = read_phrases(text)
    check_phrases(phrases)
    return list(dict.fromkeys(read_outcome(phrase) for phrase in phrases))


def read_outcome(text: str) -> Outcome:
    """Return the outcome of a text.

    Raises:
        ValueError: it ends with no disposition.
    """
    word, _, disposition = (part.strip() for part in text.rpartition("="))
    if disposition not in set(AgentDisposition):
        known = ", ".join(one.value for one in AgentDisposition)
        raise ValueError(
            Sentence(
                "%(text)r has no known outcome. Write one of these, or a word for it before a sign =: %(known)s.",
                text=text,
                known=known,
            )
        )
    return Outcome(AgentDisposition(disposition), word)


def offered_outcomes(text: str) -> list[Outcome]:
    """Return the outcomes among which agents choose, by the text of their campaign: all of them if it is empty.

    A wish not to be called again can always be noted.
    """
    outcomes = read_outcomes(text) or [Outcome(one) for one in AgentDisposition]
    has_wish = any(one.disposition is AgentDisposition.DO_NOT_CALL for one in outcomes)
    return outcomes if has_wish else [*outcomes, Outcome(AgentDisposition.DO_NOT_CALL)]
