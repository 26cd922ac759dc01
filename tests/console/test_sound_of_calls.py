"""Tests of the quality of sound on the pages of a call and of a gateway, and in the record that both show."""

from dialer.domain.calls.sound_quality import SoundQuality, Stream
from dialer.store.database.database import Database
from tests.api.harness import NOW_MS, Caller
from tests.console.building import store
from tests.console.test_calls import cdr
from tests.console.visitor import Visitor

DAY_MS = 86_400_000
GOOD = SoundQuality(Stream(1_500, 3, 4), Stream(1_498, 0, 6), 48).text
BAD = SoundQuality(Stream(500, 200, 90), None, None).text


def test_a_call_says_how_it_sounded(alice: Visitor, api: Caller, database: Database) -> None:
    store(database, cdr(1, sound=GOOD), cdr(2, sound=BAD), cdr(3))
    good, bad, none = (alice.text(f"calls/{number}/") for number in (1, 2, 3))
    assert "Sound Heard: 4.4 of 5, 0.2 % lost, jitter 4 ms Ours: 4.4 of 5, 0.0 % lost, jitter 6 ms" in good
    assert "Sound Heard: 1.5 of 5, 40.0 % lost, jitter 90 ms" in bad
    assert ("Ours:" in bad, "Heard:" in none) == (False, False)
    assert api.get("cdr/1/")["sound"] == {
        "heard": {"packets": 1500, "loss_percent": 0.2, "jitter_ms": 4, "mos": 4.37},
        "said": {"packets": 1498, "loss_percent": 0.0, "jitter_ms": 6, "mos": 4.38},
        "round_trip_ms": 48,
    }


def test_a_gateway_says_how_its_last_calls_sounded(admin: Visitor, api: Caller, database: Database) -> None:
    boss = Caller(api.client, "admin")
    parameters = {"server": "192.0.2.10", "domain": "x.example"}
    mine, other = (boss.create("gateway", name=name, protocol="sip", parameters=parameters) for name in ("A", "B"))
    over = {"gateway_id": mine["id"]}
    assert "Sound of the last calls" not in admin.text(f"records/gateway/{mine['id']}/")
    store(
        database,
        cdr(1, sound=GOOD, **over),
        cdr(2, sound=BAD, **over),
        cdr(3, **over),
        cdr(4, sound=BAD, gateway_id=other["id"]),
        cdr(5, sound=BAD, **over, starting_date=NOW_MS - DAY_MS - 1),
    )
    text = admin.text(f"records/gateway/{mine['id']}/")
    assert "Sound of the last calls Heard: 2.9 of 5, 10.2 % lost Ours: 4.4 of 5, 0.0 % lost" in text
    assert "calls of the last 24 hours: 2" in text
