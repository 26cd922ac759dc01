"""Tests in Chromium: a prompt is recorded, a text spoken, placeholders inserted, and the parts of a text counted."""

import io
import wave
from array import array
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.routes.test_audio import SOUNDS
from tests.console.browser import Watched, running_browser
from tests.optional_tools import find_tool
from tests.test_server import ADMIN, PASSWORD, Served, serving

MICROPHONE: Final = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
CLOCK: Final = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-01-30T09:00:00Z"}
SILENT: Final = "() => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', '%s')); }"
EXPECTED: Final = ("Permissions policy violation: microphone", "Failed to load resource: the server responded with a")
"""Notes of the browser about a page that asks for a forbidden microphone, and about a text that cannot be spoken."""
STEP_MS_MAX: Final = 30_000
SOUND_S: Final = 1.5
SOUND_BYTES_MIN: Final = 8_000
"""Half a second of what calls play."""


expect.set_options(timeout=STEP_MS_MAX)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser(*MICROPHONE, "--autoplay-policy=no-user-gesture-required") as browser:
        yield browser


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Served]:  # noqa: ARG001 - or no server
    find_tool("espeak-ng")
    with serving(tmp_path_factory.mktemp("served"), DIALER_SPEECH="en", **ADMIN, **CLOCK) as served:
        survey = create(served, "survey-template", name="Survey")
        create(served, "section-template", survey=survey["url"], type=1, question="Welcome", script="Hi ")
        book = create(served, "phonebook", name="Book")
        create(
            served,
            "contact",
            phonebook=book["url"],
            contact="+12025550171",
            full_name="Ada Byron",
            additional_vars={"plan": "gold"},
        )
        yield served


def create(served: Served, path: str, **fields: Any) -> Any:  # noqa: ANN401 - JSON
    answer = served.client.post(f"{path}/", json=fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


def second_of_silence() -> bytes:
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8_000)
        file.writeframes(bytes(16_000))
    return content.getvalue()


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """Return a page of somebody who is signed in, under the policies of the pages."""
    address = served.base.removesuffix("/rest-api/")
    context = browser.new_context(base_url=address, permissions=["microphone"])
    context.set_default_timeout(STEP_MS_MAX)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/console/")
    page.get_by_label("User name").fill("root")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/console/overview/")
    yield page
    assert [text for text in complaints if not text.startswith(EXPECTED)] == []
    context.close()


def test_a_prompt_is_recorded_cut_heard_and_saved(page: Page, served: Served) -> None:
    page.goto("/console/recordings/new/")
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_role("button", name="Stop")).to_be_focused()
    expect(page.locator("[data-part=level]")).not_to_have_js_property("value", 0)
    expect(page.locator("[data-part=time]")).to_have_text("0:02")
    page.get_by_role("button", name="Stop").click()
    listen = page.get_by_role("button", name="Listen")
    listen.click()
    expect(listen).to_have_attribute("aria-pressed", "true")
    expect(listen).to_have_attribute("aria-pressed", "false")
    length = float(page.get_by_label("Ends at").get_attribute("max") or 0)
    assert length > SOUND_S
    page.get_by_label("Begins at").fill("0.5")
    page.get_by_label("Ends at").fill("1")
    expect(page.locator("[data-part=length]")).to_have_text("0:00.5")
    page.locator("#take-name").fill("Greeting")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/console/records/audio-files/")
    (kept,) = served.client.get("audio-files/").json()["results"]
    assert kept["name"] == "Greeting"
    sound = served.client.get(f"audio-files/{kept['id']}/download/").content
    with wave.open(io.BytesIO(sound)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 16_000)
        assert file.getnframes() == 8_000
        assert any(file.readframes(8_000))


def test_a_file_that_only_the_browser_can_play_becomes_a_wav_file_in_it(page: Page, served: Served) -> None:
    page.goto("/console/recordings/new/")
    page.locator("#name").fill("Voice message")
    chosen = page.locator("#file")
    chosen.set_input_files(SOUNDS / "tone.opus")
    expect(chosen).to_have_js_property("value", "C:\\fakepath\\tone.wav")
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/console/records/audio-files/")
    (kept,) = served.client.get("audio-files/?name=Voice message").json()["results"]
    sound = served.client.get(f"audio-files/{kept['id']}/download/").content
    with wave.open(io.BytesIO(sound)) as file:
        samples = array("h", file.readframes(file.getnframes()))
        assert (file.getnchannels(), file.getframerate()) == (1, 16_000)
        assert 15_600 <= len(samples) <= 16_400
    rising = sum(1 for one, other in pairwise(samples[4_000:12_000]) if one < 0 <= other)
    assert rising == pytest.approx(220, abs=2)


def test_a_file_that_no_browser_plays_is_named_by_the_service(page: Page) -> None:
    page.goto("/console/recordings/new/")
    page.locator("#name").fill("Note")
    page.locator("#file").set_input_files({"name": "a.amr", "mimeType": "audio/amr", "buffer": b"#!AMR\n" + bytes(64)})
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert").first).to_contain_text("this is an AMR file. Telephones record so")


@pytest.mark.parametrize(("error", "sentence"), [("NotAllowedError", "was not allowed"), ("NotFoundError", "No micro")])
def test_a_microphone_that_is_refused_or_missing(page: Page, error: str, sentence: str) -> None:
    page.goto("/console/recordings/new/")
    page.evaluate(SILENT % error)
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text(sentence)


def test_no_other_page_may_use_the_microphone(page: Page) -> None:
    use = "navigator.mediaDevices.getUserMedia({audio: true}).then(() => 'used', (error) => error.name)"
    page.goto("/console/overview/")
    assert page.evaluate(use) == "NotAllowedError"


def test_placeholders_are_inserted_and_the_text_is_heard(page: Page) -> None:
    page.goto("/console/surveys/1/?section=1")
    text = page.locator("textarea[name=script]")
    text.click()
    text.press("End")
    page.get_by_role("button", name="{plan}").click()
    expect(text).to_have_value("Hi {plan}")
    page.get_by_role("button", name="Listen to the text").click()
    sound = page.locator("audio[data-spoken]")
    expect(sound).to_be_visible()
    heard = page.request.get(str(sound.get_attribute("src")))
    assert heard.headers["content-type"] == "audio/wav"
    assert len(heard.body()) > SOUND_BYTES_MIN
    text.fill(" ")
    page.get_by_role("button", name="Listen to the text").click()
    expect(page.locator("p[data-spoken]")).to_contain_text("There is no text to speak")


def test_a_trial_is_heard_too(page: Page) -> None:
    page.goto("/console/surveys/1/try/")
    page.get_by_role("button", name="Listen").first.click()
    expect(page.locator("audio[data-spoken]")).to_be_visible()


def test_nothing_bars_the_way(browser: Browser, served: Served) -> None:
    tab = Watched(browser, served.base.removesuffix("/rest-api/"))
    tab.sign_in()
    for path in ("recordings/new/", "surveys/1/try/", "placeholders/?survey=1", "surveys/1/?section=1"):
        tab.page.goto(f"/console/{path}")
        assert (path, tab.barriers()) == (path, [])
    assert tab.complaints == []


def test_a_recording_made_in_another_tab_is_chosen_and_what_was_typed_stays(page: Page, served: Served) -> None:
    page.goto("/console/surveys/1/?section=1")
    text = page.locator("textarea[name=script]")
    text.fill("Typed before")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Record it instead").click()
    upload = opened.value.locator("form:has(#file)")
    upload.locator("#file").set_input_files(
        {"name": "hello.wav", "mimeType": "audio/wav", "buffer": second_of_silence()}
    )
    upload.locator("#name").fill("Hello")
    upload.locator("button.primary").click()
    opened.value.wait_for_url("**/console/records/audio-files/")
    opened.value.close()
    page.bring_to_front()
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator("select[name=audiofile] option:checked")).to_have_text("Hello")
    expect(page.get_by_role("radio", name="a recording")).to_be_checked()
    expect(text).to_have_value("Typed before")
    (kept,) = served.client.get("audio-files/?search=Hello").json()["results"]
    assert served.client.delete(kept["url"]).is_success


def test_the_parts_of_a_text_are_counted_while_it_is_typed(page: Page) -> None:
    page.goto("/console/records/sms-campaigns/new/")
    text = page.locator("textarea[name=text_message]")
    text.fill("Dear {full_name} " + "a" * 150)
    length = page.locator("[data-length]")
    expect(length).to_have_text("165 characters, 2 parts, as Ada Byron gets it.")
    text.press("End")
    text.press_sequentially(" \u2013")
    expect(length).to_contain_text("167 characters, 3 parts, as Ada Byron gets it. The alphabet of text messages lacks")
    expect(length).to_contain_text("instead it has 2 parts.")
    text.fill("")
    expect(length).to_have_text("")
