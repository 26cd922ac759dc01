"""Errors of detection on greetings that were made after it was written: `python -m benchmarks.detecting`.

Programs speak the greetings of `benchmarks.greetings`: espeak-ng, and flite and festival if they are installed. One
seed gives equal calls where equal programs speak. Each sensitivity is measured on the same calls.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import Final, NamedTuple

from benchmarks.greetings import corpus, voices
from benchmarks.greetings.corpus import Answer
from dialer.carriers.media.detection_orders import AwaitingBeep, Detecting, Listening
from dialer.carriers.media.rtp import FRAME_MS, RATE_HZ
from dialer.domain.words.enums import AmdSensitivity, AmdStatus

COUNT: Final = 200
"""People, and machines as well."""
SEED: Final = 17
PATIENCE_MS: Final = 40_000
"""Time after a call's sound in which an order still waits."""


class Heard(NamedTuple):
    """The verdict on a call, and after how many milliseconds it came."""

    status: AmdStatus
    after_ms: int


def listened(activity: Listening, answer: Answer) -> Heard:
    """Return what an order finds in a call, in the call's own time."""
    arriving = iter(answer.packets)
    packet = next(arriving, None)
    for now_ms in range(FRAME_MS, answer.length_ms + PATIENCE_MS, FRAME_MS):
        activity.next_frame()
        while packet is not None and (packet.timestamp + len(packet.data)) * 1_000 // RATE_HZ <= now_ms:
            activity.take_frame(packet.timestamp, packet.data)
            packet = next(arriving, None)
        done = activity.done(now_ms)
        if done is not None and done.status is not None:
            return Heard(done.status, now_ms)
    raise AssertionError(f"An order does not end: {answer.text}")


def percentile(numbers: Iterable[int], share: float) -> int:
    """Return the number below which a share of the numbers is."""
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def errors(people: list[Answer], machines: list[Answer], sensitivity: AmdSensitivity) -> dict[str, object]:
    """Return the shares of people and machines by their verdict, and when the first word follows a greeting."""
    begun = time.process_time()
    of_people = [listened(Detecting(1, sensitivity), one) for one in people]
    of_machines = [listened(Detecting(1, sensitivity), one) for one in machines]
    seconds = time.process_time() - begun
    late = [
        heard.after_ms - one.ends_ms
        for heard, one in zip(of_people, people, strict=True)
        if heard.status is not AmdStatus.MACHINE
    ]
    return {
        "people taken for machines, %": _share(of_people, AmdStatus.MACHINE),
        "people": _counted(of_people),
        "machines": _counted(of_machines),
        "machines found, %": _share(of_machines, AmdStatus.MACHINE),
        "after a person's greeting, ms": {
            "median": percentile(late, 0.5),
            "95 %": percentile(late, 0.95),
            "most": max(late),
        },
        "machines decided after, median ms": percentile((heard.after_ms for heard in of_machines), 0.5),
        "processor time by time of calls": round(
            seconds * 1_000 / sum(heard.after_ms for heard in (*of_people, *of_machines)), 4
        ),
    }


def _share(heard: list[Heard], status: AmdStatus) -> float:
    return round(100 * sum(one.status is status for one in heard) / len(heard), 1)


def _counted(heard: list[Heard]) -> dict[str, int]:
    return dict(Counter(one.status.name.lower() for one in heard))


def beeps(machines: list[Answer]) -> dict[str, object]:
    """Return how many beeps were found, how late, and how many greetings were taken for a beep."""
    late, early, missed = list[int](), 0, 0
    for one in machines:
        heard = listened(AwaitingBeep(1), one)
        end_ms = one.ends_ms if one.beep_ms is None else one.beep_ms[1]
        if heard.after_ms < end_ms:
            early += 1
        elif one.beep_ms is not None and heard.after_ms < end_ms + 1_000:
            late.append(heard.after_ms - end_ms)
        elif one.beep_ms is not None:
            missed += 1
    return {
        "beeps": sum(one.beep_ms is not None for one in machines),
        "found": len(late),
        "missed": missed,
        "message too early": early,
        "after its end, median ms": percentile(late, 0.5) if late else None,
    }


def calls(count: int, seed: int) -> Iterator[list[Answer]]:
    """Yield the calls of people, then those of machines."""
    chance = Random(seed)
    material = corpus.held_out(chance)
    for is_machine in (False, True):
        yield list(corpus.answers(material, chance, count, is_machine=is_machine))


def main() -> None:
    """Print the tables."""
    programs = sorted({one.program for one in voices.installed(voices.HELD_OUT)})
    if "espeak-ng" not in programs:
        sys.stderr.write("The tables of detection are left out: they need espeak-ng (Debian: apt install espeak-ng)\n")
        return
    people, machines = calls(COUNT, SEED)
    for sensitivity in AmdSensitivity:
        row = errors(people, machines, sensitivity)
        sys.stderr.write(f"{sensitivity.name.lower()}: {row}\n")
        print(json.dumps({"title": "detection", "programs": programs, "sensitivity": sensitivity, **row}))
    row = beeps(machines)
    sys.stderr.write(f"beeps: {row}\n")
    print(json.dumps({"title": "beeps after greetings", **row}))


if __name__ == "__main__":
    main()
