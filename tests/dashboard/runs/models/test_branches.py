"""The changes of a branch with their places."""

from __future__ import annotations

from dashboard.runs.models import RunBranch

PUT = {"action": "put", "object": {"kind": "Pod"}}
EARLIER, LATER = {"action": "switch_off", "entry": 1, "at": 5}, {"action": "switch_off", "entry": 2, "at": 90}


def test_own_changes_come_where_the_branch_begins_among_those_of_its_origin():
    branch = RunBranch(origin_number=3, asked_seq=42, inherited=[EARLIER, LATER], changes=[PUT])
    assert branch.placed_changes == [EARLIER, {**PUT, "at": 42}, LATER]
    assert [is_own for _, is_own in branch.placed] == [False, True, False]
    branch.seq = 40
    assert branch.placed_changes[1]["at"] == branch.begins == 40
    assert str(branch) == "branch of run 3 at event 40"


def test_at_the_same_place_those_of_the_origin_come_first():
    branch = RunBranch(origin_number=3, asked_seq=5, inherited=[EARLIER], changes=[PUT])
    assert [is_own for _, is_own in branch.placed] == [False, True]
