"""Threads on fields of a diff: of a draft as it was put up, of a configuration, of a finding of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dashboard.common.problems import NotFound
from dashboard.review import actions, links, threads
from dashboard.review.deciding.asking import ReviewRequest, ask_about
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.findings.gathering import gathered
from dashboard.review.pins.fields import FieldPin, WhatDiffers, differs_in
from tests.dashboard.review.pages import page


@pytest.fixture
def review(editor, draft):
    """Edda's review of her draft."""
    subject = subject_in(editor.member, {"cluster": "drafted", "draft": str(draft.pk)})
    return ask_about(editor.member, subject, ReviewRequest("Larger?"))


def test_a_field_of_a_draft_says_both_values(owner, review):
    finding = next(one for one in gathered(owner.member, review).findings if one.what == "node-0")
    field = finding.more.partition(":")[0]
    says = differs_in(owner.member, review, FieldPin(finding.key, field))
    assert says.startswith("Node node-0, ")
    assert "→" in says
    with pytest.raises(NotFound, match=r"spec\.nothing"):
        differs_in(owner.member, review, FieldPin(finding.key, "spec.nothing"))
    with pytest.raises(NotFound):
        differs_in(owner.member, review, FieldPin("object:none"))


def test_a_thread_on_a_field_has_no_run_and_stands_with_its_finding(owner, reviewer, review):
    finding = next(one for one in gathered(owner.member, review).findings if one.what == "node-0")
    field = finding.more.partition(":")[0]
    url = links.review_url("team", review)
    sent = {"finding": finding.key, "field": field, "text": "Why so **much**?", "from": "run"}
    assert reviewer.post(f"{url}fields/comment", sent).status_code == 302
    thread = review.threads.get()
    assert (thread.run, thread.kind, thread.finding, thread.field) == (None, "field", finding.key, field)
    shown = page(owner, f"{url}?thread={thread.pk}")
    assert "<strong>much</strong>" in shown
    assert f'data-field="{field}"' in shown
    assert list(threads.about_these(threads.threads_of(review), [], finding.key)) == [thread]
    assert page(owner, f"{url}record.md").count(field) >= 1


def test_a_field_of_a_configuration_is_a_finding_of_its_own(owner, configuration, ask_about_one):
    review = ask_about_one(configuration="fit", revision=2)
    finding = next(one for one in gathered(owner.member, review).findings if one.key.startswith("field:"))
    thread = actions.open_field_thread(owner.member, review, FieldPin(finding.key), "Packed?")
    assert thread.fact == f"{finding.what}: {finding.more}"
    assert thread.run is None


def test_a_finding_of_a_run_is_not_that_of_another_workspace(run, stranger, reviewer):
    finding = gathered(reviewer.member, run).findings[0]
    thread = actions.open_field_thread(reviewer.member, run, FieldPin(finding.key), "Look")
    assert (thread.run, thread.cycle) == (run, 0)
    with pytest.raises(NotFound):
        actions.open_field_thread(stranger.user.memberships.get(), run, FieldPin(finding.key), "Look")


def test_a_finding_that_is_there_does_not_come_any_more(run, reviewer, monkeypatch):
    differs = WhatDiffers(reviewer.member, run)
    monkeypatch.setattr(WhatDiffers, "_gathered", replace(gathered(reviewer.member, run), is_waiting=True))
    finding = gathered(reviewer.member, run).findings[0]
    assert [differs.may_come(key) for key in (finding.key, "move:none", "field:none")] == [False, True, False]
