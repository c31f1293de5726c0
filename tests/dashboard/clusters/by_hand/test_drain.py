"""Which pods leave a drained node."""

from __future__ import annotations

import copy

from dashboard.clusters.by_hand.drain import drain_plan
from dashboard.clusters.drafts.contents import contents_of_draft
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.clusters.drafts.draft_helpers import change, fresh, new_draft


def test_a_plan_names_those_that_leave_and_those_that_stay_with_the_reason(editor, cluster):
    draft = new_draft(editor, cluster)
    daemon = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "u", "controller": True}
    raw = copy.deepcopy(pod("agent-x", "node-a"))
    raw["metadata"]["ownerReferences"] = [daemon]
    change(editor, draft, raw)
    change(editor, draft, pod("over", "node-a") | {"status": {"phase": "Succeeded"}})
    contents = contents_of_draft(fresh(draft))
    plan = drain_plan(contents, ["node-a"])
    assert [row.name for row in plan.leaving] == ["web-1", "web-2"]
    assert [(one.row.name, one.why) for one in plan.staying] == [
        ("agent-x", "it is of DaemonSet agent, which would put it here again")
    ]
    assert drain_plan(contents, ["node-b"]) == ([], [])


def test_a_pod_that_its_node_owns_stays(editor, cluster):
    draft = new_draft(editor, cluster)
    raw = copy.deepcopy(pod("proxy-node-a", "node-a"))
    raw["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Node", "name": "node-a", "uid": "u"}]
    change(editor, draft, raw)
    plan = drain_plan(contents_of_draft(fresh(draft)), ["node-a"])
    assert "proxy-node-a" in [one.row.name for one in plan.staying]
