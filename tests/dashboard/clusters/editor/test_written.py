"""What somebody writes in the YAML editor is shown again with its comments."""

from __future__ import annotations

from dashboard.clusters.models import Draft, ObjectText
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import pod

HERE = "/w/team/clusters/prod/"
QUERY = "?kind=Pod&ns=default&name=job-1"


def saved(editor, text):
    """Save the text of job-1, and return the page of its draft."""
    editor.post(f"{HERE}object/save", {"kind": "Pod", "ns": "default", "name": "job-1", "base": 1, "text": text})
    draft = Draft.objects.get(author=editor.user)
    return editor.get(f"{HERE}object/{QUERY}&draft={draft.pk}").content.decode()


def test_comments_stay_in_the_draft(editor, cluster):
    text = f"# why it is so large\n{dump_yaml([pod('job-1', cpu='4')])}"
    assert "# why it is so large" in saved(editor, text)


def test_a_text_of_several_objects_belongs_to_none_of_them(editor, cluster):
    text = "---\n".join(dump_yaml([pod(name, cpu="4")]) for name in ("job-1", "job-2"))
    saved(editor, f"# both\n{text}")
    assert not ObjectText.objects.exists()
