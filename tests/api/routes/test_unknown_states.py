"""Tests of the check of a campaign with people whose column `state` names no state of their country."""

from tests.api.builders import Estate

UNDERSTOOD = [
    ("+12025550100", {"state": "FL"}),
    ("+12025550101", {"State": " Florida "}),
    ("+16135550100", {"state": "Ontario"}),
    ("+61251104066", {"state": "NSW"}),
    ("+12025550102", {"state": ""}),
    ("+12025550103", {"city": "Floridah"}),
]
ELSEWHERE = [("+18765550100", {"state": "Kingston"}), ("+493012345678", {"state": "Berlin"})]
"""People of countries whose states nobody looks up."""
WRONG = [("+12025550104", {"state": "Floridah"}), ("+61251104067", {"STATE": "X" * 50})]


def test_people_whose_state_nobody_knows_are_counted(estate: Estate) -> None:
    alice, phonebook = estate.owner, estate.phonebook["url"]
    alice.change(estate.campaign["url"], phonebook=[phonebook])

    def warned() -> list[tuple[str, str, str]]:
        findings = alice.get(f"{estate.campaign['url']}check/", forecast="false")["findings"]
        found = [one for one in findings if one["code"] == "unknown_state"]
        return [(one["level"], one["field"], one["message"]) for one in found]

    for number, variables in UNDERSTOOD + ELSEWHERE:
        alice.create("contact", contact=number, phonebook=phonebook, additional_vars=variables)
    assert warned() == []
    rest = "so rules of states hold by the area code alone. Write its code, such as FL or NSW, or the English name."
    words = [
        "A person has a state that is not known (Floridah), ",
        "2 people have a state that is not known (such as Floridah), ",
    ]
    for (number, variables), said in zip(WRONG, words, strict=True):
        alice.create("contact", contact=number, phonebook=phonebook, additional_vars=variables)
        assert warned() == [("warning", "phonebook", said + rest)]
