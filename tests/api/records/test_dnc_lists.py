"""Campaigns with several do-not-call lists, and lists that hold for every campaign."""

import pytest

from tests.api.harness import Caller, Json


def campaign_of(owner: Caller, admin: Caller, path: str = "campaigns", **fields: Json) -> Json:
    """Create a campaign of calls or of text messages."""
    if path == "sms-campaigns":
        gateway = admin.create("sms-gateway", name="texts")
        return owner.create(path, name="spring", sms_gateway=gateway["url"], **fields)
    gateway, survey = admin.create("gateway", name="trunk"), owner.create("survey-template", name="poll")
    return owner.create(path, name="spring", aleg_gateway=gateway["url"], object_id=survey["id"], **fields)


@pytest.mark.parametrize("path", ["campaigns", "sms-campaigns"])
def test_a_campaign_names_several_lists_in_their_order(alice: Caller, admin: Caller, path: str) -> None:
    """Every spelling of references is accepted. A change of the order is stored."""
    lists = [alice.create("dnc-list", name=str(number))["url"] for number in range(4)]
    campaign = campaign_of(alice, admin, path)
    assert campaign["dnc_lists"] == []
    for given, wanted in (
        ([lists[2], 1, "2"], [2, 0, 1]),
        ("1, 3", [0, 2]),
        (["/rest-api/dnc-list/3/", lists[0]], [2, 0]),
        ([1, 3, 4, 1], [0, 2, 3]),
        ([], []),
    ):
        alice.change(campaign["url"], dnc_lists=given)
        assert alice.get(campaign["url"])["dnc_lists"] == [lists[place] for place in wanted]


def test_lists_of_others_and_too_many_lists_are_refused(alice: Caller, bob: Caller, admin: Caller) -> None:
    campaign, foreign = campaign_of(alice, admin), bob.create("dnc-list", name="bob's")
    answer = alice.request("PATCH", campaign["url"], json={"dnc_lists": [foreign["id"]]})
    assert (answer.status_code, answer.json()) == (400, {"dnc_lists": ["Invalid hyperlink - Object does not exist."]})
    answer = alice.request("PATCH", campaign["url"], json={"dnc_lists": list(range(1, 22))})
    assert answer.json() == {"dnc_lists": ["Ensure this field has no more than 20 elements."]}


def test_a_list_that_a_campaign_names_is_not_deleted(alice: Caller, admin: Caller) -> None:
    never = alice.create("dnc-list", name="never")
    campaign = campaign_of(alice, admin, dnc_lists=[never["id"]])
    answer = alice.request("DELETE", never["url"])
    assert (answer.status_code, answer.json()) == (
        409,
        {"detail": f"Still used by campaigns {campaign['id']}. Change or delete them first."},
    )
    alice.change(campaign["url"], dnc_lists=[])
    assert alice.request("DELETE", never["url"]).status_code == 204


def test_only_admins_make_their_own_lists_hold_for_everybody(alice: Caller, admin: Caller) -> None:
    message = ["Only an admin can make a list hold for every campaign, and only a list of an admin."]
    answer = alice.request("POST", "dnc-list/", json={"name": "all", "is_global": True})
    assert (answer.status_code, answer.json()) == (400, {"is_global": message})
    hers = alice.create("dnc-list", name="hers")
    assert hers["is_global"] is False
    assert admin.request("PATCH", hers["url"], json={"is_global": True}).json() == {"is_global": message}
    everybody = admin.create("dnc-list", name="everybody", is_global="true")
    assert everybody["is_global"] is True
    owner = alice.get("phonebook/")["results"] or alice.create("phonebook", name="mine")
    answer = admin.request("PATCH", everybody["url"], json={"user": owner["user"]})
    assert answer.json() == {"is_global": message}
    answer = admin.request("DELETE", everybody["url"])
    detail = "The list holds for every campaign. Switch off is_global before you delete it."
    assert (answer.status_code, answer.json()) == (409, {"detail": detail})
    assert [one["id"] for one in admin.get("dnc-list/?is_global=true")["results"]] == [everybody["id"]]
    admin.change(everybody["url"], is_global=False)
    assert admin.request("DELETE", everybody["url"]).status_code == 204


def test_there_is_a_limit_of_lists_that_hold_for_everybody(admin: Caller) -> None:
    created = [admin.create("dnc-list", name=str(number), is_global=True) for number in range(20)]
    answer = admin.request("POST", "dnc-list/", json={"name": "one more", "is_global": True})
    message = "20 lists hold for every campaign already. Put the numbers on one of them."
    assert (answer.status_code, answer.json()) == (400, {"is_global": [message]})
    admin.change(created[0]["url"], name="still global")
    assert admin.get(created[0]["url"])["is_global"] is True


def test_an_entry_is_read_kindly_and_each_number_of_it_is_listed_once(alice: Caller) -> None:
    listed = alice.create("dnc-list", name="list")["id"]
    first = alice.create("dnc-contact", dnc=listed, phone_number="+49 30 2300074 ext. 5 (Ada)")
    assert first["phone_number"] == "+49 30 2300074 ext. 5 (Ada)"
    second = alice.create("dnc-contact", dnc=listed, phone_number="+49 30 2300074 / +49 170 1234567, +12125550100")
    assert alice.get("dnc-contact/", phone_number="+491701234567")["results"][0]["id"] == second["id"]
    entries = alice.get("dnc-contact/", dnc_id=listed)["results"]
    assert [entry["phone_number"] for entry in entries] == [
        "+49 30 2300074 ext. 5 (Ada)",
        "+49 30 2300074 / +49 170 1234567, +12125550100",
        "+12125550100",
    ]
    answer = alice.request("POST", "dnc-contact/", json={"dnc": listed, "phone_number": "+12125550100 / +491701234567"})
    assert answer.status_code == 400
    assert answer.json() == {"phone_number": ["'+12125550100 / +491701234567' is on the list already."]}
    alice.change(first["url"], dnc=listed)
    alice.change(first["url"], phone_number="+33612345678; +33612345679")
    assert alice.get("dnc-contact/", dnc_id=listed)["count"] == 4
    assert alice.get("dnc-contact/", phone_number="+33612345679")["count"] == 1
    assert alice.get("dnc-contact/", phone_number="+49302300074")["count"] == 0
