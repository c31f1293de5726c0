"""How far the reading of an import is."""

from __future__ import annotations

import pytest
from django.utils import timezone

from dashboard.clusters.importing import progress, reading
from dashboard.clusters.models import ImportReading
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import small
from tests.dashboard.clusters.importing.import_helpers import send


def test_how_far_the_reading_is_can_be_asked_for_meanwhile(editor, monkeypatch):
    monkeypatch.setattr(progress, "PAUSE_SECONDS", 0.0)
    asked, load = [], reading.load

    def slowly(uploads, report_progress=None):
        report_progress(0.25)
        asked.append(editor.get("/w/team/import/reading/", {"reading": "f00"}).json())
        asked.append(editor.get("/w/team/import/reading/", {"reading": "other"}).json())
        return load(uploads, report_progress)

    monkeypatch.setattr(reading, "load", slowly)
    send(editor, ("a.yaml", dump_yaml(small()).encode()), reading="f00")
    assert asked == [{"share": 0.25}, {"share": None}]
    assert editor.get("/w/team/import/reading/", {"reading": "f00"}).json() == {"share": None}
    assert not ImportReading.objects.exists()


def test_nothing_is_read_without_a_name(editor):
    assert editor.get("/w/team/import/reading/").status_code == 404


def test_a_reading_that_fails_leaves_nothing_and_old_ones_go(editor, monkeypatch):
    monkeypatch.setattr(progress, "PAUSE_SECONDS", 0.0)
    old = timezone.now() - 2 * progress.LEFTOVERS
    ImportReading.objects.create(owner=editor.user, token="left by a dead process", started_at=old)

    def fail():
        with progress.reported_progress(editor.user, "f00") as report_progress:
            report_progress(0.5)
            raise MemoryError

    with pytest.raises(MemoryError):
        fail()
    assert not ImportReading.objects.exists()


def test_what_is_read_at_once_is_not_noted(editor):
    with progress.reported_progress(editor.user, "f00") as report_progress:
        report_progress(0.5)
        assert not ImportReading.objects.exists()
