"""Objects that changes of a branch put, with their moments."""

from __future__ import annotations

from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs.changed_objects import put_by_changes
from dashboard.runs import execution
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.inputs import load_inputs
from tests.dashboard.run_helpers import cluster_of, node


def test_each_object_has_the_moment_of_its_change_once_that_is_recorded(execute, editor, workspace):
    origin = execute(cluster_of(2, 20), slug="branched")
    gone = {"action": "delete", "object": {"kind": "Node", "metadata": {"name": "node-1"}}}
    made = branch_run(editor.member, origin, Branching(90, [{"action": "put", "object": node("extra")}, gone]))
    waiting = find_run(workspace, made.number)
    assert list(put_by_changes(waiting, load_inputs(waiting))) == []
    while execution.work():
        pass
    run = find_run(workspace, made.number)
    [(at, extra)] = put_by_changes(run, load_inputs(run))
    assert (at, extra.name) == (state_at(run, run.branch.seq).at, "extra")
    assert list(put_by_changes(origin, load_inputs(origin))) == []
