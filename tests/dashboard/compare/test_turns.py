"""A long reading in turns: each says how far it is, and where the next one is asked for."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.compare.page import ComparisonPage

pytestmark = pytest.mark.django_db


@pytest.fixture
def _short(monkeypatch):
    """Each turn ends after one batch."""
    from scheduler_core.compare import side_reading

    monkeypatch.setattr(side_reading, "BATCH", 40)
    monkeypatch.setattr(TimeLimit, "within", lambda limit, seconds: lambda: True)


@pytest.mark.usefixtures("_short")
def test_turns_follow_one_another_until_all_is_read(asked):
    page, turns = ComparisonPage(asked(), {}), 0
    while page.figures.answer is None:
        assert page.figures.is_partial
        assert 0 < page.figures.share < 1
        assert "events" in page.figures.progress_text
        turns += 1
        assert f"turn={turns}" in page.figures.next_url
        page = ComparisonPage(asked(), {"turn": str(turns), "asker": "one"})
        assert turns < 100
    assert turns > 1
    assert page.figure_groups
