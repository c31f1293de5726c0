"""Who took the room, in words: of the resource that is short, the largest first."""

from __future__ import annotations

from dashboard.answers.answering.room import RoomAnswer, TakerShare
from dashboard.debugger.panels.why.room_taken import SHOWN, room_list


def share(owner, milli, first=1, last=1, priority=0):
    return TakerShare(owner, priority, 2, {"cpu": milli}, first, last)


def test_the_largest_takers_of_the_resource_are_named_with_their_cycles():
    takers = (share("a/x-*", 500), share("a/y-*", 1500, 3, 1200, 100), TakerShare("a/z", 0, 1, {"memory": 1}, 1, 1))
    panel = room_list(
        RoomAnswer(4, takers, 3, before={"cpu": 1000}, left={"cpu": 500}, now={"cpu": 2500}, allocatable={"cpu": 4000}),
        "cpu",
    )
    assert [one.owner for one in panel.takers] == ["a/y-*", "a/x-*"]
    assert panel.takers[0].text.split(", ") == ["1.5 cpu", "priority 100"]
    assert [one.cycles for one in panel.takers] == ["cycles 3 to 1,200", "cycle 1"]
    assert panel.sums == "2.5 of 4 cpu requested, 62 %; 1 from before the run; 500m of that left since"
    assert (panel.where, panel.pods, panel.more) == ("4 nodes", 4, 0)


def test_so_many_are_named_and_the_others_counted():
    panel = room_list(RoomAnswer(1, tuple(share(f"a/{i}", 100) for i in range(SHOWN + 3)), SHOWN + 5), "cpu")
    assert len(panel.takers) == SHOWN
    assert panel.more == 5
    assert panel.where == "the one node"
