"""Forms of the editor in a draft: what they started from decides, and the text is never lost."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.operations import undoable
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.clusters.drafts.draft_helpers import (
    HERE,
    JOB,
    change,
    cpu_of,
    fresh,
    new_draft,
    seen,
    text_form,
)
from tests.dashboard.helpers import assert_strict_csp


@pytest.fixture
def draft(editor, owner, cluster):
    return new_draft(editor, cluster, owner)


def test_yaml_goes_into_the_draft_and_not_into_a_revision(editor, cluster, draft):
    form = text_form(draft, pod("job-1", cpu="4"), seen=seen(draft, JOB).hex())
    response = editor.post(HERE + "object/save", form)
    assert response["Location"] == f"{HERE}object/?draft={draft.pk}&kind=Pod&ns=default&name=job-1"
    assert cpu_of(draft) == "4"
    assert undoable(editor.user, draft).name == "Change Pod default/job-1"
    assert cluster.revisions.count() == 1


def test_a_form_that_started_from_another_version_shows_both_and_keeps_the_text(editor, owner, draft):
    opened = seen(draft, JOB).hex()
    change(owner, draft, pod("job-1", cpu="3"), "Scale job-1")
    response = editor.post(HERE + "object/save", text_form(draft, pod("job-1", cpu="7"), seen=opened))
    page = response.content.decode()
    assert response.status_code == 409
    assert "Asha: Scale job-1" in page
    assert "cpu: &quot;7&quot;" in page
    assert "cpu: &quot;3&quot;" in page
    assert_strict_csp(page)
    form = text_form(draft, pod("job-1", cpu="7"), seen=seen(draft, JOB).hex())
    assert f'value="{form["seen"]}"' in page
    assert editor.post(HERE + "object/save", form).status_code == 302
    assert cpu_of(draft) == "7"


def test_bad_text_comes_back_and_changes_nothing(editor, draft):
    form = text_form(draft, pod("job-1", cpu="4 cores"))
    assert editor.post(HERE + "object/save", form).status_code == 422
    form = {**text_form(draft, pod("web-1")), "name": "job-1"}
    response = editor.post(HERE + "object/save", form)
    assert response.status_code == 422
    assert "exists already" in response.content.decode()
    assert fresh(draft).version == 0
