"""Queues, agents, and the tiers that place agents in queues."""

import json
from typing import Final

from sqlalchemy import Connection, select, update

from dialer.app.call_centre.agents_and_queues import change_agent, delete_agent, delete_queue
from dialer.app.campaigns.lost_calls import free_of_needless_outcomes
from dialer.app.work.touched_records import hearers_of_music, touched_queue
from dialer.domain.calls.call_recording import ALL_CALLS, BY_CAMPAIGN
from dialer.domain.numbers.emergency import is_emergency_contact
from dialer.domain.words.enums import AgentStatus, AgentTelephone, QueueStrategy
from dialer.domain.words.reasons import BREAK_CAUSES
from dialer.resources.crud.declaration import NAME, OWNER, STAMPS, optional, own, read_only, shapes, writable
from dialer.resources.crud.enumerations import listed
from dialer.resources.crud.fields import Boolean, Choice, Integer, JsonObject, Text, TextChoice
from dialer.resources.crud.forms import form
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Values
from dialer.resources.records.agent_views import own_agents
from dialer.resources.records.emergency import no_emergency_number
from dialer.resources.records.phrases import Phrases
from dialer.resources.words.errors import Errors
from dialer.sim.agent_profile import parse_agent
from dialer.sim.spans import BehaviourError
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.tables import Agent, Queue, Tier

SCORES: Final = {
    "queue": "From the moment at which the caller joins the queue.",
    "system": "From the answer of the call.",
}

RECORD: Final = {
    BY_CAMPAIGN: "As the campaign of the call says.",
    ALL_CALLS: "All calls that its agents take, from the agent's answer on at the latest.",
}

_QUEUE: Final = shapes(
    "Queue",
    Queue,
    {
        "manager": writable(
            Reference("users", column="user_id"),
            "The user who owns the queue. Only admins may name another user than themselves. Default: the caller.",
            default=0,
            title="Owner",
            hint="Whose queue it is. None: yours.",
        ),
        **own("queue"),
        "name": NAME,
        "strategy": writable(
            Choice(QueueStrategy),
            "The order in which free agents are asked to take a call.",
            title="Who is asked first",
            hint="",
        ),
        "moh_sound": writable(
            Text(),
            "Music for callees who wait in the queue or are on hold: the id, the URL or the name of an audio file of"
            " the queue's owner, which is played again and again. A text that names none is kept: callees hear the"
            " service's own notes, or the `hold_music` of a FreeSWITCH. A change holds from the next call on.",
            example="Waiting music",
            title="Music on hold",
            hint="The name of a recording. Callers who wait or are on hold hear it again and again. Empty: soft notes.",
        ),
        "record": writable(
            TextChoice(tuple(RECORD), RECORD, "QueueRecord"),
            "Which of the calls that its agents take are recorded: as their `campaign` says, or `all`: then also those"
            " that their campaign does not record, from the agent's answer on. A change holds from the next call on.",
            title="Record calls",
            hint="Calls that its agents take. The law may ask for the consent of all.",
        ),
        "record_template": writable(
            Text(),
            "The name in downloads of recordings of calls that agents of the queue took: a text with `${uuid}` (the"
            " `callid`), `${caller_id_number}` (the digits of the callee) and `${strftime(%Y-%m-%d)}` (the start, by"
            " `%Y %m %d %H %M %S %y %j`). Other variables are empty, and `/` makes folders. Empty: `${uuid}`.",
            example="${strftime(%Y-%m)}/${caller_id_number}-${uuid}.wav",
            title="Names of recordings",
            hint="Recordings of its calls are downloaded so, such as: ${caller_id_number}-${uuid}."
            " Empty: by the id of the call.",
        ),
        "time_base_score": writable(
            TextChoice(tuple(SCORES), SCORES, "TimeBaseScore"),
            "The moment from which the wait of a caller counts for the order of callers.",
            title="Waiting counts from",
            hint="",
        ),
        "tier_rules_apply": writable(
            Boolean(),
            "True if agents of a higher level are asked only after a wait at the levels below. False: all levels at"
            " once.",
            title="Ask level by level",
            hint="Agents of a higher level are asked only when callers have waited for a while.",
        ),
        "tier_rule_wait_second": writable(
            Integer(),
            "Seconds of waiting before the next level is asked. Used only if `tier_rules_apply` is true.",
            title="Wait before the next level",
            hint="",
        ),
        "tier_rule_wait_multiply_level": writable(
            Boolean(),
            "True to multiply that wait by the level: with 300 s, level 2 after 600 s. Used only if `tier_rules_apply`"
            " is true.",
            title="Wait longer at each level",
            hint="With 5 minutes, level 2 is asked after 10 minutes.",
        ),
        "tier_rule_no_agent_no_wait": writable(
            Boolean(),
            "True to go on at once from a level that has no agent on duty. Used only if `tier_rules_apply` is true.",
            title="Skip levels without an agent",
            hint="",
        ),
        "discard_abandoned_after": writable(
            Integer(),
            "Seconds for which the place of a caller who left early is kept.",
            title="Keep their place for",
            hint="",
        ),
        "abandoned_resume_allowed": writable(
            Boolean(),
            "True if a caller who left early and calls again gets the earlier place back.",
            title="Callers who call again keep their place",
            hint="Tick it if a caller who hung up and calls again does not wait from the beginning.",
        ),
        "max_wait_time": writable(
            Integer(),
            "The longest wait in seconds. 0: no limit.",
            example=600,
            title="Longest wait",
            hint="Then the caller leaves the queue. 0: no limit.",
        ),
        "max_wait_time_with_no_agent": writable(
            Integer(),
            "The longest wait in seconds while no agent is on duty. 0: no limit.",
            title="Longest wait without an agent",
            hint="While nobody of the queue is on duty. 0: no limit.",
        ),
        "max_wait_time_with_no_agent_time_reached": writable(
            Integer(),
            "Seconds that each caller waits at least, once the longest wait without an agent is reached.",
            title="Then wait at least",
            hint="New callers wait at least so long, once that wait is over.",
        ),
        "skills": writable(
            Phrases(),
            "The skills that an agent needs to take calls of the queue, with commas or line ends between them: up to"
            " 20, of up to 100 characters each. Only agents with all of them are asked, and counted. Empty: none.",
            example="French",
            title="Skills of its agents",
            hint="Only agents with all these skills take its calls, such as: French. Empty: all its agents do.",
        ),
        "skill_field": writable(
            Text(64),
            "The name of a value of contacts, such as a column of an imported list, that says which skills a call"
            " needs beside those of the queue. A contact without the value needs none. Empty: no value does.",
            example="language",
            title="Value of contacts that names a skill",
            hint="A column of your list, such as language: people with Spanish there get an agent with that skill.",
        ),
        "break_reasons": writable(
            Phrases(),
            "The reasons that agents of the queue give for a break, with commas or line ends between them: up to 20, of"
            " up to 100 characters each. Agents of several queues choose among the reasons of all. Empty:"
            " agents write any.",
            example="Lunch, Training",
            title="Reasons of a break",
            hint="Agents of the queue choose one of them, such as: Lunch, Training. Empty: they write any.",
        ),
        "max_break_time": writable(
            Integer(),
            "The longest break of an agent of the queue, in seconds. A longer one is shown to supervisors, and ends no"
            " earlier. Of an agent's queues, the shortest limit counts. 0: no limit.",
            example=900,
            title="Longest break",
            hint="Supervisors see who takes longer: on the wall board, and on the overview. 0: no limit.",
        ),
        "missed_calls_max": writable(
            Integer(),
            "The calls in a row that an agent's telephone may leave unanswered before the agent goes on a break. Only"
            " calls over a line count, and not those of simulated agents. 0: no limit.",
            title="Missed calls before a break",
            hint="An agent whose telephone leaves so many calls in a row unanswered goes on a break. 0: never.",
        ),
        "outcome_required": writable(
            Boolean(),
            "True if an agent of the queue gets no further call before the outcome of the last one is saved.",
            title="Outcome required",
            hint="Tick it if an agent gets the next call only once the outcome of the last one is saved.",
        ),
        "longer_wrap_up": writable(
            Integer(),
            "Seconds by which an agent can make the time after a call longer, once a call. 0: not at all.",
            title="More time after a call",
            hint="An agent can ask for so much more at the desk, once after each call. 0: not at all.",
        ),
        **STAMPS,
    },
    form=form(
        ("", "name strategy"),
        ("How long callers wait", "max_wait_time max_wait_time_with_no_agent"),
        ("After a call", "outcome_required longer_wrap_up"),
        ("Skills", "skills skill_field"),
        ("Breaks of agents", "break_reasons max_break_time missed_calls_max"),
        more=[
            (
                "Callers who wait",
                (
                    "moh_sound time_base_score max_wait_time_with_no_agent_time_reached discard_abandoned_after"
                    " abandoned_resume_allowed"
                ),
            ),
            (
                "Levels of agents",
                "tier_rules_apply tier_rule_wait_second tier_rule_wait_multiply_level tier_rule_no_agent_no_wait",
            ),
            ("Recordings of calls", "record record_template"),
            ("For your notes", "manager"),
        ],
    ),
    write_doc="A queue in which calls wait for an agent; all times are in seconds.",
    read_doc="A queue in which calls wait for an agent, as it is stored; all times are in seconds.",
)

_AGENT: Final = shapes(
    "Agent",
    Agent,
    {
        **own("agent"),
        "name": NAME,
        "user": OWNER,
        "login": optional(
            Reference("users"),
            "The user account with which this agent logs in: its manager's own, or one of an agent of the manager."
            " That user sees this record and its calls, and changes its status and break_reason.",
            title="User who signs in",
            hint="The user account with which this agent signs in and takes calls.",
        ),
        "contact": writable(
            Text(),
            "The phone number at which the agent takes calls, or an extension of 2 to 6 digits. Not an emergency"
            " number. Default: empty.",
            example="+12025550150",
            title="Telephone",
            hint="The number or the extension at which the agent takes calls.",
        ),
        "telephone": writable(
            TextChoice(tuple(AgentTelephone)),
            "The telephone with which the agent takes calls over lines. A telephone in the browser needs a gateway with"
            " `protocol` sip, and `DIALER_TELEPHONE_PORT`. Default: contact.",
            title="Takes calls with",
            hint="With the browser, the desk is the telephone: the agent needs a headset and no other device.",
        ),
        "skills": writable(
            Phrases(),
            "The skills of the agent, such as languages, with commas or line ends between them: up to 20, of up to 100"
            " characters each. Calls that need a skill are offered to agents who have it. Default: empty.",
            example="Spanish, Loans",
            title="Skills",
            hint="Languages and the like, such as: Spanish, Loans. Calls that need a skill come to agents who have it.",
        ),
        "status": writable(
            Choice(AgentStatus),
            "The agent's availability. Queues offer calls to agents who are available (2 or 3).",
            example=2,
            title="State",
            hint="Calls are offered to agents who are available.",
        ),
        "wrap_up_time": writable(
            Integer(),
            "Seconds after each call in which the agent gets no other call.",
            example=15,
            title="Time after a call",
            hint="The agent gets no other call meanwhile.",
        ),
        "desk_watched": writable(
            Boolean(),
            "True if the agent goes on a break once the desk that they have opened is closed for about 30 seconds.",
            title="Break when the desk is closed",
            hint="Untick it for an agent who opens the desk, closes it, and takes calls with the telephone alone.",
        ),
        "break_reason": writable(
            Text(100),
            "The reason of a break, for statistics: one of `break_reasons` of the agent's queues, if they have any. It"
            " is emptied when the break ends.",
            example="Lunch",
            hint="Why the agent is on a break, for reports.",
        ),
        "break_cause": read_only(
            Text(),
            "The reason why the service has sent the agent on a break; empty for any other break, and without one."
            f" Further reasons may be added. {listed(BREAK_CAUSES)}.",
            example="missed_calls",
            title="Break by the service",
        ),
        "parameters": writable(
            JsonObject(),
            "The behaviour of a simulated agent as a JSON object: `answer`, `talk`, `wrap_up`, `break_length` and"
            " `preview` in seconds, the chances `missed`, `breaks` and `skipped`, and `at_desk`. With `person`,"
            " somebody at the desk plays the agent. Default: {}.",
            example={"talk": [30, 180], "answer": 1},
            hint="How a simulated agent behaves: a JSON object with talk and answer, in seconds. To have a person"
            ' play the agent at the desk, write {"person": true}.',
        ),
        **STAMPS,
    },
    form=form(
        ("Who it is", "name login"),
        ("How calls are taken", "telephone contact skills wrap_up_time status break_reason desk_watched"),
        more=[("For simulations", "parameters")],
    ),
    write_doc="An agent: a person who takes calls from queues.",
    read_doc="An agent: a person who takes calls from queues, as stored.",
)

_TIER: Final = shapes(
    "Tier",
    Tier,
    {
        **own("tier"),
        "queue": writable(
            Reference("queue"), "The queue whose calls the agent takes.", hint="Callers wait here for an agent."
        ),
        "agent": writable(Reference("agent"), "The agent. An agent has at most one tier of a queue."),
        "level": writable(
            Integer(1),
            "The level of the agent, from 1. Lower levels are asked first, if the queue's tier rules apply.",
            hint="1 is asked first.",
        ),
        "position": writable(
            Integer(1),
            "The place of the agent within the level, from 1. Lower positions come first.",
            title="Place within the level",
            hint="1 is asked first.",
        ),
        **STAMPS,
    },
    write_doc="A tier: the place of an agent in a queue.",
)


def _one_place_each(change: Change) -> Errors:
    query = select(Tier.id).where(
        Tier.queue_id == change.values["queue"], Tier.agent_id == change.values["agent"], Tier.id != change.record_id
    )
    if change.unit.connection.execute(query).first() is None:
        return {}
    return {"agent": ["The agent is in the queue already. Change that tier instead."]}


def _behaviour_errors(change: Change) -> Errors:
    """Return the error in the simulated agent that the parameters describe, if any."""
    if not change.moves("parameters"):
        return {}
    try:
        parse_agent(json.loads(change.values["parameters"]))
    except BehaviourError as error:
        return {"parameters": [str(error)]}
    return {}


def _touched(connection: Connection, row: Values) -> Touched:
    """Return a queue, and those campaigns whose calls it changes by its music or its recordings, as touched records."""
    changes_calls = row["moh_sound"] or row["record"] != BY_CAMPAIGN
    hearers = hearers_of_music(connection, row["user_id"]) if changes_calls else NOTHING
    return touched_queue(row["id"]) | hearers


def _write_queue(change: Change, columns: Values) -> None:
    """Write columns of a queue. Campaigns are read again only if other music is heard, or other calls are recorded."""
    connection, before, after = change.unit.connection, change.stored, {**change.stored, **columns}
    connection.execute(update(Queue).where(Queue.id == change.record_id).values(columns))
    is_heard_anew = any(before[name] != after[name] for name in ("moh_sound", "record", "user_id"))
    touched = _touched(connection, before) | _touched(connection, after)
    change.unit.note(touched if is_heard_anew else touched_queue(change.record_id))
    if before["outcome_required"] and not after["outcome_required"]:
        free_of_needless_outcomes(change.unit, before["user_id"])


QUEUES = Resource(
    path="queue",
    shapes=_QUEUE,
    filters=("name", "strategy"),
    orderings=("name", "strategy", "created_date", "updated_date"),
    names=("name",),
    remove=delete_queue,
    update=_write_queue,
    touches=_touched,
)


def _break_reason(change: Change) -> Values:
    """Return the column of the break's reason, which only a break has."""
    is_break = change.values["status"] == AgentStatus.ON_BREAK
    return {"break_reason": change.values["break_reason"] if is_break else ""}


AGENTS = Resource(
    path="agent",
    shapes=_AGENT,
    agents_see=own_agents,
    agents_change=frozenset({"status", "break_reason"}),
    filters=("name", "status"),
    orderings=("name", "status", "created_date", "updated_date"),
    names=("name",),
    numbers=("contact",),
    rules=(FieldRule(("parameters",), _behaviour_errors), no_emergency_number("contact", is_emergency_contact)),
    columns=_break_reason,
    update=lambda change, columns: change_agent(change.unit, change.record_id, columns, change.unit.actor.id),
    remove=delete_agent,
    touches=lambda _, row: Touched(agents=frozenset({row["id"]})),
)
TIERS = Resource(
    path="tier",
    shapes=_TIER,
    owner="queue",
    filters=("level", "position"),
    orderings=("level", "position", "created_date", "updated_date"),
    touches=lambda _, row: Touched(queues=frozenset({row["queue_id"]})),
    rules=(FieldRule(("queue", "agent"), _one_place_each),),
)
