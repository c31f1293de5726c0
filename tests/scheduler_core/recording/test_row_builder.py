from __future__ import annotations

import pytest

from scheduler_core.framework.preemption.decision import encode, pack
from scheduler_core.recording import RecordingError, RecordingReader, RowBuilder, summary_rows
from scheduler_core.recording import events as ev
from scheduler_core.recording.rows import CycleRow, PluginScoreRow, PreemptionRow, QueueMoveRow, VerdictRow, VictimRow
from tests.scheduler_core.recording.sample import Sample, record

CPU = ("Insufficient cpu", "Insufficient memory")


def started(cycle=1, pod="a/x"):
    return ev.CycleStarted(
        at=10, cycle=cycle, pod=pod, attempt=2, profile="default-scheduler", priority=7, template=42, n_nodes=5
    )


def numbered(*events, first=100):
    return list(enumerate(events, start=first))


def summary(second=True):
    values = (80, 81) if second else (-1, -1)
    return ev.ScoreSummary("NodeResourcesFit", 3, "identity", (), 90, 91, *values, 0, 100, 41.5, True)


def test_a_scheduled_pod_makes_a_cycle_with_scores_and_verdicts():
    rows = summary_rows(
        numbered(
            started(),
            ev.NodesFiltered(
                at=10, cycle=1, visited=4, feasible=2, refusals=(ev.Refusal("NodeResourcesFit", 2, CPU, 2),)
            ),
            ev.NodesScored(at=10, cycle=1, plugins=(summary(),)),
            ev.HostSelected(at=10, cycle=1, node="n1", total=273, second="n2", second_total=243, tie_count=1),
            ev.CycleFinished(at=11, cycle=1, pod="a/x", outcome="scheduled", node="n1"),
        )
    )
    assert rows.cycles == [
        CycleRow(
            1, 100, 104, "a/x", 2, "default-scheduler", 7, 42, "scheduled", "n1", "", 5, 4, 2, 273, "n2", 243, 30, 1,
            10, False,
        )
    ]  # fmt: skip
    assert rows.plugin_scores == [PluginScoreRow(1, "NodeResourcesFit", 3, 90, 91, 80, 81, 0, 100, 41.5, True)]
    assert rows.verdicts == [VerdictRow(1, "NodeResourcesFit", 2, "Insufficient cpu, Insufficient memory", 2)]
    assert (rows.queue_moves, rows.preemptions, rows.victims) == ([], [], [])


def test_without_scores_and_runner_up_there_are_no_totals():
    rows = summary_rows(
        numbered(
            started(),
            ev.NodesFiltered(at=10, cycle=1, visited=5, feasible=1),
            ev.HostSelected(at=10, cycle=1, node="n1"),
            ev.CycleFinished(at=11, cycle=1, pod="a/x", outcome="scheduled", node="n1"),
        )
    )
    row = rows.cycles[0]
    assert (row.total, row.second_node, row.second_total, row.margin, row.tie_count) == (None, "", None, None, 1)
    scored = summary_rows(
        numbered(
            started(),
            ev.NodesScored(at=10, cycle=1, plugins=(summary(second=False),)),
            ev.CycleFinished(at=11, cycle=1, pod="a/x", outcome="error", message="no"),
        )
    )
    assert (scored.plugin_scores[0].raw_second, scored.plugin_scores[0].norm_second) == (None, None)


@pytest.mark.parametrize("chosen", [True, False], ids=["with a node", "without"])
def test_a_preemption_makes_victims_of_the_chosen_node_only(chosen):
    sets = (
        ev.VictimSet("n1", ("a/1",), 0, ()),
        ev.VictimSet("n2", ("a/2", "a/3"), 1, ("a/4",)),
    )
    decided = ev.PreemptionDecided(
        at=12, cycle=1, pod="a/x", eligible=True, message="m", nominated_node="n2" if chosen else None,
        packed=pack([encode(one) for one in sets]), chosen=sets[1] if chosen else None,
        criterion="fewest pods" if chosen else "",
    )  # fmt: skip
    rows = summary_rows(
        numbered(started(), decided, ev.CycleFinished(at=12, cycle=1, pod="a/x", outcome="unschedulable"))
    )
    assert rows.cycles[0].preempting is chosen
    if chosen:
        assert rows.preemptions == [
            PreemptionRow(101, 1, 12, "a/x", True, "n2", "fewest pods", "m", 2, 2, 1, None, 0),
        ]
        assert rows.victims == [
            VictimRow(101, 1, "a/x", "n2", "a/2", 0, False),
            VictimRow(101, 1, "a/x", "n2", "a/3", 1, False),
            VictimRow(101, 1, "a/x", "n2", "a/4", 2, True),
        ]
    else:
        assert rows.preemptions == [PreemptionRow(101, 1, 12, "a/x", True, "", "", "m", 2, 0, 0)]
        assert rows.victims == []


def test_nodes_cut_off_by_prefilter_are_a_verdict_of_that_plugin():
    narrowing = (
        ev.PluginStatus("NodeAffinity", 0, (), ("n1",)),
        ev.PluginStatus("VolumeBinding", 0, (), ("n1", "n2")),
        ev.PluginStatus("NodePorts", 5),
    )
    rows = summary_rows(
        numbered(
            started(),
            ev.PointFinished(at=10, cycle=1, point="PreFilter", statuses=narrowing),
            ev.NodesFiltered(at=10, cycle=1, visited=1, feasible=0, absent=4),
            ev.CycleFinished(at=12, cycle=1, pod="a/x", outcome="unschedulable"),
        )
    )
    text = "node(s) didn't satisfy plugin(s) [NodeAffinity VolumeBinding]"
    assert rows.verdicts == [VerdictRow(1, "NodeAffinity, VolumeBinding", 3, text, 4)]


@pytest.mark.parametrize("filtered", [True, False], ids=["with a filter phase", "without"])
def test_a_pod_refused_by_prefilter_is_refused_on_all_nodes(filtered):
    status = ev.PluginStatus("VolumeBinding", 3, ("pod has unbound immediate PersistentVolumeClaims",))
    steps = [started(), ev.PointFinished(at=10, cycle=1, point="PreFilter", statuses=(status,))]
    if filtered:
        steps.append(ev.NodesFiltered(at=10, cycle=1, visited=0, feasible=0, absent=5))
    rows = summary_rows(numbered(*steps, ev.CycleFinished(at=12, cycle=1, pod="a/x", outcome="unschedulable")))
    assert rows.verdicts == [VerdictRow(1, "VolumeBinding", 3, status.reasons[0], 5)]


def test_queue_moves_are_rows_inside_and_between_cycles():
    move = ev.QueueMove(
        at=3, pod="a/x", source="backoff", target="active", event="BackoffComplete", plugin="P", attempts=4,
        backoff_until=9,
    )  # fmt: skip
    rows = summary_rows(numbered(move))
    assert rows.queue_moves == [QueueMoveRow(100, 3, "a/x", "backoff", "active", "BackoffComplete", "P", 4, 9)]


def test_rows_are_the_same_however_the_events_are_split():
    recorded = record(Sample(seed=3).run(120), cut=lambda cycle: cycle % 11 == 0)
    reader = RecordingReader(recorded.store)
    whole = summary_rows(reader.events(0, 10**9))
    assert len(whole.cycles) == 120
    assert whole.preemptions
    parts = [summary_rows(reader.events(c.first_seq, c.end_seq - 1)) for c in recorded.store.chunks]
    for i, rows in enumerate(whole):
        assert [row for part in parts for row in part[i]] == rows
    for row in whole.cycles:
        assert reader.cycle_span(row.cycle) == (row.first_seq, row.last_seq)


@pytest.mark.parametrize(
    ("steps", "last", "sentence"),
    [
        ([], ev.NodesFiltered(at=1, cycle=4, visited=1, feasible=1), "event 100 belongs to cycle 4, which is not open"),
        ([started(1)], started(2), "cycle 2 starts while cycle 1 is open"),
        ([started(1)], None, "cycle 1 is open; rows are taken between cycles"),
    ],
    ids=["begun in the middle of a cycle", "nested", "taken inside of a cycle"],
)
def test_words(steps, last, sentence):
    builder = RowBuilder()
    builder.extend(numbered(*steps))
    with pytest.raises(RecordingError) as refused:
        builder.take() if last is None else builder.add(100, last)
    assert str(refused.value) == sentence
