"""Reports make room for newer ones."""

from __future__ import annotations

from dashboard.upgrade import computing, storing
from dashboard.upgrade.models import StoredUpgrade


def test_the_newest_reports_are_stored_up_to_a_number_and_a_size(ask, monkeypatch):
    rows = [ask(seed=seed) for seed in range(3)]
    monkeypatch.setattr(storing, "MOST_REPORTS", 2)
    computing.work()
    assert set(StoredUpgrade.objects.values_list("pk", flat=True)) == {row.pk for row in rows[1:]}
    monkeypatch.setattr(storing, "MOST_BYTES", 1)
    newest = ask(seed=3)
    computing.work()
    assert StoredUpgrade.objects.get() == newest
