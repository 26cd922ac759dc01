"""Tests in Chromium: the desk is a telephone. A fake microphone beeps, and the callee has a voice of one pitch."""

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

import pytest
from playwright.sync_api import Page, Route, expect

from dialer.carriers.media import g711
from dialer.carriers.media.rtp import RtpError, RtpPacket, read_packet, write_packet
from tests.carriers.pitches import voice
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.carrier import SmallCarrier
from tests.console.browser import Watched, running_browser
from tests.console.desk_building import create, sign_in
from tests.pages.blocks import block
from tests.test_server import ADMIN, PASSWORD, Served, serving

FAKE: Final = (
    *("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"),
    *("--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection"),
)
ANY_HOUR: Final = {"DIALER_CALLING_HOURS": "off", "DIALER_ALLOW_ANY_HOUR": "yes-i-have-consent"}
LOUD: Final = 1_000
"""The highest sample of a beep is far above, and silence far below."""
SLOW_MS: Final = 30_000
"""Time for what takes a page a moment, on a busy machine."""
BEEPS, STILL_UNDER_WAY, SILENT = 10, 25, 120
"""Packets of beeps, of which one comes each second; packets under way when somebody mutes; and packets of silence."""
LISTEN: Final = """async () => {
  const context = new AudioContext();
  await context.resume();
  const analyser = context.createAnalyser();
  analyser.fftSize = 4096;
  context.createMediaStreamSource(document.querySelector('#telephone audio').srcObject).connect(analyser);
  const bins = new Float32Array(analyser.frequencyBinCount);
  for (let turn = 0; turn < 200; turn++) {
    await new Promise((done) => setTimeout(done, 50));
    analyser.getFloatFrequencyData(bins);
    const loudest = bins.indexOf(Math.max(...bins));
    const hz = (loudest * context.sampleRate) / analyser.fftSize;
    if (bins[loudest] > -50 && Math.abs(hz - 400) < 30) return Math.round(hz);
  }
  return null;
}"""
"""Returns the pitch that the page hears, once it is near the callee's."""


CONNECTED: Final = """
  while (["new", "connecting"].includes(link.connectionState)) await new Promise((done) => setTimeout(done, 20));
  return [location, link.connectionState];
"""


class Callee:
    """The sound of a callee: a tone, as soon as somebody sends sound, and how loud that is."""

    def __init__(self) -> None:
        self.socket = socket.socket(type=socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.1)
        self.port: int = self.socket.getsockname()[1]
        self.loud = self.heard = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._live)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        self.socket.close()

    def _live(self) -> None:
        frames, sequence = voice("callee", 5), 0
        while not self._is_over.is_set():
            try:
                data, source = self.socket.recvfrom(2_000)
                packet = read_packet(data)
            except (OSError, RtpError):
                continue
            self.heard += 1
            self.loud += max(map(abs, g711.decode(packet.data))) > LOUD
            sequence += 1
            frame = frames[sequence % len(frames)]
            self.socket.sendto(write_packet(RtpPacket(0, sequence, 160 * sequence, 9, frame)), source)


def furnish(served: Served, carrier_port: int, telephone: str) -> None:
    """Create a campaign over a SIP carrier that connects its callee with an agent whose telephone is the browser."""
    user = create(served, "users", username="ida", password=PASSWORD, role="agent", manager="/rest-api/users/1/")
    agent = create(
        served, "agent", name="Ida", login=user["url"], telephone=telephone, contact="+12025550150", desk_watched=False
    )
    line = create(served, "queue", name="Sales")
    create(served, "tier", queue=line["url"], agent=agent["url"])
    survey = create(served, "survey-template", name="Sales")
    create(served, "section-template", survey=survey["url"], type=6, question="Sales", queue=line["url"])
    book = create(served, "phonebook", name="Callees")
    create(served, "contact", phonebook=book["url"], contact="+12025550301", full_name="Ada Byron")
    parameters = {"server": f"127.0.0.1:{carrier_port}", "session_expires": 0}
    gateway = create(served, "gateway", name="Trunk", protocol="sip", removeprefix="+", parameters=parameters)
    served.client.post("payment/", json={"user": "/rest-api/users/1/", "amount": "10"}).raise_for_status()
    fields = {"dial_method": 2, "callmaxduration": 3_600, "callerid": "+12025550199", "object_id": str(survey["id"])}
    made = create(served, "campaigns", name="Sales", aleg_gateway=gateway["url"], phonebook=[book["url"]], **fields)
    served.client.patch(f"campaigns/{made['id']}/", json={"status": 1}).raise_for_status()


@contextmanager
def at_desk(
    folder: Path, callee: Callee, telephone: str = "browser", complaints: Sequence[str] = ()
) -> Iterator[tuple[Served, Page]]:
    """Serve a call centre, and open the desk of its agent in a browser with a microphone that beeps.

    At the end the browser has complained of `complaints` and of nothing else.
    """
    environment = {**ADMIN, **ANY_HOUR, "DIALER_TELEPHONE_PORT": str(free_port()), "DIALER_PUBLIC_HOST": "127.0.0.1"}
    with (
        SmallCarrier(lambda: None, callee.port) as carrier,
        running_browser(*FAKE) as browser,
        serving(folder, **environment) as served,
    ):
        furnish(served, carrier.port, telephone)
        watched = Watched(browser, served.base.removesuffix("/rest-api/"), permissions=["microphone"])
        watched.page.goto("/console/desk/")
        sign_in(watched.page)
        yield served, watched.page
        assert watched.complaints == list(complaints)
        watched.context.close()


@pytest.fixture
def callee() -> Iterator[Callee]:
    with Callee() as callee:
        yield callee


def until(page: Page, is_so: Callable[[], bool]) -> None:
    """Wait until something holds. The page lives meanwhile."""
    for _ in range(1_000):
        if is_so():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it never holds")


def test_an_agent_takes_a_call_with_nothing_but_a_browser(tmp_path: Path, callee: Callee) -> None:
    with at_desk(tmp_path, callee) as (served, page):
        expect(page.get_by_text("Ready: calls are answered here by themselves.")).to_be_visible()
        agent = served.client.get("agent/1/telephone/").json()
        assert agent["state"] == "connected"
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("button", name="Hang up")).to_be_visible()
        assert page.evaluate(LISTEN) == pytest.approx(400, abs=30)
        before = callee.loud
        page.wait_for_function("document.querySelector('#telephone [data-part=level]').value > 0.05")
        until(page, lambda: callee.loud - before >= BEEPS)
        page.get_by_role("button", name="Mute").click()
        expect(page.get_by_text("Muted: nobody hears you.")).to_be_visible()
        late = callee.heard + STILL_UNDER_WAY
        until(page, lambda: callee.heard >= late)
        before, silent = callee.loud, callee.heard + SILENT
        until(page, lambda: callee.heard >= silent)
        assert callee.loud == before
        page.get_by_role("button", name="Mute").click()
        # The page is loaded anew in the middle of the call, which goes on.
        page.reload()
        expect(page.get_by_text("Ready: calls are answered here by themselves.")).to_be_visible()
        assert page.evaluate(LISTEN) == pytest.approx(400, abs=30)
        page.get_by_role("button", name="Hang up").click()
        expect(page.get_by_role("button", name="Hang up")).to_be_hidden()
        until(page, lambda: len(served.client.get("cdr/").json()["results"]) == 2)
        cdrs = served.client.get("cdr/").json()["results"]
        ends = sorted((one["leg_type"], one["hangup_cause_q850"], one["phone_number"]) for one in cdrs)
        assert ends == [(1, 16, "+12025550301"), (2, 16, "agent 1")]


def test_a_refused_telephone_waits_as_long_as_the_server_wants_and_says_why(tmp_path: Path, callee: Callee) -> None:
    offers: list[str] = []
    heads = {"Retry-After": "20"}

    def refuse(route: Route) -> None:
        offers.append(route.request.url)
        route.fulfill(status=503, headers=heads, json={"messages": ["All places are taken."]})

    complaint = "Failed to load resource: the server responded with a status of 503 (Service Unavailable)"
    with at_desk(tmp_path, callee, complaints=[complaint]) as (_, page):
        expect(page.get_by_text("Ready: calls are answered here by themselves.")).to_be_visible(timeout=SLOW_MS)
        page.clock.install()
        page.route("**/console/desk/telephone/", refuse)
        page.reload()
        expect(page.get_by_text("All places are taken.")).to_be_visible(timeout=SLOW_MS)
        page.clock.run_for(15_000)
        assert len(offers) == 1


def test_a_telephone_of_which_the_server_hears_nothing_is_not_ready(tmp_path: Path, callee: Callee) -> None:
    with at_desk(tmp_path, callee) as (_, page):
        expect(page.get_by_text("Ready: calls are answered here by themselves.")).to_be_visible(timeout=SLOW_MS)
        page.route("**/console/desk/telephone/", lambda _: None)
        page.route("**/console/desk/telephone/state/", lambda route: route.fulfill(json={"state": "lost"}))
        expect(page.get_by_text("The connection is lost.")).to_be_visible(timeout=SLOW_MS)


def test_the_script_of_the_page_for_programs_opens_a_telephone(tmp_path: Path, callee: Callee) -> None:
    """A page that the desk's own script does not run on."""
    with at_desk(tmp_path, callee, "contact") as (served, page):
        key = create(served, "api-key", name="page", scopes=["read", "campaigns"])["key"]
        base = served.base.removesuffix("/rest-api/")
        script = block("docs/browser-telephone.md", 1).text.replace("https://dialer.example", base)
        script = script.replace("/agent/4/", "/agent/1/")
        place, state = page.evaluate(f"async (key) => {{ {script}\n{CONNECTED} }}", key)
        assert place.startswith(f"{base}/rest-api/agent/1/telephone/")
        assert (state, served.client.get("agent/1/telephone/").json()["state"]) == ("connected", "connected")
        assert served.client.delete(place).status_code == 204
        assert served.client.get("agent/1/telephone/").json()["state"] == "off"
