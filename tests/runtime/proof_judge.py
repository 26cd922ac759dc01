"""A judge of archives that prove campaigns. It knows the archive and the text of its rules, and nothing of the service.

It imports no code of the service, so a mistake in a rule there is none here. People live in one time zone each.
"""

import json
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, BinaryIO, Final
from zoneinfo import ZoneInfo

Record = dict[str, Any]
STRENGTH: Final = {"opt_in": 1, "express": 2, "written": 3}
PLACES: Final = {"+33": ("FR", ""), "+34": ("ES", ""), "+1202": ("US", "DC"), "+1305": ("US", "FL"), "+44": ("GB", "")}
ZONES: Final = {
    "+33": "Europe/Paris",
    "+34": "Europe/Madrid",
    "+44": "Europe/London",
    "+1202": "America/New_York",
    "+1305": "America/New_York",
}
MACHINE: Final = 2
SECOND: Final = timedelta(seconds=1)
"""By so much a call may have ended later than its whole seconds say."""
ONE_ENDS_ALL_FROM: Final = datetime(2027, 1, 31, tzinfo=ZoneInfo("America/New_York"))
"""47 CFR 64.1200(a)(10): from then on, one withdrawal ends all earlier consents."""


def at(text: str) -> datetime:
    """Return a moment of a record."""
    return datetime.fromisoformat(text)


def of_number(table: dict[str, Any], number: str) -> Any:  # noqa: ANN401 - of the table
    """Return what a table has for the longest beginning of a number."""
    return next(table[begin] for begin in sorted(table, key=len, reverse=True) if number.startswith(begin))


class Judge:
    """Reads one archive, and says what of it is wrong by its own rules, consents and wishes."""

    def __init__(self, archive: BinaryIO) -> None:
        with zipfile.ZipFile(archive) as members:
            names = [name for name in members.namelist() if name.endswith(".ndjson")]
            self.members: Final = {
                name.removesuffix(".ndjson"): [json.loads(line) for line in members.read(name).splitlines()]
                for name in names
            }
        self.campaign: Final[Record] = self.members["campaign"][0]

    def complaints(self) -> list[str]:
        """Return all that is wrong."""
        return [*self._about_calls(), *self._about_waits(), *self._about_refusals()]

    def contacts(self) -> list[Record]:
        """Return all contacts with the people: those of the campaign in the form of those of others."""
        own = [self._of_call(call) for call in self.members["calls"]]
        texts = [
            {"at": one["send_date"], "ended": one["send_date"], "medium": "text", "phone_number": one["phone_number"]}
            | {
                "campaign": self.campaign["id"],
                "purpose": one["purpose"],
                "came_in": False,
                "callid": one["message_id"],
            }
            for one in self.members["messages"]
        ]
        return [*own, *texts, *self.members["contacts"]]

    def _of_call(self, call: Record) -> Record:
        is_over = call["is_over"]
        ended = at(call["starting_date"]) + timedelta(seconds=call["duration"]) if is_over else None
        return {
            "at": call["starting_date"],
            "ended": ended and ended.isoformat(),
            "medium": "call",
            "phone_number": call["phone_number"],
            "campaign": self.campaign["id"],
            "purpose": call["purpose"],
            "came_in": call["came_in"],
            "callid": call["callid"],
            "billsec": call.get("billsec", 0),
            "is_person": call.get("amd_status") != MACHINE,
            "is_abandoned": call.get("is_abandoned", False),
            "is_refusal": call.get("disposition") == "not_interested",
            "is_machine": False,
        }

    def _about_calls(self) -> Iterator[str]:
        """Yield each dial that a rule, a missing consent or a wish forbade."""
        contacts = self.contacts()
        for one in self.members["decisions"]:
            if one["decision"] == "called":
                number, moment = one["phone_number"], at(one["at"])
                name = one.get("callid") or one.get("message_id")
                others = [each for each in contacts if each["callid"] != name and at(each["at"]) <= moment]
                for rule in self.rules(moment):
                    if self.is_held(rule, number, moment, others):
                        yield f"{number} was called at {moment} in spite of {rule['row'] or rule['name']}"
                if not self.relies_on_consent(one):
                    yield f"{number} was called at {moment} without a consent"
                if self.was_wished(number, moment):
                    yield f"{number} was called at {moment} in spite of a wish"

    def _about_waits(self) -> Iterator[str]:
        """Yield each wait that its rule does not ask for, or that ends at another moment than the rule.

        Only what had happened at the decision counts, and a call is in progress until its end.
        """
        contacts = self.contacts()
        for one in self.members["decisions"]:
            if one["decision"] == "frequency":
                number, moment = one["phone_number"], at(one["at"])
                (rule,) = (
                    each for each in self.rules(moment) if (each["row"], each["rule"]) == (one["row"], one["rule"])
                )
                until = None if one["until"] is None else at(one["until"])
                known = [each for each in contacts if at(each["at"]) <= moment]
                if until is None:
                    theirs = [each for each in known if each["phone_number"] == number and self._is_within(rule, each)]
                    if not any(each["ended"] is None or moment < at(each["ended"]) + SECOND for each in theirs):
                        yield f"{number} waits for {rule['name']} without a call in progress"
                    continue
                known = [
                    each if each["ended"] and at(each["ended"]) <= moment else {**each, "ended": None} for each in known
                ]
                if not self.is_held(rule, number, moment, known):
                    yield f"{number} waits for {rule['name']}, which does not hold"
                if not self.is_held(rule, number, until - timedelta(milliseconds=1), known):
                    yield f"{number} waits for {rule['name']} longer than it holds"
                if self.is_held(rule, number, until, known):
                    yield f"{number} does not wait for {rule['name']} to its end"

    def _about_refusals(self) -> Iterator[str]:
        """Yield each refusal that nothing in the archive asks for."""
        for one in self.members["decisions"]:
            number, moment = one["phone_number"], at(one["at"])
            if one["decision"] == "no_consent" and self.is_covered(number, moment):
                yield f"{number} was refused at {moment} with a consent"
            just_then = moment + timedelta(milliseconds=1)
            if one["decision"] == "dnc" and not self.was_wished(number, just_then):
                yield f"{number} was refused at {moment} without a wish"

    def rules(self, moment: datetime) -> list[Record]:
        """Return the rules that bound the campaign at a moment: a row that was switched since was then as before."""
        return [rule for rule in self.members["rules"] if _was_binding(rule, moment)]

    def is_held(self, rule: Record, number: str, moment: datetime, contacts: list[Record]) -> bool:
        """Return whether a rule forbids a contact with a number at a moment, after these contacts."""
        country, state = of_number(PLACES, number)
        day = moment.astimezone(ZoneInfo(of_number(ZONES, number))).date()
        if rule["country"] not in {"", country} or rule["state"] not in {"", state}:
            return False
        if not (rule["from_date"] or "") <= day.isoformat() <= (rule["until_date"] or "9999"):
            return False
        theirs = [one for one in contacts if one["phone_number"] == number and self._is_within(rule, one)]
        if not rule["after"]:
            counted = [
                one for one in theirs if self._counts(rule, one) and self._is_fresh(rule, at(one["at"]), moment, number)
            ]
            return bool(len(counted) >= rule["limit"])
        ends = [at(one["ended"]) for one in theirs if one["ended"] and self._is_kind(rule["after"], rule, one)]
        ends = [end for end in ends if end <= moment]
        if not ends or not self._is_fresh(rule, max(ends), moment, number):
            return False
        since = [one for one in theirs if at(one["at"]) >= max(ends) and one["medium"] in rule["media"]]
        # Nobody knows yet what a call in progress will be, so that it counts.
        counted = [one for one in since if not one["ended"] or self._counts(rule, one)]
        return bool(len(counted) >= rule["limit"])

    def _is_within(self, rule: Record, contact: Record) -> bool:
        of_purpose = not rule["purposes"] or not contact["purpose"] or contact["purpose"] in rule["purposes"]
        return bool(of_purpose and (rule["scope"] != "campaign" or contact["campaign"] == self.campaign["id"]))

    def _counts(self, rule: Record, contact: Record) -> bool:
        kind = rule.get("counts") or "attempts"
        return contact["medium"] in rule["media"] and self._is_kind(kind, rule, contact)

    def _is_kind(self, kind: str, rule: Record, contact: Record) -> bool:
        if kind == "attempts":
            return not contact["came_in"]
        if contact["medium"] != "call" or not contact["ended"]:
            return False
        is_talk = contact["is_person"] and contact["billsec"] > 0
        return bool(
            {
                "answers": is_talk and not contact["came_in"],
                "conversations": is_talk and contact["billsec"] >= rule.get("seconds", 1),
                "conversation": is_talk and contact["billsec"] >= rule.get("seconds", 1),
                "abandoned": contact["is_abandoned"],
                "refusal": contact["is_refusal"],
                "machine": contact["is_machine"],
            }[kind]
        )

    def _is_fresh(self, rule: Record, then: datetime, moment: datetime, number: str) -> bool:
        """Return whether the period of a rule that began at a moment goes on at another."""
        if rule["unit"] == "calendar_days":
            zone = ZoneInfo(of_number(ZONES, number))
            passed: timedelta = moment.astimezone(zone).date() - then.astimezone(zone).date()
            return passed < timedelta(days=rule["period"])
        length = timedelta(hours=rule["period"]) if rule["unit"] == "hours" else timedelta(days=rule["period"])
        return moment < then + length

    def is_covered(self, number: str, moment: datetime) -> bool:
        """Return whether the campaign needs no consent of a number, or has one that is good at a moment."""
        needed = self.campaign["requires_consent"]
        theirs = [one for one in self.members["consents"] if one["phone_number"] == number]
        return not needed or any(self._is_good(one, theirs, needed, moment) for one in theirs)

    def relies_on_consent(self, called: Record) -> bool:
        """Return whether a dial names the consent that it needed, which was good then; it names none if none was."""
        needed, number = self.campaign["requires_consent"], called["phone_number"]
        theirs = [one for one in self.members["consents"] if one["phone_number"] == number]
        named = [one for one in theirs if one["id"] == called["consent"]]
        if not needed:
            return called["consent"] is None
        return bool(named) and self._is_good(named[0], theirs, needed, at(called["at"]))

    def _is_good(self, one: Record, theirs: list[Record], needed: str, moment: datetime) -> bool:
        if STRENGTH[one["kind"]] < STRENGTH[needed] or (one["seller"] and one["seller"] != self.campaign["seller"]):
            return False
        if one["purposes"] and self.campaign["purpose"] not in one["purposes"]:
            return False
        given, country = at(one["given_date"]), of_number(PLACES, one["phone_number"])[0]
        ends = [at(one[name]) for name in ("expiration_date", "withdrawn_date") if one[name]]
        if country == "ES":
            ends.append(given.replace(year=given.year + 2))
        withdrawn = [at(each["withdrawn_date"]) for each in theirs if each["withdrawn_date"]]
        if country == "US":
            ends += [max(when, ONE_ENDS_ALL_FROM) for when in withdrawn if given < when]
        return given <= moment and all(moment < end for end in ends)

    def was_wished(self, number: str, moment: datetime) -> bool:
        """Return whether a number was on a list of the campaign before a moment."""
        return any(one["phone_number"] == number and at(one["at"]) < moment for one in self.members["wishes"])


def _was_binding(rule: Record, moment: datetime) -> bool:
    """Return whether a rule bound the campaign. Of a row that is off since, its purposes and days are judged anyway."""
    is_later = rule.get("switched_date") is None or at(rule["switched_date"]) <= moment
    return bool(rule["binds"]) if is_later else not rule["is_on"]
