"""The order of forms: the fields of each resource in groups, in the order in which one thinks of them."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Group(NamedTuple):
    """Fields of a form under one heading; without a title, they stand by themselves."""

    title: str
    fields: tuple[str, ...]


class FormLayout(NamedTuple):
    """The form of a resource."""

    groups: tuple[Group, ...] = ()
    """The fields at the top. Empty: all, as declared."""
    more: tuple[Group, ...] = ()
    """Groups below `More settings`, after which come the fields that no group names."""
    hidden: frozenset[str] = frozenset()
    """Fields that the form does not show, because the page has other means for them."""


def _groups(*groups: tuple[str, str]) -> tuple[Group, ...]:
    return tuple(Group(title, tuple(fields.split())) for title, fields in groups)


_WHEN: Final = (
    "startingdate expirationdate end_when_done daily_start_time daily_stop_time"
    " monday tuesday wednesday thursday friday saturday sunday"
)
FORMS: Final[Mapping[str, FormLayout]] = {
    "audit-log": FormLayout(hidden=frozenset({"before"})),  # The changes have the old values.
    "audio-files": FormLayout(
        _groups(
            ("", "name"),
        ),
        hidden=frozenset({"audio_file", "user_id"}),
    ),
    "phonebook": FormLayout(
        _groups(
            ("", "name description"),
        ),
    ),
    "contact": FormLayout(
        _groups(
            ("", "phonebook contact full_name"),
        ),
        _groups(
            ("Where the person is", "tz_code"),
            ("For texts and surveys", "additional_vars"),
        ),
    ),
    "dnc-list": FormLayout(
        _groups(
            ("", "name is_global"),
        ),
    ),
    "survey-template": FormLayout(
        _groups(
            ("", "name description"),
        ),
    ),
    "queue": FormLayout(
        _groups(
            ("", "name strategy"),
            ("How long callers wait", "max_wait_time max_wait_time_with_no_agent"),
            ("Breaks of agents", "break_reasons max_break_time"),
        ),
        _groups(
            (
                "Callers who wait",
                (
                    "time_base_score max_wait_time_with_no_agent_time_reached discard_abandoned_after"
                    " abandoned_resume_allowed"
                ),
            ),
            (
                "Levels of agents",
                "tier_rules_apply tier_rule_wait_second tier_rule_wait_multiply_level tier_rule_no_agent_no_wait",
            ),
            ("For your notes", "moh_sound record_template manager"),
        ),
    ),
    "agent": FormLayout(
        _groups(
            ("Who it is", "name login"),
            ("How calls are taken", "contact wrap_up_time status break_reason"),
        ),
        _groups(
            ("For simulations", "parameters"),
        ),
    ),
    "gateway": FormLayout(
        _groups(
            ("", "name"),
            ("Limits", "max_channels max_cps"),
            ("Numbers and caller IDs", "allowed_callerids removeprefix addprefix"),
        ),
        _groups(
            ("For your notes", "description"),
        ),
        frozenset({"line_down", "parameters", "protocol", "rests_until"}),
    ),
    "sms-gateway": FormLayout(
        _groups(
            ("", "name"),
            ("Limits", "max_cps"),
            ("Numbers and senders", "allowed_callerids removeprefix addprefix"),
        ),
        _groups(
            ("For your notes", "description"),
        ),
        frozenset({"line_down", "parameters", "protocol", "rests_until"}),
    ),
    "callerid": FormLayout(
        _groups(
            ("", "callerid_group callerid_num areacode callerid_name"),
        ),
    ),
    "callerid-group": FormLayout(
        _groups(
            ("", "name description"),
        ),
    ),
    "did": FormLayout(
        _groups(
            ("", "did_number campaign is_assigned"),
        ),
    ),
    "payment": FormLayout(
        _groups(
            ("", "user amount description"),
        ),
    ),
    "rate-card": FormLayout(
        _groups(
            ("For whom", "user prefix"),
            ("Price", "rate connection_fee"),
            ("What is charged", "first_increment next_increment"),
        ),
    ),
    "users": FormLayout(
        _groups(
            ("Who signs in", "username password enabled"),
            ("What the user may do", "role manager"),
            ("What calls cost", "call_rate sms_rate"),
        ),
        _groups(
            ("Where the user may call", "allowed_countries allows_special"),
            ("About the person", "first_name last_name email telephone"),
        ),
    ),
    "webhook": FormLayout(
        _groups(
            ("", "name target_url"),
            ("Events", "types"),
        ),
        _groups(("", "enabled user")),
    ),
    "api-key": FormLayout(
        _groups(
            ("", "name scopes expirationdate"),
        ),
    ),
    "campaigns": FormLayout(
        _groups(
            ("", "name"),
            ("Who is called", "phonebook dnc"),
            ("What they hear", "object_id aleg_gateway callerid"),
            ("When", _WHEN),
            ("How fast", "frequency max_aleg"),
            ("If nobody answers", "maxretry intervalretry calltimeout"),
            ("Answering machines", "voicemail amd_behavior voicemail_audiofile machine_is_reached"),
        ),
        _groups(
            (
                "Dialling for agents",
                "dial_method agent_dial_rate abandon_rate_max preview_seconds preview_calls manual_dialling max_xfer",
            ),
            ("Until the survey is completed", "completion_maxretry completion_intervalretry"),
            ("Calls", "callmaxduration callerid_group amd_sensitivity sms_gateway dnc_lists"),
            ("Agents", "agent_script dispositions call_back_wait"),
            ("For your notes", "description extra_data user"),
        ),
        frozenset({"status"}),
    ),
    "sms-campaigns": FormLayout(
        _groups(
            ("", "name"),
            ("Who gets it", "phonebook dnc"),
            ("What they read", "text_message sms_gateway callerid"),
            ("When", _WHEN),
            ("How fast", "frequency"),
            ("If a message fails", "maxretry intervalretry"),
        ),
        _groups(
            ("Lists", "dnc_lists"),
            ("For your notes", "description extra_data user"),
        ),
        frozenset({"status"}),
    ),
    "subscriber-list": FormLayout(
        _groups(
            ("", "campaign contact duplicate_contact full_name status"),
        ),
        _groups(
            ("Where the person is", "tz_code gmt_offset"),
            ("For texts and surveys", "additional_vars"),
        ),
    ),
}
"""The forms by the path of their resource."""
