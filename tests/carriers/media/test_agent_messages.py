"""Tests of the messages between a call and a program that talks."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.media.agent_messages import (
    NAME_MAX,
    AgentMessage,
    Cleared,
    MarkSet,
    MessageWriter,
    OtherEvent,
    SoundSaid,
    TalkEnded,
    read_agent_message,
)
from dialer.domain.survey.inputs import BRANCH_MAX, RESULT_MAX, SUMMARY_MAX

STREAM, CALL, ACCOUNT = "MZ" + "1" * 32, "CA" + "2" * 32, "AC" + "3" * 32
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda values: st.lists(values) | st.dictionaries(st.sampled_from(["event", "media", "end", "mark", "x"]), values),
)


def test_a_program_hears_of_a_call_in_the_words_of_twilio() -> None:
    writer = MessageWriter(STREAM, CALL, ACCOUNT)
    frame = bytes(160)
    sent = [
        writer.connected(),
        writer.start({"from_number": "+12025550100"}),
        writer.media(0, frame),
        writer.media(20, frame),
        writer.key("1"),
        writer.mark("greeting"),
        writer.stop(),
    ]
    payload = base64.b64encode(frame).decode()
    media_format = {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1}
    ids = {"accountSid": ACCOUNT, "callSid": CALL}
    start = {
        "streamSid": STREAM,
        **ids,
        "tracks": ["inbound"],
        "mediaFormat": media_format,
        "customParameters": {"from_number": "+12025550100"},
    }
    media = {"track": "inbound", "payload": payload}
    bodies = [
        ("start", start),
        ("media", {**media, "chunk": "1", "timestamp": "0"}),
        ("media", {**media, "chunk": "2", "timestamp": "20"}),
        ("dtmf", {"track": "inbound_track", "digit": "1"}),
        ("mark", {"name": "greeting"}),
        ("stop", ids),
    ]
    assert [json.loads(one) for one in sent] == [
        {"event": "connected", "protocol": "Call", "version": "1.0.0"},
        *(
            {"event": event, "sequenceNumber": str(number), "streamSid": STREAM, event: body}
            for number, (event, body) in enumerate(bodies, 1)
        ),
    ]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ('{"event":"media","streamSid":"MZ","media":{"payload":"AQID"}}', SoundSaid(b"\x01\x02\x03")),
        ('{"event":"media","media":{"payload":""}}', SoundSaid(b"")),
        ('{"event":"mark","mark":{"name":"greeting"}}', MarkSet("greeting")),
        ('{"event":"clear"}', Cleared()),
        ('{"event":"end"}', TalkEnded()),
        ('{"event":"end","end":{"branch":2}}', TalkEnded("2")),
        ('{"event":"end","end":{"branch":" Invalid "}}', TalkEnded("invalid")),
        (
            '{"event":"end","end":{"branch":"2","result":{"age":7},"summary":"Wants a call."}}',
            TalkEnded("2", '{"age":7}', "Wants a call."),
        ),
        ('{"event":"end","end":{"result":"yes","summary":7}}', TalkEnded("", "yes")),
        (
            '{"event":"end","end":{"branch":"0\\u0000","result":"y\\u0000","summary":"a\\u0000b"}}',
            TalkEnded("0", "y", "ab"),
        ),
        ('{"event":"end","end":{"branch":"connected"}}', TalkEnded("any")),
        ('{"event":"warm_up"}', OtherEvent()),
        ('{"event":7}', None),
        ("{}", None),
        ("[]", None),
        ("", None),
        ("nonsense", None),
        (b"\x00\x01", None),
        ('{"event":"media"}', None),
        ('{"event":"media","media":{"payload":"#"}}', None),
        ('{"event":"media","media":{"payload":7}}', None),
        ('{"event":"mark","mark":{"name":7}}', None),
        ('{"event":"mark","mark":{"name":"' + "x" * (NAME_MAX + 1) + '"}}', None),
        ('{"event":"end","end":[]}', None),
    ],
)
def test_what_a_program_says_is_read_or_is_nothing(raw: str | bytes, message: AgentMessage | None) -> None:
    assert read_agent_message(raw) == message


def test_a_result_that_is_too_long_is_left_out_and_other_texts_are_cut() -> None:
    end = {"branch": "7" * 99, "result": ["x" * RESULT_MAX], "summary": "s" * (SUMMARY_MAX + 1)}
    message = read_agent_message(json.dumps({"event": "end", "end": end}))
    assert message == TalkEnded("7" * BRANCH_MAX, "", "s" * SUMMARY_MAX)


@given(json_values)
def test_no_message_of_a_program_is_an_error(value: object) -> None:
    read_agent_message(json.dumps(value))
    read_agent_message(json.dumps({"event": "end", "end": value}))
