"""The results of scenarios, for a terminal and as JUnit's XML."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence

from dialer.scenarios.checks import Failure
from dialer.scenarios.outcome import PersonOutcome, call_outcome
from dialer.scenarios.run import ScenarioResult


def lines_of(result: ScenarioResult) -> Iterator[str]:
    """Yield the result of a scenario as lines; of one that failed with the calls of those whom it concerns."""
    if not result.failures:
        yield f"ok    {result.name}"
        return
    yield f"FAIL  {result.name} ({_where(result)})"
    for failure in result.failures:
        yield f"      {failure.subject}: {failure.field}"
        yield f"        expected  {failure.expected}"
        yield f"        got       {failure.got}"
    subjects = {failure.subject for failure in result.failures}
    for person in result.people:
        if f"{person.full_name} {person.number}".strip() in subjects:
            yield from (f"      {line}" for line in _calls(person))


def summary(results: Sequence[ScenarioResult]) -> str:
    """Return a line with the number of scenarios, the failures and the time."""
    failed = sum(bool(result.failures) for result in results)
    seconds = sum(result.seconds for result in results)
    scenarios = "1 scenario" if len(results) == 1 else f"{len(results)} scenarios"
    return f"{scenarios}, {failed} failed, {seconds:.1f} s"


def junit(results: Sequence[ScenarioResult]) -> str:
    """Return the results as JUnit's XML, with a suite for each file."""
    suites = ET.Element("testsuites")
    for file in dict.fromkeys(one.file for one in results):
        of_file = [one for one in results if one.file == file]
        failed = sum(bool(one.failures) for one in of_file)
        suite = ET.SubElement(suites, "testsuite", name=file, tests=str(len(of_file)), failures=str(failed))
        for one in of_file:
            case = ET.SubElement(suite, "testcase", classname=file, name=one.name, time=f"{one.seconds:.3f}")
            if one.failures:
                failure = ET.SubElement(case, "failure", message=_clean(_in_a_line(one.failures[0])))
                failure.text = _clean("\n".join(lines_of(one)))
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _calls(person: PersonOutcome) -> Iterator[str]:
    """Yield the calls of a person, each with its path through the survey."""
    if not person.story.attempts:
        yield f"{person.number} was not called: {person.reason or 'no reason'}"
    for attempt in person.story.attempts:
        yield f"{attempt.at:%Y-%m-%d %H:%M:%S}Z  {person.number}, attempt {attempt.attempt}: {call_outcome(attempt)}"
        for visit in person.paths.get(attempt.attempt, ()):
            yield f"    {visit.title}" + (f": {visit.heard}" if visit.heard else "")
        for transfer in attempt.transfers:
            by = f", taken by {transfer.agent}" if transfer.agent else ""
            yield f"    transfer to {transfer.to}{by}{f': {transfer.reason}' if transfer.reason else ''}"
        yield from (f"    text, {message.status}: {message.text}" for message in attempt.messages)


def _where(result: ScenarioResult) -> str:
    return result.file if result.line is None else f"{result.file}:{result.line}"


def _in_a_line(failure: Failure) -> str:
    return f"{failure.subject}: {failure.field}: expected {failure.expected}, got {failure.got}"


def _clean(text: str) -> str:
    """Return a text without characters that XML does not have."""
    return "".join(one if one.isprintable() or one == "\n" else "?" for one in text)
