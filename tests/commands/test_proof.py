"""Tests of `dialer proof`: what the archive of a campaign holds, and that every change of it is named."""

import json
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dialer.app.campaigns.proof import begin_proof, proof_of
from dialer.app.erasure.erasure import erase_number
from dialer.domain.words.contact_words import ON
from dialer.store.database.service_state import ServiceSettings, save_settings
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import AudioFile, Consent, DncContact, DncList, User
from tests.commands.conftest import Run
from tests.runtime.house import DAY_MS, MONDAY_NOON_MS, House
from tests.runtime.test_contact_rules import ADA, BEA, calling, rule

CYD = "+12025550102"
DAN = "+13055550100"
MEMBERS = (
    *("campaign", "recordings", "calls", "messages", "rules", "decisions", "contacts", "consents", "wishes"),
    *("transfers", "audit"),
)
Proof = dict[str, list[dict[str, Any]]]


def members_of(file: Path) -> Proof:
    """Return the records of an archive by member, without what chains them."""
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        names = [name for name in archive.namelist() if name.endswith(".ndjson")]
        found = {name.removesuffix(".ndjson"): list(map(json.loads, archive.read(name).splitlines())) for name in names}
    for records in found.values():
        for place, record in enumerate(records, 1):
            assert (record.pop("line"), len(record.pop("chain"))) == (place, 32)
    return found


def left_in(folder: Path) -> list[Path]:
    """Return the archives in a folder, finished or not."""
    return list(folder.glob("**/*.zip*"))


def consent(house: House, number: str, **values: object) -> int:
    columns = {"user_id": house.user_id, "phone_number": number, "number": number, "kind": "written", "purposes": ""}
    texts = {"evidence": "signed", "evidence_url": "", "withdrawn_how": "", "given_date": MONDAY_NOON_MS - DAY_MS}
    return house.add(Consent, **{**columns, **texts, **values})


def made(run: Run, house: House, campaign_id: int | str, name: str = "proof.zip") -> Path:
    done = run("proof", str(campaign_id), "--out", name, DIALER_DATABASE_URL=house.url)
    assert done.code == 0, done.err
    return Path(name)


async def full(house: House) -> tuple[int, int]:
    """Run two campaigns with a rule, a consent that somebody lacks, and a wish; the second, and another one."""
    settings = ServiceSettings("virtual", "UTC", None, str(house.media), None, ON)
    house.database.write_now(lambda connection: save_settings(connection, settings, house.now_ms()))
    house.restart()
    rule(house, most=1, period=7, unit="days")
    other = calling(house, ADA, purpose="survey")
    await house.advance(60)
    for number in (ADA, BEA, CYD):
        consent(house, number)
    house.call_off(house.dnc_list(), CYD)
    lists = house.dnc_list(CYD)
    campaign_id = calling(house, ADA, BEA, CYD, DAN, purpose="survey", requires_consent="express", dnc_id=lists)
    await house.advance(60)
    return campaign_id, other


async def test_an_archive_holds_who_was_called_and_why_the_others_were_not(run: Run, house: House) -> None:
    campaign_id, other = await full(house)
    file = made(run, house, campaign_id)
    found = members_of(file)
    assert tuple(found) == MEMBERS
    campaign, section = found["campaign"]
    assert (campaign["id"], campaign["purpose"], campaign["account"]) == (campaign_id, "survey", "ann")
    assert (campaign["is_simulated"], section["prompt"]["script"]) == (True, "word")
    (call,) = found["calls"]
    assert (call["phone_number"], call["purpose"], call["came_in"], call["is_over"]) == (BEA, "survey", False, True)
    decided = {record["phone_number"]: record for record in found["decisions"]}
    called, waits = decided[BEA], decided[ADA]
    assert (called["decision"], called["at"], called["callid"]) == ("called", call["starting_date"], call["callid"])
    assert (waits["decision"], waits["rule"], waits["row"]) == ("frequency", 1, "")
    (contact,) = found["contacts"]
    assert (contact["campaign"], contact["phone_number"]) == (other, ADA)
    assert waits["until"] == contact["at"].replace("2026-03-02", "2026-03-09")
    assert (decided[CYD]["decision"], decided[DAN]["decision"]) == ("dnc", "no_consent")
    assert found["campaign"][0]["audit_head"] == {"entry": 0, "sha256": ""}
    consents = {record["phone_number"]: record for record in found["consents"]}
    assert consents.keys() == {ADA, BEA, CYD}
    assert (consents[BEA]["evidence"], consents[BEA]["last_used_date"]) == ("signed", call["starting_date"])
    assert [(record["phone_number"], record["is_own"]) for record in found["wishes"]] == [(CYD, True)]
    rules = {record["row"] or record["rule"]: record for record in found["rules"]}
    assert (rules[1]["binds"], rules[1]["limit"], rules[1]["words"]) == (
        *(True, 1),
        "At most 1 call in 7 days to a number, over all campaigns of the account.",
    )
    assert (rules["gb-72h"]["binds"], rules["us-fl-cap"]["binds"], rules["us-fl-cap"]["is_on"]) == (True, False, True)
    done = run("proof", "verify", str(file))
    lines = sum(map(len, found.values()))
    assert (done.code, f"11 members, {lines} lines: nothing is changed." in done.out) == (0, True)


async def test_the_audit_log_has_the_hash_of_each_archive_and_the_next_archive_has_the_entry(
    run: Run, house: House
) -> None:
    campaign_id = calling(house, ADA)
    await house.advance(60)
    with zipfile.ZipFile(made(run, house, campaign_id)) as archive:
        digest = sha256(archive.read("manifest.json")).hexdigest()
    entries = members_of(made(run, house, campaign_id, "second.zip"))["audit"]
    assert [(one["action"], one["via"], one["after"]) for one in entries if one["action"] == "campaign_proved"] == [
        ("campaign_proved", "command line", {"campaign_id": campaign_id, "manifest_sha256": digest})
    ]


async def test_erased_people_stay_erased(run: Run, house: House) -> None:
    campaign_id, _ = await full(house)
    made(run, house, campaign_id)
    for number in (BEA, CYD):
        erase_number(house.database, number, lambda _: None, house.now_ms())
    file = made(run, house, campaign_id, "later.zip")
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            assert not any(number[4:].encode() in archive.read(name) for number in (BEA, CYD)), name
    assert [call["phone_number"] for call in members_of(file)["calls"]] == ["erased"]


async def test_what_other_accounts_say_on_lists_for_everybody_is_left_out(run: Run, house: House) -> None:
    admin = house.add(User, username="root", password_hash="-", role="admin")
    campaign_id = calling(house, ADA, BEA)
    listed = house.dnc_list(ADA)
    house.change(DncContact, 1, said="secret words", source="agent")
    house.change(DncList, listed, is_global=True, user_id=admin)
    await house.advance(60)
    (wish,) = members_of(made(run, house, campaign_id))["wishes"]
    assert (wish.pop("at")[:4], wish) == ("2026", {"phone_number": ADA, "is_own": False})


async def test_a_wish_for_a_number_that_has_no_country_is_found_as_the_dial_finds_it(run: Run, house: House) -> None:
    campaign_id = calling(house, CYD.removeprefix("+1"), BEA, dnc_id=house.dnc_list(CYD))
    await house.advance(60)
    found = members_of(made(run, house, campaign_id))
    assert [one["phone_number"] for one in found["wishes"]] == [CYD.removeprefix("+1")]
    assert "dnc" in {one["decision"] for one in found["decisions"]}


async def test_a_call_that_ends_while_the_archive_is_made_is_told_once_without_the_number_that_was_erased(
    house: House, tmp_path: Path
) -> None:
    campaign_id = calling(house, ADA, BEA)
    begun = None
    for _ in range(60):
        await house.advance(1)
        begun = house.database.read_now(lambda connection: begin_proof(connection, campaign_id, house.now_ms()))
        if begun.in_progress:
            break
    assert begun is not None
    first = [call["callid"] for call in begun.in_progress]
    await house.advance(120)
    for number in (ADA, BEA):
        erase_number(house.database, number, lambda _: None, house.now_ms())
    # As if a further worker had blocks of ids above those of this one.
    late = dict.fromkeys(begun.last_ids, 10**6)
    archive = proof_of(house.database.read_now, replace(begun, last_ids=late), FolderMedia(house.media))
    file = tmp_path / "proof.zip"
    file.write_bytes(b"".join(archive.members()) + archive.end())
    found = members_of(file)
    calls = [(one["callid"], one["phone_number"], one["is_over"]) for one in found["calls"]]
    assert sorted(calls) == sorted((callid, "erased", False) for callid in first)
    called = [one["callid"] for one in found["decisions"] if one["decision"] == "called"]
    assert sorted(called) == sorted(first)


async def test_the_message_left_on_answering_machines_is_among_what_was_played(run: Run, house: House) -> None:
    left = house.add(
        AudioFile, name="left", audio_file="left.wav", user_id=house.user_id, format="wav", size=1, duration_ms=1
    )
    campaign_id = calling(house, ADA, voicemail_audiofile_id=left)
    await house.advance(60)
    recordings = members_of(made(run, house, campaign_id))["recordings"]
    assert [(one["kind"], one["file"]) for one in recordings] == [("played", "left.wav")]


@pytest.mark.parametrize("place", [100, 2_000, -40, -200])
async def test_a_changed_archive_is_named_and_fails(run: Run, house: House, place: int) -> None:
    campaign_id = calling(house, ADA, BEA)
    await house.advance(60)
    file = made(run, house, campaign_id)
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)
    done = run("proof", "verify", str(file))
    assert (done.code, done.out.count("changed") + done.out.count("unpacked") >= 1) == (1, True)


async def test_what_cannot_be_made_leaves_no_file(run: Run, house: House, tmp_path: Path) -> None:
    campaign_id = calling(house, ADA)
    unknown = run("proof", "no-such", "--out", "proof.zip", DIALER_DATABASE_URL=house.url)
    assert (unknown.code, "there is no campaign no-such" in unknown.err) == (1, True)
    nowhere = run("proof", str(campaign_id), "--out", "none/proof.zip", DIALER_DATABASE_URL=house.url)
    assert (nowhere.code, "cannot be written" in nowhere.err) == (1, True)
    assert left_in(tmp_path) == []
    assert run("proof", "verify", str(tmp_path / "none.zip")).code == 2
