from __future__ import annotations

import numpy as np
import pytest

from scheduler_core.api.objects import Node
from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.contracts.filter_outcome import NOT_VISITED, PASSED, FilterOutcome
from scheduler_core.framework.contracts.normalizers import CUSTOM, DEFAULT, DEFAULT_REVERSED
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.contracts.verdicts import Normalization, ReasonTable
from scheduler_core.framework.runtime.score_phase import PluginScores, ScoreOutcome
from scheduler_core.recording import Cell, FilterVerdict, Frame, NodesByName, OverlayEntry, Recorder, matrix_digest

CPU = ("Insufficient cpu",)
TAINT = ("node(s) had untolerated taint {a: b}",)
MEMORY = ("Insufficient memory",)


@pytest.fixture
def outcome():
    """Six nodes: 0 and 4 pass, 1 is refused by both plugins, 2 by the second, 3 not visited, 5 with nominated pods."""
    cluster = Cluster()
    for i in range(6):
        cluster.put_node(Node(name=f"node-{i}"))
    table = ReasonTable([CPU, TAINT])
    filter_outcome = FilterOutcome(cluster, table, ["TaintToleration", "NodeResourcesFit"])
    filter_outcome.codes[0, [1, 3]], filter_outcome.reasons[0, [1, 3]] = 3, 2
    filter_outcome.codes[1, [1, 2]], filter_outcome.reasons[1, [1, 2]] = 2, 1
    filter_outcome.decisive[[0, 1, 2, 4, 5]] = [PASSED, 0, 1, PASSED, PASSED]
    filter_outcome.visited = np.array([4, 5, 0, 1, 2])
    filter_outcome.feasible = np.array([4, 0])
    filter_outcome.overlay[5] = Status(Code.UNSCHEDULABLE, MEMORY, "NodeResourcesFit")
    return filter_outcome


@pytest.fixture
def scores(outcome):
    rows = outcome.feasible
    raw, norm = np.zeros((3, 6), dtype=np.int64), np.zeros((3, 6), dtype=np.int64)
    raw[:, rows] = [[10, 40], [2, 0], [-9, 9]]
    norm[:, rows] = [[25, 100], [0, 100], [7, 8]]
    plugins = [
        PluginScores("Fit", 1, raw[0], norm[0], Normalization(DEFAULT, (40,))),
        PluginScores("Taint", 3, raw[1], norm[1], Normalization(DEFAULT_REVERSED, (2,))),
        PluginScores("Outside", 2, raw[2], norm[2], Normalization(CUSTOM, (), norm[2])),
    ]
    totals = np.full(6, -1)
    totals[rows] = sum(p.weight * p.norm[rows] for p in plugins)
    return ScoreOutcome(rows, plugins, raw, totals, [])


def test_a_frame_has_the_rows_that_ever_held_a_node(outcome, scores):
    frame = Frame.from_cycle(7, 3, outcome, scores)
    assert (frame.cycle, frame.template, frame.n_rows) == (7, 3, 6)
    assert (frame.codes.shape, frame.decisive.shape, frame.raw.shape) == ((2, 6), (6,), (3, 6))
    assert frame.raw.tolist() == [[40, 0, 0, 0, 10, 0], [0, 0, 0, 0, 2, 0], [9, 0, 0, 0, -9, 0]]


def test_feasible_rows_are_those_of_the_engine(outcome, scores):
    assert Frame.from_cycle(1, 0, outcome, scores).feasible().tolist() == sorted(outcome.feasible.tolist())


def test_normalised_scores_and_totals_are_those_of_the_engine(outcome, scores):
    frame = Frame.from_cycle(1, 0, outcome, scores)
    for i, plugin in enumerate(scores.plugins):
        assert frame.normalized(i)[scores.rows].tolist() == plugin.norm[scores.rows].tolist()
        assert frame.normalized(i)[[1, 2, 3, 5]].tolist() == [0] * 4
    assert frame.totals()[scores.rows].tolist() == scores.totals[scores.rows].tolist()


@pytest.mark.parametrize(
    ("plugin", "row", "verdict"),
    [
        ("TaintToleration", 0, FilterVerdict(Cell.PASSED)),
        ("TaintToleration", 1, FilterVerdict(Cell.DECISIVE, 3, TAINT)),
        ("NodeResourcesFit", 1, FilterVerdict(Cell.BEHIND, 2, CPU)),
        ("TaintToleration", 2, FilterVerdict(Cell.PASSED)),
        ("NodeResourcesFit", 2, FilterVerdict(Cell.DECISIVE, 2, CPU)),
        ("TaintToleration", 3, FilterVerdict(Cell.NOT_EVALUATED)),
        ("TaintToleration", 5, FilterVerdict(Cell.PASSED)),
        ("NodeResourcesFit", 5, FilterVerdict(Cell.DECISIVE, 2, MEMORY)),
    ],
)
def test_a_cell_says_what_the_plugin_said(outcome, plugin, row, verdict):
    assert Frame.from_cycle(1, 0, outcome).verdict(plugin, row) == verdict


def test_a_refusal_behind_one_with_nominated_pods_is_not_decisive(outcome):
    outcome.overlay[2] = Status(Code.UNSCHEDULABLE, MEMORY, "TaintToleration")
    frame = Frame.from_cycle(1, 0, outcome)
    assert frame.verdict("TaintToleration", 2) == FilterVerdict(Cell.DECISIVE, 2, MEMORY)
    assert frame.verdict("NodeResourcesFit", 2) == FilterVerdict(Cell.BEHIND, 2, CPU)
    assert frame.overlay_at(2) == OverlayEntry(2, "TaintToleration", 2, MEMORY)
    assert frame.overlay_at(0) is None


def test_a_plugin_that_did_not_run_is_named(outcome):
    with pytest.raises(KeyError, match="NodeName"):
        Frame.from_cycle(1, 0, outcome).verdict("NodeName", 0)


def test_what_caches_say_of_rows_not_visited_is_left_out(outcome):
    frame = Frame.from_cycle(1, 0, outcome)
    assert outcome.codes[0, 3] == 3
    assert (frame.codes[0, 3], frame.reasons[0, 3], frame.decisive[3]) == (0, 0, NOT_VISITED)


def test_an_outcome_without_filters_or_scores_has_a_frame():
    cluster = Cluster()
    cluster.put_node(Node(name="node-0"))
    frame = Frame.from_cycle(1, 0, FilterOutcome(cluster, ReasonTable(), []))
    assert (frame.feasible().tolist(), frame.totals().tolist(), frame.filter_plugins) == ([], [0], ())


def test_the_digest_of_a_matrix_is_of_its_contents(outcome, scores):
    nodes = NodesByName(outcome.cluster.table.row_of)
    digest = matrix_digest(Frame.from_cycle(1, 0, outcome, scores), nodes)
    assert digest == matrix_digest(Frame.from_cycle(2, 9, outcome, scores), nodes), "not of cycle and template"
    outcome.overlay[5] = Status(Code.UNSCHEDULABLE, CPU, "NodeResourcesFit")
    assert matrix_digest(Frame.from_cycle(1, 0, outcome, scores), nodes) != digest
    outcome.overlay[5] = Status(Code.UNSCHEDULABLE, MEMORY, "NodeResourcesFit")
    scores.plugins[2].raw[0] += 1
    assert matrix_digest(Frame.from_cycle(1, 0, outcome, scores), nodes) != digest


def test_a_frame_of_the_engines_is_taken_by_a_recorder_with_the_same_table(outcome, scores):
    recorder = Recorder(reasons=outcome.reason_table)
    assert Frame.from_cycle(1, 0, outcome, scores).reason_table is recorder.reasons.entries
