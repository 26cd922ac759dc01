"""Tests of DIDs: a number reaches an account only once an admin has assigned it, and nobody learns what others own."""

from typing import Final

from tests.api.builders import Estate
from tests.api.harness import BASE, Caller, Json

NUMBER: Final = "+12025550132"
"""The number of the DID of Alice's estate, which a manager made."""
FREE: Final = "+12025550177"
ONLY_ADMINS: Final = (400, {"is_assigned": ["Only an admin assigns a number."]})


def taken(number: str) -> tuple[int, Json]:
    return 400, {"did_number": [f"{number!r} is a DID already. Use another number."]}


def test_a_managers_number_waits_for_an_admin(alice: Caller, admin: Caller) -> None:
    did = alice.create("did", did_number=FREE)
    assert did["is_assigned"] is False
    assert alice.refused("PATCH", did["url"], is_assigned=True) == ONLY_ADMINS
    assert alice.refused("POST", "did/", did_number="+12025550178", is_assigned=True) == ONLY_ADMINS
    assert [one["id"] for one in admin.get("did/", is_assigned="false", did_number=FREE)["results"]] == [did["id"]]
    admin.change(did["url"], is_assigned=True)
    assert alice.get(did["url"])["is_assigned"] is True
    # Clients write back what they have read.
    assert alice.request("PUT", did["url"], json=alice.get(did["url"])).status_code < 300
    assert alice.get(did["url"])["is_assigned"] is True


def test_an_admins_number_is_assigned_at_once(admin: Caller, alice: Caller) -> None:
    assert admin.create("did", did_number=FREE)["is_assigned"] is True
    given = admin.create("did", did_number="+12025550178", user=f"{BASE}/users/2/")
    assert alice.get(given["url"])["is_assigned"] is True
    assert admin.create("did", did_number="+12025550179", is_assigned=False)["is_assigned"] is False


def test_answers_do_not_tell_what_others_have(alice: Caller, bob: Caller, admin: Caller, estate: Estate) -> None:
    """The answers for a number that another account has, waiting or assigned, are those for a free number."""
    admin.change(estate.did["url"], is_assigned=True)
    hers, free = (bob.create("did", did_number=number) for number in (NUMBER, FREE))
    differing = {"id", "url", "did_number", "created_date", "updated_date"}
    assert {name: hers[name] for name in hers.keys() - differing} == {
        name: free[name] for name in free.keys() - differing
    }
    assert bob.request("PATCH", free["url"], json={"did_number": "+12025550199"}).status_code < 300
    assert bob.request("DELETE", hers["url"]).status_code == 204
    assert bob.request("PATCH", free["url"], json={"did_number": NUMBER}).status_code < 300
    assert bob.get(free["url"])["is_assigned"] is False
    assert alice.get(estate.did["url"])["is_assigned"] is True


def test_an_account_has_a_number_once_however_it_is_spelled(alice: Caller, estate: Estate) -> None:
    assert alice.refused("POST", "did/", did_number="1 (202) 555-0132") == taken("1 (202) 555-0132")
    alice.change(estate.did["url"], did_number="+1 202 555 0132")
    other = alice.create("did", did_number=FREE)
    assert alice.refused("PATCH", other["url"], did_number=NUMBER) == taken(NUMBER)


def test_a_number_without_its_country_is_one_of_the_accounts(alice: Caller, bob: Caller, admin: Caller) -> None:
    admin.change("users/2/", default_region="DE")
    alice.create("did", did_number="030 2300074")
    assert alice.refused("POST", "did/", did_number="+49302300074") == taken("+49302300074")
    admin.change("users/3/", default_region="FR")
    bob.create("did", did_number="030 2300074")  # Of another country.
    hers = alice.get("did/")["results"][0]["url"]
    admin.change(hers, is_assigned=True)
    assert admin.refused("POST", "did/", did_number="0049 30 2300074")[0] == 400


def test_a_number_is_assigned_to_one_account(alice: Caller, bob: Caller, admin: Caller, estate: Estate) -> None:
    admin.change(estate.did["url"], is_assigned=True)
    his = bob.create("did", did_number="1 202 555 0132")
    message = f"{his['did_number']!r} is assigned to another account. Switch off is_assigned of that number first."
    assert admin.refused("PATCH", his["url"], is_assigned=True) == (400, {"is_assigned": [message]})
    assert admin.refused("POST", "did/", did_number=NUMBER) == taken(NUMBER)
    admin.change(estate.did["url"], is_assigned=False)
    admin.change(his["url"], is_assigned=True)
    assert (alice.get(estate.did["url"])["is_assigned"], bob.get(his["url"])["is_assigned"]) == (False, True)


def test_a_manager_who_changes_an_assigned_number_waits_again(alice: Caller, admin: Caller, estate: Estate) -> None:
    admin.change(estate.did["url"], is_assigned=True)
    alice.change(estate.did["url"], did_number="+1 (202) 555-0132")  # Another spelling.
    assert alice.get(estate.did["url"])["is_assigned"] is True
    alice.change(estate.did["url"], did_number=FREE)
    assert alice.get(estate.did["url"])["is_assigned"] is False
    entries = admin.get("audit-log/", page_size=100)["results"]
    ended = [one["after"] for one in entries if one["before"].get("is_assigned")]
    assert [one["is_assigned"] for one in ended] == [False]
    both = {"did_number": "+12025550178", "is_assigned": True}
    assert alice.refused("PATCH", estate.did["url"], **both) == ONLY_ADMINS
    admin.change(estate.did["url"], did_number="+12025550179", is_assigned=True)
    assert alice.get(estate.did["url"])["is_assigned"] is True


def test_a_manager_can_give_a_number_back(alice: Caller, admin: Caller, estate: Estate) -> None:
    admin.change(estate.did["url"], is_assigned=True)
    alice.change(estate.did["url"], is_assigned=False)
    assert alice.refused("PATCH", estate.did["url"], is_assigned=True) == ONLY_ADMINS
