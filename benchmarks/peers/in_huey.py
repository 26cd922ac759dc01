"""The plainest campaign as jobs of huey on SQLite, each commit durable: a job is a call that fails or not.

No job waits. The loop is that of a worker of huey: it takes a job, and runs it.
"""

import logging

from huey import SqliteHuey

from benchmarks.peers.plainest import Campaign, Run, Work


class NotAnsweredError(Exception):
    """The person did not answer, so the job is to be tried again."""


def build(campaign: Campaign, work: Work) -> Run:
    """Queue a job for each person, and return what works them off."""
    logging.getLogger("huey").setLevel(logging.CRITICAL)
    huey = SqliteHuey(filename=campaign.url, fsync=True, results=False)

    @huey.task(retries=campaign.retries, context=True)
    def call(person: int, task: object = None) -> None:
        attempt = campaign.retries - task.retries
        work.ended(person, attempt)
        if not campaign.people[person][attempt][1]:
            raise NotAnsweredError

    for person in range(len(campaign.people)):
        call(person)

    def run() -> None:
        while (job := huey.dequeue()) is not None:
            huey.execute(job)

    return run
