"""Queues to which a campaign leads, and whose agents are all logged out or on a break."""

from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel
from dialer.domain.words.sentences import RecordName, Sentence


def nobody_on_duty(section_id: int, queue: RecordName, *, is_nobody_dialled: bool) -> Finding:
    """Return the warning about a queue without an agent on duty, and what comes of it.

    `is_nobody_dialled` is true if calls are only placed for agents, and no other queue of the campaign has one.
    """
    if is_nobody_dialled:
        message = Sentence(
            "No agent of queue %(queue)s is on duty: all are logged out or on a break. Nobody is dialled until one logs"
            " in.",
            queue=queue,
        )
    else:
        message = Sentence(
            "No agent of queue %(queue)s is on duty: all are logged out or on a break. Until one logs in, the queue"
            " gives up the calls that the section transfers to it.",
            queue=queue,
        )
    return Finding(FindingLevel.WARNING, FindingCode.NOBODY_ON_DUTY, section_id, message)
