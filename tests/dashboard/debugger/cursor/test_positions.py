"""The positions of a cycle from its events."""

from __future__ import annotations

from dashboard.debugger.cursor.positions import Place, positions_of
from scheduler_core.recording import events as ev

STATUSES = (ev.PluginStatus("NodePorts", 5), ev.PluginStatus("NodeResourcesFit"))


def score(plugin):
    """Return a score plugin's summary."""
    return ev.ScoreSummary(plugin, 1, "identity", (), 1, 1, 0, 0, 0, 1, 0.5, False)


def started():
    """Return the first event of cycle 4."""
    return ev.CycleStarted(
        at=1, cycle=4, pod="a/b", attempt=1, profile="default-scheduler", priority=0, template=1, n_nodes=2
    )


def events(*inner_events):
    """Return the events of cycle 4 from seq 10 on, with its first and last."""
    last = ev.CycleFinished(at=1, cycle=4, pod="a/b", outcome="scheduled")
    return list(enumerate((started(), *inner_events, last), start=10))


PRE_FILTER = ev.PointFinished(at=1, cycle=4, point="PreFilter", statuses=STATUSES)
FILTERED = ev.NodesFiltered(at=1, cycle=4, visited=2, feasible=2)
SCORED = ev.NodesScored(at=1, cycle=4, plugins=(score("A"), score("B")))
SELECTED = ev.HostSelected(at=1, cycle=4, node="n")
RESERVED = ev.Reserved(at=1, cycle=4, pod="a/b", node="n")


def test_points_follow_each_other_as_they_ran():
    positions = positions_of(4, events(PRE_FILTER, FILTERED, SCORED, SELECTED, RESERVED), ["NodeName"])
    points = [(one.point, one.place) for one in positions.of_points()]
    assert points == [
        ("PreEnqueue", (11, 0)),
        ("PreFilter", (12, 0)),
        ("Filter", (13, 0)),
        ("Score", (15, 0)),
        ("Reserve", (16, 0)),
    ]
    assert positions.end == (17, 0)


def test_calls_lie_between_the_events_that_record_them_and_the_ones_before():
    positions = positions_of(4, events(PRE_FILTER, FILTERED, SCORED, SELECTED), ["NodeName", "TaintToleration"])
    calls = [(one.point, one.call, one.place) for one in positions.of_calls()]
    assert calls == [
        ("PreEnqueue", "", (11, 0)),
        ("PreFilter", "NodePorts", (11, 1)),
        ("PreFilter", "NodeResourcesFit", (11, 2)),
        ("Filter", "NodeName", (12, 1)),
        ("Filter", "TaintToleration", (12, 2)),
        ("Score", "A", (13, 1)),
        ("Score", "B", (13, 2)),
        ("Score", "", (15, 0)),
    ]


def test_a_host_chosen_without_scores_is_no_point_of_its_own():
    positions = positions_of(4, events(FILTERED, SELECTED, RESERVED))
    assert [one.point for one in positions.of_points()] == ["PreEnqueue", "Filter", "Reserve"]
    assert [(one.point, one.call) for one in positions.of_calls()][1] == ("Filter", "")


def test_preemption_belongs_to_post_filter():
    statuses = (ev.PluginStatus("DefaultPreemption", 2, ("no",)),)
    post = ev.PointFinished(at=1, cycle=4, point="PostFilter", statuses=statuses)
    decided = ev.PreemptionDecided(at=1, cycle=4, pod="a/b", eligible=True)
    positions = positions_of(4, events(FILTERED, post, decided), ["NodeName"])
    assert [(one.call, one.place) for one in positions.of_calls()][-2:] == [
        ("DefaultPreemption", (12, 1)),
        ("", (14, 0)),
    ]
    assert positions.point("PostFilter").calls[0].status == statuses[0]


def test_a_plugin_that_raised_is_a_call_of_its_point():
    failed = ev.PluginFailed(at=1, cycle=4, pod="a/b", plugin="Mine", point="Filter", error="ValueError")
    positions = positions_of(4, events(PRE_FILTER, failed))
    assert [(one.point, one.call, one.place) for one in positions.of_calls()][-1] == ("Filter", "Mine", (12, 1))


def test_a_plugin_that_raised_outside_of_the_points_has_no_position():
    for point, cycle in (("QueueingHint", 0), ("Unreserve", 4), ("Filter", 3)):
        failed = ev.PluginFailed(at=1, cycle=cycle, pod="a/b", plugin="Mine", point=point, error="ValueError")
        assert [one.name for one in positions_of(4, events(failed)).points] == ["PreEnqueue"]


def test_a_pod_taken_back_was_refused_by_permit_if_it_was_reserved():
    back = ev.Unreserved(at=1, cycle=4, pod="a/b", node="n", reason="no")
    assert [one.name for one in positions_of(4, events(back)).points][1:] == ["Reserve"]
    assert [one.name for one in positions_of(4, events(RESERVED, back)).points][1:] == ["Reserve", "Permit"]


def test_a_point_holds_its_calls_and_its_end_but_not_the_place_before_it():
    positions = positions_of(4, events(FILTERED, SCORED, SELECTED), ["NodeName"])
    held = {
        place: getattr(positions.around(Place(*place)), "name", "") for place in ((11, 0), (11, 1), (12, 0), (12, 2))
    }
    assert held == {(11, 0): "PreEnqueue", (11, 1): "Filter", (12, 0): "Filter", (12, 2): "Score"}
    assert positions.around(positions.end) is None
    assert positions.point("QueueSort") == positions.point("PreEnqueue")
    assert positions.point("Permit") is None
