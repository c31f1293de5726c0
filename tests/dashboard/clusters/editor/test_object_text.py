"""Text of an editor judged in its cluster."""

from __future__ import annotations

import json

import pytest

from dashboard.clusters.editor import object_text
from dashboard.clusters.editor.object_text import check_text
from dashboard.clusters.models import Draft, ObjectText
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import Key
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import node, pod, priority_class


def newest(cluster):
    return actions.newest_revision(cluster)


def test_text_is_judged_in_the_context_of_its_cluster(cluster):
    objects = read_contents(newest(cluster)).by_key
    text = json.dumps(pod("p", priorityClassName="high"))
    assert check_text(text, objects).findings == []
    assert [f.field for f in check_text(text).findings] == ["spec.priorityClassName"]
    renamed = priority_class("high", 5)
    assert check_text(json.dumps(renamed), objects, Key("PriorityClass", "", "high")).errors == []
    assert "given twice" in check_text(json.dumps(renamed), objects).errors[0].message


@pytest.mark.parametrize("text", ["", "# nothing", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"])
def test_a_text_without_an_object_is_an_error(text):
    assert len(check_text(text).errors) == 1


def test_a_text_of_too_many_values_is_refused_with_the_line(monkeypatch):
    monkeypatch.setattr(object_text, "MAX_TEXT_VALUES", 50)
    (error,) = check_text("items:\n" + "- a\n" * 60).errors
    assert error.line == 49
    assert "50 YAML nodes" in error.message


HERE = "/w/team/clusters/prod/"
QUERY = "?kind=Pod&ns=default&name=job-1"


def saved(editor, text):
    """Save the text of job-1, and return the page of its draft."""
    editor.post(f"{HERE}object/save", {"kind": "Pod", "ns": "default", "name": "job-1", "base": 1, "text": text})
    draft = Draft.objects.get(author=editor.user)
    return editor.get(f"{HERE}object/{QUERY}&draft={draft.pk}").content.decode()


def test_comments_stay_in_the_draft(editor, cluster):
    text = f"# so large\n{dump_yaml([pod('job-1', cpu='4')])}"
    assert "# so large" in saved(editor, text)


def test_a_text_of_several_objects_belongs_to_none_of_them(editor, cluster):
    text = "---\n".join(dump_yaml([pod(name, cpu="4")]) for name in ("job-1", "job-2"))
    saved(editor, f"# both\n{text}")
    assert not ObjectText.objects.exists()


DEVICE_CLASS = (
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\n"
    "spec: {extendedResourceName: example.com/gpu}\n"
)


@pytest.mark.parametrize(("kubelet", "n_findings"), [("v1.35.2", 1), ("v1.36.0", 0), ("", 0)])
def test_fields_that_the_version_of_the_cluster_lacks_are_warnings(editor, kubelet, n_findings):
    machine = node("n")
    machine["status"]["nodeInfo"] = {"kubeletVersion": kubelet}
    made = actions.create_cluster(editor.member, actions.NewCluster(f"of {kubelet}"), [machine])
    response = editor.post(f"/w/team/clusters/{made.slug}/object/validate", {"text": DEVICE_CLASS})
    page = response.content.decode()
    assert page.count("data-finding") == n_findings
    assert ("needs Kubernetes 1.36; the cluster runs 1.35" in page) == bool(n_findings)
    assert 'data-severity="error"' not in page
