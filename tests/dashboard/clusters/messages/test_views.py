"""One message leads from the import to its codes, and is stored nowhere."""

from __future__ import annotations

import json

import pytest

from dashboard.clusters.messages.views import is_only_messages
from dashboard.clusters.models import ImportDraft
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import node
from tests.dashboard.helpers import assert_strict_csp

LINE = (
    "Warning  FailedScheduling  3m  default-scheduler  0/7 nodes are available: 3 Insufficient cpu, 4 node(s) had "
    "untolerated taint {dedicated: db}. preemption: 0/7 nodes are available: "
    "7 Preemption is not helpful for scheduling."
)


def test_a_pasted_line_leads_to_its_page(editor):
    answer = editor.post("/w/team/import/", {"text": LINE})
    assert answer.status_code == 302
    page = editor.get(answer.headers["Location"])
    assert_strict_csp(page.content)
    for code in (b"SHORT_CPU", b"TAINT_UNTOLERATED", b"PREEMPTION_NOT_HELPFUL"):
        assert code in page.content
    assert not ImportDraft.objects.exists()


def test_the_page_takes_another_text_and_gives_json(viewer):
    assert b"SHORT_CPU" in viewer.post("/w/team/message/", {"text": LINE}).content
    given = json.loads(viewer.post("/w/team/message/", {"text": LINE, "format": "json"}).content)
    assert [part["count"] for part in given["messages"][0]["parts"]] == [3, 4, 7]
    assert viewer.get("/w/team/message/").status_code == 200
    assert (
        viewer.get("/w/team/message/", {"text": "<script>alert(1)</script> 0/1"}).content.count(b"<script>alert") == 0
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LINE, True),
        ("0/1 nodes are available: 1 Insufficient cpu.", True),
        (dump_yaml([node("n")]), False),
        (dump_yaml([node("n")]) + f"# {LINE}\n", False),
        ("nothing of the kind", False),
    ],
)
def test_only_messages_lead_there(text, expected):
    assert is_only_messages(text) is expected
