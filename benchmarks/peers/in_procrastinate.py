"""The plainest campaign as jobs of procrastinate on PostgreSQL: a job is a call that fails or not. No job waits."""

import asyncio
import atexit
import logging

import procrastinate

from benchmarks.peers.plainest import Campaign, Run, Work

AT_ONCE = 100


class NotAnsweredError(Exception):
    """The person did not answer, so the job is to be tried again."""


def build(campaign: Campaign, work: Work) -> Run:
    """Queue a job for each person, and return what works them off."""
    logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
    loop = asyncio.Runner()
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=campaign.url))

    @app.task(retry=campaign.retries, pass_context=True)
    async def call(context: procrastinate.JobContext, person: int) -> None:
        attempt = context.job.attempts
        work.ended(person, attempt)
        if not campaign.people[person][attempt][1]:
            raise NotAnsweredError

    async def queue() -> None:
        await app.open_async()
        await app.schema_manager.apply_schema_async()
        await call.batch_defer_async(*({"person": person} for person in range(len(campaign.people))))

    async def work_off() -> None:
        # A worker may end before it has seen a job that was just put back.
        before = -1
        while work.calls > before:
            before = work.calls
            await app.run_worker_async(concurrency=AT_ONCE, wait=False)

    loop.run(queue())
    atexit.register(lambda: loop.run(app.close_async()))
    return lambda: loop.run(work_off())
