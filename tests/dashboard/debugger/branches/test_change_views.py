"""Change a run that goes on: the form at its head, who may use it, and what the run's page says of changes."""

from __future__ import annotations

import pytest
from django.urls import reverse

from dashboard.runs import execution
from dashboard.runs.models import Run, RunChange
from tests.dashboard.debugger.conftest import launched
from tests.dashboard.debugger.page_text import text
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import cluster_of

pytestmark = pytest.mark.django_db
NODE = """apiVersion: v1
kind: Node
metadata: {name: extra}
status: {allocatable: {cpu: "128", memory: 64Gi, pods: "110"}}
"""


@pytest.fixture
def live(workspace, editor, monkeypatch):
    """A run that gave way in the middle."""
    run = launched(workspace, editor, cluster_of(5, 300))
    monkeypatch.setattr(execution, "FIRST_SLICE_SECONDS", 0.001)
    with monkeypatch.context() as patch:
        patch.setattr(execution, "worker_is_stopping", lambda: True)
        execution.work()
    run.refresh_from_db()
    assert run.state == "queued"
    return run


@pytest.fixture
def form(live):
    """A function that opens the form, or sends it."""

    def form(person, fields=None):
        address = reverse("debugger:change", args=["team", live.number])
        return person.get(address) if fields is None else person.post(address, fields)

    return form


def test_an_object_is_taken_into_the_form_as_it_is_at_the_head(form, editor, live):
    page = form(editor).content.decode()
    assert_strict_csp(page)
    assert f'action="{reverse("debugger:change", args=["team", live.number])}"' in page
    edited = form(editor, {"do": "edit", "kind": "Node", "object_name": "node-1"})
    assert "name: node-1" in edited.content.decode()
    gone = form(editor, {"do": "delete", "kind": "Node", "object_name": "nowhere"})
    assert gone.status_code == 422
    assert "Node nowhere" in text(gone)


@pytest.mark.slow
def test_a_change_is_handed_over_and_the_run_says_by_whom_and_where(form, editor, viewer, live):
    response = form(editor, {"do": "run", "objects": NODE})
    assert response.status_code == 302
    shown = text(viewer.get(reverse("debugger:run", args=["team", live.number]), {"seq": 1}))
    assert "1 change" in shown
    assert RunChange.objects.get(run=live).is_waiting
    part = reverse("debugger:changes", args=["team", live.number])
    assert part in viewer.get(part).content.decode()
    while execution.work():
        pass
    assert part not in viewer.get(part).content.decode()
    change = RunChange.objects.get(run=live)
    shown = viewer.get(reverse("debugger:run", args=["team", live.number]), {"seq": 1})
    assert f'?seq={change.seq + 1}"' in shown.content.decode()
    assert "Node extra" in text(shown)
    assert "extra" in text(viewer.get(reverse("debugger:run", args=["team", live.number]), {"cycle": 300}))


def test_the_node_that_came_is_on_the_map_and_has_its_yaml(form, editor, viewer, live):
    form(editor, {"do": "run", "objects": NODE})
    while execution.work():
        pass
    run = Run.objects.get(pk=live.pk)
    address = reverse("debugger:object", args=["team", run.number, "Node"])
    before = viewer.get(address, {"key": "extra", "seq": 1})
    after = viewer.get(address, {"key": "extra", "cycle": 300})
    assert "cpu: " in after.content.decode()
    assert "128" in text(after)
    assert "128" not in text(before)


def test_nothing_changed_and_bad_objects_are_said_at_their_fields(form, editor):
    response = form(editor, {"do": "run"})
    assert response.status_code == 422
    assert list(response.context["form"].errors) == ["objects"]
    response = form(editor, {"do": "run", "objects": "kind: Node"})
    assert response.status_code == 422
    assert not RunChange.objects.exists()


def test_a_viewer_may_not_and_a_stranger_sees_nothing(form, viewer, stranger):
    assert form(viewer).status_code == 403
    sent = form(viewer, {"do": "run", "objects": NODE})
    assert sent.status_code == 403
    assert form(stranger).status_code == 404


def test_a_run_that_has_ended_is_branched_instead(form, editor, live):
    while execution.work():
        pass
    response = form(editor)
    assert response.status_code == 409
    assert "branch it there" in text(response)


def test_the_same_form_sent_twice_changes_once(form, editor):
    import re

    token = re.search(r'name="once"\s+value="([^"]+)"', form(editor).content.decode())[1]
    for _ in range(2):
        form(editor, {"do": "run", "objects": NODE, "once": token})
    assert RunChange.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (None, "Change this run"),
        ({"do": "run"}, "Nothing is changed yet"),
        ({"do": "delete", "kind": "Node", "object_name": "nowhere"}, "The run has no Node nowhere at the cursor."),
    ],
)
def test_words(form, editor, fields, sentence):
    assert sentence in text(form(editor, fields))


def test_words_of_a_change_before_and_after_it_is_made(form, editor, viewer, live):
    form(editor, {"do": "run", "objects": NODE})
    part = reverse("debugger:changes", args=["team", live.number])
    assert "waits for the next step" in text(viewer.get(part))
    while execution.work():
        pass
    change = RunChange.objects.get(run=live)
    assert f"event {change.seq:,} Node extra put" in text(viewer.get(part))
