"""The people who have answered a campaign by text message, in a sentence."""

from dialer.app.contacts.replies import ReplyCounts
from dialer.console.parts.rendering import grouped
from dialer.console.words.language import gettext, ngettext


def replies_in_words(counts: ReplyCounts) -> str:
    """Return how many people have replied by text, and how many of them want no more; empty without a reply."""
    if not counts.people:
        return ""
    replied = ngettext("%(num)s person replied by text.", "%(num)s people replied by text.", counts.people)
    stopped = ngettext(
        "%(num)s of them wants no more calls and messages.",
        "%(num)s of them want no more calls and messages.",
        counts.stopped,
    )
    sentences = [replied % {"num": grouped(counts.people)}]
    if counts.stopped:
        sentences.append(stopped % {"num": grouped(counts.stopped)})
    if counts.doubtful:
        doubtful = gettext("Replies that a user has still to look at: %(count)s.")
        sentences.append(doubtful % {"count": grouped(counts.doubtful)})
    return " ".join(sentences)
