"""Completion of the OpenAPI document: it adds facts that the framework loses or cannot know."""

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

import msgspec

from dialer.api.actions.telephones import TelephoneRead
from dialer.api.actions.trial_calls import TrialCallRead
from dialer.api.openapi import examples
from dialer.api.openapi.answer_headers import (
    HEADERS,
    PREFER,
    answer_headers,
    with_dry_run,
)
from dialer.api.openapi.conditions import with_conditions
from dialer.api.openapi.enumerations import with_named_enumerations
from dialer.api.openapi.error_part import ERROR_SCHEMAS, error_responses
from dialer.api.openapi.guide import SERVERS, groups
from dialer.api.openapi.parameters import noun, parameters
from dialer.api.openapi.parts import TEXT, Json, header
from dialer.api.openapi.refused_statuses import is_repeatable, refusals
from dialer.api.openapi.staffing_plan_example import PLAN_EXAMPLES, PLAN_TABLES
from dialer.api.openapi.statistics_example import DAY_TABLES, STATISTICS_EXAMPLES
from dialer.api.openapi.webhook_part import event_schemas, webhooks
from dialer.api.routes.apply import WaitingSound
from dialer.api.routes.call_again import CalledAgainRead
from dialer.api.routes.campaign_trials import OwnTestRead
from dialer.api.routes.clock import ClockRead
from dialer.api.routes.contact_law import ContactLawRead
from dialer.api.routes.events import EventsRead, EventsSwitched
from dialer.api.routes.exports import CSV, NDJSON, exported_shape
from dialer.api.routes.live_calls import (
    ConsultationRead,
    ConsultRead,
    HangUpRead,
    HoldRead,
    ResumeRead,
    TransferOrderRead,
)
from dialer.api.routes.own_settings import OwnSettings
from dialer.api.routes.previews import PersonOrdered, PreviewRead
from dialer.api.routes.promised_call_backs import PromisedCallBackRead, PromisedCallBacksRead
from dialer.api.routes.recording_orders import RecordingOrderRead
from dialer.api.routes.recycle import RecycledRead
from dialer.api.routes.survey_aggregate import AnswerShare, SectionAggregate, SurveyAggregate
from dialer.api.routes.survey_check import FindingRead, SurveyCheckRead
from dialer.api.routes.webhooks import DeliveriesRead, DeliveryRead, SecretRead, TestRead
from dialer.api.routes.wrap_ups import LongerWrapUpRead, WrapUpEndRead
from dialer.files.exchange import ApplyAnswer, ExportAnswer, ExportedText, FileBeside
from dialer.forecast.example import FORECAST
from dialer.resources.crud.properties import NUMBER
from dialer.resources.crud.references import NO_OBJECT
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.urls import PREFIX, URL_PATHS
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.dispositions import DispositionRead
from dialer.resources.records.drafts import DraftRead
from dialer.resources.records.events import EventRead
from dialer.resources.records.law_rows import LawRowRead
from dialer.resources.records.ledger import LEDGER
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.records.supervision import ListenRead, StopListeningRead
from dialer.resources.records.surveys import AUDIO_FILES

_SUMMARIES: Final[Mapping[str, str]] = {
    "list": "List {}s",
    "create": "Create a new {}",
    "read": "Read one {}",
    "change": "Change one {}",
    "put": "Change one {}, as PATCH does",
    "delete": "Delete one {}",
    "clear": "Delete every {} that the filters select",
}
_DONE: Final[Mapping[str, str]] = {"200": "Done", "201": "Created", "202": "Changed", "204": "Deleted"}
_LOCATION: Final[Json] = header(
    "The URL of the record", f"https://dialer.example{PREFIX}/phonebook/1/", {"type": "string", "format": "uri"}
)
_CHECKED: Final = {
    "errors": 0,
    "warnings": 1,
    "forecast": "done",
    "people": 23,
    "doubles": 0,
    "do_not_call": 2,
    "findings": [
        {
            "level": "warning",
            "code": "low_balance",
            "field": "user",
            "section": None,
            "message": "The campaign is likely to cost 12.50000 (P50 of the forecast), but the free balance is"
            " 10.00000. It pauses when that is used up.",
            "keys": [],
        }
    ],
}
_COMPARING: Final = {
    "state": "running",
    "runs": 30,
    "done": 12,
    "changes": [{"frequency": "40"}, {"daily_start_time": "10:00:00"}],
    "error": "",
    "outcome": None,
}
_DISPOSITION: Final = examples.answer(DispositionRead)
_DRAFT: Final = examples.answer(DraftRead)
_RECYCLED: Final = examples.answer(RecycledRead)
_CALLED_AGAIN: Final = examples.answer(CalledAgainRead)
_AGGREGATE: Final = examples.answer(
    SectionAggregate,
    type=2,
    answers=[
        examples.answer(AnswerShare),
        examples.answer(AnswerShare, response="no", count=1, percent=25.0),
    ],
)


def _added(path: str, field: str) -> Json:
    """Return an answer to two records, of which the second refers to a record that does not exist."""
    refused = {"status": 400, "errors": {field: [NO_OBJECT]}}
    made = {"status": 201, "id": 1, "url": f"https://dialer.example{PREFIX}/{path}/1/"}
    return {"created": 1, "rejected": 1, "results": [made, refused]}


_EXAMPLES: Final[Mapping[str, Any]] = {
    **STATISTICS_EXAMPLES,
    **PLAN_EXAMPLES,
    "read_root": {"phonebook": f"https://dialer.example{PREFIX}/phonebook/"},
    "read_clock": examples.answer(ClockRead),
    "advance_clock": examples.answer(ClockRead),
    "read_events": examples.answer(EventsRead, results=[examples.answer(EventRead)]),
    "switch_events": examples.answer(EventsSwitched),
    "list_webhook_deliveries": examples.answer(DeliveriesRead, results=[examples.answer(DeliveryRead)]),
    "resend_event": examples.answer(DeliveryRead),
    "send_test_event": examples.answer(TestRead),
    "rotate_webhook_secret": examples.answer(SecretRead),
    "read_contact_law": examples.answer(ContactLawRead, results=[examples.answer(LawRowRead)]),
    "read_promised_call_backs": examples.answer(PromisedCallBacksRead, results=[examples.answer(PromisedCallBackRead)]),
    "read_own_settings": examples.answer(OwnSettings),
    "change_own_settings": examples.answer(OwnSettings),
    "import_contacts": {"imported": 2, "duplicates": 0, "rejected": 0, "errors": []},
    "import_dnc_contacts": {"imported": 2, "duplicates": 0, "rejected": 0, "errors": []},
    "forecast_campaign": FORECAST,
    "forecast_sms_campaign": FORECAST,
    "compare_campaign": _COMPARING,
    "compare_sms_campaign": _COMPARING,
    "fetch_comparison": _COMPARING,
    "fetch_sms_comparison": _COMPARING,
    "stop_comparison": {**_COMPARING, "state": "stopped"},
    "stop_sms_comparison": {**_COMPARING, "state": "stopped"},
    "check_campaign": _CHECKED,
    "check_sms_campaign": _CHECKED,
    "check_survey_template": examples.answer(
        SurveyCheckRead, findings=[examples.answer(FindingRead, level="error", code="no_destination")]
    ),
    "aggregate_survey": examples.answer(SurveyAggregate, sections=[_AGGREGATE]),
    "refund_call": {**examples.record(LEDGER.read), "kind": "refund"},
    "add_contacts": _added("contact", "phonebook"),
    "add_dnc_contacts": _added("dnc-contact", "dnc"),
    "add_consents": _added("consent", "user"),
    "copy_campaign": examples.record(CAMPAIGNS.read),
    "copy_sms_campaign": examples.record(SMS_CAMPAIGNS.read),
    "recycle_campaign": _RECYCLED,
    "recycle_sms_campaign": _RECYCLED,
    "call_again": _CALLED_AGAIN,
    "text_again": _CALLED_AGAIN,
    "place_test_call": examples.answer(TrialCallRead),
    **dict.fromkeys(("open_telephone", "renew_telephone"), "v=0\r\n"),
    "read_telephone": examples.answer(TelephoneRead),
    **dict.fromkeys(("test_call", "read_test_call", "test_text", "read_test_text"), examples.answer(OwnTestRead)),
    "read_disposition": _DISPOSITION,
    "set_disposition": _DISPOSITION,
    "read_draft": _DRAFT,
    "set_draft": _DRAFT,
    "read_preview_of": examples.answer(PreviewRead),
    "dial_person": examples.answer(PersonOrdered),
    "call_person": examples.answer(PersonOrdered),
    "skip_person": examples.answer(PersonOrdered),
    "hang_up": examples.answer(HangUpRead),
    "hold": examples.answer(HoldRead),
    "resume": examples.answer(ResumeRead),
    "end_time_after_call": examples.answer(WrapUpEndRead),
    "lengthen_time_after_call": examples.answer(LongerWrapUpRead),
    "listen": examples.answer(ListenRead),
    "read_listener": examples.answer(ListenRead),
    "stop_listening": examples.answer(StopListeningRead),
    "transfer": examples.answer(TransferOrderRead),
    **dict.fromkeys(("start_recording", "pause_recording", "resume_recording"), examples.answer(RecordingOrderRead)),
    "consult": examples.answer(ConsultRead),
    "order_consultation": examples.answer(ConsultationRead),
    "apply_files": examples.answer(ApplyAnswer),
    "export_account": examples.answer(
        ExportAnswer, files=[examples.answer(ExportedText)], beside=[examples.answer(FileBeside)]
    ),
    "send_recording": examples.answer(WaitingSound),
    "download_recording": "(the bytes of a WAV file)",
    "download_audio": "(the bytes of a WAV file)",
    "download_call": "(the bytes of a WAV file)",
    "download_recordings": "(the bytes of a ZIP file)",
    "download_call_recordings": "(the bytes of a ZIP file)",
    "download_proof": "(the bytes of a ZIP file)",
    "download_sms_proof": "(the bytes of a ZIP file)",
    **dict.fromkeys(
        ("read_campaign_results", "read_sms_campaign_results"), f"phone_number,status\r\n{NUMBER},completed\r\n"
    ),
    "live": {"status": "ok"},
    "ready": {"status": "ok"},
    "metrics": "# TYPE dialer_requests_total counter\n",
}
_TABLES: Final[Mapping[str, str]] = {**PLAN_TABLES, **DAY_TABLES}
"""The beginning of the CSV with which an operation may respond, besides JSON."""
_SENT: Final[Mapping[str, Any]] = {
    "advance_clock": {"seconds": 60},
    "change_own_settings": {"default_region": "DE"},
    "switch_events": {"enabled": True},
    "import_contacts": f"contact,full_name\n{NUMBER},Ada Byron\n",
    "import_dnc_contacts": f"phone_number\n{NUMBER}\n",
    "forecast_campaign": {"seeds": 20, "first_seed": 0},
    "forecast_sms_campaign": {"seeds": 20, "first_seed": 0},
    "compare_campaign": {"settings": [{"frequency": 40}, {"daily_start_time": "10:00:00"}], "seeds": 10},
    "compare_sms_campaign": {"settings": [{"frequency": 40}], "seeds": 10},
    "copy_campaign": {"name": "Autumn reminders"},
    "copy_sms_campaign": {"name": "Autumn reminders"},
    "recycle_campaign": {"status": [4], "reason": ["busy", "no_answer"]},
    "recycle_sms_campaign": {"status": [4], "reason": ["not_delivered"]},
    "call_again": {"outcomes": ["busy", "no_answer"], "confirm": 2},
    "text_again": {"outcomes": ["not_delivered"], "confirm": 2},
    "place_test_call": {"number": NUMBER, "callerid": "+12025550150"},
    "test_call": {"number": NUMBER},
    "test_text": {"number": NUMBER},
    "set_disposition": _DISPOSITION,
    "set_draft": {"note": _DRAFT["note"]},
    "listen": {"mode": "listen"},
    "dial_person": {"campaign_id": 4, "number": NUMBER},
    "transfer": {"phone_number": "+12025550150"},
    "consult": {"phone_number": "+12025550151"},
    "order_consultation": {"mode": "callee"},
    "send_recording": {"audio_file": "(the bytes of a WAV file)"},
    "upload_audio": {"name": "hello", "audio_file": "(the bytes of a WAV file)"},
}


def complete(generated: Json, resources: Mapping[str, Resource]) -> Json:
    """Return the complete document, from the generated one and the resources by their paths."""

    def operation(path: str, method: str, found: Json) -> Json:
        return _operation(found, _full(path), method, resources.get(found["tags"][0]))

    aliases = tuple(f"{PREFIX}/{alias}/" for alias in URL_PATHS.values())
    paths = {
        _full(path): {method: operation(path, method, found) for method, found in item.items()}
        for path, item in generated["paths"].items()
        if not path.startswith(aliases)
    }
    components = generated["components"]
    described = {
        **generated,
        "servers": SERVERS,
        "tags": groups(operation["tags"][0] for item in paths.values() for operation in item.values()),
        "paths": {**paths, **dict(_under_other_paths(paths))},
        "webhooks": webhooks(),
        "components": {
            **components,
            "schemas": {**components["schemas"], **ERROR_SCHEMAS, **event_schemas()},
            "responses": error_responses(),
            "headers": HEADERS,
        },
    }
    return with_named_enumerations(described)


def _under_other_paths(paths: Json) -> Iterator[tuple[str, Json]]:
    """Yield the operations of resources that have a second path, described under that path."""
    for path, item in paths.items():
        for known, other in URL_PATHS.items():
            if path.startswith(f"{PREFIX}/{known}/"):
                yield (
                    path.replace(known, other, 1),
                    {method: _renamed(operation, known, other) for method, operation in item.items()},
                )


def _renamed(operation: Json, known: str, other: str) -> Json:
    return {
        **operation,
        "operationId": f"{operation['operationId']}_as_{other}",
        "summary": f"{operation['summary']}, as {other}",
        "description": f"{operation['description']} `{other}` and `{known}` are two paths of one resource.",
    }


def _full(path: str) -> str:
    return f"{path}/" if path.startswith(PREFIX) else path


def _operation(found: Json, path: str, method: str, resource: Resource | None) -> Json:
    name, description = found["operationId"], found["description"]
    verb = "" if name in STATISTICS_EXAMPLES else name.partition("_")[0]
    is_of_test = name.endswith(("_test_call", "_test_text"))
    ours = resource if verb in _SUMMARIES and resource is not None and not is_of_test else None
    if ours is None or name == "delete_audio":
        summary = re.split(r"[.:;,]", description)[0]
    else:
        summary = _SUMMARIES[verb].format(noun(ours))
    operation = {
        **{key: value for key, value in found.items() if key != "deprecated"},
        "summary": summary,
        "responses": _answers(found, name, ours),
    }
    if "requestBody" in found:
        operation["requestBody"] = _with_example(found["requestBody"], _sent(name, verb, ours))
    if not path.startswith(PREFIX):
        return {**operation, "security": []}
    operation["parameters"] = [*parameters(found, verb, ours, resource), PREFER]
    sent = found.get("requestBody", {}).get("content", {})
    has_fields = bool(sent) and CSV not in sent
    headers = answer_headers(verb, ours, has_fields=has_fields, is_repeatable=is_repeatable(name))
    done = {
        status: {**answer, "headers": {**answer.get("headers", {}), **headers}}
        for status, answer in operation["responses"].items()
    }
    refused = {str(status): {"$ref": f"#/components/responses/Error{status}"} for status in refusals(found, method)}
    return with_conditions({**operation, "responses": {**done, **refused}}, verb, resource)


def _answers(found: Json, name: str, resource: Resource | None) -> Json:
    """Return the responses to a successful request. The response to a change has no body."""
    answers: Json = {}
    for status, description in _DONE.items():
        if status in found["responses"]:
            answers[status] = {"description": description}
            if status in {"200", "201"}:
                answer = {**found["responses"][status], "description": description}
                answer.pop("headers", None)
                answers[status] = _with_example(answer, _answered(name, resource))
            if status == "201":
                answers[status]["headers"] = {"Location": _LOCATION}
    if name in {"call_again", "text_again"}:
        answers = with_dry_run(answers)
    if resource is not None and resource.exported and name.startswith("list_"):
        answers["200"]["content"].update(_exported(examples.record(exported_shape(resource))))
    if name in _TABLES:
        answers["200"]["content"][CSV] = {"schema": TEXT, "example": _TABLES[name]}
    unready = found["responses"].get(str(HTTPStatus.SERVICE_UNAVAILABLE.value))
    return answers if unready is None else {**answers, "503": _with_example(unready, {"status": "storage"})}


def _exported(record: Json) -> Json:
    """Return the other formats of a list: CSV, with a header line as its example, and lines of JSON."""
    lines = msgspec.json.encode(record).decode() + "\n"
    return {CSV: {"schema": TEXT, "example": ",".join(record) + "\r\n"}, NDJSON: {"schema": TEXT, "example": lines}}


def _with_example(part: Json, example: object) -> Json:
    """Return a request body or a response with an example of its content."""
    content = {media_type: {"example": example, **found} for media_type, found in part["content"].items()}
    return {**part, "content": content}


def _answered(name: str, resource: Resource | None) -> object:
    if name in _EXAMPLES:
        return _EXAMPLES[name]
    if resource is None:
        return examples.record(AUDIO_FILES.read)
    if name.startswith("clear_"):
        return {"deleted": 3}
    if name.startswith("delete_"):
        return {"data": resource.deleted}
    record = examples.record(resource.read)
    if not name.startswith("list_"):
        return record
    return [record] if resource.plain_array else {"count": 1, "next": None, "previous": None, "results": [record]}


def _sent(name: str, verb: str, resource: Resource | None) -> object:
    if name in _SENT or resource is None or resource.write is None:
        return _SENT.get(name)
    make = examples.created if verb == "create" else examples.changed
    return make(resource, resource.write)
