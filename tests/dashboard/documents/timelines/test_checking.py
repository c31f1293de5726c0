"""Timelines judged as typed."""

from __future__ import annotations

import pytest

from dashboard.clusters.revisions.actions import newest_revision
from dashboard.documents.models import Timeline
from dashboard.documents.timelines.checking import check_timeline
from dashboard.documents.yaml_templates import TIMELINE_TEMPLATE


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("entries: 5\n", 1, "a list is needed"),
        ("entries:\n- at: 1s\n  action: explode\n  object: {}\n", 3, "add, update or delete"),
        ("entries:\n- at: soon\n  object: {}\n", 2, "no time"),
        ("entries: []\nextra: 1\n", None, "unknown field"),
        ("- a\n", None, "mapping"),
        ("a: [", 2, "YAML"),
    ],
)
def test_bad_timelines_name_line_and_words(text, line, message):
    checked = check_timeline(text)
    assert checked.raw is None
    assert message in checked.findings[0].message
    assert checked.findings[0].line == line


def test_a_timeline_is_judged_in_a_cluster(editor, cluster):
    text = TIMELINE_TEMPLATE.replace("      containers:", "      priorityClassName: high\n      containers:")
    form = {"name": "classy", "text": text, "step": "save", "cluster": "prod"}
    assert editor.post("/w/team/timelines/save", form).status_code == 302
    assert Timeline.objects.get(slug="classy").revisions.count() == 1


def test_a_priority_that_is_not_its_classs_in_the_cluster_is_refused_at_its_line(cluster):
    spec = "      priorityClassName: high\n      priority: 7\n      containers:"
    text = TIMELINE_TEMPLATE.replace("      containers:", spec)
    assert check_timeline(text).raw is not None
    checked = check_timeline(text, newest_revision(cluster))
    assert checked.raw is None
    (finding,) = checked.findings
    assert "1000 of PriorityClass high" in finding.message
    assert text.split("\n")[finding.line - 1].strip() == "priority: 7"
