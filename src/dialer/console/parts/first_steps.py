"""The checklist of a first campaign: what is done, and where the rest is done."""

from collections.abc import Iterator
from typing import NamedTuple

from dialer.app.overview.first_steps import FirstSteps
from dialer.console.words.language import gettext

_CARRIERS = "/console/records/gateway/"


class FirstStep(NamedTuple):
    """A step on the way to a first campaign."""

    title: str
    about: str
    is_done: bool
    url: str = ""
    """The page on which it is done; empty if the viewer cannot do it."""
    label: str = ""
    """The words of the link."""


def steps_of(found: FirstSteps, *, is_admin: bool) -> list[FirstStep]:
    """Return the steps to a first campaign, in order, in the words of the viewer's role."""
    return [
        _carrier(found, is_admin=is_admin),
        _people(found),
        _survey(found),
        *_voice(found, is_admin=is_admin),
        _call(found, is_admin=is_admin),
        _start(found),
    ]


def _done(title: str, about: str, url: str, label: str) -> FirstStep:
    return FirstStep(title, about, True, url, label)  # noqa: FBT003 - the name of the function says it


def _open(title: str, about: str, url: str = "", label: str = "") -> FirstStep:
    return FirstStep(title, about, False, url, label)  # noqa: FBT003 - the name of the function says it


def _carrier(found: FirstSteps, *, is_admin: bool) -> FirstStep:
    title = gettext("A carrier")
    if found.has_carrier:
        simulated = gettext("It is simulated: it calls nobody, and shows how a campaign goes.")
        about = gettext("It connects your calls.") if found.calls_people else simulated
        return _done(title, about, _CARRIERS, gettext("See the carriers"))
    if is_admin:
        about = gettext("The company or the switch that connects your calls. A simulated one is there for a try.")
        return _open(title, about, f"{_CARRIERS}new/", gettext("Add a carrier"))
    return _open(title, gettext("It connects your calls. Only an admin can add one: ask yours."))


def _people(found: FirstSteps) -> FirstStep:
    title, about = gettext("A list of people"), gettext("A spreadsheet with a number and a name in each row is enough.")
    if found.has_people:
        return _done(title, gettext("There are people to call."), "/console/records/phonebook/", gettext("See them"))
    return _open(title, about, "/console/new-campaign/", gettext("Upload a file"))


def _survey(found: FirstSteps) -> FirstStep:
    title, about = gettext("A survey"), gettext("What people hear, and which keys they press. Templates are there.")
    if found.survey is not None:
        url = f"/console/surveys/{found.survey}/"
        return _done(title, gettext("People hear it when they answer."), url, gettext("See it"))
    return _open(title, about, "/console/surveys/new/", gettext("Choose a template"))


def _voice(found: FirstSteps, *, is_admin: bool) -> Iterator[FirstStep]:
    """Yield the step to a voice, if the service has none."""
    if found.why_silent == "":
        return
    if found.why_silent is not None:
        about = gettext("It is out of order: %(why)s.") % {"why": found.why_silent.rstrip(".")}
    elif is_admin:
        about = gettext(
            "It speaks the texts of surveys. Install espeak-ng on the server, and start dialer again. DIALER_SPEECH"
            " names a voice other than English. Recordings need none."
        )
    else:
        about = gettext("It speaks the texts of surveys. Only an admin can set one up. Recordings need none.")
    yield _open(gettext("A voice"), about, "/console/recordings/new/", gettext("Record a text"))


def _call(found: FirstSteps, *, is_admin: bool) -> FirstStep:
    title, about = gettext("A test call"), gettext("Your own telephone rings, and you see what the carrier says.")
    make = _done if found.was_called else _open
    if found.campaign is not None:
        about = gettext("Your own telephone rings with your campaign, as it will with people.")
        return make(title, about, f"/console/campaigns/{found.campaign}/test/", gettext("Call me"))
    if not is_admin:
        return make(title, gettext("Once there is a campaign, your own telephone rings with it."), "", "")
    if found.gateway is not None:
        return make(title, about, f"/console/gateways/{found.gateway}/test-call/", gettext("Call me"))
    about = gettext("It needs a carrier that calls people. Until then, try the survey on its page.")
    if found.survey is None:
        return make(title, about, "", "")
    return make(title, about, f"/console/surveys/{found.survey}/try/", gettext("Try the survey"))


def _start(found: FirstSteps) -> FirstStep:
    title, about = gettext("The start"), gettext("A check says what will happen, before anybody is called.")
    if found.was_started:
        waits = gettext("A campaign is started. The figures come with its first call.")
        return _done(title, waits, "/console/campaigns/", gettext("See it"))
    if found.campaign is not None:
        return _open(title, about, f"/console/campaigns/{found.campaign}/", gettext("Check and start"))
    return _open(title, about, "/console/new-campaign/", gettext("Make a campaign"))
