"""Tests of what metrics and the health check say of recordings."""

from pathlib import Path

import pytest

from dialer.api.http import recording_metrics
from dialer.api.http.recording_metrics import RecordingMetrics
from dialer.runtime.steps.recording_figures import RecordingFigures
from tests.api.conftest import MEDIA
from tests.api.harness import Caller


def values(metrics: RecordingMetrics) -> dict[str, float]:
    return {sample.name: sample.value for metric in metrics.collect() for sample in metric.samples}


def test_the_state_of_recordings_is_told(tmp_path: Path) -> None:
    figures = RecordingFigures()
    figures.waiting, figures.lost, figures.send_failures, figures.is_in_place = 3, 1, 7, False
    figures.texts_waiting, figures.texts_failed = 5, 2
    metrics = RecordingMetrics(figures, tmp_path)
    found = values(metrics)
    assert found.pop("dialer_recordings_room_bytes") > 0
    assert found == {
        "dialer_recordings_in_place": 0,
        "dialer_recordings_waiting": 3,
        "dialer_recordings_failed_total": 1,
        "dialer_recordings_not_sent_total": 7,
        "dialer_transcripts_waiting": 5,
        "dialer_transcripts_failed_total": 2,
    }
    assert metrics.problem() == "away"


def test_a_disk_without_room_is_told_and_none_before_the_first_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_metrics, "FREE_BYTES_MIN", 2**80)
    assert RecordingMetrics(RecordingFigures(), tmp_path).problem() == "no_room"
    nowhere = RecordingMetrics(RecordingFigures(), tmp_path / "recordings")
    assert (nowhere.problem(), "dialer_recordings_room_bytes" in values(nowhere)) == ("", False)


def test_the_health_check_says_it_and_the_service_stays_ready(
    alice: Caller, monkeypatch: pytest.MonkeyPatch, folder_of_session: Path
) -> None:
    (folder_of_session / MEDIA / "recordings").mkdir(parents=True, exist_ok=True)
    before = alice.client.get("/health/ready")
    monkeypatch.setattr(recording_metrics, "FREE_BYTES_MIN", 2**80)
    after = alice.client.get("/health/ready")
    assert (before.status_code, "recordings" in before.json()) == (200, False)
    assert (after.status_code, after.json()["recordings"]) == (200, "no_room")
