"""The parameters and the example of a staffing plan in the OpenAPI document."""

from collections.abc import Iterator
from typing import Final

from dialer.api.actions.staffing_plan import CAMPAIGN, NUMBERS, TIMES, VOLUMES, ZONE
from dialer.api.openapi.examples import answer
from dialer.api.openapi.parts import TEXT, Json, parameter
from dialer.domain.queueing.typed_volumes import EXAMPLE
from dialer.forecast.staffing_plan import PlannedHalfHour, StaffingPlan
from dialer.resources.crud.enumerations import text_schema

OPERATION: Final = "read_staffing_plan"
_TOLD: Final = {
    "weeks": "The weeks of the past whose calls are looked at. Today does not count.",
    "service_level": "The least percentage of the calls that an agent takes in time.",
    "within": "The seconds of that time.",
    "abandoned": "The largest percentage of the calls that no agent takes within two seconds. Left out: any.",
    "busy": "The largest percentage of their time in which agents have a call or wrap-up time.",
    "shrinkage": "The percentage of paid time in which people are not at work.",
    "change": "The per cent by which more calls are expected than came in the past; negative: fewer.",
}
_TIMES_TOLD: Final = {
    "talk_time": "Mean seconds of a talk. Left out: that of the past.",
    "ring_time": "Mean seconds for which agents let their telephones ring. Left out: that of the past.",
    "wrap_up_time": "Mean seconds of wrap-up time. Left out: that of the past.",
}
_VOLUMES_TOLD: Final = (
    "The calls that are expected, in place of those of the past: weekdays, a time of the day, and the calls of each"
    " half hour, or with `/day` of each day. Entries are separated by semicolons, and those that meet add up."
)
_FORMATS: Final = {"json": "JSON.", "csv": "CSV with a header line, one line a half hour."}


def _parameters() -> Iterator[Json]:
    for name, bounds in NUMBERS.items():
        schema: Json = {"type": "integer", "minimum": bounds.least, "maximum": bounds.most}
        if bounds.default is not None:
            schema["default"] = bounds.default
        yield parameter(name, schema, _TOLD[name], bounds.default or bounds.least)
    for name, bounds in TIMES.items():
        schema = {"type": "integer", "minimum": bounds.least, "maximum": bounds.most}
        yield parameter(name, schema, _TIMES_TOLD[name], 20)
    yield parameter(VOLUMES, TEXT, _VOLUMES_TOLD, EXAMPLE)
    told = (
        "The id of a campaign whose forecast, as its page in the console keeps it, says the calls to expect. Its survey"
        " leads to this queue and to no other."
    )
    yield parameter(CAMPAIGN, {"type": "integer", "minimum": 1}, told, 1)
    yield parameter(ZONE, TEXT, "Time zone of days, an IANA name. By default that of the service.", "Europe/Madrid")
    told = "The format of the response."
    yield parameter("format", text_schema(_FORMATS, _FORMATS, "PlanFormat").to_schema(), told, "csv")


PLAN_PARAMETERS: Final = {OPERATION: tuple(_parameters())}
"""The query parameters of staffing plans, by operation."""
PLAN_EXAMPLES: Final = {OPERATION: answer(StaffingPlan, half_hours=[answer(PlannedHalfHour)])}
"""The example of a staffing plan, by operation."""
PLAN_TABLES: Final = {OPERATION: ",".join(PlannedHalfHour.__struct_fields__) + "\r\n"}
"""The first line of a staffing plan as CSV, by operation."""
