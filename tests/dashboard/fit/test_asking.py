"""What a question about fit is about, and how long a request waits for its answer."""

from __future__ import annotations

from types import SimpleNamespace

from dashboard.answers.questions import FitOf
from dashboard.fit import asking


def test_a_question_names_the_draft_of_its_page_and_nothing_of_a_revision():
    draft = SimpleNamespace(pk=7, version="abc")
    assert FitOf(pod="a/b", **asking.asked_draft(SimpleNamespace(draft=draft))).version == "abc"
    assert asking.asked_draft(SimpleNamespace(draft=None)) == {}


def test_no_request_waits_beyond_the_deadline_of_its_question(monkeypatch):
    waits = []
    monkeypatch.setattr(asking, "ask_of_revision", lambda *_, patience, **__: waits.append(patience))
    here = SimpleNamespace(revision=None)
    _, more = asking.ask(here, FitOf(pod="a/b"), {})
    assert waits == [asking.PATIENCE_SECONDS]
    monkeypatch.setattr(asking, "time", SimpleNamespace(time=lambda: float("inf")))
    asking.ask(here, FitOf(pod="a/b"), more)
    assert waits[1] == 0.0
