"""Tests of texts that are spoken before a call."""

from pathlib import Path

import anyio
import pytest

from dialer.api.actions.speaking import AT_ONCE_MAX, SPOKEN_MAX, SpeechFailedError, TextSpeaker
from dialer.commands.speaking import voice_of
from dialer.domain.words.voices import ChosenVoice
from dialer.resources.words.errors import AnsweredError
from dialer.settings import Settings
from tests.api.harness import Caller
from tests.console.visitor import Visitor
from tests.optional_tools import find_tool


@pytest.fixture
def survey(api: Caller) -> int:
    return int(api.create("survey-template", name="Survey")["id"])


def test_without_a_voice_a_sentence_says_what_to_do(alice: Visitor, survey: int) -> None:
    alice.get(f"records/survey-template/{survey}/")
    answer = alice.send(f"surveys/{survey}/speech/", speak="text", text="Hello")
    assert (answer.status_code, "An admin can set DIALER_SPEECH" in answer.text) == (409, True)
    assert alice.send(f"surveys/{survey}/speech/", speak="script", script=" ").status_code == 400
    assert alice.send(f"surveys/{survey}/speech/", speak="csrf").status_code == 400
    assert alice.send(f"surveys/{survey}/speech/", speak="text", text="x" * (SPOKEN_MAX + 1)).status_code == 400
    assert alice.request("POST", f"surveys/{survey}/speech/", data={"speak": "text"}).status_code == 403
    assert alice.request("GET", "speech/0123/").status_code == 404
    assert alice.request("GET", "speech/..%2Fx/").status_code == 404


def test_a_text_of_another_account_is_not_spoken(alice: Visitor, bob: Visitor, survey: int) -> None:
    bob.get("account/")
    assert bob.send(f"surveys/{survey}/speech/", speak="text", text="Hello").status_code == 404
    assert bob.send(f"surveys/{survey}/speech/", speak="script", script="Hello").status_code == 404
    alice.get("account/")
    assert alice.send(f"surveys/{survey}/speech/", speak="text", text="Hello").status_code == 409


@pytest.mark.anyio
async def test_one_text_for_each_user_and_a_few_at_once() -> None:
    begun, go_on = anyio.Event(), anyio.Event()

    async def slow(text: str, _voice: ChosenVoice) -> str:
        begun.set()
        await go_on.wait()
        return text

    speaker = TextSpeaker(slow)
    async with anyio.create_task_group() as tasks:
        for user_id in range(AT_ONCE_MAX):
            tasks.start_soon(speaker.file_of, user_id, "Hello")
        await anyio.wait_all_tasks_blocked()
        for user_id in (0, AT_ONCE_MAX):
            with pytest.raises(AnsweredError, match="Other texts"):
                await speaker.file_of(user_id, "Hello")
        go_on.set()
    assert await speaker.file_of(0, "Hello") == "Hello"
    with pytest.raises(AnsweredError, match="Other texts"):
        await TextSpeaker(_for_ever, seconds_max=0).file_of(0, "Hello")


async def _for_ever(_text: str, _voice: ChosenVoice) -> str:
    await anyio.sleep_forever()
    raise AssertionError


@pytest.mark.anyio
async def test_the_voice_of_calls_speaks(tmp_path: Path) -> None:
    find_tool("espeak-ng")
    name = await voice_of(Settings(media_dir=tmp_path, speech="en"))("Hello Ada", ChosenVoice())
    assert (tmp_path / "speech" / name).read_bytes()[:4] == b"RIFF"
    for settings, reason in ((Settings(media_dir=tmp_path), "has no voice"), (Settings(speech="xx"), "cannot be")):
        with pytest.raises(SpeechFailedError, match=reason):
            await voice_of(settings)("Hello Ada", ChosenVoice())
